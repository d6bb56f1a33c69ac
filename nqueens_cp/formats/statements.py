"""What readers of several formats build their constraints from.

Files mix numbers and variables freely, so a `Number` is an int or an expression, and a `Truths` a bool or a relation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import Any

from nqueens_cp.constraints import allowed_assignments, forbidden_assignments
from nqueens_cp.errors import UnsupportedModel
from nqueens_cp.expressions import Expression
from nqueens_cp.functions import element
from nqueens_cp.model import Model
from nqueens_cp.relations import And, Relation
from nqueens_cp.variables import IntVar

Number = Any  # int | Expression, on which Python's operators work alike
Truths = Relation | bool

MAX_TUPLES = 100_000
"""A function of variables is stated as a table over their domains, of at most so many tuples."""
MAX_RANGES = 1_000
"""A set in a combined relation may fall into so many ranges."""


class TooLarge(UnsupportedModel):
    """Variables have too large domains for the table that a constraint would need."""


def folded(number: Number) -> Number:
    """Return an expression without variables as the int that it is."""
    if isinstance(number, Expression) and not number.variables:
        return number.value({})
    return number


def linear(factors: Sequence[int], terms: Sequence[Number]) -> Number:
    """Return the sum of the products."""
    if len(factors) != len(terms):
        raise ValueError(f"{len(factors)} coefficients for {len(terms)} terms")
    return folded(sum(factor * term for factor, term in zip(factors, terms, strict=True) if factor))


def bounds(number: Number) -> tuple[int, int]:
    """Return the smallest and the largest value."""
    return number.bounds if isinstance(number, Expression) else (number, number)


def is_true(number: Number) -> Truths:
    """Return the truth of a number that is 0 or 1."""
    truth: Truths = number == 1
    return truth


def opposite(truth: Truths) -> Truths:
    """Return what holds exactly where `truth` does not."""
    return not truth if isinstance(truth, bool) else truth.negated()


def all_of(truths: Iterable[Truths]) -> Truths:
    """Return the conjunction."""
    parts: list[Relation] = []
    for truth in truths:
        if truth is False:
            return False
        if not isinstance(truth, bool):
            parts.append(truth)
    return And(parts) if len(parts) > 1 else parts[0] if parts else True


def any_of(truths: Iterable[Truths]) -> Truths:
    """Return the disjunction."""
    return opposite(all_of(map(opposite, truths)))


def implied(condition: Truths, consequence: Truths) -> Truths:
    """Return that `consequence` holds where `condition` does."""
    if isinstance(condition, bool):
        return consequence if condition else True
    if isinstance(consequence, bool):
        return True if consequence else condition.negated()
    return condition.implies(consequence)


def both_or_none(left: Truths, right: Truths) -> Truths:
    """Return that both hold or none does."""
    return all_of([implied(left, right), implied(opposite(left), opposite(right))])


def ranges(values: Iterable[int]) -> list[tuple[int, int]]:
    """Return a set as ranges, each by its first and last value, ascending."""
    if isinstance(values, range):
        return [(values[0], values[-1])] if values else []
    found: list[tuple[int, int]] = []
    for value in sorted(values):
        if found and found[-1][1] == value - 1:
            found[-1] = found[-1][0], value
        else:
            found.append((value, value))
    return found


def member(number: Number, values: Iterable[int]) -> Truths:
    """Return the relation that a number is in a set; `in_domain` cannot be combined."""
    pieces = ranges(values)
    if len(pieces) > MAX_RANGES:
        raise TooLarge(
            f"a set of {len(pieces)} separate ranges in a combined relation is too large (at most {MAX_RANGES})"
        )
    low, high = bounds(number)
    return any_of(
        number == first if first == last else all_of([first <= low or number >= first, high <= last or number <= last])
        for first, last in pieces
    )


def values_of(number: Number) -> Sequence[int]:
    """Return the values that a number can take, or some more, ascending or descending."""
    if not isinstance(number, Expression):
        return (number,)
    affine = number.as_affine()
    variable, factor, constant = affine or (number, 0, 0)
    if isinstance(variable, IntVar):
        if factor == 1 and constant == 0:
            return variable.domain
        if len(variable.domain) <= MAX_TUPLES:
            return [factor * value + constant for value in variable.domain]
    low, high = number.bounds
    return range(low, high + 1)


def as_variable(model: Model, number: Expression) -> IntVar:
    """Return the variable that an expression is, or a new one that equals it."""
    if isinstance(number, IntVar):
        return number
    low, high = number.bounds
    variable = model.int_var(f"#{len(model.variables)}", range(low, high + 1))
    model.add(variable == number)
    return variable


def table(model: Model, columns: Sequence[Number], rows: Iterable[Sequence[int]], *, allowed: bool = True) -> None:
    """State that the columns, numbers or expressions, form one of the rows, or none of them."""
    places: list[tuple[int, IntVar, int, int]] = []  # column, variable, and the column's factor and constant
    fixed: list[tuple[int, int]] = []
    for i, column in enumerate(columns):
        if not isinstance(column, Expression):
            fixed.append((i, column))
            continue
        affine = column.as_affine()
        if affine is None or not isinstance(affine[0], IntVar):
            affine = as_variable(model, column), 1, 0
        places.append((i, affine[0], affine[1], affine[2]))  # type: ignore[arg-type]
    kept = [
        tuple((row[i] - constant) // factor for i, _, factor, constant in places)
        for row in rows
        if all(row[i] == value for i, value in fixed) and all((row[i] - c) % f == 0 for i, _, f, c in places)
    ]
    if not places:
        model.add(bool(kept) is allowed)
    else:
        state = allowed_assignments if allowed else forbidden_assignments
        model.add(state([variable for _, variable, _, _ in places], kept))


def tabulated_function(
    model: Model, function: Callable[..., int | None], arguments: Sequence[Number], result: Number | None = None
) -> Number:
    """State ``function(arguments) == result`` as a table, where nothing holds if the function gives None; return the result.

    Without a result a new variable is made for it.

    Raises
    ------
    TooLarge
        There are more than `MAX_TUPLES` combinations of the arguments.
    """
    domains = [values_of(argument) for argument in arguments]
    size = prod(map(_length, domains))
    if size > MAX_TUPLES:
        raise TooLarge(f"its arguments have {size:,} combinations of values, and at most {MAX_TUPLES:,} are tabulated")
    rows = [(*values, found) for values in product(*domains) if (found := function(*values)) is not None]
    if result is None:
        result = model.int_var(f"#{len(model.variables)}", {row[-1] for row in rows} or (0,))
    low, high = bounds(result)
    table(model, [*arguments, result], [row for row in rows if low <= row[-1] <= high])
    return result


def quotient(dividend: int, divisor: int) -> int | None:
    """Return the quotient rounded towards zero, as other tools have it; None for a division by zero."""
    if divisor == 0:
        return None
    return abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)


def remainder(dividend: int, divisor: int) -> int | None:
    """Return what `quotient` leaves; it has the sign of the dividend."""
    whole = quotient(dividend, divisor)
    return None if whole is None else dividend - whole * divisor


def _length(values: Sequence[int]) -> int:
    return values[-1] - values[0] + 1 if isinstance(values, range) else len(values)  # len() stops at 64 bits


def element_at(model: Model, array: Sequence[Number], index: Number, first: int) -> Number:
    """Return the entry of an array whose first index is `first`, and state that the index is within the array."""
    last = first + len(array) - 1
    low, high = bounds(index)
    if low > last or high < first:
        model.add(False)
        return 0
    if not isinstance(index, Expression):
        return array[index - first]
    if low < first:
        model.add(index >= first)
    if high > last:
        model.add(index <= last)
    if high - low >= MAX_TUPLES + len(array):
        raise TooLarge(f"the index takes values from {low} to {high}, and the array has {len(array)} entries")
    return element([array[min(max(i, first), last) - first] for i in range(low, high + 1)], index - low)
