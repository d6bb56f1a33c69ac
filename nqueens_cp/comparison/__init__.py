"""Comparing backends on one model: each is measured in a fresh process, and their answers are checked against each other."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nqueens_cp.backends import backend_names, require_known
from nqueens_cp.checks import items, seconds
from nqueens_cp.choosing import as_problem
from nqueens_cp.comparison.measure import Job, Measurement
from nqueens_cp.constraints import Predicate
from nqueens_cp.errors import InvalidValue, SearchInterrupted, UnsupportedModel
from nqueens_cp.loader import MODULE_PREFIX, load_model
from nqueens_cp.model import Model
from nqueens_cp.parallel import require_picklable
from nqueens_cp.relations import shorten
from nqueens_cp.result import Scope, Solution, Status

LONGEST_WAIT = 1e6  # seconds; the operating system takes no much longer one
GRACE_SECONDS = 10.0  # a backend that ignores its time limit is killed so much later


@dataclass(frozen=True, slots=True)
class Difference:
    """A solution that one backend found and another did not."""

    found_by: str
    missed_by: str
    solution: Solution

    def __str__(self) -> str:
        return f"{self.found_by} found this, {self.missed_by} did not:\n{self.solution}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What each backend answered, and whether they agree.

    Attributes
    ----------
    model : str
        The model's name.
    rows : tuple of Measurement
        One for each backend, in the order asked.
    agree : bool or None
        Whether all complete counts are equal and no lower bound is above them; None if fewer than two backends completed.
    difference : Difference or None
        Where they disagree, the first solution that one found and another did not.
    """

    model: str
    rows: tuple[Measurement, ...]
    agree: bool | None
    difference: Difference | None = None

    def __str__(self) -> str:
        """Return the table that the command line shows."""
        from nqueens_cp.comparison.report import table_text

        return table_text(self)


def compare(
    target: Model | int | str | Path,
    /,
    backends: Iterable[str] | None = None,
    time_limit: float | None = None,
    on_row: Callable[[Measurement], object] | None = None,
    **parameters: Any,
) -> Comparison:
    """Count the solutions of a model with several backends and compare answers and times.

    Parameters
    ----------
    target : Model, int, str or Path
        A model, a board size, a model's name or the path of a model file; see `load_model`.
    backends : iterable of str, optional
        All registered ones if left out.
    time_limit : int or float, optional
        Seconds for each backend.
    on_row : callable, optional
        Called with each measurement as it comes.
    **parameters
        What the model's ``build`` takes.

    Raises
    ------
    SearchInterrupted
        Ctrl-C; its ``partial`` is the comparison of what was measured so far.

    Examples
    --------
    >>> from nqueens_cp import compare
    >>> comparison = compare(6, backends=["core", "python-constraint"])
    >>> comparison.agree, [row.solutions for row in comparison.rows]
    (True, [4, 4])
    """
    return compare_target(target, parameters, backends, time_limit, on_row)


def compare_target(
    target: Model | int | str | Path,
    parameters: dict[str, Any],
    backends: Iterable[str] | None = None,
    time_limit: float | None = None,
    on_row: Callable[[Measurement], object] | None = None,
) -> Comparison:
    """Do what `compare` does; the model's parameters are a dict, so they may have any name."""
    limit = seconds(time_limit, "time_limit")
    model = target if isinstance(target, Model) else load_model(target, **parameters)  # refuses what is wrong with it
    if model.objective is not None:
        raise InvalidValue(f"compare counts solutions, and model {model.name!r} has the objective '{model.objective}'")
    names = backend_names() if backends is None else list(dict.fromkeys(items(backends, "backends")))
    if not names:
        raise InvalidValue("backends: the list is empty; name at least one, or leave it out for all")
    for name in names:
        require_known(name)
    job_target = _packed(target) if isinstance(target, Model) else target
    rows: list[Measurement] = []
    try:
        for name in names:
            rows.append(_measured(Job(name, job_target, parameters, limit)))
            if on_row is not None:
                on_row(rows[-1])
        agree = _agreement(rows)
        difference = _first_difference(model, rows, job_target, parameters, limit) if agree is False else None
    except KeyboardInterrupt as interrupt:
        partial = Comparison(model.name, tuple(rows), _agreement(rows))
        raise SearchInterrupted(
            f"interrupted after {len(rows)} of {len(names)} backends", partial=partial
        ) from interrupt
    return Comparison(model.name, tuple(rows), agree, difference)


def _packed(model: Model) -> bytes:
    way_out = "put the model into a model file and give its path"
    for constraint in model.constraints:
        module = getattr(constraint.function, "__module__", "") if isinstance(constraint, Predicate) else ""
        if module == "__main__" or module.startswith(MODULE_PREFIX):
            raise UnsupportedModel(
                f"compare: the function of '{shorten(str(constraint))}' cannot be found by another process; {way_out}"
            )
    problem = model.snapshot()
    require_picklable(problem, "compare", way_out)
    return pickle.dumps(problem)


def _measured(job: Job) -> Measurement:
    """Run a job in a fresh process."""
    command = [sys.executable, "-P", "-m", "nqueens_cp.comparison.measure"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C reaches this process alone, which then ends that one
    )
    try:
        long = job.time_limit is None or job.time_limit > LONGEST_WAIT
        wait = None if long or job.time_limit is None else job.time_limit + GRACE_SECONDS
        answer, complaint = process.communicate(pickle.dumps(job), timeout=wait)
    except subprocess.TimeoutExpired:
        return Measurement(job.backend, Status.TIMEOUT.value, reason="killed: it went on past its time limit")
    finally:
        process.kill()
        process.wait()
    if process.returncode != 0:
        last_line = complaint.decode(errors="replace").strip().rpartition("\n")[2]
        return Measurement(job.backend, "failed", reason=last_line or f"its process ended with {process.returncode}")
    measurement: Measurement = pickle.loads(answer)
    return measurement


def _agreement(rows: list[Measurement]) -> bool | None:
    complete = {row.solutions for row in rows if row.is_complete}
    if len(complete) > 1:
        return False
    bounds = [row.solutions for row in rows if not row.is_complete and row.solutions is not None]
    if any(bound > count for bound in bounds for count in complete if count is not None):
        return False
    return True if sum(row.is_complete for row in rows) > 1 else None


def _first_difference(
    model: Model, rows: list[Measurement], target: Any, parameters: dict[str, Any], limit: float | None
) -> Difference | None:
    """Let the backends that disagree list their solutions, and return the first in order that only one of them has."""
    answered = [row for row in rows if row.solutions is not None]
    most = max(answered, key=lambda row: row.solutions or 0)
    least = min(answered, key=lambda row: row.solutions or 0)
    listed = {
        row.backend: set(_measured(Job(row.backend, target, parameters, limit, listing=True)).listed)
        for row in (most, least)
    }
    found, missed = listed[most.backend], listed[least.backend]
    scope = Scope(as_problem(model))
    for values in sorted(found ^ missed):
        pair = (most.backend, least.backend) if values in found else (least.backend, most.backend)
        return Difference(*pair, Solution(scope, values))
    return None  # the same set, so one of them repeats solutions
