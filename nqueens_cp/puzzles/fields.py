"""All units at once: an integer with a field for each unit, of which a few operations tell which have hardly a square left.

A field has a bit for each square of its unit, so that each square has three bits, and above them a guard bit that no mask has.
Subtracting 1 from every field with its guard set takes away the lowest square of each; where the guard is lost, the field was
empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

from nqueens_cp.puzzles.layout import Layout, bits, touching


class Fields:
    """The fields of one layout.

    Attributes
    ----------
    layout : Layout
    field : list of int
        For each unit the mask of its own field.
    units : list of int
        For each unit its squares, with their bits in all fields.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        sizes = [mask.bit_count() for mask in layout.masks]
        free = [0, *accumulate(size + 1 for size in sizes)]  # where each field begins, and then its next free position
        self.field = [(1 << start + size) - (1 << start) for start, size in zip(free, sizes, strict=False)]
        self._lowest = sum(1 << start for start in free[:-1])
        self._guards = (self._lowest >> 1) | 1 << free[-1] - 1
        self._unit_of = {start - 1: unit for unit, start in enumerate(free[1:])}  # by the position of the guard
        self._square_of = [-1] * free[-1]  # by position
        self._bits = []
        self.units = [0] * len(layout.masks)
        for square, units in enumerate(layout.units_of):
            own = 0
            for unit in units:
                own |= 1 << free[unit]
                self._square_of[free[unit]] = square
                free[unit] += 1
            self._bits.append(own)
            for unit in units:
                self.units[unit] |= own
        self._outside = [~squares for squares in self.units]
        self._left_by = self._left_by_queens()

    def _left_by_queens(self) -> list[int]:
        """Return for each square the mask in fields of what it does not exclude if a queen stands on it."""
        layout, units, own = self.layout, self.units, self._bits
        left = []
        for square, (corners, sides) in enumerate(touching(layout.rows, layout.columns)):
            gone = own[square]
            if layout.stars == 1:
                region, row, column = layout.units_of[square]
                gone = units[region] | units[row] | units[column]
            else:
                for near in sides:
                    gone |= own[near]
            for near in corners:
                gone |= own[near]
            left.append(~gone)
        return left

    def confined(self, maybe: int) -> Iterator[tuple[int, int, int]]:
        """Yield regions with all squares left in one line, and the reverse: the unit, those squares in its field, the line."""
        outside, square_of = self._outside, self._square_of
        units_of, regions = self.layout.units_of, self.layout.regions
        for unit, field in enumerate(self.field):
            left = field & maybe
            if left:
                region, row, column = units_of[square_of[left.bit_length() - 1]]
                if unit >= regions:
                    if not left & outside[region]:
                        yield unit, left, region
                    continue
                if not left & outside[row]:
                    yield unit, left, row
                if not left & outside[column]:
                    yield unit, left, column

    def spread(self, mask: int) -> int:
        """Return a mask of squares in fields."""
        found = 0
        while mask:
            low = mask & -mask
            found |= self._bits[low.bit_length() - 1]
            mask ^= low
        return found

    def squares(self, mask: int) -> int:
        """Return the mask of the squares that have a bit in a mask in fields."""
        found = 0
        for position in bits(mask):
            found |= 1 << self._square_of[position]
        return found

    def units_at(self, guards: int) -> list[int]:
        """Return the units of some guards, in order."""
        units = []
        while guards:
            low = guards & -guards
            units.append(self._unit_of[low.bit_length() - 1])
            guards ^= low
        return units

    def put(self, queens: int, maybe: int, square: int) -> tuple[int, int]:
        """Return what is known after a queen was put on a square, both in fields; nothing new if the square has none left."""
        own = self._bits[square]
        if not maybe & own:
            return queens, maybe
        queens |= own
        maybe &= self._left_by[square]
        if self.layout.stars > 1:
            for unit in self.layout.units_of[square]:
                if (self.field[unit] & queens).bit_count() >= self.layout.stars:
                    maybe &= ~self.units[unit]
        return queens, maybe

    def put_all(self, queens: int, maybe: int, squares: int) -> tuple[int, int]:
        """Return what is known after queens were put on squares with room for them; a square may have a single bit."""
        while squares:
            low = squares & -squares
            queens, maybe = self.put(queens, maybe, self._square_of[low.bit_length() - 1])
            squares ^= low
        return queens, maybe

    def filled(self, queens: int, maybe: int, guards: int) -> tuple[int, int]:
        """Return what is known after queens were put on all squares left of the units of some guards."""
        unit_of, field, square_of, put = self._unit_of, self.field, self._square_of, self.put
        while guards:
            low = guards & -guards
            guards ^= low
            squares = field[unit_of[low.bit_length() - 1]] & maybe
            while squares:
                last = squares.bit_length() - 1
                queens, maybe = put(queens, maybe, square_of[last])
                squares ^= 1 << last
        return queens, maybe

    def short(self, queens: int, maybe: int) -> tuple[int, int]:
        """Return the guards of the units that have fewer squares left than they need queens, and of those with just as many."""
        guards, lowest = self._guards, self._lowest
        held = queens | maybe
        for _ in range(self.layout.stars - 1):
            held &= (held | guards) - lowest
        rest = (held | guards) - lowest
        one_more = ((held & rest) | guards) - lowest
        not_full = (maybe | guards) - lowest
        return guards & ~rest, guards & rest & ~one_more & not_full


@lru_cache(maxsize=8)
def fields_of(layout: Layout) -> Fields:
    """Return the fields of a layout."""
    return Fields(layout)
