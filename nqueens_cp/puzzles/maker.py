"""Making `Puzzle` objects: from regions in whatever form, from a seed, from a file. What comes in is checked here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from math import isqrt
from operator import index
from string import ascii_uppercase
from typing import Any, NoReturn

from nqueens_cp.board import Square
from nqueens_cp.checks import integer, is_numpy_truth, items, seconds, shown, square
from nqueens_cp.control import Progress
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.puzzles.puzzle import MAX_SIZE, MOST_STARS, Puzzle
from nqueens_cp.regions import is_cells, region_grid

LONGEST_ID = 200


class PuzzleMaker:
    """A region puzzle: one queen (or two, or three) in each row, column and region, none touching, not even at a corner.

    ``puzzle(regions)`` reads one, ``puzzle.new(size, seed=...)`` makes one with exactly one solution, ``puzzle.read(file)``
    reads those of a file.

    Examples
    --------
    >>> from nqueens_cp import puzzle
    >>> board = puzzle(["AABB", "AABB", "CCDD", "CCDD"], given=[(0, 1)])
    >>> board.solve().solution
    ((0, 1), (1, 3), (2, 0), (3, 2))
    """

    def __call__(
        self,
        regions: Any,
        *,
        given: Iterable[Square] = (),
        crossed: Iterable[Square] = (),
        stars: int = 1,
        id: str | int | None = None,  # noqa: A002
    ) -> Puzzle:
        """Return the puzzle.

        Parameters
        ----------
        regions : grid of labels, list of lists of cells, or mapping of label to cells
            A grid has a string or a list of labels for each row; labels may be anything hashable. Cells are (row, column).
        given, crossed : iterable of (row, column)
            Cells with a queen, and cells without one.
        stars : int
            How many queens stand in each row, column and region: 1, 2 or 3.
        id : str or int, optional
            A name; a string has 1 to 200 printable characters.

        Raises
        ------
        InvalidValue, InvalidType
            The board is not square, the number of regions is not that of its rows, or a cell is in two regions, in none or off
            the board; the message names it.
        """
        number = integer(stars, "stars")
        if not 1 <= number <= MOST_STARS:
            raise InvalidValue(f"stars: {number} is not in 1..{MOST_STARS}")
        labelled = _labelled_grid(regions)
        numbers = {label: k for k, label in enumerate(dict.fromkeys(label for row in labelled for label in row))}
        return Puzzle(
            tuple(tuple([numbers[label] for label in row]) for row in labelled),
            tuple(map(_plain, numbers)),
            number,
            on_board(given, len(labelled), "given"),
            on_board(crossed, len(labelled), "crossed"),
            checked_id(id),
        )

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(Puzzle, name) or name in Puzzle.__dataclass_fields__:
            raise AttributeError(f"puzzle.{name}: that is asked of a board: puzzle(regions).{name}")
        raise AttributeError(f"puzzle has no {name!r}; it has new and read, and puzzle(regions) is a board")

    @staticmethod
    def new(
        size: int,
        *,
        seed: int = 0,
        stars: int = 1,
        difficulty: str | None = None,
        time_limit: float | None = 60,
        progress: Callable[[Progress], object] | None = None,
    ) -> Puzzle:
        """Make a puzzle with exactly one solution and connected regions, called A, B, C, ...; the same for the same seed.

        Parameters
        ----------
        size : int
            The number of rows, 4 to 20; with two stars 8 to 14, with three 12 to 14.
        seed : int
            Which of the many: 0 to 2147483647.
        stars : int
            How many queens stand in each row, column and region.
        difficulty : str, optional
            "easy", "medium" or "hard".
        time_limit : int or float, optional
            Seconds of wall clock; None for no limit.
        progress : callable, optional
            Called now and then with a `Progress`; its ``found`` is how many boards were made, of whatever difficulty.

        Raises
        ------
        SearchStopped, SearchInterrupted
            None was found within the limits, or before Ctrl-C.
        """
        from nqueens_cp.puzzles.making import make

        try:
            seconds(time_limit, "time_limit")
        except InvalidValue:
            wrong = f"time_limit: {shown(time_limit)} is not a positive number of seconds; None is no limit"
            raise InvalidValue(wrong) from None
        made = make(size, seed=seed, stars=stars, difficulty=difficulty, time_limit=time_limit, progress=progress)
        return puzzle([[ascii_uppercase[k] for k in row] for row in made.grid], stars=stars)

    @staticmethod
    def read(file: Any) -> list[Puzzle]:
        """Return the puzzles of a file: text, lists of cells, JSON or JSON lines; which it is is found out.

        Raises
        ------
        InvalidValue, InvalidType
            With the file, the line, and the row or cell that is wrong.
        """
        from nqueens_cp.puzzles.reading import read_file

        return read_file(file)


puzzle = PuzzleMaker()


def _labelled_grid(regions: Any) -> tuple[tuple[Hashable, ...], ...]:
    """Return the label of every cell of a square board with as many regions as rows."""
    if isinstance(regions, str):
        raise InvalidType("regions: expected a list of rows, got one string; split it, as in text.split()")
    if isinstance(regions, Mapping):
        by_label = {label: list(items(cells, f"regions: region {shown(label)}")) for label, cells in regions.items()}
        return region_grid(by_label, _size_of_cells(list(by_label.values())))
    listed = [
        list(row) if isinstance(row, str) else list(items(row, f"regions: entry {i}"))
        for i, row in enumerate(items(regions, "regions"))
    ]
    if any(map(is_cells, listed)):
        return region_grid(listed, _size_of_cells(listed))
    n = _size(len(listed))
    lengths = set(map(len, listed))
    if len(lengths) == 1 and lengths != {n}:
        raise InvalidValue(f"regions: a grid of {n} x {lengths.pop()} cells (rows x columns) is not square")
    return region_grid(listed, n)


def _size_of_cells(regions: list[list[Any]]) -> int:
    """Return the size of the board that lists of cells fill; if they fill none, that of one with so many regions."""
    try:
        cells = len({tuple(cell) for region in regions for cell in region})
    except TypeError:  # region_grid says which is no cell
        return _size(len(regions))
    root = isqrt(cells)
    return _size(root if root * root == cells else len(regions))


def _size(n: int) -> int:
    if not n:
        raise InvalidValue("regions: there are none; a board has at least one row")
    if n > MAX_SIZE:
        raise InvalidValue(f"regions: {n} rows are too many; a board has at most {MAX_SIZE}")
    return n


def on_board(squares: Iterable[object], n: int, what: str) -> frozenset[Square]:
    """Return squares, checked to be on a board of n rows; `what` they are is named in errors."""
    found = set()
    for value in items(squares, what):
        row, column = square(value, what)
        if not (0 <= row < n and 0 <= column < n):
            raise InvalidValue(f"{what}: {(row, column)} is not on the board of {n} rows and columns (counted from 0)")
        found.add((row, column))
    return frozenset(found)


def checked_id(value: object) -> str | int | None:
    """Return a puzzle's name, if it is one."""
    if value is None or (isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= LONGEST_ID):
        return value
    if isinstance(value, str):
        raise InvalidValue(f"id: {shown(value)} is no name of 1 to {LONGEST_ID} printable characters")
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise InvalidType(f"id: expected a string or an integer, got {shown(value)}")
    return integer(value, "id")


def _plain(label: Hashable) -> Hashable:
    """Return a label of a kind of NumPy's as Python's own integer or string."""
    if isinstance(label, str):
        return str(label)
    if isinstance(label, bool) or is_numpy_truth(label):
        return label
    try:
        return index(label)  # type: ignore[arg-type]
    except TypeError:
        return label
