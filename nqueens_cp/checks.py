"""Checks of values where they come in. Every message names the thing, the value and the way out."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from typing import Any

from nqueens_cp.errors import InvalidType, InvalidValue

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
MAX_SEED = 2**31 - 1


def integer(value: Any, what: str) -> int:
    """Return `value` as an int: Python and NumPy integers of at most 64 bits pass, bools, floats and strings do not."""
    if type(value) is not int:
        if isinstance(value, bool) or is_numpy_truth(value):
            raise InvalidType(f"{what}: expected an integer, got the truth value {value!r}; write 0 or 1")
        try:
            value = operator.index(value)
        except TypeError:
            raise InvalidType(f"{what}: expected an integer, got {shown(value)} ({type(value).__name__})") from None
    if not INT64_MIN <= value <= INT64_MAX:
        raise InvalidValue(f"{what}: {shown(value)} does not fit into 64 bits")
    return value  # type: ignore[no-any-return]


def integer_at_least(value: Any, least: int, what: str) -> int:
    """Return `value` as an int, refusing what is below `least`."""
    number = integer(value, what)
    if number < least:
        raise InvalidValue(f"{what}: {number} is too small; it must be at least {least}")
    return number


def is_numpy_truth(value: Any) -> bool:
    """Say whether `value` is a NumPy truth value, without importing NumPy."""
    return type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")


def truth(value: Any, what: str) -> bool:
    """Return `value`, True or False."""
    if value is True or value is False:
        return value
    if is_numpy_truth(value):
        return bool(value)
    raise InvalidType(f"{what}: expected True or False, got {shown(value)} ({type(value).__name__})")


def seconds(value: Any, what: str) -> float | None:
    """Return a time limit in seconds as a float; None means no limit."""
    if value is None:
        return None
    if isinstance(value, bool | str | bytes) or not hasattr(type(value), "__float__"):
        raise InvalidType(f"{what}: expected seconds as an int or float, got {shown(value)} ({type(value).__name__})")
    try:
        number = float(value)
    except (OverflowError, ValueError, TypeError):
        raise InvalidValue(f"{what}: {shown(value)} is no number of seconds") from None
    if not (number > 0 and math.isfinite(number)):
        raise InvalidValue(f"{what}: {value!r} is not a positive number of seconds; for no limit leave it out")
    return number


def items(values: Any, what: str) -> Iterator[Any]:
    """Iterate over `values`, refusing None, strings and everything that is not iterable."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidType(f"{what}: expected a list or another iterable, got {shown(values)} ({type(values).__name__})")
    return iter(values)


def square(value: Any, what: str) -> tuple[int, int]:
    """Return one square of a board as (row, column), both 0-based."""
    pair = tuple(items(value, f"{what}: a square is a pair (row, column)"))
    if len(pair) != 2:
        raise InvalidValue(f"{what}: a square is a pair (row, column), got {shown(value)}")
    return integer(pair[0], f"{what}: row"), integer(pair[1], f"{what}: column")


def shown(value: Any) -> str:
    """Return `repr(value)`, cut short where it would flood a message; integers too long for decimal are said so."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print integers of more than some thousand digits
        return f"an integer of {value.bit_length()} bits"
    return text if len(text) <= 80 else text[:60] + "..." + text[-16:]


def counted(number: int, noun: str) -> str:
    """Return a number of things: 1 step, 2 steps."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
