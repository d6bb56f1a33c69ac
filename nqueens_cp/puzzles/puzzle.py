"""A region puzzle and the answers about it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any

from nqueens_cp.board import Square
from nqueens_cp.checks import integer, items, seconds, shown, square
from nqueens_cp.control import Control
from nqueens_cp.errors import InvalidType, InvalidValue, SearchInterrupted, SearchStopped
from nqueens_cp.model import Model
from nqueens_cp.puzzles import quick
from nqueens_cp.puzzles.answer import Answer, Squares
from nqueens_cp.regions import is_cells, region_grid, scattered
from nqueens_cp.search import told_when_stopped

if TYPE_CHECKING:
    from nqueens_cp.puzzles.deduction import Deduction, Explanation, Step
    from nqueens_cp.puzzles.grading import Grade
    from nqueens_cp.render.diagram import Diagram

MOST_STARS = 3
MAX_SIZE = 64
"""A board has at most so many rows: the kernel's masks hold no more columns."""


@dataclass(frozen=True)
class Puzzle:
    """A square board divided into regions: so many queens in each row, column and region, none touching.

    Made by `nqueens_cp.puzzle`. Cells are (row, column), both 0-based. Printed, it is the text that `puzzle` reads.

    Attributes
    ----------
    grid : tuple of rows of int
        The number of each cell's region: 0, 1, ... in the order in which they first appear, row by row.
    labels : tuple
        The label of each region, by its number.
    stars : int
        How many queens stand in each row, column and region: 1, 2 or 3.
    given, crossed : frozenset of (row, column)
        Where a queen stands, and where none does.
    id : str or int, optional
        A name.
    """

    grid: tuple[tuple[int, ...], ...]
    labels: tuple[Hashable, ...]
    stars: int = 1
    given: frozenset[Square] = frozenset()
    crossed: frozenset[Square] = frozenset()
    id: str | int | None = None

    @property
    def size(self) -> int:
        """The number of rows, of columns and of regions."""
        return len(self.grid)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing of the regions: which are in several pieces."""
        names, pieces = self._names(), scattered(self.grid)
        return tuple(f"region {names[k]} is in several pieces" for k in range(self.size) if k in pieces)

    def model(self) -> Model:
        """Return the puzzle as a model, with a variable for each cell, for any backend."""
        model = quick.star_model(self.grid, self.stars, self.given, self.crossed)
        for note in self.notes:
            model.note(note)
        return model

    def solve(self, *, time_limit: float | None = None) -> Answer:
        """Find out whether there is one solution, several or none.

        Parameters
        ----------
        time_limit : int or float, optional
            Seconds of wall clock.

        Returns
        -------
        Answer
            With the solution, with two that differ, or with the reasons why there is none.

        Raises
        ------
        SearchStopped, SearchInterrupted
            The time limit, or Ctrl-C; ``partial`` is an Answer without reasons if it is known that there is no solution, else
            None.

        Examples
        --------
        >>> from nqueens_cp import puzzle
        >>> print(puzzle("AABB AABB CCDD CCDD".split(), given=[(0, 1)]).solve())
        AABB
        AABB
        CCDD
        CCDD
        <BLANKLINE>
        .Q..
        ...Q
        Q...
        ..Q.
        <BLANKLINE>
        exactly one solution
        """
        from nqueens_cp.unsatisfiable import explain_unsatisfiable

        control = Control(seconds(time_limit, "time_limit"))
        with told_when_stopped(time_limit, lambda: ("it is not known how many solutions there are", None)):
            found = self._first_two(control)
        if found:
            return Answer(self, tuple(found))
        none = Answer(self, ())
        model = self.model()
        left = control.remaining()
        try:
            conflict = explain_unsatisfiable(model, time_limit=None if left is None else max(left, 1e-3), proven=True)
        except SearchStopped as stopped:
            raise SearchStopped(
                f"there is no solution; the time limit of {time_limit} s ended before the reason was found",
                partial=none,
                status=stopped.status,
            ) from None
        except SearchInterrupted as interrupt:
            raise SearchInterrupted(
                "there is no solution; interrupted before the reason was found", partial=none
            ) from interrupt
        from nqueens_cp.puzzles.reasons import reasons

        board = model.require_board("puzzle")
        return Answer(self, (), reasons(board, self.grid, self._names(), self.stars, conflict.constraints))

    def is_unique(self, *, time_limit: float | None = None) -> bool:
        """Say whether there is exactly one solution; the search stops at a second.

        Raises
        ------
        SearchStopped, SearchInterrupted
            The time limit, or Ctrl-C.

        Examples
        --------
        >>> from nqueens_cp import puzzle
        >>> puzzle("AABB AABB CCDD CCDD".split()).is_unique()
        False
        """
        with told_when_stopped(time_limit, lambda: ("it is not known whether there is exactly one solution", None)):
            return len(self._first_two(Control(seconds(time_limit, "time_limit")))) == 1

    def count(self, *, time_limit: float | None = None) -> int:
        """Return the exact number of solutions.

        Raises
        ------
        SearchStopped, SearchInterrupted
            The time limit, or Ctrl-C; ``partial`` is a lower bound.

        Examples
        --------
        >>> from nqueens_cp import puzzle
        >>> puzzle("1122 1122 3344 3344".split()).count()
        2
        """
        control = Control(seconds(time_limit, "time_limit"))
        with told_when_stopped(time_limit, lambda: (f"at least {control.found} solutions", control.found)):
            return quick.count(self.grid, self.stars, self.given, self.crossed, control)

    def hint(self, *, time_limit: float | None = None) -> Step | None:
        """Return the next step that a person could take, with its reason; None if the rules known find none.

        Raises
        ------
        SearchStopped, SearchInterrupted
            The time limit, or Ctrl-C, before a step was found.
        """
        from nqueens_cp.puzzles.deduction import next_step

        control = Control(seconds(time_limit, "time_limit"))
        with told_when_stopped(time_limit, lambda: ("no step was found so far", None)):
            return next_step(self.grid, self.stars, self.given, self.crossed, self._names(), control)

    def explain(self, *, time_limit: float | None = None) -> Explanation:
        """Return the steps that lead to the solution, as far as a person finds them without guessing.

        Raises
        ------
        SearchStopped, SearchInterrupted
            The time limit, or Ctrl-C; ``partial`` is an Explanation of the steps so far, which says so.
        """
        deduction = self._deduction(time_limit)
        names = self._names()

        def so_far() -> tuple[str, Explanation]:
            steps = len(deduction.moves)
            return f"{steps} step{'' if steps == 1 else 's'} so far", deduction.explanation(names, stopped=True)

        with told_when_stopped(time_limit, so_far):
            deduction.run()
        return deduction.explanation(names)

    def grade(self, *, time_limit: float | None = None) -> Grade:
        """Return how difficult the puzzle is, from the steps that it takes.

        Raises
        ------
        SearchStopped, SearchInterrupted
            The time limit, or Ctrl-C; ``partial`` is the Grade of the steps so far, and the puzzle's own is at least that.
        """
        from nqueens_cp.puzzles.grading import grade_so_far, graded

        deduction = self._deduction(time_limit)

        def at_least() -> tuple[str, Grade]:
            grade = grade_so_far(deduction)
            return f"at least {grade} (score {grade.score})", grade

        with told_when_stopped(time_limit, at_least):
            deduction.run()
        return graded(deduction)

    def svg(self, queens: Collection[Square] = (), others: Collection[Square] = ()) -> str:
        """Return a self-contained SVG picture, with queens on some squares; those only in one of both are marked."""
        from nqueens_cp.render.sheet import sheet

        return sheet(self.diagram(queens, others), captions=()).svg()

    def diagram(self, queens: Collection[Square] = (), others: Collection[Square] = ()) -> Diagram:
        """Return what a picture shows, with queens on some squares; `sheet` draws it."""
        from nqueens_cp.puzzles.picture import diagram

        return diagram(self, queens, others)

    def __str__(self) -> str:
        from nqueens_cp.puzzles.writing import as_text

        return as_text(self)

    def _deduction(self, time_limit: float | None) -> Deduction:
        from nqueens_cp.puzzles.deduction import Deduction

        control = Control(seconds(time_limit, "time_limit"))
        return Deduction(self.grid, self.stars, self.given, self.crossed, control)

    def _first_two(self, control: Control) -> list[Squares]:
        return sorted(quick.first_two(self.grid, self.stars, self.given, self.crossed, 2, control))

    def _names(self) -> list[str]:
        """Return the regions' labels as they are printed."""
        from nqueens_cp.puzzles.writing import text_labels

        return text_labels(self)


