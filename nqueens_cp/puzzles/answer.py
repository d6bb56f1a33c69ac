"""What is found out about a region puzzle: one solution, two of several, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nqueens_cp.board import Square
from nqueens_cp.errors import NoSolution

if TYPE_CHECKING:
    from nqueens_cp.puzzles.puzzle import Puzzle
    from nqueens_cp.render.diagram import Diagram

Squares = tuple[Square, ...]


@dataclass(frozen=True)
class Answer:
    """What `Puzzle.solve` found out. Printed, it is the board and a sentence.

    Attributes
    ----------
    puzzle : Puzzle
        The puzzle.
    solutions : tuple
        None, the only one, or two of several; each is its queens' cells, row by row.
    reasons : tuple of str
        If there is none: what cannot hold together, none of which can be left out.
    """

    puzzle: Puzzle
    solutions: tuple[Squares, ...]
    reasons: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """ "unique", "several" or "none"."""
        return ("none", "unique", "several")[len(self.solutions)]

    @property
    def solution(self) -> Squares:
        """The queens' cells of the (first) solution.

        Raises
        ------
        NoSolution
            There is none.
        """
        if not self.solutions:
            raise NoSolution("the puzzle has no solution; ask for .status first, .reasons say why")
        return self.solutions[0]

    @property
    def differing(self) -> tuple[Square, ...]:
        """The cells with a queen in one of two solutions and none in the other."""
        if len(self.solutions) < 2:
            return ()
        return tuple(sorted(set(self.solutions[0]) ^ set(self.solutions[1])))

    @property
    def sentence(self) -> str:
        """The answer in words, in one line or, with reasons, several."""
        if not self.solutions and not self.reasons:
            return "no solution"
        if not self.solutions:
            return "\n".join(["no solution; these cannot hold together:", *(f"  {reason}" for reason in self.reasons)])
        if len(self.solutions) == 1:
            return "exactly one solution"
        cells = ", ".join(map(str, self.differing))
        return f"several solutions: Q in both of two, 1 only in the first, 2 only in the second\nthey differ at {cells}"

    def svg(self) -> str:
        """Return a self-contained SVG picture of the board with the solution, or with both, the differing cells marked."""
        return self.puzzle.svg(*self.solutions)

    def diagram(self) -> Diagram:
        """Return what a picture shows: the board with the solution, or with both."""
        return self.puzzle.diagram(*self.solutions)

    def __str__(self) -> str:
        from nqueens_cp.puzzles.writing import as_text

        return f"{as_text(self.puzzle, self.solutions)}\n\n{self.sentence}"
