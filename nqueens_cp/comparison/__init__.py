"""Comparing backends: each measurement runs in a fresh process, and the answers are checked against each other."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from nqueens_cp.backends import backend_names, require_known
from nqueens_cp.checks import integer_at_least, items, seconds, shown, truth
from nqueens_cp.choosing import as_problem
from nqueens_cp.comparison.machine import a_processor, load, machine
from nqueens_cp.comparison.measure import COUNT, SOLVE, TASKS, Job, Measurement
from nqueens_cp.comparison.processes import measured
from nqueens_cp.comparison.records import Comparison, Difference, Row, load_comparison, together, verdict
from nqueens_cp.constraints import Predicate
from nqueens_cp.errors import InvalidValue, SearchInterrupted, UnsupportedModel
from nqueens_cp.loader import MODULE_PREFIX, load_model
from nqueens_cp.model import Model
from nqueens_cp.parallel import require_picklable
from nqueens_cp.relations import shorten
from nqueens_cp.result import Scope, Solution, Status

__all__ = ["Comparison", "Difference", "Measurement", "Row", "compare", "compare_target", "load_comparison"]

MAX_CASES = 1_000
STOPPED = (Status.TIMEOUT.value, "memory")

Target = Model | int | str | Path | range


class Case(NamedTuple):
    """One model to measure on."""

    label: str
    size: int | None
    model: Model
    target: Any
    parameters: dict[str, Any]


def compare(
    target: Target | Sequence[Target],
    /,
    backends: Iterable[str] | None = None,
    time_limit: float | None = None,
    on_row: Callable[[Measurement], object] | None = None,
    *,
    task: str = COUNT,
    repeats: int = 1,
    memory_limit: float | None = None,
    pinned: bool = True,
    **parameters: Any,
) -> Comparison:
    """Give models to several backends and compare answers, times and memory.

    Parameters
    ----------
    target : Model, int, str, Path, range, or a list of these
        A model, a board size, a model's name or the path of a model file (see `load_model`), or a range of board sizes.
    backends : iterable of str, optional
        All registered ones if left out; the textbook backtrackers only where they are named.
    time_limit : int or float, optional
        Seconds for each measurement.
    on_row : callable, optional
        Called with each measurement as it comes.
    task : str
        "count" (the default), "enumerate" (take all solutions one by one, and compare the sets too) or "solve".
    repeats : int
        How often each is measured, in shuffled order; with more than one, a first round is thrown away. Medians are shown.
    memory_limit : int, optional
        MiB that a measurement may hold; past it, its process is killed (Linux).
    pinned : bool
        Whether each measurement is kept on one processor, where the system can do that.
    **parameters
        What the model's ``build`` takes; one of them may be a range.

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
    return compare_target(
        target,
        parameters,
        backends,
        time_limit,
        on_row,
        task=task,
        repeats=repeats,
        memory_limit=memory_limit,
        pinned=pinned,
    )


