"""Faults 31 to 37 with the keywords of `queens`, odd values for each of them, and what the refusals say."""

from __future__ import annotations

import copy
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from nqueens_cp import (
    InvalidType,
    InvalidValue,
    Model,
    Status,
    count,
    explain_unsatisfiable,
    load_model,
    queens,
    solutions,
    solve,
    variants,
)
from nqueens_cp.errors import NQueensError

Square = tuple[int, int]
EITHER = (InvalidType, InvalidValue)
QUARTERS = ["1122", "1122", "3344", "3344"]
QUARTERS_SOLVED = [[1, 3, 0, 2], [2, 0, 3, 1]]


def boards(model: Model, backend: str = "auto") -> list[list[int]]:
    """The solutions in lexicographic order, repeated if they are handed out twice."""
    return sorted(solution["queen"] for solution in solutions(model, backend=backend))


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


def refusal(ask: Callable[[], Any], kind: type[Exception] | tuple[type[Exception], ...]) -> str:
    """The message of the refusal, which must come at once, on purpose, and in one line."""
    start = time.monotonic()
    with pytest.raises(kind) as refused:
        ask()
    assert time.monotonic() - start < 10
    assert isinstance(refused.value, NQueensError), f"not raised on purpose: {refused.value!r}"
    message = str(refused.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


# The faults of ../shared/cases/faults.md, by their numbers there.


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
def test_fault_31_region_labels_are_anything(labels):
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
def test_fault_31_ways_of_writing_regions(backend, regions):
    assert boards(queens(4, regions=regions, touching=False), backend) == QUARTERS_SOLVED


def test_fault_31_regions_that_can_be_read_only_once():
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
def test_fault_32_regions_in_several_pieces_are_said_and_solved(backend, regions, in_pieces):
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
def test_fault_33_no_touch_looks_at_neighbouring_rows_only(backend, n):
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
def test_fault_34_a_second_solution_is_all_that_uniqueness_needs(backend, grid):
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


def knight(one: Square, other: Square) -> bool:
    return {abs(one[0] - other[0]), abs(one[1] - other[1])} == {1, 2}


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
        ([(0, 0), (1, 2)], ROOKS, {**ROOKS, "attack": knight}),
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


def test_fault_36_blocked_squares_beside_other_keywords(backend):
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


def test_fault_37_what_was_given_is_left_alone():
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


# Odd values: the smallest boards, NumPy, generators, nothing at all.


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        # (options, the counts of n = 0, 1, 2)
        ({}, (1, 1, 0)),
        ({"diagonals": "both"}, (1, 1, 0)),
        ({"diagonals": "falling"}, (1, 1, 1)),
        ({"diagonals": "rising"}, (1, 1, 1)),
        (ROOKS, (1, 1, 2)),
        ({"torus": True}, (1, 1, 0)),
        ({"torus": True, "diagonals": "falling"}, (1, 1, 0)),
        ({"amazons": True}, (1, 1, 0)),
        ({**ROOKS, "amazons": True}, (1, 1, 2)),
        ({**ROOKS, "leapers": [(1, 1)]}, (1, 1, 0)),
        ({**ROOKS, "attack": lambda one, other: True}, (1, 1, 0)),
        ({**ROOKS, "attack": lambda one, other: False}, (1, 1, 2)),
        ({"touching": False}, (1, 1, 0)),
        ({**ROOKS, "symmetric": "half turn"}, (1, 1, 2)),
        ({**ROOKS, "symmetric": "quarter turn"}, (1, 1, 0)),
        ({"reflecting": True}, (1, 1, 0)),
        ({"rows": 0}, (1, 1, 1)),
    ],
)
def test_the_smallest_boards(backend, options, numbers):
    assert tuple(count(queens(n, **options), backend=backend) for n in range(3)) == numbers


