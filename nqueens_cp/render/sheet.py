"""Sheets of boards: `sheet`."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, sqrt
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from nqueens_cp.checks import counted, integer, integer_at_least, items, shown, truth
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.files import write_whole
from nqueens_cp.render.boards import CELL, coordinate_margins, coordinate_texts, figures, ground
from nqueens_cp.render.diagram import Diagram, diagrams_of
from nqueens_cp.render.drawing import INK, SOFT, Drawing, Group, Item, Symbol, Text, Use
from nqueens_cp.render.image import FORMATS, image_bytes
from nqueens_cp.render.svg import svg_text
from nqueens_cp.result import MAX_DRAWN_SQUARES
from nqueens_cp.tables import printable

ENDINGS = (".svg", *(f".{form}" for form in FORMATS))
WIDTH = 960
"""A sheet is about so many pixels wide, where its boards have room."""
SMALLEST_SQUARE, SQUARE, LARGEST_SQUARE = 12, 40, 200
"""The side of a square in pixels: at least, of a board by itself, at most."""
ASPECT = 1.5
"""A sheet is about so much wider than it is high."""
TITLE, NOTE, CAPTION = 20.0, 13.0, 13.0
LINE = 1.4
MARGIN, GAP = 18.0, 18.0
NARROWEST = 340.0
"""The width of a sheet with a title, at least."""
NO_BREAK = "\u00a0"  # a blank at which no line ends
LETTER = 0.56
"""The width of a letter, of the size of the print."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A picture of one board or of many. In a notebook it shows itself.

    Attributes
    ----------
    drawing : Drawing
        Its description.
    boards : int
        How many there are.
    """

    drawing: Drawing
    boards: int

    def svg(self) -> str:
        """Return the picture as self-contained SVG text."""
        return svg_text(self.drawing)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, as its name ends: .svg, .png or .pdf. What was there stays if that fails.

        Raises
        ------
        InvalidValue
            It ends otherwise, or the picture is too large for a PNG.
        BackendUnavailable
            A PNG or PDF was asked for and matplotlib is not installed.
        """
        form = format_of(path)
        write_whole(path, self.svg() if form == "svg" else image_bytes(self.drawing, form))

    def _repr_svg_(self) -> str:
        return self.svg()


