"""The model: integer variables with their domains, constraints, an objective, and which variables form a board.

A model is only a statement. It knows no backend and has no solve method; `solve`, `count` and `solutions` (search.py)
work on a snapshot of it, a frozen `Problem`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from nqueens_cp.board import Board
from nqueens_cp.checks import integer_at_least, items, shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.expressions import Expression, as_expression
from nqueens_cp.relations import And, Constraint, Logical, Truth, shorten
from nqueens_cp.variables import BoolVar, IntVar, VariableArray, checked_domain, domain_text

MAX_VARIABLES = 100_000
"""A model holds at most this many variables."""


@dataclass(frozen=True, slots=True)
class Objective:
    """What `solve` makes as small (or, if `maximize`, as large) as it can."""

    expression: Expression
    maximize: bool

    def __str__(self) -> str:
        return f"{'maximize' if self.maximize else 'minimize'} {self.expression}"


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A frozen snapshot of a model: what backends work on.

    ``variables[i].index == i``; constraints mention no other variables.
    """

    name: str
    variables: tuple[IntVar, ...]
    constraints: tuple[Constraint, ...]
    objective: Objective | None
    arrays: tuple[VariableArray, ...]
    board: Board | None

    def statements(self) -> Iterator[Constraint]:
        """Yield the constraints, conjunctions taken apart."""
        for constraint in self.constraints:
            if isinstance(constraint, And):
                yield from constraint.parts
            else:
                yield constraint

    def with_constraints(self, *constraints: Constraint) -> Problem:
        """Return the same problem with further constraints."""
        return Problem(
            self.name, self.variables, self.constraints + constraints, self.objective, self.arrays, self.board
        )


