"""The values of variables that a FlatZinc file declares without bounds, as they follow from its constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from math import prod
from typing import Any, NamedTuple

from nqueens_cp.checks import INT64_MAX
from nqueens_cp.formats.flatzinc_constraints import plain_name, power
from nqueens_cp.formats.flatzinc_definitions import Domains, linear_equations
from nqueens_cp.formats.flatzinc_syntax import Name, Program
from nqueens_cp.formats.statements import quotient, remainder

Values = Sequence[int]

MOST_VALUES = 10_000
"""A function is computed for so many combinations of arguments; of more only the smallest and the largest value."""
LARGEST_EXPONENT = 64
"""Past it nothing but 0 and 1 has a power of 64 bits."""

FUNCTIONS: dict[str, Callable[..., int | None]] = {
    "int_eq": lambda a: a,
    "bool2int": lambda a: a,
    "int_abs": abs,
    "int_plus": lambda a, b: a + b,
    "int_times": lambda a, b: a * b,
    "int_div": quotient,
    "int_mod": remainder,
    "int_pow": power,
    "int_max": max,
    "int_min": min,
}
"""Constraints that state the value of a function, their last argument."""


class _Question(NamedTuple):
    """A variable, and a function that returns its values, or None while those of others are not known."""

    name: str
    values: Callable[[], Values | None]


def bound_variables(program: Program, values: Mapping[str, Any], domains: Domains) -> list[str]:
    """Give variables without bounds those that constraints imply; return those that still have none.

    `values` holds the parameters. A variable that is declared to equal another needs no bounds.
    """
    if all(domain is not None for domain in domains.values()):
        return []
    waiting = list(_Questions(program, values, domains).all())
    found = True
    while found:
        found = False
        for question in waiting:
            answer = question.values() if domains[question.name] is None else None
            if answer is not None and (not answer or max(abs(answer[0]), abs(answer[-1])) <= INT64_MAX // 2):
                domains[question.name] = answer if isinstance(answer, range) else tuple(answer)
                found = True
        waiting = [question for question in waiting if domains[question.name] is None]
    return [name for name, domain in domains.items() if domain is None and program.declarations[name].value is None]


class _Questions:
    def __init__(self, program: Program, values: Mapping[str, Any], domains: Domains) -> None:
        self.program = program
        self.values = values
        self.domains = domains

    def all(self) -> Iterator[_Question]:
        for _, pairs, right in linear_equations(self.program, self.values, self.domains):
            for place, (factor, name) in enumerate(pairs):
                if factor and self._is_unknown(Name(name)) and sum(name == other for _, other in pairs) == 1:
                    yield _Question(name, partial(self._term, pairs[:place] + pairs[place + 1 :], factor, right))
        for statement in self.program.statements:
            yield from self._of_function(plain_name(statement.name), statement.arguments)

    def _of_function(self, name: str, arguments: list[Any]) -> Iterator[_Question]:
        if not arguments:
            return
        first, last = arguments[0], arguments[-1]
        if name in FUNCTIONS and self._is_unknown(last):
            yield _Question(last, partial(self._function, name, arguments[:-1]))
        elif name == "int_eq" and self._is_unknown(first):
            yield _Question(first, partial(self._function, name, arguments[1:]))
        elif name in ("array_int_maximum", "array_int_minimum") and self._is_unknown(first):
            yield _Question(first, partial(self._one_of, self._entries(last)))
        elif name in ("array_int_element", "array_var_int_element") and self._is_unknown(last):
            yield _Question(last, partial(self._one_of, self._entries(arguments[-2])))
        elif name in ("count_eq", "count_eq_par") and self._is_unknown(last):
            yield _Question(last, partial(range, len(self._entries(first)) + 1))

    def _is_unknown(self, argument: Any) -> bool:
        return isinstance(argument, Name) and argument in self.domains and self.domains[argument] is None

    def _entries(self, array: Any) -> list[Any]:
        if isinstance(array, Name) and array in self.program.declarations:
            array = self.program.declarations[array].value
        return array if isinstance(array, list) else []

    def _all_domains(self, arguments: list[Any]) -> list[Values] | None:
        """Return the values of each argument, a number or a variable, if all are known."""
        found: list[Values] = []
        for argument in arguments:
            number = self.values.get(argument) if isinstance(argument, Name) else argument
            domain = (int(number),) if isinstance(number, int) else self.domains.get(argument)
            if domain is None:
                return None
            found.append(domain)
        return found

    def _function(self, name: str, arguments: list[Any]) -> Values | None:
        domains = self._all_domains(arguments)
        return None if domains is None else _image(name, domains)

    def _one_of(self, arguments: list[Any]) -> Values | None:
        domains = self._all_domains(arguments)
        return None if domains is None else _union([domain for domain in domains if domain])

    def _term(self, others: list[tuple[int, str]], factor: int, right: int) -> Values | None:
        low = high = right
        for times, other in others:
            domain = self.domains[other]
            if domain is None:
                return None
            ends = sorted((times * domain[0], times * domain[-1])) if domain else (0, 0)
            low, high = low - ends[1], high - ends[0]
        if factor < 0:
            low, high = -high, -low
        return range(-(-low // abs(factor)), high // abs(factor) + 1)


def _image(name: str, domains: list[Values]) -> Values:
    """Return the values of a function, or a range around them."""
    if not all(domains):
        return ()
    function = FUNCTIONS[name]
    exact = prod(each[-1] - each[0] + 1 if isinstance(each, range) else len(each) for each in domains) <= MOST_VALUES
    if name == "int_mod" and not exact:
        (low, high), most = (domains[0][0], domains[0][-1]), max(abs(domains[1][0]), abs(domains[1][-1])) - 1
        return range(max(-most, min(low, 0)), min(most, max(high, 0)) + 1)
    if name == "int_pow":
        last = min(domains[1][-1], LARGEST_EXPONENT)
        domains[1] = range(min(domains[1][0], last - 1), last + 1)
    points = domains if exact else [_turning_points(each) for each in domains]
    found = {value for each in product(*points) if (value := function(*each)) is not None}
    return sorted(found) if exact or not found else range(min(found), max(found) + 1)


def _turning_points(domain: Values) -> list[int]:
    """Return those values between which each of the functions but the remainder is monotone."""
    low, high = domain[0], domain[-1]
    return [value for value in {low, low + 1, -1, 0, 1, high - 1, high} if low <= value <= high]


def _union(domains: list[Values]) -> Values:
    """Return the values of any of the domains, or a range around them."""
    if not domains:
        return ()
    if sum(each[-1] - each[0] + 1 for each in domains) <= MOST_VALUES:
        return sorted(set(chain.from_iterable(domains)))
    return range(min(each[0] for each in domains), max(each[-1] for each in domains) + 1)
