"""The formats of lists of solutions: how batches become bytes, and bytes batches.

A format is made for a model. Text formats have a fixed number of lines for each solution; what they hold beyond the variables
(the size of the orbit) is a last column.
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nqueens_cp.core import kernel
from nqueens_cp.errors import InvalidValue
from nqueens_cp.listing.batches import dtype_of
from nqueens_cp.model import Problem
from nqueens_cp.result import Scope
from nqueens_cp.variables import VariableArray

Array = NDArray[Any]

BOM = "\ufeff".encode()
"""Some programs write it at the beginning of a text."""
ORBIT = "orbit"
"""What the column with the size of a solution's orbit is called."""
MAX_TABULATED = 4096
"""The texts of so many values of a variable are tabulated."""
INTEGER = re.compile(r"-?\d{1,19}")


class Format(ABC):
    """One way to write solutions.

    Attributes
    ----------
    columns : tuple of str
        The names of what each row holds: the variables, and perhaps `ORBIT`.
    dtype : numpy.dtype
        Of the batches.
    header : bytes
        What stands before the first solution.
    unit_lines : int
        How many lines a solution takes, with those that keep it apart from the next.
    at_once : int
        How many solutions to encode together, so that it takes little memory.
    """

    name: ClassVar[str]
    header = b""
    unit_lines = 1
    at_once = 1 << 15

    def __init__(self, problem: Problem, *, orbits: bool = False) -> None:
        self.problem = problem
        self.orbits = orbits
        self.dtype = dtype_of(problem)
        names = [variable.name for variable in problem.variables]
        self.columns = (*names, ORBIT) if orbits else tuple(names)

    @abstractmethod
    def encode(self, batch: Array, first: bool) -> bytes:
        """Return the bytes of a batch; `first` says that nothing stands before it but the header."""

    def accepts_header(self, header: bytes) -> bool:
        """Say whether what stands before the first solution is right; more forgiving than `header`."""
        return header.removeprefix(BOM) == self.header

    def joined(self, units: bytes, first: bool) -> bytes:
        """Return whole units as they stand in a file, after others unless they are the first."""
        return units

    def number_of(self, units: bytes) -> int:
        """Return how many whole units there are."""
        return units.count(b"\n") // self.unit_lines

    def first_of(self, units: bytes, rows: int) -> bytes:
        """Return the first so many whole units."""
        ends = np.flatnonzero(np.frombuffer(units, dtype=np.uint8) == ord("\n"))
        return units[: int(ends[rows * self.unit_lines - 1]) + 1] if rows else b""

    @abstractmethod
    def decode(self, units: bytes) -> Array | None:
        """Return the batch that whole units hold, or None if it is not quite what `encode` writes."""

    @abstractmethod
    def parse(self, lines: Sequence[str]) -> tuple[int, ...]:
        """Return the row that one unit's lines hold; more forgiving than `decode`.

        Raises
        ------
        ValueError
            They hold none; the message says why.
        """

    def _checked_width(self, words: Sequence[str]) -> tuple[int, ...]:
        if len(words) != len(self.columns):
            raise ValueError(f"{len(words)} values for {len(self.columns)} columns")
        for word in words:
            if not INTEGER.fullmatch(word):
                raise ValueError(f"{word[:30]!r} is not an integer")
        return tuple(map(int, words))


