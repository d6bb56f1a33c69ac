"""A problem as a CP-SAT model in which every statement can be blamed: it holds only where its assumption does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ortools.sat.python import cp_model

from nqueens_cp.backends.cp_sat_translate import MAX_FILTERED, Translation
from nqueens_cp.constraints import AllDifferent, InDomain
from nqueens_cp.control import Control
from nqueens_cp.model import Problem
from nqueens_cp.relations import Comparison, Constraint, Implies, Relation
from nqueens_cp.variables import IntVar


class AssumedTranslation(Translation):
    """A problem whose statements hold where their assumptions, one literal each, do; the solver assumes them all.

    Tables, predicates, orders and all-differents of sums cannot be switched off by a literal: they are stated outright, and
    always among the blamed.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        self._assumptions: list[Any] = []  # for each statement its literal, or None if it is stated outright
        super().__init__(problem, control)
        self.model.add_assumptions([literal for literal in self._assumptions if literal is not None])

    def blamed(self, indices: Iterable[int]) -> list[int]:
        """Return the numbers of the statements whose literals have these indices, and of those stated outright."""
        wanted = set(indices)
        return [i for i, literal in enumerate(self._assumptions) if literal is None or literal.index in wanted]

    def _narrow(self, constraints: Iterable[Constraint]) -> list[Constraint]:
        """Leave the domains as they are: what is worked into them could not be blamed."""
        return list(constraints)

    def _add(self, constraint: Constraint) -> None:
        assumption = self.model.new_bool_var("")
        if not self._add_assumed(constraint, assumption):
            super()._add(constraint)
            assumption = None
        self._assumptions.append(assumption)

    def _add_assumed(self, constraint: Constraint, assumption: Any) -> bool:
        """State that the constraint holds if the assumption does; return False where no literal can say so."""
        variables = constraint.variables
        if not variables:
            if not constraint.check({}):
                self.model.add_bool_or([assumption.negated()])
        elif len(variables) == 1 and len(variables[0].domain) <= MAX_FILTERED:
            self._assume_values(variables[0], constraint, assumption)
        elif isinstance(constraint, Comparison):
            self._compare(constraint).only_enforce_if(assumption)
        elif isinstance(constraint, Relation):
            relation = constraint.as_clause() if isinstance(constraint, Implies) else constraint
            self.model.add_implication(assumption, self._literal(relation))
        elif isinstance(constraint, AllDifferent):
            return self._assume_different(constraint, assumption)
        elif isinstance(constraint, InDomain):
            self._assume_within(self._linear(constraint.expression), constraint.values, assumption)
        else:
            return False
        return True

    def _assume_values(self, variable: IntVar, constraint: Constraint, assumption: Any) -> None:
        allowed = {value for value in variable.domain if self._all_hold([constraint], {variable: value})}
        if variable not in self._literals:
            self._assume_within(self._integer(variable), allowed, assumption)
        for value, literal in self._literals.get(variable, {}).items():
            if value not in allowed:
                self.model.add_implication(assumption, literal.negated())

    def _assume_within(self, expression: Any, values: Iterable[int], assumption: Any) -> None:
        self.only_literals = False
        domain = cp_model.Domain.from_values(sorted(values))
        self.model.add_linear_expression_in_domain(expression, domain).only_enforce_if(assumption)

    def _assume_different(self, constraint: AllDifferent, assumption: Any) -> bool:
        holders = self._holders(constraint)
        if holders is None:
            return False
        every_value_taken = len(holders) == len(constraint.expressions)
        for literals in holders.values():
            count = cp_model.LinearExpr.sum(literals)
            if every_value_taken:
                self.model.add(count == 1).only_enforce_if(assumption)
            elif len(literals) > 1:
                self.model.add(count <= 1).only_enforce_if(assumption)
        return True
