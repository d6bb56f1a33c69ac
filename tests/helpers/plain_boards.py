"""Boards with one queen in each row, as the tuple of its columns: which are solutions, and what symmetries make of them."""

from __future__ import annotations

from collections.abc import Sequence


def is_solution(columns: Sequence[int]) -> bool:
    """Return whether n queens in these columns of an n x n board leave each other alone."""
    n = len(columns)
    lines = (columns, [c + r for r, c in enumerate(columns)], [c - r for r, c in enumerate(columns)])
    return sorted(columns) == list(range(n)) and all(len(set(line)) == n for line in lines)


# Where a square of a board of h rows and w columns goes, by the names in nqueens_cp.symmetry.
MOVES = {
    "IDENTITY": lambda r, c, h, w: (r, c),
    "HALF_TURN": lambda r, c, h, w: (h - 1 - r, w - 1 - c),
    "LEFT_RIGHT": lambda r, c, h, w: (r, w - 1 - c),
    "UPSIDE_DOWN": lambda r, c, h, w: (h - 1 - r, c),
    "QUARTER_TURN": lambda r, c, h, w: (c, h - 1 - r),
    "THREE_QUARTER_TURN": lambda r, c, h, w: (h - 1 - c, r),
    "DIAGONAL": lambda r, c, h, w: (c, r),
    "ANTIDIAGONAL": lambda r, c, h, w: (h - 1 - c, h - 1 - r),
}
OF_RECTANGLES = {"IDENTITY", "HALF_TURN", "LEFT_RIGHT", "UPSIDE_DOWN"}


def image(name: str, columns: tuple[int, ...], width: int) -> tuple[int, ...]:
    """Return the columns after the move."""
    moved = dict(MOVES[name](r, c, len(columns), width) for r, c in enumerate(columns))
    return tuple(moved[row] for row in range(len(columns)))
