"""Boards that are made: one solution, connected regions, the same for the same seed, and always an end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import chain
from random import Random
from time import monotonic

import pytest

from nqueens_cp import queens, solutions
from nqueens_cp.control import Control
from nqueens_cp.errors import InvalidType, InvalidValue, SearchInterrupted, SearchStopped
from nqueens_cp.loader import load_model
from nqueens_cp.puzzles import making
from nqueens_cp.puzzles.grading import grade
from nqueens_cp.puzzles.growing import Growth, Squares
from nqueens_cp.puzzles.making import make
from nqueens_cp.puzzles.planting import joined, random_queens
from nqueens_cp.puzzles.quick import first_two
from nqueens_cp.regions import scattered
from nqueens_cp.result import Status

SEEDS = [(size, seed) for size in range(4, 14) for seed in range(4)] + [(size, 7) for size in range(14, 21)]


@pytest.fixture
def rng():
    return Random(11)


@pytest.mark.parametrize(("size", "seed"), SEEDS)
def test_one_solution_and_connected_regions(size, seed):
    grid, solution = make(size, seed=seed, time_limit=60)
    assert first_two(grid) == [solution]
    assert [len(row) for row in grid] == [size] * size
    assert {number for row in grid for number in row} == set(range(size))
    assert scattered(grid) == []


@pytest.mark.parametrize("size", [4, 5, 8, 11])
@pytest.mark.parametrize("backend", ["core", "cp-sat"])
def test_backends_agree(size, backend):
    grid, solution = make(size, seed=3)
    model = queens(size, regions=grid, touching=False)
    found = [tuple(enumerate(s["queen"])) for s in solutions(model, backend=backend, limit=2)]
    assert found == [solution]


@pytest.mark.parametrize(("size", "stars"), [(8, 2), (10, 2), (12, 3)])
def test_more_queens_in_each_unit(size, stars):
    grid, solution = make(size, stars=stars, seed=1, time_limit=60)
    assert scattered(grid) == []
    model = load_model("star_battle", n=size, stars=stars, regions=grid)
    board = model.require_board("test")
    found = [tuple(board.pieces(s.__getitem__)) for s in solutions(model, backend="cp-sat", limit=2)]
    assert found == [solution]


def test_numbers_come_in_order_of_first_appearance():
    grid, _ = make(9, seed=2)
    assert list(dict.fromkeys(number for row in grid for number in row)) == list(range(9))


def test_regions_differ_in_size():
    for seed in range(5):
        cells = Counter(chain.from_iterable(make(10, seed=seed).grid))
        sizes = sorted(cells.values())
        assert sizes[-1] >= 4 * sizes[0]


def test_same_seed_same_board_in_another_process():
    code = "from nqueens_cp.puzzles.making import make; print(make(9, seed=5), make(8, seed=5, stars=2))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "77", "NQUEENS_CP_CORE": "pure"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == f"{make(9, seed=5)} {make(8, seed=5, stars=2, time_limit=100)}\n"


def test_board_of_a_seed_stays_the_same():
    """People name boards by their seeds: on every platform and in every version of Python they are the same."""
    assert ["".join(map(str, row)) for row in make(6, seed=7).grid] == [
        "011222",
        "012222",
        "111344",
        "115334",
        "145444",
        "444444",
    ]


def test_seeds_differ():
    assert len({make(8, seed=seed).grid for seed in range(30)}) == 30


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
@pytest.mark.parametrize("size", [8, 11])
def test_difficulty(size, difficulty):
    grid, solution = make(size, seed=4, difficulty=difficulty)
    assert grade(grid).difficulty == difficulty
    assert first_two(grid) == [solution]


def test_difficulty_that_there_is_not(monkeypatch):
    monkeypatch.setattr(making, "MAX_TRIES", 20)
    with pytest.raises(
        SearchStopped, match=r"20 tries \(20 boards of other difficulty\): no hard.*another seed"
    ) as caught:
        make(4, difficulty="hard")
    assert caught.value.status is Status.LIMIT


def test_no_board_within_the_tries(monkeypatch):
    monkeypatch.setattr(making, "MAX_TRIES", 3)
    monkeypatch.setattr(Growth, "fill", lambda *_: False)
    with pytest.raises(SearchStopped, match="after 3 tries: no board of size 6 was found for seed 9"):
        make(6, seed=9)


@pytest.mark.parametrize(("size", "stars", "difficulty"), [(20, 1, None), (14, 2, "hard"), (5, 1, "hard")])
def test_time_limit(size, stars, difficulty, monkeypatch):
    monkeypatch.setattr(making, "_difficulty", lambda *_: "another")
    begun = monotonic()
    with pytest.raises(SearchStopped, match=r"time limit of 0\.01 s: no .*another seed.*more time") as caught:
        make(size, stars=stars, difficulty=difficulty, time_limit=0.01)
    assert caught.value.status is Status.TIMEOUT
    assert monotonic() - begun < 1.5


def test_time_limit_does_not_change_the_board():
    assert make(8, seed=1, time_limit=50) == make(8, seed=1)


def test_progress_and_interruption(monkeypatch):
    monkeypatch.setattr(making, "_difficulty", lambda *_: "another")
    told = []

    def interrupt(progress):
        told.append(progress)
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted, match="interrupted: no easy board of size 9"):
        make(9, difficulty="easy", progress=interrupt)
    found = [progress.found for progress in told]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"size": 3}, InvalidValue, "size: 3 is not in 4..20.*no solution"),
        ({"size": 21}, InvalidValue, "size: 21 is not in 4..20.*too long"),
        ({"size": 7, "stars": 2}, InvalidValue, "7 is not in 8..14; with 2 queens"),
        ({"size": 8, "stars": 0}, InvalidValue, "stars: 0 is not in 1..3"),
        ({"size": 8, "stars": 4}, InvalidValue, "stars: 4"),
        ({"size": 8.0}, InvalidType, "size"),
        ({"size": True}, InvalidType, "size"),
        ({"size": 8, "seed": "7"}, InvalidType, "seed"),
        ({"size": 8, "seed": -1}, InvalidValue, "seed: -1"),
        ({"size": 8, "time_limit": 0}, InvalidValue, "time_limit"),
        ({"size": 8, "difficulty": "needs a try"}, InvalidValue, "easy, medium, hard"),
        ({"size": 8, "difficulty": 1}, InvalidValue, "difficulty: 1"),
        ({"size": 8, "progress": 1}, InvalidType, "progress"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        make(**arguments)


@pytest.mark.parametrize(("size", "stars"), [(4, 1), (9, 1), (20, 1), (8, 2), (13, 2)])
def test_random_queens(size, stars, rng):
    squares = Squares(size)
    queens = random_queens(squares, stars, rng, Control())
    cells = [divmod(cell, size) for cell in range(size * size) if queens >> cell & 1]
    for line in range(size):
        assert sum(row == line for row, _ in cells) == sum(column == line for _, column in cells) == stars
    assert all(max(abs(a - c), abs(b - d)) > 1 for a, b in cells for c, d in cells if (a, b) != (c, d))


def test_joined_regions_hold_their_queens_in_one_piece(rng):
    squares = Squares(10)
    for _ in range(20):
        queens = random_queens(squares, 2, rng, Control())
        regions = joined(squares, queens, 2, rng)
        for region in regions or ():
            assert (region & queens).bit_count() == 2
            assert squares.piece(region, region & -region) == region
        assert regions is None or sum(regions).bit_count() == sum(map(int.bit_count, regions))
