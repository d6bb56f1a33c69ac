"""Comparing backends: each measurement runs in a fresh process, and the answers are checked against each other."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nqueens_cp.backends import installed_names, require_known
from nqueens_cp.checks import integer_at_least, items, seconds, shown, truth
from nqueens_cp.choosing import as_problem
from nqueens_cp.comparison.measure import COUNT, SOLVING, TASKS, Measurement
from nqueens_cp.comparison.processes import Here
from nqueens_cp.comparison.records import Comparison, Difference, Row, together
from nqueens_cp.comparison.rounds import Case, Rounds
from nqueens_cp.comparison.saved import load_comparison
from nqueens_cp.constraints import Predicate
from nqueens_cp.errors import (
    ClusterError,
    InvalidType,
    InvalidValue,
    SearchInterrupted,
    UnsupportedModel,
    VerificationError,
)
from nqueens_cp.loader import MODULE_PREFIX, load_model, model_names
from nqueens_cp.model import Model, Problem
from nqueens_cp.parallel import require_picklable
from nqueens_cp.relations import shorten
from nqueens_cp.result import Scope, Solution
from nqueens_cp.verify import Verifier

if TYPE_CHECKING:
    from distributed import Client

    from nqueens_cp.cluster.measuring import MeasuringOnCluster

__all__ = ["Comparison", "Difference", "Measurement", "Row", "compare", "compare_target", "load_comparison"]

MAX_CASES = 1_000
MOST_LISTED = 2_000_000
"""So many solutions are listed at most when the first difference is looked for; they are held in memory."""

Target = Model | int | str | Path | range


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
    cluster: str | Client | None = None,
    **parameters: Any,
) -> Comparison:
    """Give models to several backends and compare answers, times and memory.

    Parameters
    ----------
    target : Model, int, str, Path, range, or a list of these
        A model, a board size, a model's name or the path of a model file (see `load_model`), or a range of board sizes.
    backends : iterable of str, optional
        All that are installed if left out; the textbook backtrackers, other formulations, and files of your own
        (``"./mine.py"``) only where they are named.
    time_limit : int or float, optional
        Seconds for each measurement.
    on_row : callable, optional
        Called with each measurement as it comes.
    task : str
        "count" (the default), "enumerate" (take all solutions one by one, and compare the sets too), "solve", or "prove"
        (solve what is expected to have no solution; one is a disagreement).
    repeats : int
        How often each is measured, in shuffled order; with more than one, a first round is thrown away. Medians are shown.
    memory_limit : int, optional
        MiB that a measurement may hold; past it, its process is killed (Linux).
    pinned : bool
        Whether each measurement is kept on one processor, where the system can do that.
    cluster : str or dask.distributed.Client, optional
        Whose workers measure, instead of this machine, as in `count_in_jobs`: one measurement at a time each, all of a
        model on the same one.
    **parameters
        What the model's ``build`` takes; one of them may be a range.

    Raises
    ------
    SearchInterrupted
        Ctrl-C; its ``partial`` is the comparison of what was measured so far.
    ClusterError
        The cluster cannot be used or was lost; the same.

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
        cluster=cluster,
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
    cluster: str | Client | None = None,
) -> Comparison:
    """Do what `compare` does; the model's parameters are a dict, so they may have any name."""
    limit = seconds(time_limit, "time_limit")
    memory = None if memory_limit is None else float(integer_at_least(memory_limit, 1, "memory_limit"))
    repeats = integer_at_least(repeats, 1, "repeats")
    if task not in TASKS:
        raise InvalidValue(f"task: {shown(task)} is none of {', '.join(TASKS)}")
    truth(pinned, "pinned")
    names = installed_names() if backends is None else list(dict.fromkeys(items(backends, "backends")))
    if not names:
        raise InvalidValue("backends: the list is empty; name at least one, or leave it out for all")
    for name in names:
        require_known(name)
    if on_row is not None and not callable(on_row):
        raise InvalidType(f"on_row: expected a function, got {shown(on_row)} ({type(on_row).__name__})")
    cases = _cases(target, parameters, sent_away=cluster is not None)
    for case in cases:
        if case.model.objective is not None and task not in SOLVING:
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
        "maximize": {case.label: case.model.objective.maximize for case in cases if case.model.objective is not None},
    }
    with _measurers(cluster, memory, pinned) as measurers:
        run = Rounds([(case, name) for case in cases for name in names], limit, task, repeats)
        comparison: Comparison | None = None
        try:
            for turn in range(repeats + (repeats > 1)):
                for i, measurement in measurers.all(run.order(), run.job_of, run.model_of):
                    told = run.add(i, measurement, turn)
                    if on_row is not None:
                        on_row(told)
            run.drop_too_large()
            comparison = _compared(cases, run.rows(), setting)
            if comparison.agree is False and task not in SOLVING:
                wrong = next(case for case in cases if comparison.verdict_on(case.label) is False)
                listed_by = lambda name: measurers.one(run.job(wrong, name, listing=True))  # noqa: E731
                difference = _first_difference(wrong, comparison.cases()[wrong.label], listed_by)
                if isinstance(difference, str):
                    setting["remark"] = difference
                else:
                    comparison = replace(comparison, difference=difference)
        except (KeyboardInterrupt, ClusterError) as error:
            cause = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
            said = f"{cause} while the first difference was looked for; all was measured"
            if comparison is None:
                said = f"{cause}: {run.so_far()}"
                comparison = _compared(cases, run.rows(), setting)
            setting |= measurers.setting() | {"interrupted": True, "remark": said}
            if isinstance(error, ClusterError):
                raise ClusterError(said, comparison) from error
            raise SearchInterrupted(said, partial=comparison) from error
        setting |= measurers.setting()
    return comparison