class RowFormat(Format):
    """A line for each solution: numbers, and between them always the same pieces of text."""

    def __init__(self, problem: Problem, *, orbits: bool = False) -> None:
        super().__init__(problem, orbits=orbits)
        self.order, self.pieces = self._layout()
        self._in_order = self.order == sorted(self.order)
        between = set(self.pieces[1:-1])
        self._between = between.pop() if len(between) == 1 else b" "
        alike = not between and len(self._between) == 1
        self._by_kernel = alike and len(self.columns) > 0 and self.dtype == np.uint8
        self._template = b"%d".join(piece.replace(b"%", b"%%") for piece in self.pieces)
        self._tables = None if self._by_kernel else self._tabulated()

    @abstractmethod
    def _layout(self) -> tuple[list[int], list[bytes]]:
        """Return in which order the columns are written, and the pieces before, between and after them."""

    def _tabulated(self) -> list[Array] | None:
        """Return for each column the texts of its values with the piece after it, padded by zero bytes; None if too many."""
        spans = [(variable.domain[0], variable.domain[-1]) for variable in self.problem.variables]
        if self.orbits:
            spans.append((1, 8))
        if any(high - low >= MAX_TABULATED for low, high in spans):
            return None
        tables = []
        self._lows = [low for low, _ in spans]
        for place, column in enumerate(self.order):
            low, high = spans[column]
            texts = [b"%d" % value + self.pieces[place + 1] for value in range(low, high + 1)]
            if place == 0:
                texts = [self.pieces[0] + text for text in texts]
            width = max(map(len, texts))
            table = np.frombuffer(b"".join(text.ljust(width, b"\0") for text in texts), dtype=np.uint8)
            tables.append(table.reshape(-1, width))
        return tables

    def encode(self, batch: Array, first: bool) -> bytes:
        if self._by_kernel:
            return self._lines_by_kernel(batch)
        if self._tables is None or not self.columns:
            rows = batch[:, self.order].tolist()
            return b"".join([self._template % tuple(row) for row in rows])
        texts = [
            table.take(batch[:, column].astype(np.int64) - self._lows[column], axis=0, mode="clip")
            for table, column in zip(self._tables, self.order, strict=True)
        ]
        flat = np.concatenate(texts, axis=1).ravel()
        kept: Array = flat[flat != 0]
        return kept.tobytes()

    def _lines_by_kernel(self, batch: Array) -> bytes:
        """Return what `encode` does where all values are bytes and always the same byte stands between them."""
        before, after = self.pieces[0], self.pieces[-1]
        ordered = np.ascontiguousarray(batch if self._in_order else batch[:, self.order], dtype=np.uint8)
        text = kernel.format_lines(ordered.data, len(self.columns), self._between)
        if before or after != b"\n":
            text = before + text.replace(b"\n", after + before)
        return text[: len(text) - len(before)]

    def decode(self, units: bytes) -> Array | None:
        lines = units.count(b"\n")
        if not self.columns:
            return np.empty((lines, 0), dtype=self.dtype) if units == self.pieces[0] * lines else None
        numbers = units
        for piece in sorted(set(self.pieces) - {b"", b" ", b"\n"}, key=len, reverse=True):
            numbers = numbers.replace(piece, b" ")
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            try:
                # It warns of text that does not hold numbers to its end.
                flat = np.fromstring(numbers, dtype=np.int64, sep=" ")
            except (DeprecationWarning, ValueError):
                return None
        if flat.size != lines * len(self.columns):
            return None
        rows = np.empty((lines, len(self.columns)), dtype=np.int64)
        rows[:, self.order] = flat.reshape(lines, -1)
        fitting = rows.astype(self.dtype)
        return fitting if self.encode(fitting, True) == units and (fitting == rows).all() else None


class Lines(RowFormat):
    """The values in a line, with spaces between them."""

    name = "lines"

    def _layout(self) -> tuple[list[int], list[bytes]]:
        columns = len(self.columns)
        return list(range(columns)), [b"", *[b" "] * (columns - 1), b"\n"] if columns else [b"\n"]

    def parse(self, lines: Sequence[str]) -> tuple[int, ...]:
        return self._checked_width(lines[0].split())


class Csv(RowFormat):
    """The same with commas, after a line with the names."""

    name = "csv"

    def __init__(self, problem: Problem, *, orbits: bool = False) -> None:
        super().__init__(problem, orbits=orbits)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(self.columns)
        self.header = text.getvalue().encode()

    def accepts_header(self, header: bytes) -> bool:
        text = header.removeprefix(BOM).decode("utf-8", "replace")
        rows = list(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True))
        return len(rows) == 1 and tuple(name.strip() for name in rows[0]) == tuple(
            name.strip() for name in self.columns
        )

    def _layout(self) -> tuple[list[int], list[bytes]]:
        columns = len(self.columns)
        return list(range(columns)), [b"", *[b","] * (columns - 1), b"\n"] if columns else [b"\n"]

    def parse(self, lines: Sequence[str]) -> tuple[int, ...]:
        return self._checked_width([word.strip().strip('"') for word in lines[0].split(",")] if self.columns else [])


