"""`queens(n, ...)`: the N-Queens problem with variant constraints, and each variant as a plain function.

The functions add constraints to a model that has a board: one queen in each row, or a 0/1 variable for each square. Squares are
(row, column), both 0-based.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any

from nqueens_cp.board import Board, Square
from nqueens_cp.checks import integer, integer_at_least, items, shown, truth
from nqueens_cp.constraints import all_different, forbidden_assignments, in_domain
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.expressions import Expression
from nqueens_cp.functions import element
from nqueens_cp.model import MAX_VARIABLES, Model
from nqueens_cp.regions import region_grid, scattered
from nqueens_cp.variables import IntVar

FALLING, RISING = "falling", "rising"
DIRECTIONS = {"both": (FALLING, RISING), FALLING: (FALLING,), RISING: (RISING,), "none": ()}
"""The long diagonals: falling ones have equal column - row, rising ones equal column + row."""
TURNS = ("half turn", "quarter turn")


def queens(
    n: int,
    *,
    rows: int | None = None,
    pieces: int | None = None,
    placed: Iterable[Square] = (),
    blocked: Iterable[Square] = (),
    excluded_diagonals: Iterable[int] = (),
    excluded_antidiagonals: Iterable[int] = (),
    diagonals: str | None = None,
    torus: bool = False,
    amazons: bool = False,
    leapers: Iterable[tuple[int, int]] = (),
    attack: Callable[[Square, Square], bool] | None = None,
    touching: bool = True,
    regions: Any = None,
    symmetric: str | None = None,
    reflecting: bool = False,
) -> Model:
    """Return the model of n queens on an n x n board, no two in one row, column or diagonal, or of a variant.

    The keywords combine freely; each is also a function of this module that adds to a model. What makes no sense together
    is refused, with the reason.

    Parameters
    ----------
    n : int
        The columns, and without `rows` also the rows: 0 to 100,000. The empty board has one solution.
    rows : int, optional
        So many rows and queens, one in each row.
    pieces : int, optional
        So many queens anywhere on the board, stated with a 0/1 variable for each square. Combines with everything but
        `regions`, `symmetric` and `reflecting`.
    placed, blocked : iterable of (row, column)
        Squares that hold a queen, and squares that hold none.
    excluded_diagonals, excluded_antidiagonals : iterable of int
        Values of column - row, and of column + row, on which no queen may stand.
    diagonals : str, optional
        Which long diagonals hold at most one queen: "both", "falling" (equal column - row), "rising" (equal column + row) or
        "none". Left out, it is "both", or "none" if `touching` is False or `reflecting` is True.
    torus : bool
        The diagonals go on at the opposite edge (they are counted modulo n). Leaps do not.
    amazons : bool
        The queens also leap like knights.
    leapers : iterable of (int, int)
        They also leap so far in one direction and so far in the other: (1, 2) is a knight's leap.
    attack : callable, optional
        A function of two squares, in different rows, that returns True if pieces there attack each other.
    touching : bool
        False: no two queens on neighbouring squares, also diagonally, instead of the rule of the long diagonals.
    regions : grid of labels, list of lists of cells, or mapping of label to cells, optional
        One queen in each region. A grid has a string or a list of labels for each row.
    symmetric : str, optional
        Only solutions that a "half turn" or a "quarter turn" of the board leaves as they are.
    reflecting : bool
        Reflecting queens: the diagonals are reflected at the edge above row 0, and replace the plain ones.

    Examples
    --------
    >>> from nqueens_cp import count, queens
    >>> count(queens(8)), count(queens(5, torus=True)), count(queens(4, blocked=[(0, 1)]))
    (92, 10, 1)
    >>> count(queens(10, amazons=True)), count(queens(4, rows=3)), count(queens(6, pieces=2))
    (4, 4, 340)
    >>> count(queens(4, regions=["AABB", "AABB", "CCDD", "CCDD"], touching=False))
    2
    """
    n = integer_at_least(n, 0, "the size of the board")
    if n > MAX_VARIABLES:
        raise InvalidValue(f"the size of the board: {n} is too large for a model; it must be at most {MAX_VARIABLES}")
    height = n if rows is None else integer_at_least(rows, 0, "rows")
    if height > MAX_VARIABLES:
        raise InvalidValue(f"rows: {height} are too many for a model; there may be at most {MAX_VARIABLES}")
    no_touch, reflected = not truth(touching, "touching"), truth(reflecting, "reflecting")
    on_torus = truth(torus, "torus")
    if reflected and (diagonals is not None or on_torus):
        given = "torus=True" if on_torus else f"diagonals={shown(diagonals)}"
        raise InvalidValue(
            f"reflecting=True replaces the plain diagonals, so that {given} has nothing to say; leave it out"
        )
    directions = ("none" if no_touch or reflected else "both") if diagonals is None else diagonals
    if on_torus and directions == "none":
        raise InvalidValue(
            "torus=True is about long diagonals, and there are none here; give diagonals= or leave it out"
        )
    if pieces is None:
        model = _one_in_each_row(n, height)
    else:
        unfit = {"regions": regions is not None, "symmetric": symmetric is not None, "reflecting=True": reflected}
        for name in (name for name, given in unfit.items() if given):
            raise InvalidValue(f"pieces={pieces} is about any number of queens, and {name} about one in each row")
        model = _squares(n, height, integer_at_least(pieces, 0, "pieces"))
    _diagonals(model, directions, torus=on_torus)
    if reflected:
        _reflecting(model)
    if truth(amazons, "amazons"):
        _amazons(model)
    _leapers(model, leapers)
    if attack is not None:
        _attack(model, attack)
    if no_touch:
        _no_touch(model)
    if regions is not None:
        _regions(model, regions)
    if symmetric is not None:
        _symmetric(model, symmetric)
    _excluded_diagonals(model, excluded_diagonals, excluded_antidiagonals)
    _placed(model, placed)
    _blocked(model, blocked)
    return model


def _one_in_each_row(n: int, height: int) -> Model:
    model = Model("queens")
    if height and not n:
        raise InvalidValue(f"rows: {height} queens, one in each row, need a column; the board has none")
    queen = model.int_vars("queen", height, domain=range(n))
    model.add(all_different(queen))
    model.board(queen, columns=n)
    return model


def _squares(n: int, height: int, pieces: int) -> Model:
    if n * height > MAX_VARIABLES:
        raise InvalidValue(f"pieces: {n * height} squares are too many for a model; it holds at most {MAX_VARIABLES}")
    model = Model("queens")
    cells = [[model.bool_var(f"square[{row},{column}]") for column in range(n)] for row in range(height)]
    model.board(cells, columns=n, piece="queen")
    _at_most_one(model, cells)
    _at_most_one(model, zip(*cells, strict=True))
    model.add(sum(cell for row in cells for cell in row) == pieces)
    return model


def _at_most_one(model: Model, lines: Iterable[Iterable[IntVar]]) -> None:
    for line in lines:
        squares = list(line)
        if len(squares) > 1:
            model.add(sum(squares) <= 1)


def placed(model: Model, squares: Iterable[Square]) -> None:
    """Add that each of `squares` holds a queen.

    Raises
    ------
    InvalidValue
        A square is not on the board, or a row that has one queen is given twice.
    """
    board = _board_of(model, "placed")
    given = board.squares(squares, "placed")
    columns: dict[int, int] = {}
    for row, column in given:
        if columns.setdefault(row, column) != column and not board.cells:
            raise InvalidValue(f"placed: row {row} is given twice (columns {columns[row]} and {column})")
    model.add(*(board.at(row, column) for row, column in given))
    model.mark(placed=given)


def blocked(model: Model, squares: Iterable[Square]) -> None:
    """Add that none of `squares` holds a queen."""
    board = _board_of(model, "blocked")
    closed = board.squares(squares, "blocked")
    model.add(*(~board.at(row, column) for row, column in closed))
    model.mark(blocked=closed)


def excluded_diagonals(model: Model, diagonals: Iterable[int] = (), antidiagonals: Iterable[int] = ()) -> None:
    """Add that no queen stands where column - row is one of `diagonals` or column + row one of `antidiagonals`."""
    board = _board_of(model, "excluded_diagonals")
    closed: dict[int, set[int]] = {}
    for values, sign, what in ((diagonals, -1, "excluded_diagonals"), (antidiagonals, 1, "excluded_antidiagonals")):
        closed[sign] = {integer(value, what) for value in items(values, what)}
        first, last = (1 - board.height, board.columns - 1) if sign < 0 else (0, board.columns + board.height - 2)
        for value in closed[sign]:
            if not first <= value <= last:
                there_are = f"they go from {first} to {last}" if first <= last else "it has none"
                raise InvalidValue(f"{what}: {value} is no diagonal of this board; {there_are}")
    for row in range(board.height if any(closed.values()) else 0):
        shut = {value - sign * row for sign, values in closed.items() for value in values}
        shut = {column for column in shut if 0 <= column < board.columns}
        if shut and not board.cells:
            model.add(in_domain(board.rows[row], [column for column in range(board.columns) if column not in shut]))
        elif shut:
            model.add(*(~board.at(row, column) for column in sorted(shut)))


def diagonals(model: Model, directions: str = "both", *, torus: bool = False) -> None:
    """Add that no two queens share a long diagonal of some directions.

    Parameters
    ----------
    model : Model
        Its board must be square if `torus` is True.
    directions : str
        "both", "falling" (equal column - row), "rising" (equal column + row) or "none".
    torus : bool
        The diagonals go on at the opposite edge.
    """
    board = _board_of(model, "diagonals")
    if not isinstance(directions, str) or directions not in DIRECTIONS:
        raise InvalidValue(f"diagonals: {shown(directions)} is none of {', '.join(map(repr, DIRECTIONS))}")
    n = board.columns
    if truth(torus, "torus"):
        _require_square(board, "torus")
    for direction in DIRECTIONS[directions]:
        sign = 1 if direction == RISING else -1
        if not board.cells:
            lines: Iterator[Expression] = (queen + sign * row for row, queen in enumerate(board.rows))
            model.add(all_different((line % n for line in lines) if torus else lines))
            continue
        by_line: dict[int, list[IntVar]] = {}
        for row, cells in enumerate(board.cells):
            for column, cell in enumerate(cells):
                line = column + sign * row
                by_line.setdefault(line % n if torus else line, []).append(cell)
        _at_most_one(model, by_line.values())


def torus(model: Model) -> None:
    """Add that no two queens share a diagonal that goes on at the opposite edge; the board must be square."""
    _require_square(_board_of(model, "torus"), "torus")
    _diagonals(model, "both", torus=True)


def amazons(model: Model) -> None:
    """Add that no two queens are a knight's leap apart."""
    _board_of(model, "amazons")
    _leapers(model, [(1, 2)])


