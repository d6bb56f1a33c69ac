"""python-constraint (the maintained release, python-constraint2) as a backend.

The solver's own backtracking (smallest domain first) runs with one propagator for each variable, a subclass of its
`Constraint`: a table says which values of the other variables each value excludes, and they are hidden from their domains.
That is several times faster than a function for each pair of variables, and gives the search, which has no time limit of its
own, a place to poll. Constraints of more than two variables stay functions. String constraints are never used: the parser
gives wrong answers.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import metadata
from itertools import cycle
from typing import Any

from nqueens_cp.backends.base import Backend, Capabilities, unsupported
from nqueens_cp.constraints import AllDifferent
from nqueens_cp.control import Control
from nqueens_cp.errors import BackendUnavailable, UnsupportedModel
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint, shorten
from nqueens_cp.variables import IntVar

NAME = "python-constraint"
MAX_VALUES = 1_000_000
"""The solver keeps each value of each domain in a list; more than so many are declined."""
MAX_PAIRS = 20_000
"""A constraint of two variables goes into the table if it has at most so many pairs of values, and stays a function beyond."""
POLL_EVERY = 200  # assignments


class PythonConstraintBackend(Backend):
    """The solver of the package python-constraint2."""

    name = NAME
    capabilities = Capabilities()

    def load(self) -> None:
        present = {package for package in ("python-constraint", "python-constraint2") if _is_installed(package)}
        if "python-constraint2" not in present:
            raise BackendUnavailable("python-constraint2 is not installed; pip install python-constraint2")
        if "python-constraint" in present:
            raise BackendUnavailable(
                "python-constraint, the old release, has the same import name as python-constraint2; "
                "pip uninstall python-constraint python-constraint2, then pip install python-constraint2"
            )
        try:
            importlib.import_module("constraint")
        except ImportError as error:
            raise BackendUnavailable(f"python-constraint2 cannot be imported ({error}); reinstall it") from error

    def version(self) -> str:
        return metadata.version("python-constraint2")

    def translate(self, problem: Problem, control: Control) -> PythonConstraintTranslation:
        refuse_objective(problem)
        return PythonConstraintTranslation(problem, control)

    def solutions(self, translated: PythonConstraintTranslation, control: Control) -> Iterator[tuple[int, ...]]:
        names = range(len(translated.domains))
        if not translated.holds or not all(translated.domains):
            return
        if not names:  # the solver finds no solution where there is no variable
            yield ()
            return
        for solution in translated.solver_problem(control).getSolutionIter():
            control.poll()
            yield tuple([solution[name] for name in names])


def _is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def refuse_objective(problem: Problem) -> None:
    """Refuse a problem with an objective."""
    if problem.objective is not None:
        goal = shorten(str(problem.objective))
        raise UnsupportedModel(f"python-constraint does not optimise, and the model has '{goal}'")


class PythonConstraintTranslation:
    """A problem as domains, a table of exclusions and functions; a new `constraint.Problem` is made for each search."""

    def __init__(self, problem: Problem, control: Control) -> None:
        for variable in problem.variables:
            if len(variable.domain) > MAX_VALUES:
                raise unsupported(
                    NAME, variable.name, f"its domain has {len(variable.domain):,} values, more than {MAX_VALUES:,}"
                )
        self.holds = True
        self.functions: list[Constraint] = []
        self._control = control
        self.domains: list[Sequence[int]] = [variable.domain for variable in problem.variables]
        self.excluded: list[dict[int, dict[int, set[int]]]] = [{} for _ in self.domains]  # [i][value][j]: values of j
        joint: list[Constraint] = []
        for constraint in problem.statements():
            variables = constraint.variables
            if not variables:
                self.holds = self.holds and constraint.check({})
            elif len(variables) == 1:
                self._narrow(variables[0], constraint)
            else:
                joint.append(constraint)
        for constraint in joint:
            self._add(constraint)

    def _narrow(self, variable: IntVar, constraint: Constraint) -> None:
        kept = []
        for value in self.domains[variable.index]:
            self._control.poll()
            if constraint.check({variable: value}):
                kept.append(value)
        self.domains[variable.index] = kept

    def _add(self, constraint: Constraint) -> None:
        self._control.poll()
        if isinstance(constraint, AllDifferent) and all(len(e.variables) < 2 for e in constraint.expressions):
            self._add_all_different(constraint)
            return
        variables = constraint.variables
        pairs = len(self.domains[variables[0].index]) * len(self.domains[variables[1].index])
        if len(variables) > 2 or pairs > MAX_PAIRS:
            self.functions.append(constraint)
            return
        left, right = variables
        for a in self.domains[left.index]:
            for b in self.domains[right.index]:
                self._control.poll()
                if not constraint.check({left: a, right: b}):
                    self._exclude(left.index, a, right.index, b)
                    self._exclude(right.index, b, left.index, a)

    def _add_all_different(self, constraint: AllDifferent) -> None:
        constants = [expression.value({}) for expression in constraint.expressions if not expression.variables]
        self.holds = self.holds and len(set(constants)) == len(constants)
        holders: dict[int, list[tuple[int, int]]] = {}  # value of a term -> the (variable, value) that give it
        taken: set[tuple[int, int]] = set()  # those that give it twice, or give a constant
        for expression in constraint.expressions:
            for variable in expression.variables:
                self._control.poll()
                for value in self.domains[variable.index]:
                    holding = holders.setdefault(expression.value({variable: value}), [])
                    if (variable.index, value) in holding:
                        taken.add((variable.index, value))
                    holding.append((variable.index, value))
        for constant in constants:
            taken.update(holders.pop(constant, ()))
        for i, a in taken:
            self.domains[i] = [value for value in self.domains[i] if value != a]
        for holding in holders.values():
            self._control.poll()
            for i, a in holding:
                for j, b in holding:
                    if i != j:
                        self._exclude(i, a, j, b)

    def _exclude(self, i: int, a: int, j: int, b: int) -> None:
        self.excluded[i].setdefault(a, {}).setdefault(j, set()).add(b)

    def solver_problem(self, control: Control) -> Any:
        """Return a fresh problem of the solver: two searches of one share their domains and spoil each other."""
        import constraint as solver

        problem = solver.Problem(solver.BacktrackingSolver())
        propagator = _propagator_class()
        for name in _middle_out(len(self.domains)):
            problem.addVariable(name, list(self.domains[name]))
            table = {
                value: [(j, tuple(values)) for j, values in others.items()]
                for value, others in self.excluded[name].items()
            }
            problem.addConstraint(propagator(name, table, control), [name])
        for function in self.functions:
            problem.addConstraint(as_function(function, control), [variable.index for variable in function.variables])
        return problem


def as_function(constraint: Constraint, control: Control) -> Callable[..., bool]:
    """Return a function of the values of a constraint's variables, which also polls."""
    variables = constraint.variables

    def holds(*values: int) -> bool:
        control.poll()
        return constraint.check(dict(zip(variables, values, strict=True)))

    return holds


