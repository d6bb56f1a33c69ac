"""Every backend x every small model x every request, against brute force over the plain Python statement."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from nqueens_cp import NoSolution, Status, count, in_domain, solutions, solve


def test_solve_finds_a_solution_or_proves_that_there_is_none(posed):
    result = solve(posed.model, backend=posed.backend)
    assert result.backend == posed.backend
    if posed.expected:
        assert result.status is Status.SATISFIED
        assert bool(result) is True
        assert tuple(result[variable] for variable in posed.variables) in posed.expected
        assert tuple(result.solution[variable.name] for variable in posed.variables) in posed.expected
    else:
        assert result.status is Status.UNSATISFIABLE
        assert bool(result) is False
        assert result.solution is None
        for variable in posed.variables:
            with pytest.raises(NoSolution):
                result[variable]


def test_count_is_exact_and_the_same_again(posed):
    numbers = [count(posed.model, backend=posed.backend) for _ in range(2)]
    assert numbers == [len(posed.expected)] * 2
    assert type(numbers[0]) is int


@pytest.mark.parametrize("verify", [True, False])
def test_solutions_are_complete_and_distinct(posed, distinct_tuples, verify):
    found = solutions(posed.model, backend=posed.backend, verify=verify)
    assert found.status is None
    assert found.backend == posed.backend
    assert distinct_tuples(found, posed.variables) == posed.expected
    assert found.status is Status.COMPLETE
    assert found.found == len(posed.expected)


def test_a_model_is_not_spoiled_by_a_search(posed, distinct_tuples):
    """Fault kind 4: enumerate, solve, count and enumerate the same object."""
    first = distinct_tuples(solutions(posed.model, backend=posed.backend), posed.variables)
    assert bool(solve(posed.model, backend=posed.backend)) is bool(first)
    assert count(posed.model, backend=posed.backend) == len(first)
    again = distinct_tuples(solutions(posed.model, backend=posed.backend), posed.variables)
    assert first == again == posed.expected


def test_two_iterators_stepped_in_turn(posed, distinct_tuples):
    one, other = (solutions(posed.model, backend=posed.backend) for _ in range(2))
    pairs = list(zip_longest(one, other))
    for column in zip(*pairs, strict=True):
        assert distinct_tuples(column, posed.variables) == posed.expected
    assert len(pairs) == len(posed.expected)


def test_the_limit_is_exact(posed, distinct_tuples):
    total = len(posed.expected)
    for limit in {1, max(1, total - 1), max(1, total), total + 1}:
        found = solutions(posed.model, backend=posed.backend, limit=limit)
        rows = distinct_tuples(found, posed.variables)
        assert rows <= posed.expected
        assert len(rows) == min(limit, total)
        assert found.status is (Status.LIMIT if limit < total else Status.COMPLETE)


def test_over_projects_onto_the_named_variables(posed, distinct_tuples):
    if not posed.variables:
        pytest.skip("there is no variable to project onto")
    for kept in ([0], [len(posed.variables) - 1, 0]):
        chosen = [posed.variables[i] for i in dict.fromkeys(kept)]
        found = list(solutions(posed.model, backend=posed.backend, over=chosen))
        expected = {tuple(row[i] for i in dict.fromkeys(kept)) for row in posed.expected}
        assert distinct_tuples(found, chosen) == expected
        assert all(set(solution.as_dict()) == {variable.name for variable in chosen} for solution in found)


def test_a_search_runs_on_a_snapshot(posed, distinct_tuples):
    if not posed.variables:
        pytest.skip("there is no variable to restrict")
    found = solutions(posed.model, backend=posed.backend)
    first = next(found, None)
    posed.model.add(in_domain(posed.variables[0], [10**6]))
    rest = [] if first is None else [first, *found]
    assert distinct_tuples(rest, posed.variables) == posed.expected
    assert count(posed.model, backend=posed.backend) == 0


@pytest.mark.parametrize("backend", ["core"])
def test_the_core_answers_in_lexicographic_order(posed):
    found = solutions(posed.model, backend="core")
    assert [tuple(solution[variable] for variable in posed.variables) for solution in found] == sorted(posed.expected)
