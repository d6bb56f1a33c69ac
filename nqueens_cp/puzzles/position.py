"""What a person knows of a region puzzle: which squares hold a queen and which can still hold one, as bit masks.

Square (row, column) is bit ``row * columns + column`` of a mask. A unit is a region, a row or a column, counted in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from nqueens_cp.board import Square


class Kind(StrEnum):
    """The rule that a step follows; after the contradiction from the easiest to the hardest."""

    CONTRADICTION = "contradiction"
    ONLY = "only square"
    CROSSES = "queen crosses out"
    CONFINED = "confined to one line"
    NO_PLACE = "no place"
    NEEDED = "needed square"
    SETS = "as many units as lines"
    SHARED = "too many for one line"
    CHAIN = "chain"


class Link(NamedTuple):
    """One step of a chain: all squares that `unit` would have left.

    Its queens would stand on all of them; or, if a `line` is named, somewhere among them, and so nowhere else in that line.
    """

    unit: int
    squares: int
    line: int | None = None


class Move(NamedTuple):
    """A step in masks and numbers of units; `nqueens_cp.puzzles.telling` makes a sentence of it.

    Attributes
    ----------
    kind : Kind
    placed, crossed : int
        Masks of the squares that are found to hold a queen, and to hold none.
    queens : int
        The mask of the queens that the reason speaks of.
    units, others : tuple of int
        The units that the reason speaks of: for `SETS` and the like, those whose queens must stand in the `others`.
    chain : tuple of Link
        What would follow, one after the other, from a queen on the crossed square.
    """

    kind: Kind
    placed: int = 0
    crossed: int = 0
    queens: int = 0
    units: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    chain: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What does not change while a board is solved.

    Attributes
    ----------
    columns : int
    stars : int
        How many queens each unit has.
    regions, rows : int
        How many there are; units ``0 .. regions - 1`` are the regions, then come the rows, then the columns.
    masks : tuple of int
        The squares of each unit.
    units_of : tuple of (int, int, int)
        The region, the row and the column of each square.
    excluded : tuple of int
        The squares on which no queen can stand once one stands on this one, whatever else is known.
    """

    columns: int
    stars: int
    regions: int
    rows: int
    masks: tuple[int, ...]
    units_of: tuple[tuple[int, int, int], ...]
    excluded: tuple[int, ...]

    @property
    def families(self) -> tuple[range, range, range]:
        """The units that are regions, rows and columns."""
        first_column = self.regions + self.rows
        return range(self.regions), range(self.regions, first_column), range(first_column, len(self.masks))

    @property
    def all_squares(self) -> int:
        """The mask of the whole board."""
        return (1 << len(self.units_of)) - 1

    def mask(self, squares: Iterable[Square]) -> int:
        """Return the mask of squares."""
        mask = 0
        for row, column in squares:
            mask |= 1 << (row * self.columns + column)
        return mask

    def squares(self, mask: int) -> tuple[Square, ...]:
        """Return the squares of a mask, in order."""
        return tuple(divmod(square, self.columns) for square in bits(mask))

    def put(self, queens: int, maybe: int, squares: int) -> tuple[int, int]:
        """Return both masks after queens were put on squares of `maybe`; those that another one excludes are left out."""
        while squares:
            low = squares & -squares
            square = low.bit_length() - 1
            queens |= low
            excluded = low | self.excluded[square]
            if self.stars > 1:
                for unit in self.units_of[square]:
                    if (self.masks[unit] & queens).bit_count() >= self.stars:
                        excluded |= self.masks[unit]
            maybe &= ~excluded
            squares &= ~excluded
        return queens, maybe


@lru_cache(maxsize=8)
def layout_of(grid: Sequence[Sequence[int]], stars: int) -> Layout:
    """Return the layout of a grid (rows of region numbers 0, 1, ...)."""
    rows, columns = len(grid), len(grid[0])
    regions = 1 + max(max(row) for row in grid)
    masks = [0] * (regions + rows + columns)
    units_of = []
    for row, numbers in enumerate(grid):
        for column, region in enumerate(numbers):
            units = (region, regions + row, regions + rows + column)
            units_of.append(units)
            for unit in units:
                masks[unit] |= 1 << (row * columns + column)
    excluded = []
    for square, units in enumerate(units_of):
        row, column = divmod(square, columns)
        mask = 0
        for r in range(max(0, row - 1), min(rows, row + 2)):
            for c in range(max(0, column - 1), min(columns, column + 2)):
                mask |= 1 << (r * columns + c)
        if stars == 1:
            for unit in units:
                mask |= masks[unit]
        excluded.append(mask & ~(1 << square))
    return Layout(columns, stars, regions, rows, tuple(masks), tuple(units_of), tuple(excluded))


Meetings = list[list[tuple[int, int]]]


@dataclass(slots=True)
class Position:
    """A board in the middle of being solved.

    Attributes
    ----------
    layout : Layout
    queens : int
        Where queens stand.
    maybe : int
        Where nothing stands and nothing is crossed out.
    """

    layout: Layout
    queens: int
    maybe: int
    _meetings: Meetings | None = None

    def needs(self) -> list[int]:
        """Return how many more queens each unit needs."""
        stars, queens = self.layout.stars, self.queens
        return [stars - (mask & queens).bit_count() for mask in self.layout.masks]

    @property
    def solved(self) -> bool:
        """Whether each unit has its queens; `conflict` says whether they may stand where they do."""
        return not any(self.needs())

    def apply(self, move: Move) -> None:
        """Take the step."""
        self.queens |= move.placed
        self.maybe &= ~(move.placed | move.crossed)
        self._meetings = None

    def meetings(self) -> Meetings:
        """Return for each two families which units of the second the squares left of each unit of the first are in.

        Each list is of one pair of families, of (unit, mask over the numbers of units); a unit with no square left is in none.
        """
        if self._meetings is None:
            families = self.layout.families
            met: list[list[dict[int, int]]] = [[{} for _ in families] for _ in families]
            for square in bits(self.maybe):
                units = self.layout.units_of[square]
                for i, unit in enumerate(units):
                    for j, other in enumerate(units):
                        if i != j:
                            masks = met[i][j]
                            masks[unit] = masks.get(unit, 0) | 1 << other
            self._meetings = [list(met[i][j].items()) for i in range(3) for j in range(3) if i != j]
        return self._meetings


def bits(mask: int) -> Iterator[int]:
    """Iterate over the numbers of the bits of a mask, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def has_room(layout: Layout, squares: int, number: int) -> bool:
    """Say whether so many queens have room on `squares` without touching each other."""
    if number <= 1:
        return number <= 0 or squares != 0
    while squares.bit_count() >= number:
        low = squares & -squares
        squares ^= low
        if has_room(layout, squares & ~layout.excluded[low.bit_length() - 1], number - 1):
            return True
    return False
