"""The symmetries of the square board, and which of them map the solutions of a model to solutions.

They are found without searching: from the squares that the model's search form allows and from which of these exclude each
other (compatibility.py). What a solution uses is one square of each row, no two of which exclude each other; so a turn or
reflection that keeps the squares and what they exclude maps solutions to solutions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from nqueens_cp.background import call_apart
from nqueens_cp.board import Square
from nqueens_cp.choosing import as_problem
from nqueens_cp.control import Control
from nqueens_cp.core.compile import CannotCompile, ConflictForm, DiagonalForm, compile_problem
from nqueens_cp.errors import UnsupportedModel
from nqueens_cp.model import Model, Problem

if TYPE_CHECKING:
    import numpy as np

    from nqueens_cp.compatibility import CompatibleSquares

Form = DiagonalForm | ConflictForm


class Symmetry(Enum):
    """A turn or reflection of the board: perhaps rows and columns are exchanged, then perhaps each is reversed."""

    IDENTITY = (False, False, False)
    HALF_TURN = (False, True, True)
    LEFT_RIGHT = (False, False, True)
    UPSIDE_DOWN = (False, True, False)
    QUARTER_TURN = (True, False, True)
    THREE_QUARTER_TURN = (True, True, False)
    DIAGONAL = (True, False, False)
    ANTIDIAGONAL = (True, True, True)

    @property
    def transposes(self) -> bool:
        """Whether rows become columns."""
        return self.value[0]

    @property
    def reverses_rows(self) -> bool:
        """Whether top and bottom are exchanged."""
        return self.value[1]

    @property
    def reverses_columns(self) -> bool:
        """Whether left and right are exchanged."""
        return self.value[2]

    def __str__(self) -> str:
        return _NAMES[self]

    def after(self, first: Symmetry) -> Symmetry:
        """Return the symmetry that is `first` and then this one."""
        rows, columns = first.reverses_rows, first.reverses_columns
        if self.transposes:
            rows, columns = columns, rows
        return Symmetry(
            (self.transposes != first.transposes, self.reverses_rows != rows, self.reverses_columns != columns)
        )

    def square(self, square: Square, rows: int, columns: int) -> Square:
        """Return where a square of a board goes; one that exchanges rows and columns is for square boards."""
        row, column = reversed(square) if self.transposes else square
        return (
            rows - 1 - row if self.reverses_rows else row,
            columns - 1 - column if self.reverses_columns else column,
        )

    def images(self, batch: np.ndarray, columns: int) -> np.ndarray:
        """Return the images of many boards: `batch` has the columns of the queens of one board in each of its rows."""
        import numpy as np

        turned = batch
        if self.transposes:
            turned = np.empty_like(batch)
            np.put_along_axis(turned, batch.astype(np.intp), np.arange(batch.shape[1], dtype=batch.dtype)[None], axis=1)
        if self.reverses_rows:
            turned = turned[:, ::-1]
        return batch.dtype.type(columns - 1) - turned if self.reverses_columns and columns else turned


_NAMES = {
    Symmetry.IDENTITY: "identity",
    Symmetry.HALF_TURN: "half turn",
    Symmetry.LEFT_RIGHT: "left-right mirror",
    Symmetry.UPSIDE_DOWN: "upside-down mirror",
    Symmetry.QUARTER_TURN: "quarter turn",
    Symmetry.THREE_QUARTER_TURN: "three-quarter turn",
    Symmetry.DIAGONAL: "reflection in the falling diagonal",
    Symmetry.ANTIDIAGONAL: "reflection in the rising diagonal",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Symmetries of a board that map the solutions of a model to solutions; with two, their composition is among them.

    Attributes
    ----------
    rows, columns : int
        The size of the board.
    elements : tuple of Symmetry
        The identity first.
    """

    rows: int
    columns: int
    elements: tuple[Symmetry, ...]

    def __len__(self) -> int:
        return len(self.elements)

    def __str__(self) -> str:
        return ", ".join(map(str, self.elements))

    def generated(self, *generators: Symmetry) -> frozenset[Symmetry]:
        """Return the elements of the smallest group with some symmetries."""
        members = {Symmetry.IDENTITY}
        while more := {generator.after(member) for member in members for generator in generators} - members:
            members |= more
        return frozenset(members)

    def subgroups(self) -> list[tuple[Symmetry, ...]]:
        """Return the elements of each subgroup, the largest first. Two elements generate each of them."""
        found = {self.generated(*pair) for pair in combinations_with_replacement(self.elements, 2)}
        ordered = [tuple(element for element in self.elements if element in chosen) for chosen in found]
        return sorted(ordered, key=lambda chosen: (-len(chosen), [self.elements.index(element) for element in chosen]))

    def conjugate(self, subgroup: Iterable[Symmetry], by: Symmetry) -> frozenset[Symmetry]:
        """Return the elements of the subgroup that `by` makes of another: it leaves as many solutions as they are."""
        back = next(element for element in self.elements if element.after(by) is Symmetry.IDENTITY)
        return frozenset(by.after(element).after(back) for element in subgroup)

    def orbit(self, columns: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the different boards that a board's images are, in lexicographic order.

        Parameters
        ----------
        columns : sequence of int
            The column of the queen in each row.
        """
        images = set()
        for element in self.elements:
            squares = (element.square(square, self.rows, self.columns) for square in enumerate(columns))
            images.add(tuple(column for _, column in sorted(squares)))
        return sorted(images)

    def squares_up_to_symmetry(self) -> dict[Square, list[Square]]:
        """Return the orbits of the squares of the board, each by its first square."""
        orbits: dict[Square, list[Square]] = {}
        for square in ((row, column) for row in range(self.rows) for column in range(self.columns)):
            images = {element.square(square, self.rows, self.columns) for element in self.elements}
            if min(images) == square:
                orbits[square] = sorted(images)
        return orbits

    def representatives(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Say which of many solutions are the lexicographically smallest of their orbit, and how large the orbits are.

        Parameters
        ----------
        batch : array of shape (k, rows)
            The column of the queen in each row, for each of k solutions; any integer type.

        Returns
        -------
        mask : array of k bool
            Which are the smallest.
        sizes : array of k int
            The sizes of their orbits; 0 for the others.
        """
        import numpy as np

        left = np.arange(len(batch))
        stabilisers = np.ones(len(batch), dtype=np.intp)
        for element in self.elements[1:]:
            boards = batch if len(left) == len(batch) else batch[left]
            images = element.images(boards, self.columns)
            smaller, equal = _compared(boards, images)
            stabilisers = (stabilisers + equal)[~smaller]
            left = left[~smaller]
        mask = np.zeros(len(batch), dtype=bool)
        sizes = np.zeros(len(batch), dtype=np.intp)
        mask[left] = True
        sizes[left] = len(self.elements) // stabilisers
        return mask, sizes


def _compared(boards: np.ndarray, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which images are lexicographically smaller than their boards, and which are equal to them."""
    import numpy as np

    if not boards.shape[1]:
        return np.zeros(len(boards), dtype=bool), np.ones(len(boards), dtype=bool)
    differ = boards != images
    first = differ.argmax(axis=1)
    places = np.arange(len(boards))
    return images[places, first] < boards[places, first], ~differ[places, first]


def symmetry_group(model: Model | Problem | int, control: Control | None = None) -> Group:
    """Find the turns and reflections of the board that map the solutions of a model to solutions.

    They are found from the rules, without searching: where single squares are given or closed, what follows from them for other
    squares and pairs of squares is worked out before the squares are compared. A symmetry that is found is one; one that the
    solutions only happen to have may be overlooked.

    Parameters
    ----------
    model : Model, Problem or int
        A model of a board with one variable for each row, and no others, that the core takes; or the size of a classic board.
    control : Control, optional
        Of a search that this is a part of.

    Raises
    ------
    UnsupportedModel
        The model is no such board.

    Examples
    --------
    >>> from nqueens_cp import queens, symmetry_group
    >>> len(symmetry_group(8)), len(symmetry_group(queens(5, rows=4)))
    (8, 4)
    >>> print(symmetry_group(queens(8, blocked=[(0, 0)])))
    identity, reflection in the falling diagonal
    """
    problem = model if isinstance(model, Problem) else as_problem(model)
    control = control or Control()
    return group_of_form(problem, form_of_rows(problem, control), control)


def form_of_rows(problem: Problem, control: Control) -> Form:
    """Return the search form of a problem that is a board with a variable for each row.

    Raises
    ------
    UnsupportedModel
        It is not, or it has no search form.
    """
    why = _why_no_rows(problem)
    if not why:
        try:
            return compile_problem(problem, control)
        except CannotCompile as error:
            why = f"the core cannot take it: {error}"
    raise UnsupportedModel(f"the symmetries of model {problem.name!r} cannot be found: {why}")


def _why_no_rows(problem: Problem) -> str:
    if problem.board is None:
        return "it is no board; call model.board(variables) with a variable for each row"
    if problem.board.cells:
        return "its board has a variable for each square, and only boards with a variable for each row are looked at"
    if problem.board.rows != problem.variables:
        return "its variables are not just those of the rows of its board, in their order"
    return ""


def group_of_form(problem: Problem, form: Form, control: Control) -> Group:
    """Return the symmetries of a problem that `form_of_rows` takes, and its form."""
    board: Any = problem.board
    candidates = _candidates(board.height, board.columns)
    if isinstance(form, DiagonalForm) and _is_open(form, board.columns):
        kept = [s for s in candidates if _keeps_lines(s, form)]
    else:
        squares = compatible_squares(problem, form, control)
        kept = [s for s in candidates if squares.is_kept_by(s)]
    return Group(board.height, board.columns, tuple(kept))


def compatible_squares(problem: Problem, form: Form, control: Control) -> CompatibleSquares:
    """Return the squares of a board and which of them may be used together, as far as this follows at once."""
    call_apart(partial(import_module, "nqueens_cp.compatibility"))  # it needs NumPy
    from nqueens_cp.compatibility import MAX_SQUARES, CompatibleSquares

    board: Any = problem.board
    of_rows = map(int.bit_count, form.allowed) if isinstance(form, DiagonalForm) else map(len, form.domains)
    number = sum(of_rows)
    if number > MAX_SQUARES:
        raise UnsupportedModel(
            f"the symmetries of model {problem.name!r} cannot be found: {number:,} squares would have to be compared with each "
            f"other, and at most {MAX_SQUARES:,} are"
        )
    conflicts = form.as_conflict_form() if isinstance(form, DiagonalForm) else form
    return CompatibleSquares(conflicts, board.columns, control)


def _candidates(rows: int, columns: int) -> list[Symmetry]:
    return [symmetry for symmetry in Symmetry if rows == columns or not symmetry.transposes]


def _is_open(form: DiagonalForm, columns: int) -> bool:
    """Say whether every square of the board is allowed."""
    full = (1 << columns) - 1
    return form.width == columns and not any(form.firsts) and all(mask == full for mask in form.allowed)


def _keeps_lines(symmetry: Symmetry, form: DiagonalForm) -> bool:
    """Say whether a symmetry of an open board keeps the lines that hold at most one queen."""
    if symmetry.transposes and not form.columns and form.width > 1:
        return False  # rows would become columns
    turns_over = symmetry.reverses_rows != symmetry.reverses_columns  # falling diagonals become rising ones
    return form.diagonals == form.antidiagonals or not turns_over
