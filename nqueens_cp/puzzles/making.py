"""Making region puzzles: boards with exactly one solution and connected regions, the same for the same seed.

A try places queens at random and grows regions around them (see growing.py). What comes out depends on the arguments alone:
the random numbers are those of Python's Mersenne Twister for a seed made of them, every limit counts steps, and a time limit
only ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import NamedTuple

from nqueens_cp.board import Square
from nqueens_cp.checks import integer, shown
from nqueens_cp.control import Control, Progress, TimeLimitReached
from nqueens_cp.errors import InvalidValue, SearchInterrupted, SearchStopped, VerificationError
from nqueens_cp.puzzles import quick
from nqueens_cp.puzzles.growing import Growth, Squares, cells_of
from nqueens_cp.puzzles.planting import joined, random_queens
from nqueens_cp.result import Status
from nqueens_cp.search import make_control

SIZES = {1: range(4, 21), 2: range(8, 15), 3: range(12, 15)}
"""The sizes of boards that can be made, by the number of queens in each row; smaller ones have no solution."""
MAX_TRIES = 2_000
"""Making gives up after so many tries to grow regions, and to find a board of the difficulty that is asked for."""
MAX_JOINS = 20
"""So many ways to join the same queens to regions are tried."""


class Made(NamedTuple):
    """A board and its only solution.

    Attributes
    ----------
    grid : tuple of rows of int
        The number of each cell's region: 0, 1, ... in the order in which they first appear, row by row.
    solution : tuple of (row, column)
        Where the queens stand, row by row, 0-based.
    """

    grid: tuple[tuple[int, ...], ...]
    solution: tuple[Square, ...]


def make(
    size: int,
    *,
    seed: int = 0,
    stars: int = 1,
    difficulty: str | None = None,
    time_limit: float | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Made:
    """Make a board with exactly one solution, each of whose regions is one piece.

    Parameters
    ----------
    size : int
        The number of rows, of columns and of regions: 4 to 20, with two queens in each 8 to 14, with three 12 to 14.
    seed : int
        0 to 2**31 - 1; the same arguments give the same board, whatever the time limit.
    stars : int
        How many queens stand in each row, column and region: 1, 2 or 3.
    difficulty : str, optional
        "easy", "medium" or "hard": boards are made until `grade` says so.
    time_limit : int or float, optional
        Seconds of wall clock. Without one the number of tries is the only limit.
    progress : callable, optional
        Called now and then with a `Progress` in the calling thread: how many boards were made, of whatever difficulty.

    Raises
    ------
    InvalidValue, InvalidType
        The size, the number of queens or another argument makes no sense.
    SearchStopped
        The time or the tries are over.
    SearchInterrupted
        Ctrl-C.

    Examples
    --------
    >>> from nqueens_cp.puzzles.making import make
    >>> grid, solution = make(5, seed=1)
    >>> len(grid), len(solution)
    (5, 5)
    """
    control = make_control(time_limit, seed=seed, progress=progress)
    rows, queens = integer(size, "size"), integer(stars, "stars")
    require_makeable(rows, queens, difficulty)
    what = f"a {difficulty} board" if difficulty else "a board"
    advice = f"no {what[2:]} of size {rows} was found for seed {control.seed}; another seed may give one"
    try:
        for number in range(MAX_TRIES):
            made = _try(rows, queens, Random(f"{rows} {queens} {control.seed} {number}"), control)
            if made is None:
                continue
            control.found += 1
            if difficulty in (None, _difficulty(made.grid, queens, control)):
                return made
    except TimeLimitReached:
        text = f"stopped by the time limit of {time_limit} s: {advice}, or more time"
        raise SearchStopped(text, partial=None, status=Status.TIMEOUT) from None
    except KeyboardInterrupt as interrupt:
        raise SearchInterrupted(f"interrupted: {advice}") from interrupt
    others = f" ({control.found} boards of other difficulty)" if control.found else ""
    raise SearchStopped(f"after {MAX_TRIES} tries{others}: {advice}", partial=None, status=Status.LIMIT)


def require_makeable(size: int, stars: int, difficulty: str | None) -> None:
    """Refuse boards that are never made."""
    from nqueens_cp.puzzles.grading import EASY, HARD, MEDIUM

    if stars not in SIZES:
        raise InvalidValue(f"stars: {stars} is not in 1..{max(SIZES)}")
    sizes = SIZES[stars]
    if size not in sizes:
        queens = "one queen" if stars == 1 else f"{stars} queens"
        if size < sizes.start:
            why = "a smaller one has no solution" if size > 1 else "smaller ones are no puzzles"
        else:
            why = "a larger one takes too long to make"
        raise InvalidValue(
            f"size: {size} is not in {sizes.start}..{sizes[-1]}; with {queens} in each row, column and region {why}"
        )
    grades = (EASY, MEDIUM, HARD)
    if difficulty is not None and difficulty not in grades:
        raise InvalidValue(f"difficulty: {shown(difficulty)} is none of {', '.join(grades)}")


def _try(size: int, stars: int, rng: Random, control: Control) -> Made | None:
    """Place queens and grow regions around them once; None if no board comes of it."""
    squares = _squares(size)
    queens = random_queens(squares, stars, rng, control)
    for _ in range(MAX_JOINS):
        regions = joined(squares, queens, stars, rng)
        if regions is None:
            continue
        growth = Growth(squares, stars, regions, queens, control)
        if growth.only_one():
            break
    else:
        return None
    power = 1 + max(0, size + 5 * stars - 17) // 3  # the larger the board, the more small regions it needs
    weights = [rank**power for rank in range(1, size + 1)]
    rng.shuffle(weights)
    if not growth.fill(rng, weights):
        return None
    made = Made(_grid(growth.owner, size), tuple(divmod(cell, size) for cell in cells_of(queens)))
    if quick.first_two(made.grid, stars, control=control) != [made.solution]:
        raise VerificationError(f"the board made has another solution: {made}")
    return made


def _grid(owner: list[int], size: int) -> tuple[tuple[int, ...], ...]:
    numbers = {number: k for k, number in enumerate(dict.fromkeys(owner))}
    return tuple(tuple([numbers[number] for number in owner[i : i + size]]) for i in range(0, size * size, size))


def _difficulty(grid: tuple[tuple[int, ...], ...], stars: int, control: Control) -> str:
    from nqueens_cp.puzzles.grading import grade

    return grade(grid, stars, control=control).difficulty


@cache
def _squares(size: int) -> Squares:
    return Squares(size)
