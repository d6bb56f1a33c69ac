"""Integer expressions over variables, and their bounds: what all have in common, and the linear ones.

`Affine` is a multiple of one *atom* plus a constant, `Linear` a sum of multiples of any number of atoms plus a constant; an
atom is a variable or one of the non-linear expressions (functions.py). Comparing two expressions makes a relation
(relations.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from operator import add, sub
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from nqueens_cp.checks import INT64_MAX, INT64_MIN, integer, integer_at_least, items, shown
from nqueens_cp.errors import InvalidType
from nqueens_cp.relations import Assignment, Columns, Comparison, Constraint, Logical, distinct_variables, shorten

if TYPE_CHECKING:
    from nqueens_cp.variables import IntVar

ENUMERATED_BOUNDS = 10_000
"""Bounds that intervals cannot give exactly are found by trying every assignment, if there are at most this many."""


class Range(NamedTuple):
    """Bounds of an expression: from `low` to `high`, both reached if `exact`; every integer between too if `gapless`."""

    low: int
    high: int
    exact: bool
    gapless: bool


class Expression:
    """An integer expression; what an operator returns. Not made directly."""

    __slots__ = ("_reach",)
    _reach: Range
    __array_ufunc__ = None  # NumPy integers on the left hand over to the operators below
    needs_brackets: ClassVar[bool] = False  # before ``% modulus``
    __hash__ = object.__hash__

    # What each kind of expression says of itself.

    @property
    def terms(self) -> tuple[tuple[Expression, int], ...]:
        """The atoms with their coefficients; ``((self, 1),)`` for an atom."""
        return ((self, 1),)

    @property
    def constant(self) -> int:
        """The constant summand; 0 for an atom."""
        return 0

    @property
    def depth(self) -> int:
        """How deep functions (abs, %, element, count_of) are nested in it; 0 for a variable."""
        return 0

    def as_affine(self) -> tuple[Expression, int, int] | None:
        """Return (atom, factor, constant) if the expression is ``factor * atom + constant``, otherwise None."""
        return self, 1, 0

    @property
    def variables(self) -> tuple[IntVar, ...]:
        """The variables that the expression mentions, each once."""
        raise NotImplementedError

    def value(self, assignment: Assignment) -> int:
        """Return the expression's value under `assignment`, a mapping from each variable to its value."""
        raise NotImplementedError

    def values(self, columns: Columns) -> Sequence[int]:
        """Return the expression's values in many assignments at once: `columns` maps each variable to its values in them."""
        raise NotImplementedError

    def outer_bounds(self) -> tuple[int, int]:
        """Return bounds that are quickly found and never too tight; `bounds` may be tighter."""
        raise NotImplementedError

    def interval(self) -> Range:
        """Return sound bounds from the bounds of the parts, and whether they are known to be exact."""
        raise NotImplementedError

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and the largest value, over all assignments of the domains.

        Both are reached, unless parts that share variables make that too expensive to find out (more than
        `ENUMERATED_BOUNDS` assignments); then they are still never too tight.
        """
        reach = self.reach()
        return reach.low, reach.high

    def reach(self) -> Range:
        """Return the best known bounds, computed once."""
        try:
            return self._reach
        except AttributeError:
            self._reach = self._find_reach()
            return self._reach

    def _find_reach(self) -> Range:
        reach = self.interval()
        if reach.exact:
            return reach
        variables = self.variables
        if not variables:  # made of numbers only, like an element at a constant index
            value = self.value({})
            return Range(value, value, exact=True, gapless=True)
        if prod(len(variable.domain) for variable in variables) > ENUMERATED_BOUNDS:
            return reach
        columns = zip(*product(*(variable.domain for variable in variables)), strict=True)
        values = set(self.values(dict(zip(variables, columns, strict=True))))
        low, high = min(values), max(values)
        return Range(low, high, exact=True, gapless=len(values) == high - low + 1)

    def past_64_bits(self) -> int | None:
        """Return how far from zero the values go if some need more than 64 bits, otherwise None."""
        low, high = self.outer_bounds()
        if low >= INT64_MIN and high <= INT64_MAX:
            return None
        low, high = self.bounds
        return None if low >= INT64_MIN and high <= INT64_MAX else max(high, -low)

    # Arithmetic.

    def _affine(self, factor: int, summand: int) -> Expression:
        """Return ``factor * self + summand`` for a factor that is not 0."""
        return Affine(self, factor, summand)

    def __add__(self, other: Any) -> Expression:
        if isinstance(other, Expression):
            return Linear.sum_of(self, other, 1)
        number = summand(other, self, "+")
        return self._affine(1, number) if number else self

    __radd__ = __add__

    def __sub__(self, other: Any) -> Expression:
        if isinstance(other, Expression):
            return Linear.sum_of(self, other, -1)
        number = summand(other, self, "-")
        return self._affine(1, -number) if number else self

    def __rsub__(self, other: Any) -> Expression:
        return (-self).__add__(other)

    def __neg__(self) -> Expression:
        return self * -1

    def __pos__(self) -> Expression:
        return self

    def __mul__(self, other: Any) -> Expression:
        if isinstance(other, Expression):
            raise InvalidType(
                f"({self}) * ({other}): only a product with a constant is linear; for a product of variables use "
                "predicate(function, variables) or allowed_assignments(variables, tuples)"
            )
        number = summand(other, self, "*")
        return self._affine(number, 0) if number else Linear((), 0)

    __rmul__ = __mul__

    def __mod__(self, modulus: Any) -> Expression:
        if isinstance(modulus, Expression):
            raise InvalidType(f"({self}) % ({modulus}): the modulus must be a constant; use predicate(...) for others")
        from nqueens_cp.functions import Modulo  # it is made of the expressions of this file

        return Modulo(self, integer_at_least(modulus, 1, f"({self}) % {shown(modulus)}: modulus"))

    def __floordiv__(self, other: Any) -> Expression:
        raise InvalidType(
            f"({self}) divided by {shown(other)}: division is not linear; multiply the other side, or state "
            "x == 2 * y + r with a variable r for the remainder"
        )

    __truediv__ = __floordiv__

    def __abs__(self) -> Expression:
        from nqueens_cp.functions import AbsoluteValue

        return AbsoluteValue(self)

    # Comparisons.

    def __eq__(self, other: Any) -> Comparison:  # type: ignore[override]
        return compared(self, "==", other)

    def __ne__(self, other: Any) -> Comparison:  # type: ignore[override]
        return compared(self, "!=", other)

    def __lt__(self, other: Any) -> Comparison:
        return compared(self, "<", other)

    def __le__(self, other: Any) -> Comparison:
        return compared(self, "<=", other)

    def __gt__(self, other: Any) -> Comparison:
        return compared(self, ">", other)

    def __ge__(self, other: Any) -> Comparison:
        return compared(self, ">=", other)

    def __bool__(self) -> bool:
        raise InvalidType(f"'{self}' has no truth value while it is unknown; compare it, as in model.add({self} == 1)")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


class Affine(Expression):
    """``factor * atom + constant``: the usual case of a linear expression, as in ``queen[i] + i``."""

    __slots__ = ("atom", "constant", "factor")
    constant: int
    needs_brackets = True

    def __init__(self, atom: Expression, factor: int, constant: int) -> None:
        self.atom = atom
        self.factor = factor
        self.constant = constant

    @property
    def terms(self) -> tuple[tuple[Expression, int], ...]:
        return ((self.atom, self.factor),)

    def as_affine(self) -> tuple[Expression, int, int] | None:
        return self.atom, self.factor, self.constant

    @property
    def depth(self) -> int:
        return self.atom.depth

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return self.atom.variables

    def value(self, assignment: Assignment) -> int:
        return self.factor * self.atom.value(assignment) + self.constant

    def values(self, columns: Columns) -> Sequence[int]:
        factor, constant = self.factor, self.constant
        return [factor * value + constant for value in self.atom.values(columns)]

    def outer_bounds(self) -> tuple[int, int]:
        low, high = self.atom.outer_bounds()
        factor, constant = self.factor, self.constant
        if factor < 0:
            low, high = high, low
        return factor * low + constant, factor * high + constant

    def interval(self) -> Range:
        part = self.atom.reach()
        ends = part.low * self.factor + self.constant, part.high * self.factor + self.constant
        return Range(min(ends), max(ends), part.exact, part.gapless and abs(self.factor) == 1)

    def _affine(self, factor: int, summand: int) -> Expression:
        return Affine(self.atom, factor * self.factor, factor * self.constant + summand)

    def __str__(self) -> str:
        return _sum_text(self.terms, self.constant)


class Linear(Expression):
    """``coefficient * atom + ... + constant``.

    A sum of two expressions is kept as a pair until somebody asks for its terms, so that a long ``sum()`` takes time in
    proportion to its length and not to its square.
    """

    __slots__ = ("_constant", "_pair", "_terms")
    _terms: tuple[tuple[Expression, int], ...]
    _constant: int
    _pair: tuple[Expression, Expression, int] | None
    needs_brackets = True

    def __init__(self, terms: tuple[tuple[Expression, int], ...], constant: int) -> None:
        self._terms = terms
        self._constant = constant
        self._pair = None

    @classmethod
    def sum_of(cls, left: Expression, right: Expression, sign: int) -> Linear:
        """Return ``left + sign * right``."""
        pair = cls((), 0)
        pair._pair = (left, right, sign)
        return pair

    def _flatten(self) -> None:
        coefficients: dict[Expression, int] = {}
        constant = 0
        waiting: list[tuple[Expression, int]] = [(self, 1)]
        while waiting:
            expression, factor = waiting.pop()
            if isinstance(expression, Linear) and expression._pair is not None:
                left, right, sign = expression._pair
                waiting.append((right, factor * sign))
                waiting.append((left, factor))
                continue
            constant += factor * expression.constant
            for atom, coefficient in expression.terms:
                coefficients[atom] = coefficients.get(atom, 0) + factor * coefficient
        self._terms = tuple((atom, coefficient) for atom, coefficient in coefficients.items() if coefficient)
        self._constant = constant
        self._pair = None

    @property
    def terms(self) -> tuple[tuple[Expression, int], ...]:
        if self._pair is not None:
            self._flatten()
        return self._terms

    @property
    def constant(self) -> int:
        if self._pair is not None:
            self._flatten()
        return self._constant

    def as_affine(self) -> tuple[Expression, int, int] | None:
        return (*self._terms[0], self._constant) if len(self.terms) == 1 else None

    @property
    def depth(self) -> int:
        return max((atom.depth for atom, _ in self.terms), default=0)

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return distinct_variables(atom for atom, _ in self.terms)

    def value(self, assignment: Assignment) -> int:
        if self._pair is not None:
            self._flatten()
        total = self._constant
        for atom, factor in self._terms:
            total += factor * atom.value(assignment)
        return total

    def values(self, columns: Columns) -> Sequence[int]:
        totals: Iterable[int] = [self.constant] * rows_of(columns)
        for atom, factor in self.terms:
            values = atom.values(columns)
            if abs(factor) == 1:
                totals = map(add if factor == 1 else sub, totals, values)
            else:
                totals = [total + factor * value for total, value in zip(totals, values, strict=True)]
        return list(totals)

    def outer_bounds(self) -> tuple[int, int]:
        low = high = self.constant
        for atom, factor in self.terms:
            ends = atom.outer_bounds()
            low += factor * ends[factor < 0]
            high += factor * ends[factor > 0]
        return low, high

    def _affine(self, factor: int, summand: int) -> Expression:
        terms = self.terms if factor == 1 else tuple((atom, factor * its) for atom, its in self.terms)
        return Linear(terms, factor * self.constant + summand)

    def interval(self) -> Range:
        low = high = self.constant
        exact = gapless = True
        step_spans = []
        for atom, factor in self.terms:
            part = atom.reach()
            ends = (part.low * factor, part.high * factor)
            low += min(ends)
            high += max(ends)
            exact &= part.exact
            gapless &= part.gapless
            step_spans.append((abs(factor), abs(ends[1] - ends[0])))
        exact = exact and disjoint_variables(atom for atom, _ in self.terms)
        covered = 0  # the sums of the smallest steps fill 0..covered without a gap
        for step, span in sorted(step_spans):
            gapless = gapless and step <= covered + 1
            covered += span
        return Range(low, high, exact, exact and gapless)

    def __reduce__(self) -> tuple[Any, ...]:
        return Linear, (self.terms, self.constant)

    def __str__(self) -> str:
        return _sum_text(self.terms, self.constant)


def as_expression(value: Any, what: str) -> Expression:
    """Return `value`, an expression or an integer, as an expression."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, Constraint):
        raise InvalidType(f"{what}: expected an expression, got the constraint '{value}'")
    return Linear((), integer(value, what))


