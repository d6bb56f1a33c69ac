"""Calls of functions on the workers of a Dask cluster: sent, fetched when they are done, cancelled at the end.

A call that went down with several workers is handed back as a failure; whoever sent it knows what to do. Dask itself gives the
calls of a worker that dies to others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Generic, TypeVar
from uuid import uuid4

from nqueens_cp.cluster.worker import called, require_same_version, version_asked, versions_here
from nqueens_cp.errors import ClusterError

RETRIES = 2
"""So often a worker's errors are tried again by Dask."""
LOOK_SECONDS = 1.0
"""Between two looks at which workers there are."""

T = TypeVar("T")


class Tasks(Generic[T]):
    """Calls on their way; each is known to the caller by something.

    Attributes
    ----------
    threads : dict of str to int
        How many threads each worker has; empty before the first `look`.
    """

    def __init__(self, client: Any, name: str) -> None:
        self.client = client
        self.address = client.scheduler.address
        self.threads: dict[str, int] = {}
        self._name = f"nqueens-cp-{name}-{uuid4().hex:.8}"
        self._submitted = 0
        self._on_their_way: dict[str, tuple[T, Any]] = {}  # by key: what it is known by, and its future
        self._finished: deque[str] = deque()  # keys
        self._next_look = 0.0

    @property
    def number(self) -> int:
        """How many are on their way."""
        return len(self._on_their_way)

    @property
    def all_threads(self) -> int:
        """How many threads the workers have together, at least 1."""
        return max(1, sum(self.threads.values()))

    @property
    def some_finished(self) -> bool:
        """Whether `arrived` will have something."""
        return bool(self._finished)

    def look(self) -> None:
        """See whether the scheduler is there, and which workers; new ones are asked for their version.

        Raises
        ------
        ClusterError
            The scheduler is lost, or a worker has another version.
        """
        if self.client.status != "running":
            raise self._lost()
        if monotonic() < self._next_look:
            return
        try:
            threads = self.client.nthreads()
            new = [worker for worker in threads if worker not in self.threads]
            answers = self.client.run(version_asked(), workers=new, on_error="return") if new else {}
        except (OSError, TimeoutError) as error:
            raise self._lost() from error
        for worker, answer in answers.items():
            if isinstance(answer, tuple):
                require_same_version(worker, answer, versions_here())
        self.threads = threads
        self._next_look = monotonic() + LOOK_SECONDS

    def submit(
        self, known_by: T, function: Callable[..., Any], *arguments: Any, rather_by: Sequence[str] | None = None
    ) -> None:
        """Send a call, to one of the workers `rather_by` if one of them is there."""
        key = f"{self._name}-{self._submitted}"
        self._submitted += 1
        wanted = [worker for worker in rather_by or () if worker in self.threads]
        chosen = {"workers": wanted, "allow_other_workers": True} if wanted else {}
        future = self.client.submit(
            called, versions_here(), function, *arguments, key=key, pure=False, retries=RETRIES, **chosen
        )
        self._on_their_way[key] = known_by, future
        future.add_done_callback(lambda future: self._finished.append(future.key))

    def arrived(self) -> list[tuple[T, Any]]:
        """Return what calls are known by that have come back, and what they returned; a `KilledWorker` if Dask gave one up.

        Raises
        ------
        ClusterError
            The scheduler is lost.
        Exception
            What a function raised.
        """
        from distributed import KilledWorker

        back: list[tuple[T, Any]] = []
        done = []
        while self._finished:
            key = self._finished.popleft()
            known_by, future = self._on_their_way.pop(key)
            if future.status == "finished":
                done.append((key, known_by, future))
            elif future.status == "error":
                error = future.exception()
                if not isinstance(error, KilledWorker):
                    raise error
                back.append((known_by, error))
            else:  # cancelled: by the client, which has lost the scheduler, or by somebody else
                raise self._lost()
        if done:
            back += [(known_by, reply) for (_, known_by, _), reply in zip(done, self._fetched(done), strict=True)]
        return back

    def _fetched(self, done: list[tuple[str, T, Any]]) -> list[Any]:
        """Return what calls returned; put them all back, and return nothing, if some of it was lost meanwhile."""
        try:
            replies: list[Any] = self.client.gather([future for _, _, future in done])
        except Exception as error:  # of any kind that the network has
            if self.client.status != "running" or isinstance(error, OSError | TimeoutError):
                raise self._lost() from error
            if all(future.status == "finished" for _, _, future in done):
                raise
            for key, known_by, future in done:  # a result went with its worker, and failed when Dask called it again
                self._on_their_way[key] = known_by, future
                self._finished.append(key)
            done.clear()
            return []
        return replies

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler {self.address} was lost", 0)

    def cancel(self) -> None:
        """Have all calls forgotten, and those that run stopped."""
        if self._on_their_way and self.client.status == "running":
            with suppress(OSError, TimeoutError):
                self.client.cancel([future for _, future in self._on_their_way.values()])
        self._on_their_way.clear()
