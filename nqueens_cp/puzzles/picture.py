"""Colours of regions, and a puzzle as an SVG picture."""

from __future__ import annotations

from collections.abc import Collection
from html import escape
from typing import TYPE_CHECKING

from nqueens_cp.board import Square
from nqueens_cp.puzzles.writing import text_labels

if TYPE_CHECKING:
    from nqueens_cp.puzzles.puzzle import Puzzle

PALETTE = ("#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#aaaa00", "#dddddd")
"""Paul Tol's light colours (personal.sron.nl/~pault), which colour-blind people tell apart, and on which black can be read."""
CELL = 40
THIN, THICK = 1, 4


def colours(puzzle: Puzzle) -> list[str]:
    """Return the colour of each region: all different if there are enough, else if possible other than its neighbours'."""
    neighbours: list[set[int]] = [set() for _ in range(puzzle.size)]
    grid = puzzle.grid
    for r, row in enumerate(grid):
        for c, k in enumerate(row):
            for s, d in ((r, c + 1), (r + 1, c - 1), (r + 1, c), (r + 1, c + 1)):
                if 0 <= d < len(row) and s < len(grid) and grid[s][d] != k:
                    neighbours[k].add(grid[s][d])
                    neighbours[grid[s][d]].add(k)
    chosen: list[int] = []
    for k in range(puzzle.size):
        near = [chosen[other] for other in neighbours[k] if other < k]
        chosen.append(min(range(len(PALETTE)), key=lambda colour: (near.count(colour), chosen.count(colour), colour)))
    return [PALETTE[colour] for colour in chosen]


def svg(puzzle: Puzzle, queens: Collection[Square] = (), others: Collection[Square] = ()) -> str:
    """Return a self-contained picture: letters in the corners, thick lines between regions.

    Without `queens` the given ones are shown. With `others`, a second solution, the queens of one only are numbered 1 or 2
    and their cells framed.
    """
    names, fills = text_labels(puzzle), colours(puzzle)
    side = puzzle.size * CELL
    first = set(queens) or set(puzzle.given)
    second = set(others) or first
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {side + 4} {side + 4}" width="{side + 4}" '
        f'height="{side + 4}" role="img" font-family="sans-serif">',
        f"<title>{escape(str(puzzle.id or 'region puzzle'))}</title>",
    ]
    for r, row in enumerate(puzzle.grid):
        for c, k in enumerate(row):
            x, y = c * CELL, r * CELL
            parts.append(
                f'<rect class="cell" x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fills[k]}" stroke="#555" '
                f'stroke-width="{THIN}"/><text class="label" x="{x + 4}" y="{y + 11}" font-size="9">{escape(names[k])}</text>'
            )
            parts += _content(puzzle, (r, c), first, second)
    parts.append(
        f'<path class="borders" d="{_borders(puzzle)}" stroke="#000" stroke-width="{THICK}" fill="none"/></svg>'
    )
    return "".join(parts)


def _content(puzzle: Puzzle, cell: Square, first: set[Square], second: set[Square]) -> list[str]:
    x, y = cell[1] * CELL, cell[0] * CELL
    parts = []
    if cell in puzzle.crossed:
        parts.append(
            f'<path class="crossed" d="M{x + 14} {y + 14}l12 12m0 -12l-12 12" stroke="#000" stroke-width="2"/>'
        )
    if cell in puzzle.given:
        parts.append(
            f'<circle class="given" cx="{x + 20}" cy="{y + 20}" r="17" fill="none" stroke="#000" stroke-width="2"/>'
        )
    if cell in first or cell in second:
        parts.append(
            f'<text class="queen" x="{x + 20}" y="{y + 31}" font-size="28" text-anchor="middle">&#9819;</text>'
        )
    if (cell in first) != (cell in second):
        number = 1 if cell in first else 2
        parts.append(
            f'<rect class="differing" x="{x + 4}" y="{y + 4}" width="32" height="32" fill="none" stroke="#000" '
            f'stroke-width="2" stroke-dasharray="4 3"/><text class="which" x="{x + 36}" y="{y + 12}" font-size="11" '
            f'text-anchor="end">{number}</text>'
        )
    return parts


def _borders(puzzle: Puzzle) -> str:
    """Return the lines between regions and around the board as a path."""
    n, grid = puzzle.size, puzzle.grid
    lines = [f"M0 0h{n * CELL}v{n * CELL}h-{n * CELL}z"]
    for r in range(n):
        for c in range(n):
            if c + 1 < n and grid[r][c] != grid[r][c + 1]:
                lines.append(f"M{(c + 1) * CELL} {r * CELL}v{CELL}")
            if r + 1 < n and grid[r][c] != grid[r + 1][c]:
                lines.append(f"M{c * CELL} {(r + 1) * CELL}h{CELL}")
    return "".join(lines)
