"""The join in jobs: how they split the work, and that their partial sums add up whatever the order, width and process."""

from __future__ import annotations

import pickle
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from half_boards import (
    CLASSES,
    PUBLISHED,
    SMALL,
    boards_of_any_class,
    form_of,
    full,
    mirror,
    smaller_or_equal,
    spread,
    whole,
)
from kernel_tests import brief, needs_the_kernel
from nqueens_cp.control import Control
from nqueens_cp.core import join, pure

pytestmark = needs_the_kernel


@brief
@given(boards_of_any_class(SMALL), st.randoms(use_true_random=False))
def test_partial_sums_add_up_in_any_order(board, chance):
    form = form_of(*board)
    expected = pure.diagonal_count(form, Control())
    for symmetry in smaller_or_equal(join.symmetry_of(form)):
        for at_least in (1, 2, 7, 1000):
            jobs = join.jobs(form, symmetry, at_least)
            chance.shuffle(jobs)
            sums = [join.run(job) for job in jobs]
            chance.shuffle(sums)
            assert join.combine(sums) == expected, (symmetry, at_least)


@pytest.mark.parametrize("n", [4, 5, 10, 11])
@pytest.mark.parametrize("symmetry", CLASSES)
def test_the_ranges_of_jobs(symmetry, n):
    ends = set()
    finest = len(join.jobs(full(n), symmetry, 10**6))
    assert finest <= comb(n, n // 2)
    for at_least in (1, 2, 7, 1000, 10**6):
        ranges = [(job.first, job.last) for job in join.jobs(full(n), symmetry, at_least)]
        assert len(ranges) >= min(at_least, finest)
        assert all(first < last for first, last in ranges)
        ranges.sort()
        assert [last for _, last in ranges[:-1]] == [first for first, _ in ranges[1:]], "disjoint, and no gap"
        ends.add((ranges[0][0], ranges[-1][1]))
    assert len(ends) == 1, "all of them however it is split"
    assert all(last - first == 1 for first, last in ranges), "the last of these asks for more than there are sets"


@pytest.mark.parametrize("symmetry", CLASSES)
def test_every_width_gives_the_same_partial_sums(symmetry):
    for n, at_least in ((10, 10**6), (11, 10**6), (13, 20)):
        jobs = join.jobs(full(n), symmetry, at_least)
        sums = [join.run(job, vectors="plain") for job in jobs]
        assert join.combine(sums) == PUBLISHED[n]
        for width in join.available_vectors():
            assert [join.run(job, vectors=width) for job in jobs] == sums, width
        assert [join.run(job, Control()) for job in jobs] == sums


def test_jobs_in_a_fresh_process(width, run_python):
    blocked = form_of(10, whole(10) - spread(10, {(0, 3), (4, 4)}, (mirror,)))
    jobs = [*join.jobs(full(9), at_least=7), *join.jobs(full(10), "none", 3), *join.jobs(blocked, at_least=20)]
    assert pickle.loads(pickle.dumps(jobs)) == jobs
    ran = run_python(
        "import pickle, sys; from nqueens_cp.core import join\n"
        "jobs = pickle.load(sys.stdin.buffer); print(join.vectors(), *(join.run(job) for job in jobs))",
        given_bytes=pickle.dumps(jobs),
        NQUEENS_CP_VECTORS=width,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [width, *(str(join.run(job)) for job in jobs)]
