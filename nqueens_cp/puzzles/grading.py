"""How difficult a region puzzle is, from the steps that it takes; `deduction` has the table of their weights."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from nqueens_cp.board import Square
from nqueens_cp.control import Control
from nqueens_cp.puzzles.deduction import Deduction
from nqueens_cp.puzzles.position import Kind, Move

EASY, MEDIUM, HARD, NEEDS_A_TRY = "easy", "medium", "hard", "needs a try"

WEIGHTS = {Kind.CROSSES: 0, Kind.ONLY: 1, Kind.CONFINED: 2, Kind.NO_PLACE: 3, Kind.NEEDED: 3, Kind.SHARED: 5}
MOST_NO_PLACE = 3
"""An easy board has at most so many steps that look what a queen would leave to the other units."""
MOST_ELABORATE = 3
"""A board of medium difficulty has at most so many steps in which a queen would leave too many units to one line."""


class Grade(NamedTuple):
    """How difficult a board is. Printed, it is the word alone.

    Attributes
    ----------
    difficulty : str
        "easy", "medium", "hard", or "needs a try" where the rules do not reach the end, as for any board with several solutions
        or none.
    score : int
        The sum of the weights of all steps.
    """

    difficulty: str
    score: int

    def __str__(self) -> str:
        return self.difficulty


def grade(
    grid: Sequence[Sequence[int]],
    stars: int = 1,
    given: Collection[Square] = (),
    crossed: Collection[Square] = (),
    control: Control | None = None,
) -> Grade:
    """Return how difficult a board is: from the hardest steps that are needed, and how many. Faster than `explanation`.

    - easy: only squares, confined regions, and at most 3 steps of the kind "no place";
    - medium: more of these, two units that fill two lines, and at most 3 steps of the kind "too many for one line";
    - hard: more of these, three or four units that fill as many lines, or a chain;
    - needs a try: the rules do not solve it.

    Parameters are those of `Deduction`.
    """
    deduction = Deduction(grid, stars, given, crossed, control)
    deduction.run()
    return graded(deduction)


def graded(deduction: Deduction) -> Grade:
    """Return the grade of a board whose steps have been taken."""
    at_least = grade_so_far(deduction)
    return at_least if deduction.solved else Grade(NEEDS_A_TRY, at_least.score)


def grade_so_far(deduction: Deduction) -> Grade:
    """Return the grade of the steps taken: of the whole board where they solve it, otherwise it is at least that."""
    return Grade(_difficulty(deduction.moves), sum(map(_weight, deduction.moves)))


def _difficulty(taken: Sequence[Move]) -> str:
    """Return what steps that solve a board are at the least."""
    kinds = [move.kind for move in taken]
    widest = max((len(move.units) for move in taken if move.kind is Kind.SETS), default=0)
    if widest > 2 or Kind.CHAIN in kinds or kinds.count(Kind.SHARED) > MOST_ELABORATE:
        return HARD
    if widest or Kind.SHARED in kinds or kinds.count(Kind.NO_PLACE) + kinds.count(Kind.NEEDED) > MOST_NO_PLACE:
        return MEDIUM
    return EASY


def _weight(move: Move) -> int:
    if move.kind is Kind.SETS:
        return 2 * len(move.units)
    if move.kind is Kind.CHAIN:
        return 6 + 2 * len(move.chain) + 2 * any(link.line is not None for link in move.chain)
    return WEIGHTS.get(move.kind, 0)
