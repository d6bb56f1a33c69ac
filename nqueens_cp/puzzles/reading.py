"""Reading puzzles: text grids with marks, lists of cells, JSON, JSON lines; which it is is found out.

docs/puzzles.md describes the formats. Every error names the source, the line, and the row or cell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from nqueens_cp.checks import shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.puzzles.puzzle import Puzzle
from nqueens_cp.puzzles.reading_json import from_json, id_in, loads
from nqueens_cp.puzzles.reading_text import from_text

MAX_FILE = 256 * 2**20
"""Bytes of a file that is read as a whole; `lines` reads longer ones."""
MAX_LINE = 1 << 20
"""Bytes of one line of JSON lines."""


def read_file(file: Any) -> list[Puzzle]:
    """Return the puzzles of a file, given by its path."""
    try:
        path = Path(file)
    except TypeError:
        raise InvalidType(f"puzzle file: expected a path, got {shown(file)} ({type(file).__name__})") from None
    with _readable(file), path.open("rb") as stream:
        return read_stream(stream, str(file))


def opened(file: str) -> BinaryIO:
    """Open a file of puzzles."""
    with _readable(file):
        return Path(file).open("rb")


@contextmanager
def _readable(file: Any) -> Iterator[None]:
    """Say of what the system refuses that the file cannot be read."""
    try:
        yield
    except InvalidValue:
        raise
    except (OSError, ValueError) as error:
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
    return [from_text(text, source)]


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


def require_one_a_line(numbered: Iterator[tuple[int, bytes]], source: str) -> Iterator[tuple[int, bytes]]:
    """Return numbered lines as they are.

    Raises
    ------
    InvalidValue
        The first two are parts of JSON that is spread over lines, as programs print it for people.
    """
    first = list(islice(numbered, 2))
    if len(first) == 2 and _goes_on(first[0][1]) and not _is_json(first[1][1]):
        raise InvalidValue(
            f"{source}, line {first[0][0]}: this JSON goes on in the next line; a board must be one line here "
            "(puzzle FILE --write BOARDS.jsonl writes the boards of a list, or one that is alone, so)"
        )
    return chain(first, numbered)


def from_line(line: bytes, where: str) -> Puzzle:
    """Return the puzzle of one line of JSON lines; `where` names file and line in errors."""
    if len(line) > MAX_LINE:
        raise InvalidValue(f"{where}: the line is longer than {MAX_LINE >> 20} MiB")
    text = _decoded(line, where)
    if text.lstrip()[:1] not in "[{":
        raise InvalidValue(f"{where}: {shown(text.strip())} is no JSON, which begins with {{ or [")
    value = loads(text, where)
    if _is_list_of_puzzles(value):
        raise InvalidValue(f"{where}: a list of {len(value)} puzzles; here each is in a line of its own")
    return from_json(value, where)


def id_of_line(line: bytes) -> str | int | None:
    """Return the id in a line from which no puzzle can be read, if it has one."""
    try:
        return id_in(loads(_decoded(line[:MAX_LINE], ""), ""))
    except InvalidValue:
        return None


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidValue(f"{source}: not UTF-8 text (byte {error.start}, line {line} of it)") from None


def _read_json(text: str, source: str) -> list[Puzzle]:
    first, _, rest = text.lstrip().partition("\n")
    if rest.strip() and _is_json(first):
        numbered = [(f"{source}, line {number}", line) for number, line in enumerate(text.split("\n"), 1)]
        return [from_json(loads(line, where), where) for where, line in numbered if line.strip()]
    value = loads(text, source)
    if _is_list_of_puzzles(value):
        return [from_json(entry, f"{source}, puzzle {number}") for number, entry in enumerate(value, start=1)]
    return [from_json(value, source)]


def _is_list_of_puzzles(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _goes_on(line: bytes) -> bool:
    """Say whether a line is the beginning of JSON and no more."""
    try:
        text = line.decode("utf-8-sig").strip()
        json.loads(text)
    except json.JSONDecodeError as error:
        return text[:1] in "[{" and error.pos >= len(text) - text.endswith(",")
    except (ValueError, RecursionError):
        return False
    return False


def _is_json(line: str | bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
