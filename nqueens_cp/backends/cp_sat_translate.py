"""From a problem to a CP-SAT model.

A variable of an all-different of one-variable terms is stated as one Boolean literal for each of its values, exactly one of
them true, and the all-different as "at most one" for each value of the terms. That enumerates several times faster than
integer variables do (figures in docs/architecture.md). Other constraints get integer variables, tied to the literals where
a variable has both. Whatever is added is a function of the problem's variables, so it never multiplies solutions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ortools.sat.python import cp_model

from nqueens_cp.backends.base import tabulated, unsupported
from nqueens_cp.constraints import AllDifferent, InDomain, LexLessEqual, Predicate, Table
from nqueens_cp.control import Control
from nqueens_cp.errors import UnsupportedModel
from nqueens_cp.expressions import Expression
from nqueens_cp.functions import AbsoluteValue, CountOf, Element, Modulo
from nqueens_cp.model import Problem
from nqueens_cp.relations import And, Comparison, Constraint, Implies, Or, Relation
from nqueens_cp.variables import Domain, IntVar

MAX_FILTERED = 10_000
"""Constraints of one variable are worked into its domain if that has at most this many values."""
MAX_VALUE = 2**62
"""The solver computes with numbers up to about this."""
MAX_LITERALS = 100_000
"""Variables are stated as literals if there are at most this many in all."""


class Translation:
    """A problem as a CP-SAT model.

    Attributes
    ----------
    model : CpModel
        What the solver takes.
    only_literals : bool
        Whether it holds nothing but Boolean constraints.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.model = cp_model.CpModel()
        self.only_literals = True
        self._domains: list[Domain] = [variable.domain for variable in problem.variables]
        self._literals: dict[IntVar, dict[int, Any]] = {}
        self._atoms: dict[Expression, Any] = {}
        waiting = self._narrow(problem.statements())
        self._make_literals(waiting)
        for constraint in waiting:
            control.poll()
            self._add(constraint)
        for variable in problem.variables:
            if variable not in self._literals:
                self._integer(variable)
        if problem.objective is not None:
            goal = self._linear(problem.objective.expression)
            (self.model.maximize if problem.objective.maximize else self.model.minimize)(goal)
        complaint = self.model.validate()
        if complaint:
            raise UnsupportedModel(f"cp-sat cannot take model {problem.name!r}: {complaint.strip()}")

    # Reading and guiding the search.

    @property
    def places(self) -> list[tuple[int, int, Domain]]:
        """For each variable where its value stands: the first and the end of its literals, or its index and 0."""
        places = []
        for i, variable in enumerate(self.problem.variables):
            literals = [*self._literals.get(variable, {}).values()]
            if variable in self._atoms:
                places.append((self._atoms[variable].index, 0, self._domains[i]))
            else:
                places.append((literals[0].index, literals[-1].index + 1, self._domains[i]))
        return places

    def fix_search_order(self) -> None:
        """Make the solver assign the variables in the order that enumerates fastest: from the middle outward."""
        literals = [
            values[value] for values in _middle_out([*self._literals.values()]) for value in _middle_out([*values])
        ]
        if literals:
            self.model.add_decision_strategy(literals, cp_model.CHOOSE_FIRST, cp_model.SELECT_MAX_VALUE)
        integers = [self._atoms[variable] for variable in self.problem.variables if variable not in self._literals]
        if integers:
            self.model.add_decision_strategy(integers, cp_model.CHOOSE_MIN_DOMAIN_SIZE, cp_model.SELECT_MIN_VALUE)

    # Variables.

    def _narrow(self, constraints: Iterable[Constraint]) -> list[Constraint]:
        """Work the constraints of one variable into its domain, and return the others."""
        others: list[Constraint] = []
        unary: dict[IntVar, list[Constraint]] = {}
        for constraint in constraints:
            self.control.poll()
            variables = constraint.variables
            if len(variables) == 1 and len(variables[0].domain) <= MAX_FILTERED:
                unary.setdefault(variables[0], []).append(constraint)
            else:
                others.append(constraint)
        for variable, own in unary.items():
            self._domains[variable.index] = tuple(
                value for value in variable.domain if self._all_hold(own, {variable: value})
            )
            if not self._domains[variable.index]:
                self._add_false()
                self._domains[variable.index] = variable.domain
        return others

    def _all_hold(self, constraints: list[Constraint], assignment: dict[IntVar, int]) -> bool:
        self.control.poll()
        return all(constraint.check(assignment) for constraint in constraints)

    def _make_literals(self, constraints: list[Constraint]) -> None:
        chosen = {
            variable: self._domains[variable.index]
            for constraint in constraints
            if isinstance(constraint, AllDifferent) and self._gain_from_literals(constraint)
            for variable in constraint.variables
        }
        if sum(len(domain) for domain in chosen.values()) > MAX_LITERALS:
            return
        for variable in self.problem.variables:  # in their order, the literals of each side by side
            if variable in chosen:
                self.control.poll()
                literals = {value: self.model.new_bool_var(f"{variable.name}=={value}") for value in chosen[variable]}
                self._literals[variable] = literals
                self.model.add_exactly_one(literals.values())

    def _gain_from_literals(self, constraint: AllDifferent) -> bool:
        if not _one_variable_terms(constraint):
            return False
        if self.problem.objective is None:
            return True
        # Bounds are found on integers; literals make up for it where the values are scarce, as in a permutation.
        values = set().union(*(self._domains[variable.index] for variable in constraint.variables))
        return len(values) < 2 * len(constraint.expressions)

    def _integer(self, variable: IntVar) -> Any:
        if variable not in self._atoms:
            domain = self._domains[variable.index]
            bounds = (
                cp_model.Domain(domain[0], domain[-1])
                if isinstance(domain, range)
                else cp_model.Domain.from_values(list(domain))
            )
            integer = self.model.new_int_var_from_domain(bounds, variable.name)
            self._atoms[variable] = integer
            for value, literal in self._literals.get(variable, {}).items():
                self.only_literals = False
                self.model.add(integer == value).only_enforce_if(literal)
                self.model.add(integer != value).only_enforce_if(literal.negated())
        return self._atoms[variable]

    # Expressions.

    def _linear(self, expression: Expression) -> Any:
        if not expression.terms:
            return expression.constant
        low, high = expression.bounds
        if low < -MAX_VALUE or high > MAX_VALUE or any(abs(factor) > MAX_VALUE for _, factor in expression.terms):
            raise unsupported("cp-sat", str(expression), f"it can reach {max(high, -low)}, past 2**62")
        atoms = [self._atom(atom) for atom, _ in expression.terms]
        factors = [factor for _, factor in expression.terms]
        self.only_literals = False
        return cp_model.LinearExpr.weighted_sum(atoms, factors) + expression.constant

    def _atom(self, atom: Expression) -> Any:
        if isinstance(atom, IntVar):
            return self._integer(atom)
        if atom not in self._atoms:
            self._atoms[atom] = self._new_atom(atom)
        return self._atoms[atom]

    def _new_atom(self, atom: Expression) -> Any:
        if isinstance(atom, CountOf):
            return sum(self._literal(expression == atom.target) for expression in atom.expressions)
        low, high = atom.bounds
        target = self.model.new_int_var(low, high, str(atom))
        if isinstance(atom, AbsoluteValue):
            self.model.add_abs_equality(target, self._linear(atom.inner))
        elif isinstance(atom, Modulo):
            # The solver rounds towards zero, the model's modulo downwards: they agree where nothing is negative.
            lift = max(0, -(atom.inner.bounds[0] // atom.modulus)) * atom.modulus
            self.model.add_modulo_equality(target, self._linear(atom.inner) + lift, atom.modulus)
        elif isinstance(atom, Element):
            self._add_element(atom, target)
        else:
            raise unsupported("cp-sat", str(atom), f"it does not know {type(atom).__name__}")
        return target

    def _add_element(self, atom: Element, target: Any) -> None:
        if not any(entry.variables for entry in atom.array):
            self.model.add_element(self._linear(atom.index), [entry.constant for entry in atom.array], target)
            return
        # The solver's own element of variables takes the process down with some models (9.15, when it expands them).
        first, last = atom.index.bounds
        for i in range(first, last + 1):
            chosen = self._literal(atom.index == i)
            self.model.add(target == self._linear(atom.array[i])).only_enforce_if(chosen)

    # Relations as literals.

    def _literal(self, relation: Relation) -> Any:
        """Return a literal that is true exactly where the relation holds."""
        if isinstance(relation, Implies):
            relation = relation.as_clause()
        if not relation.variables:
            return self.model.new_constant(int(relation.check({})))
        if isinstance(relation, And):
            return self._disjunction([self._literal(part).negated() for part in relation.parts]).negated()
        if isinstance(relation, Or):
            return self._disjunction([self._literal(part) for part in relation.parts])
        if not isinstance(relation, Comparison):
            raise unsupported("cp-sat", relation, f"it does not know {type(relation).__name__}")
        if len(relation.variables) == 1 and relation.variables[0] in self._literals:
            (variable,) = relation.variables
            literals = self._literals[variable]
            return self._disjunction([literals[value] for value in literals if relation.check({variable: value})])
        literal = self.model.new_bool_var(str(relation))
        self._compare(relation).only_enforce_if(literal)
        self._compare(relation.negated()).only_enforce_if(literal.negated())
        return literal

    def _disjunction(self, literals: list[Any]) -> Any:
        if len(literals) == 1:
            return literals[0]
        result = self.model.new_bool_var("")
        self.model.add_bool_or(literals).only_enforce_if(result)
        for literal in literals:
            self.model.add_implication(literal, result)
        return result

    def _compare(self, relation: Relation) -> Any:
        assert isinstance(relation, Comparison)
        left, zero = self._linear(relation.difference), 0
        return self.model.add(
            {
                "==": left == zero,
                "!=": left != zero,
                "<": left < zero,
                "<=": left <= zero,
                ">": left > zero,
                ">=": left >= zero,
            }[relation.operator]
        )

    # Constraints.

    def _add_false(self) -> None:
        self.model.add_bool_or([])

    def _add(self, constraint: Constraint) -> None:
        if not constraint.variables:
            if not constraint.check({}):
                self._add_false()
        elif isinstance(constraint, Comparison):
            self._compare(constraint)
        elif isinstance(constraint, Implies):
            self._add(constraint.as_clause())
        elif isinstance(constraint, Or):
            self.model.add_bool_or([self._literal(part) for part in constraint.parts])
        elif isinstance(constraint, AllDifferent):
            self._add_all_different(constraint)
        elif isinstance(constraint, Table):
            self._add_table(constraint)
        elif isinstance(constraint, Predicate):
            self._add_tuples(constraint.variables, tabulated(constraint, "cp-sat", self.control), allowed=True)
        elif isinstance(constraint, InDomain):
            self._add_in_domain(constraint)
        elif isinstance(constraint, LexLessEqual):
            self._add_lex(constraint)
        else:
            raise unsupported("cp-sat", constraint, f"it does not know {type(constraint).__name__}")

    def _add_in_domain(self, constraint: InDomain) -> None:
        low, high = constraint.expression.bounds
        values = [value for value in sorted(constraint.values) if low <= value <= high]
        if not values:
            self._add_false()
            return
        self.only_literals = False
        helper = self.model.new_int_var_from_domain(cp_model.Domain.from_values(values), "")
        self.model.add(helper == self._linear(constraint.expression))

    def _add_all_different(self, constraint: AllDifferent) -> None:
        holders = self._holders(constraint)
        if holders is None:
            self.model.add_all_different([self._linear(expression) for expression in constraint.expressions])
            return
        every_value_taken = len(holders) == len(constraint.expressions)
        for literals in holders.values():
            if every_value_taken:
                self.model.add_exactly_one(literals)
            elif len(literals) > 1:
                self.model.add_at_most_one(literals)

    def _holders(self, constraint: AllDifferent) -> dict[int, list[Any]] | None:
        """Return for each value of the terms the literals that give it to one; None unless literals can say that."""
        if not all(variable in self._literals for variable in constraint.variables) or not _one_variable_terms(
            constraint
        ):
            return None
        holders: dict[int, list[Any]] = {}
        for expression in constraint.expressions:
            self.control.poll()
            if not expression.variables:
                holders.setdefault(expression.value({}), []).append(self.model.new_constant(1))
            for variable in expression.variables:
                for value, literal in self._literals[variable].items():
                    holders.setdefault(expression.value({variable: value}), []).append(literal)
        return holders

    def _add_table(self, table: Table) -> None:
        firsts: dict[IntVar, int] = {}  # a variable may stand in several columns
        for i, variable in enumerate(table.columns):
            firsts.setdefault(variable, i)
        domains = {
            i: set(variable.domain) if len(variable.domain) <= MAX_FILTERED else variable.domain
            for variable, i in firsts.items()
        }
        tuples = [
            tuple(row[i] for i in domains)
            for row in table.tuples
            if all(row[i] == row[firsts[variable]] for i, variable in enumerate(table.columns))
            and all(row[i] in domain for i, domain in domains.items())
        ]
        self._add_tuples(table.variables, tuples, allowed=table.allowed)

    def _add_tuples(self, variables: tuple[IntVar, ...], tuples: list[tuple[int, ...]], *, allowed: bool) -> None:
        if not tuples:
            if allowed:
                self._add_false()
            return
        columns = [self._integer(variable) for variable in variables]
        self.only_literals = False
        (self.model.add_allowed_assignments if allowed else self.model.add_forbidden_assignments)(columns, tuples)

    def _add_lex(self, constraint: LexLessEqual) -> None:
        equal_so_far = self.model.new_constant(1)
        for left, right in zip(constraint.left, constraint.right, strict=True):
            at_most = self._literal(left <= right)
            self.model.add_implication(equal_so_far, at_most)
            differs = self._literal(left != right)
            equal_so_far = self._disjunction([equal_so_far.negated(), differs]).negated()


def _one_variable_terms(constraint: AllDifferent) -> bool:
    return all(len(expression.variables) <= 1 for expression in constraint.expressions)


def _middle_out(things: list[Any]) -> list[Any]:
    middle = (len(things) - 1) / 2
    return [thing for _, thing in sorted(enumerate(things), key=lambda pair: abs(pair[0] - middle))]
