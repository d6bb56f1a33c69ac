"""Variants in plain words: whether a piece on the one square attacks the other, and whether a whole board keeps a rule.

A board is a set of squares; nothing here asks the package what a variant means.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable

Square = tuple[int, int]
Squares = frozenset[Square]
Attack = Callable[[Square, Square], bool]  # whether a piece on the one square attacks the other; both orders are asked
Rule = Callable[[Squares], bool]


def same_line(one: Square, other: Square) -> bool:
    return one[0] == other[0] or one[1] == other[1]


def falling(one: Square, other: Square) -> bool:
    return one[1] - one[0] == other[1] - other[0]


def rising(one: Square, other: Square) -> bool:
    return one[1] + one[0] == other[1] + other[0]


def falling_on_the_torus(n: int) -> Attack:
    return lambda one, other: (one[1] - one[0]) % n == (other[1] - other[0]) % n


def rising_on_the_torus(n: int) -> Attack:
    return lambda one, other: (one[1] + one[0]) % n == (other[1] + other[0]) % n


def reflected(one: Square, other: Square) -> bool:
    """A007631: with the row k = 1..n and the column p(k) = 1..n, two of all p(k) + n + k and p(k) + n - k are the same."""
    (k, p), (j, q) = (one[0] + 1, one[1] + 1), (other[0] + 1, other[1] + 1)
    return not {p + k, p - k}.isdisjoint({q + j, q - j})


def touch(one: Square, other: Square) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) <= 1


def leaper(a: int, b: int) -> Attack:
    return lambda one, other: sorted((abs(one[0] - other[0]), abs(one[1] - other[1]))) == sorted((a, b))


def peaceful(*attacks: Attack) -> Rule:
    """No two pieces of the board attack each other."""
    return lambda board: (
        not any(attack(one, other) for one, other in itertools.permutations(board, 2) for attack in attacks)
    )


def half_turned(board: Iterable[Square], n: int) -> Squares:
    return frozenset((n - 1 - row, n - 1 - column) for row, column in board)


def quarter_turned(board: Iterable[Square], n: int) -> Squares:
    return frozenset((column, n - 1 - row) for row, column in board)


def one_in_each(regions: Iterable[Iterable[Square]]) -> Rule:
    cells = [frozenset(region) for region in regions]
    return lambda board: all(len(board & region) == 1 for region in cells)


def regions_of(grid: Iterable[Iterable[Hashable]]) -> dict[Hashable, list[Square]]:
    cells: dict[Hashable, list[Square]] = {}
    for row, labels in enumerate(grid):
        for column, label in enumerate(labels):
            cells.setdefault(label, []).append((row, column))
    return cells