@pytest.mark.parametrize(
    ("n", "options", "number"),
    [
        (0, {"regions": []}, 1),
        (0, {"regions": {}}, 1),
        (1, {"regions": ["a"]}, 1),
        (1, {"regions": [[(0, 0)]]}, 1),
        (1, {"regions": {"a": [(0, 0)]}, "touching": False}, 1),
        (2, {"regions": ["ab", "ab"], **ROOKS}, 2),
        (2, {"regions": ["ab", "ba"], **ROOKS}, 0),
        (2, {"regions": {"a": [(0, 0), (1, 1)], "b": [(0, 1), (1, 0)]}, **ROOKS}, 0),
        (1, {"rows": 1}, 1),
        (2, {"rows": 1}, 2),
        (1, {"rows": 2}, 0),
        (2, {"rows": 3, **ROOKS}, 0),
    ],
)
def test_small_boards_of_other_shapes(backend, n, options, number):
    assert count(queens(n, **options), backend=backend) == number


@pytest.mark.parametrize("backend", ["cp-sat", "python-constraint", "auto"])
@pytest.mark.parametrize(
    ("n", "options", "number"),
    [
        (0, {"pieces": 0}, 1),
        (1, {"pieces": 0}, 1),
        (1, {"pieces": 1}, 1),
        (2, {"pieces": 0}, 1),
        (2, {"pieces": 1}, 4),
        (2, {"pieces": 2}, 0),
        (2, {"pieces": 2, **ROOKS}, 2),
        (2, {"pieces": 3, **ROOKS}, 0),
        (3, {"pieces": 2, "rows": 1}, 0),
        (3, {"pieces": 1, "rows": 1}, 3),
        (3, {"pieces": 2, "rows": 2}, 2),
        (3, {"pieces": 2, "rows": 2, "blocked": [(0, 0)]}, 1),
        (2, {"pieces": 2, "rows": 5, **ROOKS}, 20),
    ],
)
def test_small_boards_of_pieces(backend, n, options, number):
    model = queens(n, **options)
    names = [f"square[{r},{c}]" for r in range(options.get("rows", n)) for c in range(n)]
    assert [variable.name for variable in model.variables] == names
    assert count(model, backend=backend) == number
    for solution in solutions(model, backend=backend):
        assert sum(solution[name] for name in names) == options["pieces"]


@pytest.mark.parametrize(
    "options",
    [
        {"placed": [], "blocked": [], "excluded_diagonals": [], "excluded_antidiagonals": [], "leapers": []},
        {"placed": set(), "blocked": {}, "excluded_diagonals": frozenset(), "leapers": iter([])},
        {"rows": None, "pieces": None, "diagonals": None, "attack": None, "regions": None, "symmetric": None},
        {"torus": False, "amazons": False, "touching": True, "reflecting": False},
        {"torus": np.False_, "touching": np.True_, "rows": np.int8(5), "leapers": [(0, 7), (7, 7)]},
    ],
    ids=["lists", "others", "none", "defaults", "numpy"],
)
def test_what_changes_nothing(options):
    assert boards(queens(5, **options)) == boards(queens(5))


