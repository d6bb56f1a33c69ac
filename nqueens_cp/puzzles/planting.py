"""Where growing begins: queens at random, and with two or more in each region the cells that join them."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random

from nqueens_cp.control import Control
from nqueens_cp.puzzles.growing import Squares, any_of

MAX_STEPS = 2_000
"""Placing queens begins anew after so many steps."""


def random_queens(squares: Squares, stars: int, rng: Random, control: Control) -> int:
    """Return queens at random, `stars` in each row and column, none touching; not all ways are equally likely.

    There must be a way.

    Raises
    ------
    TimeLimitReached
        The control's time is over.
    """
    rows = [columns for columns in combinations(range(squares.size), stars) if _apart(columns)]
    while True:
        control.poll()
        placing = _Placing(squares, stars, rng, rows)
        if placing.place(0, 0, [stars] * squares.size):
            return placing.queens


def _apart(columns: tuple[int, ...]) -> bool:
    return all(right - left > 1 for left, right in pairwise(columns))


class _Placing:
    """Row by row, with steps back."""

    def __init__(self, squares: Squares, stars: int, rng: Random, rows: list[tuple[int, ...]]) -> None:
        self.squares = squares
        self.stars = stars
        self.rng = rng
        self.rows = rows  # the columns of the queens that may stand together in a row
        self.queens = 0
        self._steps = 0

    def place(self, row: int, near: int, lacking: list[int]) -> bool:
        """Place the queens of `row` and all below; `near` has a bit for each column that touches one above."""
        size = self.squares.size
        if row == size:
            return True
        choices = [
            columns for columns in self.rows if all(lacking[column] and not near >> column & 1 for column in columns)
        ]
        self.rng.shuffle(choices)
        for columns in choices:
            self._steps += 1
            if self._steps > MAX_STEPS:
                return False
            left = [number - (column in columns) for column, number in enumerate(lacking)]
            if max(left) > size - row - 1:
                continue
            here = sum(1 << column for column in columns)
            if self.place(row + 1, here | here << 1 | here >> 1, left):
                self.queens |= here << row * size
                return True
        return False


def joined(squares: Squares, queens: int, stars: int, rng: Random) -> list[int] | None:
    """Return a set of cells for each region that joins `stars` queens, or None if this try led nowhere."""
    regions: list[int] = []
    taken = 0  # cells of regions that are done
    while alone := queens & ~taken:
        region = 1 << any_of(rng, alone)
        for _ in range(stars - 1):
            path = _path(squares, region, alone & ~region, squares.all ^ taken, rng)
            if not path:
                return None
            region |= path
        taken |= region
        regions.append(region)
    return regions


def _path(squares: Squares, start: int, goals: int, free: int, rng: Random) -> int:
    """Return the cells of a shortest way through `free` from beside `start` to one of `goals`, or 0."""
    layers = [start]
    reached = start
    while not layers[-1] & goals:
        layer = squares.around(layers[-1]) & free & ~reached
        if not layer:
            return 0
        layers.append(layer)
        reached |= layer
    path = step = 1 << any_of(rng, layers.pop() & goals)
    for layer in reversed(layers[1:]):
        step = 1 << any_of(rng, squares.around(step) & layer)
        path |= step
    return path