def _middle_out(size: int) -> list[int]:
    return sorted(range(size), key=lambda i: abs(2 * i - size + 1))


@cache
def _propagator_class() -> Any:
    """Return the propagator; made on first use because the solver's package is imported only then."""
    import constraint as solver

    class Propagator(solver.Constraint):  # type: ignore[misc]
        """Hides what a variable's value excludes from the domains of the others, and polls."""

        def __init__(self, name: int, table: dict[int, list[tuple[int, tuple[int, ...]]]], control: Control) -> None:
            self.name = name
            self.table = table
            self.poll = control.poll
            self.due = cycle([False] * (POLL_EVERY - 1) + [True])

        def preProcess(self, *args: Any) -> None:  # noqa: N802 (the solver's name)
            """Do nothing: the inherited method would apply a constraint of one variable once and drop it."""

        def __call__(  # the solver's signature
            self,
            variables: Any,
            domains: dict[int, Any],
            assignments: dict[int, int],
            forwardcheck: Any = False,
            _unassigned: Any = None,
        ) -> bool:
            if next(self.due):
                self.poll()
            for other, values in self.table.get(assignments[self.name], ()):
                if other not in assignments:
                    domain = domains[other]
                    for value in values:
                        if value in domain:
                            domain.hideValue(value)
                    if not domain:
                        return False
            return True

    return Propagator
