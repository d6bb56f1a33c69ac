"""The join's objects in C, used directly: in slices, and with arbitrary arguments."""

from __future__ import annotations

from array import array
from itertools import pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from half_boards import CLASSES, PUBLISHED, WIDTHS, full
from kernel_tests import buffers, needs_the_kernel, thorough
from nqueens_cp.core import join, kernel

pytestmark = needs_the_kernel
NUMBERS = {"none": 0, "mirror": 1, "mirror and turning over": 2}


def searches(form, symmetry, at_least=1, width="plain"):
    module, _ = kernel.load()
    board = made(module.JoinBoard(array("Q", form.allowed), NUMBERS[symmetry]))
    return [module.JoinSearch(board, job.first, job.last, width) for job in join.jobs(form, symmetry, at_least)]


def made(board):
    while not board.step():
        pass
    assert board.step() is True, "nothing more to make"
    return board


@pytest.mark.parametrize("budget", [1, 2, 7, 1000])
@pytest.mark.parametrize("symmetry", CLASSES)
def test_a_search_can_be_sliced_anywhere(symmetry, budget):
    for n in (6, 7):
        for width in join.available_vectors():
            found = []
            for search in searches(full(n), symmetry, at_least=3, width=width):
                seen = []
                while not search.count(budget):
                    seen.append((search.share(), search.found, search.nodes))
                seen.append((search.share(), search.found, search.nodes))
                assert (search.done, seen[-1][0]) == (True, 1)
                for earlier, later in pairwise(seen):
                    assert all(left <= right for left, right in zip(earlier, later, strict=True))
                assert search.count(budget) is True, "nothing more to do"
                assert (search.found, search.nodes) == seen[-1][1:]
                found.append(search.found)
            assert join.combine(found) == PUBLISHED[n], width


def test_the_masks_are_copied():
    module, _ = kernel.load()
    (job, *_) = join.jobs(full(8), "none")
    allowed = array("Q", full(8).allowed)
    board = module.JoinBoard(allowed, NUMBERS["none"])
    for row in range(8):
        allowed[row] = 0
    search = module.JoinSearch(made(board), job.first, job.last, "plain")
    del board  # the search keeps what it needs
    while not search.count(1000):
        pass
    assert search.found == join.run(job)


def exercise(search):
    """Search a little, and misuse every method."""
    for _ in range(5):
        assert search.count(100) in (True, False)
        assert 0 <= search.share() <= 1
        assert search.found >= 0
        assert search.nodes >= 0
    assert search.done in (True, False)
    for bad in (0, -1, 2**64, None, 1.5, "x"):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            search.count(bad)


@thorough
@given(st.lists(buffers | st.integers() | st.booleans() | st.sampled_from(WIDTHS), max_size=7))
def test_arbitrary_arguments_are_an_error_and_never_a_crash(arguments):
    module, _ = kernel.load()
    with pytest.raises((TypeError, ValueError, OverflowError, BufferError)):  # nothing of these is a board
        module.JoinSearch(*arguments)
    board = module.JoinBoard(array("Q", [63] * 6), 0)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        module.JoinSearch(board, 0, 1, "plain"), "its tables are not made"
    try:
        board = module.JoinBoard(*arguments)
    except (TypeError, ValueError, OverflowError, BufferError):
        return
    exercise(module.JoinSearch(made(board), 0, board.sets, "plain"))


@thorough
@given(
    st.integers(0, 16) | st.sampled_from([23, 24, 31, 32, 33, 63, 64, 65]),
    st.randoms(use_true_random=False),
    st.sampled_from(["whole", "within", "beyond"]),
    st.integers(0, 3) | st.integers(-(2**70), 2**70),
    st.integers(0, 70) | st.integers(-(2**70), 2**70),
    st.integers(0, 70) | st.sampled_from([comb(n, n // 2) for n in range(4, 23)]) | st.integers(-(2**70), 2**70),
    st.sampled_from([*WIDTHS, "plain", "", "PLAIN", "plain\0", "avx512 ", "\ud800", "x" * 10_000]),
)
def test_arguments_nearly_right(n, chance, masks, symmetry, first, length, width):
    module, _ = kernel.load()
    inside = min((1 << n) - 1, 2**64 - 1)
    allowed = {
        "whole": lambda: inside,
        "within": lambda: chance.getrandbits(64) & inside,
        "beyond": lambda: chance.getrandbits(64),
    }[masks]
    try:
        board = made(module.JoinBoard(array("Q", [allowed() for _ in range(n)]), symmetry))
        search = module.JoinSearch(board, first, first + length, width)
    except (ValueError, OverflowError):
        return
    exercise(search)
