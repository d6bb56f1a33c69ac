"""Batches of solutions as arrays, and the vectorised checker, against plain Python."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import nqueens_cp
from nqueens_cp import (
    Model,
    SearchInterrupted,
    SearchStopped,
    Status,
    UnsupportedModel,
    VerificationError,
    all_different,
    allowed_assignments,
    batches,
    count_of,
    element,
    in_domain,
    lex_lesseq,
    load_model,
    predicate,
    queens,
    to_dataframe,
    to_numpy,
)
from nqueens_cp.control import Control
from nqueens_cp.listing.batches import BatchIterator
from nqueens_cp.listing.checker import Checker
from plain_boards import is_solution

COUNTS = {0: 1, 1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92, 9: 352, 10: 724}  # A000170


def odd_model():
    """A model with several arrays, values that are negative, far apart or large, and what holds of its solutions."""
    model = Model("odd")
    x = model.int_vars("x", 3, [-5, 0, 30, 2**40])
    y = model.int_var("y", range(-3, 5))
    z = model.int_vars("z", 2, range(2))
    model.add(all_different([*x, y]), x[0] < x[1], y != 0, z[0] + z[1] >= 1)
    domains = [[-5, 0, 30, 2**40]] * 3 + [range(-3, 5)] + [range(2)] * 2

    def holds(a, b, c, y, p, q):
        return len({a, b, c, y}) == 4 and a < b and y != 0 and p + q >= 1

    return model, sorted(values for values in itertools.product(*domains) if holds(*values))


@pytest.mark.parametrize("n", COUNTS)
def test_boards(n):
    found = to_numpy(n)
    assert (found.shape, found.dtype) == ((COUNTS[n], n), np.uint8)
    rows = [tuple(row) for row in found.tolist()]
    assert rows == sorted(set(rows))
    assert all(map(is_solution, rows))


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("verify", [True, False])
def test_any_values(workers, verify):
    model, expected = odd_model()
    found = to_numpy(model, workers=workers, verify=verify)
    assert found.dtype == np.int64
    assert [tuple(row) for row in found.tolist()] == expected, "in lexicographic order, whatever the number of workers"


@pytest.mark.parametrize(
    "model",
    [
        queens(7, torus=True),
        queens(8, blocked=[(0, 1), (5, 5)], placed=[(3, 6)]),
        queens(5, rows=4),
        load_model("amazons", n=10),
        queens(9),
    ],
    ids=lambda model: str(model).split("\n", 1)[0],
)
def test_workers_keep_the_order_and_backends_agree(model):
    one = to_numpy(model)
    assert len(one)
    assert np.array_equal(to_numpy(model, workers=3), one)
    other = to_numpy(model, backend="cp-sat")
    assert sorted(map(tuple, other.tolist())) == [tuple(row) for row in one.tolist()]


@pytest.mark.parametrize(
    ("domain", "kind"),
    [
        (range(256), np.uint8),
        (range(257), np.int16),
        (range(-1, 100), np.int8),
        (range(-1, 128), np.int8),
        (range(-1, 129), np.int16),
        ([0, 2**31], np.int64),
        ([-(2**31), 0], np.int32),
        ([-(2**63), 2**63 - 1], np.int64),
    ],
)
def test_the_smallest_type(domain, kind):
    model = Model()
    x = model.int_var("x", domain)
    if isinstance(domain, range):
        model.add((x == min(domain)) | (x == max(domain)))
    found = to_numpy(model)
    assert found.dtype == kind
    assert found.tolist() == [[min(domain)], [max(domain)]]


@pytest.mark.parametrize("backend", ["core", "cp-sat", "python-constraint"])
@pytest.mark.parametrize(
    ("limit", "status"), [(91, Status.LIMIT), (92, Status.COMPLETE), (93, Status.COMPLETE), (1, Status.LIMIT)]
)
def test_limits_are_exact(backend, limit, status):
    with batches(8, backend=backend, limit=limit) as found:
        rows = [tuple(row) for batch in found for row in batch.tolist()]
    assert len(rows) == len(set(rows)) == found.found == min(limit, 92)
    assert (found.status, found.backend) == (status, backend)


def test_each_batch_is_the_callers_own():
    kept = list(batches(9))
    assert len(kept) > 1, "the first ones are small, so that they come at once"
    assert is_solution(kept[0][0].tolist())
    assert len(np.unique(np.concatenate(kept), axis=0)) == 352


def test_time_limit_close_and_interrupt():
    with batches(20, time_limit=0.2) as found:
        number = sum(map(len, found))
    assert (found.status, found.found) == (Status.TIMEOUT, number)
    with pytest.raises(SearchStopped, match="time limit") as stopped:
        to_numpy(20, time_limit=0.2)
    assert is_solution(stopped.value.partial[-1].tolist())
    with batches(20, workers=2) as found:
        assert is_solution(next(found)[0].tolist())
    assert found.status is Status.CLOSED

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted) as interrupted:
        list(batches(20, progress=stop))
    assert interrupted.value.partial > 0


def test_what_is_refused():
    with pytest.raises(ValueError, match="limit"):
        batches(8, limit=0)
    with pytest.raises(UnsupportedModel, match="objective"):
        batches(load_model("queens_domination", n=4))


def test_a_data_frame():
    model, expected = odd_model()
    frame = to_dataframe(model)
    assert list(frame.columns) == ["x[0]", "x[1]", "x[2]", "y", "z[0]", "z[1]"]
    assert [tuple(row) for row in frame.itertuples(index=False)] == expected


@pytest.mark.parametrize("workers", [1, 2])
def test_what_comes_after_and_what_is_skipped(workers):
    model, expected = odd_model()
    problem = model.snapshot()
    for place in (0, 1, len(expected) // 2, len(expected) - 1):
        found = BatchIterator(problem, "auto", Control(workers=workers), None, True, after=expected[place])
        assert [tuple(row) for batch in found for row in batch.tolist()] == expected[place + 1 :]
        found = BatchIterator(problem, "auto", Control(workers=workers), 3, True, skip=place)
        assert [tuple(row) for batch in found for row in batch.tolist()] == expected[place : place + 3]


def test_skipping_by_counting(monkeypatch):
    monkeypatch.setattr("nqueens_cp.listing.batches.SKIP_BY_RANK", 1)
    whole = to_numpy(9)
    for skip in (1, 200, 351, 352, 1000):
        found = BatchIterator(queens(9).snapshot(), "auto", Control(), None, True, skip=skip)
        assert [row for batch in found for row in batch.tolist()] == whole[skip:].tolist()
        assert found.status is Status.COMPLETE


def test_a_backend_that_spoils_a_solution_is_found_out(monkeypatch):
    from nqueens_cp.core import kernel

    honest = kernel.batches

    def spoilt(search, control, size):
        for batch in honest(search, control, size):
            batch[len(batch) // 2] = batch[len(batch) // 2 - 1]
            yield batch

    monkeypatch.setattr(kernel, "batches", spoilt)
    with pytest.raises(VerificationError, match="core returned"):
        to_numpy(8)
    assert len(to_numpy(8, verify=False)) == 92


def random_model(seed):
    """A model of random constraints of every kind, and a plain function that says the same."""
    rng = random.Random(seed)
    model, holds = Model(), []
    domains = [
        sorted(rng.sample(range(-4, 6), rng.randint(2, 4))) if rng.random() < 0.8 else [0, 1000, 70_000]
        for _ in range(4)
    ]
    x = [model.int_var(f"x{i}", domain) for i, domain in enumerate(domains)]
    for _ in range(rng.randint(1, 4)):
        i, j, k = rng.sample(range(4), 3)
        c = rng.randint(-2, 3)
        kinds = {
            "different": (
                all_different([x[i] + c, x[j], x[k]]),
                lambda v, i=i, j=j, k=k, c=c: len({v[i] + c, v[j], v[k]}) == 3,
            ),
            "pairs": (
                all_different([x[i] - x[j], x[k], 2 * x[j]]),
                lambda v, i=i, j=j, k=k: len({v[i] - v[j], v[k], 2 * v[j]}) == 3,
            ),
            "linear": (
                2 * x[i] - 3 * x[j] + x[k] <= c,
                lambda v, i=i, j=j, k=k, c=c: 2 * v[i] - 3 * v[j] + v[k] <= c,
            ),
            "modulo": (
                (x[i] + x[j] + x[k]) % 3 != abs(c) % 3,
                lambda v, i=i, j=j, k=k, c=c: (v[i] + v[j] + v[k]) % 3 != abs(c) % 3,
            ),
            "either": (
                (x[i] < x[j]) | ((x[k] == c) & ~(x[i] == x[k])),
                lambda v, i=i, j=j, k=k, c=c: v[i] < v[j] or (v[k] == c and v[i] != v[k]),
            ),
            "implies": (
                (abs(x[i]) > 2).implies(x[j] + x[k] > c),
                lambda v, i=i, j=j, k=k, c=c: abs(v[i]) <= 2 or v[j] + v[k] > c,
            ),
            "count": (
                count_of([x[i], x[j], x[k] + c], x[i]) == 1,
                lambda v, i=i, j=j, k=k, c=c: [v[i], v[j], v[k] + c].count(v[i]) == 1,
            ),
            "element": (
                element([x[i], x[j], 7], x[k] % 3) >= c,
                lambda v, i=i, j=j, k=k, c=c: [v[i], v[j], 7][v[k] % 3] >= c,
            ),
            "numbers": (
                element([5, 1, 3], (x[k] + x[i]) % 3) != x[j],
                lambda v, i=i, j=j, k=k: [5, 1, 3][(v[k] + v[i]) % 3] != v[j],
            ),
            "domain": (in_domain(x[i] + x[j], [0, 1, 4, c]), lambda v, i=i, j=j, c=c: v[i] + v[j] in (0, 1, 4, c)),
            "lex": (
                lex_lesseq([x[i], x[j]], [x[k], x[i]]),
                lambda v, i=i, j=j, k=k: [v[i], v[j]] <= [v[k], v[i]],
            ),
            "table": (
                allowed_assignments([x[i], x[j]], [(a, b) for a in domains[i] for b in domains[j] if a != b + c]),
                lambda v, i=i, j=j, c=c: v[i] != v[j] + c,
            ),
            "predicate": (
                predicate(lambda a, b, c=c: a * b != c, [x[i], x[j]]),
                lambda v, i=i, j=j, c=c: v[i] * v[j] != c,
            ),
        }
        constraint, says = kinds[rng.choice(sorted(kinds))]
        model.add(constraint)
        holds.append(says)
    return model, domains, lambda v: all(says(v) for says in holds)


@pytest.mark.parametrize("tabulated", [65_536, 0])
@pytest.mark.parametrize("chunk", range(4))
def test_the_checker_says_what_plain_python_says(chunk, tabulated, monkeypatch):
    monkeypatch.setattr("nqueens_cp.listing.checker.MAX_TABULATED", tabulated)
    for seed in range(25 * chunk, 25 * chunk + 25):
        model, domains, holds = random_model(seed)
        checker = Checker(model.snapshot())
        rows = list(itertools.product(*domains))
        expected = [holds(row) for row in rows]
        batch = np.array(rows, dtype=np.int64)
        assert checker.holds(batch).tolist() == expected, str(model)
        narrow = batch[(batch >= -128).all(axis=1) & (batch < 128).all(axis=1)]
        assert checker.holds(narrow.astype(np.int8)).tolist() == [holds(row) for row in narrow.tolist()]
        wrong = next((place for place, right in enumerate(expected) if not right), None)
        assert checker.first_fault(batch) == wrong
        for row, right in zip(rows[:20], expected, strict=False):
            assert (checker.reason(row) == "") == right


def test_the_checker_looks_at_domains():
    for low, high, kind in ((0, 5, np.uint8), (-2, 3, np.int64), (0, 5, np.int64)):
        model = Model()
        x = model.int_vars("x", 3, range(low, high))
        free = model.int_var("free", [low, high + 5])
        model.add(all_different(x))
        checker = Checker(model.snapshot())
        good = [low, low + 1, low + 2, low]
        assert checker.holds(np.array([good], dtype=kind)).all()
        for place in range(4):
            for bad in (high, 255, low + 1) if place == 3 else (high, 255):
                row = good.copy()
                row[place] = bad
                assert not checker.holds(np.array([row], dtype=kind)).any(), row
        if kind == np.int64:
            for bad in (2**40, -(2**40), 2**62, -1000):
                assert not checker.holds(np.array([[low, bad, low + 2, low], [bad, low, low + 1, low]])).any()
        assert free.name in checker.reason((low, low + 1, low + 2, low + 1))


def test_many_wide_all_differents():
    """More marks than fit into a word, and more than are used: then values are sorted."""
    rng = np.random.default_rng(5)
    for n, width in ((40, 40), (30, 2000), (3, 100_000)):
        model = Model()
        x = model.int_vars("x", n, range(width))
        model.add(all_different(x), all_different(v + i for i, v in enumerate(x)))
        checker = Checker(model.snapshot())
        rows = rng.integers(0, width, size=(300, n))
        rows[1] = np.arange(n)
        rows[::2] = [rng.permutation(width)[:n] for _ in rows[::2]]
        expected = [len(set(r)) == n and len({c + i for i, c in enumerate(r)}) == n for r in rows.tolist()]
        assert checker.holds(rows).tolist() == expected
        assert any(expected)


def test_the_names_are_lazy():
    assert nqueens_cp.batches is batches
