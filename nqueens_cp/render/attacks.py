"""Which squares of a board are attacked: those where the rules allow no piece beside one that stands on another square."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import lru_cache

from nqueens_cp.board import Board, Square
from nqueens_cp.control import Control
from nqueens_cp.core.compile import CannotCompile, ConflictForm, DiagonalForm, columns_of, compile_problem
from nqueens_cp.errors import InvalidValue
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint
from nqueens_cp.variables import IntVar

MOVES: dict[str, Callable[[int, int], bool]] = {
    "queen": lambda down, across: not down or not across or down == across,
    "rook": lambda down, across: not down or not across,
    "bishop": lambda down, across: down == across,
    "knight": lambda down, across: {down, across} == {1, 2},
    "king": lambda down, across: max(down, across) == 1,
    "amazon": lambda down, across: not down or not across or down == across or {down, across} == {1, 2},
    "star": lambda down, across: max(down, across) == 1,
}
"""Whether a piece attacks a square so many rows down or up and so many columns across; stars must not touch."""


def attacked_by_moves(piece: str, pieces: Collection[Square], rows: int, columns: int) -> set[Square]:
    """Return the squares that pieces attack by their moves; nothing stands in the way."""
    if piece not in MOVES:
        raise InvalidValue(f"attacked: it is not known what a {piece} attacks; known are {', '.join(MOVES)}")
    moves = MOVES[piece]
    return {
        (row, column)
        for row in range(rows)
        for column in range(columns)
        for r, c in pieces
        if (r, c) != (row, column) and moves(abs(r - row), abs(c - column))
    }


def attacked_by_rules(problem: Problem, pieces: Collection[Square]) -> set[Square]:
    """Return the squares where the constraints of a model allow no piece beside one of `pieces`.

    Where the constraints say nothing of two pieces alone (queens may attack each other in domination), the moves decide.
    """
    if not pieces:
        return set()
    rules = _rules_of(problem)
    found = {square for piece in pieces for square in rules.excluded_by(piece)}
    board = rules.board
    return found or attacked_by_moves(board.piece, pieces, board.height, board.columns)


@lru_cache(maxsize=1)
def _rules_of(problem: Problem) -> _Rules:
    """Return what a model says of two pieces; the boards of a sheet mostly come from one model."""
    board = problem.board
    assert board is not None, "a picture was asked for of a model without a board"
    return _CellRules(problem, board) if board.cells else _RowRules(problem, board)


class _Rules:
    def __init__(self, board: Board) -> None:
        self.board = board
        self._known: dict[Square, set[Square]] = {}

    def excluded_by(self, square: Square) -> set[Square]:
        """Return the squares that hold no piece if this one does."""
        if square not in self._known:
            self._known[square] = set(self._excluded(*square))
        return self._known[square]

    def _excluded(self, row: int, column: int) -> Iterable[Square]:
        raise NotImplementedError


class _RowRules(_Rules):
    """A board with a queen in each row: what the core's search form excludes, and the rest of the row."""

    def __init__(self, problem: Problem, board: Board) -> None:
        super().__init__(board)
        self.row_of = {variable.index: row for row, variable in enumerate(board.rows)}
        self.form: ConflictForm | None = None
        with suppress(CannotCompile):  # then the moves decide
            form = compile_problem(problem, Control())
            self.form = form.as_conflict_form() if isinstance(form, DiagonalForm) else form

    def _excluded(self, row: int, column: int) -> Iterable[Square]:
        yield from ((row, other) for other in range(self.board.columns) if other != column)
        if self.form is None:
            yield from attacked_by_moves(self.board.piece, [(row, column)], self.board.height, self.board.columns)
            return
        variable = self.board.rows[row].index
        if column not in self.form.domains[variable]:
            return
        bit = 1 << self.form.domains[variable].index(column)
        for group in self.form.groups:
            if any(entry == variable and mask & bit for entry, mask in group.entries):
                for other, mask in group.entries:
                    yield from self._squares(other, mask, variable)
        for pair in self.form.pairs:
            if pair.variable == variable:
                yield from self._squares(pair.other, pair.masks[bit.bit_length() - 1], variable)

    def _squares(self, variable: int, mask: int, own: int) -> Iterable[Square]:
        if variable != own and variable in self.row_of and self.form is not None:
            domain = self.form.domains[variable]
            yield from ((self.row_of[variable], domain[k]) for k in columns_of(mask))


class _CellRules(_Rules):
    """A board with a variable for each square: two exclude each other by a constraint that holds with a piece on either alone.

    Constraints of the whole board, as that it has so many pieces, are left out.
    """

    def __init__(self, problem: Problem, board: Board) -> None:
        super().__init__(board)
        self.square_of = {cell: (r, c) for r, row in enumerate(board.cells) for c, cell in enumerate(row)}
        self.about: dict[IntVar, list[Constraint]] = {}
        for constraint in problem.statements():
            variables = constraint.variables
            if 1 < len(variables) < len(self.square_of) and all(v in self.square_of for v in variables):
                for variable in variables:
                    self.about.setdefault(variable, []).append(constraint)

    def _excluded(self, row: int, column: int) -> Iterable[Square]:
        own = self.board.cells[row][column]
        for constraint in self.about.get(own, []):
            empty = dict.fromkeys(constraint.variables, 0)
            if not constraint.check(empty | {own: 1}):
                continue
            for other in constraint.variables:
                alone, both = empty | {other: 1}, empty | {own: 1, other: 1}
                if other is not own and constraint.check(alone) and not constraint.check(both):
                    yield self.square_of[other]
