"""Explaining that there is no solution: constraints that cannot hold together, none of which can be left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nqueens_cp.checks import seconds, shown, truth
from nqueens_cp.choosing import as_problem
from nqueens_cp.conflict_search import ConflictSearch
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import InvalidType, InvalidValue, SearchInterrupted, SearchStopped
from nqueens_cp.model import Model, Problem
from nqueens_cp.relations import Constraint
from nqueens_cp.result import Scope, Solution, Status
from nqueens_cp.search import ProgressCallback
from nqueens_cp.sentences import sentences


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """Constraints of a model that cannot hold together. Printed, it is sentences, in terms of the board if there is one.

    Attributes
    ----------
    model : str
        The name of the model.
    constraints : tuple of Constraint
        In the order in which they were stated, conjunctions taken apart.
    sentences : tuple of str
        What they say; several may share a sentence.
    minimal : bool
        Whether each was shown to be needed: the others have a solution. Always so, unless the search was stopped.
    """

    model: str
    constraints: tuple[Constraint, ...]
    sentences: tuple[str, ...]
    minimal: bool

    def __len__(self) -> int:
        return len(self.constraints)

    def __str__(self) -> str:
        size = len(self.constraints)
        what = "1 constraint" if size == 1 else f"{size} constraints"
        head = f"unsatisfiable: {what} of model {self.model} cannot hold{' together' if size > 1 else ''}"
        if not self.minimal:
            head += " (perhaps fewer suffice)"
        return "\n".join([head, *(f"  {sentence}" for sentence in self.sentences)])


def explain_unsatisfiable(
    model: Model | int,
    *,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
    proven: bool = False,
) -> Conflict:
    """Find constraints of a model that cannot hold together, but could if any one of them were left out.

    The domains of the variables are taken for granted. There may be other such sets, also smaller ones.

    Parameters
    ----------
    model : Model or int
        An unsatisfiable model, or the size of a classic N-Queens board. An objective plays no part.
    time_limit : int or float, optional
        Seconds of wall clock.
    progress : callable, optional
        Called now and then with a `Progress`; its ``found`` is how many constraints are known to be needed.

    proven : bool
        That there is no solution is known, so that it is not found out again. What is returned is verified all the same.

    Returns
    -------
    Conflict
        The set, solved by itself and with each of its constraints left out.

    Raises
    ------
    InvalidValue
        The model has a solution; the message shows it.
    SearchStopped
        The time limit was reached first; its ``partial`` is the smallest set known so far, in which some constraints may not
        be needed, or None if the model was not even known to be unsatisfiable.
    SearchInterrupted
        Ctrl-C; ``partial`` as above.
    UnsupportedModel
        No backend takes the model, or a part of it.

    Examples
    --------
    >>> from nqueens_cp import explain_unsatisfiable, queens
    >>> print(explain_unsatisfiable(queens(8, placed=[(0, 1), (2, 3), (7, 7)])))
    unsatisfiable: 3 constraints of model queens cannot hold together
      the queens at (0, 1) and (2, 3) attack each other: they share a falling diagonal
    """
    if progress is not None and not callable(progress):
        raise InvalidType(f"progress: expected a function, got {shown(progress)} ({type(progress).__name__})")
    control = Control(seconds(time_limit, "time_limit"), progress=progress)
    problem = replace(as_problem(model), objective=None)
    search = ConflictSearch(problem, control)
    try:
        solution = search.begin(proven=truth(proven, "proven"))
        if solution is not None:
            raise InvalidValue(
                f"model {problem.name!r} is satisfiable, so there is nothing to explain; a solution is\n"
                f"{Solution(Scope(problem), solution)}"
            )
        search.shrink()
        search.verify()
    except TimeLimitReached:
        partial = _conflict(problem, search, minimal=False)
        raise SearchStopped(
            f"stopped by the time limit of {time_limit} s: {_so_far(partial)}", partial=partial, status=Status.TIMEOUT
        ) from None
    except KeyboardInterrupt as interrupt:
        partial = _conflict(problem, search, minimal=False)
        raise SearchInterrupted(f"interrupted: {_so_far(partial)}", partial=partial) from interrupt
    conflict = _conflict(problem, search, minimal=True)
    assert conflict is not None
    return conflict


def _conflict(problem: Problem, search: ConflictSearch, *, minimal: bool) -> Conflict | None:
    if search.known is None:
        return None
    constraints = tuple(search.statements[i] for i in sorted(search.known))
    return Conflict(problem.name, constraints, sentences(problem.board, constraints), minimal)


def _so_far(partial: Conflict | None) -> str:
    if partial is None:
        return "it is not known whether there is a solution"
    return f"{len(partial)} constraints cannot hold together, and perhaps fewer of them suffice"
