"""Pictures of region puzzles: what of a puzzle and its solutions is drawn."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from nqueens_cp.board import Square
from nqueens_cp.puzzles.writing import text_labels
from nqueens_cp.render.colours import region_colours
from nqueens_cp.render.diagram import Diagram

if TYPE_CHECKING:
    from nqueens_cp.puzzles.puzzle import Puzzle


def colours(puzzle: Puzzle) -> list[str]:
    """Return the colour of each region, by its number."""
    chosen = region_colours(puzzle.grid)
    return [chosen[number] for number in range(puzzle.size)]


def diagram(puzzle: Puzzle, queens: Collection[Square] = (), others: Collection[Square] = ()) -> Diagram:
    """Return a puzzle with queens on some squares.

    Without `queens` the given ones are shown. With `others`, a second solution, the queens of one only are numbered 1 or 2
    and their cells framed.
    """
    first = frozenset(queens) or puzzle.given
    second = frozenset(others) or first
    return Diagram(
        puzzle.size,
        puzzle.size,
        first | second,
        placed=puzzle.given,
        crossed=puzzle.crossed,
        regions=puzzle.grid,
        names=dict(enumerate(text_labels(puzzle))),
        numbers={cell: "1" if cell in first else "2" for cell in first ^ second},
        caption="" if puzzle.id is None else str(puzzle.id),
        rules=partial(_attacked, puzzle),
    )


def _attacked(puzzle: Puzzle, queens: Collection[Square]) -> set[Square]:
    """Return the cells without room for a queen: beside one, or in a row, column or region that has all of its queens."""
    cells = {(row, column) for row in range(puzzle.size) for column in range(puzzle.size)}
    attacked = {(r, c) for r, c in cells if any(max(abs(r - s), abs(c - d)) == 1 for s, d in queens)}
    for unit in ("row", "column", "region"):
        places = {
            cell: {"row": cell[0], "column": cell[1], "region": puzzle.grid[cell[0]][cell[1]]}[unit] for cell in cells
        }
        standing = [places[queen] for queen in queens]
        attacked |= {cell for cell, place in places.items() if standing.count(place) >= puzzle.stars}
    return attacked
