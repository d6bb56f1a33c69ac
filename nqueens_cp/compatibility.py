"""Which squares of a board can be used by one solution together: a table, made from a search form.

A solution uses one square of each row, and any two of them must be compatible.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from nqueens_cp.control import Control
from nqueens_cp.core.compile import ConflictForm, Pair, columns_of

if TYPE_CHECKING:
    from nqueens_cp.symmetry import Symmetry

MAX_SQUARES = 4_096
"""The table is made for at most this many squares."""
MAX_CLOSED = 1_600
"""What follows for pairs of squares from all the others is worked out for at most this many squares."""


class CompatibleSquares:
    """The squares that a solution may use, row by row, and which pairs of them it may use together.

    What follows from the form at once is worked in: a square goes if no square of some row is compatible with it, and two
    squares are not compatible if no square of some row is compatible with both. Where each column must hold a queen, that goes
    for columns too. So a board with a queen in its middle is seen to be symmetric, although the model closes no squares for it.

    Attributes
    ----------
    rows, columns : int
        The size of the board.
    row, column : array of int
        Where each square is.
    compatible : array of bool
        For each two squares; a square is compatible with itself and with no other of its row.
    """

    def __init__(self, form: ConflictForm, columns: int, control: Control) -> None:
        self.rows, self.columns = len(form.domains), columns
        if not all(form.domains):
            form = ConflictForm(((),) * self.rows, (), ())  # a row without squares: no other square is of use
        self.row = np.repeat(np.arange(self.rows), [len(domain) for domain in form.domains])
        self.column = np.array([value for domain in form.domains for value in domain], dtype=np.intp)
        self.compatible = _table(form, self.row)
        self._close(control)

    def _close(self, control: Control) -> None:
        every_pair = len(self.row) <= MAX_CLOSED
        before, now = -1, int(self.compatible.sum())
        while now != before:
            for squares in self._lines():
                control.poll()
                of_line = self.compatible[:, squares]
                if every_pair:
                    counted = of_line.astype(np.float32)
                    self.compatible &= counted @ counted.T > 0
                else:
                    alone = ~of_line.any(axis=1)
                    self.compatible[alone] = False
                    self.compatible[:, alone] = False
            self._keep(self.compatible.diagonal().copy())
            before, now = now, int(self.compatible.sum())

    def _keep(self, kept: np.ndarray) -> None:
        if not kept.all():
            self.row, self.column = self.row[kept], self.column[kept]
            self.compatible = self.compatible[np.ix_(kept, kept)]

    def _lines(self) -> list[np.ndarray]:
        """Return the squares of each line that holds exactly one queen: the rows, and perhaps the columns."""
        lines = [np.flatnonzero(self.row == row) for row in range(self.rows)]
        if self.rows != self.columns:
            return lines
        columns = [np.flatnonzero(self.column == column) for column in range(self.columns)]
        if all(self.compatible[np.ix_(column, column)].sum() == len(column) for column in columns):
            lines += columns
        return lines

    def images(self, symmetry: Symmetry) -> np.ndarray | None:
        """Return the square that each square goes to, as a place among the squares; None if one goes elsewhere."""
        places = np.full((self.rows, self.columns), -1)
        places[self.row, self.column] = np.arange(len(self.row))
        row, column = (self.column, self.row) if symmetry.transposes else (self.row, self.column)
        row = self.rows - 1 - row if symmetry.reverses_rows else row
        column = self.columns - 1 - column if symmetry.reverses_columns else column
        images: np.ndarray = places[row, column]
        return None if (images < 0).any() else images

    def is_kept_by(self, symmetry: Symmetry) -> bool:
        """Say whether a symmetry maps these squares to themselves and compatible ones to compatible ones."""
        images = self.images(symmetry)
        return images is not None and np.array_equal(self.compatible[np.ix_(images, images)], self.compatible)

    def fixed_by(self, symmetries: Collection[Symmetry]) -> ConflictForm:
        """Return the form whose solutions are those solutions that each of a group of symmetries maps to themselves.

        Each value stands for all images of a square, which such a solution uses together; so of the rows that the group maps to
        each other by reversing rows, one has a variable.

        Parameters
        ----------
        symmetries : collection of Symmetry
            A group; each of them keeps these squares.
        """
        halved = any(symmetry.reverses_rows and not symmetry.transposes for symmetry in symmetries)
        rows = (self.rows + 1) // 2 if halved else self.rows
        every = np.arange(len(self.row))
        possible = np.ones(len(self.row), dtype=bool)
        together = np.ones_like(self.compatible)
        for image in map(self.images, symmetries):
            assert image is not None, "the squares are not kept"
            together &= self.compatible[:, image]
            possible &= self.compatible[every, image]
        of_row = [np.flatnonzero(possible & (self.row == row)) for row in range(rows)]
        domains = tuple(tuple(self.column[squares].tolist()) for squares in of_row)
        pairs = []
        for a, b in permutations(range(rows), 2):
            excluded = ~together[np.ix_(of_row[a], of_row[b])]
            if excluded.any():
                pairs.append(Pair(a, b, tuple(map(_as_mask, excluded))))
        return ConflictForm(domains, (), tuple(pairs))


def _table(form: ConflictForm, row: np.ndarray) -> np.ndarray:
    """Return for each two squares of a form whether nothing that it states excludes one by the other."""
    compatible: np.ndarray = row[:, None] != row[None, :]
    first = np.searchsorted(row, np.arange(len(form.domains)))
    for group in form.groups:
        squares = np.array([first[v] + k for v, mask in group.entries for k in columns_of(mask)], dtype=np.intp)
        compatible[np.ix_(squares, squares)] = False
    for variable, other, masks in form.pairs:
        size = len(form.domains[other])
        columns = slice(first[other], first[other] + size)
        for k, mask in enumerate(masks):
            compatible[first[variable] + k, columns] &= ~_as_flags(mask, size)
    np.fill_diagonal(compatible, True)
    return compatible


def _as_flags(mask: int, size: int) -> np.ndarray:
    """Return the lowest `size` bits of a mask as an array of bool."""
    octets = np.frombuffer(mask.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").astype(bool)


def _as_mask(flags: np.ndarray) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
