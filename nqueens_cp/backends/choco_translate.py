"""From a problem to the calls that state it for Choco.

The solver's refusals end its process, so everything that it would refuse is refused here. Its variables are views or functions
of the problem's own: they never multiply solutions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from nqueens_cp.backends.base import tabulated, unsupported
from nqueens_cp.constraints import AllDifferent, InDomain, LexLessEqual, Predicate, Table
from nqueens_cp.control import Control
from nqueens_cp.expressions import Expression
from nqueens_cp.functions import AbsoluteValue, CountOf, Element, Modulo
from nqueens_cp.model import Problem
from nqueens_cp.relations import And, Comparison, Constraint, Implies, Or, Relation
from nqueens_cp.variables import IntVar

LARGEST = 21_474_836
"""The solver refuses variables that reach further from zero."""


class Made(NamedTuple):
    """What the call of this number returns."""

    number: int


class Call(NamedTuple):
    """A call of a method, of the model or of something made before."""

    owner: Made | None
    method: str
    arguments: tuple[Any, ...]


class Translation:
    """A problem as calls that make it for the solver."""

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.calls: list[Call] = []
        self.has_helpers = False
        self._atoms: dict[Expression, Made] = {}
        self._source: Constraint | str = ""  # what is being stated, for messages
        self._call("intvar", 0)  # so that there is one
        self.variables = [self._atom(variable) for variable in problem.variables]
        for constraint in problem.statements():
            control.poll()
            self._source = constraint
            self._add(constraint)
        self.goal: tuple[Made, bool] | None = None
        if problem.objective is not None:
            self._source = str(problem.objective)
            self.goal = (self._variable(problem.objective.expression), problem.objective.maximize)

    def _call(self, method: str, *arguments: Any, owner: Made | None = None) -> Made:
        self.calls.append(Call(owner, method, arguments))
        return Made(len(self.calls) - 1)

    def _post(self, method: str, *arguments: Any) -> None:
        self._call("post", owner=self._call(method, *arguments))

    def _add_false(self) -> None:
        self._post("arithm", self._call("intvar", 0), "=", 1)

    # Expressions.

    def _require_small(self, expression: Expression, low: int, high: int) -> None:
        if low < -LARGEST or high > LARGEST:
            culprit = f"variable {expression.name}" if isinstance(expression, IntVar) else self._source
            raise unsupported("choco", culprit, f"a value in it can reach {max(high, -low):,}, past {LARGEST:,}")

    def _variable(self, expression: Expression) -> Made:
        """Return a variable, or a view of one, that has the value of the expression."""
        affine = expression.as_affine()
        low, high = expression.bounds
        self._require_small(expression, low, high)
        if not expression.terms:
            return self._call("intvar", expression.constant)
        if affine is not None:
            atom, factor, constant = affine
            plain = factor == 1 and not constant
            return self._atom(atom) if plain else self._call("int_affine_view", factor, self._atom(atom), constant)
        helper = self._helper(low, high)
        self._post("scalar", *self._sum(expression - expression.constant), "=", self._shifted(helper, expression))
        return helper

    def _shifted(self, helper: Made, expression: Expression) -> Made:
        return self._call("int_offset_view", helper, -expression.constant) if expression.constant else helper

    def _helper(self, low: int, high: int) -> Made:
        self.has_helpers = True
        return self._call("intvar", low, high)

    def _sum(self, expression: Expression) -> tuple[list[Made], list[int]]:
        reach = sum(abs(factor) * max(map(abs, atom.bounds)) for atom, factor in expression.terms)
        reach = max(reach, abs(expression.constant))  # which stands on the other side
        self._require_small(expression, -reach, reach)
        return [self._atom(atom) for atom, _ in expression.terms], [factor for _, factor in expression.terms]

    def _atom(self, atom: Expression) -> Made:
        if atom not in self._atoms:
            self._require_small(atom, *atom.bounds)
            self._atoms[atom] = self._new_atom(atom)
        return self._atoms[atom]

    def _new_atom(self, atom: Expression) -> Made:
        if isinstance(atom, IntVar):
            domain = atom.domain
            return self._call("intvar", *((domain[0], domain[-1]) if isinstance(domain, range) else (list(domain),)))
        if isinstance(atom, CountOf) and not atom.expressions:
            return self._call("intvar", 0)
        target = self._helper(*atom.bounds)
        if isinstance(atom, AbsoluteValue):
            self._post("absolute", target, self._variable(atom.inner))
        elif isinstance(atom, Modulo):
            # The solver rounds towards zero, the model's modulo downwards: they agree where nothing is negative.
            lift = max(0, -(atom.inner.bounds[0] // atom.modulus)) * atom.modulus
            self._post("mod", self._variable(atom.inner + lift), atom.modulus, target)
        elif isinstance(atom, Element):
            first, last = atom.index.bounds
            array = [self._variable(entry) for entry in atom.array[first : last + 1]]
            self._post("element", target, array, self._variable(atom.index), first)
        elif isinstance(atom, CountOf):
            equal = [self._literal(expression == atom.target) for expression in atom.expressions]
            self._post("sum", equal, "=", target)
        else:
            raise unsupported("choco", self._source, f"it does not know {type(atom).__name__}")
        return target

    # Relations.

    def _relation(self, relation: Relation) -> Made:
        """Return a constraint of the solver that says the same."""
        if isinstance(relation, Implies):
            relation = relation.as_clause()
        if isinstance(relation, And | Or):
            return self._call(
                "and_" if isinstance(relation, And) else "or_", [self._literal(part) for part in relation.parts]
            )
        if not isinstance(relation, Comparison):
            raise unsupported("choco", relation, f"it does not know {type(relation).__name__}")
        operator = "=" if relation.operator == "==" else relation.operator
        return self._call("scalar", *self._sum(relation.difference), operator, -relation.difference.constant)

    def _literal(self, relation: Relation) -> Made:
        """Return a Boolean variable that is true exactly where the relation holds."""
        if not relation.variables:
            return self._call("boolvar", relation.check({}))
        self.has_helpers = True
        return self._call("reify", owner=self._relation(relation))

    # Constraints.

    def _add(self, constraint: Constraint) -> None:
        if not constraint.variables:
            if not constraint.check({}):
                self._add_false()
        elif isinstance(constraint, Relation):
            self._call("post", owner=self._relation(constraint))
        elif isinstance(constraint, AllDifferent):
            if len(constraint.expressions) > 1:
                self._post("all_different", [self._variable(e) for e in constraint.expressions], "DEFAULT")
        elif isinstance(constraint, Table):
            self._add_tuples(constraint.columns, constraint.tuples, allowed=constraint.allowed)
        elif isinstance(constraint, Predicate):
            self._add_tuples(constraint.variables, tabulated(constraint, "choco", self.control), allowed=True)
        elif isinstance(constraint, InDomain):
            low, high = constraint.expression.bounds
            values = [value for value in constraint.values if low <= value <= high]
            if values:
                self._post("member", self._variable(constraint.expression), values)
            else:
                self._add_false()
        elif isinstance(constraint, LexLessEqual):
            left, right = ([self._variable(e) for e in side] for side in (constraint.left, constraint.right))
            self._post("lex_less_eq", left, right)
        else:
            raise unsupported("choco", constraint, f"it does not know {type(constraint).__name__}")

    def _add_tuples(self, columns: tuple[IntVar, ...], tuples: Iterable[tuple[int, ...]], *, allowed: bool) -> None:
        firsts: dict[IntVar, int] = {}  # one may stand in several columns
        places = [firsts.setdefault(variable, i) for i, variable in enumerate(columns)]
        domains = {
            i: variable.domain if isinstance(variable.domain, range) else set(variable.domain)
            for variable, i in firsts.items()
        }
        rows = [
            [row[i] for i in domains]
            for row in tuples
            if all(row[i] == row[k] for i, k in enumerate(places)) and all(row[i] in domains[i] for i in domains)
        ]
        if rows:
            self._post("table", [self._atom(variable) for variable in firsts], rows, allowed)
        elif allowed:
            self._add_false()
