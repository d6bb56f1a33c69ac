"""Faults 31 to 34 and 37 with region puzzles: what `puzzle` reads, solves and calls unique."""

from __future__ import annotations

import time
from itertools import pairwise, permutations

import pytest

from nqueens_cp import InvalidValue, puzzle

QUARTERS = ["1122", "1122", "3344", "3344"]
BOTH = {((0, 1), (1, 3), (2, 0), (3, 2)), ((0, 2), (1, 0), (2, 3), (3, 1))}


@pytest.mark.parametrize(
    "labels", ["1234", "0123", "abcd", "dcba", [-7, 1000, 3, 0], [None, "", (), 0.5], ["é", "\n", "Q", "."]], ids=repr
)
def test_fault_31_labels_are_anything(labels):
    made = puzzle([[labels[int(letter) - 1] for letter in row] for row in QUARTERS])
    assert made.count() == 2
    assert set(made.solve().solutions) == BOTH


@pytest.mark.parametrize("stars", [1, 2])
def test_fault_32_regions_in_several_pieces_are_noted_and_solved(stars):
    made = puzzle(["1212", "2121", "3434", "4343"], stars=stars)
    assert [note.split()[1] for note in made.notes] == list("1234")
    assert made.solve().status == ("several" if stars == 1 else "none")


@pytest.mark.parametrize(
    ("regions", "word"),
    [
        (["1122", "1122", "334", "3344"], "row 2"),
        (["1122", "1122", "3344"], "3 x 4"),
        (["1112", "1122", "3311", "3311"], "3 regions"),
        ({"a": [(0, 0), (0, 1)], "b": [(1, 0), (1, 1), (0, 1)]}, r"\(0, 1\)"),
        ({"a": [(0, 0), (0, 1)], "b": [(1, 0)]}, r"\(1, 1\)"),
        ({"a": [(0, 0), (0, 1)], "b": [(1, 0), (2, 1)]}, r"\(2, 1\)"),
        ({"a": [(0, 0), (0, 1), (1, 0), (1, 1)], "b": []}, "'b'"),
    ],
)
def test_fault_32_malformed_boards_are_refused_with_the_place(regions, word):
    with pytest.raises(InvalidValue, match=word):
        puzzle(regions)


def test_fault_33_touching_is_about_neighbouring_rows_only():
    """The queens of the first solution share diagonals, some rows apart; no queens' rule forbids that."""
    rows = puzzle([[row] * 5 for row in range(5)])
    expected = {  # all orders of the columns whose neighbours are two or more apart: 14 (A002464)
        tuple(enumerate(columns))
        for columns in permutations(range(5))
        if all(abs(a - b) > 1 for a, b in pairwise(columns))
    }
    assert rows.count() == len(expected) == 14
    assert any(abs(a - b) == abs(r - s) for queens in expected for r, a in queens for s, b in queens if r < s)


def test_fault_34_uniqueness_stops_at_the_second_solution():
    """A board with more solutions than anybody counts; and one of 18 rows where only the first choice is free."""
    loose = puzzle([[row] * 18 for row in range(18)])
    begun = time.monotonic()
    answer = loose.solve()
    assert not loose.is_unique()
    assert time.monotonic() - begun < 20
    assert answer.status == "several"
    assert answer.solutions[0] != answer.solutions[1]
    placed = answer.solutions[0]
    assert puzzle([[row] * 18 for row in range(18)], given=placed[:-1]).is_unique()


def test_fault_37_the_same_board_again():
    made = puzzle(QUARTERS)
    first = [made.solve(), made.count(), made.is_unique(), str(made), made.svg()]
    other = puzzle(QUARTERS, given=[(0, 1)])
    assert (other.count(), other.is_unique(), other.solve().status) == (1, True, "unique")
    assert [made.solve(), made.count(), made.is_unique(), str(made), made.svg()] == first
    assert puzzle(QUARTERS) == made
