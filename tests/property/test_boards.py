"""Random boards: rows with their own domains, and any of the all-differents, shifted, mirrored and out of order.

This is where a search form for boards could take something for a plain board that is none.
"""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_cp import Model, Status, all_different, count, solutions, solve

SLOPES = (-1, 0, 1)


@st.composite
def boards(draw: st.DrawFn) -> tuple[Model, set[tuple[int, ...]]]:
    """A model of up to five rows and columns, and its solutions by brute force."""
    rows, width, lowest = draw(st.integers(1, 5)), draw(st.integers(1, 5)), draw(st.integers(-2, 2))
    columns = range(lowest, lowest + width)
    domains = [columns] * rows
    for row in draw(st.sets(st.integers(0, rows - 1), max_size=3)):  # placed and blocked squares
        domains[row] = sorted(draw(st.sets(st.sampled_from(columns), min_size=1)))
    slopes = draw(st.sets(st.sampled_from(SLOPES)) | st.just(set(SLOPES)) | st.sets(st.integers(-2, 2)))
    model = Model("board")
    queen = [model.int_var(f"row{i}", domain) for i, domain in enumerate(domains)]
    in_order = draw(st.booleans())
    for slope in sorted(slopes):
        sign, shift = draw(st.sampled_from([1, -1])), draw(st.integers(-3, 3))
        order = range(rows) if in_order else draw(st.permutations(range(rows)))
        model.add(all_different(sign * (queen[i] + slope * i) + shift for i in order))
    expected = {
        values
        for values in itertools.product(*domains)
        if all(len({value + slope * i for i, value in enumerate(values)}) == rows for slope in slopes)
    }
    return model, expected


def test_backends_agree_with_brute_force_on_boards(backend, examples, distinct_tuples):
    @settings(max_examples=examples)
    @given(boards())
    def agree(drawn):
        model, expected = drawn
        assert count(model, backend=backend) == len(expected)
        found = solutions(model, backend=backend, limit=100)
        rows = distinct_tuples(found, model.variables)
        assert rows <= expected
        assert len(rows) == min(100, len(expected))
        assert found.status is (Status.LIMIT if len(expected) > 100 else Status.COMPLETE)
        assert solve(model, backend=backend).status is (Status.SATISFIED if expected else Status.UNSATISFIABLE)

    agree()


def test_the_core_lists_boards_in_lexicographic_order():
    @given(boards())
    def agree(drawn):
        model, expected = drawn
        found = solutions(model, backend="core")
        assert [tuple(solution[row] for row in model.variables) for solution in found] == sorted(expected)

    agree()
