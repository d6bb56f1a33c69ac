"""The first solutions of a region puzzle, straight to a solver: what uniqueness, making and batches ask thousands of times.

One queen in each unit goes to the core's kernel, with a conflict form made directly from the grid; more go to the model of
star_battle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import islice

from nqueens_cp.board import Square
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.core import kernel, pure
from nqueens_cp.core.compile import ConflictForm, Group, Pair
from nqueens_cp.model import Model
from nqueens_cp.result import Status

Numbers = Sequence[Sequence[int]]
"""A grid of region numbers, 0-based, row by row."""


def first_two(
    grid: Numbers,
    stars: int = 1,
    given: Collection[Square] = (),
    crossed: Collection[Square] = (),
    at_most: int = 2,
    control: Control | None = None,
) -> list[tuple[Square, ...]]:
    """Return the first `at_most` solutions of a puzzle, in no particular order; each is its queens' squares, row by row.

    Parameters
    ----------
    grid : sequence of rows of int
        The number of each cell's region, 0-based.
    stars : int
        How many queens stand in each row, column and region.
    given, crossed : collection of (row, column)
        Where a queen stands, and where none does.
    at_most : int
        How many solutions are wanted.
    control : Control, optional
        Polled during the search.

    Raises
    ------
    TimeLimitReached
        The control's time is over.

    Examples
    --------
    >>> first_two([[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]], given={(0, 1)})
    [((0, 1), (1, 3), (2, 0), (3, 2))]
    """
    control = control or Control()
    if stars == 1:
        form = region_form(grid, given, crossed)
        return [] if form is None else list(islice(_squares(form, control), at_most))
    return list(_of_model(star_model(grid, stars, given, crossed), control, at_most))


def count(
    grid: Numbers,
    stars: int = 1,
    given: Collection[Square] = (),
    crossed: Collection[Square] = (),
    control: Control | None = None,
) -> int:
    """Return the exact number of solutions; ``control.found`` is a lower bound if the search is stopped."""
    control = control or Control()
    if stars > 1:
        from nqueens_cp.choosing import as_problem, choose
        from nqueens_cp.search import count_chosen

        problem = as_problem(star_model(grid, stars, given, crossed))
        return count_chosen(problem, choose(problem, "auto", control), control)
    form = region_form(grid, given, crossed)
    if form is None:
        return 0
    factor, bound = form.without_free_variables()  # a board of one cell has nothing that constrains its row
    search = kernel.for_table(bound, lexicographic=False)
    return pure.conflict_count(form, control) if search is None else kernel.count(search, control, factor)


def region_form(grid: Numbers, given: Collection[Square], crossed: Collection[Square]) -> ConflictForm | None:
    """Return the rules for one queen in each unit as a conflict form, or None where a unit has no cell left.

    The variables are the rows, their values the columns. Rows of one region number each are a board's `grid`.
    """
    n = len(grid)
    if not given and not crossed:
        domains = _all_columns(n)
        touching = _all_pairs(n)
    else:
        kept = _columns_left(n, given, crossed)
        if not all(kept):
            return None
        domains = tuple(map(tuple, kept))
        touching = tuple(pair for row in range(n - 1) for pair in _pairs(row, domains[row], domains[row + 1]))
    columns: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    regions: list[dict[int, int]] = [{} for _ in range(n)]
    for row, domain in enumerate(domains):
        labels = grid[row]
        bit = 1
        for column in domain:
            columns[column].append((row, bit))
            masks = regions[labels[column]]
            masks[row] = masks.get(row, 0) | bit
            bit <<= 1
    if not all(columns) or not all(regions):
        return None
    groups = [Group(tuple(entries), True) for entries in columns]
    groups += [Group(tuple(masks.items()), True) for masks in regions]
    return ConflictForm(domains, tuple(groups), touching)


def star_model(grid: Numbers, stars: int, given: Collection[Square], crossed: Collection[Square]) -> Model:
    """Return the model of star_battle for a puzzle, with its given and crossed cells."""
    from nqueens_cp.loader import load_model
    from nqueens_cp.variants import blocked, placed

    model = load_model("star_battle", n=len(grid), stars=stars, regions=grid)
    placed(model, sorted(given))
    blocked(model, sorted(crossed))
    return model


def _squares(form: ConflictForm, control: Control) -> Iterator[tuple[Square, ...]]:
    rows = range(len(form.domains))
    search = kernel.for_table(form, lexicographic=False)
    if search is None:
        kernel.warn_if_missing()
        for columns in pure.conflict_solutions(form, control):
            yield tuple(zip(rows, columns, strict=True))
        return
    for positions in kernel.solutions(search, control, len(form.domains)):
        yield tuple(zip(rows, form.values(positions), strict=True))


def _of_model(model: Model, control: Control, at_most: int) -> Iterator[tuple[Square, ...]]:
    from nqueens_cp.search import solutions

    board = model.require_board("puzzle")
    with solutions(model, limit=at_most, time_limit=control.remaining(), progress=lambda _: control.poll()) as found:
        for solution in found:
            yield tuple(board.pieces(solution.__getitem__))
    if found.status is Status.TIMEOUT:
        raise TimeLimitReached


@cache
def _all_columns(n: int) -> tuple[tuple[int, ...], ...]:
    return (tuple(range(n)),) * n


@cache
def _all_pairs(n: int) -> tuple[Pair, ...]:
    columns = range(n)
    return tuple(pair for row in range(n - 1) for pair in _pairs(row, columns, columns))


def _pairs(row: int, columns: Sequence[int], below: Sequence[int]) -> tuple[Pair, Pair]:
    """Return that the queens of a row and the next do not touch; the columns' own groups exclude equal ones."""
    return (
        Pair(row, row + 1, tuple([_near(column, below) for column in columns])),
        Pair(row + 1, row, tuple([_near(column, columns) for column in below])),
    )


def _near(column: int, others: Sequence[int]) -> int:
    return sum(1 << k for k, other in enumerate(others) if abs(other - column) <= 1)


def _columns_left(n: int, given: Collection[Square], crossed: Collection[Square]) -> list[list[int]]:
    """Return the columns that each row allows."""
    kept = [list(range(n)) for _ in range(n)]
    for row, column in given:
        kept[row] = [k for k in kept[row] if k == column]
    for row, column in crossed:
        if column in kept[row]:
            kept[row].remove(column)
    return kept
