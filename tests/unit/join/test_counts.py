"""Counts by the join: published ones, and those of boards with blocked and placed squares against pure.py and backtracking."""

from __future__ import annotations

import os
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from half_boards import (
    BOTH,
    CLASSES,
    PUBLISHED,
    SMALL,
    backtracked,
    boards,
    boards_of_any_class,
    counted,
    form_of,
    full,
    half_turn,
    larger,
    mirror,
    moved,
    quarter_turn,
    smaller_or_equal,
    spread,
    transpose,
    turning_over,
    whole,
)
from kernel_tests import brief, needs_the_kernel, thorough
from nqueens_cp.control import Control
from nqueens_cp.core import join, kernel, pure

pytestmark = needs_the_kernel

# Published counts.


@pytest.mark.parametrize("n", range(4, 15))
def test_published_counts(n, width):
    for symmetry in CLASSES if n <= 12 else (BOTH,):
        assert counted(full(n), symmetry, vectors=width) == PUBLISHED[n], symmetry


@pytest.mark.parametrize("n", [4, 5, 11, 14, 15, 16])
def test_published_counts_by_the_defaults(n):
    assert join.count(full(n), Control(workers=2)) == PUBLISHED[n]


@pytest.mark.slow
@pytest.mark.parametrize("n", [13, 14, 15, 16])
def test_published_counts_by_every_class(n, width):
    for symmetry in CLASSES:
        assert counted(full(n), symmetry, vectors=width) == PUBLISHED[n], symmetry


@pytest.mark.slow
@pytest.mark.parametrize("n", [17, 18, 19, 20])
def test_published_counts_of_large_boards(n):
    assert join.count(full(n), Control(workers=os.cpu_count() or 1)) == PUBLISHED[n]


# Blocked and placed squares.


@pytest.mark.parametrize("symmetry", CLASSES)
@thorough
@given(st.data())
def test_random_boards_as_in_pure(symmetry, data):
    n, squares = data.draw(boards(symmetry, SMALL))
    form = form_of(n, squares, data.draw(st.sampled_from([(0,) * n, tuple(range(-2, n - 2))])))
    assert join.takes(form)
    assert join.symmetry_of(form) == symmetry
    expected = pure.diagonal_count(form, Control())
    assert counted(form) == expected
    for smaller in smaller_or_equal(symmetry):
        for width in join.available_vectors():
            assert counted(form, smaller, vectors=width) == expected, (smaller, width)
    for too_large in larger(symmetry):
        with pytest.raises(ValueError, match=re.escape(too_large)):
            join.jobs(form, too_large)


@pytest.mark.parametrize("parity", [0, 1])
@pytest.mark.parametrize("symmetry", CLASSES)
@brief
@given(st.data())
def test_larger_boards_as_by_backtracking(symmetry, parity, data):
    n, squares = data.draw(boards(symmetry, (10 + parity, 12 + parity)))
    form = form_of(n, squares)
    expected = backtracked(form)
    for smaller in smaller_or_equal(symmetry):
        assert counted(form, smaller) == expected, smaller
    for width in join.available_vectors():
        assert join.count(form, Control(workers=2), vectors=width) == expected, width


def check_a_sparse_board(symmetry, n):
    chance = random.Random(f"{symmetry} {n}")
    start = form_of(n, {square for square in whole(n) if chance.random() < 0.7})
    solution = next(kernel.solutions(kernel.for_rows(start), Control(), n))
    more = {(row, column) for row in range(n) for column in chance.sample(range(n), 2)}
    squares = spread(n, {*enumerate(solution), *more}, CLASSES[symmetry])
    form = form_of(n, squares)
    assert join.symmetry_of(form) == symmetry
    expected = backtracked(form)
    assert expected > 0
    for smaller in smaller_or_equal(symmetry):
        assert counted(form, smaller) == expected, smaller


@pytest.mark.parametrize("n", [14, 15, 16])
@pytest.mark.parametrize("symmetry", CLASSES)
def test_sparse_boards(symmetry, n):
    check_a_sparse_board(symmetry, n)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(17, 23))
@pytest.mark.parametrize("symmetry", CLASSES)
def test_large_sparse_boards(symmetry, n):
    check_a_sparse_board(symmetry, n)


@brief
@given(boards_of_any_class(SMALL))
def test_a_board_moved_in_any_way_counts_the_same(board):
    n, squares = board
    expected = pure.diagonal_count(form_of(n, squares), Control())
    for move in (mirror, turning_over, transpose, half_turn, quarter_turn):
        image = form_of(n, moved(n, squares, move))
        assert counted(image) == counted(image, "none") == expected, move.__name__
