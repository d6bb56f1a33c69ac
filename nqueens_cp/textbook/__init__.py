"""The classic backtrackers of the tutorials, written to be read, and counting what they do.

Each is a function ``solutions(n, tally, poll, watch=None)`` that yields every solution of the n-queens problem, the column of
each row's queen, in lexicographic order; `tally` counts what it does, `poll` is called at every node, and `watch`, if given, is
told of every step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Poll = Callable[[], object]


class Watch(Protocol):
    """What is told of the steps of a backtracker."""

    def __call__(self, kind: str, row: int, column: int, free: Sequence[Sequence[int]] = (), /) -> object:
        """Be told that the queen of `row` is placed in `column` ("place") or taken off ("undo"), that the square is attacked
        ("reject"), or that no square of the row is free ("wipeout", with column -1).

        Programs that keep the free squares of the later rows give their columns, row by row, when they have placed a queen.
        """


@dataclass(slots=True)
class Tally:
    """What a backtracker has done.

    Attributes
    ----------
    nodes : int
        Partial placements that it looked at, the empty board included; forward checking does not count those that it gives up
        at once, because a later row has no free square left.
    candidates : int
        Squares that it considered for a queen.
    checks : int
        Array elements, queens or masks that it looked at to find out whether a square is free.
    writes : int
        Cells and variables that it wrote when it placed a queen.
    undone : int
        Queens that it took off the board again.
    """

    nodes: int = 0
    candidates: int = 0
    checks: int = 0
    writes: int = 0
    undone: int = 0
