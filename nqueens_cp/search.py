"""Asking for answers: `solve`, `count`, `solutions`, `explain`.

These pick a backend, check the arguments, apply the limits, and verify what comes back with the constraints' own check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import RLock
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from nqueens_cp.backends import backend_names, get_backend
from nqueens_cp.backends.base import Answer, Backend
from nqueens_cp.checks import integer, integer_at_least, items, seconds, shown
from nqueens_cp.control import Cancelled, Control, Progress, TimeLimitReached
from nqueens_cp.errors import (
    BackendUnavailable,
    InvalidType,
    InvalidValue,
    SearchInterrupted,
    SearchStopped,
    UnsupportedModel,
)
from nqueens_cp.model import IntVar, Model, Problem, VariableArray
from nqueens_cp.relations import shorten
from nqueens_cp.result import Result, Scope, Solution, Status
from nqueens_cp.variants import queens
from nqueens_cp.verify import Verifier

HAND_OVER_AFTER = 1.0
"""With backend="auto", `solve` hands over from the core to CP-SAT after so many seconds, or a tenth of the limit."""

ProgressCallback = Callable[[Progress], object]
LogCallback = Callable[[str], object]


class Choice(NamedTuple):
    """A backend, and the problem as it translated it."""

    backend: Backend
    translated: Any


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
        "auto", or a name from `nqueens_cp.backends.backend_names`.
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
    problem = as_problem(model)
    control = _control(time_limit, workers, seed, progress, log)
    name = backend
    try:
        choice = choose(problem, backend, control)
        name = choice.backend.name
        if backend == "auto" and name == "core":
            name, answer = _solve_or_hand_over(problem, choice, control)
        else:
            answer = choice.backend.solve(choice.translated, control)
    except TimeLimitReached:
        answer = Answer(Status.TIMEOUT)
    except KeyboardInterrupt as interrupt:
        partial = None if control.best is None else _result(problem, control.best, name, control, verify)
        raise SearchInterrupted("interrupted before the search was over", partial=partial) from interrupt
    return _result(problem, answer, name, control, verify)


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
    problem = _without_objective(model, "count")
    control = _control(time_limit, workers, seed, progress, log)
    try:
        choice = choose(problem, backend, control)
        if workers > 1:
            from nqueens_cp.parallel import count_parts

            return count_parts(problem, choice.backend, choice.translated, control)
        return choice.backend.count(choice.translated, control)
    except TimeLimitReached:
        raise SearchStopped(
            f"stopped by the time limit of {time_limit} s: at least {control.found} solutions",
            partial=control.found,
            status=Status.TIMEOUT,
        ) from None
    except KeyboardInterrupt as interrupt:
        raise SearchInterrupted(
            f"interrupted: at least {control.found} solutions", partial=control.found
        ) from interrupt


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
    problem = _without_objective(model, "solutions")
    control = _control(time_limit, workers, seed, progress, log)
    most = None if limit is None else integer_at_least(limit, 1, "limit")
    projection = None if over is None else _projection(problem, over)
    return SolutionIterator(problem, backend, control, most, projection, verify)


class SolutionIterator(Iterator[Solution]):
    """An open search for solutions: a lazy iterator and a context manager. Made by `solutions`.

    Attributes
    ----------
    status : Status or None
        None while the search is open; then COMPLETE, LIMIT, TIMEOUT, INTERRUPTED or CLOSED.
    found : int
        How many solutions have been handed over.
    backend : str
        The backend that searches.
    """

    status: Status | None = None
    found: int = 0

    def __init__(
        self,
        problem: Problem,
        backend: str,
        control: Control,
        limit: int | None,
        over: tuple[IntVar | VariableArray, ...] | None,
        verify: bool,
    ) -> None:
        self.backend = backend
        self._problem = problem
        self._control = control
        self._limit = limit
        self._scope = Scope(problem, over)
        self._seen: set[tuple[int, ...]] | None = None if over is None else set()
        self._picked = tuple(variable.index for variable in self._scope.variables)
        self._verifier = Verifier(problem) if verify else None
        self._lock = RLock()  # held while a step runs, so that another thread's close() waits for its end
        self._stepping = False
        self._assignments: Iterator[tuple[int, ...]] = iter(())
        with self._ending():
            choice = choose(problem, backend, control)
            self.backend = choice.backend.name
            if control.workers > 1:
                from nqueens_cp.parallel import solutions_of_parts

                self._assignments = solutions_of_parts(problem, choice.backend, choice.translated, control)
            else:
                self._assignments = choice.backend.solutions(choice.translated, control)

    def __next__(self) -> Solution:
        with self._lock:
            if self.status is None:
                with self._ending():
                    return self._step()
            raise StopIteration

    def _step(self) -> Solution:
        looking_ahead = self.found == self._limit
        try:
            for values in self._assignments:
                picked = values
                if self._seen is not None:
                    picked = tuple(values[index] for index in self._picked)
                    if picked in self._seen:
                        self._control.poll()
                        continue
                    self._seen.add(picked)
                if looking_ahead:
                    raise _LimitReached
                if self._verifier is not None:
                    self._verifier.check(values, self.backend)
                self.found += 1
                self._control.found = self.found
                return Solution(self._scope, picked)
        except TimeLimitReached:
            if looking_ahead:
                raise _LimitReached from None
            raise
        raise _Exhausted

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Turn whatever ends the search into the status, and free what the search holds."""
        self._stepping = True
        try:
            yield
            return
        except _Exhausted:
            self.status = Status.COMPLETE
        except _LimitReached:
            self.status = Status.LIMIT
        except TimeLimitReached:
            self.status = Status.TIMEOUT
        except Cancelled:
            self.status = Status.CLOSED
        except KeyboardInterrupt as interrupt:
            self.status = Status.INTERRUPTED
            raise SearchInterrupted(
                f"interrupted: {self.found} solutions had been handed over", partial=self.found
            ) from interrupt
        except BaseException:
            self.status = Status.INTERRUPTED
            raise
        finally:
            self._stepping = False
            if self.status is not None:
                self._free()

    def _free(self) -> None:
        close = getattr(self._assignments, "close", None)
        if close is not None:
            close()
        self._assignments = iter(())
        self._seen = None

    def close(self) -> None:
        """End the search, from whatever thread, and free the threads or processes behind it."""
        self._control.cancel()
        with self._lock:
            if self._stepping:
                return  # called from within a step (a callback); its next poll ends it
            if self.status is None:
                self.status = Status.CLOSED
                self._free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_lock"):  # otherwise its making failed and it holds nothing
            self.close()

    def __repr__(self) -> str:
        return f"<SolutionIterator {self._problem.name} by {self.backend}: {self.found} found, {'open' if self.status is None else self.status}>"


