"""The judge of what backends hand over: the constraints' own checks and the domains, no solver."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from math import prod

from nqueens_cp.constraints import AllDifferent
from nqueens_cp.errors import VerificationError
from nqueens_cp.expressions import Expression
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint, shorten
from nqueens_cp.variables import Domain, IntVar

COMPILED_AFTER = 100
"""When so many assignments were checked constraint by constraint, the rest is checked by one function made for the problem."""
MAX_COMPILED_VARIABLES, MAX_COMPILED_VALUES = 200, 10_000
"""That function is only made for at most so many variables, whose domains together have at most so many values."""
MAX_MARKS = 20_000_000
"""And only if the marks of all its values together have at most so many bits."""
MAX_REMEMBERED = 4_096
"""It remembers what a constraint of one or two variables says of their values, where these have so many combinations."""


class Verifier:
    """Checks assignments of one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        variables = problem.variables
        places = {variable: place for place, variable in enumerate(variables)}
        self._judges = [(constraint.judge(places), constraint) for constraint in problem.constraints]
        quick: dict[Domain, Container[int]] = {}  # the same domain object is often shared by many variables
        for variable in variables:
            domain = variable.domain
            if domain not in quick:
                quick[domain] = domain if isinstance(domain, range) else frozenset(domain)
        self._domains = [quick[variable.domain] for variable in variables]
        shared = next(iter(quick)) if len(quick) == 1 else None
        self._shared = (shared[0], shared[-1]) if isinstance(shared, range) else None
        self._until_compiled = COMPILED_AFTER
        self._holds: Callable[[Sequence[int]], bool] = _never

    def check(self, values: tuple[int, ...], backend: str) -> None:
        """Raise unless `values`, one for each variable in order, satisfy the problem.

        Raises
        ------
        VerificationError
            The message names the backend and what is broken.
        """
        try:
            if self._holds(values) and len(values) == len(self._domains):
                return
        except (KeyError, IndexError):  # a value outside its domain, or too few of them
            pass
        self._check_one_by_one(values, backend)
        self._until_compiled -= 1
        if self._until_compiled == 0 and _is_small(self.problem):
            self._holds = compiled(self.problem) or _never

    def check_answer(self, values: tuple[int, ...], objective: int | None, backend: str) -> None:
        """Do what `check` does, and raise too if the objective is not what the backend says."""
        self.check(values, backend)
        goal = self.problem.objective
        if goal is None:
            return
        value = goal.expression.value(dict(zip(self.problem.variables, values, strict=True)))
        if objective != value:
            raise VerificationError(
                f"{backend} returned {objective} as the value of '{goal.expression}', which is {value} in its solution. "
                "This is a fault of the backend, not of the model"
            )

    def _check_one_by_one(self, values: tuple[int, ...], backend: str) -> None:
        if len(values) != len(self._domains):
            raise VerificationError(f"{backend} returned {len(values)} values for {len(self._domains)} variables")
        if self._shared is None or min(values) < self._shared[0] or max(values) > self._shared[1]:
            for variable, value, domain in zip(self.problem.variables, values, self._domains, strict=True):
                if value not in domain:
                    raise VerificationError(f"{backend} returned {variable.name} = {value}, which is not in its domain")
        for holds, constraint in self._judges:
            if not holds(values):
                raise VerificationError(
                    f"{backend} returned an assignment that breaks '{shorten(str(constraint))}': {shorten(str(values))}. "
                    "This is a fault of the backend, not of the model"
                )


def _never(values: Sequence[int]) -> bool:
    return False


def _is_small(problem: Problem) -> bool:
    if len(problem.variables) > MAX_COMPILED_VARIABLES:
        return False
    return sum(len(variable.domain) for variable in problem.variables) <= MAX_COMPILED_VALUES


def compiled(problem: Problem) -> Callable[[Sequence[int]], bool] | None:
    """Return a function that says whether values, one for each variable in order, satisfy a problem; None if it is too large.

    It raises KeyError where a value is not in its domain. Every value of every variable carries marks, one bit for each term
    of an all-different that it gives a value, and different values other bits. The marks of all variables are added: the sum
    has as many ones as there are terms only if no two bits met, since each that meet leave one less.
    """
    different: list[AllDifferent] = []
    others: list[Constraint] = []
    for constraint in problem.statements():
        if isinstance(constraint, AllDifferent) and constraint.of_single_variables:
            different.append(constraint)
        else:
            others.append(constraint)
    bits: dict[tuple[int, int], int] = {}  # (which all-different, value of a term): its bit
    room = MAX_MARKS // max(1, sum(len(variable.domain) for variable in problem.variables))
    given = terms = 0
    terms_of: dict[IntVar, list[tuple[int, Expression]]] = {variable: [] for variable in problem.variables}
    for which, all_different in enumerate(different):
        terms += len(all_different.expressions)
        for expression in all_different.expressions:
            for variable in expression.variables:
                terms_of[variable].append((which, expression))
            if not expression.variables:
                given += 1 << bits.setdefault((which, expression.value({})), len(bits))
    known: dict[str, object] = {}
    summands = [str(given)]
    for variable, own in terms_of.items():
        if len(bits) > room:
            return None
        marks = dict.fromkeys(variable.domain, 0)
        for value in variable.domain:
            for which, expression in own:
                marks[value] += 1 << bits.setdefault((which, expression.value({variable: value})), len(bits))
        known[f"marks{variable.index}"] = marks
        summands.append(f"marks{variable.index}[values[{variable.index}]]")
    conditions = [f"({' + '.join(summands)}).bit_count() == {terms}"]
    places = {variable: variable.index for variable in problem.variables}
    for i, other in enumerate(others):
        variables = other.variables
        if len(variables) <= 2 and prod(len(variable.domain) for variable in variables) <= MAX_REMEMBERED:
            known[f"verdict{i}"] = _Verdicts(other)
            conditions.append(f"verdict{i}[{''.join(f'values[{v.index}], ' for v in variables) or '()'}]")
        else:
            known[f"judge{i}"] = other.judge(places)
            conditions.append(f"judge{i}(values)")
    function: Callable[[Sequence[int]], bool] = eval(f"lambda values: {' and '.join(conditions)}", known)
    return function


class _Verdicts(dict[tuple[int, ...], bool]):
    """What a constraint says of the values of its variables, found out by its check when it is first asked."""

    def __init__(self, constraint: Constraint) -> None:
        super().__init__()
        self.constraint = constraint

    def __missing__(self, values: tuple[int, ...]) -> bool:
        verdict = self[values] = self.constraint.check(dict(zip(self.constraint.variables, values, strict=True)))
        return verdict
