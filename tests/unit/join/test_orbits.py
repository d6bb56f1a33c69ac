"""Every symmetry rule, one orbit of solutions at a time: over all solutions together wrong weights may cancel out."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from half_boards import (
    CLASSES,
    PUBLISHED,
    counted,
    form_of,
    full,
    half_turn,
    quarter_turn,
    smaller_or_equal,
    some_solutions,
    spread,
    whole,
)
from kernel_tests import needs_the_kernel
from nqueens_cp.control import Control
from nqueens_cp.core import join, pure

pytestmark = needs_the_kernel


@pytest.mark.parametrize("n", [6, 7, 8, 9, 10])
@pytest.mark.parametrize("symmetry", CLASSES)
def test_every_orbit_of_solutions_by_itself(symmetry, n):
    solutions, seen, alone = some_solutions(n), set(), 0
    assert len(solutions) == PUBLISHED[n]
    for solution in solutions:
        squares = spread(n, solution, CLASSES[symmetry])
        if squares in seen:
            continue
        seen.add(squares)
        expected = sum(other <= squares for other in solutions)
        alone += expected <= 8
        form = form_of(n, squares)
        for smaller in smaller_or_equal(symmetry):
            assert counted(form, smaller) == expected, (sorted(solution), smaller)
    assert alone > 0.9 * len(seen), "most of these boards hold hardly more than the orbit"


def solutions_equal_to_their(move, n):
    """Return the solutions of the unblocked board that the move maps to themselves."""

    def extend(queens):
        row = next((row for row in range(n) if row not in queens), None)
        if row is None:
            yield frozenset(queens.items())
            return
        for column in range(n):
            added = spread(n, {(row, column)}, (move,))
            more = queens | dict(added)
            lines = (set(more.values()), {c - r for r, c in more.items()}, {c + r for r, c in more.items()})
            if len(more) == len(queens) + len(added) and all(len(line) == len(more) for line in lines):
                yield from extend(more)

    return list(extend({}))


@pytest.mark.parametrize(
    ("move", "n", "published"),
    [  # OEIS A032522, A033148
        (half_turn, 8, 4),
        (half_turn, 11, 48),
        (half_turn, 12, 80),
        (half_turn, 13, 136),
        (quarter_turn, 12, 8),
        (quarter_turn, 13, 8),
        (quarter_turn, 16, 64),
        pytest.param(quarter_turn, 17, 128, marks=pytest.mark.slow),
        pytest.param(quarter_turn, 20, 480, marks=pytest.mark.slow),
    ],
)
def test_orbits_of_solutions_that_a_turn_maps_to_themselves(move, n, published):
    solutions = solutions_equal_to_their(move, n)
    assert len(solutions) == published
    for symmetry, moves in CLASSES.items():
        for squares in islice(dict.fromkeys(spread(n, solution, moves) for solution in solutions), 40):
            form = form_of(n, squares)
            assert counted(form, symmetry) == pure.diagonal_count(form, Control()), symmetry


def numbers_by_column_set(form):
    """Return how many solutions there are for each set of columns that the upper half of the rows may take."""
    half = len(form.allowed) // 2
    return Counter(frozenset(columns[:half]) for columns in pure.diagonal_solutions(form, Control()))


def finest_sums(form, symmetry):
    """Return how often each partial sum that is not 0 occurs when every job has one set of columns."""
    sums = [join.run(job) for job in join.jobs(form, symmetry, 10**6)]
    return Counter(value for value in sums if value)


@pytest.mark.parametrize("n", [8, 9, 10])
def test_the_sum_of_each_column_set(n):
    numbers = numbers_by_column_set(full(n))
    assert finest_sums(full(n), "none") == Counter(numbers.values())
    if n % 2 == 0:
        blocked = form_of(n, whole(n) - {(0, 1), (1, 1), (n - 1, n // 2), (n // 2, 0)})
        assert finest_sums(blocked, "none") == Counter(numbers_by_column_set(blocked).values())


@pytest.mark.parametrize("n", [8, 10])
@pytest.mark.parametrize("symmetry", ["mirror", "mirror and turning over"])
def test_the_sum_of_each_orbit_of_column_sets(symmetry, n):
    sums = Counter()
    for columns, number in numbers_by_column_set(full(n)).items():
        orbit = {columns, frozenset(n - 1 - column for column in columns)}
        if symmetry != "mirror":
            orbit |= {frozenset(range(n)) - image for image in orbit}
        sums[frozenset(orbit)] += number
    assert finest_sums(full(n), symmetry) == Counter(sums.values())