def format_of(path: str | Path) -> str:
    """Return the format that the ending of a file's name tells: "svg", "png" or "pdf"."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InvalidValue(f"{path or shown(path)}: the name of a picture ends in one of {', '.join(ENDINGS)}")
    return ending[1:]


def sheet(
    boards: Any,
    *,
    columns: int | None = None,
    title: str = "",
    note: str = "",
    captions: Iterable[object] | None = None,
    attacked: bool = False,
    coordinates: str | None = None,
    square: int | None = None,
) -> Sheet:
    """Draw boards on one sheet.

    Parameters
    ----------
    boards : a board, or iterable of boards
        Each is a `Solution`, a `Result`, a `Puzzle` or its `Answer`, a `Model` (its board as it is posed, with the pieces that
        are placed), a `nqueens_cp.render.diagram.Diagram`, or a list of the columns of queens, in which None leaves a row
        empty.
    columns : int, optional
        How many boards stand side by side.
    title, note : str
        Stand above the boards, the note below the title.
    captions : iterable of str, optional
        What stands below each board, ``()`` for nothing. Without it, several boards are numbered from 1.
    attacked : bool
        Mark the squares that pieces attack: where the model's rules allow no piece beside one of those shown, or if they say
        nothing of two pieces alone, where one of them could move.
    coordinates : str, optional
        "chess": a1 is the square on the left at the bottom, so row 0 has the highest number. "row-column": both counted from 0
        at the top left, as everywhere in this package.
    square : int, optional
        The side of a square in pixels, 4 to 200.

    Raises
    ------
    InvalidValue, InvalidType
        There is no board to draw, there are too many, or something else is drawn no board of.

    Examples
    --------
    >>> from nqueens_cp import sheet, solutions
    >>> picture = sheet(solutions(6), title="Six queens", coordinates="chess")
    >>> picture.boards
    4
    >>> picture.svg()[:4]
    '<svg'
    """
    found, single = diagrams_of(boards)
    shown_boards = _few_enough(found)
    if not shown_boards:
        raise InvalidValue("sheet: there is no board to draw")
    side_by_side = None if columns is None else integer_at_least(columns, 1, "columns")
    layout = _Layout(
        shown_boards,
        _captions(captions, shown_boards, single),
        side_by_side,
        coordinates,
        None if square is None else _checked_square(square),
        _text(title, "title"),
        _text(note, "note"),
    )
    return Sheet(layout.drawing(attacked=truth(attacked, "attacked")), len(shown_boards))


def require_few_squares(squares: int, what: str) -> None:
    """Refuse a picture of too many squares."""
    if squares > MAX_DRAWN_SQUARES:
        raise InvalidValue(
            f"{what} more than the {MAX_DRAWN_SQUARES:,} squares that a sheet holds; draw fewer or smaller boards"
        )


def _few_enough(found: Iterable[Diagram]) -> list[Diagram]:
    kept: list[Diagram] = []
    squares = 0
    for diagram in found:
        squares += diagram.rows * diagram.columns
        require_few_squares(squares, f"sheet: {len(kept) + 1} boards have")
        kept.append(diagram)
    return kept


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidType(f"{what}: expected a string, got {shown(value)} ({type(value).__name__})")
    return _plain(value)


def _plain(text: str) -> str:
    """Return a text in one line, what cannot be seen shown by its escape."""
    return printable(" ".join(text.split()))


def _checked_square(value: int) -> int:
    side = integer(value, "square")
    if not 4 <= side <= LARGEST_SQUARE:
        raise InvalidValue(f"square: {side} pixels; the side of a square is 4 to {LARGEST_SQUARE}")
    return side


def _captions(captions: Iterable[object] | None, boards: list[Diagram], single: bool) -> list[str]:
    if captions is None:
        numbered = not single and len(boards) > 1
        return [_plain(board.caption) or (str(i) if numbered else "") for i, board in enumerate(boards, 1)]
    given = [_plain(str(caption)) for caption in items(captions, "captions")]
    if given and len(given) != len(boards):
        raise InvalidValue(f"captions: there are {len(given)}, and {len(boards)} boards")
    return given or [""] * len(boards)


class _Layout:
    """Where everything is on a sheet, in pixels: boards in cells of one size, a title and a note above, captions below each."""

    def __init__(
        self,
        boards: list[Diagram],
        captions: list[str],
        columns: int | None,
        coordinates: str | None,
        square: int | None,
        title: str,
        note: str,
    ) -> None:
        self.boards, self.coordinates = boards, coordinates
        self.rows, self.columns = max(b.rows for b in boards), max(b.columns for b in boards)
        self.side_by_side = min(columns, len(boards)) if columns else _side_by_side(boards, self.rows, self.columns)
        self.square = square or _square(self.columns, self.side_by_side)
        margins = [coordinate_margins(b, coordinates, self.square) for b in boards]
        self.left, self.above, self.below = (max(room) for room in zip(*margins, strict=True))
        self.board_width = self.left + self.columns * self.square
        self.captions = [wrapped(text, self.board_width + GAP / 2, CAPTION) for text in captions]
        lines = max(map(len, self.captions))
        self.board_height = self.above + self.rows * self.square + self.below
        self.cell_height = self.board_height + (lines * LINE * CAPTION + 4 if lines else 0)
        self.gap = max(GAP, 0.6 * self.square)
        boards_width = self.side_by_side * (self.board_width + self.gap) - self.gap
        self.width = max(boards_width, NARROWEST if title or note else 0)
        self.indent = (self.width - boards_width) / 2
        self.title, self.note = wrapped(title, self.width, 1.06 * TITLE), wrapped(note, self.width, NOTE)
        self.paper = bool(title or note or lines or coordinates)
        self.margin = MARGIN if self.paper else 3.0

    def drawing(self, *, attacked: bool) -> Drawing:
        """Return the drawing."""
        heads, top = self._heads()
        scale = self.square / CELL
        grounds = [ground(board, scale) for board in self.boards]
        shared = {items: Symbol("board", items) for items, number in Counter(grounds).items() if number > 1}
        parts: list[Item] = heads
        for i, (board, under) in enumerate(zip(self.boards, grounds, strict=True)):
            down, across = divmod(i, self.side_by_side)
            cell_x = self.margin + self.indent + across * (self.board_width + self.gap)
            cell_y = top + down * (self.cell_height + self.gap)
            x = cell_x + self.left + (self.columns - board.columns) * self.square / 2
            y = cell_y + self.above + (self.rows - board.rows) * self.square / 2
            bottom: tuple[Item, ...] = (Use(shared[under], kind="board"),) if under in shared else under
            figure = (*bottom, *figures(board, attacked=attacked))
            caption = " ".join(self.captions[i])
            parts.append(Group(figure, x, y, scale, kind="diagram", title=caption))
            parts += coordinate_texts(board, self.coordinates, self.square, x, y)
            middle = cell_x + self.left + self.columns * self.square / 2
            parts += _lines(self.captions[i], middle, cell_y + self.board_height + 4, CAPTION, SOFT, "caption")
        rows_of_boards = ceil(len(self.boards) / self.side_by_side)
        height = top + rows_of_boards * (self.cell_height + self.gap) - self.gap + self.margin
        title = ": ".join(filter(None, (" ".join(self.title), " ".join(self.note)))) or _described(self.boards)
        return Drawing(self.width + 2 * self.margin, height, tuple(parts), title, self.paper)

    def _heads(self) -> tuple[list[Item], float]:
        """Return title and note, and where the boards begin."""
        middle, top = self.margin + self.width / 2, self.margin
        parts = _lines(self.title, middle, top, TITLE, INK, "title", bold=True)
        top += len(self.title) * LINE * TITLE
        parts += _lines(self.note, middle, top, NOTE, SOFT, "note")
        top += len(self.note) * LINE * NOTE
        return parts, top + (12 if parts else 0)


def _side_by_side(boards: list[Diagram], rows: int, columns: int) -> int:
    """Return how many boards of so many rows and columns stand side by side so that the sheet has a pleasant shape."""
    number = len(boards)
    wide = min(number, max(1, ceil(sqrt(ASPECT * number * (rows + 1) / (columns + 1)))))
    return ceil(number / ceil(number / wide))


def _square(columns: int, side_by_side: int) -> int:
    """Return the side of a square that makes a sheet about as wide as it should be."""
    room = (WIDTH - 2 * MARGIN - (side_by_side - 1) * GAP) / max(1, columns * side_by_side)
    return int(min(max(room, SMALLEST_SQUARE), SQUARE))


def wrapped(text: str, width: float, size: float) -> list[str]:
    """Return text as lines of about a width, in pixels, for letters of a size; a size like 8 x 8 stays in one.

    Wide letters of East Asia count twice.
    """
    letters = max(6, int(width / (LETTER * size)))
    lengths = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
    if not lengths:
        return []
    joined = re.sub(r"(?<=\d) x (?=\d)", f"{NO_BREAK}x{NO_BREAK}", text)
    lines = textwrap.wrap(joined, max(3, letters * len(text) // lengths))
    return [line.replace(NO_BREAK, " ") for line in lines]


def _lines(
    lines: list[str], x: float, top: float, size: float, colour: str, kind: str, *, bold: bool = False
) -> list[Item]:
    return [
        Text(line, x, top + (i * LINE + 1.05) * size, size, "middle", colour, bold, kind)
        for i, line in enumerate(lines)
    ]


def _described(boards: list[Diagram]) -> str:
    """Return in words what a picture without a title shows."""
    sizes = {f"{board.rows} x {board.columns}" for board in boards}
    if len(boards) == 1:
        return f"a board of {sizes.pop()} with {counted(len(boards[0].pieces), boards[0].piece)}"
    return f"{len(boards)} boards" + (f" of {sizes.pop()}" if len(sizes) == 1 else "")
