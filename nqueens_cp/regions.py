"""Regions of a board: reading them as a grid of labels or as lists of cells, with errors that name the cell or the row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any

from nqueens_cp.board import Square
from nqueens_cp.checks import counted, items, shown, square
from nqueens_cp.errors import InvalidType, InvalidValue

Grid = tuple[tuple[Hashable, ...], ...]


def region_grid(regions: Any, n: int) -> Grid:
    """Return the label of every square of an n x n board that `regions` divides into n regions.

    Parameters
    ----------
    regions : iterable of rows, iterable of lists of cells, or mapping of label to cells
        Rows are strings or lists of labels, which may be anything hashable. Cells are (row, column), 0-based.
    n : int
        How many rows, columns and regions there must be.

    Raises
    ------
    InvalidValue
        The number of regions is wrong, a row is too long or too short, or a cell is in two regions, in none or off the board.
    """
    if isinstance(regions, Mapping):
        grid = _from_cells(regions, n)
    else:
        listed = [_row(entry, i) for i, entry in enumerate(items(regions, "regions"))]
        as_cells = any(map(is_cells, listed))
        grid = _from_cells(dict(enumerate(listed)), n) if as_cells else _from_rows(listed, n)
    labels = list(dict.fromkeys(label for row in grid for label in row))
    if len(labels) != n:
        raise InvalidValue(
            f"regions: there {_number(len(labels), 'region')} ({_some(labels)}), and a board with {n} queens needs {n}, "
            "one for each"
        )
    return grid


def scattered(grid: Grid) -> list[Hashable]:
    """Return the labels of the regions in several pieces."""
    return [label for label, number in Counter(label for _, label in pieces(grid)).items() if number > 1]


def pieces(grid: Grid) -> Iterator[tuple[Square, Hashable]]:
    """Yield the first square of each connected piece of a region, with its label.

    Squares that touch only at a corner do not hang together.
    """
    seen: set[Square] = set()
    for row, labels in enumerate(grid):
        for column, label in enumerate(labels):
            if (row, column) in seen:
                continue
            yield (row, column), label
            seen.add((row, column))
            waiting = [(row, column)]
            while waiting:
                r, c = waiting.pop()
                for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                    inside = 0 <= near[0] < len(grid) and 0 <= near[1] < len(labels)
                    if inside and near not in seen and grid[near[0]][near[1]] == label:
                        seen.add(near)
                        waiting.append(near)


def _row(entry: Any, i: int) -> list[Any]:
    return list(entry) if isinstance(entry, str) else list(items(entry, f"regions: entry {i}"))


def is_cells(entry: Sequence[Any]) -> bool:
    """Say whether an entry is a list of cells and not a row of labels: pairs of numbers are cells."""
    return bool(entry) and all(
        isinstance(cell, tuple | list) and len(cell) == 2 and all(isinstance(number, Number) for number in cell)
        for cell in entry
    )


def _from_rows(rows: list[list[Any]], n: int) -> Grid:
    if len(rows) != n:
        raise InvalidValue(f"regions: there {_number(len(rows), 'row')} of labels, and the board has {n}")
    for i, row in enumerate(rows):
        if len(row) != n:
            raise InvalidValue(
                f"regions: row {i} has {counted(len(row), 'label')} ({_some(row)}), and the board has {counted(n, 'column')}"
            )
        for column, label in enumerate(row):
            try:
                hash(label)
            except TypeError:
                raise InvalidType(
                    f"regions: the label of ({i}, {column}) is {shown(label)}; labels are strings, numbers or anything hashable"
                ) from None
    return tuple(map(tuple, rows))


def _from_cells(regions: Mapping[Any, Iterable[Any]], n: int) -> Grid:
    found: dict[Square, Hashable] = {}
    for label, cells in regions.items():
        what = f"regions: region {shown(label)}"
        listed = list(items(cells, what))
        if not listed:
            raise InvalidValue(f"{what} has no cell, so that no queen can stand in it; leave it out")
        for value in listed:
            cell = square(value, what)
            if not (0 <= cell[0] < n and 0 <= cell[1] < n):
                raise InvalidValue(f"{what}: {cell} is not on the board of {n} rows and columns (counted from 0)")
            if found.setdefault(cell, label) != label:
                raise InvalidValue(f"regions: {cell} is in two regions, {shown(found[cell])} and {shown(label)}")
    for row in range(n):
        for column in range(n):
            if (row, column) not in found:
                raise InvalidValue(f"regions: ({row}, {column}) is in no region")
    return tuple(tuple(found[row, column] for column in range(n)) for row in range(n))


def _some(labels: Sequence[Any]) -> str:
    texts = [str(label) for label in labels]
    return ", ".join(texts) if len(texts) <= 12 else ", ".join(texts[:10]) + ", ..."


def _number(count: int, noun: str) -> str:
    return f"{'is' if count == 1 else 'are'} {counted(count, noun)}"
