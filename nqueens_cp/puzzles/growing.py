"""Growing the regions of a board around its queens, so that no other solution ever comes up.

The regions begin as the queens' own cells, and cells in no region hold no queen, so that at first there is nothing but the
wanted solution. A cell joins a neighbouring region only if no other solution goes through it then; other solutions cannot
come up, so this one question is enough. Where no cell can join any more, a cell is taken in all the same, and each other
solution that goes through it loses another of its cells, which then looks for a region anew.

A set of cells is an int: bit row * size + column.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from random import Random

from nqueens_cp.control import Control

MAX_NODES = 300
"""A search for another solution that takes more steps is given up, and the cell does not join."""
MAX_EFFORT = 20_000
"""Growing is given up after so many steps of all searches together ..."""
MAX_REPAIRS = 60
"""... or after so many cells were taken in against the rule."""
MAX_TAKEN_OUT = 16
"""A cell is not taken in if cells would have to be taken out for it more often."""
BARRED_FOR = 3
"""A cell that was taken out of a region does not come back to it for at least so many repairs, at most twice as many."""


class TooHard(Exception):
    """A search took more than `MAX_NODES` steps."""


def cells_of(cells: int) -> Iterator[int]:
    """Yield the positions of the bits of a set of cells, ascending."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


class Squares:
    """The cells of a board of `size` rows and columns, as sets."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.all = (1 << size * size) - 1
        self.rows = [((1 << size) - 1) << row * size for row in range(size)]
        self.columns = [sum(1 << row * size + column for row in range(size)) for column in range(size)]
        self._not_first, self._not_last = self.all ^ self.columns[0], self.all ^ self.columns[-1]

    def around(self, cells: int) -> int:
        """Return the cells together with those next to them, not diagonally."""
        beside = (cells << 1 & self._not_first) | (cells >> 1 & self._not_last)
        return (cells | beside | cells << self.size | cells >> self.size) & self.all

    @cached_property
    def touching(self) -> list[int]:
        """For each cell the cells that touch it, also diagonally, and itself."""
        size = self.size
        result = []
        for row in range(size):
            for column in range(size):
                near = range(max(0, column - 1), min(size, column + 2))
                result.append(sum(1 << r * size + c for r in range(max(0, row - 1), min(size, row + 2)) for c in near))
        return result

    def piece(self, cells: int, start: int) -> int:
        """Return the cells of `cells` that hang together with those of `start`."""
        piece = start
        while (more := self.around(piece) & cells) != piece:
            piece = more
        return piece


class Growth:
    """Regions that grow around the queens of the wanted solution.

    Attributes
    ----------
    regions : list of int
        The cells of each region.
    queens : int
        The wanted solution.
    """

    def __init__(self, squares: Squares, stars: int, regions: list[int], queens: int, control: Control) -> None:
        self.squares = squares
        self.stars = stars
        self.regions = regions
        self.queens = queens
        self.control = control
        self.owner = [-1] * squares.size**2
        self.assigned = 0
        for number, region in enumerate(regions):
            self.assigned |= region
            for cell in cells_of(region):
                self.owner[cell] = number
        self._refused = [0] * len(regions)  # cells that brought another solution when they were tried
        self._barred: dict[tuple[int, int], int] = {}  # (cell, region) -> until which repair
        self._repairs = 0
        self._nodes = self._effort = 0  # steps of the last search, and of all before it

    def only_one(self) -> bool:
        """Say whether the regions as they are have no other solution than the wanted one."""
        try:
            return not any(self._other_through(cell) for cell in cells_of(self.assigned ^ self.queens))
        except TooHard:
            return False

    def fill(self, rng: Random, weights: list[int]) -> bool:
        """Let the regions grow over the whole board, those of greater weight more often; say whether it worked out."""
        self._grow_each_once(rng)
        while True:
            self._grow(rng, weights)
            if self.assigned == self.squares.all:
                return True
            self._repairs += 1
            if self._repairs > MAX_REPAIRS or self._effort > MAX_EFFORT:
                return False
            self._repair(rng)

    def _grow_each_once(self, rng: Random) -> None:
        """Give each region of a single cell a second one, where that can be."""
        order = [number for number, region in enumerate(self.regions) if region.bit_count() == 1]
        rng.shuffle(order)
        for number in order:
            while (edge := self._edge(number)) and not self._try(any_of(rng, edge), number):
                pass

    def _grow(self, rng: Random, weights: list[int]) -> None:
        """Let cells join regions until none can."""
        growing = [number for number in range(len(self.regions)) if self._edge(number)]
        while growing and self._effort <= MAX_EFFORT:
            number = _weighted(rng, growing, weights)
            edge = self._edge(number)
            if edge:
                self._try(any_of(rng, edge), number)
            else:
                growing.remove(number)

    def _edge(self, number: int) -> int:
        """Return the cells in no region that may be tried for a region."""
        edge = self.squares.around(self.regions[number]) & ~self.assigned & ~self._refused[number]
        if edge and self._barred:
            for cell in cells_of(edge):
                if self._barred.get((cell, number), 0) > self._repairs:
                    edge ^= 1 << cell
        return edge

    def _try(self, cell: int, number: int) -> bool:
        """Let a cell join a region if no other solution comes of it; say whether it has joined."""
        self._join(cell, number)
        try:
            if not self._other_through(cell):
                return True
        except TooHard:
            pass
        self._leave(1 << cell)
        self._refused[number] |= 1 << cell
        return False

    def _repair(self, rng: Random) -> None:
        """Take a cell in, and a cell of each other solution that comes of it out; if it takes too many, all stays as it was."""
        before = self.owner.copy(), self.regions.copy(), self.assigned
        free = self.squares.all ^ self.assigned
        cell = any_of(rng, free & self.squares.around(self.assigned))
        self._join(cell, self.owner[any_of(rng, self.squares.around(1 << cell) & self.assigned)])
        for _ in range(MAX_TAKEN_OUT):
            try:
                other = self._other_through(cell)
            except TooHard:
                break
            if not other:
                self._refused = [0] * len(self.regions)
                return
            cuts = [cut for c in cells_of(other & ~self.queens) if c != cell and (cut := self._cut(c))]
            cuts = [cut for cut in cuts if self._has_choice(cut)] or cuts
            if not cuts:
                break
            self._take_out(rng, cuts[rng.randrange(len(cuts))])
        self.owner, self.regions, self.assigned = before

    def _cut(self, cell: int) -> int:
        """Return the cells that a region loses with a cell: it and what it cuts off, or none if it would cut off a queen."""
        region = self.regions[self.owner[cell]]
        queens = region & self.queens
        piece = self.squares.piece(region ^ 1 << cell, queens & -queens)
        return region ^ piece if queens & ~piece == 0 else 0

    def _has_choice(self, cells: int) -> bool:
        """Say whether cells of one region lie next to another one as well."""
        region = self.regions[self.owner[cells.bit_length() - 1]]
        return self.squares.around(cells) & self.assigned & ~region != 0

    def _take_out(self, rng: Random, cells: int) -> None:
        for cell in cells_of(cells):
            self._barred[cell, self.owner[cell]] = self._repairs + BARRED_FOR + rng.randrange(BARRED_FOR)
        self._leave(cells)

    def _join(self, cell: int, number: int) -> None:
        self.owner[cell] = number
        self.regions[number] |= 1 << cell
        self.assigned |= 1 << cell

    def _leave(self, cells: int) -> None:
        for cell in cells_of(cells):
            self.regions[self.owner[cell]] ^= 1 << cell
            self.owner[cell] = -1
        self.assigned ^= cells

    def _other_through(self, cell: int) -> int:
        """Return a solution that has a queen on a cell, or 0.

        Raises
        ------
        TooHard
            It takes too many steps to find out.
        """
        self.control.poll()
        self._effort += self._nodes
        self._nodes = 0
        placed = 1 << cell
        candidates = self._without(self.assigned, placed, cell)
        return self._search(candidates, placed, [*self.squares.rows, *self.squares.columns, *self.regions])

    def _without(self, candidates: int, placed: int, cell: int) -> int:
        """Return the candidates that are left when a queen has been put on a cell."""
        size = self.squares.size
        for unit in (
            self.squares.rows[cell // size],
            self.squares.columns[cell % size],
            self.regions[self.owner[cell]],
        ):
            if (unit & placed).bit_count() == self.stars:
                candidates &= ~unit
        return candidates & ~self.squares.touching[cell]

    def _search(self, candidates: int, placed: int, units: list[int]) -> int:
        """Return a solution with the queens on `placed` and more on `candidates`, or 0; `units` includes all not yet full."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise TooHard
        forced = True
        while forced:
            forced = False
            open_units = []
            fewest, tightest = self.squares.size, 0
            for unit in units:
                lacking = self.stars - (unit & placed).bit_count()
                if not lacking:
                    continue
                cells = unit & candidates
                to_spare = cells.bit_count() - lacking
                if to_spare < 0:
                    return 0
                if to_spare == 0:
                    forced = True
                    for cell in cells_of(cells):
                        if not candidates >> cell & 1:
                            return 0
                        placed |= 1 << cell
                        candidates = self._without(candidates, placed, cell)
                    continue
                open_units.append(unit)
                if to_spare < fewest:
                    fewest, tightest = to_spare, cells
            units = open_units
        if not units:
            return placed
        for cell in cells_of(tightest):
            more = placed | 1 << cell
            found = self._search(self._without(candidates, more, cell), more, units)
            if found or not fewest:
                return found
            fewest -= 1
            candidates ^= 1 << cell
        return 0


def any_of(rng: Random, cells: int) -> int:
    """Return one cell of a set, which is not empty."""
    choices = list(cells_of(cells))
    return choices[rng.randrange(len(choices))]


def _weighted(rng: Random, numbers: list[int], weights: list[int]) -> int:
    """Return one of some numbers, each as often as its weight says."""
    chosen = rng.randrange(sum(weights[number] for number in numbers))
    for number in numbers:
        chosen -= weights[number]
        if chosen < 0:
            return number
    raise AssertionError("a number below the sum of the weights")
