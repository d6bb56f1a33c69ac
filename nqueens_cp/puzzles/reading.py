"""Reading puzzles: text grids with marks, lists of cells, JSON, JSON lines; which it is is found out.

docs/puzzles.md describes the formats. Every error names the source, the line, and the row or cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from nqueens_cp.board import Square
from nqueens_cp.checks import integer, shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.puzzles.puzzle import Puzzle, puzzle
from nqueens_cp.puzzles.writing import CROSSED, EMPTY, HEADERS, QUEEN

MAX_FILE = 256 * 2**20
"""Bytes of a file that is read as a whole; `lines` reads longer ones."""
MAX_LINE = 1 << 20
"""Bytes of one line of JSON lines."""
LONGEST_ID = 200
KEYS = ("regions", "given", "crossed", "stars", "id")

NAMED = re.compile(r"([^\s:]+):(?:\s+(.*))?")
CELL = re.compile(r"\(\s*(-?\d{1,6})\s*,\s*(-?\d{1,6})\s*\)[\s,;]*")
VARIATION_SELECTOR = "\ufe0f"  # comes after squares of colour that were pasted as text


def read_file(file: Any) -> list[Puzzle]:
    """Return the puzzles of a file, given by its path."""
    try:
        path = Path(file)
    except TypeError:
        raise InvalidType(f"puzzle file: expected a path, got {shown(file)} ({type(file).__name__})") from None
    try:
        with path.open("rb") as stream:
            return read_stream(stream, str(file))
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidValue):
            raise
        raise InvalidValue(f"{shown(str(file))} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def read_stream(stream: BinaryIO, source: str) -> list[Puzzle]:
    """Return the puzzles of a binary stream; `source` names it in errors."""
    data = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InvalidValue(f"{source}: more than {MAX_FILE >> 20} MiB; puzzle batch reads JSON lines of any length")
    return read(_decoded(data, source), source)


def read(text: str, source: str = "puzzle") -> list[Puzzle]:
    """Return the puzzles of a text in any of the formats; `source` names it in errors.

    Raises
    ------
    InvalidValue, InvalidType
        With the line and the row or cell that is wrong.
    """
    start = text.lstrip()[:1]
    if not start:
        raise InvalidValue(f"{source}: there is no puzzle, the text is empty")
    if start in "[{":
        return _read_json(text, source)
    return [_read_text(text, source)]


def lines(stream: BinaryIO, source: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a binary stream that are not empty, with their numbers from 1; too long ones are cut."""
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            rest = stream.readline(MAX_LINE)
            if not rest or rest.endswith(b"\n"):
                break
        if line.strip():
            yield number, line


def from_line(line: bytes, where: str) -> Puzzle:
    """Return the puzzle of one line of JSON lines; `where` names file and line in errors."""
    if len(line) > MAX_LINE:
        raise InvalidValue(f"{where}: the line is longer than {MAX_LINE >> 20} MiB")
    return from_json(_loads(_decoded(line, where), where), where)


def from_json(value: Any, where: str) -> Puzzle:
    """Return the puzzle that a JSON value describes: an object with "regions", or the regions alone."""
    record = value if isinstance(value, Mapping) and "regions" in value else {"regions": value}
    for key in record:
        if key not in KEYS:
            _refuse_misspelt(key, where)
    regions = record["regions"]
    if isinstance(regions, Mapping):
        entries: Iterable[tuple[Any, Any]] = regions.items()
        kinds: tuple[type, ...] = (list,)
    elif isinstance(regions, list):
        entries, kinds = enumerate(regions), (list, str)
    else:
        raise InvalidType(f"{where}: regions: expected rows of labels or lists of cells, got {shown(regions)}")
    for name, entry in entries:
        if not isinstance(entry, kinds):
            raise InvalidType(f"{where}: regions: entry {shown(name)} is {shown(entry)}, no row and no list of cells")
    for row, entry in enumerate(regions if isinstance(regions, list) else ()):
        if set(map(type, entry)) != {int}:
            _check_labels(row, entry, where)
    others = {key: record[key] for key in ("given", "crossed", "stars") if record.get(key) is not None}
    return _made(where, regions, record.get("id"), **others)


def _check_labels(row: int, labels: Iterable[Any], where: str) -> None:
    """Refuse labels of a row that are no strings that can be printed, no integers and no lists, which may be cells."""
    for column, label in enumerate(labels):
        if isinstance(label, str) and not (label and label.isprintable()):
            raise InvalidValue(f"{where}: regions: the label of ({row}, {column}) is {shown(label)}, not printable")
        if label is None or isinstance(label, bool | float | dict):
            raise InvalidType(
                f"{where}: regions: the label of ({row}, {column}) is {json.dumps(label)[:60]}; "
                "labels are strings or integers"
            )


def _made(where: str, regions: Any, identity: Any = None, **others: Any) -> Puzzle:
    try:
        return replace(puzzle(regions, **others), id=_checked_id(identity))
    except (InvalidValue, InvalidType) as error:
        raise type(error)(f"{where}: {error}") from None


def _checked_id(value: Any) -> str | int | None:
    if value is None or (isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= LONGEST_ID):
        return value
    if isinstance(value, str):
        raise InvalidValue(f"id: {shown(value)} is no name of 1 to {LONGEST_ID} printable characters")
    return integer(value, "id: a string or an integer")


