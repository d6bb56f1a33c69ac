"""Integer expressions over variables: linear, absolute value, floor modulo, element and count, with their bounds.

`Linear` is a sum of integer multiples of *atoms* plus a constant; an atom is a variable or one of the non-linear
expressions below. Comparing two expressions makes a relation (relations.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from nqueens_cp.checks import INT64_MAX, INT64_MIN, integer, integer_at_least, items, shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.relations import Assignment, Comparison, Constraint, Logical, distinct_variables

if TYPE_CHECKING:
    from nqueens_cp.model import IntVar

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
    def variables(self) -> tuple[IntVar, ...]:
        """The variables that the expression mentions, each once."""
        raise NotImplementedError

    def value(self, assignment: Assignment) -> int:
        """Return the expression's value under `assignment`, a mapping from each variable to its value."""
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
        if prod(len(variable.domain) for variable in variables) > ENUMERATED_BOUNDS:
            return reach
        values = {
            self.value(dict(zip(variables, chosen, strict=True)))
            for chosen in product(*(variable.domain for variable in variables))
        }
        low, high = min(values), max(values)
        return Range(low, high, exact=True, gapless=len(values) == high - low + 1)

    # Arithmetic.

    def __add__(self, other: Any) -> Expression:
        if isinstance(other, Expression):
            return Linear.sum_of(self, other, 1)
        number = summand(other, self, "+")
        return Linear(self.terms, self.constant + number) if number else self

    __radd__ = __add__

    def __sub__(self, other: Any) -> Expression:
        if isinstance(other, Expression):
            return Linear.sum_of(self, other, -1)
        number = summand(other, self, "-")
        return Linear(self.terms, self.constant - number) if number else self

    def __rsub__(self, other: Any) -> Expression:
        return (Linear((), 0) - self).__add__(other)

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
        if number == 0:
            return Linear((), 0)
        return Linear(tuple((atom, factor * number) for atom, factor in self.terms), self.constant * number)

    __rmul__ = __mul__

    def __mod__(self, modulus: Any) -> Expression:
        if isinstance(modulus, Expression):
            raise InvalidType(f"({self}) % ({modulus}): the modulus must be a constant; use predicate(...) for others")
        return Modulo(self, integer_at_least(modulus, 1, f"({self}) % {shown(modulus)}: modulus"))

    def __floordiv__(self, other: Any) -> Expression:
        raise InvalidType(
            f"({self}) divided by {shown(other)}: division is not linear; multiply the other side, or state "
            "x == 2 * y + r with a variable r for the remainder"
        )

    __truediv__ = __floordiv__

    def __abs__(self) -> Expression:
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


class Linear(Expression):
    """``coefficient * atom + ... + constant``.

    A sum of two expressions is kept as a pair until somebody asks for its terms, so that a long ``sum()`` takes time in
    proportion to its length and not to its square.
    """

    __slots__ = ("_constant", "_pair", "_terms")
    _terms: tuple[tuple[Expression, int], ...]
    _constant: int
    _pair: tuple[Expression, Expression, int] | None

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

    @property
    def variables(self) -> tuple[IntVar, ...]:
        if len(self.terms) == 1:
            return self._terms[0][0].variables
        return distinct_variables(atom for atom, _ in self.terms)

    def value(self, assignment: Assignment) -> int:
        if self._pair is not None:
            self._flatten()
        total = self._constant
        for atom, factor in self._terms:
            total += factor * atom.value(assignment)
        return total

    def interval(self) -> Range:
        if len(self.terms) == 1:  # the usual case, queen[i] + i, made quick
            ((atom, factor),) = self.terms
            part = atom.reach()
            ends = part.low * factor + self._constant, part.high * factor + self._constant
            return Range(min(ends), max(ends), part.exact, part.gapless and abs(factor) == 1)
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
        text = ""
        for atom, factor in self.terms:
            joint = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
            text += joint + (f"{abs(factor)}*{atom}" if abs(factor) != 1 else str(atom))
        if not text:
            return str(self.constant)
        if self.constant:
            text += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
        return text


class _Unary(Expression):
    """A function of one inner expression."""

    __slots__ = ("inner",)

    def __init__(self, inner: Expression) -> None:
        self.inner = inner

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return self.inner.variables


class AbsoluteValue(_Unary):
    """``abs(inner)``."""

    __slots__ = ()

    def value(self, assignment: Assignment) -> int:
        return abs(self.inner.value(assignment))

    def interval(self) -> Range:
        low, high, exact, gapless = self.inner.reach()
        if low >= 0:
            return Range(low, high, exact, gapless)
        if high <= 0:
            return Range(-high, -low, exact, gapless)
        return Range(0, max(high, -low), gapless, gapless)

    def __str__(self) -> str:
        return f"abs({self.inner})"