def as_expressions(values: Any, what: str, entry: str = "entry {}") -> tuple[Expression, ...]:
    """Return the entries of an iterable as expressions; nested lists and strings are refused."""
    return tuple(
        [
            value
            if isinstance(value, Expression)
            else _number(value)
            if type(value) is int and INT64_MIN <= value <= INT64_MAX
            else as_expression(value, f"{what}: {entry.format(i)}")
            for i, value in enumerate(items(values, what))
        ]
    )


@lru_cache(maxsize=4096)
def _number(value: int) -> Expression:
    return Linear((), value)


def summand(value: Any, left: Expression, sign: str) -> int:
    """Return the integer operand of an operator."""
    if type(value) is int and INT64_MIN <= value <= INT64_MAX:
        return value
    return integer(value, f"{shorten(str(left))} {sign} {shown(value)}")


def compared(left: Expression, operator: str, right: Any) -> Comparison:
    """Return the relation ``left operator right``."""
    if isinstance(right, Expression):
        return Comparison(left, operator, right, Linear.sum_of(left, right, -1))
    if isinstance(right, Constraint | Logical):
        raise InvalidType(f"'{left} {operator} ({right})' compares a number with a relation; write implies() both ways")
    number = summand(right, left, operator)
    return Comparison(left, operator, number, left._affine(1, -number))


def rows_of(columns: Columns) -> int:
    """Return of how many assignments `columns` holds the values."""
    return len(next(iter(columns.values())))


def _sum_text(terms: tuple[tuple[Expression, int], ...], constant: int) -> str:
    text = ""
    for atom, factor in terms:
        joint = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        text += joint + (f"{abs(factor)}*{atom}" if abs(factor) != 1 else str(atom))
    if not text:
        return str(constant)
    if constant:
        text += f" {'-' if constant < 0 else '+'} {abs(constant)}"
    return text


def disjoint_variables(expressions: Iterable[Expression]) -> bool:
    """Say whether no variable is mentioned by two of `expressions`."""
    seen: set[IntVar] = set()
    for expression in expressions:
        variables: Sequence[IntVar] = expression.variables
        if not seen.isdisjoint(variables):
            return False
        seen.update(variables)
    return True
