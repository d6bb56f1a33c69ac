"""Faults 18 to 20, 24 and 25: time limits, and what a search that has not ended may say."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from nqueens_cp import (
    Model,
    NoSolution,
    SearchStopped,
    Status,
    all_different,
    allowed_assignments,
    count,
    predicate,
    queens,
    solutions,
    solve,
)

QUEENS_19 = 4968057848  # A000170
LATEST = 15.0  # seconds by which a search of half a second must have ended, on a busy machine too


@pytest.fixture(autouse=True)
def imported(request):
    """Import the solver beforehand: that may take longer than the limits below."""
    if "backend" in request.fixturenames:
        assert count(4, backend=request.getfixturevalue("backend")) == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_fault_18_a_stopped_count_is_a_lower_bound(backend, endless, stopwatch, workers):
    with pytest.raises(SearchStopped) as stopped:
        count(endless, backend=backend, time_limit=0.5, workers=workers)
    assert stopwatch() < LATEST + workers
    assert stopped.value.status is Status.TIMEOUT
    assert isinstance(stopped.value.partial, int)
    assert 0 <= stopped.value.partial < QUEENS_19
    assert "at least" in str(stopped.value)
    assert str(stopped.value.partial) in str(stopped.value).replace(",", "").replace("_", "")


def test_fault_18_a_stopped_enumeration_keeps_what_was_found(backend, endless, stopwatch):
    found = solutions(endless, backend=backend, time_limit=0.5)
    boards = list(found)
    assert stopwatch() < LATEST
    assert found.status is Status.TIMEOUT
    assert len(boards) == len(set(boards)) == found.found > 0
    assert next(found, None) is None


def test_fault_18_time_that_ends_during_the_look_ahead_reads_limit(backend, stopwatch):
    # All -1 and all 20 are solutions, found at once; any other is a solution of the torus, where there is none to be found.
    n = 20
    model = Model("way-out")
    queen = model.int_vars("queen", n, domain=range(-1, n + 1))
    inside = range(n)
    for i, j in itertools.combinations(range(n), 2):
        free = [(a, b) for a in inside for b in inside if a != b and (a - b - i + j) % n and (a - b + i - j) % n]
        model.add(allowed_assignments([queen[i], queen[j]], [*free, (-1, -1), (n, n)]))
    seconds = 3  # translating takes some time where the machine is busy
    found = solutions(model, backend=backend, limit=1, time_limit=seconds)
    assert next(found)[queen] in ([-1] * n, [n] * n)
    assert next(found, None) is None
    assert found.status is Status.LIMIT
    assert stopwatch() < seconds + LATEST


def test_fault_18_statuses_are_not_read_as_truth_values():
    for status in Status:
        with pytest.raises(TypeError):
            bool(status)
        with pytest.raises(TypeError):
            assert not status


def test_fault_19_solve_ends_by_the_limit(backend, hopeless, stopwatch):
    result = solve(hopeless, backend=backend, time_limit=0.5)
    assert 0.3 < stopwatch() < LATEST
    assert result.status is Status.TIMEOUT
    assert not result
    assert result.solution is None


@pytest.mark.parametrize("n", [200, 400])
def test_fault_19_building_and_presolve_count(backend, stopwatch, n):
    model = queens(n)
    begun = stopwatch()
    status = solve(model, backend=backend, time_limit=1).status
    assert stopwatch() - begun < 1 + LATEST
    assert status in (Status.SATISFIED, Status.TIMEOUT)


def sleepy(a: int, b: int) -> bool:
    """Take 50 ms for each of 10,000 pairs: 500 s in all."""
    time.sleep(0.05)
    return a <= b


def test_fault_19_a_slow_predicate(backend, stopwatch):
    model = Model()
    x, y = model.int_vars("v", 2, domain=range(100))
    model.add(predicate(sleepy, [x, y]), x != y)

    with pytest.raises(SearchStopped) as stopped:
        count(model, backend=backend, time_limit=0.5)
    assert stopwatch() < LATEST
    assert 0 <= stopped.value.partial < 4950

    begun = stopwatch()
    found = solutions(model, backend=backend, time_limit=0.5)
    assert len(list(found)) < 4950
    assert found.status is Status.TIMEOUT
    assert stopwatch() - begun < LATEST


def test_fault_19_solve_with_a_slow_predicate(backend, stopwatch):
    model = Model()
    x, y = model.int_vars("v", 2, domain=range(100))
    model.add(predicate(sleepy, [x, y]), x > y)  # contradicts the predicate
    assert solve(model, backend=backend, time_limit=0.5).status is Status.TIMEOUT
    assert stopwatch() < LATEST


@pytest.mark.parametrize("limit", [30, 30.0, 1e-9 + 30, np.int64(30)], ids=repr)
def test_fault_20_plain_seconds(limit):
    assert count(6, time_limit=limit) == 4
    assert solve(6, time_limit=limit).status is Status.SATISFIED
    assert len(list(solutions(6, time_limit=limit))) == 4


@pytest.mark.parametrize("ask", [solve, count, solutions], ids=lambda ask: ask.__name__)
@pytest.mark.parametrize(
    "limit", [0, 0.0, -1, -0.5, float("nan"), float("-inf"), "5", "1s", True, [1], 1j, np.float64("nan")], ids=repr
)
def test_fault_20_other_time_limits_are_refused_at_the_call(ask, limit):
    with pytest.raises((TypeError, ValueError), match="time_limit"):
        ask(4, time_limit=limit)


@pytest.mark.parametrize("ask", [solve, count, solutions], ids=lambda ask: ask.__name__)
@pytest.mark.parametrize("workers", [0, -1, 1.0, "2", True, None], ids=repr)
def test_fault_20_workers_likewise(ask, workers):
    with pytest.raises((TypeError, ValueError), match="workers"):
        ask(4, workers=workers)


@pytest.mark.parametrize("stated", ["three-queens", "constant", "pigeons", "bounds"])
def test_fault_24_an_unsatisfiable_model_lends_no_values(backend, board, stated):
    model, queen = board(3) if stated == "three-queens" else board(4)
    if stated == "constant":
        model.add(False)
    elif stated == "pigeons":
        model.add(all_different([*queen, model.int_var("fifth", range(4))]))
    elif stated == "bounds":
        model.add(queen[0] > queen[1] + 4)
    result = solve(model, backend=backend)
    assert result.status is Status.UNSATISFIABLE
    assert result.solution is None
    assert not result
    for key in (queen, queen[0], "queen", "queen[0]"):
        with pytest.raises(NoSolution):
            result[key]


def test_fault_24_a_time_out_lends_none_either(backend, hopeless):
    result = solve(hopeless, backend=backend, time_limit=0.2)
    with pytest.raises(NoSolution):
        result["queen"]


@pytest.mark.parametrize("limit", [0.05, 1.5])
def test_fault_25_not_found_is_not_unsatisfiable(hopeless, limit):
    # auto goes from the core to CP-SAT on the way; neither has proved anything.
    assert solve(hopeless, time_limit=limit).status is Status.TIMEOUT


def test_fault_25_a_proof_is_told_as_one(backend, board):
    model, queen = board(7)
    model.add(queen[0] == 0, queen[6] == 6)
    assert solve(model, backend=backend).status is Status.UNSATISFIABLE