class PuzzleMaker:
    """A region puzzle: one queen (or two, or three) in each row, column and region, none touching, not even at a corner.

    ``puzzle(regions)`` reads one, ``puzzle.new(size, seed=...)`` makes one with exactly one solution, ``puzzle.read(file)``
    reads those of a file.

    Examples
    --------
    >>> from nqueens_cp import puzzle
    >>> board = puzzle(["AABB", "AABB", "CCDD", "CCDD"], given=[(0, 1)])
    >>> board.solve().solution
    ((0, 1), (1, 3), (2, 0), (3, 2))
    """

    def __call__(
        self,
        regions: Any,
        *,
        given: Iterable[Square] = (),
        crossed: Iterable[Square] = (),
        stars: int = 1,
    ) -> Puzzle:
        """Return the puzzle.

        Parameters
        ----------
        regions : grid of labels, list of lists of cells, or mapping of label to cells
            A grid has a string or a list of labels for each row; labels may be anything hashable. Cells are (row, column).
        given, crossed : iterable of (row, column)
            Cells with a queen, and cells without one.
        stars : int
            How many queens stand in each row, column and region: 1, 2 or 3.

        Raises
        ------
        InvalidValue, InvalidType
            The board is not square, the number of regions is not that of its rows, or a cell is in two regions, in none or off
            the board; the message names it.
        """
        number = integer(stars, "stars")
        if not 1 <= number <= MOST_STARS:
            raise InvalidValue(f"stars: {number} is not in 1..{MOST_STARS}")
        labelled = _labelled_grid(regions)
        numbers = {label: k for k, label in enumerate(dict.fromkeys(label for row in labelled for label in row))}
        return Puzzle(
            tuple(tuple([numbers[label] for label in row]) for row in labelled),
            tuple(numbers),
            number,
            _on_board(given, len(labelled), "given"),
            _on_board(crossed, len(labelled), "crossed"),
        )

    @staticmethod
    def new(
        size: int,
        *,
        seed: int = 0,
        stars: int = 1,
        difficulty: str | None = None,
        time_limit: float | None = 60,
    ) -> Puzzle:
        """Make a puzzle with exactly one solution and connected regions; the same for the same seed.

        Parameters
        ----------
        size : int
            The number of rows, 4 to 20.
        seed : int
            Which of the many.
        stars : int
            How many queens stand in each row, column and region.
        difficulty : str, optional
            "easy", "medium" or "hard".
        time_limit : int or float, optional
            Seconds of wall clock.

        Raises
        ------
        SearchStopped
            None was found within the limits.
        """
        from nqueens_cp.puzzles.making import make

        made = make(size, seed=seed, stars=stars, difficulty=difficulty, time_limit=time_limit)
        return puzzle(made.grid, stars=stars)

    @staticmethod
    def read(file: Any) -> list[Puzzle]:
        """Return the puzzles of a file: text, lists of cells, JSON or JSON lines; which it is is found out.

        Raises
        ------
        InvalidValue, InvalidType
            With the file, the line, and the row or cell that is wrong.
        """
        from nqueens_cp.puzzles.reading import read_file

        return read_file(file)


