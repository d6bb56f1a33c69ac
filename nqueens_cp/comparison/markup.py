"""What the parts of the HTML page share: figures in words, and the cells that hold them."""

from __future__ import annotations

import re
from collections.abc import Callable

from nqueens_cp.comparison.measure import SOLVING
from nqueens_cp.comparison.records import Row, Spread
from nqueens_cp.relations import shorten
from nqueens_cp.webpage import number_cell, text_of

NOTHING = "\N{EN DASH}"
STOPPED = ("timeout", "memory")


def spread_cell(spread: Spread | None, written: Callable[[float], str]) -> str:
    """Return a cell with the median and, below it, the range of repeated measurements."""
    if spread is None:
        return number_cell(NOTHING)
    around = range_text(spread, written)
    below = f"<span class='least'>{text_of(around)}</span>" if around else ""
    return f"<td class='number'>{text_of(written(spread.median))}{below}</td>"


def range_text(spread: Spread, written: Callable[[float], str]) -> str:
    """Return the least and the most of repeated measurements, or nothing where they are the same."""
    least, most = written(spread.least), written(spread.most)
    if least == most:
        return ""
    if least.partition(" ")[2] == most.partition(" ")[2]:
        least = least.partition(" ")[0]  # the unit is said once
    return f"{least} to {most}"


def answer_of(row: Row, task: str) -> str:
    """Return what a backend answered; what a limit stopped is a lower bound."""
    if task in SOLVING:
        if row.status not in ("satisfied", "optimal", "unsatisfiable", *STOPPED):
            return NOTHING
        objective = "" if row.objective is None else f", objective {row.objective}"
        if row.status in STOPPED:
            return f"found{objective} so far" if row.solutions else "none yet"
        return row.status + objective
    if row.solutions is None:
        return NOTHING
    return f"{'' if row.is_complete else 'at least '}{row.solutions:,}"


def seconds_text(seconds: float | None) -> str:
    """Return a time in the unit that suits it."""
    if seconds is None:
        return NOTHING
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * factor:
            return f"{three_digits(seconds / factor)} {unit}"
    return f"{three_digits(seconds / 1e-9)} ns" if seconds else "0 s"


def short_text(number: float) -> str:
    """Return a number in thousands, millions or thousand millions."""
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= 0.9995 * factor:
            return f"{three_digits(number / factor)}{unit}"
    return three_digits(number)


def mib_text(number: float) -> str:
    """Return an amount of memory."""
    return f"{three_digits(number)} MiB"


def three_digits(number: float) -> str:
    """Return three significant digits, or all digits of a larger number."""
    return f"{number:,.0f}" if number >= 99.95 else f"{number:#.3g}"


def round_text(figure: str) -> str:
    """Return a round figure without the zeros behind its point."""
    return re.sub(r"\.0+(?!\d)", "", figure)


def count_text(number: object) -> str:
    """Return a count with its thousands set apart."""
    return NOTHING if number is None else shorten(f"{number:,}" if isinstance(number, int) else str(number), 30)