class JsonLines(RowFormat):
    """A JSON object in each line: a list for each array, a number for each variable outside arrays."""

    name = "jsonl"

    def __init__(self, problem: Problem, *, orbits: bool = False) -> None:
        self._entries = Scope(problem).entries
        if orbits and any(entry.name == ORBIT for entry in self._entries):
            raise InvalidValue(
                f"jsonl: a variable is called {ORBIT!r}, as is the size of the orbit; use another format"
            )
        super().__init__(problem, orbits=orbits)

    def _layout(self) -> tuple[list[int], list[bytes]]:
        order: list[int] = []
        text = "{"
        for entry in self._entries:
            text += f"{',' if len(text) > 1 else ''}{json.dumps(entry.name)}:"
            if isinstance(entry, VariableArray):
                order += [variable.index for variable in entry]
                text += f"[{','.join(chr(0) * len(entry))}]"
            else:
                order.append(entry.index)
                text += "\0"
        if self.orbits:
            order.append(len(self.columns) - 1)
            text += f"{',' if len(text) > 1 else ''}{json.dumps(ORBIT)}:\0"
        return order, f"{text}}}\n".encode().split(b"\0")

    def parse(self, lines: Sequence[str]) -> tuple[int, ...]:
        try:
            record = json.loads(lines[0])
        except ValueError as error:
            raise ValueError(f"not JSON: {error}") from None
        except RecursionError:
            raise ValueError("not JSON of a solution: it is nested too deeply") from None
        names = [entry.name for entry in self._entries] + [ORBIT] * self.orbits
        if not isinstance(record, dict) or sorted(record) != sorted(names):
            raise ValueError(f"expected an object with {', '.join(names) or 'nothing in it'}")
        row = [0] * len(self.columns)
        for entry in self._entries:
            values = record[entry.name]
            if isinstance(entry, VariableArray):
                if not isinstance(values, list) or len(values) != len(entry):
                    raise ValueError(f"{entry.name} is no list of {len(entry)} values")
                for variable, value in zip(entry, values, strict=True):
                    row[variable.index] = value
            else:
                row[entry.index] = values
        if self.orbits:
            row[-1] = record[ORBIT]
        if any(type(value) is not int for value in row):
            raise ValueError("it holds something that is not an integer")
        return tuple(row)


class ArrayFile(Format):
    """NumPy's .npy: a header of fixed size, whose number of rows is put in while the file grows, and the rows."""

    name = "npy"
    unit_lines = 0
    HEADER_SIZE = 256

    @property
    def row_bytes(self) -> int:
        """How many bytes a row takes."""
        return self.dtype.itemsize * len(self.columns)

    def number_of(self, units: bytes) -> int:
        return len(units) // self.row_bytes

    def first_of(self, units: bytes, rows: int) -> bytes:
        return units[: rows * self.row_bytes]

    def array_header(self, rows: int) -> bytes:
        """Return the header for so many rows."""
        kind = np.lib.format.dtype_to_descr(self.dtype.newbyteorder("<"))
        text = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': ({rows}, {len(self.columns)}), }}"
        padded = text.ljust(self.HEADER_SIZE - 11) + "\n"
        return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode("latin-1")

    def encode(self, batch: Array, first: bool) -> bytes:
        return np.ascontiguousarray(batch, dtype=self.dtype.newbyteorder("<")).tobytes()

    def decode(self, units: bytes) -> Array | None:
        rows = np.frombuffer(units, dtype=self.dtype.newbyteorder("<"))
        return rows.reshape(-1, len(self.columns)).astype(self.dtype, copy=False)

    def parse(self, lines: Sequence[str]) -> tuple[int, ...]:
        raise ValueError("an array has no lines")


ENDINGS = {".txt": "boards", ".lines": "lines", ".csv": "csv", ".jsonl": "jsonl", ".npy": "npy"}


def is_compressed(path: Path) -> bool:
    """Say whether a file's name says that it is compressed."""
    return path.suffix == ".gz"


def format_name(path: Path, asked: str | None = None) -> str:
    """Return the name of the format asked for, or the one that the ending of a file's name tells.

    Raises
    ------
    InvalidValue
        There is no such format, or the ending tells none.
    """
    names = sorted(ENDINGS.values())
    ending = Path(path.stem).suffix if is_compressed(path) else path.suffix
    name = ENDINGS.get(ending) if asked is None else asked
    if name is None:
        raise InvalidValue(
            f"{path}: its ending tells no format; end the name in {', '.join(ENDINGS)} (all but .npy also with .gz after it), "
            f"or say which: {', '.join(names)}"
        )
    if name not in names:
        raise InvalidValue(f"format: {name!r} is none of {', '.join(names)}")
    if name == "npy" and is_compressed(path):
        raise InvalidValue(
            f"{path}: an .npy file says at its beginning how many rows follow, which is not known before its end, so it cannot "
            "be compressed as it is written; write .npy and compress it afterwards, or another format"
        )
    return name


def make_format(name: str, problem: Problem, *, orbits: bool = False) -> Format:
    """Return a format, by its name, for the solutions of a problem."""
    from nqueens_cp.listing.boards import Boards

    kinds: dict[str, type[Format]] = {kind.name: kind for kind in (Boards, Lines, Csv, JsonLines, ArrayFile)}
    if name not in kinds:
        raise InvalidValue(f"format: {name!r} is none of {', '.join(sorted(kinds))}")
    return kinds[name](problem, orbits=orbits)
