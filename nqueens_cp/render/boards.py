"""One board as shapes, on squares of 40 by 40 that are scaled afterwards."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from itertools import groupby

from nqueens_cp.board import Regions, Square
from nqueens_cp.checks import shown
from nqueens_cp.errors import InvalidValue
from nqueens_cp.regions import pieces
from nqueens_cp.render.colours import region_colours
from nqueens_cp.render.diagram import Diagram
from nqueens_cp.render.drawing import SOFT, Circle, Item, Path, Text, Use, plain, rectangle
from nqueens_cp.render.pieces import BLACK, symbol_of

CELL = 40
LIGHT, DARK = "#f3e0c2", "#c79f72"
CLOSED, CROSS = "#5f6368", "#b9bdc2"
GRID, EDGE, BORDER = "#7d7d7d", "#4a3a28", "#101010"
RING, RING_GROUND = "#1f4fa3", "#ffffff"
THIN, THICK = 1.0, 5.0
THINNEST = 1.5
"""A line between regions is at least so many pixels thick."""
COORDINATES = ("chess", "row-column")


def ground(board: Diagram, scale: float) -> tuple[Item, ...]:
    """Return what lies under the pieces and is the same for all solutions of a model: squares, regions, closed squares."""
    width, height = board.columns * CELL, board.rows * CELL
    blocked = sorted(board.blocked)
    parts: list[Item] = []
    if board.regions:
        parts += _regions(board)
        parts.append(Path(_grid(board.rows, board.columns), stroke=GRID, width=THIN, kind="grid"))
    else:
        dark = "".join(
            _cell((r, c)) for r in range(board.rows) for c in range(board.columns) if (board.rows - r + c) % 2
        )
        parts.append(Path(rectangle(0, 0, width, height), LIGHT, kind="light"))
        if dark:
            parts.append(Path(dark, DARK, kind="dark"))
    if blocked:
        parts.append(Path("".join(map(_cell, blocked)), CLOSED, kind="blocked"))
        crosses = "".join(f"M{c * CELL + 9} {r * CELL + 9}l22 22m0 -22l-22 22" for r, c in blocked)
        parts.append(Path(crosses, stroke=CROSS, width=3))
    if board.regions:
        parts.append(Path(_borders(board.regions), stroke=BORDER, width=max(THICK, THINNEST / scale), kind="borders"))
        parts += _names(board)
    else:
        parts.append(Path(rectangle(0, 0, width, height), stroke=EDGE, width=max(1.5, 1 / scale), kind="edge"))
    return tuple(parts)


def figures(board: Diagram, *, attacked: bool) -> tuple[Item, ...]:
    """Return what stands on the board: pieces, rings of given ones, crosses, marks of attacked squares."""
    parts: list[Item] = []
    if attacked:
        parts += [Circle(x + 20, y + 20, 5, BLACK, opacity=0.5, kind="attacked") for x, y in _corners(board.attacked())]
    parts += [
        Path(f"M{x + 13} {y + 13}l14 14m0 -14l-14 14", stroke=BLACK, width=2.2, kind="crossed")
        for x, y in _corners(board.crossed)
    ]
    parts += [Circle(x + 20, y + 20.5, 16.2, RING_GROUND, RING, 2.6, kind="given") for x, y in _corners(board.placed)]
    for row, column in sorted(board.pieces):
        shape = symbol_of(board.piece, small=bool(board.names or (row, column) in board.placed))
        parts.append(Use(shape, column * CELL, row * CELL, kind=shape.name))
    for (row, column), number in sorted(board.numbers.items()):
        x, y = column * CELL, row * CELL
        parts.append(Path(rectangle(x + 3, y + 3, 34, 34), stroke=BLACK, width=1.4, dash=(4, 3), kind="differing"))
        parts.append(Text(number, x + 35.5, y + 13.5, 9.5, "end", BLACK, bold=True, kind="which"))
    return tuple(parts)


def coordinate_margins(board: Diagram, coordinates: str | None, square: float) -> tuple[float, float, float]:
    """Return the room in pixels that coordinates take on the left, above and below a board."""
    if coordinates is None or not board.rows * board.columns:
        return 0, 0, 0
    if coordinates not in COORDINATES:
        raise InvalidValue(f"coordinates: {shown(coordinates)} is none of {', '.join(COORDINATES)}")
    size = _print_size(square)
    left = 0.62 * size * len(str(board.rows)) + 0.5 * size
    along = 1.45 * size
    return (left, 0, along) if coordinates == "chess" else (left, along, 0)


def coordinate_texts(board: Diagram, coordinates: str | None, square: float, x: float, y: float) -> tuple[Item, ...]:
    """Return the coordinates of a board, in pixels, whose squares are so large and whose corner is at (x, y).

    "chess" has letters for columns and counts rows from 1 at the bottom; "row-column" counts rows from 0 at the top and columns
    from 0 on the left. Where there is no room for all, some are left out.
    """
    if coordinates is None:
        return ()
    size = _print_size(square)
    chess = coordinates == "chess"
    columns = [_letters(c) if chess else str(c) for c in range(board.columns)]
    rows = [str(board.rows - r if chess else r) for r in range(board.rows)]
    every_row = _step(square, 1.1 * size)
    every_column = _step(square, 0.7 * size * max(map(len, columns), default=1) + 3)
    level = y + board.rows * square + 1.15 * size if chess else y - 0.5 * size
    parts: list[Item] = [
        Text(text, x + (c + 0.5) * square, level, size, "middle", SOFT, kind="column")
        for c, text in enumerate(columns)
        if c % every_column == 0
    ]
    parts += [
        Text(text, x - 0.45 * size, y + (r + 0.5) * square + 0.36 * size, size, "end", SOFT, kind="row")
        for r, text in enumerate(rows)
        if (board.rows - 1 - r if chess else r) % every_row == 0
    ]
    return tuple(parts)


def _print_size(square: float) -> float:
    return min(max(0.36 * square, 7.0), 14.0)


def _step(square: float, room: float) -> int:
    """Return that every so many labels are written: 1, 2, 5, 10, ..., the first that leaves them room."""
    return next(step for power in (1, 10, 100, 1000) for step in (power, 2 * power, 5 * power) if step * square >= room)


def _letters(column: int) -> str:
    """Return the letters of a column: a to z, then aa, ab and so on."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def _corners(squares: Collection[Square]) -> Iterator[tuple[int, int]]:
    return ((column * CELL, row * CELL) for row, column in sorted(squares))


