"""A Boolean form as linear inequalities over variables of 0 and 1, as OPB and LP files state them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nqueens_cp.formats.boolean import BooleanForm
from nqueens_cp.formats.clauses import TRUE, Sum


class Row(NamedTuple):
    """The sum of coefficient times Boolean variable, which is to be ``>=`` or ``=`` `bound`."""

    coefficients: dict[int, int]
    operator: str
    bound: int


def rows(form: BooleanForm) -> Iterator[Row]:
    """Yield the form as rows; a contradiction becomes one between two rows over the first variable."""
    for row in _rows(form):
        form.control.poll()
        if row.coefficients:
            yield row
        elif row.bound > 0 or (row.operator == "=" and row.bound):
            yield Row({1: 1}, ">=", 1)
            yield Row({1: -1}, ">=", 0)


def _rows(form: BooleanForm) -> Iterator[Row]:
    for clause in form.clauses:
        yield _number_of_true(clause, 1, ">=", 1)
    for group in form.exactly_one:
        yield _number_of_true(group, 1, "=", 1)
    for group in form.at_most_one:
        yield _number_of_true(group, -1, ">=", -1)
    for total in form.sums:
        yield from _sum_rows(total)


def _number_of_true(literals: tuple[int, ...], factor: int, operator: str, bound: int) -> Row:
    """Return the row that compares `factor` times the number of true literals with `bound`."""
    negative = sum(literal < 0 for literal in literals)
    return Row(
        {abs(literal): factor if literal > 0 else -factor for literal in literals}, operator, bound - factor * negative
    )


def _sum_rows(total: Sum) -> Iterator[Row]:
    coefficients, bound = total.terms()
    if total.literal == TRUE:
        yield Row(coefficients, "=" if total.operator == "==" else ">=", bound)
        return
    # Where the literal is false the first row is met by any values, and where it is true the second.
    shift = bound - total.bound
    low, high = sum(map(min, total.groups)) + shift, sum(map(max, total.groups)) + shift
    yield _with(coefficients, total.literal, low - bound, low)
    opposite = {number: -weight for number, weight in coefficients.items()}
    yield _with(opposite, total.literal, high - bound + 1, 1 - bound)


def _with(coefficients: dict[int, int], number: int, weight: int, bound: int) -> Row:
    together = coefficients | {number: coefficients.get(number, 0) + weight}
    return Row({number: weight for number, weight in together.items() if weight}, ">=", bound)
