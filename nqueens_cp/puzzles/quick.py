"""The first solutions of a region puzzle, straight to a solver: what uniqueness, making and batches ask thousands of times.

One queen in each unit goes to the core's kernel, with a conflict form made directly from the grid; more go to the model of
star_battle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice, permutations

from nqueens_cp.board import Square
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.core import kernel, pure
from nqueens_cp.core.compile import ConflictForm, Group, Pair
from nqueens_cp.model import Model
from nqueens_cp.result import Status

Numbers = Sequence[Sequence[int]]
"""A grid of region numbers, 0-based, row by row."""

HAND_OVER_AFTER = 1.0
"""Seconds after which the kernel gives up, or a tenth of the time limit if that is less."""
LARGEST_DOMAIN = 64
"""A variable of the kernel has at most so many values."""
ELSEWHERE = -1
"""The value of a variable for a part of a region: the queen is in another part."""


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
    return list(islice(each(grid, stars, given, crossed, control or Control()), at_most))


def each(
    grid: Numbers, stars: int, given: Collection[Square], crossed: Collection[Square], control: Control
) -> Iterator[tuple[Square, ...]]:
    """Iterate over the solutions of a puzzle, lazily. Parameters are those of `first_two`.

    The kernel has no learning: boards of more than twenty rows can be too hard for it, and go to CP-SAT after a while.
    """
    if stars > 1:
        yield from _of_model(star_model(grid, stars, given, crossed), control)
        return
    form = region_form(grid, given, crossed)
    if form is None:
        return
    found = []
    end, left = control.deadline, control.remaining()
    control.limit_to(HAND_OVER_AFTER if left is None else min(HAND_OVER_AFTER, left / 10))
    try:
        for squares in _squares(len(grid), form, control):
            found.append(squares)
            yield squares
        return
    except TimeLimitReached:
        pass
    finally:
        control.deadline = end
    control.poll()
    yield from _others(star_model(grid, stars, given, crossed), found, control)


def seconds_left(control: Control) -> float | None:
    """Return a time limit for a further search, if there is one.

    Raises
    ------
    TimeLimitReached
        The time is over.
    """
    left = control.remaining()
    if left == 0:
        raise TimeLimitReached
    return left


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
    search = kernel.for_table(form, lexicographic=False)
    return pure.conflict_count(form, control) if search is None else kernel.count(search, control)


def region_form(grid: Numbers, given: Collection[Square], crossed: Collection[Square]) -> ConflictForm | None:
    """Return the rules for one queen in each unit as a conflict form, or None where a unit has no cell left.

    A variable is where a region's queen stands, ``row * n + column``; the search then visits far fewer nodes than with a
    variable for each row. A region of too many cells has several variables, of which all but one have the value `ELSEWHERE`;
    that not all have it follows from the rows, each of which has a queen.
    """
    n = len(grid)
    regions: list[list[int]] = [[] for _ in range(n)]
    for cell, region in enumerate(chain.from_iterable(grid)):
        regions[region].append(cell)
    for row, column in crossed:
        region = grid[row][column]
        regions[region] = [cell for cell in regions[region] if cell != row * n + column]
    for row, column in given:
        region = grid[row][column]
        regions[region] = [cell for cell in regions[region] if cell == row * n + column]
    if not all(regions):
        return None
    parts = [part for region in regions for part in _parts(region)]
    places = {cell: (variable, k) for variable, part in enumerate(parts) for k, cell in enumerate(part)}
    places.pop(ELSEWHERE, None)
    lines: list[dict[int, int]] = [{} for _ in range(2 * n)]
    for cell, (variable, k) in places.items():
        in_row, in_column = lines[cell // n], lines[n + cell % n]
        in_row[variable] = in_row.get(variable, 0) | 1 << k
        in_column[variable] = in_column.get(variable, 0) | 1 << k
    if not all(lines):
        return None
    groups = tuple([Group(tuple(line.items()), True) for line in lines])
    pairs = _touching(n, parts, places)
    if len(parts) > n:
        pairs += _of_one_region(parts, [grid[part[-1] // n][part[-1] % n] for part in parts])
    return ConflictForm(tuple(parts), groups, tuple(pairs))


def _parts(region: list[int]) -> list[tuple[int, ...]]:
    """Return the domain of a region's variable, or those of several."""
    if len(region) <= LARGEST_DOMAIN:
        return [tuple(region)]
    step = LARGEST_DOMAIN - 1
    return [(ELSEWHERE, *region[start : start + step]) for start in range(0, len(region), step)]