@pytest.mark.parametrize(
    ("plain", "odd"),
    [
        ({"rows": 3}, {"rows": np.int64(3)}),
        ({"placed": [(0, 1)]}, {"placed": [[np.int32(0), np.int64(1)]]}),
        ({"placed": [(0, 1), (1, 3)]}, {"placed": np.array([[0, 1], [1, 3]])}),
        ({"blocked": [(0, 1), (1, 3)]}, {"blocked": {(1, 3), (0, 1)}}),
        ({"blocked": [(0, 1), (1, 3)]}, {"blocked": (iter(square) for square in [(0, 1), (1, 3)])}),
        ({"excluded_diagonals": [0, 1]}, {"excluded_diagonals": np.arange(2)}),
        ({"excluded_diagonals": [0, 1]}, {"excluded_diagonals": range(2)}),
        ({"excluded_antidiagonals": [4, 5]}, {"excluded_antidiagonals": {5, 4}}),
        ({"excluded_antidiagonals": [4, 5]}, {"excluded_antidiagonals": (number for number in (5, 4, 5))}),
        ({"leapers": [(1, 2), (2, 3)], **ROOKS}, {"leapers": np.array([[2, 1], [3, 2]]), **ROOKS}),
        ({"leapers": [(1, 2), (2, 3)], **ROOKS}, {"leapers": (move for move in {(1, 2), (2, 3), (2, 1)}), **ROOKS}),
        ({"amazons": True}, {"amazons": np.True_}),
        ({"attack": knight}, {"attack": lambda one, other: np.bool_(knight(one, other))}),
        ({"attack": knight}, {"attack": lambda one, other: one < other and knight(one, other)}),
        ({"attack": knight}, {"attack": lambda one, other: one > other and knight(one, other)}),
    ],
)
def test_odd_ways_of_saying_the_same(plain, odd):
    model = queens(5, **odd)
    assert boards(model) == boards(model) == boards(queens(5, **plain))


def test_an_attack_is_asked_for_squares_in_different_rows(backend):
    asked: set[tuple[Square, Square]] = set()

    def attack(one: Square, other: Square) -> bool:
        asked.add((one, other))
        return False

    assert count(queens(3, attack=attack, diagonals="none"), backend=backend) == 6
    assert all(type(number) is int for pair in asked for square in pair for number in square)
    assert all(one[0] != other[0] for one, other in asked)
    squares = list(itertools.product(range(3), range(3)))
    for one, other in itertools.combinations(squares, 2):
        if one[0] != other[0] and one[1] != other[1]:
            assert (one, other) in asked or (other, one) in asked


def test_an_error_of_the_attack_passes_unchanged(backend):
    raised = ZeroDivisionError("of the caller")

    def attack(one: Square, other: Square) -> bool:
        raise raised

    with pytest.raises(ZeroDivisionError) as caught:
        count(queens(4, attack=attack), backend=backend)
    assert caught.value is raised


@pytest.mark.parametrize("answer", [None, "yes", 1, 0.0], ids=repr)
def test_an_attack_answers_true_or_false(backend, answer):
    message = refusal(lambda: count(queens(4, attack=lambda one, other: answer), backend=backend), InvalidType)
    assert repr(answer) in message


# Refusals.

BAD_VALUES = [
    *(("rows", value, kind) for value, kind in [(-1, InvalidValue), (2.0, InvalidType), (True, InvalidType)]),
    *(("rows", value, kind) for value, kind in [("3", InvalidType), (10**9, InvalidValue), ([3], InvalidType)]),
    *(("pieces", value, kind) for value, kind in [(-1, InvalidValue), (2.5, InvalidType), (True, InvalidType)]),
    *(("pieces", value, InvalidType) for value in ("2", (2,))),
    *(("diagonals", value, InvalidValue) for value in ("sideways", "Both", "")),
    *(("diagonals", value, EITHER) for value in (5, True, ["rising"])),
    *(
        (flag, value, InvalidType)
        for flag in ("torus", "amazons", "touching", "reflecting")
        for value in (1, "no", None)
    ),
    *(("symmetric", value, InvalidValue) for value in ("mirror", "half", "")),
    *(("symmetric", value, EITHER) for value in (180, True, ["half turn"])),
    *(("leapers", value, InvalidType) for value in (5, "12", None, [5], ["12"], [(1.0, 2)], [(1, True)], [(1, "2")])),
    *(("leapers", [value], InvalidValue) for value in ((1,), (1, 2, 3), (), (0, 0))),
    *(("attack", value, InvalidType) for value in (5, "knight", True)),
    *(
        (keyword, value, InvalidType)
        for keyword in ("excluded_diagonals", "excluded_antidiagonals")
        for value in (3, "12", None, [1.0], [True], ["0"], [(0, 1)])
    ),
    *(("excluded_diagonals", [value], InvalidValue) for value in (4, -4)),  # on a board of 4 x 4 there are none
    *(("excluded_antidiagonals", [value], InvalidValue) for value in (7, -1)),
    *(("regions", value, InvalidType) for value in (5, 2.5, True)),
    *(
        ("regions", value, EITHER)
        for value in ("1122", [1, 2, 3, 4], [None] * 4, [[{}] * 4] * 4, {1: 1, 2: 2, 3: 3, 4: 4})
    ),
    ("regions", {"a": ["00"], "b": [], "c": [], "d": []}, EITHER),
]


