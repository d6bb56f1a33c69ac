"""From a problem to a Boolean form: literals for the values of its variables, clauses, and sums of literals.

What SAT solvers, answer set solvers and the formats DIMACS, OPB and LP have in common. A variable becomes one literal for each
of its values, exactly one of them true; with two values it is one Boolean variable, true for the larger. Every further
literal is a function of those, so the form has as many solutions as the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from nqueens_cp.backends.base import tabulated, unsupported
from nqueens_cp.constraints import AllDifferent, InDomain, LexLessEqual, Predicate, Table
from nqueens_cp.control import Control
from nqueens_cp.expressions import Affine, Expression, Linear
from nqueens_cp.formats.clauses import FALSE, MAX_LITERALS, TRUE, Clauses, Sum, View
from nqueens_cp.formats.narrow import narrowed
from nqueens_cp.functions import AbsoluteValue, CountOf, Element, Modulo
from nqueens_cp.model import Problem
from nqueens_cp.relations import OPERATORS, And, Comparison, Constraint, Implies, Or, Relation
from nqueens_cp.variables import IntVar

MAX_PAIRS = 10_000
"""Constraints of two variables are stated pair by pair if their values make at most this many pairs."""


@dataclass(frozen=True, slots=True)
class ValueLiteral:
    """The variable called `name` has `value` where `literal` is true."""

    name: str
    value: int
    literal: int


class BooleanForm(Clauses):
    """A problem as clauses, groups of literals of which one may be true, and sums.

    Attributes
    ----------
    exactly_one, at_most_one : list of tuple of int
        Groups of literals, all different.
    sums : list of Sum
        Sums of views against a bound.
    objective : tuple of View
        Summands of what is minimised or maximised; `objective_constant` comes on top.
    """

    def __init__(self, problem: Problem, who: str, control: Control) -> None:
        super().__init__(who, control)
        self.problem = problem
        self.exactly_one: list[tuple[int, ...]] = []
        self.at_most_one: list[tuple[int, ...]] = []
        self.sums: list[Sum] = []
        self.objective: tuple[View, ...] = ()
        self.objective_constant = 0
        self._views: dict[Expression, View] = {}
        self._domains, waiting = narrowed(problem, MAX_LITERALS, control)
        for variable in problem.variables:
            self._add_variable(variable)
        for constraint in waiting:
            control.poll()
            self.source = constraint
            self._add(constraint)
        if problem.objective is not None:
            self.source = str(problem.objective)
            groups, self.objective_constant = self._summands(problem.objective.expression)
            self.objective = tuple(groups)

    @property
    def mapping(self) -> list[ValueLiteral]:
        """Which literal stands for which value of which variable; values that a constraint excludes by itself have none."""
        return [
            ValueLiteral(variable.name, value, literal)
            for variable in self.problem.variables
            for value, literal in self._views[variable].items()
        ]

    def literals_of(self, variable: IntVar) -> View:
        """Return the literal for each value of a variable."""
        return self._views[variable]

    @property
    def values(self) -> dict[int, int]:
        """The value for which each literal stands, of which in any solution one for each variable is true, in their order."""
        return {entry.literal: entry.value for entry in self.mapping}

    def to_clauses(self) -> Clauses:
        """Return the same as nothing but clauses, over these variables and further ones."""
        result = Clauses(self.who, self.control)
        result.source = f"model {self.problem.name}"
        result.variables = self.variables
        result.clauses.extend(self.clauses)
        result.make_room(self._literals)
        result._literals = self._literals
        for group in self.exactly_one:
            result.add(*group)
            result.add_at_most_one(group)
        for group in self.at_most_one:
            result.add_at_most_one(group)
        for total in self.sums:
            result.add_sum(total)
        return result

    # Variables.

    def _add_variable(self, variable: IntVar) -> None:
        domain = self._domains[variable.index]
        if len(domain) > MAX_LITERALS:
            raise unsupported(
                self.who,
                f"variable {variable.name}",
                f"it has {len(domain):,} values, and at most {MAX_LITERALS:,} are taken",
            )
        self.source = f"variable {variable.name}"
        if not domain:
            self.add()
            domain = variable.domain[:1]
        if len(domain) == 2:
            literal = self.new()
            self._views[variable] = {domain[0]: -literal, domain[1]: literal}
            return
        view = self._views[variable] = {value: self.new() for value in domain}
        self._one_of([*view.values()], exactly=True)

    def _one_of(self, literals: Iterable[int], *, exactly: bool) -> None:
        """State that at most one of the literals is true, or exactly one."""
        kept: dict[int, None] = {}
        for literal in literals:
            if literal in kept:
                self.add(-literal)
            elif literal != FALSE:
                kept[literal] = None
        pairs = sum(literal > 0 and -literal in kept for literal in kept)  # of a literal and its opposite
        certain = pairs + (TRUE in kept)
        if certain > 1:
            self.add()
        elif certain:
            for literal in kept:
                if literal != TRUE and -literal not in kept:
                    self.add(-literal)
        elif len(kept) > 2 or (len(kept) == 2 and exactly):
            self._take(len(kept) + 1)
            (self.exactly_one if exactly else self.at_most_one).append(tuple(kept))
        elif exactly:
            self.add(*kept)
        elif len(kept) == 2:
            self.add(*(-literal for literal in kept))

    # Expressions.

    def _summands(self, expression: Expression) -> tuple[list[View], int]:
        """Return an expression as a sum of views of several values each, and a constant."""
        groups: list[View] = []
        constant = expression.constant
        for atom, factor in expression.terms:
            for view in self._parts(atom):
                if len(view) == 1:
                    constant += factor * next(iter(view))
                else:
                    groups.append({factor * value: literal for value, literal in view.items()})
        return groups, constant

    def _parts(self, atom: Expression) -> Iterator[View]:
        """Yield views that add up to an atom."""
        if isinstance(atom, CountOf) and len(atom.variables) > 1:
            for expression in atom.expressions:
                literal = self._literal(expression == atom.target)
                yield {1: TRUE} if literal == TRUE else {0: TRUE} if literal == FALSE else {0: -literal, 1: literal}
        else:
            yield self.view(atom)

    def view(self, expression: Expression) -> View:
        """Return an expression over the problem's variables as a view."""
        if expression not in self._views:
            self._views[expression] = self._new_view(expression)
        return self._views[expression]

    def _new_view(self, expression: Expression) -> View:
        variables = expression.variables
        if not variables:
            return {expression.value({}): TRUE}
        if len(variables) == 1:
            return self.image(self._views[variables[0]], lambda value: expression.value({variables[0]: value}))
        if isinstance(expression, AbsoluteValue):
            return self._view_of_sum(expression.inner, abs)
        if isinstance(expression, Modulo):
            modulus = expression.modulus
            return self._view_of_sum(expression.inner, lambda value: value % modulus)
        if isinstance(expression, Element):
            return self._view_of_element(expression)
        if isinstance(expression, CountOf | Affine | Linear):
            return self._view_of_sum(expression, lambda value: value)
        raise unsupported(self.who, self.source, f"it does not know {type(expression).__name__}")

    def _view_of_sum(self, expression: Expression, function: Callable[[int], int]) -> View:
        groups, constant = self._summands(expression)
        if not groups:
            return {function(constant): TRUE}
        groups.sort(key=len)
        if len(groups) == 1:
            return self.image(groups[0], lambda value: function(value + constant))
        view = groups[0]
        for group in groups[1:-1]:
            view = self.combine(view, group)
        return self.combine(view, groups[-1], lambda left, right: function(left + right + constant))

    def _view_of_element(self, element: Element) -> View:
        # An index outside the array cannot occur; only the sums of parts that share variables have such values.
        index = {i: literal for i, literal in self.view(element.index).items() if 0 <= i < len(element.array)}
        if element.numbers:
            numbers = element.numbers
            return self.image(index, lambda i: numbers[i])
        entries = {i: self.view(element.array[i]) for i in index}
        view = {value: self.new() for value in sorted({value for entry in entries.values() for value in entry})}
        for i, chosen in index.items():
            for value, literal in entries[i].items():
                self.add(-chosen, -literal, view[value])
            for value, result in view.items():
                self.add(-chosen, -result, entries[i].get(value, FALSE))
        return view

    # Relations as literals.

    def _literal(self, relation: Relation) -> int:
        """Return a literal that is true exactly where the relation holds."""
        if isinstance(relation, Implies):
            relation = relation.as_clause()
        variables = relation.variables
        if not variables:
            return TRUE if relation.check({}) else FALSE
        if len(variables) == 1:
            return self.chosen(self._views[variables[0]], lambda value: relation.check({variables[0]: value}))
        if self._has_few_pairs(relation):
            literal = self.new()
            self._add_pairs(relation, literal)
            return literal
        if isinstance(relation, And):
            return self.all_of(map(self._literal, relation.parts))
        if isinstance(relation, Or):
            return self.any_of(map(self._literal, relation.parts))
        if isinstance(relation, Comparison):
            return self._compare(relation, None)
        raise unsupported(self.who, relation, f"it does not know {type(relation).__name__}")

    def _compare(self, relation: Comparison, stated: int | None) -> int:
        """Return a literal for a comparison; where `stated` is `TRUE`, it may be stated already, and `TRUE` returned."""
        groups, constant = self._summands(relation.difference)
        operator = relation.operator
        holds = OPERATORS[operator]
        if not groups:
            return TRUE if holds(constant, 0) else FALSE
        if len(groups) == 1:
            return self.chosen(groups[0], lambda value: holds(value + constant, 0))
        if operator in ("==", "!="):
            return self._equals(groups, -constant, operator == "==", stated)
        if operator in ("<", "<="):
            groups, constant = _negated(groups), -constant
        return self._at_least(groups, -constant + (operator in ("<", ">")), stated)

    def _equals(self, groups: list[View], total: int, wanted: bool, stated: int | None) -> int:
        if len(groups) == 2:
            literal = self.new() if stated is None else stated if wanted else -stated
            self.tie_to_equality(literal, groups[0], groups[1], total)
            return literal if wanted else -literal
        if stated is not None and wanted and sum(map(min, groups)) <= total <= sum(map(max, groups)):
            self._state_sum(Sum(tuple(groups), "==", total, TRUE, self.source))
            return TRUE
        equal = self.all_of(
            (self._at_least(groups, total, None), self._at_least(_negated(groups), -total, None)),
        )
        return equal if wanted else -equal

    def _at_least(self, groups: list[View], bound: int, stated: int | None) -> int:
        if sum(map(min, groups)) >= bound:
            return TRUE
        if sum(map(max, groups)) < bound:
            return FALSE
        literal = self.new() if stated is None else stated
        self._state_sum(Sum(tuple(groups), ">=", bound, literal, self.source))
        return literal

    def _state_sum(self, total: Sum) -> None:
        self._take(sum(map(len, total.groups)) + 1)
        self.sums.append(total)

    # Constraints.

    def _add(self, constraint: Constraint) -> None:
        if isinstance(constraint, Predicate):
            allowed = tabulated(constraint, self.who, self.control)
            self._add_tuples(constraint.variables, dict.fromkeys(allowed), allowed=True)
        elif not constraint.variables:
            if not constraint.check({}):
                self.add()
        elif isinstance(constraint, AllDifferent):
            self._add_all_different(constraint)
        elif self._has_few_pairs(constraint):
            self._add_pairs(constraint, TRUE)
        elif isinstance(constraint, Comparison):
            self.add(self._compare(constraint, TRUE))
        elif isinstance(constraint, Implies):
            self._add(constraint.as_clause())
        elif isinstance(constraint, Or):
            self.add(*map(self._literal, constraint.parts))
        elif isinstance(constraint, Table):
            self._add_table(constraint)
        elif isinstance(constraint, InDomain):
            self.add(self.chosen(self.view(constraint.expression), constraint.values.__contains__))
        elif isinstance(constraint, LexLessEqual):
            self._add_lex(constraint)
        else:
            raise unsupported(self.who, constraint, f"it does not know {type(constraint).__name__}")

    def _has_few_pairs(self, constraint: Constraint) -> bool:
        variables = constraint.variables
        return len(variables) == 2 and prod(len(self._views[variable]) for variable in variables) <= MAX_PAIRS

    def _add_pairs(self, constraint: Constraint, literal: int) -> None:
        """State that `literal` is true exactly where a constraint of two variables holds."""
        first, second = constraint.variables
        values = [*self._views[second]]
        rows = (constraint.check_all({first: [value] * len(values), second: values}) for value in self._views[first])
        self.tie(literal, self._views[first], self._views[second], rows)

    def _add_all_different(self, constraint: AllDifferent) -> None:
        holders: dict[int, list[int]] = {}
        for expression in constraint.expressions:
            for value, literal in self.view(expression).items():
                holders.setdefault(value, []).append(literal)
        every_value_taken = len(holders) <= len(constraint.expressions)
        for literals in holders.values():
            self._one_of(literals, exactly=every_value_taken)
        if len(holders) < len(constraint.expressions):
            self.add()

    def _add_table(self, table: Table) -> None:
        variables = table.variables
        tuples: dict[tuple[int, ...], None] = {}
        for row in table.tuples:
            self.control.poll()
            values: dict[IntVar, int] = {}
            if all(values.setdefault(*pair) == pair[1] for pair in zip(table.columns, row, strict=True)):
                tuples[tuple(values[variable] for variable in variables)] = None
        self._add_tuples(variables, tuples, allowed=table.allowed)

    def _add_tuples(self, variables: tuple[IntVar, ...], tuples: dict[tuple[int, ...], None], *, allowed: bool) -> None:
        """State that the values of the variables form one of the tuples, or none of them."""
        views = [self._views[variable] for variable in variables]
        rows = [row for row in tuples if all(value in view for value, view in zip(row, views, strict=True))]
        size = prod(map(len, views))
        if allowed and size <= MAX_PAIRS and size < 2 * len(rows):  # the others are fewer
            rows, allowed = [row for row in product(*views) if row not in tuples], False
        if not allowed:
            for row in rows:
                self.add(*(-view[value] for value, view in zip(row, views, strict=True)))
            return
        supports: list[dict[int, list[int]]] = [{value: [] for value in view} for view in views]
        for row in rows:
            literal = self.new()
            for value, view, support in zip(row, views, supports, strict=True):
                self.add(-literal, view[value])
                support[value].append(literal)
        for view, support in zip(views, supports, strict=True):
            for value, literals in support.items():
                self.add(-view[value], *literals)

    def _add_lex(self, constraint: LexLessEqual) -> None:
        equal_so_far = TRUE
        for left, right in zip(constraint.left, constraint.right, strict=True):
            self.add(-equal_so_far, self._literal(left <= right))
            equal_so_far = self.all_of((equal_so_far, self._literal(left == right)))


def _negated(groups: list[View]) -> list[View]:
    return [{-value: literal for value, literal in group.items()} for group in groups]
