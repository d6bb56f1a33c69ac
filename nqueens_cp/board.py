"""What makes a model a board, and boards as text and SVG.

Squares are (row, column), both 0-based, row 0 on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

from nqueens_cp.checks import items, shown, square
from nqueens_cp.errors import InvalidValue

if TYPE_CHECKING:
    from nqueens_cp.model import IntVar

Square = tuple[int, int]

QUEEN, PLACED, EMPTY, BLOCKED = "Q", "P", ".", "x"


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A board with one queen in each row.

    Attributes
    ----------
    rows : tuple of IntVar
        ``rows[row]`` is the column of that row's queen.
    columns : int
        The width.
    placed, blocked : frozenset of (row, column)
        Squares that are shown as given queens and as closed.
    """

    rows: tuple[IntVar, ...]
    columns: int
    placed: frozenset[Square] = frozenset()
    blocked: frozenset[Square] = frozenset()

    def squares(self, values: Iterable[object], what: str) -> list[Square]:
        """Return `values` as squares of this board, each once, in the order given; refuse what is not on it."""
        found: dict[Square, None] = {}
        for value in items(values, what):
            row, column = square(value, what)
            if not (0 <= row < len(self.rows) and 0 <= column < self.columns):
                raise InvalidValue(
                    f"{what}: {shown((row, column))} is not on the board of {len(self.rows)} rows and {self.columns} "
                    "columns (both are counted from 0)"
                )
            found[row, column] = None
        return list(found)

    def marked(self, placed: Iterable[object] = (), blocked: Iterable[object] = ()) -> Board:
        """Return this board with further squares marked as placed or blocked."""
        return replace(
            self,
            placed=self.placed.union(self.squares(placed, "placed")),
            blocked=self.blocked.union(self.squares(blocked, "blocked")),
        )

    def text(self, queens: Mapping[int, int]) -> str:
        """Return the board as lines of text.

        ``Q`` is a queen, ``P`` a placed (given) one, ``.`` an empty square, ``x`` a blocked one.

        Parameters
        ----------
        queens : mapping of int to int
            The column of the queen in each row that has one.
        """
        lines = []
        for row in range(len(self.rows)):
            marks = [BLOCKED if (row, column) in self.blocked else EMPTY for column in range(self.columns)]
            if row in queens:
                marks[queens[row]] = PLACED if (row, queens[row]) in self.placed else QUEEN
            lines.append(" ".join(marks))
        return "\n".join(lines)

    def svg(self, queens: Mapping[int, int], title: str = "") -> str:
        """Return the board as a self-contained SVG picture; placed queens stand on a ring, blocked squares are crossed."""
        size, height, width = 40, len(self.rows), self.columns
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {width * size + 2} {height * size + 2}" '
            f'width="{width * size + 2}" height="{height * size + 2}" role="img">',
            f"<title>{escape(title)}</title>",
        ]
        for row in range(height):
            for column in range(width):
                x, y = column * size, row * size
                shade = "#f0d9b5" if (row + column) % 2 == 0 else "#b58863"
                parts.append(f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="{shade}"/>')
                if (row, column) in self.blocked:
                    parts.append(
                        f'<path class="blocked" d="M{x + 6} {y + 6}l28 28m0 -28l-28 28" stroke="#444" stroke-width="4"/>'
                    )
                if queens.get(row) == column:
                    if (row, column) in self.placed:
                        parts.append(
                            f'<circle class="placed" cx="{x + 20}" cy="{y + 20}" r="18" fill="none" '
                            'stroke="#1f4fa3" stroke-width="3"/>'
                        )
                    parts.append(
                        f'<text class="queen" x="{x + 20}" y="{y + 31}" font-size="30" text-anchor="middle">&#9819;</text>'
                    )
        parts.append(f'<rect width="{width * size}" height="{height * size}" fill="none" stroke="#333"/></svg>')
        return "".join(parts)
