"""The first place where two lists of solutions differ, as two boards."""

from __future__ import annotations

import pytest

from nqueens_cp import queens, solutions
from nqueens_cp.comparison import Case, Difference, Measurement, Row, _first_difference

SIX = [solution.values for solution in solutions(6)]


def difference_of(left, right):
    """What is said of two backends that list these solutions."""
    lists = {"left": left, "right": right}
    case = Case("queens n=6", 6, queens(6), 6, {})
    rows = [
        Row.of(case.label, 6, [Measurement(name, "complete", len(listed), digest=repr(sorted(set(listed))))])
        for name, listed in lists.items()
    ]
    return _first_difference(case, rows, lambda name: Measurement(name, "complete", listed=tuple(lists[name])))


@pytest.mark.parametrize("dropped", range(4))
def test_a_dropped_solution(dropped):
    kept = [values for values in SIX if values != SIX[dropped]]
    for left, right, found_by in ((SIX, kept, "left"), (kept, SIX, "right")):
        difference = difference_of(left, right)
        assert isinstance(difference, Difference)
        assert (difference.found_by, difference.solution.values) == (found_by, SIX[dropped])
        following = SIX[dropped + 1] if dropped < 3 else None
        assert (None if difference.other is None else difference.other.values) == following
        assert str(difference).count("Q") == (12 if following else 6)


def test_another_solution_in_its_place():
    wrong = [SIX[0], (2, 5, 1, 4, 0, 5), *SIX[2:]]
    difference = difference_of(SIX, wrong)
    assert isinstance(difference, Difference)
    assert {difference.solution.values, difference.other.values} == {SIX[1], wrong[1]}
    assert difference.solution.values == min(SIX[1], wrong[1])


def test_the_order_in_which_they_are_found_plays_no_part():
    difference = difference_of(SIX[::-1], [SIX[2], SIX[0], SIX[3]])
    assert difference.solution.values == SIX[1]


def test_repeated_and_wrongly_counted():
    assert "left repeats some" in difference_of([*SIX, SIX[0]], SIX)
    assert "counts them wrongly" in difference_of(SIX, SIX)
