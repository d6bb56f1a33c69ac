"""Counting a square board by joining half boards: the solutions are not visited, only counted.

The columns that the queens of the top half take are fixed; for each such set, the boards of the top half and those of the rest
are listed, and the pairs of them that share no diagonal are counted (core/_join.h says how). Column sets are independent of
each other, so a range of them is a job that can be counted anywhere and at any time: `jobs`, `run`, `combine`.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Generator, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from nqueens_cp.control import Control
from nqueens_cp.core import kernel, threads
from nqueens_cp.core.compile import DiagonalForm
from nqueens_cp.errors import InvalidValue

VECTORS_VARIABLE = "NQUEENS_CP_VECTORS"
"""Set this environment variable to one of `available_vectors` and the join uses no other."""
SYMMETRIES = ("none", "mirror", "mirror and turning over")
"""What of a board's symmetry is used: each halves, about, the column sets to count over."""
SETS_OF_A_SECOND, SMALLER_SETS = 600, 3
"""On 20 rows about so many column sets take a second; on one row less, so many times more."""
JOBS_OF_A_WORKER = 16  # so that no thread is left waiting for long at the end

_last_board: tuple[DiagonalForm, str, Any] | None = None


class Job(NamedTuple):
    """An independent piece of a count: the column sets `first` to `last` (exclusive) of a board with a symmetry."""

    form: DiagonalForm
    symmetry: str
    first: int
    last: int


def takes(form: DiagonalForm) -> bool:
    """Say whether the join can count a form: all three kinds of lines on a square board of 4 to 22 rows, and the kernel."""
    module, _ = kernel.load()
    return (
        module is not None
        and module.JOIN_LEAST <= form.width <= module.JOIN_MOST
        and len(form.allowed) == form.width
        and form.columns
        and form.diagonals
        and form.antidiagonals
    )


def available_vectors() -> tuple[str, ...]:
    """Return the widths of vectors that this machine has, the widest first: of "avx512", "avx2" and "plain"."""
    module, _ = kernel.load()
    return () if module is None else tuple(module.vectors())


def vectors() -> str:
    """Return the width of vectors in use: the widest, or what the environment asks for."""
    wanted = os.environ.get(VECTORS_VARIABLE)
    return available_vectors()[0] if wanted is None else _checked_vectors(wanted, VECTORS_VARIABLE)


def _checked_vectors(wanted: str, what: str) -> str:
    available = available_vectors()
    if wanted not in available:
        raise InvalidValue(f"{what} is {wanted!r}; this machine has {', '.join(available)}")
    return wanted


def symmetry_of(form: DiagonalForm) -> str:
    """Return which of `SYMMETRIES` the squares of a form have: none, the mirror, or also the one of top and bottom."""
    if not form.has_mirror:
        return "none"
    return "mirror and turning over" if form.allowed == form.allowed[::-1] else "mirror"


def _checked_symmetry(form: DiagonalForm, wanted: str | None) -> str:
    has = symmetry_of(form)
    if wanted is None:
        return has
    if wanted not in SYMMETRIES[: SYMMETRIES.index(has) + 1]:
        raise InvalidValue(f"symmetry {wanted!r}: this board has {', '.join(SYMMETRIES[: SYMMETRIES.index(has) + 1])}")
    return wanted


def jobs(form: DiagonalForm, symmetry: str | None = None, at_least: int = 1) -> list[Job]:
    """Return independent pieces of a count, of about a second each and so many at least if there are enough column sets.

    Parameters
    ----------
    form : DiagonalForm
        A form that `takes` accepts.
    symmetry : str, optional
        One of `SYMMETRIES` that the board has; left out, the largest of them.
    at_least : int
        1 or more.
    """
    symmetry = _checked_symmetry(form, symmetry)
    board = _board(form, symmetry)
    board.step()  # lists the column sets
    return _split(form, symmetry, board.sets, at_least)


def _split(form: DiagonalForm, symmetry: str, sets: int, at_least: int) -> list[Job]:
    of_a_second = SETS_OF_A_SECOND * SMALLER_SETS ** max(0, 20 - form.width)
    number = max(1, min(sets, max(at_least, -(-sets // of_a_second))))
    ends = [sets * i // number for i in range(number + 1)]
    return [Job(form, symmetry, first, last) for first, last in pairwise(ends)]


def run(job: Job, control: Control | None = None, vectors: str | None = None) -> int:
    """Return a job's part of the count; `combine` adds the parts up.

    The tables of the last board are kept for the next job of the same board.
    """
    control = control or Control()
    return kernel.count(_search(prepare(job, control), job.first, job.last, vectors), control)


def prepare(job: Job, control: Control) -> Any:
    """Return the board of a job with its tables, made or kept from the last job."""
    global _last_board
    kept = _last_board
    if kept is None or kept[:2] != (job.form, job.symmetry):
        _last_board = kept = (job.form, job.symmetry, _made(_board(job.form, job.symmetry), control))
    return kept[2]


def numbers(pieces: Sequence[Job], control: Control, vectors: str | None = None) -> Generator[tuple[int, int]]:
    """Yield the place of each job of one board and its part of the count, as ``control.workers`` threads count them."""
    if pieces:
        board = prepare(pieces[0], control)
        parts = [(partial(_search, board, job.first, job.last, vectors), 1) for job in pieces]
        yield from threads.numbers(parts, control)


def combine(sums: Iterable[int]) -> int:
    """Return the count from what the jobs returned, in whatever order."""
    return sum(sums)


def count(form: DiagonalForm, control: Control, vectors: str | None = None, symmetry: str | None = None) -> int:
    """Return the number of solutions, counted by ``control.workers`` threads."""
    symmetry = _checked_symmetry(form, symmetry)
    board = _made(_board(form, symmetry), control)
    if control.workers == 1:
        return kernel.count(_search(board, 0, board.sets, vectors), control)
    pieces = _split(form, symmetry, board.sets, JOBS_OF_A_WORKER * control.workers)
    return threads.count([(partial(_search, board, job.first, job.last, vectors), 1) for job in pieces], control)


def _board(form: DiagonalForm, symmetry: str) -> Any:
    module, _ = kernel.load()
    return module.JoinBoard(array("Q", form.allowed), SYMMETRIES.index(symmetry))


def _made(board: Any, control: Control) -> Any:
    try:
        while not board.step():
            control.poll()
    except MemoryError:
        raise MemoryError("the tables for counting do not fit: 20, 21 and 22 rows take 0.3, 0.5 and 2.1 GB") from None
    return board


def _search(board: Any, first: int, last: int, width: str | None) -> Any:
    module, _ = kernel.load()
    return module.JoinSearch(board, first, last, vectors() if width is None else _checked_vectors(width, "vectors"))