class Modulo(_Unary):
    """``inner % modulus`` with Python's meaning: the result is in ``0 .. modulus - 1`` (-1 % 4 is 3)."""

    __slots__ = ("modulus",)

    def __init__(self, inner: Expression, modulus: int) -> None:
        super().__init__(inner)
        self.modulus = modulus

    def value(self, assignment: Assignment) -> int:
        return self.inner.value(assignment) % self.modulus

    def interval(self) -> Range:
        low, high, exact, gapless = self.inner.reach()
        if low // self.modulus == high // self.modulus:
            return Range(low % self.modulus, high % self.modulus, exact, gapless)
        return Range(0, self.modulus - 1, gapless, gapless and high - low >= self.modulus - 1)

    def __str__(self) -> str:
        single = not isinstance(self.inner, Linear | CountOf)
        return f"{self.inner} % {self.modulus}" if single else f"({self.inner}) % {self.modulus}"


class Element(Expression):
    """``array[index]`` for an index that is itself an expression. Made by `element`."""

    __slots__ = ("array", "index")

    def __init__(self, array: tuple[Expression, ...], index: Expression) -> None:
        self.array = array
        self.index = index

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return distinct_variables((self.index, *self.array))

    def value(self, assignment: Assignment) -> int:
        return self.array[self.index.value(assignment)].value(assignment)

    def interval(self) -> Range:
        first, last = self.index.bounds
        entries = [entry.reach() for entry in self.array[first : last + 1]]
        low, high = min(entry.low for entry in entries), max(entry.high for entry in entries)
        return Range(low, high, exact=False, gapless=False)

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.array))}][{self.index}]"


class CountOf(Expression):
    """How many of `expressions` have the value of `target`. Made by `count_of`."""

    __slots__ = ("expressions", "target")

    def __init__(self, expressions: tuple[Expression, ...], target: Expression) -> None:
        self.expressions = expressions
        self.target = target

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return distinct_variables((*self.expressions, self.target))

    def value(self, assignment: Assignment) -> int:
        wanted = self.target.value(assignment)
        return sum(expression.value(assignment) == wanted for expression in self.expressions)

    def interval(self) -> Range:
        return Range(0, len(self.expressions), exact=False, gapless=False)

    def __str__(self) -> str:
        return f"count of {self.target} in [{', '.join(map(str, self.expressions))}]"


def element(array: Iterable[Any], index: Any) -> Expression:
    """Return the expression ``array[index]``.

    Parameters
    ----------
    array : iterable of int or expression
        The values to choose from, at least one.
    index : expression or int
        0-based; all its values must lie in ``0 .. len(array) - 1``.

    Raises
    ------
    InvalidValue
        The index can lie outside the array.
    """
    entries = tuple(as_expression(entry, f"element: array[{i}]") for i, entry in enumerate(items(array, "element")))
    position = as_expression(index, "element: index")
    if not entries:
        raise InvalidValue(f"element: the array has 0 entries, so there is none at {position}")
    low, high = position.bounds
    if low < 0 or high >= len(entries):
        raise InvalidValue(
            f"element: the index {position} takes values from {low} to {high}, but the array has {len(entries)} entries; "
            f"give its variables a domain within 0..{len(entries) - 1}"
        )
    return Element(entries, position)


def count_of(expressions: Iterable[Any], value: Any) -> Expression:
    """Return the expression that says how many of `expressions` equal `value` (an integer or an expression)."""
    counted = as_expressions(expressions, "count_of")
    return CountOf(counted, as_expression(value, "count_of: value"))


def as_expression(value: Any, what: str) -> Expression:
    """Return `value`, an expression or an integer, as an expression."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, Constraint):
        raise InvalidType(f"{what}: expected an expression, got the constraint '{value}'")
    return Linear((), integer(value, what))


def as_expressions(values: Any, what: str) -> tuple[Expression, ...]:
    """Return the entries of an iterable as expressions; nested lists and strings are refused."""
    return tuple(
        value if isinstance(value, Expression) else as_expression(value, f"{what}: entry {i}")
        for i, value in enumerate(items(values, what))
    )


def summand(value: Any, left: Expression, sign: str) -> int:
    """Return the integer operand of an arithmetic operator."""
    if type(value) is int and INT64_MIN <= value <= INT64_MAX:
        return value
    return integer(value, f"{left} {sign} {shown(value)}")


def compared(left: Expression, operator: str, right: Any) -> Comparison:
    """Return the relation ``left operator right``."""
    if isinstance(right, Expression):
        return Comparison(left, operator, right, Linear.sum_of(left, right, -1))
    if isinstance(right, Constraint | Logical):
        raise InvalidType(f"'{left} {operator} ({right})' compares a number with a relation; write implies() both ways")
    number = integer(right, f"{left} {operator} {shown(right)}")
    return Comparison(left, operator, number, Linear(left.terms, left.constant - number))


def disjoint_variables(expressions: Iterable[Expression]) -> bool:
    """Say whether no variable is mentioned by two of `expressions`."""
    seen: set[IntVar] = set()
    for expression in expressions:
        variables: Sequence[IntVar] = expression.variables
        if not seen.isdisjoint(variables):
            return False
        seen.update(variables)
    return True
