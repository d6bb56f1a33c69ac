"""The limits of one search, and how it is stopped: a `Control` is polled by whatever runs.

No signal handler is installed and no timer runs: every backend calls `Control.poll` often enough (some thousand times a
second), which raises when the time is over or somebody else has closed the search, and reports progress when it is due.
Ctrl-C arrives as Python's own KeyboardInterrupt in the thread that polls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from nqueens_cp.background import Flag

PROGRESS_INTERVAL = 0.1  # seconds between two reports
SHORTEST_LIMIT = 0.001  # seconds, for a request where those before have taken all the time


class StopSearch(Exception):
    """Base of the reasons for which `Control.poll` ends a search. Never leaves the package."""


class TimeLimitReached(StopSearch):
    """The time limit is over."""


class Cancelled(StopSearch):
    """Another thread, or the caller's own callback, closed the search."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What a progress callback is told.

    Attributes
    ----------
    found : int
        Solutions found so far.
    share : float or None
        The share of the search space that is done, 0 to 1, where the backend can tell.
    seconds : float
        Time since the call began.
    """

    found: int
    share: float | None
    seconds: float


class Control:
    """Time limit, cancellation, progress and bookkeeping of one search.

    Attributes
    ----------
    found : int
        Solutions found so far; the backend keeps it true at every poll and when it is left by an exception.
    share : callable or None
        Set by a backend that can tell which share of the search space is done.
    statistics : dict
        Whatever the backend wants to tell of its search.
    best : Any
        From `solve`, the best answer so far, kept in case the search is interrupted.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        *,
        workers: int = 1,
        seed: int = 0,
        progress: Callable[[Progress], object] | None = None,
        log: Callable[[str], object] | None = None,
        cancelled: Flag | None = None,
    ) -> None:
        self.started = monotonic()
        self.deadline = None if time_limit is None else self.started + time_limit
        self.workers = workers
        self.seed = seed
        self.progress = progress
        self.log = log
        self.found = 0
        self.share: Callable[[], float] | None = None
        self.statistics: dict[str, Any] = {}
        self.best: Any = None
        self._cancelled = cancelled or Flag()
        self._next_report = self.started + PROGRESS_INTERVAL

    def poll(self) -> None:
        """Raise if the search is to stop; otherwise report progress if a report is due.

        Raises
        ------
        TimeLimitReached, Cancelled
            The search is to stop.
        Exception
            Whatever the progress callback raises.
        """
        if self._cancelled.raised:
            raise Cancelled
        now = monotonic()
        if self.deadline is not None and now >= self.deadline:
            raise TimeLimitReached
        if self.progress is not None and now >= self._next_report:
            self._next_report = now + PROGRESS_INTERVAL
            share = self.share() if self.share is not None else None
            self.progress(Progress(self.found, share, now - self.started))

    def cancel(self) -> None:
        """Make the next poll, in whatever thread, raise `Cancelled`."""
        self._cancelled.raised = True

    def remaining(self) -> float | None:
        """Return the seconds that are left (never negative), or None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())

    def limit_left(self) -> float | None:
        """Return the time limit of a further request under the same limit: what is left, but never nothing."""
        left = self.remaining()
        return None if left is None else max(left, SHORTEST_LIMIT)

    def limit_to(self, seconds: float) -> None:
        """Bring the end forward to `seconds` from now; an earlier end stays."""
        end = monotonic() + seconds
        self.deadline = end if self.deadline is None else min(self.deadline, end)
