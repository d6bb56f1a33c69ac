"""Boards too large for a Model: one solution at once, or many different ones at random.

Boards are ``array("I")``: ``board[row]`` is the column of that row's queen, both 0-based, four bytes each. Whoever has NumPy
makes an array of one without a copy: ``numpy.asarray(board)``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from nqueens_cp.checks import integer_at_least, shown, truth
from nqueens_cp.control import Control, Progress, TimeLimitReached
from nqueens_cp.core.construct import explicit_queens
from nqueens_cp.core.kernel import Slices, warn_if_missing
from nqueens_cp.core.local_search import LARGEST_SIZE, local_search
from nqueens_cp.errors import InvalidValue, NoSolution, SearchInterrupted, SearchStopped, VerificationError
from nqueens_cp.result import Status
from nqueens_cp.search import count, make_control

LARGEST_COUNTED = 12
"""Up to this size it is counted how many boards there are, so that it is known when all have been handed over."""


def place_queens(n: int, *, verify: bool = True) -> array[int]:
    """Return one solution of the n x n board at once, always the same, by an explicit construction (Pauls, 1874).

    Parameters
    ----------
    n : int
        0, 1, or 4 to 100,000,000.
    verify : bool
        Check the board.

    Returns
    -------
    array of unsigned int
        The column of each row's queen, 0-based.

    Raises
    ------
    NoSolution
        n is 2 or 3.

    Examples
    --------
    >>> from nqueens_cp import place_queens
    >>> list(place_queens(8))
    [1, 3, 5, 7, 2, 0, 6, 4]
    >>> len(place_queens(1_000_000))
    1000000
    """
    size, check = _size(n), truth(verify, "verify")
    board = explicit_queens(size)
    assert board is not None, "sizes without a solution have been refused"
    if check:
        _verify(board, size, "the explicit construction")
    return board


def random_placements(
    n: int,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    verify: bool = True,
    progress: Callable[[Progress], object] | None = None,
) -> Iterator[array[int]]:
    """Iterate over different random solutions of the n x n board, by local search (Sosic and Gu, 1994).

    They are **not uniformly distributed**: some solutions come more often than others. No board comes twice. The same seed
    gives the same boards, with the compiled kernel and without. The iterator goes on until there are no more boards, which
    it only knows for n up to 12; for larger n take as many as are needed.

    Parameters
    ----------
    n : int
        0, 1, or 4 to 100,000,000. The search takes eight bytes of memory a row, and a board four more.
    seed : int
        0 to 2**31 - 1.
    time_limit : int or float, optional
        Seconds of wall clock for all boards together, from this call on.
    verify : bool
        Check every board.
    progress : callable, optional
        Called now and then with a `Progress`, in the calling thread: how many boards were found, and which share of the
        queens of the next one is placed.

    Yields
    ------
    array of unsigned int
        The column of each row's queen, 0-based.

    Raises
    ------
    NoSolution
        n is 2 or 3.
    SearchStopped
        The time limit was reached; its ``partial`` is the number of boards handed over.
    SearchInterrupted
        Ctrl-C; its ``partial`` is the number of boards handed over.

    Examples
    --------
    >>> from itertools import islice
    >>> from nqueens_cp import random_placements
    >>> for board in islice(random_placements(1000, seed=7), 2):
    ...     print(len(board), sorted(board) == list(range(1000)))
    1000 True
    1000 True
    """
    control = make_control(time_limit, seed=seed, verify=verify, progress=progress)
    return _boards(_size(n), control, verify)


def _boards(size: int, control: Control, verify: bool) -> Iterator[array[int]]:
    seen: set[bytes] = set()
    try:
        warn_if_missing()
        total = count(size) if size <= LARGEST_COUNTED else None
        search = local_search(size, control.seed)
        while len(seen) != total:
            _search_on(search, control)
            board = array("I", bytes(4 * size))
            search.copy(board)
            search.again()
            digest = blake2b(board, digest_size=16).digest()
            if digest in seen:
                continue
            if verify:
                _verify(board, size, "the local search")
            seen.add(digest)
            control.found += 1
            yield board
    except TimeLimitReached:
        message = f"stopped by the time limit: {control.found} boards of {size} queens found"
        raise SearchStopped(message, partial=control.found, status=Status.TIMEOUT) from None
    except KeyboardInterrupt as interrupt:
        message = f"interrupted: {control.found} boards of {size} queens found"
        raise SearchInterrupted(message, partial=control.found) from interrupt


def _search_on(search: Any, control: Control) -> None:
    """Search until all queens of a board are placed."""
    slices = Slices()
    control.share = search.share
    control.poll()
    while not slices.run(search.step):
        control.poll()


def _size(n: int) -> int:
    size = integer_at_least(n, 0, "n")
    if size > LARGEST_SIZE:
        raise InvalidValue(f"n: {size:_} is too large; boards of at most {LARGEST_SIZE:_} rows are kept in memory")
    if size in (2, 3):
        raise NoSolution(f"n: there is no solution for n = {size} (there is one for every other n)")
    return size


def _verify(board: Sequence[int], size: int, source: str) -> None:
    if not is_solution(board, size):
        raise VerificationError(
            f"{source} returned a board of {size} rows on which queens attack each other: {shown(board)}. "
            "This is a fault of the package"
        )


def is_solution(board: Sequence[int], size: int) -> bool:
    """Say whether the columns are those of `size` queens that leave each other alone, in a time proportional to `size`."""
    if len(board) != size or (size and not (min(board) >= 0 and max(board) < size)):
        return False
    columns, diagonals, antidiagonals = bytearray(size), bytearray(2 * size), bytearray(2 * size)
    for row, column in enumerate(board):
        columns[column] = diagonals[row + size - column] = antidiagonals[row + column] = 1
    return all(line.count(1) == size for line in (columns, diagonals, antidiagonals))
