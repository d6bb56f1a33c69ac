"""Solutions by their place in lexicographic order, without listing those before: `nth_solution`, `rank`, `sample`.

They count how many solutions begin with given values of the first variables, and go down one variable at a time; where few are
left, these are listed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from nqueens_cp.checks import integer, integer_at_least, items, shown
from nqueens_cp.choosing import Choice, choose
from nqueens_cp.control import Control
from nqueens_cp.core.compile import DiagonalForm
from nqueens_cp.core.restrict import domains_of, restrict
from nqueens_cp.errors import InvalidValue, NoSolution
from nqueens_cp.model import Model, Problem
from nqueens_cp.relations import shorten
from nqueens_cp.result import Scope, Solution
from nqueens_cp.search import ProgressCallback, count_chosen, make_control, told_when_stopped, without_objective
from nqueens_cp.verify import Verifier

FEW = 2_000
"""So many solutions are listed instead of counted further."""
MAX_KEPT = 200_000
"""So many of the listed solutions are kept at most."""
MAX_COUNTS, ALWAYS_KEPT = 1_000_000, 2
"""So many counts are kept at most; when there are more, those for more than so many given values are dropped."""
SHARED_OUT = 2
"""Counts with fewer given values are shared out among the workers; others are too small for that."""

Values = tuple[int, ...]


def nth_solution(
    model: Model | int,
    k: int,
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> Solution:
    """Return the k-th solution in lexicographic order of the variables' values, without listing those before it.

    Parameters
    ----------
    model : Model or int
        A model without objective, or the size of a classic N-Queens board.
    k : int
        0 is the first.
    backend : str
        What counts: "auto", or a name from `nqueens_cp.backends.backend_names`.
    time_limit : int or float, optional
        Seconds of wall clock.
    workers : int
        Each count's search space is shared out among so many threads or processes.
    progress : callable, optional
        Called now and then with a `Progress` of the count that is going on.

    Raises
    ------
    InvalidValue
        There are not so many solutions.
    NoSolution
        There are none.
    SearchStopped
        The time limit was reached first; its ``partial`` is a tuple of the solution's first values, as far as they are known.
    SearchInterrupted
        Ctrl-C; its ``partial`` is the same.
    UnsupportedModel
        The model has an objective, or the backend cannot take it.

    Examples
    --------
    >>> from nqueens_cp import nth_solution
    >>> nth_solution(8, 91)["queen"]
    [7, 3, 0, 2, 5, 1, 6, 4]
    """
    number = integer(k, "k")
    ranking = Ranking(model, backend, make_control(time_limit, workers, progress=progress), "nth_solution")
    with told_when_stopped(time_limit, ranking.so_far):
        return ranking.nth(number)


def rank(
    model: Model | int,
    solution: Solution | Iterable[int],
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> int:
    """Return how many solutions come before a given one in lexicographic order: the k for which `nth_solution` returns it.

    Parameters are those of `nth_solution`, and

    Parameters
    ----------
    solution : Solution or iterable of int
        A solution of the model: the values of all its variables, in their order.

    Raises
    ------
    InvalidValue
        It is no solution of the model; the message names what it breaks.
    SearchStopped
        The time limit was reached first; its ``partial`` is a lower bound.
    SearchInterrupted
        Ctrl-C; its ``partial`` is the same.

    Examples
    --------
    >>> from nqueens_cp import rank
    >>> rank(8, [7, 3, 0, 2, 5, 1, 6, 4])
    91
    """
    ranking = Ranking(model, backend, make_control(time_limit, workers, progress=progress), "rank")
    values = ranking.checked(solution)
    with told_when_stopped(time_limit, ranking.so_far):
        return ranking.rank(values)


def sample(
    model: Model | int,
    number: int = 1,
    seed: int = 0,
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> Iterator[Solution]:
    """Iterate over random solutions, drawn with replacement, each solution exactly as likely as any other.

    Each is the k-th solution for a random k; what has been counted for one is used for the next. The same seed gives the same
    solutions, whichever backend counts.

    Parameters are those of `nth_solution`, and

    Parameters
    ----------
    number : int
        How many.
    seed : int
        0 to 2**31 - 1.

    Raises
    ------
    NoSolution
        There are none.
    SearchStopped
        The time limit was reached first; its ``partial`` is how many solutions were handed over.
    SearchInterrupted
        Ctrl-C; its ``partial`` is the same.

    Examples
    --------
    >>> from nqueens_cp import sample
    >>> [solution["queen"] for solution in sample(4, 3)]
    [[2, 0, 3, 1], [2, 0, 3, 1], [1, 3, 0, 2]]
    """
    wanted = integer_at_least(number, 1, "number")
    control = make_control(time_limit, workers, seed, progress=progress)
    return _sampled(Ranking(model, backend, control, "sample"), wanted, Random(control.seed), time_limit)


def _sampled(ranking: Ranking, number: int, random: Random, time_limit: float | None) -> Iterator[Solution]:
    for drawn in range(number):
        with told_when_stopped(time_limit, partial(_drawn, drawn)):
            if not ranking.count(()):
                raise NoSolution(f"model {ranking.problem.name!r} has no solution to draw")
            solution = ranking.nth(random.randrange(ranking.count(())))
        yield solution


def _drawn(number: int) -> tuple[str, int]:
    return f"{number} solutions were drawn", number


class Ranking:
    """The lexicographic order of a model's solutions; what was counted is kept.

    Attributes
    ----------
    problem : Problem
        The model.
    known : tuple of int or int
        Of the answer that is looked for, the first values, or a lower bound of the rank.
    """

    def __init__(self, model: Model | Problem | int, backend: str, control: Control, what: str) -> None:
        self.problem = without_objective(model, what)
        self.known: Values | int = ()
        self._backend, self._control, self._workers = backend, control, control.workers
        self._choice: Choice | None = None
        self._mirror: DiagonalForm | None = None  # the form, if left and right can be exchanged
        self._domains: list[Values] = []
        self._counts: dict[Values, int] = {}
        self._listed: dict[Values, list[Values]] = {}
        self._kept = 0
        self._verifier = Verifier(self.problem)

    def so_far(self) -> tuple[str, Values | int]:
        """Return what is known of the answer, in words and as it is."""
        if isinstance(self.known, int):
            return f"the rank is at least {self.known}", self.known
        return f"of the solution, {len(self.known)} of {len(self.problem.variables)} values are known", self.known

    def nth(self, k: int) -> Solution:
        """Return the k-th solution."""
        self.known = ()
        first = self._first(k) if 0 <= k < FEW and () not in self._counts else None
        values = self._down_to(k) if first is None else first
        self._verifier.check(values, self._chosen().backend.name)
        return Solution(Scope(self.problem), values)

    def rank(self, values: Values) -> int:
        """Return how many solutions come before a given one."""
        self.known = before = 0
        for depth, value in enumerate(values):
            prefix = values[:depth]
            number = self._known(prefix)
            if number is not None and number <= FEW:
                return before + bisect_left(self._solutions(prefix), values)
            before += self._before(prefix, value)
            self.known = before
        return before

    def checked(self, solution: Any) -> Values:
        """Return the values of a solution of this model.

        Raises
        ------
        InvalidValue
            It is none.
        """
        given = solution.values if isinstance(solution, Solution) else items(solution, "solution")
        values = tuple(integer(value, "solution: a value") for value in given)
        variables = self.problem.variables
        if len(values) != len(variables):
            raise InvalidValue(
                f"solution: model {self.problem.name!r} has {len(variables)} variables, not {len(values)}"
            )
        for variable, value in zip(variables, values, strict=True):
            if value not in variable.domain:
                raise InvalidValue(f"solution: {variable.name} cannot be {value} in model {self.problem.name!r}")
        assignment = dict(zip(variables, values, strict=True))
        for constraint in self.problem.constraints:
            if not constraint.check(assignment):
                raise InvalidValue(
                    f"solution: {shown(list(values))} is no solution of model {self.problem.name!r}: it breaks "
                    f"'{shorten(str(constraint))}'"
                )
        return values

    def count(self, prefix: Values) -> int:
        """Return how many solutions begin with some values."""
        key = min(prefix, self._mirrored(prefix))
        number = self._counts.get(key)
        if number is None:
            self._control.found = 0
            self._control.workers = self._workers if len(key) < SHARED_OUT else 1
            self._control.poll()
            number = count_chosen(*self._restricted(key), self._control)
            if len(self._counts) >= MAX_COUNTS:
                self._counts = {known: n for known, n in self._counts.items() if len(known) <= ALWAYS_KEPT}
            self._counts[key] = number
        return number

    def _chosen(self) -> Choice:
        if self._choice is None:
            self._choice = choose(self.problem, self._backend, self._control)
            if self._choice.backend.name == "core":
                form = self._choice.translated
                self._domains = domains_of(form)
                self._mirror = form if isinstance(form, DiagonalForm) and form.has_mirror else None
            else:
                self._domains = [tuple(variable.domain) for variable in self.problem.variables]
        return self._choice

    def _restricted(self, prefix: Values) -> tuple[Problem, Choice]:
        """Return the problem of the solutions that begin with some values, and what counts and lists them."""
        choice = self._chosen()
        given = (variable == value for variable, value in zip(self.problem.variables, prefix, strict=False))
        problem = self.problem.with_constraints(*given)
        if choice.backend.name == "core":
            return problem, Choice(choice.backend, restrict(choice.translated, prefix))
        return problem, choose(problem, choice.backend.name, self._control)

    def _mirrored(self, prefix: Values) -> Values:
        self._chosen()
        form = self._mirror
        if form is None:
            return prefix
        return tuple([2 * first + form.width - 1 - value for first, value in zip(form.firsts, prefix, strict=False)])

    def _solutions(self, prefix: Values) -> list[Values]:
        """Return the solutions that begin with some values, in order."""
        found = self._listed.get(prefix)
        if found is None:
            _, (backend, translated) = self._restricted(prefix)
            found = sorted(backend.solutions(translated, self._control))
            if self._kept + len(found) > MAX_KEPT:
                self._listed.clear()
                self._kept = 0
            self._listed[prefix] = found
            self._kept += len(found)
        return found

    def _first(self, k: int) -> Values | None:
        """Return the k-th solution if the backend lists them in order and there are so many."""
        backend, translated = self._chosen()
        if not backend.capabilities.lexicographic:
            return None
        return next(islice(backend.solutions(translated, self._control), k, None), None)

    def _down_to(self, k: int) -> Values:
        total = self.count(())
        if not 0 <= k < total:
            if not total:
                raise NoSolution(f"model {self.problem.name!r} has no solution, so none with k = {k}")
            raise InvalidValue(
                f"k: model {self.problem.name!r} has {_solutions(total)}, numbered from 0 to {total - 1}; got {k}"
            )
        prefix: Values = ()
        while len(prefix) < len(self.problem.variables) and self.count(prefix) > FEW:
            value, k = self._next_value(prefix, k)
            self.known = prefix = (*prefix, value)
        return self._solutions(prefix)[k]

    def _next_value(self, prefix: Values, k: int) -> tuple[int, int]:
        """Return the next value of the k-th solution that begins with a prefix, and its place among those with that value.

        Values are looked at from the end that is nearer.
        """
        here = self.count(prefix)
        values = self._domains[len(prefix)]
        from_above = k > here // 2
        left = here - 1 - k if from_above else k
        for value in reversed(values) if from_above else values:
            number = self.count((*prefix, value))
            if left < number:
                return value, number - 1 - left if from_above else left
            left -= number
        raise AssertionError("the parts of a count are less than the whole")

    def _known(self, prefix: Values) -> int | None:
        """Return how many solutions begin with a prefix, if that is known or found out as fast as from its parts."""
        if not prefix or self._chosen().backend.name != "core":
            return self.count(prefix)
        return self._counts.get(min(prefix, self._mirrored(prefix)))

    def _before(self, prefix: Values, value: int) -> int:
        """Return how many solutions that begin with a prefix go on with less than a value."""
        domain = self._domains[len(prefix)]
        place = bisect_left(domain, value)
        number = self._known(prefix)
        if number is None or place <= len(domain) // 2:
            return sum(self.count((*prefix, lower)) for lower in domain[:place])
        return number - sum(self.count((*prefix, higher)) for higher in domain[place:])


def _solutions(number: int) -> str:
    return f"{number} solution{'' if number == 1 else 's'}"
