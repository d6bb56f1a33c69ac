"""Boards too large for a Model."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from array import array
from itertools import islice, permutations

import numpy as np
import pytest

import nqueens_cp
from nqueens_cp import InvalidType, InvalidValue, NoSolution, SearchStopped, Status, VerificationError, large
from nqueens_cp.large import is_solution, place_queens, random_placements

COUNTS = {0: 1, 1: 1, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92, 9: 352}  # A000170


def by_pairs(columns):
    """Whether no two queens attack each other, pair by pair."""
    squares = list(enumerate(columns))
    return all(
        c != d and abs(c - d) != other - row for i, (row, c) in enumerate(squares) for other, d in squares[i + 1 :]
    )


def vectorised(board):
    """Whether no two queens attack each other, by sorting with NumPy."""
    columns, rows = np.asarray(board).astype(np.int64), np.arange(len(board))
    return all((np.diff(np.sort(line)) > 0).all() for line in (columns, columns + rows, columns - rows))


@pytest.mark.parametrize("n", [0, 1, *range(4, 130)])
def test_the_explicit_construction(n):
    board = place_queens(n, verify=False)
    assert sorted(board) == list(range(n))
    assert by_pairs(board)


@pytest.mark.parametrize("n", range(7))
def test_the_checker_against_all_pairs(n):
    for columns in permutations(range(n)):
        assert is_solution(columns, n) == by_pairs(columns)


@pytest.mark.parametrize(
    "columns", [[0], [1, 3, 0], [1, 3, 0, 2, 4], [1, 3, 0, 4], [-3, 3, 0, 2], [1, 1, 1, 1], [1, 3, 3, 0]]
)
def test_what_the_checker_refuses(columns):
    assert not is_solution(columns, 4)
    assert is_solution([1, 3, 0, 2], 4)


@pytest.mark.parametrize("n", [1_000_000, 300_002, 300_003])
def test_a_million_queens_at_once(n):
    board = place_queens(n)
    assert len(board) == n
    assert vectorised(board)


def test_a_million_queens_at_random():
    first, second = islice(random_placements(1_000_000, seed=3), 2)
    assert vectorised(first)
    assert vectorised(second)
    assert np.asarray(first).dtype == np.uint32
    assert (np.asarray(first) == np.asarray(second)).sum() < 100


@pytest.mark.parametrize(("n", "number"), COUNTS.items())
def test_small_boards_all_come_once_and_then_it_ends(n, number):
    boards = [tuple(board) for board in random_placements(n, seed=5)]
    assert len(set(boards)) == len(boards) == number
    assert all(map(by_pairs, boards))


@pytest.mark.parametrize("n", [13, 50, 300])
def test_seeds(n):
    def boards(seed):
        return [tuple(board) for board in islice(random_placements(n, seed=seed), 20)]

    assert boards(1) == boards(1)
    assert len({*boards(1), *boards(2)}) == 40
    assert all(map(by_pairs, boards(2)))


def test_the_same_boards_without_the_kernel():
    code = (
        "from itertools import islice; from nqueens_cp import random_placements\n"
        "print(*map(list, islice(random_placements(60, seed=9), 4)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={"NQUEENS_CP_CORE": "pure"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout.strip() == " ".join(map(str, map(list, islice(random_placements(60, seed=9), 4))))


@pytest.mark.parametrize("n", [2, 3])
def test_no_board(n):
    for place in (place_queens, random_placements):
        with pytest.raises(NoSolution, match=f"n = {n}"):
            place(n)


@pytest.mark.parametrize("n", [-1, 100_000_001, 10**30])
def test_sizes_out_of_range(n):
    for place in (place_queens, random_placements):
        with pytest.raises(InvalidValue, match=r"^n: "):
            place(n)


def test_bad_arguments_are_refused_at_the_call():
    for place in (place_queens, random_placements):
        for n in (4.0, "8", None, True):
            with pytest.raises(InvalidType, match=r"^n: "):
                place(n)
        with pytest.raises(InvalidType, match="verify"):
            place(8, verify=1)
    with pytest.raises(InvalidValue, match="seed"):
        random_placements(8, seed=-1)
    with pytest.raises(InvalidValue, match="time_limit"):
        random_placements(8, time_limit=0)
    with pytest.raises(InvalidType, match="progress"):
        random_placements(8, progress=3)


def test_the_time_limit_claims_nothing():
    begun = time.monotonic()
    with pytest.raises(SearchStopped, match="0 boards") as stopped:
        next(random_placements(50_000_000, time_limit=0.3))
    assert time.monotonic() - begun < 20
    assert (stopped.value.partial, stopped.value.status) == (0, Status.TIMEOUT)
    boards, found = random_placements(13, time_limit=0.2), []
    with pytest.raises(SearchStopped) as stopped:
        found.extend(boards)
    assert stopped.value.partial == len(found) > 0


def test_progress():
    reports = []
    next(random_placements(3_000_000, progress=reports.append, verify=False))
    shares = [report.share for report in reports]
    assert shares
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 and report.found == 0 for share, report in zip(shares, reports, strict=True))

    def give_up(report):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        next(random_placements(10_000_000, progress=give_up))


def test_interrupted():
    def interrupt(progress):
        signal.raise_signal(signal.SIGINT)

    boards = random_placements(10_000_000, progress=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests were started with
    try:
        with pytest.raises(nqueens_cp.SearchInterrupted) as interrupted:
            next(boards)
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupted.value.partial == 0
    assert not list(boards), "an interrupted iterator is over"


class Liar:
    """A search that hands over a wrong board."""

    def __init__(self, size, seed):
        self.size = size

    def step(self, budget):
        return True

    def copy(self, out):
        out[:] = array("I", range(self.size))

    def again(self):
        pass

    def share(self):
        return 1.0


def test_a_wrong_board_is_not_handed_over(monkeypatch):
    monkeypatch.setattr(large, "local_search", Liar)
    with pytest.raises(VerificationError, match="local search"):
        next(random_placements(20))
    assert list(next(random_placements(20, verify=False))) == list(range(20))