class Model:
    """A statement of a problem: variables, constraints and perhaps an objective.

    Parameters
    ----------
    name : str
        Shown in texts.

    Examples
    --------
    >>> from nqueens_cp import Model, all_different, count
    >>> model = Model("queens")
    >>> queen = model.int_vars("queen", 6, domain=range(6))
    >>> model.add(all_different(queen))
    >>> model.add(all_different(queen[i] + i for i in range(6)))
    >>> model.add(all_different(queen[i] - i for i in range(6)))
    >>> count(model)
    4
    """

    def __init__(self, name: str = "model") -> None:
        self.name = _checked_name(name, "model")
        self._variables: list[IntVar] = []
        self._constraints: list[Constraint] = []
        self._arrays: list[VariableArray] = []
        self._names: set[str] = set()
        self._objective: Objective | None = None
        self._board: Board | None = None
        self._notes: list[str] = []

    # Variables.

    def int_var(self, name: str, domain: Iterable[int]) -> IntVar:
        """Add a variable.

        Parameters
        ----------
        name : str
            Not empty, and not the name of another variable of this model.
        domain : iterable of int
            Its possible values: a range, a list, any finite set of integers; repeated values count once.
        """
        what = f"int_var {shown(name)}"
        variable = IntVar(self._free_name(name), checked_domain(domain, what), len(self._variables))
        self._register(variable)
        return variable

    def bool_var(self, name: str, domain: Iterable[int] = (0, 1)) -> BoolVar:
        """Add a variable with the values 0 and 1, which can also be used as a relation (meaning that it is 1)."""
        what = f"bool_var {shown(name)}"
        values = checked_domain(domain, what)
        if values[0] < 0 or values[-1] > 1:
            raise InvalidValue(f"{what}: the domain may hold 0 and 1 only, not {values[0]}..{values[-1]}")
        variable = BoolVar(self._free_name(name), values, len(self._variables))
        self._register(variable)
        return variable

    def int_vars(self, name: str, size: int, domain: Iterable[int]) -> VariableArray:
        """Add `size` variables of one domain, named ``name[0]``, ``name[1]`` and so on, and return them as an array."""
        what = f"int_vars {shown(name)}"
        size = integer_at_least(size, 0, f"{what}: size")
        self._check_room(size)
        values = checked_domain(domain, what) if size else range(0)
        first = len(self._variables)
        names = [f"{name}[{i}]" for i in range(size)]
        self._free_name(name)
        taken = self._names.intersection(names)
        for member in filter(taken.__contains__, names):
            self._free_name(member)
        array = VariableArray(name, tuple(IntVar(member, values, first + i) for i, member in enumerate(names)))
        self._register(*array.variables)
        self._names.add(name)
        self._arrays.append(array)
        return array

    def _free_name(self, name: Any) -> str:
        if _checked_name(name, "a variable's name") in self._names:
            raise InvalidValue(
                f"the name {name!r} is taken in model {self.name!r}; every variable needs a name of its own"
            )
        return name  # type: ignore[no-any-return]

    def _check_room(self, more: int) -> None:
        if len(self._variables) + more > MAX_VARIABLES:
            raise InvalidValue(
                f"{len(self._variables) + more} variables are too many: a model holds at most {MAX_VARIABLES}"
            )

    def _register(self, *variables: IntVar) -> None:
        self._check_room(len(variables))
        self._variables.extend(variables)
        self._names.update(variable.name for variable in variables)

    @property
    def variables(self) -> tuple[IntVar, ...]:
        """All variables, in the order in which they were added."""
        return tuple(self._variables)

    # Constraints and the objective.

    def add(self, *constraints: Constraint | BoolVar | bool) -> None:
        """State constraints: relations, globals, Boolean variables (meaning that they are 1), or plain True or False."""
        checked: list[Constraint] = []
        for constraint in constraints:
            if isinstance(constraint, Logical):
                constraint = constraint.as_relation()
            elif isinstance(constraint, bool):
                constraint = Truth(constraint)
            elif not isinstance(constraint, Constraint):
                raise InvalidType(
                    f"model.add: expected a constraint such as x == 1 or all_different(...), got {shown(constraint)} "
                    f"({type(constraint).__name__}); for a list of constraints write model.add(*constraints)"
                )
            self._check_ownership(constraint.variables, constraint)
            checked.append(constraint)
        self._constraints.extend(checked)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """All constraints, in the order in which they were added."""
        return tuple(self._constraints)

    def minimize(self, expression: Any) -> None:
        """Ask `solve` for a solution that makes `expression` as small as possible."""
        self._set_objective(expression, maximize=False)

    def maximize(self, expression: Any) -> None:
        """Ask `solve` for a solution that makes `expression` as large as possible."""
        self._set_objective(expression, maximize=True)

    def _set_objective(self, expression: Any, *, maximize: bool) -> None:
        objective = as_expression(expression, "maximize" if maximize else "minimize")
        if self._objective is not None:
            raise InvalidValue(f"model {self.name!r} has an objective already: {self._objective}")
        self._check_ownership(objective.variables, objective)
        self._objective = Objective(objective, maximize)

    @property
    def objective(self) -> Objective | None:
        """What is minimised or maximised, if anything."""
        return self._objective

    def _check_ownership(self, variables: Iterable[IntVar], statement: Constraint | Expression | None = None) -> None:
        own = self._variables
        for variable in variables:
            if variable.index >= len(own) or own[variable.index] is not variable:
                where = shorten(variable.name if statement is None else str(statement))
                raise InvalidValue(
                    f"'{where}' mentions {variable.name!r}, which is not a variable of model {self.name!r}"
                )

    # The board.

    def board(
        self,
        rows: Iterable[IntVar] | Iterable[Iterable[IntVar]],
        columns: int | None = None,
        *,
        piece: str | None = None,
    ) -> None:
        """Say that this model is a board, so that its solutions print as boards.

        Parameters
        ----------
        rows : iterable of IntVar, or of rows of IntVar
            Either one variable for each row, the column of that row's queen, 0-based; or for each row its squares, variables
            of which 1 means that a piece stands there.
        columns : int, optional
            The width. Left out, the largest value of a variable tells it, or the length of the rows.
        piece : str, optional
            What stands on the board, in the words of explanations: "queen", or on a board of squares "piece".
        """
        given = [
            row if isinstance(row, IntVar) else tuple(items(row, f"board: row {i}"))
            for i, row in enumerate(items(rows, "board"))
        ]
        lone = tuple(row for row in given if isinstance(row, IntVar))
        cells = tuple(row for row in given if not isinstance(row, IntVar))
        if lone and cells:
            raise InvalidType("board: either a variable for each row, or a list of variables for each row, not both")
        for i, row in enumerate(given):
            for variable in () if isinstance(row, IntVar) else row:
                if not isinstance(variable, IntVar):
                    raise InvalidType(f"board: row {i} holds {shown(variable)}, which is not a variable")
                if variable.domain[0] < 0 or variable.domain[-1] > 1:
                    raise InvalidValue(f"board: {variable.name} stands for a square, so it may be 0 and 1 only")
        everything = [*lone, *chain.from_iterable(cells)]
        self._check_ownership(everything)
        if len(set(everything)) < len(everything):
            twice = next(variable for i, variable in enumerate(everything) if variable in set(everything[:i]))
            raise InvalidValue(
                f"board: {twice.name} stands for two {'squares' if cells else 'rows'}; each needs its own"
            )
        width = max((variable.domain[-1] + 1 for variable in lone), default=len(cells[0]) if cells else 0)
        if columns is not None:
            width = integer_at_least(columns, width, "board: columns")
        for i, cell_row in enumerate(cells):
            if len(cell_row) != width:
                raise InvalidValue(f"board: row {i} has {len(cell_row)} squares, and the board has {width} columns")
        for variable in lone:
            if variable.domain[0] < 0:
                raise InvalidValue(f"board: {variable.name} can be {variable.domain[0]}; columns are numbered from 0")
        self._board = Board(lone, width, cells, piece or ("piece" if cells else "queen"))

    def mark(
        self,
        placed: Iterable[tuple[int, int]] = (),
        blocked: Iterable[tuple[int, int]] = (),
        regions: Iterable[Iterable[Hashable]] | None = None,
    ) -> None:
        """Mark squares of the board, (row, column), as placed or blocked, so that they can be seen when it is printed.

        `regions` are rows of labels, one for each square; pictures show them. Nothing of this is a constraint.
        """
        self._board = self.require_board("mark").marked(placed, blocked, regions)

    def require_board(self, who: str) -> Board:
        """Return the board, or refuse in the name of `who` if this model has none."""
        if self._board is None:
            raise InvalidValue(f"{who}: model {self.name!r} has no board; call model.board(variables) first")
        return self._board

    # Notes.

    def note(self, text: str) -> None:
        """Leave a remark for whoever solves this model, as that a region is in several pieces; the command line shows it."""
        if not isinstance(text, str):
            raise InvalidType(f"note: expected a text, got {shown(text)} ({type(text).__name__})")
        self._notes.append(text)

    @property
    def notes(self) -> list[str]:
        """The remarks left on this model."""
        return self._notes.copy()

    # As a whole.

    def snapshot(self) -> Problem:
        """Return the problem as it is stated now; later changes of the model do not reach it."""
        return Problem(
            self.name,
            tuple(self._variables),
            tuple(self._constraints),
            self._objective,
            tuple(self._arrays),
            self._board,
        )

    def __str__(self) -> str:
        lines = [f"model {self.name}"]
        in_array: set[int] = set()
        arrays = {array.variables[0].index: array for array in self._arrays if array.variables}
        for variable in self._variables:
            if variable.index in arrays:
                array = arrays[variable.index]
                in_array.update(member.index for member in array.variables)
                lines.append(f"  variables {array.name}[0..{len(array) - 1}] in {domain_text(variable.domain)}")
            elif variable.index not in in_array:
                lines.append(f"  variable {variable.name} in {domain_text(variable.domain)}")
        lines.extend(f"  {constraint}" for constraint in self._constraints)
        if self._objective is not None:
            lines.append(f"  {self._objective}")
        return "\n".join(lines)

    def __copy__(self) -> Model:
        """Return a model with the same variables and constraints; what is added to one does not reach the other."""
        copy = Model(self.name)
        copy._variables, copy._constraints = self._variables.copy(), self._constraints.copy()
        copy._arrays, copy._names = self._arrays.copy(), self._names.copy()
        copy._objective, copy._board, copy._notes = self._objective, self._board, self._notes.copy()
        return copy

    def __repr__(self) -> str:
        return f"<Model {self.name}: {len(self._variables)} variables, {len(self._constraints)} constraints>"


def _checked_name(name: Any, what: str) -> str:
    if not isinstance(name, str):
        raise InvalidType(f"{what} must be a string, got {shown(name)} ({type(name).__name__})")
    if not name.strip():
        raise InvalidValue(f"{what} must not be empty, got {name!r}")
    return name
