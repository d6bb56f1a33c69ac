"""Faults 31 to 37 with the keywords of `queens`, by their numbers in ../shared/cases/faults.md."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest

from nqueens_cp import InvalidValue, Status, count, queens, solutions, solve, variants
from refusals import refusal
from variant_rules import Square, leaper

QUARTERS = ["1122", "1122", "3344", "3344"]
QUARTERS_SOLVED = [[1, 3, 0, 2], [2, 0, 3, 1]]


def cells_of(grid: list[str]) -> dict[str, list[Square]]:
    return {
        label: [(r, c) for r, row in enumerate(grid) for c, other in enumerate(row) if other == label]
        for label in sorted({*"".join(grid)})
    }


def puzzle_solutions(grid: list[str]) -> list[list[int]]:
    """All boards with one queen in each row, column and region, none touching another, by trying all."""
    n = len(grid)
    return [
        list(columns)
        for columns in itertools.permutations(range(n))
        if all(abs(columns[i] - columns[i + 1]) > 1 for i in range(n - 1))
        and len({grid[row][column] for row, column in enumerate(columns)}) == n
    ]


@pytest.mark.parametrize(
    "labels",
    [
        (1, 2, 3, 4),
        (-7, 10**30, 0, 3),
        ("a", "b", "c", "d"),
        ("", "the north", "x", " "),
        (None, 2.5, "2.5", frozenset("ab")),
        (np.int64(5), np.int64(-5), np.int64(0), np.int64(9)),
        (("a", 1), ("a", 2), ("b", 1), ("b", 2)),
    ],
    ids=["numbers", "far-apart", "letters", "words", "anything", "numpy", "pairs"],
)
def test_fault_31_region_labels_are_anything(labels, boards):
    grid = [[labels[int(letter) - 1] for letter in row] for row in QUARTERS]
    assert boards(queens(4, regions=grid, touching=False)) == QUARTERS_SOLVED
    assert boards(queens(4, regions=tuple(map(tuple, grid)), touching=False)) == QUARTERS_SOLVED


@pytest.mark.parametrize(
    "regions",
    [
        QUARTERS,
        ("aabb", "aabb", "ccdd", "ccdd"),
        np.array([[1, 1, 2, 2]] * 2 + [[3, 3, 4, 4]] * 2),
        cells_of(QUARTERS),
        list(cells_of(QUARTERS).values()),
        [set(cells) for cells in cells_of(QUARTERS).values()],
        [[list(cell) for cell in cells] for cells in cells_of(QUARTERS).values()],
        [[(np.int64(row), np.int64(column)) for row, column in cells] for cells in cells_of(QUARTERS).values()],
    ],
    ids=["strings", "letters", "numpy-grid", "dict", "cells", "sets", "lists-as-cells", "numpy-cells"],
)
def test_fault_31_ways_of_writing_regions(backend, regions, boards):
    assert boards(queens(4, regions=regions, touching=False), backend) == QUARTERS_SOLVED


def test_fault_31_regions_that_can_be_read_only_once(boards):
    for regions in (
        (row for row in QUARTERS),
        (iter(row) for row in ([1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4])),
        (iter(cells) for cells in cells_of(QUARTERS).values()),
        {label: iter(cells) for label, cells in cells_of(QUARTERS).items()},
    ):
        model = queens(4, regions=regions, touching=False)
        assert boards(model) == boards(model) == QUARTERS_SOLVED
        assert model.notes == []


ANIMALS = [["zebra"] * 4, ["yak"] * 4, ["gnu"] * 4, ["zebra", "emu", "emu", "emu"]]


@pytest.mark.parametrize(
    ("regions", "in_pieces"),
    [
        (["ZYZY", "YZYZ", "3344", "3344"], ["Y", "Z"]),  # squares that share no more than a corner
        (ANIMALS, ["zebra"]),
        (
            {"zebra": [(0, 0), (0, 1), (0, 2), (0, 3), (3, 0)], "yak": [(1, c) for c in range(4)]}
            | {"gnu": [(2, c) for c in range(4)], "emu": [(3, 1), (3, 2), (3, 3)]},
            ["zebra"],
        ),
        (
            [
                [{"zebra": 417}.get(label, len(label)) for label in row]
                for row in [*ANIMALS[:2], ["wolf"] * 4, ["zebra", *["adder"] * 3]]
            ],
            ["417"],
        ),
    ],
    ids=["corners", "words", "dict", "numbers"],
)
def test_fault_32_regions_in_several_pieces_are_said_and_solved(backend, regions, in_pieces, boards):
    model = queens(4, regions=regions, touching=False)
    assert boards(model, backend) == QUARTERS_SOLVED
    assert all(isinstance(note, str) for note in model.notes)
    said = " ".join(model.notes)
    assert all(label in said for label in in_pieces)
    assert not any(label in said for label in ("yak", "gnu", "emu"))


def test_fault_32_the_function_says_so_too_and_only_of_its_model():
    model, other = queens(4, touching=False), queens(4, regions=QUARTERS)
    assert model.notes == other.notes == []
    variants.regions(model, ANIMALS)
    assert "zebra" in " ".join(model.notes)
    assert other.notes == queens(4).notes == []


WHOLE = cells_of(QUARTERS)


@pytest.mark.parametrize(
    ("n", "regions", "words"),
    [
        # A wrong number of regions.
        (4, ["1111", "1122", "3333", "3333"], ["3", "4"]),
        (4, ["1125", "1122", "3344", "3344"], ["5", "4"]),
        (4, list(WHOLE.values())[:3], ["(2, 2)"]),
        (4, {**WHOLE, "5": []}, ["5"]),
        (4, [], ["0"]),
        (4, {}, ["0"]),
        (5, QUARTERS, ["4", "5"]),
        (3, QUARTERS, ["4", "3"]),
        (0, ["1"], ["1", "0"]),
        # Ragged or not square.
        (4, ["1122", "1122", "334", "3344"], ["row 2", "3", "4"]),
        (4, ["1122", "11223", "3344", "3344"], ["row 1", "5", "4"]),
        (4, ["1122", "1122", "3344", ""], ["row 3", "0", "4"]),
        (4, ["1122", "1133", "3344"], ["3", "4"]),
        (4, [[1, 1, 2, 2]] * 2 + [[3, 3, 4, 4]] * 3, ["5", "4"]),
        (4, ["11222", "11222", "33444", "33444"], ["5", "4"]),
        (4, np.array([[1, 2, 3], [1, 2, 4]]), ["2", "4"]),
        # Cells in two regions, in none, off the board, no cells.
        (4, {**WHOLE, "2": [*WHOLE["2"], (1, 1)]}, ["(1, 1)", "1", "2"]),
        (4, [*list(WHOLE.values())[:3], [*WHOLE["4"], (0, 3)]], ["(0, 3)"]),
        (4, {**WHOLE, "4": WHOLE["4"][:-1]}, ["(3, 3)"]),
        (4, [WHOLE["1"], WHOLE["2"][1:], WHOLE["3"], WHOLE["4"]], ["(0, 2)"]),
        (4, {**WHOLE, "4": [*WHOLE["4"], (4, 0)]}, ["(4, 0)"]),
        (4, {**WHOLE, "4": [*WHOLE["4"], (0, -1)]}, ["(0, -1)"]),
        (4, [*list(WHOLE.values())[:3], [*WHOLE["4"], (3, 4)]], ["(3, 4)"]),
        (4, {**WHOLE, "4": [*WHOLE["4"], (3, 3, 3)]}, ["(3, 3, 3)"]),
    ],
)  # fmt: skip
def test_fault_32_regions_that_are_none(n, regions, words):
    message = refusal(lambda: queens(n, regions=regions), InvalidValue)
    assert all(word in message for word in ["region", *words]), message
    assert refusal(lambda: variants.regions(queens(n), regions), InvalidValue) == message


@pytest.mark.parametrize("n", range(1, 8))
def test_fault_33_no_touch_looks_at_neighbouring_rows_only(backend, n, boards):
    found = boards(queens(n, touching=False), backend)
    assert len(found) == [1, 1, 0, 0, 2, 14, 90, 646][n]  # A002464
    assert all(abs(one - other) > 1 for board in found for one, other in itertools.pairwise(board))
    far = any(abs(board[0] - board[2]) == 2 for board in found if n > 2)  # two on a diagonal, but not neighbours
    assert far is (n >= 5)


UNIQUE = [
    ["aaabb", "abbbb", "ccdbb", "ccddd", "ceddd"],
    ["bbaaaa", "bbacaa", "beacdd", "eeeffd", "eeeffd", "eeeffd"],
    ["bbbbbca", "bbbbbcc", "ddbdbcc", "ddddbcf", "deddfff", "gedffff", "ggdffff"],
]
NOT_UNIQUE = [
    ["bbbaa", "bbcaa", "bcccc", "ecccd", "eeeed"],
    ["adbbbc", "ddbbbc", "ddbbbc", "ddddcc", "dddeee", "fffeee"],
    ["bbacccc", "bbccccc", "bbbcccc", "bfccccd", "bfffeeg", "fffgggg", "fffgggg"],
]


@pytest.mark.parametrize("grid", UNIQUE + NOT_UNIQUE, ids="-".join)
def test_fault_34_a_second_solution_is_all_that_uniqueness_needs(backend, grid, boards):
    expected = puzzle_solutions(grid)
    model = queens(len(grid), regions=grid, touching=False)
    assert model.notes == []
    found = solutions(model, backend=backend, limit=2)
    first_two = [solution["queen"] for solution in found]
    if grid in UNIQUE:
        assert first_two == expected
        assert found.status is Status.COMPLETE
    else:
        assert len(first_two) == 2
        assert all(board in expected for board in first_two)
        assert first_two[0] != first_two[1]
        assert found.status is (Status.COMPLETE if len(expected) == 2 else Status.LIMIT)
    assert boards(model, backend) == expected


ROOKS = {"diagonals": "none"}


@pytest.mark.parametrize(
    ("placed", "calm", "attacking"),
    [
        # (squares, options under which they do not attack each other, options under which they do)
        ([(0, 0), (1, 1)], ROOKS, {}),
        ([(0, 0), (1, 1)], {"diagonals": "rising"}, {"diagonals": "falling"}),
        ([(1, 0), (0, 1)], {"diagonals": "falling"}, {"diagonals": "rising"}),
        ([(0, 0), (2, 3)], {"diagonals": "rising"}, {"diagonals": "rising", "torus": True}),
        ([(0, 0), (1, 2)], ROOKS, {**ROOKS, "amazons": True}),
        ([(0, 0), (1, 2)], ROOKS, {**ROOKS, "leapers": [(2, 1)]}),
        ([(0, 0), (1, 2)], ROOKS, {**ROOKS, "attack": leaper(1, 2)}),
        ([(0, 0), (1, 1)], ROOKS, {"touching": False}),
        ([(0, 0), (1, 1)], ROOKS, {**ROOKS, "regions": ["aabcd", "aabcd", "aaecd", "aaecd", "aaecd"]}),
        ([(0, 1), (4, 2)], ROOKS, {**ROOKS, "symmetric": "half turn"}),
        ([(0, 1), (1, 3)], ROOKS, {**ROOKS, "symmetric": "quarter turn"}),
        ([(2, 0), (0, 4)], ROOKS, {"reflecting": True}),
        ([(0, 0), (3, 3)], {"rows": 4, **ROOKS}, {"rows": 4}),
        ([(0, 0)], {}, {"excluded_diagonals": [0]}),
        ([(0, 0)], {}, {"excluded_antidiagonals": [0]}),
        ([(0, 0)], {}, {"blocked": [(0, 0)]}),
    ],
)
def test_fault_35_placed_queens_that_attack(backend, placed, calm, attacking):
    assert count(queens(5, placed=placed, **calm), backend=backend) > 0
    model = queens(5, placed=placed, **attacking)
    assert count(model, backend=backend) == 0
    assert solve(model, backend=backend).status is Status.UNSATISFIABLE


@pytest.mark.parametrize("backend", ["cp-sat", "python-constraint"])
def test_fault_35_placed_pieces_that_attack(backend):
    for placed, pieces, number in (([(0, 0), (1, 2)], 2, 1), ([(0, 0), (1, 1)], 2, 0), ([(0, 0), (1, 2)], 1, 0)):
        assert count(queens(3, pieces=pieces, placed=placed), backend=backend) == number


@pytest.mark.parametrize("keyword", ["placed", "blocked"])
def test_fault_35_the_board_ends_where_rows_says(keyword):
    assert "(2, 0)" in refusal(lambda: queens(4, rows=2, **{keyword: [(2, 0)]}), InvalidValue)
    assert "(0, 4)" in refusal(lambda: queens(4, rows=6, **{keyword: [(0, 4)]}), InvalidValue)
    assert "(2, 0)" in refusal(lambda: queens(4, rows=2, pieces=1, **{keyword: [(2, 0)]}), InvalidValue)
    assert queens(4, rows=6, **{keyword: [(5, 3)]}).notes == []


def test_fault_35_two_placed_in_a_row():
    message = refusal(lambda: queens(5, rows=4, placed=[(3, 1), (0, 0), (3, 4)]), InvalidValue)
    assert all(word in message for word in ("placed", "3", "1", "4"))
    assert count(queens(5, placed=[(3, 1), (3, 1)])) == count(queens(5, placed=[(3, 1)]))


@pytest.mark.parametrize("backend", ["cp-sat", "python-constraint"])
def test_fault_36_blocked_squares_with_pieces(backend):
    assert count(queens(4, pieces=4, blocked=[(0, 1)]), backend=backend) == 1
    assert count(queens(4, pieces=4, placed=[(0, 2)], blocked=[(1, 1)]), backend=backend) == 1
    assert count(queens(3, pieces=1, blocked=[(1, 1), (1, 1), (0, 2)]), backend=backend) == 7


def test_fault_36_blocked_squares_beside_other_keywords(backend, boards):
    everything = {tuple(board) for board in boards(queens(5, touching=False, rows=5))}
    model = queens(5, touching=False, blocked=[(0, 0), (4, 4)])
    assert {tuple(board) for board in boards(model, backend)} == {
        board for board in everything if board[0] != 0 and board[4] != 4
    }
    assert count(queens(5, blocked=[(2, 2)], diagonals="both"), backend=backend) == 8
    assert count(queens(8, rows=8, blocked=[(7, 7)]), backend=backend) == 88


AGAIN = [
    (4, {"regions": QUARTERS, "touching": False}, 2),
    (5, {"torus": True}, 10),
    (4, {"amazons": True}, 0),
    (5, {"symmetric": "quarter turn"}, 2),
    (5, {"reflecting": True}, 4),
    (5, {"rows": 3}, 14),
    (5, {}, 10),
]


def test_fault_37_the_same_board_again(backend):
    for _ in range(2):
        models = [queens(n, **options) for n, options, _ in AGAIN]
        for _ in range(2):
            assert [count(model, backend=backend) for model in models] == [number for _, _, number in AGAIN]


def test_fault_37_what_was_given_is_left_alone(boards):
    given: dict[str, Any] = {
        "placed": [(0, 1)],
        "blocked": [(1, 1)],
        "leapers": [(3, 3)],
        "excluded_diagonals": [3],
        "excluded_antidiagonals": [6],
        "regions": [[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]],
    }
    kept = copy.deepcopy(given)
    model = queens(4, **given)
    assert given == kept
    for values in given.values():
        values.clear()
    assert boards(model) == [[1, 3, 0, 2]]