def _measurers(cluster: Any, memory: float | None, pinned: bool) -> Here | MeasuringOnCluster:
    if cluster is None:
        return Here(memory, pinned)
    from nqueens_cp.cluster.measuring import MeasuringOnCluster

    return MeasuringOnCluster(cluster, memory, pinned)


def _compared(cases: list[Case], rows: tuple[Row, ...], setting: dict[str, Any]) -> Comparison:
    comparison = Comparison(", ".join(dict.fromkeys(case.model.name for case in cases)), rows, None, None, setting)
    return replace(comparison, agree=together(comparison.verdict_on(label) for label in comparison.cases()))


def _cases(target: Any, parameters: dict[str, Any], *, sent_away: bool) -> list[Case]:
    """Return the models to measure on, each built here once, which refuses what is wrong with it."""
    given = list(target) if isinstance(target, list | tuple) else [target]
    targets = [
        one for entry in given for one in (islice(entry, MAX_CASES + 1) if isinstance(entry, range) else (entry,))
    ]
    ranges = {name: value for name, value in parameters.items() if isinstance(value, range)}
    if len(ranges) > 1 or (ranges and any(isinstance(entry, range) for entry in given)):
        raise InvalidValue(f"compare: only one range at a time, of sizes or of a parameter ({', '.join(ranges)})")
    name, values = next(iter(ranges.items()), (None, [None]))
    number = len(targets) * len(values)
    if not number:
        raise InvalidValue("compare: the range is empty; give a model or a size")
    if number > MAX_CASES:
        raise InvalidValue(f"compare: more than {MAX_CASES} models are too many; take a smaller range")
    cases: list[Case] = []
    for one in targets:
        for value in values:
            words = parameters if name is None else parameters | {name: value}
            case = _case(one, words, value, sent_away)
            same = sum(case.label == earlier.label.partition(" #")[0] for earlier in cases)
            cases.append(case._replace(label=f"{case.label} #{same + 1}") if same else case)
    return cases


def _case(target: Any, given: dict[str, Any], varied: int | None, sent_away: bool) -> Case:
    model = target if isinstance(target, Model) else load_model(target, **given)
    size, words = varied, dict(given)
    if not isinstance(target, Model | str | Path):
        words = {"n": int(target)} | words
    if size is None and isinstance(words.get("n"), int):
        size = words["n"]
    label = " ".join([model.name, *(f"{k}={shown(v)}" for k, v in words.items())])
    is_path = isinstance(target, Path) or (isinstance(target, str) and target not in model_names())
    if sent_away and (is_path or isinstance(target, Model)):  # to machines that may not have the file
        from nqueens_cp.cluster.connecting import packed

        return Case(label, size, model, packed(model.snapshot()), given)
    if isinstance(target, Model):
        return Case(label, size, model, _packed(model), given)
    return Case(label, size, model, Path(target).resolve() if is_path else target, given)  # wherever that process runs


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


def _first_difference(case: Case, rows: list[Row], listed_by: Callable[[str], Measurement]) -> Difference | str:
    """Let two backends that disagree list their solutions; return the first that only one has, or what else is wrong."""
    complete = [row for row in rows if row.claims_all]
    most = max(complete, key=lambda row: row.solutions or 0)
    least = min(complete, key=lambda row: row.solutions or 0)
    if least.solutions == most.solutions:  # as many, but others; or only what was stopped contradicts
        stopped = [row for row in rows if not row.claims_all and (row.solutions or 0) > (most.solutions or 0)]
        least = next((row for row in [*complete, *stopped] if row.digest != most.digest or row in stopped), most)
    number = max(most.solutions or 0, least.solutions or 0)
    if number > MOST_LISTED:
        return f"{number:,} solutions are too many to look for the first difference; at most {MOST_LISTED:,} are listed"
    lists = {row.backend: listed_by(row.backend) for row in (most, least)}
    sets = {name: set(listing.listed) for name, listing in lists.items()}
    unfinished = {
        name: listing.reason
        for name, listing in lists.items()
        if not (listing.is_complete or listing.status == "wrong")
    }
    problem = as_problem(case.model)
    scope, found = Scope(problem), []
    for one, other in permutations(lists, 2):
        only = sets[one] - sets[other]
        if only and other not in unfinished:  # what an unfinished list lacks, it may lack for want of time
            found.append((min(only), one, other))
    if found:
        values, one, other = min(found)
        instead = min((theirs for theirs in sets[other] if theirs > values), default=None)
        board = None if instead is None else Solution(scope, instead)
        return Difference(case.label, one, other, Solution(scope, values), board, _breaks(problem, values, one))
    if unfinished:
        said = " and ".join(f"{name}'s was not finished ({reason})" for name, reason in unfinished.items())
        return f"the lists of solutions show no difference, but {said}"
    repeating = [name for name, listing in lists.items() if len(sets[name]) < len(listing.listed)]
    if repeating:
        return f"both list the same solutions, but {' and '.join(repeating)} repeats some"
    return "both list the same solutions, each once, so that one counts them wrongly"


def _breaks(problem: Problem, values: tuple[int, ...], backend: str) -> str:
    """Return which constraint values break, in the words of the verifier, or nothing."""
    try:
        Verifier(problem).check(values, backend)
    except VerificationError as error:
        return str(error)
    return ""
