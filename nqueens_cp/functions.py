"""The non-linear expressions: absolute value, floor modulo, `element` (an entry of an array) and `count_of`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add, eq
from typing import TYPE_CHECKING, Any

from nqueens_cp.errors import InvalidValue
from nqueens_cp.expressions import Expression, Range, as_expression, as_expressions, rows_of
from nqueens_cp.relations import Assignment, Columns, depth_above, distinct_variables

if TYPE_CHECKING:
    from nqueens_cp.variables import IntVar


class _Function(Expression):
    """A function of expressions."""

    __slots__ = ("_depth",)

    def __init__(self, *arguments: Expression) -> None:
        self._depth = depth_above(arguments)

    @property
    def depth(self) -> int:
        return self._depth


class _Unary(_Function):
    """A function of one inner expression."""

    __slots__ = ("inner",)

    def __init__(self, inner: Expression) -> None:
        super().__init__(inner)
        self.inner = inner

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return self.inner.variables


class AbsoluteValue(_Unary):
    """``abs(inner)``."""

    __slots__ = ()

    def value(self, assignment: Assignment) -> int:
        return abs(self.inner.value(assignment))

    def values(self, columns: Columns) -> Sequence[int]:
        return list(map(abs, self.inner.values(columns)))

    def outer_bounds(self) -> tuple[int, int]:
        low, high = self.inner.outer_bounds()
        return max(0, low, -high), max(high, -low)

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

    def values(self, columns: Columns) -> Sequence[int]:
        modulus = self.modulus
        return [value % modulus for value in self.inner.values(columns)]

    def outer_bounds(self) -> tuple[int, int]:
        return 0, self.modulus - 1

    def interval(self) -> Range:
        low, high, exact, gapless = self.inner.reach()
        if low // self.modulus == high // self.modulus:
            return Range(low % self.modulus, high % self.modulus, exact, gapless)
        return Range(0, self.modulus - 1, gapless, gapless and high - low >= self.modulus - 1)

    def __str__(self) -> str:
        return f"({self.inner}) % {self.modulus}" if self.inner.needs_brackets else f"{self.inner} % {self.modulus}"


class Element(_Function):
    """``array[index]`` for an index that is itself an expression. Made by `element`.

    Attributes
    ----------
    numbers : tuple of int or None
        The entries, if all are plain numbers.
    """

    __slots__ = ("array", "index", "numbers")

    def __init__(self, array: tuple[Expression, ...], index: Expression) -> None:
        super().__init__(*array, index)
        self.array = array
        self.index = index
        numbers = tuple([entry.constant for entry in array if not entry.terms])
        self.numbers = numbers if len(numbers) == len(array) else None

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return self.index.variables if self.numbers else distinct_variables((self.index, *self.array))

    def value(self, assignment: Assignment) -> int:
        return self.array[self.index.value(assignment)].value(assignment)

    def values(self, columns: Columns) -> Sequence[int]:
        index = self.index.values(columns)
        if self.numbers:
            return [self.numbers[i] for i in index]
        entries = {i: self.array[i].values(columns) for i in set(index)}
        return [entries[i][row] for row, i in enumerate(index)]

    def outer_bounds(self) -> tuple[int, int]:
        if self.numbers:
            return min(self.numbers), max(self.numbers)
        ends = [entry.outer_bounds() for entry in self.array]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def interval(self) -> Range:
        first, last = self.index.bounds
        entries = [entry.reach() for entry in self.array[first : last + 1]]
        low, high = min(entry.low for entry in entries), max(entry.high for entry in entries)
        return Range(low, high, exact=False, gapless=False)

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.array))}][{self.index}]"


class CountOf(_Function):
    """How many of `expressions` have the value of `target`. Made by `count_of`."""

    __slots__ = ("expressions", "target")
    needs_brackets = True

    def __init__(self, expressions: tuple[Expression, ...], target: Expression) -> None:
        super().__init__(*expressions, target)
        self.expressions = expressions
        self.target = target

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return distinct_variables((*self.expressions, self.target))

    def value(self, assignment: Assignment) -> int:
        wanted = self.target.value(assignment)
        return sum(expression.value(assignment) == wanted for expression in self.expressions)

    def values(self, columns: Columns) -> Sequence[int]:
        counts = [0] * rows_of(columns)
        wanted = self.target.values(columns)
        for expression in self.expressions:
            counts = list(map(add, counts, map(eq, expression.values(columns), wanted)))
        return counts

    def outer_bounds(self) -> tuple[int, int]:
        return 0, len(self.expressions)

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
    entries = as_expressions(array, "element", "array[{}]")
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
