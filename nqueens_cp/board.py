"""What makes a model a board, and boards as text.

Squares are (row, column), both 0-based, row 0 on top.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nqueens_cp.checks import items, shown, square
from nqueens_cp.errors import InvalidType, InvalidValue

if TYPE_CHECKING:
    from nqueens_cp.relations import Relation
    from nqueens_cp.variables import IntVar

Square = tuple[int, int]
Regions = tuple[tuple[Hashable, ...], ...]
"""The label of each square's region, row by row."""

QUEEN, PLACED, EMPTY, BLOCKED = "Q", "P", ".", "x"


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A board with one queen in each row, or with a 0/1 variable for each square.

    Attributes
    ----------
    rows : tuple of IntVar
        ``rows[row]`` is the column of that row's queen; empty for a grid of squares.
    columns : int
        The width.
    cells : tuple of tuple of IntVar
        ``cells[row][column]`` is 1 where a piece stands; empty for a board with one queen in each row.
    piece : str
        What stands on it, in words.
    placed, blocked : frozenset of (row, column)
        Squares that are shown as given queens and as closed.
    regions : tuple of rows of labels
        The label of each square's region, where there are regions; they are shown in pictures.
    """

    rows: tuple[IntVar, ...]
    columns: int
    cells: tuple[tuple[IntVar, ...], ...] = ()
    piece: str = "queen"
    placed: frozenset[Square] = frozenset()
    blocked: frozenset[Square] = frozenset()
    regions: Regions = ()

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.cells) or len(self.rows)

    @property
    def variables(self) -> tuple[IntVar, ...]:
        """The variables that say where the pieces stand."""
        return self.rows or tuple(variable for row in self.cells for variable in row)

    def at(self, row: int, column: int) -> Relation:
        """Return the relation that a piece stands on a square."""
        return self.cells[row][column] == 1 if self.cells else self.rows[row] == column

    def pieces(self, value: Callable[[IntVar], int]) -> list[Square]:
        """Return the squares with a piece, row by row, from the values of the variables."""
        if self.cells:
            return [
                (r, c) for r, row in enumerate(self.cells) for c, variable in enumerate(row) if value(variable) == 1
            ]
        return [(r, value(variable)) for r, variable in enumerate(self.rows)]

    def squares(self, values: Iterable[object], what: str) -> list[Square]:
        """Return `values` as squares of this board, each once, in the order given; refuse what is not on it."""
        found: dict[Square, None] = {}
        for value in items(values, what):
            row, column = square(value, what)
            if not (0 <= row < self.height and 0 <= column < self.columns):
                raise InvalidValue(
                    f"{what}: {shown((row, column))} is not on the board of {self.height} rows and {self.columns} "
                    "columns (both are counted from 0)"
                )
            found[row, column] = None
        return list(found)

    def marked(
        self, placed: Iterable[object] = (), blocked: Iterable[object] = (), regions: Iterable[Any] | None = None
    ) -> Board:
        """Return this board with further squares marked as placed or blocked, and perhaps divided into regions."""
        return replace(
            self,
            placed=self.placed.union(self.squares(placed, "placed")),
            blocked=self.blocked.union(self.squares(blocked, "blocked")),
            regions=self.regions if regions is None else self._labelled(regions),
        )

    def _labelled(self, regions: Iterable[Any]) -> Regions:
        """Return rows of labels as they are kept; refuse those that do not fit the board."""
        rows = tuple(
            tuple(row if isinstance(row, str) else items(row, f"regions: row {i}"))
            for i, row in enumerate(items(regions, "regions"))
        )
        lengths = [len(row) for row in rows]
        if lengths != [self.columns] * self.height:
            raise InvalidValue(
                f"regions: a board of {self.height} rows and {self.columns} columns needs a label for each square; those given "
                f"have rows of {shown(lengths)}"
            )
        for label in (label for row in rows for label in row):
            try:
                hash(label)
            except TypeError:
                raise InvalidType(
                    f"regions: a label must be hashable, like a string or a number, got {shown(label)}"
                ) from None
        return rows

    def text(self, pieces: Collection[Square]) -> str:
        """Return the board as lines of text, with a piece on each of `pieces`.

        ``Q`` is a queen, ``P`` a placed (given) one, ``.`` an empty square, ``x`` a blocked one.
        """
        marks = [[EMPTY] * self.columns for _ in range(self.height)]
        for row, column in self.blocked:
            marks[row][column] = BLOCKED
        for row, column in pieces:
            marks[row][column] = PLACED if (row, column) in self.placed else QUEEN
        return "\n".join(map(" ".join, marks))
