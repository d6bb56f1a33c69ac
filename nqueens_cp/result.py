"""What comes back from a search: `Status`, `Solution`, `Result`."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nqueens_cp.board import Board, Square
from nqueens_cp.errors import InvalidType, InvalidValue, NoSolution
from nqueens_cp.model import Problem
from nqueens_cp.variables import IntVar, VariableArray

if TYPE_CHECKING:
    from nqueens_cp.render.diagram import Diagram


class Status(enum.Enum):
    """How a search ended.

    `solve` ends with SATISFIED, OPTIMAL, UNSATISFIABLE (proven) or TIMEOUT. An iterator of solutions has status None while
    it is open and then COMPLETE (all solutions were handed over, also when there are none), LIMIT, TIMEOUT, INTERRUPTED
    (Ctrl-C, or an exception of the caller's own) or CLOSED.
    """

    SATISFIED = "satisfied"
    OPTIMAL = "optimal"
    UNSATISFIABLE = "unsatisfiable"
    COMPLETE = "complete"
    LIMIT = "limit"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"
    CLOSED = "closed"

    def __bool__(self) -> bool:
        raise InvalidType(f"{self} has no truth value; compare it, as in `status is Status.SATISFIED`")

    def __str__(self) -> str:
        return self.value


MAX_PRINTED_SQUARES = 1_000_000
"""Larger boards print as a list of columns."""
MAX_DRAWN_SQUARES = 250_000
"""A picture shows boards of at most so many squares together."""


class Scope:
    """The variables that a solution holds: all of a problem's, or those of a projection (``over=``)."""

    __slots__ = ("entries", "names", "positions", "problem", "variables")

    def __init__(self, problem: Problem, over: tuple[IntVar | VariableArray, ...] | None = None) -> None:
        self.problem = problem
        if over is None:
            members = {variable for array in problem.arrays for variable in array.variables}
            lone = [variable for variable in problem.variables if variable not in members]
            self.entries: tuple[IntVar | VariableArray, ...] = (*problem.arrays, *lone)
            self.variables = problem.variables
        else:
            self.entries = tuple(dict.fromkeys(over))
            flat = (v for entry in over for v in (entry.variables if isinstance(entry, VariableArray) else (entry,)))
            self.variables = tuple(dict.fromkeys(flat))
        self.positions = {variable: i for i, variable in enumerate(self.variables)}
        self.names: dict[str, IntVar | VariableArray] = {variable.name: variable for variable in self.variables}
        for entry in problem.arrays:
            if all(variable in self.positions for variable in entry.variables):
                self.names[entry.name] = entry


class Solution:
    """An assignment that satisfies a model. Immutable, hashable; equal to another with the same names and values.

    ``solution[x]`` and ``solution["x"]`` give a variable's value, ``solution[queen]`` and ``solution["queen"]`` the list of
    an array's values. Printed, it is a board where the model is one of at most a million squares.

    Attributes
    ----------
    values : tuple of int
        The values of the model's variables (or of the projection's) in their order.
    """

    __slots__ = ("_scope", "values")

    def __init__(self, scope: Scope, values: tuple[int, ...]) -> None:
        self._scope = scope
        self.values = values

    def __getitem__(self, key: Any) -> Any:
        """Return the value of a variable, or the list of values of an array, given itself or by name."""
        scope = self._scope
        if isinstance(key, str):
            if key not in scope.names:
                raise InvalidValue(f"no variable is named {key!r} here; there are {', '.join(scope.names) or 'none'}")
            key = scope.names[key]
        if isinstance(key, VariableArray | list | tuple):
            return [self[variable] for variable in key]
        if not isinstance(key, IntVar):
            raise InvalidType(f"a solution is read by variable or name, not by {key!r} ({type(key).__name__})")
        try:
            return self.values[scope.positions[key]]
        except KeyError:
            raise InvalidValue(
                f"{key.name!r} is not among the variables of this solution of model {scope.problem.name!r}"
            ) from None

    def __contains__(self, key: object) -> bool:
        return key in self._scope.names if isinstance(key, str) else key in self._scope.positions

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the arrays and of the variables outside arrays."""
        return (entry.name for entry in self._scope.entries)

    def as_dict(self) -> dict[str, int | list[int]]:
        """Return the values by name: a list for each array, an int for each variable outside arrays."""
        return {entry.name: self[entry] for entry in self._scope.entries}

    def _pieces(self) -> list[Square] | None:
        board = self._scope.problem.board
        if board is None or not all(variable in self._scope.positions for variable in board.variables):
            return None
        pieces = board.pieces(self.__getitem__)
        on_board = all(0 <= column < board.columns for _, column in pieces)  # a backend may be wrong, and be shown so
        return pieces if on_board else None

    def board(self) -> str:
        """Return the solution as a text board: Q queen, P placed queen, . empty, x blocked.

        Raises
        ------
        InvalidValue
            The model is no board, or the projection leaves out some of its variables.
        """
        board, pieces = self._as_board()
        return board.text(pieces)

    def _as_board(self) -> tuple[Board, list[Square]]:
        board, pieces = self._scope.problem.board, self._pieces()
        if board is None or pieces is None:
            raise InvalidValue(
                f"this solution of model {self._scope.problem.name!r} is no board; call model.board(variables) and, "
                "with over=, include them"
            )
        return board, pieces

    def diagram(self) -> Diagram:
        """Return what a picture of the solution shows; `sheet` draws it.

        Raises
        ------
        InvalidValue
            As for `board`.
        """
        from nqueens_cp.render.diagram import of_board

        return of_board(*self._as_board(), self._scope.problem)

    def svg(self) -> str:
        """Return the solution as a self-contained SVG picture; placed queens stand on a ring, blocked squares are crossed.

        Raises
        ------
        InvalidValue
            As for `board`.
        """
        from nqueens_cp.render.sheet import sheet

        return sheet(self).svg()

    def _repr_svg_(self) -> str | None:
        return self.svg() if self._is_board_of(MAX_DRAWN_SQUARES) else None

    def _is_board_of(self, squares: int) -> bool:
        """Say whether this is a board of at most so many squares."""
        board = self._scope.problem.board
        return board is not None and board.height * board.columns <= squares and self._pieces() is not None

    def __str__(self) -> str:
        return self.board() if self._is_board_of(MAX_PRINTED_SQUARES) else self._assignment_text()

    def _assignment_text(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.as_dict().items())

    def __repr__(self) -> str:
        return f"<Solution {self._assignment_text()}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return NotImplemented
        if self.values != other.values:
            return False
        if self._scope is other._scope:
            return True
        return [v.name for v in self._scope.variables] == [v.name for v in other._scope.variables]

    def __hash__(self) -> int:
        return hash(self.values)


@dataclass(frozen=True, slots=True)
class Result:
    """What `solve` found.

    Attributes
    ----------
    status : Status
        SATISFIED, OPTIMAL, UNSATISFIABLE or TIMEOUT; in `SearchInterrupted.partial` INTERRUPTED.
    solution : Solution or None
        The solution; with TIMEOUT the best one so far, if any.
    objective, bound : int or None
        Its objective value, and what was proven about the best possible one (models with an objective only).
    backend : str
        Which backend answered.
    statistics : mapping
        What the backend tells of its search, as it is.
    """

    status: Status
    solution: Solution | None
    backend: str
    objective: int | None = None
    bound: int | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: Any) -> Any:
        """Return ``solution[key]``.

        Raises
        ------
        NoSolution
            There is no solution to read from.
        """
        if self.solution is None:
            raise NoSolution(f"there is no solution to read {key!r} from: the status is {self.status}")
        return self.solution[key]

    def diagram(self) -> Diagram:
        """Return what a picture of the solution shows.

        Raises
        ------
        NoSolution
            There is none.
        """
        if self.solution is None:
            raise NoSolution(f"there is no solution to draw: the status is {self.status}")
        return self.solution.diagram()

    def __bool__(self) -> bool:
        return self.solution is not None

    def __str__(self) -> str:
        return str(self.status) if self.solution is None else f"{self.status}\n{self.solution}"
