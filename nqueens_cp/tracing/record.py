"""The steps of a textbook backtracker, recorded while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

PROGRAMS = ("flag-arrays", "position-array", "marked-board", "bit-masks", "forward-checking")
"""The programs that can be recorded, in the order in which they are shown."""


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
        False when the recording was cut off: at the number of solutions asked for, or of steps kept.
    solutions : tuple[tuple[int, ...], ...]
        The solutions among the steps, the column of each row's queen.
    """

    program: str
    title: str
    n: int
    steps: tuple[Step, ...]
    complete: bool
    solutions: tuple[tuple[int, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Give the trace as objects that JSON can write: each step is an object with the names of its fields."""
        return {
            "program": self.program,
            "title": self.title,
            "n": self.n,
            "complete": self.complete,
            "solutions": [list(solution) for solution in self.solutions],
            "steps": [step._asdict() for step in self.steps],
        }


def record(program: str, n: int, *, limit: int | None = None, at_most: int = 20_000) -> Trace:
    """Run `program` on the board of size `n` and record what it does."""
    raise NotImplementedError
