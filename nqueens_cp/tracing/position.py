"""The board and the path of the search tree after some steps of a trace."""

from __future__ import annotations

from collections.abc import Iterable

from nqueens_cp.board import Square
from nqueens_cp.tracing.record import Step, Trace, attacks


class Position:
    """Where a search stands.

    Attributes
    ----------
    step : Step or None
        The last step that was taken.
    queens : list[tuple[int, int]]
        The queens on the board, (row, column), from row 0 on.
    tried : list[dict[int, str]]
        Of the rows with a queen and the next one: the columns that were tried with the queens above as they are, and with what
        outcome, "reject", "undo" or "place".
    solutions : int
        How many solutions have been found.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.step: Step | None = None
        self.taken = 0  # steps
        self.queens: list[Square] = []
        self.tried: list[dict[int, str]] = [{}]
        self.solutions = 0
        self._removed: list[tuple[Square, ...]] = []
        self._strikes_out = any(step.removed for step in trace.steps)

    def advance(self) -> bool:
        """Take the next step; say whether there was one."""
        if self.taken == len(self.trace.steps):
            return False
        step = self.step = self.trace.steps[self.taken]
        self.taken += 1
        if step.kind == "place":
            self.queens.append((step.row, step.column))
            self._removed.append(step.removed)
            self.tried.append({})
        elif step.kind == "undo":
            self.queens.pop()
            self._removed.pop()
            self.tried.pop()
        elif step.kind == "solution":
            self.solutions += 1
        if step.column >= 0:
            self.tried[step.row][step.column] = step.kind
        return True

    def attacked(self) -> set[Square]:
        """Return the squares below the queens that are attacked: those that the program has struck out, if it does that."""
        if self._strikes_out:
            return {square for squares in self._removed for square in squares if square[0] >= len(self.queens)}
        return {square for square in self._below() if any(attacks(queen, square) for queen in self.queens)}

    def _below(self) -> Iterable[Square]:
        n = self.trace.n
        return ((row, column) for row in range(len(self.queens), n) for column in range(n))
