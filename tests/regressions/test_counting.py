"""Faults 1 to 11: solutions that are lost, repeated or invented."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nqueens_cp import (
    InvalidValue,
    Model,
    Status,
    all_different,
    allowed_assignments,
    count,
    predicate,
    solutions,
    solve,
)

QUEENS = [1, 1, 0, 0, 2, 10, 4, 40, 92]  # A000170, n = 0..8


def test_fault_01_helpers_multiply_nothing(backend, formulation, board, rows_of):
    model, queen = board(5, formulation)
    found = rows_of(solutions(model, backend=backend), queen)
    assert len(found) == len(set(found)) == QUEENS[5]


@pytest.mark.parametrize("sizes", [(3,), (2, 2)], ids=str)
def test_fault_01_free_variables_and_projection(backend, board, rows_of, sizes):
    model, queen = board(5)
    free = [model.int_var(f"free{i}", range(size)) for i, size in enumerate(sizes)]
    assert count(model, backend=backend) == QUEENS[5] * int(np.prod(sizes))

    for over in ([queen], list(queen), [*queen[2:], queen[0], queen[1]]):
        projected = list(solutions(model, backend=backend, over=over))
        assert len(set(projected)) == len(projected) == QUEENS[5]
    assert sorted(rows_of(solutions(model, backend=backend, over=free), free)) == sorted(
        itertools.product(*map(range, sizes))
    )


def test_fault_01_projection_keeps_only_what_extends(backend, board, rows_of):
    model, queen = board(6)
    firsts = rows_of(solutions(model, backend=backend, over=[queen[0], queen[3]]), [queen[0], queen[3]])
    everything = rows_of(solutions(board(6)[0], backend=backend), [f"queen[{i}]" for i in range(6)])
    assert sorted(firsts) == sorted({(row[0], row[3]) for row in everything})


def test_fault_02_bounds_of_helpers_lose_nothing(backend, formulation, board):
    model, _ = board(8, formulation)
    assert count(model, backend=backend) == QUEENS[8]


@pytest.mark.parametrize("n", range(8))
def test_fault_02_every_small_size(backend, n):
    assert count(n, backend=backend) == QUEENS[n]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_fault_03_workers_repeat_and_lose_nothing(backend, board, rows_of, workers):
    model, queen = board(6)
    assert count(model, backend=backend, workers=workers) == QUEENS[6]
    found = rows_of(solutions(model, backend=backend, workers=workers), queen)
    assert sorted(found) == sorted(set(found)) == sorted(rows_of(solutions(model, backend=backend), queen))
    assert solve(model, backend=backend, workers=workers).status is Status.SATISFIED


def test_fault_04_a_model_is_not_spoiled_by_use(backend, board, rows_of):
    model, queen = board(4)
    first = rows_of(solutions(model, backend=backend), queen)
    assert sorted(first) == sorted(rows_of(solutions(model, backend=backend), queen)) == [(1, 3, 0, 2), (2, 0, 3, 1)]
    assert solve(model, backend=backend).status is Status.SATISFIED
    assert count(model, backend=backend) == 2
    next(solutions(model, backend=backend))  # left half-used
    assert count(model, backend=backend) == 2


def test_fault_04_a_search_runs_on_a_snapshot(backend, board):
    model, queen = board(6)
    opened = solutions(model, backend=backend)
    model.add(queen[0] == 1)
    assert len(list(opened)) == 4, "a constraint that was added after the call must not reach the search"
    assert count(model, backend=backend) == 1


@pytest.mark.parametrize("other", ["core", "cp-sat", "python-constraint"])
def test_fault_05_two_iterators_in_turn(backend, other, board, rows_of):
    model, queen = board(6)
    pairs = list(itertools.zip_longest(solutions(model, backend=backend), solutions(model, backend=other)))
    for column in zip(*pairs, strict=True):
        assert None not in column
        assert len(set(rows_of(column, queen))) == QUEENS[6]


def test_fault_06_unmentioned_variables_count(backend, rows_of):
    model = Model()
    x, y = model.int_var("x", range(2)), model.int_var("y", range(3))
    model.add(x != 1)
    assert sorted(rows_of(solutions(model, backend=backend), (x, y))) == [(0, 0), (0, 1), (0, 2)]
    assert count(model, backend=backend) == 3


def test_fault_06_vacuous_constraints_change_nothing(backend):
    model = Model()
    x, y, z = model.int_vars("v", 3, domain=[-1, 4])
    model.add(x <= 4, abs(y) >= 0, all_different([z]), True)
    assert count(model, backend=backend) == 8


def test_fault_07_no_variables(backend):
    model = Model()
    assert count(model, backend=backend) == 1
    assert len(list(solutions(model, backend=backend))) == 1
    assert solve(model, backend=backend).status is Status.SATISFIED
    model.add(sum([]) == 0)
    assert count(model, backend=backend) == 1
    model.add(sum([]) == 1)
    assert count(model, backend=backend) == 0
    assert solve(model, backend=backend).status is Status.UNSATISFIABLE


def test_fault_07_an_impossible_constant_beside_variables(backend):
    model = Model()
    model.int_var("x", range(5))
    model.add(False)
    assert count(model, backend=backend) == 0
    found = solutions(model, backend=backend)
    assert list(found) == []
    assert found.status is Status.COMPLETE


@pytest.mark.parametrize("domain", [[], range(0), range(3, 3), set(), np.array([], dtype=int)], ids=repr)
def test_fault_07_an_empty_domain_is_refused_where_it_is_made(domain):
    with pytest.raises(InvalidValue, match="gap"):
        Model().int_var("gap", domain)


@pytest.mark.parametrize("domain", [[1, 1, 2], (2, 1, 2, 1), np.array([2, 2, 1])], ids=repr)
def test_fault_08_repeated_values_count_once(backend, rows_of, domain):
    model = Model()
    x = model.int_var("x", domain)
    pair = model.int_vars("pair", 2, domain=domain)
    model.add(all_different(pair))
    assert list(x.domain) == [1, 2]
    found = rows_of(solutions(model, backend=backend), (x, *pair))
    assert sorted(found) == [(1, 1, 2), (1, 2, 1), (2, 1, 2), (2, 2, 1)]


def test_fault_09_implication_of_a_linear_sum(general_backend):
    model = Model()
    x, y, z = (model.int_var(name, range(3)) for name in "xyz")
    p = model.bool_var("p")
    model.add(p.implies(2 * x + 3 * y + 5 * z == 12))
    assert count(model, backend=general_backend) == 29


@pytest.mark.parametrize(
    ("state", "plain"),
    [
        (lambda a, b, p: (a + b == 3) | p, lambda a, b, p: a + b == 3 or p == 1),
        (lambda a, b, p: ~((a < b) & p), lambda a, b, p: not (a < b and p == 1)),
        (lambda a, b, p: p.implies(a == b) & (~p).implies(a != b), lambda a, b, p: (a == b) == (p == 1)),
        (lambda a, b, p: ((a == 1) & (b == 2)).implies(p), lambda a, b, p: not (a == 1 and b == 2) or p == 1),
        (lambda a, b, p: ~(~(a == b) | (abs(a - b) >= 2)), lambda a, b, p: a == b and abs(a - b) < 2),
    ],
    ids=["or", "not-and", "both-ways", "and-implies", "not-not"],
)
def test_fault_09_reified_relations_never_double(general_backend, brute_force, rows_of, state, plain):
    model = Model()
    a, b = model.int_var("a", range(-1, 3)), model.int_var("b", [0, 2, 3])
    p = model.bool_var("p")
    model.add(state(a, b, p))
    found = rows_of(solutions(model, backend=general_backend), (a, b, p))
    assert sorted(found) == sorted(brute_force([range(-1, 3), [0, 2, 3], (0, 1)], plain))


@pytest.mark.parametrize("as_table", [False, True], ids=["predicate", "table"])
def test_fault_10_products_of_negatives(backend, as_table):
    model = Model()
    v, w = model.int_var("v", [3]), model.int_var("w", [-3, -2, 2])
    if as_table:
        model.add(allowed_assignments([v, w], [(a, b) for a in (3,) for b in (-3, -2, 2) if a * b <= -3]))
    else:
        model.add(predicate(lambda a, b: a * b <= -3, [v, w]))
    assert count(model, backend=backend) == 2


@pytest.mark.parametrize("modulus", [1, 2, 4, 7])
def test_fault_10_modulo_is_the_floor_one(backend, rows_of, modulus):
    values = range(-9, 10)
    model = Model()
    x, r = model.int_var("x", values), model.int_var("r", range(-modulus, modulus + 1))
    model.add(x % modulus == r)
    found = rows_of(solutions(model, backend=backend), (x, r))
    assert sorted(found) == [(value, value % modulus) for value in values]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (lambda x: -2 * x - 1 >= 2, [-3, -2]),
        (lambda x: abs(x - 1) == 3, [-2]),
        (lambda x: (x - 1) % 4 == 3, [0]),
        (lambda x: (-x) % 3 == 1, [-1, 2]),
        (lambda x: 3 * (x + 1) < -3, [-3]),
    ],
    ids=["times-negative", "abs", "minus-one-modulo-four", "modulo-of-negated", "strict"],
)
def test_fault_10_signs(backend, rows_of, state, expected):
    model = Model()
    x = model.int_var("x", range(-3, 4))
    model.add(state(x))
    assert sorted(rows_of(solutions(model, backend=backend), [x])) == [(value,) for value in expected]


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (lambda x, y: [x, x], 0),
        (lambda x, y: [x, y, x], 0),
        (lambda x, y: [x + 1, 1 + x], 0),
        (lambda x, y: [x, 7, y, 7], 0),
        (lambda x, y: [7, 8], 9),
        (lambda x, y: [x, 1], 6),
        (lambda x, y: [x, -x], 6),
        (lambda x, y: [x], 9),
        (lambda x, y: [5], 9),
        (lambda x, y: [], 9),
        (lambda x, y: [x, y], 6),
    ],
    ids=[
        "twice",
        "twice-of-three",
        "same-sum",
        "equal-constants",
        "constants",
        "constant",
        "negated",
        "one",
        "one-constant",
        "none",
        "two",
    ],
)
def test_fault_11_degenerate_all_different(backend, terms, expected):
    model = Model()
    x, y = model.int_vars("v", 2, domain=range(3))
    model.add(all_different(terms(x, y)))
    assert count(model, backend=backend) == expected
    assert (solve(model, backend=backend).status is Status.SATISFIED) == (expected > 0)
