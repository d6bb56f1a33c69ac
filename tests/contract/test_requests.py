"""What the requests promise beside the answers: limits, time, closing, workers, progress, projection, objectives."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from multiprocessing import active_children

import pytest

from nqueens_cp import (
    Model,
    SearchStopped,
    Status,
    UnsupportedModel,
    all_different,
    count,
    load_model,
    predicate,
    queens,
    solutions,
    solve,
)

ENDLESS = 24  # the count of Q(24) is out of reach for any test
GENEROUS = 20.0  # seconds: a time limit of half a second must have ended by then, on a busy machine too


@pytest.fixture(params=[1, 2])
def workers(request) -> int:
    return request.param


@pytest.fixture
def few_seconds():
    start = time.monotonic()
    yield
    assert time.monotonic() - start < GENEROUS


class UnwelcomeError(Exception):
    """Raised by the callbacks of these tests, and by nothing else."""


@pytest.mark.parametrize(("limit", "status"), [(10, Status.LIMIT), (92, Status.COMPLETE), (93, Status.COMPLETE)])
def test_the_limit_is_exact_with_any_number_of_workers(backend, workers, limit, status, distinct_tuples):
    model = queens(8)
    found = solutions(model, backend=backend, limit=limit, workers=workers)
    assert len(distinct_tuples(found, model.variables)) == min(limit, 92)
    assert found.status is status


@pytest.mark.parametrize(
    ("name", "n", "number"), [("queens", 6, 4), ("rooks", 4, 24), ("queens", 3, 0), ("queens", 0, 1)]
)
def test_workers_neither_lose_nor_repeat_solutions(backend, name, n, number, distinct_tuples):
    model = load_model(name, n=n)
    alone = distinct_tuples(solutions(model, backend=backend, workers=1), model.variables)
    assert len(alone) == number
    for workers in (2, 4):
        assert distinct_tuples(solutions(model, backend=backend, workers=workers), model.variables) == alone
        assert count(model, backend=backend, workers=workers) == number
    assert solve(model, backend=backend, workers=2).status is (Status.SATISFIED if number else Status.UNSATISFIABLE)


def test_workers_and_a_predicate_that_cannot_be_pickled(backend):
    """Threads can take a lambda; where processes are needed it is refused, and the refusal names the constraint."""
    model = Model("lambda")
    x, y = model.int_var("x", range(4)), model.int_var("y", range(4))
    model.add(predicate(lambda x, y: x * y == 6, [x, y]))
    try:
        answer = count(model, backend=backend, workers=2)
    except (UnsupportedModel, ValueError) as error:
        answer = str(error)
    assert answer == 2 or "predicate" in answer or str(model.constraints[0]) in answer


def test_projection_of_free_variables(backend, distinct_tuples):
    """../shared/cases/faults.md, 1: free variables beside the board don't multiply what over= asks for."""
    model = Model("queens and more")
    queen = model.int_vars("queen", 5, domain=range(5))
    model.add(*(all_different(queen[i] + slope * i for i in range(5)) for slope in (-1, 0, 1)))
    p, x = model.bool_var("p"), model.int_var("x", range(3))
    assert count(model, backend=backend) == 60
    found = list(solutions(model, backend=backend, over=[queen]))
    assert len(distinct_tuples(found, queen)) == 10
    assert found[0].as_dict() == {"queen": found[0][queen]}
    both = solutions(model, backend=backend, over=[p, x])
    assert distinct_tuples(both, [p, x]) == {(a, b) for a in (0, 1) for b in range(3)}
    limited = solutions(model, backend=backend, over=[queen], limit=10)
    assert len(list(limited)) == 10
    assert limited.status is Status.COMPLETE


def test_projection_with_workers(backend, workers, distinct_tuples):
    """The parts of a split search may find the same projection twice: here they differ in x and p alone."""
    model = Model("free variables first")
    x, p = model.int_var("x", range(3)), model.bool_var("p")
    queen = model.int_vars("queen", 5, domain=range(5))
    model.add(*(all_different(queen[i] + slope * i for i in range(5)) for slope in (-1, 0, 1)), x >= p)
    found = solutions(model, backend=backend, workers=workers, over=[queen])
    assert len(distinct_tuples(found, queen)) == 10
    assert found.status is Status.COMPLETE
    found = solutions(model, backend=backend, workers=workers, over=[queen], limit=9)
    assert len(distinct_tuples(found, queen)) == 9
    assert found.status is Status.LIMIT
    assert count(model, backend=backend, workers=workers) == 50


