"""One measurement, in a process of its own, whose `main` is called by processes.py.

A pickled `Job` comes in on standard input and a pickled `Measurement` goes out on standard output.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from array import array
from dataclasses import dataclass, field
from hashlib import blake2b
from math import isfinite
from operator import index
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
LARGEST = 10**1000
"""A claim of more solutions is no number of solutions."""


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
        The most memory that its process held, Python included, or one that it started, if that is more.
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
    late : bool
        Whether it claimed a full answer, but past its time limit, so that it counts as stopped.
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
    late: bool = False

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
    told["version"] = str(backend.version())
    lap("import_seconds")
    packed = isinstance(job.target, bytes)
    problem = pickle.loads(job.target) if packed else load_model(job.target, **job.parameters).snapshot()
    control = Control(job.time_limit)
    lapped, status, reason, processor_time = "build_seconds", "", "", _processor_seconds()
    try:
        translated = backend.translate(problem, control)
        lap(lapped)
        lapped, processor_time = "solve_seconds", _processor_seconds()
        if job.task in SOLVING:
            status, reason = _solve(backend, translated, control, problem, told)
        elif job.task == ENUMERATE or job.listing:
            status, reason = _enumerate(backend, translated, control, problem, told, listing=job.listing)
        else:
            control.found = _whole_number(backend.count(translated, control))
        lap(lapped)
        status = status or Status.COMPLETE.value
    except UnsupportedModel as error:
        return Measurement(job.backend, "unsupported", reason=str(error), version=told["version"])
    except TimeLimitReached:
        lap(lapped)
        status = Status.TIMEOUT.value
    if lapped == "solve_seconds":
        told["cpu_seconds"] = _processor_seconds() - processor_time
    late, took = False, told["build_seconds"] + told.get("solve_seconds", 0.0)
    if job.time_limit is not None and took > job.time_limit and status in COMPLETE and not job.listing:
        late, status = True, Status.TIMEOUT.value
        reason = f"it answered after {took:.3g} s, past the time limit of {job.time_limit} s"
    elif status == Status.TIMEOUT.value:
        where = "" if lapped == "solve_seconds" else ", while the model was translated"
        reason = f"stopped by the time limit of {job.time_limit} s{where}"
    return Measurement(
        job.backend,
        status,
        control.found,
        reason=reason,
        peak_mib=_peak_mib(),
        statistics=_kept(control.statistics),
        late=late,
        **told,
    )


def _kept(statistics: dict[str, Any]) -> dict[str, Any]:
    """Return those of a solver's statistics that a record can hold: texts and finite numbers."""
    return {
        str(name): value
        for name, value in statistics.items()
        if isinstance(value, str) or (isinstance(value, int | float) and isfinite(value))
    }


def _whole_number(count: Any) -> int:
    """Return the number of solutions that a backend claims, if it is one."""
    if isinstance(count, bool) or not hasattr(type(count), "__index__") or not 0 <= (number := index(count)) < LARGEST:
        raise TypeError(f"count returned {repr(count)[:60]}, which is no number of solutions")
    return number


def _enumerate(
    backend: Backend, translated: Any, control: Control, problem: Problem, told: dict[str, Any], *, listing: bool
) -> tuple[str, str]:
    """Take all solutions one by one; a digest of each is added up, so that the order does not matter.

    Where they are listed, which is not timed, each is checked too.
    """
    from nqueens_cp.errors import VerificationError
    from nqueens_cp.verify import Verifier

    size, verifier = len(problem.variables), Verifier(problem) if listing else None
    begun, total, listed, wrong = perf_counter(), 0, [], ""
    try:
        for values in backend.solutions(translated, control):
            if not control.found:
                told["first_seconds"] = perf_counter() - begun
            control.found += 1
            packed = array("q", values)  # refuses what is no integer
            if len(packed) != size:
                raise TypeError(f"a solution has {len(packed)} values, and the model {size} variables")
            total += int.from_bytes(blake2b(packed, digest_size=DIGEST_BYTES).digest(), "big")
            if verifier is not None:
                listed.append(tuple(packed))
                try:
                    verifier.check(listed[-1], backend.name)
                except VerificationError as error:
                    wrong = wrong or str(error)
    finally:
        told["digest"] = f"{total % (1 << 8 * DIGEST_BYTES):0{2 * DIGEST_BYTES}x}"
        told["listed"] = tuple(listed)
    return ("wrong", wrong) if wrong else ("", "")


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
        if answer.status not in (Status.UNSATISFIABLE, Status.TIMEOUT):
            return "failed", f"it says {str(answer.status)[:60]!r} and hands over no solution"
        return answer.status.value, ""
    if answer.status not in (Status.SATISFIED, Status.OPTIMAL, Status.TIMEOUT):
        return "failed", f"it hands over a solution and says {str(answer.status)[:60]!r}"
    control.found = 1
    told["objective"] = answer.objective
    try:
        Verifier(problem).check_answer(tuple(array("q", answer.values)), answer.objective, backend.name)
    except VerificationError as error:
        return "wrong", str(error)
    return answer.status.value, ""


def _processor_seconds() -> float:
    """Return the processor time of this process and of those that it has started and that have ended."""
    times = os.times()
    return process_time() + times.children_user + times.children_system


def _peak_mib() -> float | None:
    """Return the most memory that this process has held, or one that it started, if that is more."""
    try:
        from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
    except ImportError:  # not on Windows
        return None
    unit = 1024 if sys.platform != "darwin" else 1  # kilobytes, but bytes on macOS
    own = _high_water() or getrusage(RUSAGE_SELF).ru_maxrss * unit
    return round(max(own, getrusage(RUSAGE_CHILDREN).ru_maxrss * unit) / 2**20, 1)


def _high_water() -> int | None:
    """Return the peak of this process in bytes, where the system tells (Linux); getrusage's is never less than a parent's."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:")), None)
    except OSError:
        return None


def _end_with(parent: int) -> None:
    """End this process, and what it has started, when the one that wants its answer is gone."""
    while os.getppid() == parent:
        sleep(0.5)
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
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
