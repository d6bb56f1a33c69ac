"""The format of text boards, with an empty line between them.

A model that is no board, or one that is too large to be printed, has its values by name in one line instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from nqueens_cp.board import PLACED, QUEEN, Board
from nqueens_cp.listing.formats import ORBIT, Array, Format
from nqueens_cp.model import Problem
from nqueens_cp.result import MAX_PRINTED_SQUARES, Scope, Solution
from nqueens_cp.variables import VariableArray

BYTES_AT_ONCE = 1 << 19
NUMBER = r"(-?\d{1,19})"


class Boards(Format):
    """Text boards, or values by name."""

    name = "boards"

    def __init__(self, problem: Problem, *, orbits: bool = False) -> None:
        super().__init__(problem, orbits=orbits)
        self._scope = Scope(problem)
        board = problem.board
        self.board = None if board is None or board.height * board.columns > MAX_PRINTED_SQUARES else board
        lines = 1
        if self.board is not None:
            lines = max(1, self.board.height)
            self._empty = _Empty(self.board)
            self.at_once = max(1, BYTES_AT_ONCE // len(self._empty.text))
        self.unit_lines = lines + orbits + 1

    def left_out(self) -> list[str]:
        """Return the variables that a board does not show, so that it cannot be read back."""
        if self.board is None:
            return []
        shown = set(self.board.variables)
        return [variable.name for variable in self.problem.variables if variable not in shown]

    def encode(self, batch: Array, first: bool) -> bytes:
        if self.board is None or self.orbits:
            text = "".join(map(self._text, batch.tolist())).encode()
        else:
            text = self._empty.filled(batch).tobytes()
        return self.joined(text, first)

    def joined(self, units: bytes, first: bool) -> bytes:
        return units[:-1] if first else b"\n" + units[:-1]

    def _text(self, row: list[int]) -> str:
        values = tuple(row[: len(self.problem.variables)])
        orbit = f"\n{ORBIT} {row[-1]}" if self.orbits else ""
        return f"{Solution(self._scope, values)}{orbit}\n\n"

    def decode(self, units: bytes) -> Array | None:
        if self.board is None or self.orbits or self.left_out():
            return None
        size = len(self._empty.text)
        if len(units) % size or not self.board.height:
            return None
        batch = self._empty.read(np.frombuffer(units, dtype=np.uint8).reshape(-1, size), self)
        return batch if self._empty.filled(batch).tobytes() == units else None

    def parse(self, lines: Sequence[str]) -> tuple[int, ...]:
        orbit: tuple[int, ...] = ()
        lines = lines[:-1]
        if self.orbits:
            found = re.fullmatch(rf"{ORBIT} (\d{{1,18}})", lines[-1])
            if found is None:
                raise ValueError(f"expected {ORBIT} and its size, got {lines[-1][:40]!r}")
            orbit, lines = (int(found[1]),), lines[:-1]
        values = self._named_values(lines[0]) if self.board is None else self._squares(self.board, lines)
        return values + orbit

    def _squares(self, board: Board, lines: Sequence[str]) -> tuple[int, ...]:
        row = [0] * len(self.problem.variables)
        for r, line in enumerate(lines[: board.height]):
            marks = line.split()
            if len(marks) != board.columns or any(mark not in "QPx." or len(mark) > 1 for mark in marks):
                raise ValueError(f"row {r} is not {board.columns} of Q, P, x and .: {line[:40]!r}")
            pieces = [column for column, mark in enumerate(marks) if mark in "QP"]
            if board.cells:
                for column in pieces:
                    row[board.cells[r][column].index] = 1
            elif len(pieces) != 1:
                raise ValueError(f"row {r} has {len(pieces)} queens: {line[:40]!r}")
            else:
                row[board.rows[r].index] = pieces[0]
        return tuple(row)

    def _named_values(self, line: str) -> tuple[int, ...]:
        row = [0] * len(self.problem.variables)
        text = ""
        order: list[int] = []
        for entry in self._scope.entries:
            text += ", " if text else ""
            if isinstance(entry, VariableArray):
                text += rf"{re.escape(entry.name)} = \[{', '.join([NUMBER] * len(entry))}\]"
                order += [variable.index for variable in entry]
            else:
                text += f"{re.escape(entry.name)} = {NUMBER}"
                order.append(entry.index)
        found = re.fullmatch(text, line)
        if found is None:
            raise ValueError(f"expected a value for each of {', '.join(e.name for e in self._scope.entries)}")
        for index, value in zip(order, found.groups(), strict=True):
            row[index] = int(value)
        return tuple(row)


class _Empty:
    """A board without pieces as bytes, and how pieces are put on many of them."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.text = np.frombuffer(f"{board.text([])}\n\n".encode(), dtype=np.uint8)
        self._length = 2 * board.columns
        self._marks = np.full((board.height, max(1, board.columns)), ord(QUEEN), dtype=np.uint8)
        for row, column in board.placed:
            self._marks[row, column] = ord(PLACED)

    def filled(self, batch: Array) -> Array:
        """Return a row of bytes for each solution."""
        boards = np.repeat(self.text[None, :], len(batch), axis=0)
        every = np.arange(len(batch))
        for row, variable in enumerate(self.board.rows):
            columns = batch[:, variable.index].astype(np.intp)
            boards[every, row * self._length + 2 * columns] = self._marks[row, columns]
        for row, cells in enumerate(self.board.cells):
            for column, cell in enumerate(cells):
                piece = batch[:, cell.index] == 1
                boards[piece, row * self._length + 2 * column] = self._marks[row, column]
        return boards

    def read(self, boards: Array, made_for: Format) -> Array:
        """Return the values that boards of the right size show; where they are none, any."""
        batch = np.zeros((len(boards), len(made_for.problem.variables)), dtype=made_for.dtype)
        height, width = self.board.height, self.board.columns
        squares = boards[:, : height * self._length].reshape(len(boards), height, self._length)[:, :, ::2]
        pieces = (squares == ord(QUEEN)) | (squares == ord(PLACED))
        if self.board.rows and width:
            batch[:, [variable.index for variable in self.board.rows]] = pieces.argmax(axis=2)
        for row, cells in enumerate(self.board.cells):
            batch[:, [cell.index for cell in cells]] = pieces[:, row]
        return batch
