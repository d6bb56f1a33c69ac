"""What `puzzle` makes of what it is given: names, labels, attributes that are not there, boards from a seed."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from nqueens_cp import InvalidType, InvalidValue, puzzle, queens
from nqueens_cp.puzzles import reading, writing

QUARTERS = ("AABB", "AABB", "CCDD", "CCDD")
NUMBERS = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 13, 13], [2, 2, 13, 13]]


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint32])
def test_numbers_of_numpy_are_labels_like_any_numbers(kind):
    made = puzzle(np.array(NUMBERS, dtype=kind))
    assert made == puzzle(NUMBERS)
    assert [type(label) for label in made.labels] == [int] * 4
    assert str(made).splitlines()[0].split() == ["0", "0", "1", "1"]
    assert writing.as_record(made)["regions"] == NUMBERS


def test_strings_and_truth_values_of_numpy_are_labels():
    made = puzzle(np.array([list(row) for row in QUARTERS]))
    assert made == puzzle(QUARTERS)
    assert {type(label) for label in made.labels} == {str}
    assert puzzle(np.array([[True, False], [True, False]])).names == ["A", "B"]
    assert puzzle([[int, str], [int, str]]).names == ["A", "B"]


def test_a_puzzle_has_a_name():
    made = puzzle(QUARTERS, id="no 5")
    assert made.id == "no 5"
    assert str(made).startswith("id: no 5\n")
    assert reading.read(str(made)) == [made]
    assert puzzle(QUARTERS, id=np.int64(7)).id == 7
    assert puzzle(QUARTERS).id is None
    for name in ("", " ", "a\nb", "a" * 201, 2**70):
        with pytest.raises(InvalidValue, match="id"):
            puzzle(QUARTERS, id=name)
    for name in (1.5, True, [], int):
        with pytest.raises(InvalidType, match="id: expected a string or an integer"):
            puzzle(QUARTERS, id=name)


def test_what_is_asked_of_the_maker_instead_of_a_board():
    for name in ("solve", "hint", "grid", "is_unique"):
        with pytest.raises(AttributeError, match=rf"puzzle\(regions\)\.{name}"):
            getattr(puzzle, name)
    with pytest.raises(AttributeError, match=r"no 'solv'; it has new and read"):
        puzzle.solv  # noqa: B018


def test_puzzles_answers_and_steps_cannot_be_changed():
    made = puzzle(QUARTERS)
    for thing in (made, made.solve(), made.explain(), puzzle(QUARTERS, given=[(0, 1)]).hint()):
        with pytest.raises(FrozenInstanceError):
            thing.remark = "new"
        assert pickle.loads(pickle.dumps(thing)) is not None


def test_boards_from_a_seed_have_letters():
    made = puzzle.new(20, seed=3)
    assert made.labels == tuple("ABCDEFGHIJKLMNOPQRST")
    for form in writing.FORMATS:
        assert reading.read(writing.write(made, form)) == [made]


def test_time_limits_of_making_and_queens_of_pictures():
    assert puzzle.new(5, time_limit=None) == puzzle.new(5)
    with pytest.raises(InvalidValue, match="time_limit: 0 is not a positive number of seconds; None is no limit"):
        puzzle.new(5, time_limit=0)
    with pytest.raises(InvalidValue, match=r"queens: \(9, 9\) is not on the board"):
        puzzle(QUARTERS).svg([(9, 9)])
    with pytest.raises(InvalidType, match="others"):
        puzzle(QUARTERS).svg([(0, 1)], 5)


def test_progress_of_making(monkeypatch):
    told = []
    monkeypatch.setattr("nqueens_cp.control.PROGRESS_INTERVAL", 0)
    puzzle.new(6, seed=1, progress=told.append)
    assert told
    with pytest.raises(TypeError, match="progress"):
        puzzle.new(6, progress=5)


def test_one_thing_is_told_in_the_singular():
    with pytest.raises(InvalidValue, match="regions: there is 1 region ") as refused:
        puzzle(["AA", "AA"])
    assert "there are" not in str(refused.value)
    with pytest.raises(InvalidValue, match="there is 1 row of labels"):
        queens(2, regions=["AB"])
    with pytest.raises(InvalidValue, match="row 0 has 1 label "):
        queens(2, regions=["A", "BB"])
