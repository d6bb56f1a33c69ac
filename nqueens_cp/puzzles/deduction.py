"""Solving a region puzzle as a person does: steps that follow from what is known, each with its reason in a sentence.

A grid is rows of region numbers 0, 1, ...; each row, column and region has `stars` queens, and no two touch, not even at a
corner. Squares are (row, column), both 0-based. No step guesses: what it says holds for every solution, also where there are
several. Where the rules find nothing more, a try is needed, and that is said.

The rules, in the order in which they are tried, and what a step weighs in the grade:

====================  ======  =================================================================================
kind                  weight  what is seen
====================  ======  =================================================================================
queen crosses out     0       the row, column, region and neighbours of a queen, or the rest of a full unit
only square           1       a unit has no more squares left than it needs queens
confined to one line  2       a region has squares left only in one row or column, or the reverse
no place              3       a queen there would leave a unit without room for its own
needed square         3       without it a unit has no room for its queens (two or more queens in each unit)
as many units as      2k      the queens of k regions fill rows (or columns, or the reverse); k is 2, 3 or 4
lines
too many for one      5       a queen there would leave two regions to one row, and the like (one queen in each)
line
chain                 6 + 2k  a queen there would lead to a unit without a place, by k forced steps; k is at most 4,
                              or 6 with steps that say only in which line a queen stands (2 more for such a chain)
====================  ======  =================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from nqueens_cp.board import Square
from nqueens_cp.errors import InvalidValue
from nqueens_cp.puzzles import rules
from nqueens_cp.puzzles.chains import chain, shared
from nqueens_cp.puzzles.layout import layout_of
from nqueens_cp.puzzles.position import Kind, Move, Position
from nqueens_cp.puzzles.telling import Teller

EASY, MEDIUM, HARD, NEEDS_A_TRY = "easy", "medium", "hard", "needs a try"

RULES: tuple[Callable[[Position], Move | None], ...] = (
    rules.crossed_by_queens,
    rules.only_squares,
    rules.confined,
    rules.no_place,
    rules.needed,
    partial(rules.sets, size=1),
    partial(rules.sets, size=2),
    shared,
    partial(rules.sets, size=3),
    partial(chain, longest=1, lines=False),
    partial(rules.sets, size=4),
    partial(chain, longest=4, lines=False),
    partial(chain, longest=6, lines=True),
)
"""Tried in this order; after each step from the start again."""

WEIGHTS = {Kind.CROSSES: 0, Kind.ONLY: 1, Kind.CONFINED: 2, Kind.NO_PLACE: 3, Kind.NEEDED: 3, Kind.SHARED: 5}
MOST_NO_PLACE = 3
"""An easy board has at most so many steps that look what a queen would leave to the other units."""
MOST_ELABORATE = 3
"""A board of medium difficulty has at most so many steps in which a queen would leave too many units to one line."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a solution.

    Attributes
    ----------
    kind : Kind
        The rule; a `str`. After a contradiction nothing more follows: there is no solution, or a mistake was made before.
    placed, crossed : tuple of (row, column)
        The squares that are found to hold a queen, and to hold none. Only a contradiction has neither.
    sentence : str
        The reason.
    """

    kind: Kind
    placed: tuple[Square, ...]
    crossed: tuple[Square, ...]
    sentence: str

    def __str__(self) -> str:
        return self.sentence


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


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """A solution step by step, as far as the rules go. Printed, it is numbered sentences.

    Attributes
    ----------
    steps : tuple of Step
    solved : bool
        Whether the steps lead to the solution, which is then the only one.
    needs_a_try : bool
        Whether the rules stopped before that, without a contradiction.
    queens, crossed : tuple of (row, column)
        What is known in the end, with what was given.
    """

    steps: tuple[Step, ...]
    solved: bool
    needs_a_try: bool
    queens: tuple[Square, ...]
    crossed: tuple[Square, ...]
    _teller: Teller = field(repr=False)
    _states: tuple[tuple[int, int], ...] = field(repr=False)

    @property
    def boards(self) -> tuple[str, ...]:
        """The board as text before the first step and after each."""
        return tuple(self._teller.board(queens, maybe) for queens, maybe in self._states)

    @property
    def contradiction(self) -> bool:
        """Whether the steps show that there is no solution."""
        return not self.solved and not self.needs_a_try

    @property
    def ending(self) -> str:
        """How it ended, in a sentence; where a try is needed, with the board as far as it is known."""
        if self.solved:
            return f"Solved: the queens stand at {', '.join(map(str, self.queens))}."
        if self.needs_a_try:
            board = self._teller.board(*self._states[-1])
            return f"The rules find nothing more, with {len(self.queens)} queens placed: from here a try is needed.\n{board}"
        return "So there is no solution."

    def text(self, *, boards: bool = False) -> str:
        """Return numbered sentences; with `boards`, the board at the start and after each step."""
        lines = ["Rows and columns are counted from 0; (2, 5) is row 2, column 5."]
        after = self.boards if boards else ()
        lines.extend(after[:1])
        for i, step in enumerate(self.steps, 1):
            lines.append(f"{i}. {step}")
            if step.kind is not Kind.CONTRADICTION:
                lines.extend(after[i : i + 1])
        return "\n".join([*lines, self.ending])

    def __str__(self) -> str:
        return self.text()


def next_step(
    grid: Sequence[Sequence[int]],
    stars: int = 1,
    given: Collection[Square] = (),
    crossed: Collection[Square] = (),
    labels: Sequence[Hashable] | None = None,
) -> Step | None:
    """Return the easiest step that a person could take next, or None if the board is solved or a try is needed.

    Parameters
    ----------
    grid : sequence of rows of int
        The number of each square's region.
    stars : int
        How many queens each row, column and region has.
    given, crossed : collection of (row, column)
        Where queens stand, and where none do.
    labels : sequence of hashable, optional
        What the sentences call the regions; their numbers if left out.

    Examples
    --------
    >>> board = [[0, 0, 0, 1], [2, 0, 1, 1], [2, 2, 3, 1], [2, 3, 3, 3]]
    >>> print(next_step(board, given={(0, 1)}, labels="ABCD"))
    The queen at (0, 1) crosses out its row, column, region and neighbours.
    """
    position = _position(grid, stars, given, crossed)
    move = rules.conflict(position) or _next(position)
    return None if move is None else _step(Teller(position.layout, labels), position, move)


def explanation(
    grid: Sequence[Sequence[int]],
    stars: int = 1,
    given: Collection[Square] = (),
    crossed: Collection[Square] = (),
    labels: Sequence[Hashable] | None = None,
) -> Explanation:
    """Return all steps to the solution, or as far as the rules go. Parameters are those of `next_step`.

    Examples
    --------
    >>> board = [[0, 0, 0, 1], [2, 0, 1, 1], [2, 2, 3, 1], [2, 3, 3, 3]]
    >>> explained = explanation(board, given={(0, 1)}, labels="ABCD")
    >>> explained.solved
    True
    >>> print(explained.steps[1])
    Row 1 has only one square left, (1, 3): a queen stands there.
    """
    position = _position(grid, stars, given, crossed)
    layout = position.layout
    teller = Teller(layout, labels)
    steps: list[Step] = []
    states = [(position.queens, position.maybe)]
    for move in _moves(position):
        steps.append(_step(teller, position, move))
        states.append((position.queens | move.placed, position.maybe & ~(move.placed | move.crossed)))
    refuted = bool(steps) and steps[-1].kind is Kind.CONTRADICTION
    solved = not refuted and position.solved
    neither = layout.all_squares & ~(position.queens | position.maybe)
    return Explanation(
        tuple(steps),
        solved,
        not solved and not refuted,
        layout.squares(position.queens),
        layout.squares(neither),
        teller,
        tuple(states),
    )


def grade(
    grid: Sequence[Sequence[int]],
    stars: int = 1,
    given: Collection[Square] = (),
    crossed: Collection[Square] = (),
) -> Grade:
    """Return how difficult a board is: from the hardest steps that are needed, and how many. Faster than `explanation`.

    - easy: only squares, confined regions, and at most 3 steps of the kind "no place";
    - medium: more of these, two units that fill two lines, and at most 3 steps of the kind "too many for one line";
    - hard: more of these, three or four units that fill as many lines, or a chain;
    - needs a try: the rules do not solve it.
    """
    position = _position(grid, stars, given, crossed)
    moves = list(_moves(position))
    score = sum(map(_weight, moves))
    if not position.solved or (moves and moves[-1].kind is Kind.CONTRADICTION):
        return Grade(NEEDS_A_TRY, score)
    kinds = [move.kind for move in moves]
    widest = max((len(move.units) for move in moves if move.kind is Kind.SETS), default=0)
    if widest > 2 or Kind.CHAIN in kinds or kinds.count(Kind.SHARED) > MOST_ELABORATE:
        return Grade(HARD, score)
    if widest or Kind.SHARED in kinds or kinds.count(Kind.NO_PLACE) + kinds.count(Kind.NEEDED) > MOST_NO_PLACE:
        return Grade(MEDIUM, score)
    return Grade(EASY, score)


def _weight(move: Move) -> int:
    if move.kind is Kind.SETS:
        return 2 * len(move.units)
    if move.kind is Kind.CHAIN:
        return 6 + 2 * len(move.chain) + 2 * any(link.line is not None for link in move.chain)
    return WEIGHTS.get(move.kind, 0)


def _position(
    grid: Sequence[Sequence[int]], stars: int, given: Collection[Square], crossed: Collection[Square]
) -> Position:
    layout = layout_of(tuple(map(tuple, grid)), stars)
    queens = layout.mask(given)
    both = sorted(set(given) & set(crossed))
    if both:
        raise InvalidValue(f"crossed: a queen is given at {both[0]}, so that it cannot be crossed out")
    return Position(layout, queens, layout.all_squares & ~(queens | layout.mask(crossed)), lambda: None)


def _moves(position: Position) -> Iterator[Move]:
    """Iterate over the steps, each before it is taken, to the solution, a contradiction or the end of the rules."""
    move = rules.conflict(position) or _next(position)
    while move is not None:
        yield move
        if move.kind is Kind.CONTRADICTION:
            return
        position.apply(move)
        move = _next(position)


def _next(position: Position) -> Move | None:
    if position.solved:
        return None
    return next(filter(None, (rule(position) for rule in RULES)), None)


def _step(teller: Teller, position: Position, move: Move) -> Step:
    squares = position.layout.squares
    return Step(move.kind, squares(move.placed), squares(move.crossed), teller.sentence(position, move))
