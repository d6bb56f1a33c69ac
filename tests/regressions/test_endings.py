"""Faults 22 and 23: exceptions of the caller's own functions, and iterators that are not read to the end."""

from __future__ import annotations

import gc
import itertools

import pytest

from nqueens_cp import Model, Status, all_different, count, predicate, queens, solutions, solve


class Boom(Exception):
    """An exception that no library knows."""


def ask_solve(model, **options):
    return solve(model, **options)


def ask_count(model, **options):
    return count(model, **options)


def ask_solutions(model, **options):
    return list(solutions(model, **options))


REQUESTS = pytest.mark.parametrize("ask", [ask_solve, ask_count, ask_solutions], ids=lambda ask: ask.__name__[4:])


def two_variables(function) -> Model:
    """Return a model with `function` as the predicate of two variables."""
    model = Model()
    x, y = model.int_vars("v", 2, domain=range(4))
    model.add(all_different([x, y]), predicate(function, [x, y]))
    return model


@REQUESTS
@pytest.mark.parametrize(
    "error",
    [Boom("mine"), KeyError("x"), ValueError(3), TypeError("x"), AssertionError(), RecursionError("deep"), OSError(5)],
    ids=lambda error: type(error).__name__,
)
def test_fault_22_exceptions_of_a_predicate_pass_unchanged(backend, ask, error):
    def function(a: int, b: int) -> bool:
        if (a, b) == (2, 1):
            raise error
        return a != b

    with pytest.raises(type(error)) as caught:
        ask(two_variables(function), backend=backend)
    assert caught.value is error


@REQUESTS
@pytest.mark.parametrize("answer", [None, 1, 0, "yes", [1]], ids=repr)
def test_fault_22_a_predicate_must_return_a_bool(backend, ask, answer):
    with pytest.raises(TypeError, match=r"bool|True or False"):
        ask(two_variables(lambda a, b: answer), backend=backend)


@REQUESTS
@pytest.mark.parametrize("workers", [1, 2])
def test_fault_22_exceptions_of_progress_cancel_and_pass_unchanged(
    backend, ask, workers, endless, hopeless, stopwatch, running, nothing_left_running
):
    ask(queens(4), backend=backend, workers=workers)
    before = running()
    error = Boom("enough")
    seen = []

    def stop(progress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            raise error

    with pytest.raises(Boom) as caught:
        ask(hopeless if ask is ask_solve else endless, backend=backend, workers=workers, progress=stop)
    assert caught.value is error
    assert stopwatch() < 15
    assert len(seen) == 2, "what raises is not called again"
    assert seen[0].seconds <= seen[1].seconds
    assert all(progress.found >= 0 for progress in seen)
    assert all(progress.share is None or 0 <= progress.share <= 1 for progress in seen)
    seen.clear()
    del caught
    nothing_left_running(before)


def close(found) -> None:
    found.close()
    assert found.status is Status.CLOSED
    assert next(found, None) is None
    found.close()  # twice does no harm


def leave(found) -> None:
    with found as opened:
        assert opened is found
        next(found)
    assert found.status is Status.CLOSED


def raise_inside(found) -> None:
    with pytest.raises(Boom), found:
        raise Boom
    assert found.status is Status.CLOSED


def drop(found) -> None:
    """Do nothing: the last reference goes with the caller's."""


@pytest.mark.parametrize("end", [close, leave, raise_inside, drop], ids=lambda end: end.__name__)
@pytest.mark.parametrize(("taken", "workers"), [(0, 1), (3, 1), (3, 2)])
def test_fault_23_a_half_used_iterator_leaves_nothing(
    backend, end, taken, workers, endless, running, nothing_left_running
):
    ask_solutions(queens(4), backend=backend, workers=workers)
    before = running()
    found = solutions(endless, backend=backend, workers=workers)
    assert len(list(itertools.islice(found, taken))) == taken
    assert found.status is None
    end(found)
    del found
    gc.collect()
    nothing_left_running(before)


@pytest.mark.parametrize("workers", [1, 2])
def test_fault_23_neither_does_one_that_was_read_to_the_end(backend, workers, running, nothing_left_running):
    ask_solutions(queens(4), backend=backend, workers=workers)
    before = running()
    found = solutions(6, backend=backend, workers=workers)
    limited = solutions(8, backend=backend, workers=workers, limit=3)
    timed = solutions(12, backend=backend, workers=workers, time_limit=0.2)
    assert len(list(found)) == 4
    assert len(list(limited)) == 3
    list(timed)
    nothing_left_running(before)
    assert (found.status, limited.status) == (Status.COMPLETE, Status.LIMIT)
    found.close()
    assert found.status is Status.COMPLETE, "closing what has ended changes nothing"


def test_fault_23_many_iterators_dropped_in_a_row(backend, running, nothing_left_running):
    next(solutions(8, backend=backend))
    gc.collect()
    before = running()
    for _ in range(20):
        assert next(solutions(8, backend=backend))
    nothing_left_running(before)
    assert count(8, backend=backend) == 92
