"""The local search for large boards: compiled and in plain Python, which must agree board by board."""

from __future__ import annotations

import threading
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_tests import needs_the_kernel, thorough
from nqueens_cp.core import kernel
from nqueens_cp.core.local_search import LARGEST_SIZE, LocalSearch
from plain_boards import is_solution

pytestmark = needs_the_kernel
KINDS = [LocalSearch, getattr(kernel.load()[0], "LocalSearch", None)]
both = pytest.mark.parametrize("kind", KINDS, ids=["pure", "compiled"])


def board(search, size, budget=1000):
    while not search.step(budget):
        assert 0 <= search.share() <= 1
    out = array("I", bytes(4 * size))
    search.copy(out)
    return out


@thorough
@given(
    st.integers(4, 150) | st.sampled_from([0, 1, 254, 255, 256, 257]), st.integers(0, 2**64 - 1), st.integers(1, 300)
)
def test_compiled_as_in_pure(size, seed, budget):
    slow, fast = (kind(size, seed) for kind in KINDS)
    for _ in range(3):
        found = board(slow, size)
        assert is_solution(found)
        assert board(fast, size, budget) == found
        assert fast.restarts == slow.restarts
        assert fast.share() == slow.share() == 1
        slow.again()
        fast.again()


@pytest.mark.parametrize(("size", "number"), [(4, 2), (5, 10), (6, 4), (7, 40), (8, 92)])
def test_every_solution_can_come(size, number):
    search, found = KINDS[1](size, 7), set()
    for _ in range(40 * number):
        found.add(tuple(board(search, size)))
        search.again()
    assert len(found) == number, "A000170"
    assert all(map(is_solution, found))


@pytest.mark.parametrize("size", [1_000, 20_000, 300_000])
def test_large_boards(size):
    search = KINDS[1](size, size)
    first = board(search, size, 100_000)
    search.again()
    second = board(search, size, 100_000)
    assert is_solution(first)
    assert is_solution(second)
    assert sum(a == b for a, b in zip(first, second, strict=True)) < 100, "nothing in common but by chance"


@both
@pytest.mark.parametrize("size", [-1, 2, 3, LARGEST_SIZE + 1, 2**62])
def test_sizes_that_are_refused(kind, size):
    with pytest.raises(ValueError, match=f"size: {size}"):
        kind(size, 0)


@both
def test_misuse(kind):
    search = kind(50, 3)
    with pytest.raises(RuntimeError, match="not placed"):
        search.copy(array("I", bytes(200)))
    for bad in (0, -1, None, "x", 1.5):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            search.step(bad)
    board(search, 50)
    assert search.step(1), "done stays done"
    for bad in (array("I"), array("I", bytes(204)), array("I", bytes(196))):
        with pytest.raises(ValueError, match="out"):
            search.copy(bad)
    for bad in (-1, 2**64, "x"):
        with pytest.raises((TypeError, OverflowError)):
            kind(50, bad)


def test_only_one_thread_at_a_time():
    search, refused = KINDS[1](1_000_000, 0), []

    def run():
        while not search.step(200_000):
            pass

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        for method in (lambda: search.step(1), search.again):
            try:
                method()
            except RuntimeError:
                refused.append(method)
        if refused:
            break
    thread.join()
    assert refused


anything = (
    st.sampled_from([-1, 2**31, 2**70])
    | st.text(max_size=3)
    | st.none()
    | st.binary(max_size=9)
    | st.floats()
    | st.integers(0, 30)
)


@thorough
@given(st.lists(anything, max_size=3), st.binary(max_size=40).map(bytearray))
def test_arbitrary_arguments_are_an_error_and_never_a_crash(arguments, out):
    try:
        search = KINDS[1](*arguments)
    except (TypeError, ValueError, OverflowError):
        return
    search.step(100)
    try:
        search.copy(out)
    except (ValueError, RuntimeError):
        return
    assert len(out) == 4 * arguments[0]
