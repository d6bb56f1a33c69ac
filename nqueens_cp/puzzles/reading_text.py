"""Puzzles as text: a grid of labels and one of marks, or a line of cells for each region."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from nqueens_cp.board import Square
from nqueens_cp.checks import counted, shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.puzzles.maker import checked_id, on_board, puzzle
from nqueens_cp.puzzles.puzzle import MOST_STARS, Puzzle
from nqueens_cp.puzzles.writing import CROSSED, EMPTY, HEADERS, QUEEN

NAMED = re.compile(r"([^\s:]+):(?:\s+(.*))?")
CELL = re.compile(r"\(\s*(-?\d{1,6})\s*,\s*(-?\d{1,6})\s*\)[\s,;]*")
VARIATION_SELECTOR = "\ufe0f"  # comes after squares of colour that were pasted as text
MARKS = {QUEEN, CROSSED, EMPTY}
MEANING = f"{QUEEN} a queen, {CROSSED} none, {EMPTY} not known"
ONE_BOARD = (
    "a text holds one grid of regions and, below an empty line, one of marks; several boards are written as JSON lines"
)
OTHER_SEPARATORS = ",;|"
OTHER_COMMENTS = ("#", "//", ";", "--")

Line = tuple[int, str]
"""A line and its number, from 1."""


def from_text(text: str, source: str) -> Puzzle:
    """Return the puzzle of a text; `source` names it in errors.

    Raises
    ------
    InvalidValue
        With the line and what is wrong in it.
    """
    blocks, named = _blocks(text, source)
    cells = {name: line for name, line in named.items() if name not in HEADERS}
    given: list[Square] = []
    crossed: list[Square] = []
    if blocks:
        for name, (number, value) in cells.items():
            if not CELL.match(value):
                raise InvalidValue(f"{source}, line {number}: {_unknown(name)}")
            number, line = blocks[0][0]
            raise InvalidValue(f"{source}, line {number}: {shown(line)} is no list of cells, like A: (0,1) (0,2)")
        rows, marks = _grid_and_marks(blocks, source)
        regions: Any = rows
        place = f"{source}, line {blocks[0][0][0]}"
        if marks:
            given, crossed = _marks(marks, len(rows), source)
    elif cells:
        regions = {name: _cells_of_region(name, line, source) for name, line in cells.items()}
        place = source
    else:
        raise InvalidValue(f"{source}: there are no regions")
    made = _told(place, lambda: puzzle(regions))
    return _with_headers(made, named, given, crossed, source)


def _told(place: str, make: Any) -> Any:
    """Return what `make` makes; its errors name the place."""
    try:
        return make()
    except (InvalidValue, InvalidType) as error:
        raise type(error)(f"{place}: {error}") from None


def _with_headers(
    made: Puzzle, named: Mapping[str, Line], given: list[Square], crossed: list[Square], source: str
) -> Puzzle:
    """Return a puzzle with what the lines say that do not tell a region's cells, and with what the marks say."""
    changes: dict[str, Any] = {"given": frozenset(given), "crossed": frozenset(crossed)}
    for name, (number, value) in named.items():
        place = f"{source}, line {number}"
        if name == "stars":
            if value not in map(str, range(1, MOST_STARS + 1)):
                raise InvalidValue(f"{place}: stars: expected a number from 1 to {MOST_STARS}, got {shown(value)}")
            changes["stars"] = int(value)
        elif name == "id":
            changes["id"] = _told(place, lambda value=value: checked_id(value))
        elif name in ("given", "crossed"):
            cells = _cells(value, place)
            changes[name] |= _told(place, lambda cells=cells, name=name: on_board(cells, made.size, name))
    return replace(made, **changes)


def _blocks(text: str, source: str) -> tuple[list[list[Line]], dict[str, Line]]:
    """Return the blocks of lines between empty ones, and the lines with a name and a colon; comments are left out."""
    blocks: list[list[Line]] = [[]]
    named: dict[str, Line] = {}
    for number, raw in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        line = raw.replace(VARIATION_SELECTOR, "").strip(" \t")
        for column, character in enumerate(line):
            if not character.isprintable() and character != "\t":
                raise InvalidValue(f"{source}, line {number}: character {column + 1} is {character!r}, not printable")
        if line == "#" or line.startswith("# "):
            continue
        match = NAMED.fullmatch(line)
        if match is not None:
            name = match[1]
            if name in named:
                raise InvalidValue(f"{source}, line {number}: {shown(name)} is given twice (line {named[name][0]})")
            named[name] = (number, match[2] or "")
        elif line:
            blocks[-1].append((number, line))
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block], named


def _unknown(name: str) -> str:
    near = get_close_matches(name.lower(), HEADERS, n=1, cutoff=0.7)
    hint = f"; it is written {near[0]!r}" if near else "; a comment begins with # and a blank"
    return f"{shown(name)} is none of {', '.join(HEADERS)}{hint}"