puzzle = PuzzleMaker()


def _labelled_grid(regions: Any) -> tuple[tuple[Hashable, ...], ...]:
    """Return the label of every cell of a square board with as many regions as rows."""
    if isinstance(regions, str):
        raise InvalidType("regions: expected a list of rows, got one string; split it, as in text.split()")
    if isinstance(regions, Mapping):
        by_label = {label: list(items(cells, f"regions: region {shown(label)}")) for label, cells in regions.items()}
        return region_grid(by_label, _size_of_cells(list(by_label.values())))
    listed = [
        list(row) if isinstance(row, str) else list(items(row, f"regions: entry {i}"))
        for i, row in enumerate(items(regions, "regions"))
    ]
    if any(map(is_cells, listed)):
        return region_grid(listed, _size_of_cells(listed))
    n = _size(len(listed))
    lengths = set(map(len, listed))
    if len(lengths) == 1 and lengths != {n}:
        raise InvalidValue(f"regions: a grid of {n} x {lengths.pop()} cells (rows x columns) is not square")
    return region_grid(listed, n)


def _size_of_cells(regions: list[list[Any]]) -> int:
    """Return the size of the board that lists of cells fill; if they fill none, that of one with so many regions."""
    try:
        cells = len({tuple(cell) for region in regions for cell in region})
    except TypeError:  # region_grid says which is no cell
        return _size(len(regions))
    root = isqrt(cells)
    return _size(root if root * root == cells else len(regions))


def _size(n: int) -> int:
    if not n:
        raise InvalidValue("regions: there are none; a board has at least one row")
    if n > MAX_SIZE:
        raise InvalidValue(f"regions: {n} rows are too many; a board has at most {MAX_SIZE}")
    return n


def _on_board(squares: Iterable[object], n: int, what: str) -> frozenset[Square]:
    found = set()
    for value in items(squares, what):
        row, column = square(value, what)
        if not (0 <= row < n and 0 <= column < n):
            raise InvalidValue(f"{what}: {(row, column)} is not on the board of {n} rows and columns (counted from 0)")
        found.add((row, column))
    return frozenset(found)
