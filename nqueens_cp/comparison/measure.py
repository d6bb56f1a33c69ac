"""One measurement, in the process that this file is run in: ``python -m nqueens_cp.comparison.measure``.

A pickled `Job` comes in on standard input and a pickled `Measurement` goes out on standard output.
"""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import dataclass, field
from hashlib import blake2b
from time import perf_counter, process_time, sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from nqueens_cp.background import Background
from nqueens_cp.result import Status

if TYPE_CHECKING:
    from nqueens_cp.backends.base import Backend
    from nqueens_cp.control import Control
    from nqueens_cp.model import Problem

COUNT, ENUMERATE, SOLVE, PROVE = "count", "enumerate", "solve", "prove"
TASKS = (COUNT, ENUMERATE, SOLVE, PROVE)
SOLVING = (SOLVE, PROVE)
"""The tasks that look for one solution; to prove means to expect that there is none."""
COMPLETE = (Status.COMPLETE.value, Status.SATISFIED.value, Status.OPTIMAL.value, Status.UNSATISFIABLE.value)
"""The statuses of measurements that answered in full."""
DIGEST_BYTES = 16


class Job(NamedTuple):
    """What to measure. `target` is what `load_model` takes, or a pickled `Problem`."""

    backend: str
    target: Any
    parameters: dict[str, Any]
    time_limit: float | None
    task: str = COUNT
    listing: bool = False
    processor: int | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """One backend's answer and its times.

    Attributes
    ----------
    backend : str
        Its name.
    status : str
        "complete" (counting and enumerating), "satisfied", "optimal" or "unsatisfiable" (solving), or "timeout", "memory",
        "unsupported", "unavailable", "failed", "wrong" (a solution that breaks a constraint), "skipped".
    solutions : int or None
        How many it found; a lower bound unless complete.
    import_seconds, build_seconds, solve_seconds : float or None
        Wall clock for importing the solver, for building the model and translating it, and for the task itself.
    first_seconds : float or None
        Wall clock from the beginning of the task to the first solution, where solutions are handed over one by one.
    cpu_seconds : float or None
        Processor time of the task, all threads and processes together.
    peak_mib : float or None
        The most memory that its process held, Python included, and with it the largest of the processes that it started.
    objective : int or None
        The value of the best solution.
    digest : str
        Of the set of solutions: the same for the same set, in whatever order it came.
    statistics : dict
        What the backend tells of its search.
    version : str
        The solver's version.
    reason : str
        Why it did not complete.
    listed : tuple of tuple of int
        The solutions themselves, where they were asked for.
    model : str
        What was measured, such as "queens n=8".
    """

    backend: str
    status: str
    solutions: int | None = None
    import_seconds: float | None = None
    build_seconds: float | None = None
    solve_seconds: float | None = None
    first_seconds: float | None = None
    cpu_seconds: float | None = None
    peak_mib: float | None = None
    objective: int | None = None
    digest: str = ""
    statistics: dict[str, Any] = field(default_factory=dict)
    version: str = ""
    reason: str = ""
    listed: tuple[tuple[int, ...], ...] = ()
    model: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether it answered in full."""
        return self.status in COMPLETE


def measure(job: Job) -> Measurement:
    """Do the job here."""
    from nqueens_cp.backends import get_backend
    from nqueens_cp.control import Control, TimeLimitReached
    from nqueens_cp.errors import BackendUnavailable, InvalidValue, UnsupportedModel
    from nqueens_cp.loader import load_model

    told: dict[str, Any] = {}
    start = perf_counter()

    def lap(name: str) -> None:
        nonlocal start
        now = perf_counter()
        told[name], start = now - start, now

    try:
        backend = get_backend(job.backend)
    except (BackendUnavailable, InvalidValue) as error:
        return Measurement(job.backend, "unavailable", reason=str(error))
    told["version"] = backend.version()
    lap("import_seconds")
    packed = isinstance(job.target, bytes)
    problem = pickle.loads(job.target) if packed else load_model(job.target, **job.parameters).snapshot()
    control = Control(job.time_limit)
    status, reason, processor_time = "", "", _processor_seconds()
    try:
        translated = backend.translate(problem, control)
        lap("build_seconds")
        processor_time = _processor_seconds()
        if job.task in SOLVING:
            status, reason = _solve(backend, translated, control, problem, told)
        elif job.task == ENUMERATE or job.listing:
            _enumerate(backend, translated, control, told, listing=job.listing)
        else:
            control.found = backend.count(translated, control)
        status = status or Status.COMPLETE.value
    except UnsupportedModel as error:
        return Measurement(job.backend, "unsupported", reason=str(error), version=told["version"])
    except TimeLimitReached:
        status, reason = Status.TIMEOUT.value, f"stopped by the time limit of {job.time_limit} s"
    told["cpu_seconds"] = _processor_seconds() - processor_time
    lap("solve_seconds")
    statistics = {name: value for name, value in control.statistics.items() if isinstance(value, int | float | str)}
    return Measurement(
        job.backend, status, control.found, reason=reason, peak_mib=_peak_mib(), statistics=statistics, **told
    )


def _enumerate(backend: Backend, translated: Any, control: Control, told: dict[str, Any], *, listing: bool) -> None:
    """Take all solutions one by one; a digest of each is added up, so that the order does not matter."""
    begun, total, listed = perf_counter(), 0, []
    try:
        for values in backend.solutions(translated, control):
            if not control.found:
                told["first_seconds"] = perf_counter() - begun
            control.found += 1
            total += int.from_bytes(blake2b(repr(values).encode(), digest_size=DIGEST_BYTES).digest(), "big")
            if listing:
                listed.append(values)
    finally:
        told["digest"] = f"{total % (1 << 8 * DIGEST_BYTES):0{2 * DIGEST_BYTES}x}"
        told["listed"] = tuple(listed)


def _solve(
    backend: Backend, translated: Any, control: Control, problem: Problem, told: dict[str, Any]
) -> tuple[str, str]:
    from nqueens_cp.backends.base import Answer
    from nqueens_cp.control import TimeLimitReached
    from nqueens_cp.errors import VerificationError
    from nqueens_cp.verify import Verifier

    try:
        answer = backend.solve(translated, control)
    except TimeLimitReached:
        answer = control.best or Answer(Status.TIMEOUT)
    if answer.values is None:
        control.found = 0
        return answer.status.value, ""
    control.found = 1
    told["objective"] = answer.objective
    try:
        Verifier(problem).check_answer(answer.values, answer.objective, backend.name)
    except VerificationError as error:
        return "wrong", str(error)
    return answer.status.value, ""


def _processor_seconds() -> float:
    """Return the processor time of this process and of those that it has started and that have ended."""
    times = os.times()
    return process_time() + times.children_user + times.children_system


def _peak_mib() -> float | None:
    try:
        from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
    except ImportError:  # not on Windows
        return None
    unit = 1024 if sys.platform != "darwin" else 1  # kilobytes, but bytes on macOS
    held = getrusage(RUSAGE_SELF).ru_maxrss + getrusage(RUSAGE_CHILDREN).ru_maxrss
    return round(held * unit / 2**20, 1)


def _end_with(parent: int) -> None:
    """End this process when the one that wants its answer is gone."""
    while os.getppid() == parent:
        sleep(0.5)
    os._exit(1)


def main() -> None:
    parent = os.getppid()
    Background(lambda: _end_with(parent)).start()
    job = pickle.load(sys.stdin.buffer)
    if job.processor is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {job.processor})
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a model file prints must not get into the answer
    pickle.dump(measure(job), answer)
    answer.close()


if __name__ == "__main__":
    from nqueens_cp.comparison import measure as this_module  # so that what is pickled names the importable module

    this_module.main()