def _cells_of_region(name: str, line: Line, source: str) -> list[Square]:
    number, text = line
    if text and CELL.match(text) is None and not re.match(r"[\[(]?\d", text):
        raise InvalidValue(
            f"{source}, line {number}: {shown(text)} is no list of cells, like {name}: (0,1) (0,2), and {_unknown(name)}"
        )
    return _cells(text, f"{source}, line {number}")


def _cells(text: str, place: str) -> list[Square]:
    cells: list[Square] = []
    position = 0
    while position < len(text):
        match = CELL.match(text, position)
        if match is None:
            raise InvalidValue(f"{place}: expected cells like (0,1) (0,2), got {shown(text[position : position + 40])}")
        cells.append((int(match[1]), int(match[2])))
        position = match.end()
    return cells


def _grid_and_marks(blocks: Sequence[list[Line]], source: str) -> tuple[list[list[str]], list[Line]]:
    """Return the labels of the grid, and the lines with marks; where the blocks are not these two, say what they may be."""
    grid, *others = blocks
    rows = _rows(grid, source)
    if not others:
        return rows, []
    (number, line), *_ = others[0]
    looks_like_marks = _share_of_marks(others[0]) > 0.5
    if sum(map(len, blocks)) == len(rows[0]) and not looks_like_marks:
        raise InvalidValue(
            f"{source}, line {number}: an empty line within the grid of regions; only marks come after one"
        )
    if not looks_like_marks:
        raise InvalidValue(f"{source}, line {number}: {shown(line)} is no row of marks ({MEANING}); {ONE_BOARD}")
    if len(others) > 1:
        number, line = others[1][0]
        raise InvalidValue(f"{source}, line {number}: a third block begins here ({shown(line)}); {ONE_BOARD}")
    return rows, others[0]


def _share_of_marks(block: list[Line]) -> float:
    characters = [character for _, line in block for character in line if not character.isspace()]
    return sum(character in MARKS for character in characters) / len(characters)


def _rows(block: list[Line], source: str) -> list[list[str]]:
    """Return the labels of rows: the characters, or, where there are blanks, what stands between them."""
    separated = any(re.search(r"\s", line) for _, line in block)
    rows = [line.split() if separated else list(line) for _, line in block]
    if any(len(labels) != len(rows) for labels in rows):
        _refuse_other_layouts(block, source)
    for row, ((number, line), labels) in enumerate(zip(block, rows, strict=True)):
        if len(labels) != len(rows[0]):
            raise InvalidValue(
                f"{source}, line {number}: row {row} has {counted(len(labels), 'cell')}, "
                f"and row 0 has {len(rows[0])}: {shown(line)}"
            )
    return rows


def _refuse_other_layouts(block: list[Line], source: str) -> None:
    """Tell what was meant by a grid that is not square, if it can be seen."""
    number, first = block[0]
    for separator in OTHER_SEPARATORS:
        if all(len(line.strip(separator).split(separator)) == len(block) for _, line in block) and len(block) > 1:
            raise InvalidValue(
                f"{source}, line {number}: {shown(first)}: between labels stand blanks, or nothing, and no {separator!r}"
            )
    halves = [line.split() for _, line in block]
    if all(len(parts) == 2 and len(parts[0]) == len(parts[1]) and set(parts[1]) <= MARKS for parts in halves):
        raise InvalidValue(
            f"{source}, line {number}: {shown(first)}: marks stand below the regions, after an empty line, not beside them"
        )
    for number, line in block:
        if line.startswith(OTHER_COMMENTS):
            raise InvalidValue(
                f"{source}, line {number}: {shown(line)}: if that is a comment, it begins with # and a blank"
            )


def _marks(block: list[Line], n: int, source: str) -> tuple[list[Square], list[Square]]:
    """Return where the marks say that a queen stands, and where none does."""
    if len(block) != n:
        raise InvalidValue(
            f"{source}, line {block[0][0]}: {counted(len(block), 'row')} of marks, and {counted(n, 'row')} of regions"
        )
    given: list[Square] = []
    crossed: list[Square] = []
    for row, (number, line) in enumerate(block):
        marks = "".join(line.split())
        if len(marks) != n:
            raise InvalidValue(
                f"{source}, line {number}: row {row} has {counted(len(marks), 'mark')}, and the board has {n} columns"
            )
        for column, mark in enumerate(marks):
            if mark == QUEEN:
                given.append((row, column))
            elif mark == CROSSED:
                crossed.append((row, column))
            elif mark != EMPTY:
                raise InvalidValue(
                    f"{source}, line {number}: the mark of ({row}, {column}) is {mark!r}; marks are {MEANING}"
                )
    return given, crossed
