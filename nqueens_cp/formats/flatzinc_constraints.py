"""What the constraints of FlatZinc mean, in the modelling language.

Each has a signature, a letter for each argument: ``i`` an integer, ``x`` an integer or an expression, ``b`` a truth value or a
variable of 0 and 1, ``S`` a set; ``I``, ``X`` and ``B`` arrays of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nqueens_cp.constraints import all_different, in_domain, lex_lesseq
from nqueens_cp.expressions import Expression
from nqueens_cp.formats.statements import (
    Number,
    TooLarge,
    Truths,
    all_of,
    any_of,
    both_or_none,
    element_at,
    implied,
    is_true,
    linear,
    member,
    opposite,
    quotient,
    remainder,
    table,
    tabulated_function,
)
from nqueens_cp.functions import count_of
from nqueens_cp.model import Model

MAX_SPLIT = 200
"""A product of two variables too large for a table is stated for each value of the smaller one, at most so many."""

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "le": lambda a, b: a <= b,
    "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
}


def _compared(name: str) -> Callable[..., Truths]:
    operation = OPERATIONS[name]
    return lambda a, b: operation(a, b)


def _linear_compared(name: str) -> Callable[..., Truths]:
    operation = OPERATIONS[name]
    return lambda factors, terms, bound: operation(linear(factors, terms), bound)


def _counted(name: str) -> Callable[..., Truths]:
    operation = OPERATIONS[name]
    return lambda terms, value, times: operation(times, count_of(terms, value))


def _largest(terms: list[Number], result: Number) -> Truths:
    return all_of([*(result >= term for term in terms), any_of(result == term for term in terms)])


def _smallest(terms: list[Number], result: Number) -> Truths:
    return all_of([*(result <= term for term in terms), any_of(result == term for term in terms)])


def _clause(positive: list[Number], negative: list[Number]) -> Truths:
    return any_of([*map(is_true, positive), *(opposite(is_true(term)) for term in negative)])


def _odd(terms: list[Number]) -> Truths:
    total: Any = sum(terms)
    odd: Truths = total % 2 == 1
    return odd


RELATIONS: dict[str, tuple[str, Callable[..., Truths]]] = {
    **{f"int_{name}": ("xx", _compared(name)) for name in OPERATIONS},
    **{f"bool_{name}": ("bb", _compared(name)) for name in OPERATIONS},
    **{f"int_lin_{name}": ("IXi", _linear_compared(name)) for name in OPERATIONS},
    **{f"bool_lin_{name}": ("IBx", _linear_compared(name)) for name in OPERATIONS},
    **{f"count_{name}": ("Xxx", _counted(name)) for name in ("eq", "lt", "gt")},
    "count_neq": ("Xxx", _counted("ne")),
    "count_leq": ("Xxx", _counted("le")),
    "count_geq": ("Xxx", _counted("ge")),
    "bool_not": ("bb", _compared("ne")),
    "bool2int": ("bx", _compared("eq")),
    "bool_clause": ("BB", _clause),
    "set_in": ("xS", member),
    "int_abs": ("xx", lambda a, b: abs(a) == b),
    "int_plus": ("xxx", lambda a, b, c: a + b == c),
    "int_max": ("xxx", lambda a, b, c: _largest([a, b], c)),
    "int_min": ("xxx", lambda a, b, c: _smallest([a, b], c)),
    "array_int_maximum": ("xX", lambda result, terms: _largest(terms, result)),
    "array_int_minimum": ("xX", lambda result, terms: _smallest(terms, result)),
    "array_bool_xor": ("B", _odd),
}
"""Those that can also be reified (``name_reif``) or implied (``name_imp``) by a further argument."""

DEFINED: dict[str, tuple[str, Callable[..., Truths]]] = {
    "bool_and": ("bbb", lambda a, b: all_of([is_true(a), is_true(b)])),
    "bool_or": ("bbb", lambda a, b: any_of([is_true(a), is_true(b)])),
    "bool_xor": ("bbb", lambda a, b: a != b),
    "array_bool_and": ("Bb", lambda terms: all_of(map(is_true, terms))),
    "array_bool_or": ("Bb", lambda terms: any_of(map(is_true, terms))),
}
"""Those whose last argument is true exactly where something of the others holds."""


def power(base: int, exponent: int) -> int | None:
    """Return the power rounded towards zero; None for one past 64 bits, and for a division by zero."""
    if exponent >= 0:
        return base**exponent if abs(base) <= 1 or exponent <= 64 else None  # None: past 64 bits
    return None if base == 0 else base ** (-exponent % 2) if abs(base) == 1 else 0


def _times(model: Model, a: Number, b: Number, result: Number) -> None:
    if not isinstance(a, Expression) or not isinstance(b, Expression):
        model.add(a * b == result)
        return
    try:
        tabulated_function(model, lambda x, y: x * y, (a, b), result)
    except TooLarge:
        few, other = sorted((a, b), key=lambda factor: factor.bounds[1] - factor.bounds[0])
        low, high = few.bounds
        if high - low >= MAX_SPLIT:
            raise
        for value in range(low, high + 1):
            model.add(implied(few == value, value * other == result))


def _divided(model: Model, a: Number, b: Number, result: Number) -> None:
    if not isinstance(b, Expression) and b > 0 and isinstance(a, Expression) and a.bounds[0] >= 0:
        model.add(b * result <= a, a <= b * result + (b - 1))
    else:
        tabulated_function(model, quotient, (a, b), result)


def _modulo(model: Model, a: Number, b: Number, result: Number) -> None:
    if not isinstance(b, Expression) and b > 0 and isinstance(a, Expression) and a.bounds[0] >= 0:
        model.add(a % b == result)
    else:
        tabulated_function(model, remainder, (a, b), result)


def _entry(model: Model, index: Number, array: list[Number], result: Number) -> None:
    model.add(element_at(model, array, index, first=1) == result)


def _table(model: Model, columns: list[Number], flat: list[int]) -> None:
    width = len(columns)
    if width == 0 or len(flat) % width:
        raise ValueError(f"a table of {len(flat)} numbers for {width} variables")
    table(model, columns, (flat[i : i + width] for i in range(0, len(flat), width)))


def _lexicographic(strict: bool) -> Callable[..., None]:
    def state(model: Model, left: list[Number], right: list[Number]) -> None:
        """The shorter of two lists comes first where it begins the longer, as MiniZinc has it."""
        size = min(len(left), len(right))
        shorter_first = len(left) < len(right) or (not strict and len(left) == len(right))
        tail: tuple[list[int], list[int]] = ([], []) if shorter_first else ([1], [0])
        model.add(lex_lesseq([*left[:size], *tail[0]], [*right[:size], *tail[1]]))

    return state


CONSTRAINTS: dict[str, tuple[str, Callable[..., None]]] = {
    "int_times": ("xxx", _times),
    "int_div": ("xxx", _divided),
    "int_mod": ("xxx", _modulo),
    "int_pow": ("xxx", lambda model, a, b, c: tabulated_function(model, power, (a, b), c)),
    "array_int_element": ("xIx", _entry),
    "array_var_int_element": ("xXx", _entry),
    "array_bool_element": ("xBb", _entry),
    "array_var_bool_element": ("xBb", _entry),
    "set_in": (
        "xS",
        lambda model, term, values: model.add(
            in_domain(term, values) if isinstance(values, frozenset) else member(term, values)
        ),
    ),
    "all_different_int": ("X", lambda model, terms: model.add(all_different(terms))),
    "table_int": ("XI", _table),
    "table_bool": ("BB", _table),
    **{f"lex_lesseq_{kind}": (2 * letter, _lexicographic(False)) for kind, letter in (("int", "X"), ("bool", "B"))},
    **{f"lex_less_{kind}": (2 * letter, _lexicographic(True)) for kind, letter in (("int", "X"), ("bool", "B"))},
}
"""Those that stand alone."""

PREFIXES = ("fzn_", "gecode_", "nqueens_cp_")
ALIASES = {
    "bool_eq_var": "bool_eq",
    "count": "count_eq",
    "array_int_lq": "lex_lesseq_int",
    "array_int_lt": "lex_less_int",
}


def plain_name(name: str) -> str:
    """Return the name of a constraint without the prefix of a solver's library."""
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    return ALIASES.get(name, name)


def find(name: str, size: int) -> tuple[str, Callable[..., Any]] | None:
    """Return signature and meaning, a function of a model and the arguments that states the constraint, or None.

    `size` tells ``bool_xor`` of two arguments from that of three.
    """
    name = plain_name(name)
    if name == "bool_xor" and size == 2:
        name = "bool_not"
    if name in CONSTRAINTS:
        return CONSTRAINTS[name]
    base, suffix = name, ""
    for ending in ("_reif", "_imp"):
        if name.endswith(ending):
            base, suffix = name.removesuffix(ending), ending
    base = base.removesuffix("_par") if base.startswith("count_") else base
    if base in DEFINED and suffix != "_reif":
        signature, relation = DEFINED[base]
    elif base in RELATIONS:
        signature, relation = RELATIONS[base]
        if not suffix:
            return signature, lambda model, *given: model.add(relation(*given))
        signature += "b"
    else:
        return None
    joined = implied if suffix == "_imp" else both_or_none
    return signature, lambda model, *given: model.add(joined(is_true(given[-1]), relation(*given[:-1])))
