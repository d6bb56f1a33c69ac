"""Reading files of solutions, a piece at a time: decompressed, and cut where a solution ends."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nqueens_cp.listing.formats import BOM, Array, ArrayFile, Format, is_compressed

READ_AT_ONCE = 1 << 20


class Contents:
    """The content of a file, decompressed if its name ends in .gz.

    Attributes
    ----------
    fault : str
        Why decompressing ended early; "" if it did not.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault = ""

    def __iter__(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            pieces = iter(lambda: file.read(READ_AT_ONCE), b"")
            if is_compressed(self.path):
                yield from self._decompressed(pieces)
            else:
                yield from pieces

    def _decompressed(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        member = zlib.decompressobj(31)
        self.fault = "its compressed content is missing, it is empty"
        for piece in pieces:
            while piece:
                try:
                    content = member.decompress(piece, READ_AT_ONCE)
                except zlib.error as error:
                    self.fault = f"its compressed content is damaged ({error})"
                    return
                if content:
                    yield content
                piece = member.unused_data or member.unconsumed_tail
                if member.eof:
                    member = zlib.decompressobj(31)
                    self.fault = ""
                else:
                    self.fault = "its compressed content ends early"


class Units:
    """The solutions of a file in whole units, as a format's `decode` takes them.

    Attributes
    ----------
    header : bytes
        What stands before the first of them.
    rest : bytes
        What is left at the end and is no whole unit.
    fault : str
        What is wrong with the file as a whole; "" if nothing is.
    rows : int or None
        How many solutions an array's header says there are.
    """

    def __init__(self, path: Path, form: Format) -> None:
        self.path, self.form = path, form
        self.header = self.rest = b""
        self.fault = ""
        self.rows: int | None = None
        self.dtype: np.dtype[Any] | None = None

    def __iter__(self) -> Iterator[bytes]:
        contents = Contents(self.path)
        if isinstance(self.form, ArrayFile):
            yield from self._rows(self.form)
            return
        self.rest, at_header = b"", True
        for content in contents:
            self.rest += content
            if at_header:
                part_of_mark = len(self.rest) < len(BOM) and BOM.startswith(self.rest)
                if part_of_mark or self.rest.count(b"\n") < self.form.header.count(b"\n"):
                    continue
                at_header = False
                self._take_header()
            units, self.rest = self._cut(self.rest)
            if units:
                yield units
        self.fault = contents.fault
        if self.form.unit_lines > 1 and self.rest:  # the empty line after the last is left out
            units, rest = self._cut(self.rest + b"\n")
            if units:
                self.rest = rest
                yield units

    def _take_header(self) -> None:
        """Move what stands before the first solution from the rest to the header: as many lines as the format has."""
        end = len(BOM) if self.rest.startswith(BOM) else 0
        for _ in range(self.form.header.count(b"\n")):
            end = self.rest.index(b"\n", end) + 1
        self.header, self.rest = self.rest[:end], self.rest[end:]

    def _cut(self, content: bytes) -> tuple[bytes, bytes]:
        """Take content apart into whole units and what is left."""
        lines = self.form.unit_lines
        if lines == 1:
            end = content.rfind(b"\n") + 1
        else:
            ends = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == ord("\n"))
            whole = len(ends) - len(ends) % lines
            end = int(ends[whole - 1]) + 1 if whole else 0
        return content[:end], content[end:]

    def _rows(self, form: ArrayFile) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            try:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, in_columns, dtype = read(file)
            except (ValueError, EOFError, OSError) as error:
                reason = "it cannot be read" if "<ast." in str(error) else str(error).splitlines()[0]
                self.fault = f"its header is no header of an .npy file ({reason})"
                return
            start = file.tell()
            file.seek(0)
            self.header, self.dtype = file.read(start), dtype
            if len(shape) != 2 or shape[1] != len(form.columns) or (in_columns and min(shape) > 1):
                order = ", by columns" if in_columns else ""
                way = "; write it anew by rows: numpy.save(FILE, numpy.ascontiguousarray(numpy.load(FILE)))"
                self.fault = (
                    f"its shape is {shape}{order}, not (rows, {len(form.columns)}) by rows{way if in_columns else ''}"
                )
                return
            if dtype.kind not in "iu" or dtype == np.uint64:
                self.fault = f"its numbers are {dtype}, not integers of at most 64 bits with a sign"
                return
            self.rows = shape[0]
            size = dtype.itemsize * shape[1]
            while content := file.read(max(size, READ_AT_ONCE - READ_AT_ONCE % size) if size else READ_AT_ONCE):
                whole = len(content) - len(content) % size if size else 0
                self.rest = content[whole:]
                if whole:
                    yield content[:whole]

    def batch(self, units: bytes) -> Array | None:
        """Return the rows of units, or None where they are not quite what the format writes."""
        if self.dtype is not None:
            return np.frombuffer(units, dtype=self.dtype).reshape(-1, len(self.form.columns))
        return self.form.decode(units)

    def rows_one_by_one(self, units: bytes) -> Iterator[tuple[int, str, tuple[int, ...] | str]]:
        """Yield for each unit its first line's place, its text, and its values or, in words, why there are none."""
        lines = units.decode("utf-8", errors="replace").split("\n")[:-1]
        for start in range(0, len(lines), self.form.unit_lines):
            own = [line.rstrip("\r") for line in lines[start : start + self.form.unit_lines]]
            text = "\n".join(own).rstrip("\n")
            try:
                yield start, text, self.form.parse(own)
            except ValueError as error:
                yield start, text, str(error)