def leapers(model: Model, moves: Iterable[tuple[int, int]]) -> None:
    """Add that no two queens are one of `moves` apart: so far in one direction and so far in the other, all 8 ways."""
    board = _board_of(model, "leapers")
    leaps: set[Square] = set()
    for move in items(moves, "leapers"):
        pair = tuple(items(move, "leapers: a move is a pair of distances"))
        if len(pair) != 2:
            raise InvalidValue(f"leapers: a move is a pair of distances, like (1, 2), got {shown(move)}")
        a, b = (integer_at_least(distance, 0, "leapers: distance") for distance in pair)
        if a == b == 0:
            raise InvalidValue("leapers: the move (0, 0) stays where it is")
        leaps |= {(a, b), (b, a)}
    for down, across in sorted(leaps):
        if not board.cells and down:
            for upper, lower in zip(board.rows, board.rows[down:], strict=False):
                model.add(abs(upper - lower) != across)
        elif board.cells:
            _exclude_pairs(model, board, down, {across, -across} if down else {across})


def _exclude_pairs(model: Model, board: Board, down: int, steps: set[int]) -> None:
    for row in range(board.height - down):
        for column, cell in enumerate(board.cells[row]):
            for step in steps:
                if 0 <= column + step < board.columns:
                    model.add(cell + board.cells[row + down][column + step] <= 1)