def _cell(square: Square) -> str:
    return rectangle(square[1] * CELL, square[0] * CELL, CELL, CELL)


def _regions(board: Diagram) -> Iterator[Item]:
    """Yield a path for each region, of its rows of squares."""
    outlines: dict[Hashable, list[str]] = {}
    for row, labels in enumerate(board.regions):
        column = 0
        for label, run in groupby(labels):
            length = len(list(run))
            outlines.setdefault(label, []).append(rectangle(column * CELL, row * CELL, length * CELL, CELL))
            column += length
    for label, colour in region_colours(board.regions).items():
        yield Path("".join(outlines[label]), colour, kind="region")


def _names(board: Diagram) -> Iterator[Item]:
    """Yield the names of regions, once in each piece of a region: in its first square."""
    for (row, column), label in pieces(board.regions):
        if board.names.get(label):
            yield Text(
                board.names[label], column * CELL + 4.5, row * CELL + 12.5, 9.5, fill=BLACK, bold=True, kind="label"
            )


def _grid(rows: int, columns: int) -> str:
    lines = [f"M0 {row * CELL}h{columns * CELL}" for row in range(1, rows)]
    lines += [f"M{column * CELL} 0v{rows * CELL}" for column in range(1, columns)]
    return "".join(lines)


def _borders(regions: Regions) -> str:
    """Return the lines between regions and around the board as a path, each as long as it goes."""
    rows, columns = len(regions), len(regions[0])
    lines = [rectangle(0, 0, columns * CELL, rows * CELL)]
    for c in range(1, columns):
        for start, end in _runs([regions[r][c - 1] != regions[r][c] for r in range(rows)]):
            lines.append(f"M{c * CELL} {start * CELL}v{plain((end - start) * CELL)}")
    for r in range(1, rows):
        for start, end in _runs([regions[r - 1][c] != regions[r][c] for c in range(columns)]):
            lines.append(f"M{start * CELL} {r * CELL}h{plain((end - start) * CELL)}")
    return "".join(lines)


def _runs(flags: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield where runs of True begin and end."""
    at = 0
    for flag, run in groupby(flags):
        length = len(list(run))
        if flag:
            yield at, at + length
        at += length
