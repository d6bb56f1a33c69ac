"""The steps of a textbook backtracker, recorded while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

from nqueens_cp.backends import textbook_names
from nqueens_cp.board import Square
from nqueens_cp.checks import integer_at_least, shown
from nqueens_cp.errors import InvalidValue
from nqueens_cp.textbook import Tally

PROGRAMS = tuple(textbook_names())
"""The programs that can be recorded, in the order in which they are shown."""

LARGEST_BOARD = 32
"""Rows of a board that can be looked at."""

MOST_STEPS = 1_000_000
"""Steps that are kept at most; each takes some 300 bytes."""


class Step(NamedTuple):
    """One thing that a program did, with what it had done in all by then.

    Attributes
    ----------
    kind : str
        "reject": the square was looked at and is attacked. "place": a queen is put on it. "wipeout": forward checking finds
        no square left in the later row `row`. "undo": the queen is taken off. "solution": every row has its queen.
    row, column : int
        The square, counted from 0; the column is -1 for "wipeout" and "solution", and the row of a "solution" is n.
    attackers : tuple[tuple[int, int], ...]
        For "reject" the placed queens that attack the square, as (row, column); else empty.
    removed : tuple[tuple[int, int], ...]
        For "place" the squares of later rows that the program itself strikes out now, as (row, column); else empty.
    nodes, candidates, checks, writes, undone : int
        The counters of `nqueens_cp.textbook.Tally` after this step.
    """

    kind: str
    row: int
    column: int
    attackers: tuple[tuple[int, int], ...]
    removed: tuple[tuple[int, int], ...]
    nodes: int
    candidates: int
    checks: int
    writes: int
    undone: int


@dataclass(frozen=True)
class Trace:
    """What a program did on the n-queens board.

    Attributes
    ----------
    program : str
        One of `PROGRAMS`.
    title : str
        What the program is called in headings, such as "Flag arrays".
    n : int
        The size of the board.
    steps : tuple[Step, ...]
        What it did, in order.
    complete : bool
        False if the recording ended before the program did: at the number of solutions asked for, or of steps kept.
    solutions : tuple[tuple[int, ...], ...]
        The solutions among the steps, the column of each row's queen.
    limit : int or None
        The number of solutions asked for.
    """

    program: str
    title: str
    n: int
    steps: tuple[Step, ...]
    complete: bool
    solutions: tuple[tuple[int, ...], ...]
    limit: int | None = None

    @property
    def is_cut_off(self) -> bool:
        """Whether the program did more than the steps that were kept."""
        return not self.complete and len(self.solutions) != self.limit

    def to_dict(self) -> dict[str, Any]:
        """Give the trace as objects that JSON can write: each step is an object with the names of its fields."""
        return {
            "program": self.program,
            "title": self.title,
            "n": self.n,
            "limit": self.limit,
            "complete": self.complete,
            "solutions": [list(solution) for solution in self.solutions],
            "steps": [step._asdict() for step in self.steps],
        }


def record(program: str, n: int, *, limit: int | None = None, at_most: int = 20_000) -> Trace:
    """Run a program on the n-queens board and record what it does.

    Parameters
    ----------
    program : str
        One of `PROGRAMS`.
    n : int
        The size of the board, 0 to `LARGEST_BOARD`.
    limit : int, optional
        Stop after so many solutions.
    at_most : int
        Keep so many steps; where the program goes on, the trace ends there and is not complete.

    Returns
    -------
    Trace
        The steps of the program itself, which tells them while it runs.

    Raises
    ------
    InvalidValue
        There is no such program, or a number is out of its range.

    Examples
    --------
    >>> from nqueens_cp.tracing import record
    >>> trace = record("flag-arrays", 4, limit=1)
    >>> [step[:3] for step in trace.steps[:4]]
    [('place', 0, 0), ('reject', 1, 0), ('reject', 1, 1), ('place', 1, 2)]
    >>> trace.steps[1].attackers, trace.solutions, trace.steps[-1].undone
    (((0, 0),), ((1, 3, 0, 2),), 4)
    """
    if program not in PROGRAMS:
        raise InvalidValue(f"program: {shown(program)} is not the name of one; there are {', '.join(PROGRAMS)}")
    n = integer_at_least(n, 0, "the size of the board")
    if n > LARGEST_BOARD:
        raise InvalidValue(f"the size of the board: {n} is too large to look on; it must be at most {LARGEST_BOARD}")
    wanted = None if limit is None else integer_at_least(limit, 1, "limit")
    most = integer_at_least(at_most, 1, "at_most")
    if most > MOST_STEPS:
        raise InvalidValue(f"at_most: {most} steps are too many to keep; it must be at most {MOST_STEPS}")
    solutions = import_module(f"nqueens_cp.textbook.{program.replace('-', '_')}").solutions
    tally = Tally()
    recorder = _Recorder(n, tally, most)
    found: list[tuple[int, ...]] = []
    complete = False
    try:
        for solution in solutions(n, tally, _never_stop, recorder):
            recorder("solution", n, -1)
            found.append(solution)
            if len(found) == wanted:
                break
        else:
            complete = True
    except _EnoughSteps:
        pass
    title = program.replace("-", " ").capitalize()
    return Trace(program, title, n, tuple(recorder.steps), complete, tuple(found), wanted)


class _EnoughSteps(Exception):
    """Raised where a program takes a step more than are kept."""


class _Recorder:
    """What a program tells its steps."""

    def __init__(self, n: int, tally: Tally, most: int) -> None:
        self.steps: list[Step] = []
        self._tally = tally
        self._most = most
        self._queens: list[Square] = []
        self._free: list[Sequence[Sequence[int]]] = [[range(n)] * n]  # by queen: of each later row, as the program says

    def __call__(self, kind: str, row: int, column: int, free: Sequence[Sequence[int]] = (), /) -> None:
        if len(self.steps) == self._most:
            raise _EnoughSteps
        attackers: tuple[Square, ...] = ()
        removed: tuple[Square, ...] = ()
        if kind == "reject":
            attackers = tuple(queen for queen in self._queens if attacks(queen, (row, column)))
        elif kind == "place":
            removed = tuple(
                (below, square)
                for below, (before, after) in enumerate(zip(self._free[-1][1:], free, strict=False), row + 1)
                for square in before
                if square not in after
            )
            self._queens.append((row, column))
            self._free.append(free)
        elif kind == "undo":
            self._queens.pop()
            self._free.pop()
        done = self._tally
        figures = (done.nodes, done.candidates, done.checks, done.writes, done.undone)
        self.steps.append(Step(kind, row, column, attackers, removed, *figures))


def attacks(queen: Square, square: Square) -> bool:
    """Say whether a queen attacks a square of another row."""
    return square[1] - queen[1] in (0, square[0] - queen[0], queen[0] - square[0])


def _never_stop() -> None:
    """What is called at every node and could stop the search."""
