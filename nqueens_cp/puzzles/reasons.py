"""Why a region puzzle has no solution, in sentences about rows, columns, regions and cells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from nqueens_cp.board import Square
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import SearchStopped
from nqueens_cp.model import Model
from nqueens_cp.puzzles.quick import seconds_left
from nqueens_cp.result import Status

if TYPE_CHECKING:
    from nqueens_cp.puzzles.puzzle import Puzzle

NUMBERS = {1: "one queen", 2: "two queens", 3: "three queens"}
LISTED_PAIRS = 3
"""More pairs of touching cells are told as the rule."""

Squares = tuple[Square, ...]


class Facts(NamedTuple):
    """What cannot hold together.

    Attributes
    ----------
    units : tuple of str
        The rows, columns and regions that have their queens.
    touching : tuple of pairs of cells, or None
        Cells that do not both have a queen; None stands for all that touch.
    given, crossed : tuple of cells
        Where a queen is given, and where none may be.
    """

    units: tuple[str, ...] = ()
    touching: tuple[tuple[Square, Square], ...] | None = ()
    given: Squares = ()
    crossed: Squares = ()


def reasons(puzzle: Puzzle, control: Control) -> tuple[str, ...]:
    """Return facts that cannot hold together, none of which can be left out; it is known that the puzzle has no solution.

    Raises
    ------
    TimeLimitReached
        The control's time is over.
    """
    return _told(_at_a_glance(puzzle) or _by_search(puzzle, control), puzzle.stars)


def _told(facts: Facts, stars: int) -> tuple[str, ...]:
    told = [f"{unit} has {NUMBERS[stars]}" for unit in facts.units]
    if facts.touching is None:
        told.append("no two queens touch")
    else:
        told += [f"{a} and {b} touch" for a, b in facts.touching]
    if facts.given:
        told.append(f"given: {'a queen' if len(facts.given) == 1 else 'queens'} at {_listed(facts.given)}")
    if facts.crossed:
        told.append(f"crossed: {_listed(facts.crossed)}")
    return tuple(told)


def _units(puzzle: Puzzle) -> dict[str, Squares]:
    """Return the cells of each row, column and region."""
    n, names = puzzle.size, puzzle.names
    units = {f"row {r}": tuple((r, c) for c in range(n)) for r in range(n)}
    units |= {f"column {c}": tuple((r, c) for r in range(n)) for c in range(n)}
    regions: dict[str, list[Square]] = {f"region {name}": [] for name in names}
    for r, row in enumerate(puzzle.grid):
        for c, k in enumerate(row):
            regions[f"region {names[k]}"].append((r, c))
    return units | {name: tuple(cells) for name, cells in regions.items()}


def _at_a_glance(puzzle: Puzzle) -> Facts | None:
    """Find a cell both given and crossed, given queens that touch, or more of them in a unit than it may have."""
    for cell in sorted(puzzle.given & puzzle.crossed):
        return Facts(given=(cell,), crossed=(cell,))
    for a, b in combinations(sorted(puzzle.given), 2):
        if _touch(a, b):
            return Facts(touching=((a, b),), given=(a, b))
    for name, cells in _units(puzzle).items():
        queens = [cell for cell in cells if cell in puzzle.given]
        if len(queens) > puzzle.stars:
            return Facts((name,), given=tuple(queens[: puzzle.stars + 1]))
    return None


def _by_search(puzzle: Puzzle, control: Control) -> Facts:
    """Find constraints of the model that cannot hold together; fewer of them where the touching cells are told as a rule."""
    from nqueens_cp.unsatisfiable import explain_unsatisfiable

    model = puzzle.model()
    board = model.require_board("puzzle")
    try:
        conflict = explain_unsatisfiable(model, time_limit=seconds_left(control), proven=True)
    except SearchStopped:
        raise TimeLimitReached from None
    cells = {cell: (r, c) for r, row in enumerate(board.cells) for c, cell in enumerate(row)}
    names: dict[Squares, list[str]] = {}
    for name, squares in _units(puzzle).items():
        names.setdefault(tuple(sorted(squares)), []).append(name)  # several units can have the same cells
    units, touching, given, crossed = [], [], [], []
    for constraint in conflict.constraints:
        squares = tuple(sorted(cells[variable] for variable in constraint.variables))
        may_be = [value for value in (0, 1) if constraint.check(dict.fromkeys(constraint.variables, value))]
        if len(squares) == 1 and may_be == [1] and squares[0] in puzzle.given:
            given.append(squares[0])
        elif len(squares) == 1 and may_be == [0]:
            crossed.append(squares[0])
        elif len(squares) == 2 and may_be == [0]:
            touching.append((squares[0], squares[1]))
        else:
            units.append(names[squares].pop(0))
    order = list(_units(puzzle))
    facts = Facts(tuple(sorted(units, key=order.index)), tuple(touching), tuple(sorted(given)), tuple(sorted(crossed)))
    return facts if len(touching) <= LISTED_PAIRS else _fewer(puzzle, facts._replace(touching=None), control)


def _fewer(puzzle: Puzzle, facts: Facts, control: Control) -> Facts:
    """Leave out what is not needed where no two queens touch at all."""
    for field in ("units", "given", "crossed"):
        for fact in getattr(facts, field):
            shorter = facts._replace(**{field: tuple(other for other in getattr(facts, field) if other != fact)})
            if not _can_hold(puzzle, shorter, control):
                facts = shorter
    return facts


def _can_hold(puzzle: Puzzle, facts: Facts, control: Control) -> bool:
    """Say whether queens can stand so that all of the facts are true."""
    from nqueens_cp.search import solve

    n, units = puzzle.size, _units(puzzle)
    model = Model("facts")
    queen = {(r, c): model.bool_var(f"queen[{r},{c}]") for r in range(n) for c in range(n)}
    for name in facts.units:
        model.add(sum(queen[cell] for cell in units[name]) == puzzle.stars)
    for a, b in _touching(n):
        model.add(queen[a] + queen[b] <= 1)
    model.add(*[queen[cell] == 1 for cell in facts.given], *[queen[cell] == 0 for cell in facts.crossed])
    result = solve(model, time_limit=seconds_left(control))
    if result.status is Status.TIMEOUT:
        raise TimeLimitReached
    return result.solution is not None


def _touching(n: int) -> Iterator[tuple[Square, Square]]:
    for r in range(n):
        for c in range(n):
            for s, d in ((r, c + 1), (r + 1, c - 1), (r + 1, c), (r + 1, c + 1)):
                if s < n and 0 <= d < n:
                    yield (r, c), (s, d)


def _touch(a: Square, b: Square) -> bool:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1


def _listed(squares: Collection[Square]) -> str:
    words: Sequence[str] = [str(square) for square in squares]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