class _Exhausted(Exception):
    """There are no more solutions."""


class _LimitReached(Exception):
    """As many solutions as asked for were handed over, and there is another, or no time to look for one."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Which backend "auto" takes for a model, and why others were passed over.

    Attributes
    ----------
    backend : str or None
        The chosen backend; None if none takes the model.
    passed_over : dict of str to str
        For each backend asked before it, the reason.
    """

    model: str
    backend: str | None
    passed_over: dict[str, str]

    def __str__(self) -> str:
        chosen = "no backend takes it" if self.backend is None else f"auto takes {self.backend}"
        lines = [f"model {self.model}: {chosen}"]
        lines += [f"  {name} was passed over: {reason}" for name, reason in self.passed_over.items()]
        if self.backend is not None:
            later = [n for n in backend_names() if n != self.backend and n not in self.passed_over]
            lines += [f"  {name} was not asked: it comes after {self.backend}" for name in later]
        return "\n".join(lines)


def explain(model: Model | int) -> Explanation:
    """Say which backend "auto" takes for a model, and why the others were passed over.

    Examples
    --------
    >>> from nqueens_cp import explain
    >>> explain(8).backend
    'core'
    """
    problem = as_problem(model)
    choice, passed_over = _first_that_takes(problem, Control())
    return Explanation(problem.name, None if choice is None else choice.backend.name, passed_over)


def choose(problem: Problem, backend: str, control: Control) -> Choice:
    """Return the named backend, or for "auto" the first that takes the problem, with its translation.

    Raises
    ------
    UnknownBackend, BackendUnavailable, UnsupportedModel
        The named backend does not exist, cannot run, or cannot take the problem; or, with "auto", none takes it.
    """
    if backend != "auto":
        named = get_backend(backend)
        return Choice(named, named.translate(problem, control))
    choice, passed_over = _first_that_takes(problem, control)
    if choice is None:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in passed_over.items())
        raise UnsupportedModel(f"no backend takes model {problem.name!r}. {reasons}")
    return choice


def _first_that_takes(problem: Problem, control: Control) -> tuple[Choice | None, dict[str, str]]:
    passed_over: dict[str, str] = {}
    for name in backend_names():
        try:
            return choose(problem, name, control), passed_over
        except (UnsupportedModel, BackendUnavailable) as error:
            passed_over[name] = str(error)
    return None, passed_over


def _solve_or_hand_over(problem: Problem, choice: Choice, control: Control) -> tuple[str, Answer]:
    """Let the core try for a while, then CP-SAT where it takes the model; return who answered, and the answer."""
    end, left = control.deadline, control.remaining()
    control.limit_to(HAND_OVER_AFTER if left is None else min(HAND_OVER_AFTER, left / 10))
    try:
        return choice.backend.name, choice.backend.solve(choice.translated, control)
    except TimeLimitReached:
        control.deadline = end
        control.poll()
    with suppress(UnsupportedModel, BackendUnavailable):
        choice = choose(problem, "cp-sat", control)
    return choice.backend.name, choice.backend.solve(choice.translated, control)


def as_problem(model: Model | int) -> Problem:
    """Return a snapshot of a model; an int is the size of a classic N-Queens board."""
    if isinstance(model, Model):
        return model.snapshot()
    if hasattr(type(model), "__index__"):
        return queens(model).snapshot()
    raise InvalidType(f"expected a Model or the size of a board, got {shown(model)} ({type(model).__name__})")


def _without_objective(model: Model | int, what: str) -> Problem:
    problem = as_problem(model)
    if problem.objective is not None:
        raise UnsupportedModel(
            f"{what}: model {problem.name!r} has an objective ('{shorten(str(problem.objective))}'), which only solve uses; "
            "state the model without it, or with the objective's value as a constraint"
        )
    return problem


def _control(
    time_limit: float | None, workers: int, seed: int, progress: ProgressCallback | None, log: LogCallback | None
) -> Control:
    for name, callback in (("progress", progress), ("log", log)):
        if callback is not None and not callable(callback):
            raise InvalidType(f"{name}: expected a function, got {shown(callback)} ({type(callback).__name__})")
    number = integer(seed, "seed")
    if not 0 <= number < 2**31:
        raise InvalidValue(f"seed: {number} is not in 0..{2**31 - 1}")
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


def _result(problem: Problem, answer: Answer, backend: str, control: Control, verify: bool) -> Result:
    solution = None
    if answer.values is not None:
        if verify:
            Verifier(problem).check(answer.values, backend)
        solution = Solution(Scope(problem), answer.values)
    statistics = MappingProxyType(control.statistics)
    return Result(answer.status, solution, backend, answer.objective, answer.bound, statistics)