def compare_target(
    target: Target | Sequence[Target],
    parameters: dict[str, Any],
    backends: Iterable[str] | None = None,
    time_limit: float | None = None,
    on_row: Callable[[Measurement], object] | None = None,
    *,
    task: str = COUNT,
    repeats: int = 1,
    memory_limit: float | None = None,
    pinned: bool = True,
) -> Comparison:
    """Do what `compare` does; the model's parameters are a dict, so they may have any name."""
    limit = seconds(time_limit, "time_limit")
    memory = None if memory_limit is None else float(integer_at_least(memory_limit, 1, "memory_limit"))
    repeats = integer_at_least(repeats, 1, "repeats")
    if task not in TASKS:
        raise InvalidValue(f"task: {shown(task)} is none of {', '.join(TASKS)}")
    processor = a_processor() if truth(pinned, "pinned") else None
    names = backend_names() if backends is None else list(dict.fromkeys(items(backends, "backends")))
    if not names:
        raise InvalidValue("backends: the list is empty; name at least one, or leave it out for all")
    for name in names:
        require_known(name)
    cases = _cases(target, parameters)
    for case in cases:
        if case.model.objective is not None and task != SOLVE:
            raise InvalidValue(
                f"compare: model {case.model.name!r} has the objective '{case.model.objective}', so its solutions are not "
                "counted; compare it with the task solve"
            )
    setting = {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "task": task,
        "time_limit": limit,
        "memory_limit": memory,
        "repeats": repeats,
        "pinned": processor is not None,
        "machine": machine(),
        "load_before": load(),
    }

    def job_of(case: Case, name: str, *, listing: bool = False) -> Job:
        packed = _packed(case.model) if isinstance(case.target, Model) else case.target
        return Job(name, packed, case.parameters, limit, task, listing, processor)

    pairs = [(case, name) for case in cases for name in names]
    kept: dict[int, list[Measurement]] = {i: [] for i in range(len(pairs))}
    given_up: dict[str, int] = {}  # the size at which a backend was stopped: larger ones are not tried
    order = Random(0)
    try:
        for turn in range(repeats + (repeats > 1)):
            shuffled = list(range(len(pairs)))
            if repeats > 1:
                order.shuffle(shuffled)  # so that a drift of the machine hits all alike
            for i in shuffled:
                case, name = pairs[i]
                stopped = given_up.get(name)
                if stopped is not None and case.size is not None and case.size > stopped:
                    kept[i] = [Measurement(name, "skipped", reason=f"not tried: it was stopped at size {stopped}")]
                    continue
                measurement = measured(job_of(case, name), memory)
                if measurement.status in STOPPED and case.size is not None:
                    given_up[name] = min(case.size, given_up.get(name, case.size))
                if turn or repeats == 1 or measurement.status in STOPPED:
                    kept[i].append(measurement)
                if on_row is not None:
                    on_row(measurement)
        rows = _rows(pairs, kept)
        verdicts = {case.label: verdict([row for row in rows if row.model == case.label], task) for case in cases}
        wrong = next((case for case in cases if verdicts[case.label] is False), None)
        difference = None
        if wrong is not None and task != SOLVE:
            of_case = [row for row in rows if row.model == wrong.label]
            difference = _first_difference(
                wrong, of_case, lambda name: measured(job_of(wrong, name, listing=True), memory)
            )
    except KeyboardInterrupt as interrupt:
        rows = _rows(pairs, kept)
        agree = together(verdict([row for row in rows if row.model == case.label], task) for case in cases)
        setting["load_after"] = load()
        partial = Comparison(_title(cases), rows, agree, None, setting)
        done = sum(map(bool, kept.values()))
        raise SearchInterrupted(
            f"interrupted after {done} of {len(pairs)} measurements", partial=partial
        ) from interrupt
    setting["load_after"] = load()
    return Comparison(_title(cases), rows, together(verdicts.values()), difference, setting)


def _rows(pairs: list[tuple[Case, str]], kept: dict[int, list[Measurement]]) -> tuple[Row, ...]:
    return tuple(Row.of(case.label, case.size, kept[i]) for i, (case, _) in enumerate(pairs) if kept[i])


def _title(cases: list[Case]) -> str:
    return ", ".join(dict.fromkeys(case.model.name for case in cases))


def _cases(target: Any, parameters: dict[str, Any]) -> list[Case]:
    """Return the models to measure on, each built here once, which refuses what is wrong with it."""
    targets = list(target) if isinstance(target, list | tuple | range) else [target]
    ranges = {name: value for name, value in parameters.items() if isinstance(value, range)}
    if len(ranges) > 1:
        raise InvalidValue(f"compare: only one parameter may be a range, not {' and '.join(ranges)}")
    if not targets or any(not len(values) for values in ranges.values()):
        raise InvalidValue("compare: the range is empty; give a model or a size")
    cases: list[Case] = []
    for one in targets:
        name, values = next(iter(ranges.items()), (None, [None]))
        for value in values:
            if len(cases) >= MAX_CASES:
                raise InvalidValue(f"compare: more than {MAX_CASES} models are too many")
            given = parameters if name is None else parameters | {name: value}
            cases.append(_case(one, given, value))
    return cases


def _case(target: Any, given: dict[str, Any], varied: int | None) -> Case:
    model = target if isinstance(target, Model) else load_model(target, **given)
    size = varied
    if size is None and not isinstance(target, Model | str | Path):
        size = int(target)
    elif size is None and isinstance(given.get("n"), int):
        size = given["n"]
    shown_parameters = dict(given)
    if not isinstance(target, Model | str | Path):
        shown_parameters = {"n": int(target)} | shown_parameters
    words = [model.name, *(f"{name}={shown(value)}" for name, value in shown_parameters.items())]
    return Case(" ".join(words), size, model, target, given)


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


def _first_difference(case: Case, rows: list[Row], listed_by: Callable[[str], Measurement]) -> Difference | None:
    """Let the backends that disagree list their solutions, and return the first in order that only one of them has."""
    answered = [row for row in rows if row.solutions is not None]
    most = max(answered, key=lambda row: row.solutions or 0)
    others = [row for row in answered if row.digest != most.digest] or answered
    least = min(others, key=lambda row: row.solutions or 0)
    found, missed = (set(listed_by(row.backend).listed) for row in (most, least))
    for values in sorted(found ^ missed):
        pair = (most.backend, least.backend) if values in found else (least.backend, most.backend)
        return Difference(case.label, *pair, Solution(Scope(as_problem(case.model)), values))
    return None  # the same set, so one of them repeats solutions