def _touching(n: int, parts: Sequence[tuple[int, ...]], places: Mapping[int, tuple[int, int]]) -> list[Pair]:
    """Return that no two queens touch at a corner; the rows and columns exclude the other ways."""
    excluded: dict[tuple[int, int], list[int]] = {}
    for cell, below in _corners(n):
        here, there = places.get(cell), places.get(below)
        if here is None or there is None:
            continue
        variable, k = here
        other, j = there
        if variable != other:
            masks = excluded.get((variable, other))
            if masks is None:
                masks = excluded[variable, other] = [0] * len(parts[variable])
                excluded[other, variable] = [0] * len(parts[other])
            masks[k] |= 1 << j
            excluded[other, variable][j] |= 1 << k
    return [Pair(variable, other, tuple(masks)) for (variable, other), masks in excluded.items()]


@cache
def _corners(n: int) -> tuple[tuple[int, int], ...]:
    """Return each cell with each cell of the next row that it touches at a corner."""
    return tuple(
        (row * n + column, (row + 1) * n + near)
        for row in range(n - 1)
        for column in range(n)
        for near in (column - 1, column + 1)
        if 0 <= near < n
    )


def _of_one_region(parts: Sequence[tuple[int, ...]], regions: Sequence[int]) -> list[Pair]:
    """Return that of the parts of a region only one has its queen."""
    pairs = []
    for (variable, part), (other, another) in permutations(enumerate(parts), 2):
        if regions[variable] == regions[other]:
            every_cell = (1 << len(another)) - 2  # bit 0 is ELSEWHERE
            pairs.append(Pair(variable, other, (0, *[every_cell] * (len(part) - 1))))
    return pairs


def star_model(grid: Numbers, stars: int, given: Collection[Square], crossed: Collection[Square]) -> Model:
    """Return the model of star_battle for a puzzle, with its given and crossed cells."""
    from nqueens_cp.loader import load_model
    from nqueens_cp.variants import blocked, placed

    model = load_model("star_battle", n=len(grid), stars=stars, regions=grid)
    placed(model, sorted(given))
    blocked(model, sorted(crossed))
    return model


def _squares(n: int, form: ConflictForm, control: Control) -> Iterator[tuple[Square, ...]]:
    search = kernel.for_table(form, lexicographic=False)
    if search is None:
        kernel.warn_if_missing()
        found = pure.conflict_solutions(form, control)
    else:
        found = map(form.values, kernel.solutions(search, control, len(form.domains)))
    for cells in found:
        yield tuple([divmod(cell, n) for cell in sorted(cells) if cell != ELSEWHERE])


def _others(model: Model, found: Sequence[Collection[Square]], control: Control) -> Iterator[tuple[Square, ...]]:
    """Iterate over the solutions that are not found yet, each by a search of its own."""
    from nqueens_cp.search import solve

    board = model.require_board("puzzle")

    def exclude(squares: Collection[Square]) -> None:
        model.add(sum(board.cells[row][column] for row, column in squares) <= len(squares) - 1)

    for squares in found:
        exclude(squares)
    while True:
        result = solve(model, backend="cp-sat", time_limit=seconds_left(control), progress=lambda _: control.poll())
        if result.status is Status.TIMEOUT:
            raise TimeLimitReached
        if result.solution is None:
            return
        squares = tuple(board.pieces(result.solution.__getitem__))
        yield squares
        exclude(squares)


def _of_model(model: Model, control: Control) -> Iterator[tuple[Square, ...]]:
    from nqueens_cp.search import solutions

    board = model.require_board("puzzle")
    with solutions(model, time_limit=seconds_left(control), progress=lambda _: control.poll()) as found:
        for solution in found:
            yield tuple(board.pieces(solution.__getitem__))
    if found.status is Status.TIMEOUT:
        raise TimeLimitReached
