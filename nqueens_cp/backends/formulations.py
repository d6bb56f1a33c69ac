"""Other formulations of the same problem for the same solvers, as backends for comparison: used only where they are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from nqueens_cp.backends.cp_sat import CpSatBackend
from nqueens_cp.constraints import AllDifferent
from nqueens_cp.control import Control
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint

if TYPE_CHECKING:
    from nqueens_cp.backends.cp_sat_translate import Translation


class _Formulation(CpSatBackend):
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


class Affine(_Formulation):
    """All-different on affine expressions, as most people write it at first."""

    name, auxiliary = "cp-sat:affine", False


class Auxiliary(_Formulation):
    """All-different on auxiliary variables, one for each expression."""

    name, auxiliary = "cp-sat:auxiliary", True
