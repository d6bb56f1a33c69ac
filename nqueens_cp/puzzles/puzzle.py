"""A region puzzle and the answers about it."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nqueens_cp.board import Square
from nqueens_cp.checks import counted, seconds
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import SearchInterrupted, SearchStopped
from nqueens_cp.model import Model
from nqueens_cp.puzzles import quick
from nqueens_cp.puzzles.answer import Answer, Squares
from nqueens_cp.regions import scattered
from nqueens_cp.result import Status
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
    difficulty : str, optional
        How difficult the file that it was read from says it is; `grade` finds out. Puzzles are equal whatever it says.
    """

    grid: tuple[tuple[int, ...], ...]
    labels: tuple[Hashable, ...]
    stars: int = 1
    given: frozenset[Square] = frozenset()
    crossed: frozenset[Square] = frozenset()
    id: str | int | None = None
    difficulty: str | None = field(default=None, compare=False)

    @property
    def size(self) -> int:
        """The number of rows, of columns and of regions."""
        return len(self.grid)

    @property
    def names(self) -> list[str]:
        """The regions' labels as they are printed, all different; letters where some cannot be printed."""
        from nqueens_cp.puzzles.writing import text_labels

        return text_labels(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing of the regions, such as which are in several pieces."""
        names, pieces = self.names, scattered(self.grid)
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
        from nqueens_cp.puzzles.reasons import reasons

        control = Control(seconds(time_limit, "time_limit"))
        with told_when_stopped(time_limit, lambda: ("it is not known how many solutions there are", None)):
            found = self._first_two(control)
        if found:
            return Answer(self, tuple(found))
        none = Answer(self, ())
        try:
            return Answer(self, (), reasons(self, control))
        except TimeLimitReached:
            text = f"there is no solution; the time limit of {time_limit} s ended before the reason was found"
            raise SearchStopped(text, partial=none, status=Status.TIMEOUT) from None
        except KeyboardInterrupt as interrupt:
            text = "there is no solution; interrupted before the reason was found"
            raise SearchInterrupted(text, partial=none) from interrupt

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
            return next_step(self.grid, self.stars, self.given, self.crossed, self.names, control)

    def explain(self, *, time_limit: float | None = None) -> Explanation:
        """Return the steps that lead to the solution, as far as a person finds them without guessing.

        Raises
        ------
        SearchStopped, SearchInterrupted
            The time limit, or Ctrl-C; ``partial`` is an Explanation of the steps so far, which says so.
        """
        deduction = self._deduction(time_limit)
        names = self.names

        def so_far() -> tuple[str, Explanation]:
            return f"{counted(len(deduction.moves), 'step')} so far", deduction.explanation(names, stopped=True)

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
        from nqueens_cp.puzzles.maker import on_board
        from nqueens_cp.puzzles.picture import diagram

        return diagram(self, on_board(queens, self.size, "queens"), on_board(others, self.size, "others"))

    def __str__(self) -> str:
        from nqueens_cp.puzzles.writing import as_text

        return as_text(self)

    def _deduction(self, time_limit: float | None) -> Deduction:
        from nqueens_cp.puzzles.deduction import Deduction

        control = Control(seconds(time_limit, "time_limit"))
        return Deduction(self.grid, self.stars, self.given, self.crossed, control)

    def _first_two(self, control: Control) -> list[Squares]:
        return sorted(quick.first_two(self.grid, self.stars, self.given, self.crossed, 2, control))
