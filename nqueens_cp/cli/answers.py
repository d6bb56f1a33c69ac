"""The commands that answer: ``solve`` and ``count``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nqueens_cp.cli.options import AsJson, BackendName, ClusterAddress, Exit, Parameters, Target, TimeLimit, Workers
from nqueens_cp.cli.terminal import load, number, percentage, print_json, progress_bar, remark, whole
from nqueens_cp.control import Control
from nqueens_cp.errors import ClusterError, InvalidValue, SearchInterrupted, SearchStopped

if TYPE_CHECKING:
    from nqueens_cp.orbits import OrbitCount


def solve(
    target: Target,
    parameters: Parameters = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
    why: Annotated[
        bool, typer.Option("--why", help="If there is none, print which rules cannot hold together.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Find one solution, or say that there is none (exit status 1).

    Examples:
      nqueens-cp solve 8
      nqueens-cp solve 8 "placed=[(0, 3)]"
      nqueens-cp solve 3 --why
    """
    import nqueens_cp

    model = load(target, parameters)
    limit = number(time_limit)
    control = Control(limit)
    interrupted = False
    try:
        with progress_bar() as progress:
            result = nqueens_cp.solve(
                model,
                backend=backend,
                time_limit=limit,
                workers=whole(workers, "--workers"),
                progress=progress,
            )
    except SearchInterrupted as interrupt:
        if interrupt.partial is None:
            raise
        result, interrupted = interrupt.partial, True
    solution = result.solution
    if result.status is nqueens_cp.Status.UNSATISFIABLE:
        remark(f"no solution: {result.backend} has proven that model {model.name} is unsatisfiable")
        if why:
            return _explain(model, control.limit_left(), as_json, result)
        remark("add --why to see which constraints cannot hold together")
    if as_json:
        print_json(_as_record(model, result))
    elif solution is not None:
        print(solution)
    if result.status is nqueens_cp.Status.UNSATISFIABLE:
        return Exit.NO
    if interrupted or result.status is nqueens_cp.Status.TIMEOUT:
        best = "no solution so far" if solution is None else f"the best so far is shown (objective {result.objective})"
        remark(f"{'interrupted (partial)' if interrupted else f'stopped by the time limit of {time_limit} s'}: {best}")
        return Exit.INTERRUPTED if interrupted else Exit.STOPPED
    if result.objective is not None:
        remark(f"objective {result.objective}, proven optimal")
    return Exit.ANSWERED


def _as_record(model: Any, result: Any) -> dict[str, Any]:
    return {
        "model": model.name,
        "status": result.status.value,
        "backend": result.backend,
        "solution": None if result.solution is None else result.solution.as_dict(),
        "objective": result.objective,
        "bound": result.bound,
    }


def _explain(model: Any, limit: float | None, as_json: bool, result: Any) -> Exit:
    """Print which constraints of an unsatisfiable model cannot hold together, as far as that is found out in time."""
    import nqueens_cp

    stopped: SearchStopped | SearchInterrupted | None = None
    try:
        with progress_bar(note="explaining") as progress:
            conflict = nqueens_cp.explain_unsatisfiable(model, time_limit=limit, progress=progress, proven=True)
    except (SearchStopped, SearchInterrupted) as error:
        conflict, stopped = error.partial, error
    if as_json:
        why = None
        if conflict is not None:
            constraints = [str(constraint) for constraint in conflict.constraints]
            why = {"constraints": constraints, "sentences": conflict.sentences, "minimal": conflict.minimal}
        print_json(_as_record(model, result) | {"why": why})
    elif conflict is not None:
        print(conflict)
    if stopped is None:
        return Exit.NO
    interrupted = isinstance(stopped, SearchInterrupted)
    cause = "interrupted (partial)" if interrupted else "stopped by the time limit"
    remark(f"{cause}: {'not explained so far' if conflict is None else 'perhaps fewer constraints suffice'}")
    return Exit.INTERRUPTED if interrupted else Exit.NO


def count(
    target: Target,
    parameters: Parameters = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
    up_to_symmetry: Annotated[
        bool,
        typer.Option("--up-to-symmetry", help="Boards that are turned or reflected into each other count once."),
    ] = False,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint", metavar="FILE", help="Keep results here, piece by piece; the same command goes on."
        ),
    ] = None,
    cluster: ClusterAddress = None,
    recheck: Annotated[
        str | None, typer.Option("--recheck", metavar="PERCENT", help="Count this share of the pieces twice, like 2%.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Print the exact number of solutions.

    Examples:
      nqueens-cp count 8
      nqueens-cp count toroidal_queens n=11 --backend cp-sat
      nqueens-cp count 12 --checkpoint q12.sqlite --workers 2
    """
    import nqueens_cp

    in_jobs: dict[str, Any] = {}
    if checkpoint is not None or cluster is not None or recheck is not None:
        in_jobs = {"checkpoint": checkpoint, "cluster": cluster, "recheck": percentage(recheck, "--recheck")}
        if up_to_symmetry:
            raise InvalidValue(
                "--up-to-symmetry: that is not counted in jobs; leave out --checkpoint, --cluster, --recheck"
            )
    model = load(target, parameters)
    ask: Callable[..., Any] = nqueens_cp.count_up_to_symmetry if up_to_symmetry else nqueens_cp.count
    found: int | OrbitCount = 0
    stopped: SearchStopped | SearchInterrupted | ClusterError | None = None
    try:
        with progress_bar("counting" if in_jobs else "searching") as progress:
            found = (nqueens_cp.count_in_jobs if in_jobs else ask)(
                model,
                backend=backend,
                time_limit=number(time_limit),
                workers=whole(workers, "--workers"),
                progress=progress,
                **in_jobs,
            )
    except (SearchStopped, SearchInterrupted, ClusterError) as error:
        if error.partial is None:
            raise
        stopped = error
    if as_json:
        complete = stopped is None
        answer = _count_record(found) if stopped is None else {"count": None, "at_least": stopped.partial}
        print_json({"model": model.name, "backend": who_counts(model, backend), "complete": complete, **answer})
    elif stopped is None:
        print(found if isinstance(found, int) else found.orbits)
        if up_to_symmetry:
            remark(str(found))
    if stopped is None:
        return Exit.ANSWERED
    interrupted = isinstance(stopped, SearchInterrupted)
    if in_jobs:
        remark(str(stopped))
    else:
        why = "interrupted (partial)" if interrupted else f"stopped by the time limit of {time_limit} s"
        remark(f"{why}: at least {stopped.partial}")
    return Exit.INTERRUPTED if interrupted else Exit.STOPPED


def who_counts(model: Any, backend: str) -> str | None:
    """Return the backend that counts where one was asked for."""
    from nqueens_cp import explain

    return explain(model).backend if backend == "auto" else backend


def _count_record(found: int | OrbitCount) -> dict[str, Any]:
    if isinstance(found, int):
        return {"count": found}
    return {
        "count": found.orbits,
        "solutions": found.solutions,
        "symmetries": [str(symmetry) for symmetry in found.group.elements],
        "orbits": [{"size": size, "number": number} for size, number in found.sizes.items()],
    }
