"""What a person knows of a region puzzle: which squares hold a queen and which can still hold one; and the steps to more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from nqueens_cp.puzzles.fields import fields_of
from nqueens_cp.puzzles.layout import Layout, bits

if TYPE_CHECKING:
    from nqueens_cp.puzzles.chains import Chains


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


Meeting = list[tuple[int, int]]
"""Of two families: units of the first, each with a mask over the numbers of the units of the second that it meets."""
Met = tuple[list[int], list[int], list[int]]
Tried = dict[int, tuple[int, int] | None]
"""What follows from a queen on a square, in fields; None where that is a contradiction."""


@dataclass(slots=True)
class Memory:
    """What rules found when less was known: squares only go, so that much of it still holds.

    Attributes
    ----------
    excluding : dict
        For each unit the squares that it had left, and those that exclude them all.
    narrowed : six dicts
        For each pair of families and unit the squares that it had left, and which squares leave it only to one other unit.
    exhausted : dict
        For a number of units and a pair of families the meeting in which there was no set of so many.
    tried, tried_by_lines : dict
        What follows from a queen on a square, without links that name a line and with them.
    chains : Chains, optional
        Those of the position as it is.
    """

    excluding: dict[int, tuple[int, int]] = field(default_factory=dict)
    narrowed: tuple[dict[int, tuple[int, list[tuple[int, int]]]], ...] = field(
        default_factory=lambda: tuple({} for _ in range(6))
    )
    exhausted: dict[tuple[int, int], Meeting] = field(default_factory=dict)
    tried: Tried = field(default_factory=dict)
    tried_by_lines: Tried = field(default_factory=dict)
    chains: Chains | None = None


class Position:
    """A board in the middle of being solved.

    Attributes
    ----------
    layout : Layout
    queens : int
        Where queens stand.
    maybe : int
        Where nothing stands and nothing is crossed out.
    needs : list of int
        How many more queens each unit needs.
    fields : Fields
    queens_in_fields, maybe_in_fields : int
        The same masks for all units at once.
    memory : Memory
    poll : callable
        Called now and then by rules that may take long; it may raise.
    """

    def __init__(self, layout: Layout, queens: int, maybe: int, poll: Callable[[], object]) -> None:
        self.layout = layout
        self.queens = queens
        self.maybe = maybe
        self.poll = poll
        self.needs = [layout.stars - (mask & queens).bit_count() for mask in layout.masks]
        self.fields = fields_of(layout)
        self.queens_in_fields = self.fields.spread(queens)
        self.maybe_in_fields = self.fields.spread(maybe)
        self.memory = Memory()
        self._meetings: list[Meeting] | None = None
        self._met: Met | None = None
        self._met_for = layout.all_squares  # the squares left for which `_met` is right

    @property
    def solved(self) -> bool:
        """Whether each unit has its queens; `conflict` says whether they may stand where they do."""
        return not any(self.needs)

    def apply(self, move: Move) -> None:
        """Take the step."""
        if move.placed:
            self.queens |= move.placed
            self.queens_in_fields |= self.fields.spread(move.placed)
            for square in bits(move.placed):
                for unit in self.layout.units_of[square]:
                    self.needs[unit] -= 1
        known = move.placed | move.crossed
        self.maybe &= ~known
        self.maybe_in_fields &= ~self.fields.spread(known)
        self._meetings = None
        self.memory.chains = None

    def meetings(self) -> list[Meeting]:
        """Return for each two families which units of the second the squares left of each unit of the first are in.

        A unit with no square left is in none.
        """
        if self._meetings is None:
            regions, rows, columns = self._meet()
            families = self.layout.families
            pairs = (0, rows), (0, columns), (1, regions), (1, columns), (2, regions), (2, rows)
            self._meetings = [[(unit, met[unit]) for unit in families[i] if met[unit]] for i, met in pairs]
        return self._meetings

    def _meet(self) -> Met:
        """Return, brought up to date, which units of each family the squares left of a unit are in."""
        layout, maybe = self.layout, self.maybe
        masks = layout.masks
        if self._met is None:
            self._met = layout.met()
        regions, rows, columns = self._met
        gone = self._met_for & ~maybe
        self._met_for = maybe
        while gone:
            low = gone & -gone
            gone ^= low
            region, row, column = layout.units_of[low.bit_length() - 1]
            columns[row] &= ~(1 << column)
            rows[column] &= ~(1 << row)
            if not masks[region] & masks[row] & maybe:
                rows[region] &= ~(1 << row)
                regions[row] &= ~(1 << region)
            if not masks[region] & masks[column] & maybe:
                columns[region] &= ~(1 << column)
                regions[column] &= ~(1 << region)
        return self._met