def attack(model: Model, function: Callable[[Square, Square], bool]) -> None:
    """Add that no two queens stand on squares of different rows of which `function` says that they attack each other.

    Parameters
    ----------
    model : Model
        A model with a board.
    function : callable
        Called with two squares, (row, column), in either order; it must return True or False. Two squares attack each
        other if it says so for one of the orders. It is called here and now, and what it raises reaches the caller.
    """
    board = _board_of(model, "attack")
    if not callable(function):
        raise InvalidType(
            f"attack: expected a function of two squares, got {shown(function)} ({type(function).__name__})"
        )
    for upper, lower in combinations(range(board.height), 2):
        pairs = [
            (a, b)
            for a in range(board.columns)
            for b in range(board.columns)
            if truth(function((upper, a), (lower, b)), f"attack: the answer for {(upper, a)} and {(lower, b)}")
            or truth(function((lower, b), (upper, a)), f"attack: the answer for {(lower, b)} and {(upper, a)}")
        ]
        if pairs and not board.cells:
            model.add(forbidden_assignments([board.rows[upper], board.rows[lower]], pairs))
        elif pairs:
            model.add(*(board.cells[upper][a] + board.cells[lower][b] <= 1 for a, b in pairs))


def no_touch(model: Model) -> None:
    """Add that no two queens stand on neighbouring squares, also diagonally; only neighbouring rows matter for that."""
    board = _board_of(model, "no_touch")
    if board.cells:
        _exclude_pairs(model, board, 0, {1})
        _exclude_pairs(model, board, 1, {-1, 0, 1})
    for upper, lower in zip(board.rows, board.rows[1:], strict=False):
        model.add(abs(upper - lower) >= 2)


