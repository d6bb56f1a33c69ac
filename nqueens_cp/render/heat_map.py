"""A picture of how many solutions use each square of the board."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from nqueens_cp.board import Square
from nqueens_cp.checks import shown
from nqueens_cp.errors import InvalidValue
from nqueens_cp.files import write_whole
from nqueens_cp.render.colours import luminance
from nqueens_cp.render.image import FONT, figure_bytes, require_matplotlib, warn_of, with_known_letters
from nqueens_cp.tables import printable

COLOURS = "YlGnBu"
"""From light to dark; told apart also by those who see red and green alike."""
LARGEST, SQUARE = 8.0, 0.55  # inches: the board's longer side at most, and a square's side on a small board
LARGEST_PRINT, SMALLEST_PRINT = 11.0, 5.0  # points; numbers that would be smaller are left out
DIGIT_WIDTH = 0.62  # of the size of the print
DARK = 0.18  # white print has more contrast than black where the relative luminance is below
MAX_TICKS = 20


def write_heat_map(
    counts: list[list[int]], path: str | Path, *, title: str = "", blocked: Collection[Square] = ()
) -> None:
    """Write a picture of counts of squares, with the numbers in the squares where they fit.

    Parameters
    ----------
    counts : list of list of int
        As `square_counts` returns them.
    path : str or Path
        A file; its ending says which picture, .png or .svg.
    title : str
        Stands above the board.
    blocked : collection of (row, column)
        Squares that are drawn as closed.

    Raises
    ------
    InvalidValue
        The file has another ending, or the board has no squares.
    BackendUnavailable
        matplotlib is not installed.
    """
    kind = checked_kind(path)
    if not counts or not counts[0]:
        raise InvalidValue("heat map: the board has no squares")
    require_matplotlib("a heat map")
    from matplotlib.figure import Figure

    side = min(SQUARE, LARGEST / max(len(counts), len(counts[0])))
    width, height = side * len(counts[0]), side * len(counts)
    figure = Figure(figsize=(max(width, 2.5) + 1.6, max(height, 1.5) + 1.0), layout="constrained", facecolor="white")
    _draw(figure, counts, side, title, frozenset(blocked))
    write_whole(path, figure_bytes(figure, kind, 150))


def checked_kind(path: str | Path) -> str:
    """Return the kind of picture that a file's ending asks for: "png" or "svg"."""
    kind = Path(path).suffix.lower()
    if kind not in (".png", ".svg"):
        raise InvalidValue(f"heat map: {shown(str(path))} ends with neither .png nor .svg")
    return kind[1:]


def _draw(figure: Any, counts: list[list[int]], side: float, title: str, blocked: frozenset[Square]) -> None:
    from matplotlib.patches import Rectangle

    rows, columns = len(counts), len(counts[0])
    axes = figure.add_subplot()
    open_squares = {(r, c): counts[r][c] for r in range(rows) for c in range(columns) if (r, c) not in blocked}
    least, most = min(open_squares.values(), default=0), max(open_squares.values(), default=0)
    image = axes.imshow(
        [[float(number) for number in row] for row in counts], cmap=COLOURS, vmin=least, vmax=max(most, least + 1)
    )
    for row, column in blocked:
        axes.add_patch(
            Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor="#e4e4e4", edgecolor="#999999", hatch="xx", lw=0)
        )
    digits = max(len(f"{number}") for number in open_squares.values()) if open_squares else 1
    points = min(LARGEST_PRINT, 72 * side * 0.8 / (digits * DIGIT_WIDTH))
    if points >= SMALLEST_PRINT:
        for (row, column), number in open_squares.items():
            colour = "white" if luminance(image.to_rgba(float(number))) < DARK else "black"
            axes.text(column, row, str(number), ha="center", va="center", size=points, color=colour)
    axes.set_xticks(range(0, columns, -(-columns // MAX_TICKS)))
    axes.set_yticks(range(0, rows, -(-rows // MAX_TICKS)))
    axes.set_xticks([c - 0.5 for c in range(columns + 1)], minor=True)
    axes.set_yticks([r - 0.5 for r in range(rows + 1)], minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2 if side == SQUARE else 0.6)
    axes.tick_params(which="both", length=0, colors="#444444")
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xlabel("column", color="#444444")
    axes.set_ylabel("row", color="#444444")
    if title:
        shown_title, lacking = with_known_letters(printable(" ".join(title.split())))
        axes.set_title(shown_title, color="#222222", family=FONT, parse_math=False)
        if lacking:
            warn_of(lacking, "heat maps")
    if most > least:
        bar = figure.colorbar(image, ax=axes, shrink=0.9)
        bar.ax.yaxis.get_major_locator().set_params(integer=True)
        bar.set_label("solutions with a piece on the square", color="#444444")
        bar.outline.set_visible(False)
        bar.ax.tick_params(colors="#444444")
