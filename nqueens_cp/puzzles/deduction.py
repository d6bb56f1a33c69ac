"""Solving a region puzzle as a person does: steps that follow from what is known, each with its reason in a sentence.

A grid is rows of region numbers 0, 1, ...; each row, column and region has `stars` queens, and no two touch, not even at a
corner. Squares are (row, column), both 0-based. No step guesses: what it says holds for every solution, also where there are
several. Where the rules find nothing more, a try is needed, and that is said.

The rules, in the order in which they are tried, and what a step weighs in the grade (see `grading`):

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

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial

from nqueens_cp.board import Square
from nqueens_cp.control import Control
from nqueens_cp.errors import InvalidValue
from nqueens_cp.puzzles import rules
from nqueens_cp.puzzles.chains import chain, shared
from nqueens_cp.puzzles.layout import layout_of
from nqueens_cp.puzzles.position import Kind, Move, Position
from nqueens_cp.puzzles.telling import Teller

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


@dataclass(frozen=True)
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


@dataclass(frozen=True, eq=False)
class Explanation:
    """A solution step by step, as far as the rules go. Printed, it is numbered sentences.

    Attributes
    ----------
    steps : tuple of Step
    solved : bool
        Whether the steps lead to the solution, which is then the only one.
    needs_a_try : bool
        Whether the rules stopped before that, without a contradiction.
    stopped : bool
        Whether the time limit or Ctrl-C ended it, so that nothing is known of the steps that follow.
    queens, crossed : tuple of (row, column)
        What is known in the end, with what was given.
    """

    steps: tuple[Step, ...]
    solved: bool
    needs_a_try: bool
    stopped: bool
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
        return not (self.solved or self.needs_a_try or self.stopped)

    @property
    def ending(self) -> str:
        """How it ended, in a sentence; where it is not solved, with the board as far as it is known."""
        if self.solved:
            return f"Solved: the queens stand at {', '.join(map(str, self.queens))}."
        board = self._teller.board(*self._states[-1])
        if self.stopped:
            return f"Stopped here (partial), with {len(self.queens)} queens placed: there may be more steps.\n{board}"
        if self.needs_a_try:
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


class Deduction:
    """The steps of one board; when it is stopped, those found so far are there.

    Parameters
    ----------
    grid : sequence of rows of int
        The number of each square's region.
    stars : int
        How many queens each row, column and region has.
    given, crossed : collection of (row, column)
        Where queens stand, and where none do.
    control : Control, optional
        Polled while steps are sought.

    Attributes
    ----------
    moves : list of Move
    states : list of (int, int)
        The queens, and the squares that may hold one, before each move and after the last.

    Raises
    ------
    InvalidValue
        A given square is crossed out.
    """

    def __init__(
        self,
        grid: Sequence[Sequence[int]],
        stars: int = 1,
        given: Collection[Square] = (),
        crossed: Collection[Square] = (),
        control: Control | None = None,
    ) -> None:
        both = sorted(set(given) & set(crossed))
        if both:
            raise InvalidValue(f"crossed: a queen is given at {both[0]}, so that it cannot be crossed out")
        self.layout = layout_of(tuple(map(tuple, grid)), stars)
        queens = self.layout.mask(given)
        maybe = self.layout.all_squares & ~(queens | self.layout.mask(crossed))
        self.position = Position(self.layout, queens, maybe, (control or Control()).poll)
        self.moves: list[Move] = []
        self.states = [(queens, maybe)]

    def next(self) -> Move | None:
        """Return the next step, or None if the board is solved or the rules find nothing more."""
        position = self.position
        position.poll()
        if not self.moves:
            conflict = rules.conflict(position)
            if conflict is not None:
                return conflict
        if position.solved:
            return None
        for rule in RULES:
            move = rule(position)
            if move is not None:
                return move
        return None

    def run(self) -> None:
        """Take all steps, to the solution, a contradiction or the end of the rules."""
        position = self.position
        while (move := self.next()) is not None:
            known = move.placed | move.crossed
            self.states.append((position.queens | move.placed, position.maybe & ~known))
            self.moves.append(move)
            if move.kind is Kind.CONTRADICTION:
                return
            position.apply(move)

    @property
    def refuted(self) -> bool:
        """Whether the steps show that there is no solution."""
        return bool(self.moves) and self.moves[-1].kind is Kind.CONTRADICTION

    @property
    def solved(self) -> bool:
        """Whether the steps lead to the solution."""
        queens, _ = self.states[len(self.moves)]
        full = all((mask & queens).bit_count() == self.layout.stars for mask in self.layout.masks)
        return full and not self.refuted

    def explanation(self, labels: Sequence[Hashable] | None = None, *, stopped: bool = False) -> Explanation:
        """Return the steps as sentences; `stopped` says that there may be more."""
        layout = self.layout
        teller = Teller(layout, labels)
        steps = tuple(_step(teller, maybe, move) for (_, maybe), move in zip(self.states, self.moves, strict=False))
        states = tuple(self.states[: len(steps) + 1])
        queens, maybe = states[-1]
        over = self.solved or self.refuted
        return Explanation(
            steps,
            self.solved,
            not (over or stopped),
            stopped and not over,
            layout.squares(queens),
            layout.squares(layout.all_squares & ~(queens | maybe)),
            teller,
            states,
        )


def next_step(
    grid: Sequence[Sequence[int]],
    stars: int = 1,
    given: Collection[Square] = (),
    crossed: Collection[Square] = (),
    labels: Sequence[Hashable] | None = None,
    control: Control | None = None,
) -> Step | None:
    """Return the easiest step that a person could take next, or None if the board is solved or a try is needed.

    Parameters are those of `Deduction`, and

    Parameters
    ----------
    labels : sequence of hashable, optional
        What the sentences call the regions; their numbers if left out.

    Examples
    --------
    >>> board = [[0, 0, 0, 1], [2, 0, 1, 1], [2, 2, 3, 1], [2, 3, 3, 3]]
    >>> print(next_step(board, given={(0, 1)}, labels="ABCD"))
    The queen at (0, 1) crosses out its row, column, region and neighbours.
    """
    deduction = Deduction(grid, stars, given, crossed, control)
    move = deduction.next()
    return None if move is None else _step(Teller(deduction.layout, labels), deduction.position.maybe, move)


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
    deduction = Deduction(grid, stars, given, crossed)
    deduction.run()
    return deduction.explanation(labels)


def _step(teller: Teller, maybe: int, move: Move) -> Step:
    squares = teller.layout.squares
    return Step(move.kind, squares(move.placed), squares(move.crossed), teller.sentence(maybe, move))
