"""The squares and units of a region puzzle as bit masks: what does not change while it is solved.

Square (row, column) is bit ``row * columns + column`` of a mask. A unit is a region, a row or a column, counted in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nqueens_cp.board import Square


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The squares and units of one board.

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

    def met(self) -> tuple[list[int], list[int], list[int]]:
        """Return for each unit in which regions, rows and columns it has squares, as masks over the numbers of units."""
        one = [1 << unit for unit in range(len(self.masks))]
        regions, rows, columns = [0] * len(one), [0] * len(one), [0] * len(one)
        for region, row, column in self.units_of:
            rows[region] |= one[row]
            columns[region] |= one[column]
            regions[row] |= one[region]
            columns[row] |= one[column]
            regions[column] |= one[region]
            rows[column] |= one[row]
        return regions, rows, columns

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
    regions = 1 + max(map(max, grid))
    masks = [0] * (regions + rows + columns)
    units_of = []
    low = 1
    for row, numbers in enumerate(grid, regions):
        for column, region in enumerate(numbers, regions + rows):
            units_of.append((region, row, column))
            masks[region] |= low
            masks[row] |= low
            masks[column] |= low
            low <<= 1
    excluded = list(_near(rows, columns, with_sides=stars > 1))
    if stars == 1:
        for square, (region, row, column) in enumerate(units_of):
            excluded[square] |= (masks[region] | masks[row] | masks[column]) ^ 1 << square
    return Layout(columns, stars, regions, rows, tuple(masks), tuple(units_of), tuple(excluded))


@lru_cache(maxsize=100)
def _near(rows: int, columns: int, *, with_sides: bool) -> tuple[int, ...]:
    """Return for each square the mask of those that it touches, perhaps only at a corner."""
    return tuple(
        sum(1 << near for near in (*corners, *sides * with_sides)) for corners, sides in touching(rows, columns)
    )


@lru_cache(maxsize=100)
def touching(rows: int, columns: int) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return for each square those that it touches at a corner, and those that it touches at a side."""
    squares = [(row, column) for row in range(rows) for column in range(columns)]
    return tuple((_beside(square, CORNERS, rows, columns), _beside(square, SIDES, rows, columns)) for square in squares)


CORNERS = (-1, -1), (-1, 1), (1, -1), (1, 1)
SIDES = (-1, 0), (0, -1), (0, 1), (1, 0)


def _beside(square: Square, steps: Iterable[Square], rows: int, columns: int) -> tuple[int, ...]:
    near = [(square[0] + down, square[1] + right) for down, right in steps]
    return tuple(row * columns + column for row, column in near if 0 <= row < rows and 0 <= column < columns)


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
