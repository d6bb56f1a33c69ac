"""Asking for answers: `solve`, `count`, `solutions`.

These check the arguments, apply the limits, and verify what comes back with the constraints' own check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from nqueens_cp.backends.base import Answer
from nqueens_cp.background import raise_interrupt_put_off
from nqueens_cp.checks import MAX_SEED, integer, integer_at_least, items, seconds, shown, truth
from nqueens_cp.choosing import Choice, as_problem, choose
from nqueens_cp.control import Control, Progress, TimeLimitReached
from nqueens_cp.errors import (
    BackendUnavailable,
    InvalidType,
    InvalidValue,
    SearchInterrupted,
    SearchStopped,
    UnsupportedModel,
)
from nqueens_cp.iteration import SolutionIterator
from nqueens_cp.model import Model, Problem
from nqueens_cp.relations import shorten
from nqueens_cp.result import Result, Scope, Solution, Status
from nqueens_cp.variables import IntVar, VariableArray
from nqueens_cp.verify import Verifier

HAND_OVER_AFTER = 1.0
"""With backend="auto", `solve` hands over from the core to CP-SAT after so many seconds, or a tenth of the limit."""

ProgressCallback = Callable[[Progress], object]
LogCallback = Callable[[str], object]


def solve(
    model: Model | int,
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    verify: bool = True,
    progress: ProgressCallback | None = None,
    log: LogCallback | None = None,
) -> Result:
    """Find one solution (the best one, if the model has an objective), or prove that there is none.

    Parameters
    ----------
    model : Model or int
        A model, or the size of a classic N-Queens board.
    backend : str
        "auto", a name that ``nqueens-cp backends`` lists, or the path of a file of your own, which ends in ``.py``.
    time_limit : int or float, optional
        Seconds of wall clock.
    workers : int
        For a solver that can search in parallel by itself; others use one.
    seed : int
        For backends that make random choices; 0 to 2**31 - 1.
    verify : bool
        Check the solution with the constraints' own check.
    progress : callable, optional
        Called now and then with a `Progress`, in the calling thread. What it raises ends the search and reaches the caller.
    log : callable, optional
        Called with each line of the solver's own log, where it has one.

    Returns
    -------
    Result
        With status SATISFIED, OPTIMAL, UNSATISFIABLE or TIMEOUT.

    Raises
    ------
    UnsupportedModel
        The backend cannot take the model; the message says which constraint and why.
    SearchInterrupted
        Ctrl-C.

    Examples
    --------
    >>> from nqueens_cp import solve
    >>> print(solve(4).solution)
    . Q . .
    . . . Q
    Q . . .
    . . Q .
    """
    control = make_control(time_limit, workers, seed, verify=verify, progress=progress, log=log)
    return solved(as_problem(model), backend, control, verify)


def solved(problem: Problem, backend: str, control: Control, verify: bool = True) -> Result:
    """Return what `solve` returns; a progress callback may look at ``control.best`` on the way."""
    name = backend
    try:
        choice = choose(problem, backend, control)
        name = choice.backend.name
        name, answer = first_answer(problem, backend, choice, control)
    except TimeLimitReached:  # while the model was translated
        answer = Answer(Status.TIMEOUT)
    except KeyboardInterrupt as interrupt:
        partial = None
        if control.best is not None:
            best = control.best._replace(status=Status.INTERRUPTED)
            partial = result_of(problem, best, name, control, verify)
        raise SearchInterrupted("interrupted before the search was over", partial=partial) from interrupt
    return result_of(problem, answer, name, control, verify)


def count(
    model: Model | int,
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    verify: bool = True,
    progress: ProgressCallback | None = None,
    log: LogCallback | None = None,
) -> int:
    """Return the exact number of solutions.

    Parameters are those of `solve`, but for `workers`: the search space is shared out among so many threads or processes.
    No solution is handed out, so `verify` has nothing to check.

    Raises
    ------
    SearchStopped
        The time limit was reached first; its ``partial`` is a lower bound.
    SearchInterrupted
        Ctrl-C; its ``partial`` is a lower bound.
    UnsupportedModel
        The model has an objective, or the backend cannot take it.

    Examples
    --------
    >>> from nqueens_cp import count
    >>> count(8)
    92
    """
    control = make_control(time_limit, workers, seed, verify=verify, progress=progress, log=log)
    problem = without_objective(model, "count")
    with told_when_stopped(time_limit, lambda: (f"at least {control.found} solutions", control.found)):
        choice = choose(problem, backend, control)
        return count_chosen(problem, choice, control)


def solutions(
    model: Model | int,
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    verify: bool = True,
    progress: ProgressCallback | None = None,
    log: LogCallback | None = None,
    limit: int | None = None,
    over: Iterable[IntVar | VariableArray] | None = None,
) -> SolutionIterator:
    """Iterate over the solutions, lazily.

    Parameters are those of `solve`, and

    Parameters
    ----------
    workers : int
        The search space is shared out among so many threads or processes; the order of the solutions is then unspecified.
    limit : int, optional
        Hand over at most so many solutions.
    over : iterable of variables and arrays, optional
        Project: hand over each distinct assignment of these variables that extends to a solution once. The assignments
        seen are kept in memory.

    Returns
    -------
    SolutionIterator
        Its ``status`` says how it ended. The core hands solutions over in lexicographic order of the variables.

    Examples
    --------
    >>> from nqueens_cp import solutions
    >>> [solution["queen"] for solution in solutions(4)]
    [[1, 3, 0, 2], [2, 0, 3, 1]]
    """
    control = make_control(time_limit, workers, seed, verify=verify, progress=progress, log=log)
    problem = without_objective(model, "solutions")
    most = None if limit is None else integer_at_least(limit, 1, "limit")
    projection = None if over is None else _projection(problem, over)
    return SolutionIterator(problem, backend, control, most, projection, verify)


def count_chosen(problem: Problem, choice: Choice, control: Control) -> int:
    """Return the number of solutions, counted by ``control.workers`` threads or processes."""
    if control.workers > 1 and not choice.backend.shares_out_count(choice.translated):
        from nqueens_cp.parallel import count_parts

        return count_parts(problem, choice.backend, choice.translated, control)
    return choice.backend.count(choice.translated, control)


def first_answer(problem: Problem, backend: str, choice: Choice, control: Control) -> tuple[str, Answer]:
    """Return who answered and the answer, not verified; `backend` is what the caller asked for, "auto" or a name."""
    if backend == "auto" and choice.backend.name == "core":
        return _solve_or_hand_over(problem, choice, control)
    return choice.backend.name, _solve_with(choice, control)


def _solve_or_hand_over(problem: Problem, choice: Choice, control: Control) -> tuple[str, Answer]:
    """Let the core try for a while, then CP-SAT where it takes the model; return who answered, and the answer."""
    end, left = control.deadline, control.remaining()
    control.limit_to(HAND_OVER_AFTER if left is None else min(HAND_OVER_AFTER, left / 10))
    try:
        return choice.backend.name, choice.backend.solve(choice.translated, control)
    except TimeLimitReached:
        pass
    finally:
        control.deadline = end
    with suppress(UnsupportedModel, BackendUnavailable, TimeLimitReached):
        choice = choose(problem, "cp-sat", control)
    return choice.backend.name, _solve_with(choice, control)


def _solve_with(choice: Choice, control: Control) -> Answer:
    try:
        return choice.backend.solve(choice.translated, control)
    except TimeLimitReached:
        return Answer(Status.TIMEOUT)


@contextmanager
def told_when_stopped(time_limit: float | None, known: Callable[[], tuple[str, Any]]) -> Iterator[None]:
    """Turn the end of the time and Ctrl-C into the errors that a caller sees; `known` tells what is known by then, in words and
    as it is.

    Raises
    ------
    SearchStopped, SearchInterrupted
        With the words in the message and what is known as ``partial``.
    """
    try:
        yield
    except TimeLimitReached:
        text, partial = known()
        text = f"stopped by the time limit of {time_limit} s: {text}"
        raise SearchStopped(text, partial=partial, status=Status.TIMEOUT) from None
    except KeyboardInterrupt as interrupt:
        text, partial = known()
        raise SearchInterrupted(f"interrupted: {text}", partial=partial) from interrupt


def without_objective(model: Model | Problem | int, what: str) -> Problem:
    """Return a snapshot of a model, refusing in the name of `what` one that has an objective."""
    problem = as_problem(model)
    if problem.objective is not None:
        raise UnsupportedModel(
            f"{what}: model {problem.name!r} has an objective ('{shorten(str(problem.objective))}'), which only solve uses; "
            "state the model without it, or with the objective's value as a constraint"
        )
    return problem


def make_control(
    time_limit: float | None,
    workers: int = 1,
    seed: int = 0,
    *,
    verify: bool = True,
    progress: ProgressCallback | None = None,
    log: LogCallback | None = None,
) -> Control:
    """Check the arguments that all requests share, and return what the search polls."""
    raise_interrupt_put_off()
    truth(verify, "verify")
    for name, callback in (("progress", progress), ("log", log)):
        if callback is not None and not callable(callback):
            raise InvalidType(f"{name}: expected a function, got {shown(callback)} ({type(callback).__name__})")
    number = integer(seed, "seed")
    if not 0 <= number <= MAX_SEED:
        raise InvalidValue(f"seed: {number} is not in 0..{MAX_SEED}")
    return Control(
        seconds(time_limit, "time_limit"),
        workers=integer_at_least(workers, 1, "workers"),
        seed=number,
        progress=progress,
        log=log,
    )


def _projection(problem: Problem, over: Iterable[IntVar | VariableArray]) -> tuple[IntVar | VariableArray, ...]:
    entries: tuple[Any, ...] = (over,) if isinstance(over, IntVar | VariableArray) else tuple(items(over, "over"))
    for entry in entries:
        if not isinstance(entry, IntVar | VariableArray):
            raise InvalidType(f"over: expected variables, got {shown(entry)} ({type(entry).__name__})")
        for variable in entry.variables:
            if variable.index >= len(problem.variables) or problem.variables[variable.index] is not variable:
                raise InvalidValue(f"over: {variable.name!r} is not a variable of model {problem.name!r}")
    return entries


def result_of(problem: Problem, answer: Answer, backend: str, control: Control, verify: bool = True) -> Result:
    """Return an answer, verified if asked for, as what the caller gets."""
    solution = None
    if answer.values is not None:
        if verify:
            Verifier(problem).check_answer(answer.values, answer.objective, backend)
        solution = Solution(Scope(problem), answer.values)
    return Result(answer.status, solution, backend, answer.objective, answer.bound, dict(control.statistics))
