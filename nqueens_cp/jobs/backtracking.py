"""Jobs of the join counted by backtracking, which shares no code with the join: slower, and so a check of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from nqueens_cp.control import Control
from nqueens_cp.core import join, kernel, threads
from nqueens_cp.core.compile import DiagonalForm


class ColumnSet(NamedTuple):
    """The columns of the upper half of the rows, those of the middle queen (odd boards), and how often it counts."""

    columns: int
    middles: int
    weight: int


@cache
def column_sets(width: int, middle_row: int, symmetry: str) -> list[ColumnSet]:
    """Return the column sets of a board in the order in which the join numbers them.

    One of each orbit under the board's symmetry is there, the smallest as a number, with the size of the orbit as weight.
    The middle queens of one set are together where their weights are the same.
    """
    found = []
    full, odd = (1 << width) - 1, width % 2
    moves = join.SYMMETRIES.index(symmetry)
    for columns in _sets_of(width // 2, width):
        if moves and _mirrored(columns, width) < columns:
            continue
        middles: Counter[int] = Counter()  # by weight
        rest = full & ~columns & middle_row if odd else 1
        while rest:
            bit = rest & -rest
            rest ^= bit
            middle = bit if odd else 0
            orbit = _orbit(columns, middle, width, moves)
            if min(orbit) == (columns, middle):
                middles[len(orbit)] |= bit
        found += [ColumnSet(columns, middles[weight], weight) for weight in sorted(middles)]
    return found


def _orbit(columns: int, middle: int, width: int, moves: int) -> set[tuple[int, int]]:
    """Return what the mirror (moves 1 and 2) and turning over (2) make of the upper half's columns and the middle queen's."""
    orbit = {(columns, middle)}
    if moves == 2:
        orbit.add((((1 << width) - 1) & ~columns & ~middle, middle))
    if moves:
        orbit |= {(_mirrored(one, width), _mirrored(other, width)) for one, other in orbit}
    return orbit


def _mirrored(columns: int, width: int) -> int:
    return int(format(columns, f"0{width}b")[::-1], 2)


def _sets_of(size: int, width: int) -> Iterator[int]:
    """Yield the sets of `size` of `width` columns as masks, ascending."""
    columns = (1 << size) - 1
    while columns < 1 << width:
        yield columns
        low = columns & -columns
        ripple = columns + low
        columns = ripple | (columns ^ ripple) // low >> 2


def backtracked(jobs: Sequence[join.Job], control: Control) -> Generator[tuple[int, int]]:
    """Yield the place of each job of one board and its result, counted by ``control.workers`` threads."""
    if not jobs:
        return
    form = jobs[0].form
    sets = column_sets(form.width, form.allowed[form.width // 2], jobs[0].symmetry)
    parts, owners, left, sums = [], [], Counter[int](), Counter[int]()
    for place, job in enumerate(jobs):
        left[place] = job.last - job.first
        for chosen in sets[job.first : job.last]:
            parts.append((partial(kernel.for_rows, _restricted(form, chosen)), chosen.weight))
            owners.append(place)
    for part, number in threads.numbers(parts, control):
        owner = owners[part]
        sums[owner] += number
        left[owner] -= 1
        if not left[owner]:
            yield owner, sums[owner]


def _restricted(form: DiagonalForm, chosen: ColumnSet) -> DiagonalForm:
    """Return the board on which the upper half of the rows takes just these columns."""
    half, odd = form.width // 2, form.width % 2
    upper = [mask & chosen.columns for mask in form.allowed[:half]]
    middle = [mask & chosen.middles for mask in form.allowed[half : half + odd]]
    lower = [mask & ~chosen.columns for mask in form.allowed[half + odd :]]
    return replace(form, allowed=(*upper, *middle, *lower))
