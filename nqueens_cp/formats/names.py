"""The names of a problem's variables as identifiers of another format, with the variables of one name as arrays."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import product
from math import prod
from typing import NamedTuple

from nqueens_cp.model import Problem
from nqueens_cp.variables import IntVar

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
INDEXED = re.compile(r"([^\[\]]+)((?:\[[0-9]+(?:, ?[0-9]+)*\])+)")  # square[0,3] or square[0][3]


class Array(NamedTuple):
    """Variables of one domain that are named by 0-based indices, the last index running fastest."""

    identifier: str
    sizes: tuple[int, ...]
    variables: tuple[IntVar, ...]


class Place(NamedTuple):
    """How a variable is called: an identifier, with indices if it is a member of an array."""

    identifier: str
    indices: tuple[int, ...]


class Names:
    """The identifiers of a problem's variables.

    A name that is no identifier in the format is replaced by a similar one. Single variables named ``square[0,0]``,
    ``square[0,1]`` and so on become an array if they fill it.

    Attributes
    ----------
    arrays : list of Array
        In the order of their first variables.
    single : list of (str, IntVar)
        The variables that stand alone, with their identifiers.
    places : dict of IntVar to Place
        Where each variable is found.
    original : dict of str to str
        For each identifier, the name in the model.
    """

    def __init__(self, problem: Problem, reserved: Collection[str]) -> None:
        groups: dict[str, tuple[tuple[int, ...], tuple[IntVar, ...]]]
        groups = {array.name: ((len(array),), array.variables) for array in problem.arrays if array.variables}
        held = {variable for _, members in groups.values() for variable in members}
        lone = [variable for variable in problem.variables if variable not in held]
        taken = {*groups, *(variable.name for variable in lone)}
        groups |= {name: grid for name, grid in _grids(lone).items() if name not in taken}
        held = {variable for _, members in groups.values() for variable in members}
        lone = [variable for variable in lone if variable not in held]

        identifiers = _identifiers([*groups, *(variable.name for variable in lone)], reserved)
        self.original = {identifier: name for name, identifier in identifiers.items()}
        self.arrays = [Array(identifiers[name], *grid) for name, grid in groups.items()]
        self.arrays.sort(key=lambda array: array.variables[0].index)
        self.single = [(identifiers[variable.name], variable) for variable in lone]
        self.places = {variable: Place(identifier, ()) for identifier, variable in self.single}
        for array in self.arrays:
            everywhere = product(*map(range, array.sizes))
            for variable, indices in zip(array.variables, everywhere, strict=True):
                self.places[variable] = Place(array.identifier, indices)

    def remark(self, identifier: str) -> str:
        """Return the model's own name where the identifier differs from it, otherwise an empty text."""
        name = self.original[identifier]
        return "" if name == identifier else one_line(name)

    def whole_array(self, variables: Iterable[object]) -> Array | None:
        """Return the array of which these are all the members in order, if there is one."""
        members = tuple(variables)
        for array in self.arrays:
            if len(members) == len(array.variables) and all(map(lambda a, b: a is b, members, array.variables)):
                return array
        return None


def one_line(text: str) -> str:
    """Return a text without line breaks or other control characters, fit for a comment."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _grids(variables: Iterable[IntVar]) -> dict[str, tuple[tuple[int, ...], tuple[IntVar, ...]]]:
    """Return for each base name whose members fill an array its sizes and its members."""
    found: dict[str, list[tuple[tuple[int, ...], IntVar]]] = {}
    for variable in variables:
        match = INDEXED.fullmatch(variable.name)
        if match is not None:
            indices = tuple(map(int, re.findall(r"[0-9]+", match[2])))
            found.setdefault(match[1], []).append((indices, variable))
    grids = {}
    for name, members in found.items():
        members.sort(key=lambda member: member[0])
        first, last = members[0], members[-1]
        sizes = tuple(index + 1 for index in last[0])
        alike = all(type(v) is type(first[1]) and v.domain == first[1].domain for _, v in members)
        filled = prod(sizes) == len(members) and [m[0] for m in members] == list(product(*map(range, sizes)))
        if alike and filled:
            grids[name] = sizes, tuple(variable for _, variable in members)
    return grids


def _identifiers(names: list[str], reserved: Collection[str]) -> dict[str, str]:
    """Return an identifier for each name, all different; names that are identifiers stay as they are."""
    chosen = {name: name for name in names if IDENTIFIER.fullmatch(name) and name not in reserved}
    used = {*chosen, *reserved}
    for name in names:
        if name not in chosen:
            stem = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
            if not IDENTIFIER.fullmatch(stem):
                stem = f"v_{stem}".rstrip("_")
            identifier, number = stem, 2
            while identifier in used:
                identifier, number = f"{stem}_{number}", number + 1
            used.add(identifier)
            chosen[name] = identifier
    return chosen
