"""Reading other people's files: their text, and errors that name the file, the line and the thing."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from nqueens_cp.checks import INT64_MAX, INT64_MIN
from nqueens_cp.errors import InvalidValue, NQueensError, UnsupportedModel
from nqueens_cp.relations import shorten

MAX_BYTES = 256 * 2**20
"""A file, unpacked, may be this long."""
MAX_CONSTRAINTS = 1_000_000
"""A file may state so many constraints."""
STANDARD_INPUT = Path("standard input")
"""In place of a file's path."""
PACKED: dict[str, Any] = {".gz": gzip.open, ".lzma": lzma.open, ".xz": lzma.open}
INTEGER = re.compile(r"[+-]?[0-9]+")


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers; what ends a line is LF, CR or both, as in other tools."""
    return enumerate(io.StringIO(text, newline=None), start=1)


class Source:
    """A file that is being read.

    Attributes
    ----------
    path : Path
        Where it is; errors name it.
    covered : str
        What of its format can be read, for the errors about what cannot.
    """

    def __init__(self, path: Path, covered: str) -> None:
        self.path = path
        self.covered = covered

    def data(self) -> bytes:
        """Return what the file holds, unpacked if its name ends in .gz, .lzma or .xz."""
        opened = PACKED.get(self.path.suffix.lower(), open)
        if self.path is STANDARD_INPUT and sys.stdin is None:
            raise InvalidValue(f"{self.path}: cannot be read: it is closed")
        try:
            with sys.stdin.buffer if self.path is STANDARD_INPUT else opened(self.path, "rb") as file:
                data: bytes = file.read(MAX_BYTES + 1)
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise InvalidValue(f"{self.path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
        if len(data) > MAX_BYTES:
            raise InvalidValue(f"{self.path}: is too long; files of at most {MAX_BYTES >> 20} MiB are read")
        return data

    def text(self) -> str:
        """Return the file's text, which must be UTF-8."""
        data = self.data()
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InvalidValue(
                f"{self.path}, line {line}: is not UTF-8 text (byte {data[error.start]:#04x})"
            ) from error

    def invalid(self, line: int, problem: str) -> NoReturn:
        """Raise the error that the file is malformed at a line."""
        raise InvalidValue(f"{self.path}, line {line}: {problem}")

    def unsupported(self, line: int, thing: str) -> NoReturn:
        """Raise the error that a thing at a line is outside of what is read."""
        raise UnsupportedModel(f"{self.path}, line {line}: {thing} cannot be read; {self.covered}")

    def integer(self, word: str, line: int) -> int:
        """Return a word as an integer of at most 64 bits."""
        if not INTEGER.fullmatch(word):
            self.invalid(line, f"expected an integer, got {shorten(word, 60)!r}")
        if len(word) > 20 or not INT64_MIN <= int(word) <= INT64_MAX:
            self.invalid(line, f"the number {shorten(word, 40)} does not fit into 64 bits")
        return int(word)

    @contextmanager
    def at(self, line: int) -> Iterator[None]:
        """Give an error of the modelling language the place in the file that it is about."""
        try:
            yield
        except NQueensError as error:
            if str(error).startswith(f"{self.path}"):
                raise
            raise type(error)(f"{self.path}, line {line}: {error}") from error
