"""`queens(n, ...)`: the N-Queens problem with variant constraints, and each variant as a plain function.

The functions add constraints to a model that has a board. Squares are (row, column), both 0-based.
"""

from __future__ import annotations

from collections.abc import Iterable

from nqueens_cp.board import Board, Square
from nqueens_cp.checks import integer_at_least, shown, truth
from nqueens_cp.constraints import all_different
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.model import MAX_VARIABLES, Model


def queens(n: int, *, placed: Iterable[Square] = (), blocked: Iterable[Square] = (), torus: bool = False) -> Model:
    """Return the model of n queens on an n x n board, no two in one row, column or diagonal.

    Parameters
    ----------
    n : int
        0 to 100,000. The empty board (n = 0) has one solution.
    placed : iterable of (row, column)
        Squares that hold a queen.
    blocked : iterable of (row, column)
        Squares that hold none.
    torus : bool
        The diagonals go on at the opposite edge (they are counted modulo n).

    Examples
    --------
    >>> from nqueens_cp import count, queens
    >>> count(queens(8)), count(queens(5, torus=True)), count(queens(4, blocked=[(0, 1)]))
    (92, 10, 1)
    """
    n = integer_at_least(n, 0, "the size of the board")
    if n > MAX_VARIABLES:
        raise InvalidValue(f"the size of the board: {n} is too large for a model; it must be at most {MAX_VARIABLES}")
    model = Model("queens")
    queen = model.int_vars("queen", n, domain=range(n))
    model.add(all_different(queen))
    model.board(queen, columns=n)
    if truth(torus, "torus"):
        _torus(model)
    else:
        model.add(all_different(queen[i] + i for i in range(n)))
        model.add(all_different(queen[i] - i for i in range(n)))
    _placed(model, placed)
    _blocked(model, blocked)
    return model


def placed(model: Model, squares: Iterable[Square]) -> None:
    """Add that each of `squares` holds a queen.

    Raises
    ------
    InvalidValue
        A square is not on the board, or a row is given twice.
    """
    board = _board_of(model, "placed")
    columns: dict[int, int] = {}
    for row, column in board.squares(squares, "placed"):
        if row in columns:
            raise InvalidValue(f"placed: row {row} is given twice (columns {columns[row]} and {column})")
        columns[row] = column
    model.add(*(board.rows[row] == column for row, column in columns.items()))
    model.mark(placed=columns.items())


def blocked(model: Model, squares: Iterable[Square]) -> None:
    """Add that none of `squares` holds a queen."""
    board = _board_of(model, "blocked")
    closed = board.squares(squares, "blocked")
    model.add(*(board.rows[row] != column for row, column in closed))
    model.mark(blocked=closed)


def torus(model: Model) -> None:
    """Add that no two queens share a diagonal that goes on at the opposite edge; the board must be square."""
    board = _board_of(model, "torus")
    n = board.columns
    if len(board.rows) != n:
        raise InvalidValue(f"torus: the board has {len(board.rows)} rows and {n} columns; it must be square")
    model.add(all_different((queen + i) % n for i, queen in enumerate(board.rows)))
    model.add(all_different((queen - i) % n for i, queen in enumerate(board.rows)))


def _board_of(model: Model, who: str) -> Board:
    if not isinstance(model, Model):
        raise InvalidType(f"{who}: expected a Model, got {shown(model)} ({type(model).__name__})")
    return model.require_board(who)


_placed, _blocked, _torus = placed, blocked, torus  # queens() has keywords of these names