def regions(model: Model, regions: Any) -> None:
    """Add that each region holds one queen; the board must be square, with a queen in each row and as many regions.

    Parameters
    ----------
    model : Model
        A model with a board. It is given a note for each region in several pieces.
    regions : grid of labels, list of lists of cells, or mapping of label to cells
        See `nqueens_cp.regions.region_grid`.
    """
    board = _require_rows(_board_of(model, "regions"), "regions")
    _require_square(board, "regions")
    grid = region_grid(regions, board.columns)
    numbers = {label: i for i, label in enumerate(dict.fromkeys(label for row in grid for label in row))}
    if numbers:
        model.add(
            all_different(
                element([numbers[label] for label in labels], queen)
                for labels, queen in zip(grid, board.rows, strict=True)
            )
        )
    model.mark(regions=grid)
    for label in scattered(grid):
        model.note(f"region {shown(label)} is in several pieces")


def symmetric(model: Model, turn: str) -> None:
    """Add that a "half turn" or a "quarter turn" of the board maps the queens to themselves; the board must be square."""
    board = _require_rows(_board_of(model, "symmetric"), "symmetric")
    if not isinstance(turn, str) or turn not in TURNS:
        raise InvalidValue(f"symmetric: {shown(turn)} is none of {', '.join(map(repr, TURNS))}")
    _require_square(board, "symmetric")
    n, queen = board.columns, board.rows
    if turn == "half turn":
        model.add(*(queen[n - 1 - row] == n - 1 - queen[row] for row in range((n + 1) // 2)))
    else:  # a queen on (row, column) brings one on (column, n - 1 - row)
        model.add(*((queen[r] == c).implies(queen[c] == n - 1 - r) for r in range(n) for c in range(n)))


def reflecting(model: Model) -> None:
    """Add the rule of reflecting queens: a diagonal goes on, reflected, at the edge above row 0, and holds at most one queen.

    A queen's two diagonals meet that edge at column - row - 1 and column + row + 1; no two of all these places may be equal.
    The board must be square.
    """
    board = _require_rows(_board_of(model, "reflecting"), "reflecting")
    _require_square(board, "reflecting")
    falling = [queen - (row + 1) for row, queen in enumerate(board.rows)]
    rising = [queen + (row + 1) for row, queen in enumerate(board.rows)]
    model.add(all_different([*falling, *rising]))


def _board_of(model: Model, who: str) -> Board:
    if not isinstance(model, Model):
        raise InvalidType(f"{who}: expected a Model, got {shown(model)} ({type(model).__name__})")
    return model.require_board(who)


def _require_square(board: Board, who: str) -> None:
    if board.height != board.columns:
        raise InvalidValue(f"{who}: the board has {board.height} rows and {board.columns} columns; it must be square")


def _require_rows(board: Board, who: str) -> Board:
    if board.cells:
        raise InvalidValue(
            f"{who}: the board must have one queen in each row, and this one has a variable for each square"
        )
    return board


# queens() has keywords of these names
_placed, _blocked, _excluded_diagonals, _diagonals, _regions = placed, blocked, excluded_diagonals, diagonals, regions
_amazons, _leapers, _attack, _no_touch, _symmetric, _reflecting = (
    amazons,
    leapers,
    attack,
    no_touch,
    symmetric,
    reflecting,
)
