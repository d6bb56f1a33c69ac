"""Fault 28: integers of numpy are integers, and what is none, or too large, is refused where it comes in."""

from __future__ import annotations

import numpy as np
import pytest

from nqueens_cp import (
    Model,
    allowed_assignments,
    count,
    forbidden_assignments,
    in_domain,
    queens,
    solutions,
)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint16])
def test_fault_28_numpy_integers_are_integers(backend, kind, rows_of):
    model = Model()
    x = model.int_var("x", np.arange(4, dtype=kind))
    y = model.int_var("y", [kind(0), kind(3)])
    model.add(kind(2) * x - y + kind(1) <= x * kind(3), x != kind(2), in_domain(x, [kind(1), kind(3)]))
    model.add(allowed_assignments([x, y], np.array([[1, 0], [3, 3], [0, 0], [3, 0]], dtype=kind)))
    found = list(solutions(model, backend=backend, limit=kind(9), workers=int(kind(1))))
    assert sorted(rows_of(found, (x, y))) == [(1, 0), (3, 0), (3, 3)]
    assert all(type(value) is int for solution in found for value in solution.as_dict().values())
    assert count(kind(5), backend=backend) == count(queens(kind(5)), backend=backend) == 10
    assert all(type(value) is int for value in x.domain)


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        2.5,
        "1",
        None,
        True,
        np.True_,
        np.float64(1),
        float("inf"),
        1j,
        [1],
        2**63,
        -(2**63) - 1,
        np.uint64(2**63),
        10**30,
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "use",
    [
        lambda model, x, value: model.int_var("y", [0, value]),
        lambda model, x, value: model.add(in_domain(x, [0, value])),
        lambda model, x, value: model.add(allowed_assignments([x], [(value,)])),
        lambda model, x, value: model.add(forbidden_assignments([x], [(value,)])),
        lambda model, x, value: model.add(x * value <= 3),
        lambda model, x, value: model.add(x + value <= 3),
        lambda model, x, value: model.add(x <= value),
        lambda model, x, value: model.add(x % value == 1),
    ],
    ids=["domain", "in_domain", "allowed", "forbidden", "times", "plus", "less", "modulo"],
)
def test_fault_28_other_numbers_are_refused_not_wrapped(model, xyz, use, value):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        use(model, xyz[0], value)


def test_fault_28_sums_past_64_bits_are_refused_not_wrapped(general_backend):
    model = Model()
    x = model.int_var("x", [0, 2**62])
    y = model.int_var("y", [0, 2**62])

    def wrapped() -> int:
        model.add(2 * x + 2 * y == 0)
        return count(model, backend=general_backend)

    with pytest.raises((ValueError, OverflowError)):
        wrapped()