def test_closing_ends_the_search(backend, workers):
    threads_before = threading.active_count()
    found = solutions(queens(ENDLESS), backend=backend, workers=workers, time_limit=60)
    with found:
        found.close()
    assert found.status is Status.CLOSED
    assert next(found, None) is None
    with solutions(queens(10), backend=backend, workers=workers) as found:
        first = next(found)
        assert found.status is None
        assert found.found == 1
    assert len(set(first["queen"])) == 10
    assert found.status is Status.CLOSED
    assert list(found) == []
    deadline = time.monotonic() + GENEROUS
    while (threading.active_count() > threads_before or active_children()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= threads_before
    assert active_children() == []


def test_closing_after_the_end_does_not_change_the_status(backend):
    with solutions(queens(4), backend=backend) as found:
        assert len(list(found)) == 2
    found.close()
    assert found.status is Status.COMPLETE
    assert found.found == 2


@pytest.mark.usefixtures("few_seconds")
def test_a_count_that_is_stopped_is_a_lower_bound(backend, workers):
    with pytest.raises(SearchStopped) as stopped:
        count(queens(ENDLESS), backend=backend, workers=workers, time_limit=0.5)
    assert stopped.value.status is Status.TIMEOUT
    assert type(stopped.value.partial) is int
    assert stopped.value.partial >= 0
    assert f"at least {stopped.value.partial}" in str(stopped.value).replace(",", "")


@pytest.mark.usefixtures("few_seconds")
def test_an_enumeration_that_runs_out_of_time(backend, distinct_tuples):
    model = queens(18)
    found = solutions(model, backend=backend, time_limit=0.5)
    rows = distinct_tuples(found, model.variables)
    assert found.status is Status.TIMEOUT
    assert found.found == len(rows)
    assert next(found, None) is None


@pytest.mark.usefixtures("few_seconds")
def test_a_time_limit_never_reads_as_a_solution_or_an_error(backend):
    """Thirteen pigeons in twelve holes: proved by reasoning, or not within the time."""
    model = Model("pigeons")
    pigeon = model.int_vars("pigeon", 13, domain=range(12))
    model.add(*(pigeon[i] != pigeon[j] for i in range(13) for j in range(i)))
    result = solve(model, backend=backend, time_limit=0.5)
    assert result.status in (Status.TIMEOUT, Status.UNSATISFIABLE)
    assert result.solution is None
    assert bool(result) is False


@pytest.mark.usefixtures("few_seconds")
def test_the_time_limit_holds_while_a_predicate_is_called(backend):
    """Twenty thousand calls of a millisecond: a backend that tabulates the predicate must stop in between."""
    model = Model("slow")
    x, y = model.int_var("x", range(150)), model.int_var("y", range(150))

    def slowly(x: int, y: int) -> bool:
        time.sleep(0.001)
        return x + y == -1

    model.add(predicate(slowly, [x, y]))
    assert solve(model, backend=backend, time_limit=0.5).status is Status.TIMEOUT
    with pytest.raises(SearchStopped) as stopped:
        count(model, backend=backend, time_limit=0.5)
    assert stopped.value.partial == 0


@pytest.mark.parametrize("seconds", [30, 30.0])
def test_time_limits_are_ints_or_floats(backend, seconds):
    assert count(6, backend=backend, time_limit=seconds) == 4
    assert solve(6, backend=backend, time_limit=seconds).status is Status.SATISFIED


@pytest.mark.usefixtures("few_seconds")
@pytest.mark.parametrize(
    "request_answers", [count, lambda *a, **k: list(solutions(*a, **k))], ids=["count", "solutions"]
)
def test_what_the_progress_callback_raises_reaches_the_caller(backend, request_answers):
    reports = []

    def progress(report):
        reports.append(report)
        raise UnwelcomeError

    with pytest.raises(UnwelcomeError):
        request_answers(queens(ENDLESS), backend=backend, progress=progress, time_limit=60)
    assert len(reports) == 1
    assert reports[0].found >= 0
    assert reports[0].share is None or 0 <= reports[0].share <= 1
    assert 0 <= reports[0].seconds < GENEROUS


@pytest.mark.parametrize(
    "ask", [count, solve, lambda *a, **k: list(solutions(*a, **k))], ids=["count", "solve", "solutions"]
)
def test_what_a_predicate_raises_reaches_the_caller(backend, ask):
    model = Model("raising")
    x, y = model.int_var("x", range(3)), model.int_var("y", range(3))
    unwelcome = UnwelcomeError("at two")

    def raising(x: int, y: int) -> bool:
        if (x, y) == (2, 2):
            raise unwelcome
        return False

    model.add(predicate(raising, [x, y]))
    with pytest.raises(UnwelcomeError) as raised:
        ask(model, backend=backend)
    assert raised.value is unwelcome


def test_statistics_and_sizes_are_plain(backend):
    result = solve(6, backend=backend)
    assert isinstance(result.statistics, Mapping)
    assert result.status is Status.SATISFIED
    assert [count(n, backend=backend) for n in range(7)] == [1, 1, 0, 0, 2, 10, 4]  # A000170