@lru_cache(maxsize=1000)
def _near_key(key: str) -> str:
    return next(iter(get_close_matches(key.lower(), KEYS, cutoff=0.75)), "")


def _refuse_misspelt(key: str, where: str) -> None:
    near = _near_key(key[:20])
    if near:
        raise InvalidValue(f"{where}: unknown key {shown(key)}; it is written {near!r}")


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidValue(f"{source}: not UTF-8 text (byte {error.start}, line {line} of it)") from None


def _loads(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidValue(f"{where}: no JSON: {error}") from None
    except RecursionError:
        raise InvalidValue(f"{where}: the JSON is nested too deeply") from None
    except ValueError as error:  # an integer of some thousand digits
        raise InvalidValue(f"{where}: no JSON that can be read: {error}") from None


def _read_json(text: str, source: str) -> list[Puzzle]:
    first, _, rest = text.lstrip().partition("\n")
    if rest.strip() and _is_json(first):
        numbered = ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())
        return [
            from_json(_loads(line, f"{source}, line {number}"), f"{source}, line {number}") for number, line in numbered
        ]
    value = _loads(text, source)
    if isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        return [from_json(entry, f"{source}, puzzle {number}") for number, entry in enumerate(value, start=1)]
    return [from_json(value, source)]


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


# Text.

Line = tuple[int, str]


def _read_text(text: str, source: str) -> Puzzle:
    blocks, named = _blocks(text, source)
    others = _headers(named, source)
    identity = named["id"][1] if "id" in named else None
    cells = {name: value for name, value in named.items() if name not in HEADERS}
    if cells:
        if blocks:
            number, line = blocks[0][0]
            raise InvalidValue(f"{source}, line {number}: {shown(line)} is no list of cells, like A: (0,1) (0,2)")
        regions: Any = {name: _cells(line, source) for name, line in cells.items()}
        return _made(source, regions, identity, **others)
    if not blocks:
        raise InvalidValue(f"{source}: there are no regions")
    if len(blocks) > 2:
        number, line = blocks[2][0]
        raise InvalidValue(
            f"{source}, line {number}: a third block begins here ({shown(line)}); there is one of regions and, below an empty "
            "line, one of marks"
        )
    rows = _rows(blocks[0], source)
    if len(blocks) > 1:
        given, crossed = _marks(blocks[1], len(rows), source)
        others["given"] = [*others.get("given", ()), *given]
        others["crossed"] = [*others.get("crossed", ()), *crossed]
    return _made(f"{source}, line {blocks[0][0][0]}", rows, identity, **others)


def _blocks(text: str, source: str) -> tuple[list[list[Line]], dict[str, Line]]:
    """Return the blocks of lines between empty ones, and the lines with a name and a colon; comments are left out."""
    blocks: list[list[Line]] = [[]]
    named: dict[str, Line] = {}
    for number, raw in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
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


def _headers(named: Mapping[str, Line], source: str) -> dict[str, Any]:
    """Return what the lines say that do not tell a region's cells."""
    others: dict[str, Any] = {}
    if "stars" in named:
        number, value = named["stars"]
        if not re.fullmatch(r"\d{1,9}", value):
            raise InvalidValue(f"{source}, line {number}: stars: expected 1, 2 or 3, got {shown(value)}")
        others["stars"] = int(value)
    for what in ("given", "crossed"):
        if what in named:
            others[what] = _cells(named[what], source)
    return others


def _cells(line: Line, source: str) -> list[Square]:
    number, text = line
    cells: list[Square] = []
    position = 0
    while position < len(text):
        match = CELL.match(text, position)
        if match is None:
            raise InvalidValue(
                f"{source}, line {number}: expected cells like (0,1) (0,2), got {shown(text[position : position + 40])}"
            )
        cells.append((int(match[1]), int(match[2])))
        position = match.end()
    return cells


def _rows(block: list[Line], source: str) -> list[list[str]]:
    """Return the labels of rows: the characters, or, where there are blanks, what stands between them."""
    separated = any(re.search(r"\s", line) for _, line in block)
    rows = [line.split() if separated else list(line) for _, line in block]
    for row, ((number, line), labels) in enumerate(zip(block, rows, strict=True)):
        if len(labels) != len(rows[0]):
            raise InvalidValue(
                f"{source}, line {number}: row {row} has {len(labels)} cells, and row 0 has {len(rows[0])}: {shown(line)}"
            )
    return rows


def _marks(block: list[Line], n: int, source: str) -> tuple[list[Square], list[Square]]:
    """Return where the marks say that a queen stands, and where none does."""
    if len(block) != n:
        raise InvalidValue(
            f"{source}, line {block[0][0]}: there are {len(block)} rows of marks, and {n} rows of regions"
        )
    given: list[Square] = []
    crossed: list[Square] = []
    for row, (number, line) in enumerate(block):
        marks = "".join(line.split())
        if len(marks) != n:
            raise InvalidValue(
                f"{source}, line {number}: row {row} has {len(marks)} marks, and the board has {n} columns"
            )
        for column, mark in enumerate(marks):
            if mark == QUEEN:
                given.append((row, column))
            elif mark == CROSSED:
                crossed.append((row, column))
            elif mark != EMPTY:
                raise InvalidValue(
                    f"{source}, line {number}: the mark of ({row}, {column}) is {mark!r}; marks are "
                    f"{QUEEN} (a queen), {CROSSED} (none) and {EMPTY} (not known)"
                )
    return given, crossed
