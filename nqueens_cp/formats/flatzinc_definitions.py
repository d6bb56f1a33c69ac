"""What a FlatZinc file says of its variables through its constraints: helpers that are functions of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, NamedTuple

from nqueens_cp.expressions import Expression
from nqueens_cp.formats.flatzinc_constraints import plain_name
from nqueens_cp.formats.flatzinc_syntax import Call, Name, Program, Statement
from nqueens_cp.formats.statements import linear
from nqueens_cp.variables import IntVar

Domains = MutableMapping[str, range | tuple[int, ...] | None]
"""The values of each variable, None where it has no bounds."""

EQUATIONS = ("int_plus", "int_eq", "bool_eq", "bool_not", "bool_xor", "bool2int")
"""Constraints in which any one argument follows from the others."""
FUNCTIONS = (
    "int_abs",
    "int_times",
    "int_div",
    "int_mod",
    "int_pow",
    "int_max",
    "int_min",
    "bool_and",
    "bool_or",
    "array_bool_and",
    "array_bool_or",
    "count_eq",
    "count_eq_par",
    "array_int_element",
    "array_var_int_element",
    "array_bool_element",
    "array_var_bool_element",
)
"""Constraints in which the last argument follows from the others."""


class Definition(NamedTuple):
    """A helper is ``factor * other + constant``, as `statement` says."""

    other: str
    factor: int
    constant: int
    statement: Statement


def defined_by(statement: Statement) -> str | None:
    """Return the variable that a constraint defines by its annotation, if any."""
    for annotation in statement.annotations:
        if isinstance(annotation, Call) and annotation.name == "defines_var" and len(annotation.arguments) == 1:
            return str(annotation.arguments[0])
    return None


def is_function(name: str, arguments: list[Any], result: IntVar) -> bool:
    """Say whether `result`, a variable among the arguments of a constraint, follows from the others."""
    name = plain_name(name)
    if name == "int_lin_eq":
        total = linear(arguments[0], arguments[1])
        return isinstance(total, Expression) and result in dict(total.terms)
    if name in EQUATIONS:
        return sum(argument is result for argument in arguments) == 1
    place = 0 if name in ("array_int_maximum", "array_int_minimum") else -1
    known = place == 0 or name in FUNCTIONS or name.endswith("_reif")
    return known and arguments[place] is result


def find_definitions(program: Program, values: Mapping[str, Any], domains: Domains) -> dict[str, Definition]:
    """Return the helpers that are an affine function of one other variable."""
    definitions: dict[str, Definition] = {}
    for statement, pairs, right in linear_equations(program, values, domains):
        name = defined_by(statement)
        factors = {other: factor for factor, other in pairs}
        if name is None or len(pairs) != 2 or len(factors) != 2 or factors.get(name) not in (1, -1):
            continue
        own = factors.pop(name)
        ((other, factor),) = factors.items()
        if factor and _is_helper(program, name):
            definitions.setdefault(name, Definition(other, -own * factor, own * right, statement))
    for statement in program.statements:
        name = defined_by(statement)
        if plain_name(statement.name) != "bool2int" or name is None or len(statement.arguments) != 2:
            continue
        other = statement.arguments[0]
        if isinstance(other, Name) and other in domains and other != name and _is_helper(program, name):
            definitions.setdefault(name, Definition(str(other), 1, 0, statement))
    return _without_circles(definitions)


def _without_circles(definitions: dict[str, Definition]) -> dict[str, Definition]:
    """Return the definitions that lead to a variable; those of a circle are constraints like any others."""
    sound: dict[str, bool] = {}
    for name in definitions:
        chain = dict.fromkeys([name])
        other = name
        while other in definitions and other not in sound:
            other = definitions[other].other
            if other in chain:
                break
            chain[other] = None
        leads = sound.get(other, other not in definitions)
        sound.update(dict.fromkeys(chain, leads))
    return {name: definition for name, definition in definitions.items() if sound[name]}


def _is_helper(program: Program, name: str) -> bool:
    declared = program.declarations.get(name)
    return (
        declared is not None
        and declared.value is None
        and "var_is_introduced" in declared.annotations
        and "is_defined_var" in declared.annotations
    )


def linear_equations(
    program: Program, values: Mapping[str, Any], domains: Domains
) -> Iterable[tuple[Statement, list[tuple[int, str]], int]]:
    """Yield each int_lin_eq that can be read so far: its terms, constants moved to the right, and its right side."""
    for statement in program.statements:
        if plain_name(statement.name) != "int_lin_eq" or len(statement.arguments) != 3:
            continue
        factors, terms, right = statement.arguments
        factors = values.get(factors) if isinstance(factors, Name) else factors
        right = values.get(right) if isinstance(right, Name) else right
        if isinstance(terms, Name) and terms in program.declarations:
            terms = program.declarations[terms].value
        if not (isinstance(factors, list) and isinstance(terms, list) and isinstance(right, int)):
            continue
        if len(factors) != len(terms) or not all(type(factor) is int for factor in factors):
            continue
        pairs: list[tuple[int, str]] = []
        for factor, term in zip(factors, terms, strict=True):
            number = values.get(term) if isinstance(term, Name) else term
            if isinstance(number, int):
                right -= factor * number
            elif isinstance(term, Name) and term in domains:
                pairs.append((factor, str(term)))
            else:
                break
        else:
            yield statement, pairs, right