def parts(value: Any) -> Iterator[Any]:
    """The value and all that is in it: what a message may name."""
    yield value
    if isinstance(value, list | tuple | dict):
        for part in [*value, *(value.values() if isinstance(value, dict) else ())]:
            yield from parts(part)


@pytest.mark.parametrize(("keyword", "value", "kind"), BAD_VALUES, ids=repr)
def test_bad_values(keyword, value, kind):
    message = refusal(lambda: queens(4, **{keyword: value}), kind)
    assert keyword.removeprefix("excluded_") in message, message
    assert any(repr(part) in message for part in parts(value)), message


def test_the_message_of_a_wrong_word_lists_the_right_ones():
    message = refusal(lambda: queens(4, diagonals="sideways"), InvalidValue)
    assert all(word in message for word in ("both", "falling", "rising", "none", "sideways")), message
    message = refusal(lambda: queens(4, symmetric="mirror"), InvalidValue)
    assert all(word in message for word in ("half turn", "quarter turn", "mirror")), message


HALF, QUARTER = {"symmetric": "half turn"}, {"symmetric": "quarter turn"}
GRID = {"regions": QUARTERS}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rows": 3, "torus": True}, ["torus", "3", "4", "square"]),
        ({"rows": 5, "torus": True, "diagonals": "rising"}, ["torus", "5", "4", "square"]),
        ({"rows": 3, "pieces": 2, "torus": True}, ["torus", "3", "4", "square"]),
        ({"rows": 3, **HALF}, ["symmetric", "3", "4", "square"]),
        ({"rows": 5, **QUARTER}, ["symmetric", "5", "4", "square"]),
        ({"rows": 3, **GRID}, ["regions", "3", "4", "square"]),
        ({"rows": 5, **GRID}, ["regions", "5", "4", "square"]),
        ({"torus": True, "diagonals": "none"}, ["torus", "diagonals"]),
        ({"torus": True, "touching": False}, ["torus", "diagonals"]),  # a no-touch board has no long diagonals
        ({"reflecting": True, "diagonals": "both"}, ["reflecting", "diagonals"]),
        ({"reflecting": True, "diagonals": "none"}, ["reflecting", "diagonals"]),
        ({"reflecting": True, "torus": True}, ["reflecting", "torus"]),
        ({"pieces": 2, **GRID}, ["pieces", "regions"]),
        ({"pieces": 2, **HALF}, ["pieces", "symmetric"]),
        ({"pieces": 0, **QUARTER}, ["pieces", "symmetric"]),
        ({"pieces": 2, "reflecting": True}, ["pieces", "reflecting"]),
    ],
)
def test_keywords_that_make_no_sense_together(options, words):
    message = refusal(lambda: queens(4, **options), InvalidValue)
    assert all(word in message for word in words), message


