"""How many solutions use each square of the board: `square_counts`."""

from __future__ import annotations

from nqueens_cp.board import Board
from nqueens_cp.choosing import Choice, choose
from nqueens_cp.control import Control
from nqueens_cp.errors import (
    InvalidValue,
    UnsupportedModel,
    VerificationError,
)
from nqueens_cp.model import Model, Problem
from nqueens_cp.search import ProgressCallback, count_chosen, make_control, told_when_stopped, without_objective
from nqueens_cp.symmetry import Group, Symmetry, symmetry_group

Counts = list[list[int]]

"""``counts[row][column]``"""


def square_counts(
    model: Model | int,
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> Counts:
    """Count, for each square of the board, the solutions that have a piece on it.

    The core counts them with a queen placed on the square, once for all squares that are alike by symmetry; other backends list
    all solutions.

    Parameters
    ----------
    model : Model or int
        A model with a board and without objective, or the size of a classic N-Queens board.
    backend : str
        What counts: "auto", or a name from `nqueens_cp.backends.backend_names`.
    time_limit : int or float, optional
        Seconds of wall clock.
    workers : int
        Each count's search space is shared out among so many threads or processes.
    progress : callable, optional
        Called now and then with a `Progress`; its ``found`` is how many pieces on squares were counted so far.

    Returns
    -------
    list of list of int
        ``counts[row][column]``. With one queen in each row, each row's sum is the number of solutions, which is checked.

    Raises
    ------
    SearchStopped
        The time limit was reached first; its ``partial`` has lower bounds.
    SearchInterrupted
        Ctrl-C; its ``partial`` is the same.
    UnsupportedModel
        The model has an objective, or the backend cannot take it.

    Examples
    --------
    >>> from nqueens_cp import square_counts
    >>> square_counts(5)
    [[2, 2, 2, 2, 2], [2, 2, 2, 2, 2], [2, 2, 2, 2, 2], [2, 2, 2, 2, 2], [2, 2, 2, 2, 2]]
    """
    control = make_control(time_limit, workers, progress=progress)
    problem = without_objective(model, "square_counts")
    board = problem.board
    if board is None:
        raise InvalidValue(f"square_counts: model {problem.name!r} has no board; call model.board(variables) first")
    counts = [[0] * board.columns for _ in range(board.height)]
    with told_when_stopped(time_limit, lambda: (f"lower bounds are known for {_known(counts)} squares", counts)):
        choice = choose(problem, backend, control)
        if choice.backend.name == "core":
            _count_placed(problem, board, choice, control, counts)
        else:
            _count_listed(board, choice, control, counts)
    return counts


def _known(counts: Counts) -> int:
    return sum(number > 0 for row in counts for number in row)


def _count_placed(problem: Problem, board: Board, choice: Choice, control: Control, counts: Counts) -> None:
    """Count the solutions with a piece on each square, and check the sums of the rows that hold one queen."""
    for square, orbit in _symmetries(problem, board, control).squares_up_to_symmetry().items():
        placed = problem.with_constraints(board.at(*square))
        control.found = number = 0
        try:
            number = count_chosen(placed, choose(placed, choice.backend.name, control), control)
        finally:  # nothing is lost if it is stopped
            for row, column in orbit:
                counts[row][column] = max(number, control.found)
    if board.rows and board.columns:
        control.found = 0
        total = count_chosen(problem, choice, control)
        for row, sums in enumerate(map(sum, counts)):
            if sums != total:
                raise VerificationError(
                    f"{choice.backend.name} counts {total} solutions, but {sums} with a queen on a square of row {row}. "
                    "This is a fault of the backend, not of the model"
                )


def _symmetries(problem: Problem, board: Board, control: Control) -> Group:
    try:
        return symmetry_group(problem, control)
    except UnsupportedModel:  # it is no board of rows; each square is counted
        return Group(board.height, board.columns, (Symmetry.IDENTITY,))


def _count_listed(board: Board, choice: Choice, control: Control, counts: Counts) -> None:
    for values in choice.backend.solutions(choice.translated, control):
        control.found += 1
        for row, column in board.pieces(lambda variable, values=values: values[variable.index]):  # type: ignore[misc]
            counts[row][column] += 1


def counts_text(counts: Counts, complete: bool = True) -> str:
    """Return counts of squares as lines of numbers in columns; where it is not complete, "?" stands for what is not known."""
    words = [[str(number) if number or complete else "?" for number in row] for row in counts]
    width = max((len(word) for row in words for word in row), default=1)
    return "\n".join(" ".join(word.rjust(width) for word in row) for row in words)
