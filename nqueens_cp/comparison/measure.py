"""One measurement, in the process that this file is run in: ``python -m nqueens_cp.comparison.measure``.

A pickled `Job` comes in on standard input and a pickled `Measurement` goes out on standard output.
"""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import dataclass
from time import perf_counter, sleep
from typing import Any, NamedTuple

from nqueens_cp.background import Background
from nqueens_cp.result import Status


class Job(NamedTuple):
    """What to measure. `target` is what `load_model` takes, or a pickled `Problem`."""

    backend: str
    target: Any
    parameters: dict[str, Any]
    time_limit: float | None
    listing: bool = False


@dataclass(frozen=True, slots=True)
class Measurement:
    """One backend's answer and its times.

    Attributes
    ----------
    backend : str
        Its name.
    status : str
        "complete", "timeout", "unsupported", "unavailable" or "failed".
    solutions : int or None
        How many it counted; a lower bound unless complete.
    import_seconds, build_seconds, solve_seconds : float or None
        Wall clock for importing the solver, for building the model and translating it, and for counting.
    reason : str
        Why it did not complete.
    listed : tuple of tuple of int
        The solutions themselves, where they were asked for.
    """

    backend: str
    status: str
    solutions: int | None = None
    import_seconds: float | None = None
    build_seconds: float | None = None
    solve_seconds: float | None = None
    reason: str = ""
    listed: tuple[tuple[int, ...], ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether it counted all solutions."""
        return self.status == Status.COMPLETE.value


def measure(job: Job) -> Measurement:
    """Do the job here."""
    from nqueens_cp.backends import get_backend
    from nqueens_cp.control import Control, TimeLimitReached
    from nqueens_cp.errors import BackendUnavailable, InvalidValue, UnsupportedModel
    from nqueens_cp.loader import load_model

    times: dict[str, float] = {}
    start = perf_counter()

    def lap(name: str) -> None:
        nonlocal start
        now = perf_counter()
        times[name], start = now - start, now

    try:
        backend = get_backend(job.backend)
    except (BackendUnavailable, InvalidValue) as error:
        return Measurement(job.backend, "unavailable", reason=str(error))
    lap("import_seconds")
    packed = isinstance(job.target, bytes)
    problem = pickle.loads(job.target) if packed else load_model(job.target, **job.parameters).snapshot()
    control = Control(job.time_limit)
    listed: list[tuple[int, ...]] = []
    try:
        translated = backend.translate(problem, control)
        lap("build_seconds")
        if job.listing:
            listed.extend(backend.solutions(translated, control))
        else:
            control.found = backend.count(translated, control)
        status, reason = Status.COMPLETE.value, ""
    except UnsupportedModel as error:
        return Measurement(job.backend, "unsupported", reason=str(error))
    except TimeLimitReached:
        status, reason = Status.TIMEOUT.value, f"stopped by the time limit of {job.time_limit} s"
    lap("solve_seconds")
    return Measurement(job.backend, status, control.found, **times, reason=reason, listed=tuple(listed))


def _end_with(parent: int) -> None:
    """End this process when the one that wants its answer is gone."""
    while os.getppid() == parent:
        sleep(0.5)
    os._exit(1)


def main() -> None:
    parent = os.getppid()
    Background(lambda: _end_with(parent)).start()
    job = pickle.load(sys.stdin.buffer)
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a model file prints must not get into the answer
    pickle.dump(measure(job), answer)
    answer.close()


if __name__ == "__main__":
    from nqueens_cp.comparison import measure as this_module  # so that what is pickled names the importable module

    this_module.main()
