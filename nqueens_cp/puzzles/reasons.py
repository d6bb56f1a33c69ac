"""Why a region puzzle has no solution, in sentences about rows, columns, regions and cells."""

from __future__ import annotations

from collections.abc import Sequence

from nqueens_cp.board import Board, Square
from nqueens_cp.relations import Constraint

NUMBERS = {1: "one queen", 2: "two queens", 3: "three queens"}
LISTED_PAIRS = 3
"""More pairs of touching cells are told as the rule."""


def reasons(
    board: Board, grid: Sequence[Sequence[int]], names: Sequence[str], stars: int, constraints: Sequence[Constraint]
) -> tuple[str, ...]:
    """Return what constraints of the model of star_battle say; `grid` holds the regions' numbers, `names` their names."""
    cells = {cell: (r, c) for r, row in enumerate(board.cells) for c, cell in enumerate(row)}
    units = _units(grid, names)
    told: list[str] = []
    touching: list[list[Square]] = []
    given: list[Square] = []
    crossed: list[Square] = []
    for constraint in constraints:
        squares = sorted(cells[variable] for variable in constraint.variables)
        is_one = len(squares) == 1 and constraint.check({constraint.variables[0]: 1})
        if is_one and squares[0] in board.placed:
            given.append(squares[0])
        elif len(squares) == 1 and not is_one and squares[0] in board.blocked:
            crossed.append(squares[0])
        elif len(squares) == 2 and _allows_none(constraint):
            touching.append(squares)
        else:
            told.append(f"{units[tuple(squares)].pop(0)} has {NUMBERS[stars]}")
    if len(touching) > LISTED_PAIRS:
        told.append("no two queens touch")
    told += [f"{a} and {b} touch" for a, b in touching if len(touching) <= LISTED_PAIRS]
    if given:
        told.append(f"given: {'a queen' if len(given) == 1 else 'queens'} at {_listed(given)}")
    if crossed:
        told.append(f"crossed: {_listed(crossed)}")
    return tuple(told)


def _units(grid: Sequence[Sequence[int]], names: Sequence[str]) -> dict[tuple[Square, ...], list[str]]:
    """Return the names of each row, column and region by its cells; several can have the same cells."""
    n = len(grid)
    named: dict[str, list[Square]] = {}
    for r, row in enumerate(grid):
        named[f"row {r}"] = [(r, c) for c in range(n)]
        named[f"column {r}"] = [(c, r) for c in range(n)]
        for c, k in enumerate(row):
            named.setdefault(f"region {names[k]}", []).append((r, c))
    units: dict[tuple[Square, ...], list[str]] = {}
    for name, squares in named.items():
        units.setdefault(tuple(sorted(squares)), []).append(name)
    return units


def _allows_none(constraint: Constraint) -> bool:
    return constraint.check(dict.fromkeys(constraint.variables, 0))


def _listed(squares: Sequence[Square]) -> str:
    words = [str(square) for square in sorted(squares)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
