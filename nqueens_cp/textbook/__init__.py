"""The classic backtrackers of the tutorials, written to be read, and counting what they do.

Each is a function ``solutions(n, tally, poll)`` that yields every solution of the n-queens problem, the column of each row's
queen, in lexicographic order; `tally` counts what it does, and `poll` is called at every node.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Tally:
    """What a backtracker has done.

    Attributes
    ----------
    nodes : int
        Partial placements that it looked at, the empty board included.
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
