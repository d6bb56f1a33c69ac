"""The textbook backtrackers as backends, for comparison: they take the classic board and nothing else."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import ClassVar

from nqueens_cp.backends.base import Backend, Capabilities, Part
from nqueens_cp.control import Control
from nqueens_cp.core.compile import CannotCompile, DiagonalForm, compile_problem
from nqueens_cp.errors import UnsupportedModel
from nqueens_cp.model import Problem
from nqueens_cp.textbook import Tally
from nqueens_cp.version import __version__

LARGEST = 400
"""Boards beyond this reach Python's limit of nested calls, and would not end in a lifetime."""


class ClassicBoardBackend(Backend):
    """A program for the classic board, which is translated to its size; it searches alone, whatever the number of workers."""

    def translate(self, problem: Problem, control: Control) -> int:
        try:
            form = compile_problem(problem, control)
        except CannotCompile:
            form = None
        if not (isinstance(form, DiagonalForm) and _is_classic(form) and form.width <= LARGEST):
            raise UnsupportedModel(
                f"{self.name} takes the classic n-queens board of at most {LARGEST} rows and nothing else; "
                f"model {problem.name!r} is another problem"
            )
        if any(form.firsts):
            raise UnsupportedModel(f"{self.name}: the columns of model {problem.name!r} are not counted from 0")
        return form.width

    def parts(self, problem: Problem, translated: int, at_least: int, *, counting: bool) -> list[Part]:
        return [Part(problem)]  # a piece of the board would be another problem


class TextbookBackend(ClassicBoardBackend):
    """One of the modules of `nqueens_cp.textbook`."""

    capabilities = Capabilities(lexicographic=True)
    module: ClassVar[str]

    def load(self) -> None:
        self._solutions = importlib.import_module(f"nqueens_cp.textbook.{self.module}").solutions

    def version(self) -> str:
        return f"{__version__} (Python, for comparison)"

    def solutions(self, translated: int, control: Control) -> Iterator[tuple[int, ...]]:
        tally = Tally()
        try:
            yield from self._solutions(translated, tally, control.poll)
        finally:
            control.statistics.update(asdict(tally))


def _is_classic(form: DiagonalForm) -> bool:
    tiny = len(form.allowed) == form.width <= 1 and 0 not in form.allowed  # it has no diagonals to tell it from rooks
    return tiny or form.is_plain_queens


class FlagArrays(TextbookBackend):
    """Flags for columns and diagonals."""

    name, module = "flag-arrays", "flag_arrays"


class PositionArray(TextbookBackend):
    """Checks against the queens above."""

    name, module = "position-array", "position_array"


class MarkedBoard(TextbookBackend):
    """Marks attacked squares, with backup and restore."""

    name, module = "marked-board", "marked_board"


class BitMasks(TextbookBackend):
    """Three integers."""

    name, module = "bit-masks", "bit_masks"


class ForwardChecking(TextbookBackend):
    """Keeps the free squares of the later rows."""

    name, module = "forward-checking", "forward_checking"
