"""Other formulations of the same problem for the same solvers, as backends for comparison: used only where they are named."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, cycle
from typing import TYPE_CHECKING, Any, ClassVar

from nqueens_cp.backends.cp_sat import CpSatBackend
from nqueens_cp.backends.python_constraint import (
    POLL_EVERY,
    PythonConstraintBackend,
    PythonConstraintTranslation,
    as_function,
    refuse_objective,
)
from nqueens_cp.constraints import AllDifferent
from nqueens_cp.control import Control
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint
from nqueens_cp.variables import IntVar

if TYPE_CHECKING:
    from nqueens_cp.backends.cp_sat_translate import Translation


class Boolean(CpSatBackend):
    """A literal for each value and "at most one" for each value of an all-different's terms: what cp-sat is anyway."""

    name = "cp-sat:boolean"


class DefaultSearch(CpSatBackend):
    """The same statement with the solver's own search order and default parameters."""

    name, tuned = "cp-sat:default-search", False


class _Integers(CpSatBackend):
    """CP-SAT with integer variables in place of a literal for each value."""

    auxiliary: ClassVar[bool]

    def translate(self, problem: Problem, control: Control) -> Translation:
        from ortools.sat.python import cp_model

        from nqueens_cp.backends.cp_sat_translate import Translation

        auxiliary = self.auxiliary

        class Integers(Translation):
            def _make_literals(self, constraints: list[Constraint]) -> None:
                self.only_literals = False

            def _add_all_different(self, constraint: AllDifferent) -> None:
                terms = [self._linear(expression) for expression in constraint.expressions]
                self.model.add_all_different(
                    [self._named(*pair) for pair in zip(terms, constraint.expressions, strict=True)]
                )

            def _named(self, term: Any, expression: Any) -> Any:
                """Return the term, or with auxiliary variables one that is made equal to it; it is a function of the others."""
                if not auxiliary or not expression.variables or expression in self._atoms:
                    return term
                low, high = expression.bounds
                variable = self.model.new_int_var_from_domain(cp_model.Domain(low, high), str(expression))
                self.model.add(variable == term)
                return variable

        return Integers(problem, control)


class Affine(_Integers):
    """All-different on affine expressions, as most people write it at first."""

    name, auxiliary = "cp-sat:affine", False


class Auxiliary(_Integers):
    """All-different on auxiliary variables, one for each expression."""

    name, auxiliary = "cp-sat:auxiliary", True


class _Functions(PythonConstraintBackend):
    """python-constraint as its own documentation uses it: a function for each constraint, variables in their order."""

    all_different: ClassVar[bool] = False  # whether the solver's own all-different is used where it can be
    forward_check: ClassVar[bool] = True

    def translate(self, problem: Problem, control: Control) -> _FunctionsTranslation:
        refuse_objective(problem)
        return _FunctionsTranslation(problem, control, self.all_different, self.forward_check)


class Pairwise(_Functions):
    """A function for each pair that must differ."""

    name = "python-constraint:pairwise"


class AllDifferentWherePossible(_Functions):
    """The solver's all-different for variables, and a function for each pair of other expressions."""

    name, all_different = "python-constraint:all-different", True


class NoForwardCheck(_Functions):
    """A function for each pair, tried only when all its variables have values."""

    name, forward_check = "python-constraint:no-forward-check", False


class _FunctionsTranslation(PythonConstraintTranslation):
    def __init__(self, problem: Problem, control: Control, all_different: bool, forward_check: bool) -> None:
        self._all_different = all_different
        self._forward_check = forward_check
        self._different: list[list[int]] = []  # groups of variables
        self._pairs: list[AllDifferent] = []
        super().__init__(problem, control)

    def _add(self, constraint: Constraint) -> None:
        if not isinstance(constraint, AllDifferent):
            self.functions.append(constraint)
        elif self._all_different and all(isinstance(term, IntVar) for term in constraint.expressions):
            if len(set(constraint.expressions)) < len(constraint.expressions):
                self.holds = False  # a variable differs from itself
            self._different.append([variable.index for variable in constraint.variables])
        else:
            for left, right in combinations(constraint.expressions, 2):
                pair = AllDifferent((left, right))
                if pair.variables:
                    self._pairs.append(pair)
                else:
                    self.holds = self.holds and pair.check({})

    def solver_problem(self, control: Control) -> Any:
        import constraint as solver

        problem = solver.Problem(solver.BacktrackingSolver(forwardcheck=self._forward_check))
        for name, domain in enumerate(self.domains):
            problem.addVariable(name, list(domain))
        for group in self._different:
            problem.addConstraint(solver.AllDifferentConstraint(), group)
        for pair in self._pairs:
            problem.addConstraint(_differ(pair, control), [variable.index for variable in pair.variables])
        for function in self.functions:
            problem.addConstraint(as_function(function, control), [variable.index for variable in function.variables])
        return problem


def _differ(pair: AllDifferent, control: Control) -> Callable[..., bool]:
    """Return the function of the values of two expressions' variables that says whether the expressions differ."""
    first, second = (expression.as_affine() for expression in pair.expressions)
    if first is None or second is None or len(pair.variables) < 2:
        return as_function(pair, control)
    if not (isinstance(first[0], IntVar) and isinstance(second[0], IntVar)):
        return as_function(pair, control)
    (_, a, b), (_, c, d) = first, second
    due = cycle([False] * (POLL_EVERY - 1) + [True])

    def differ(x: int, y: int) -> bool:
        if next(due):
            control.poll()
        return a * x + b != c * y + d

    return differ
