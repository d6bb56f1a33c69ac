"""Integer decision variables and their domains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from nqueens_cp.checks import INT64_MAX, integer, items, shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.expressions import Expression, Range
from nqueens_cp.relations import Assignment, Columns, Logical, Relation, shorten

MAX_LISTED_VALUES = 1_000_000
"""A domain that is not a plain range holds at most this many values."""

Domain = range | tuple[int, ...]


class IntVar(Expression):
    """An integer decision variable. Made by `Model.int_var`; compared by identity, never by name.

    Attributes
    ----------
    name : str
        Unique in its model.
    domain : range or tuple of int
        Its possible values, ascending, each once.
    index : int
        Its place in ``model.variables``.
    """

    __slots__ = ("domain", "index", "name")

    def __init__(self, name: str, domain: Domain, index: int) -> None:
        self.name = name
        self.domain = domain
        self.index = index

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return (self,)

    def value(self, assignment: Assignment) -> int:
        return assignment[self]

    def values(self, columns: Columns) -> Sequence[int]:
        return columns[self]

    def outer_bounds(self) -> tuple[int, int]:
        return self.domain[0], self.domain[-1]

    def interval(self) -> Range:
        low, high = self.domain[0], self.domain[-1]
        return Range(low, high, exact=True, gapless=high - low + 1 == len(self.domain))

    def __str__(self) -> str:
        return self.name


class BoolVar(IntVar, Logical):
    """A variable with the values 0 and 1 that can also stand as a relation, meaning that it is 1."""

    __slots__ = ()

    def as_relation(self) -> Relation:
        return self == 1


class VariableArray(Sequence[IntVar]):
    """The variables made by one call of `Model.int_vars`: a sequence with a name. Compared by identity."""

    __slots__ = ("name", "variables")

    def __init__(self, name: str, variables: tuple[IntVar, ...]) -> None:
        self.name = name
        self.variables = variables

    @overload
    def __getitem__(self, index: int) -> IntVar: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[IntVar, ...]: ...
    def __getitem__(self, index: int | slice) -> IntVar | tuple[IntVar, ...]:
        return self.variables[index]

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[IntVar]:
        return iter(self.variables)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise InvalidType(
            f"the array {self.name!r} cannot be compared with == or !=; state a relation for each variable, as in "
            "model.add(*(x == y for x, y in zip(array, values)))"
        )

    __ne__ = __eq__

    def __contains__(self, value: object) -> bool:
        return any(variable is value for variable in self.variables)

    def __repr__(self) -> str:
        return f"<VariableArray {self.name} of {len(self)}>"


def checked_domain(domain: Any, what: str) -> Domain:
    """Return a domain as an ascending range where it has no gaps, otherwise as an ascending tuple."""
    if type(domain) is range and domain and domain.step == 1:
        first, last = integer(domain[0], f"{what}: domain"), integer(domain[-1], f"{what}: domain")
        if last - first >= INT64_MAX:
            raise InvalidValue(f"{what}: the domain {shown(domain)} has more than {INT64_MAX} values")
        return domain
    values: set[int] = set()
    for value in items(domain, f"{what}: domain"):
        values.add(integer(value, f"{what}: domain"))
        if len(values) > MAX_LISTED_VALUES:
            raise InvalidValue(
                f"{what}: a listed domain holds at most {MAX_LISTED_VALUES} values; a range may be longer"
            )
    if not values:
        raise InvalidValue(f"{what}: the domain {shown(domain)} is empty; a variable needs at least one value")
    ascending = tuple(sorted(values))
    gapless = ascending[-1] - ascending[0] + 1 == len(ascending)
    return range(ascending[0], ascending[-1] + 1) if gapless else ascending


def domain_text(domain: Domain) -> str:
    """Return a domain as text, such as ``0..7`` or ``{1, 3, 5}``."""
    if isinstance(domain, range):
        return f"{domain[0]}..{domain[-1]}" if len(domain) > 1 else f"{{{domain[0]}}}"
    return f"{{{shorten(', '.join(map(str, domain)))}}}"
