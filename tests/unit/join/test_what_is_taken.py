"""Which boards the join takes, and by which symmetry."""

from __future__ import annotations

import pytest

from half_boards import BOTH, MOVES_OF_NO_USE, form_of, full, mirror, spread, transpose, turning_over, whole
from kernel_tests import needs_the_kernel
from nqueens_cp.core import join
from nqueens_cp.core.compile import DiagonalForm

pytestmark = needs_the_kernel


def test_what_the_join_takes():
    assert [n for n in range(1, 30) if join.takes(full(n))] == list(range(4, 23))
    assert join.takes(form_of(6, whole(6) - {(0, column) for column in range(6)})), "a row without a square"
    assert join.takes(form_of(6, frozenset())), "no square at all"
    assert join.takes(form_of(6, whole(6), (3, -1, 0, 7, 1, 1))), "values that do not start at 0"
    every = (0b111111,) * 6
    assert not join.takes(DiagonalForm((*every, 0b111111), (0,) * 7, 6, True, True, True))
    assert not join.takes(DiagonalForm((0b1111111,) * 6, (0,) * 6, 7, True, True, True))
    for watched in ((False, True, True), (True, False, True), (True, True, False), (False, False, False)):
        assert not join.takes(DiagonalForm(every, (0,) * 6, 6, *watched))


def test_without_the_kernel_nothing_is_taken(run_python):
    ran = run_python(
        "from nqueens_cp.core import join; from nqueens_cp.core.compile import DiagonalForm\n"
        "print(join.takes(DiagonalForm((63,) * 6, (0,) * 6, 6, True, True, True)))",
        NQUEENS_CP_CORE="pure",
    )
    assert (ran.stdout.strip(), ran.returncode) == ("False", 0), ran.stderr


@pytest.mark.parametrize("n", [6, 7])
def test_the_symmetry_of_some_boards(n):
    assert join.symmetry_of(full(n)) == BOTH
    for square, moves, expected in (
        ((1, 0), (mirror, turning_over, transpose), BOTH),
        ((1, 0), (mirror, turning_over), "mirror and turning over"),
        ((1, 0), (mirror, transpose), BOTH),  # the two make turning over
        ((1, 0), (mirror,), "mirror"),
        *(((1, 0), moves, "none") for moves in MOVES_OF_NO_USE),
    ):
        assert join.symmetry_of(form_of(n, whole(n) - spread(n, {square}, moves))) == expected, (square, moves)
    if n % 2:
        assert join.symmetry_of(form_of(n, whole(n) - {(n // 2, n // 2)})) == BOTH
        assert join.symmetry_of(form_of(n, whole(n) - {(0, n // 2)})) == "mirror"
        assert join.symmetry_of(form_of(n, whole(n) - {(n // 2, 0), (n // 2, n - 1)})) == "mirror and turning over"


def test_a_symmetry_that_there_is_not():
    with pytest.raises(ValueError, match="sideways"):
        join.jobs(full(6), "sideways")