FUNCTIONS: dict[str, Callable[[Any], None]] = {
    "placed": lambda model: variants.placed(model, [(0, 0)]),
    "blocked": lambda model: variants.blocked(model, [(0, 0)]),
    "excluded_diagonals": lambda model: variants.excluded_diagonals(model, [0]),
    "diagonals": lambda model: variants.diagonals(model),
    "torus": lambda model: variants.torus(model),
    "amazons": lambda model: variants.amazons(model),
    "leapers": lambda model: variants.leapers(model, [(1, 2)]),
    "attack": lambda model: variants.attack(model, knight),
    "no_touch": lambda model: variants.no_touch(model),
    "regions": lambda model: variants.regions(model, QUARTERS),
    "symmetric": lambda model: variants.symmetric(model, "half turn"),
    "reflecting": lambda model: variants.reflecting(model),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_want_a_model_with_a_board(name):
    message = refusal(lambda: FUNCTIONS[name](Model("bare")), InvalidValue)
    assert all(word in message for word in (name, "bare", "board")), message
    for value in (4, "queens", None):
        message = refusal(lambda value=value: FUNCTIONS[name](value), InvalidType)
        assert all(word in message for word in (name, repr(value))), message


@pytest.mark.parametrize("name", ["torus", "regions", "symmetric"])
def test_functions_that_want_a_square_board(name):
    model = queens(4, rows=3)
    before = str(model)
    message = refusal(lambda: FUNCTIONS[name](model), InvalidValue)
    assert all(word in message for word in (name, "3", "4", "square")), message
    assert str(model) == before
    message = refusal(lambda: variants.diagonals(model, "rising", torus=True), InvalidValue)
    assert "square" in message
    assert str(model) == before


@pytest.mark.parametrize("name", ["regions", "symmetric", "reflecting"])
def test_functions_that_want_a_queen_in_each_row(name):
    model = queens(4, pieces=2)
    before = str(model)
    assert name in refusal(lambda: FUNCTIONS[name](model), InvalidValue)
    assert str(model) == before


def test_a_refused_value_leaves_the_model_as_it_was():
    model = queens(4)
    before = str(model)
    for ask in (
        lambda: variants.placed(model, [(0, 0), (9, 9)]),
        lambda: variants.blocked(model, [(0, 0), (9, 9)]),
        lambda: variants.excluded_diagonals(model, [0], [1.5]),
        lambda: variants.leapers(model, [(1, 2), (1,)]),
        lambda: variants.regions(model, ["1122", "1122", "3344", "334"]),
        lambda: variants.diagonals(model, "sideways"),
        lambda: variants.symmetric(model, "mirror"),
    ):
        refusal(ask, EITHER)
    assert str(model) == before
    assert model.notes == []


def test_everything_but_the_size_is_a_keyword():
    with pytest.raises(TypeError):
        queens(4, 3)


def test_pieces_that_do_not_touch():
    """Without the long diagonals, as many as rows: the permutations of A002464."""
    for n, number in ((3, 0), (4, 2), (5, 14)):
        assert count(queens(n, pieces=n, touching=False)) == number


def test_what_was_found_by_trying():
    assert count(queens(0, pieces=3), workers=2) == 0
    start = time.monotonic()
    assert len(queens(20_000, placed=[(0, 0)]).variables) == 20_000
    assert time.monotonic() - start < 20
    together = explain_unsatisfiable(
        queens(4, diagonals="none", regions=["ACCC", "DBDD", "ABAB", "CDCD"], placed=[(0, 0), (1, 1)])
    )
    assert together.sentences == ("no two queens share a region", "queens stand at (0, 0) and (1, 1)")
    number = explain_unsatisfiable(queens(4, pieces=1, placed=[(0, 0), (1, 2)]))
    assert number.sentences == ("the number of queens is 1", "queens stand at (0, 0) and (1, 2)")
    model = Model()
    x = model.int_var("x", range(3))
    for rows in ([x, x], [[x, model.bool_var("b")]]):
        assert refusal(lambda rows=rows: model.board(rows), InvalidValue)


@pytest.mark.parametrize(
    ("name", "parameters", "word"),
    [
        ("kings", {"n": 3, "most": "false"}, "most"),
        ("kings", {"n": -1}, "-1"),
        ("kings", {"n": 20, "number": "x"}, "number"),
        ("completion", {"n": 4, "placed": 1}, "placed"),
    ],
)
def test_parameters_of_models(name, parameters, word):
    assert word in refusal(lambda: load_model(name, **parameters), NQueensError)
