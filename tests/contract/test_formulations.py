"""Other formulations for the same solver: the same answers on every kind of model, and used only where they are named."""

from __future__ import annotations

import pytest

from nqueens_cp import (
    Model,
    Status,
    UnsupportedModel,
    all_different,
    compare,
    count,
    explain,
    load_model,
    queens,
    solutions,
    solve,
)
from nqueens_cp.backends import backend_names, formulation_names


@pytest.fixture(params=formulation_names())
def formulation(request) -> str:
    return request.param


def small():
    model = Model("small")
    x = model.int_vars("x", 4, domain=range(-1, 4))
    model.add(all_different(x), all_different([2 * x[0], x[1] + 3, 1, x[3]]), abs(x[0] - x[1]) >= 2)
    model.add((x[2] == 0) | (x[3] > x[0]))
    return model


MODELS = [
    lambda: queens(6),
    lambda: queens(6, placed=[(0, 1)], blocked=[(3, 3)]),
    lambda: queens(5, torus=True),
    lambda: queens(6, touching=False),
    lambda: queens(5, regions=["AABBB", "ACCBB", "ACDDB", "EEDDB", "EEEEE"], touching=False),
    lambda: queens(4, pieces=3),
    lambda: queens(5, rows=3),
    lambda: load_model("langford", n=3),
    small,
]


@pytest.mark.parametrize("model_of", MODELS)
def test_the_same_solutions(formulation, model_of, distinct_tuples):
    model = model_of()
    expected = distinct_tuples(solutions(model, backend="cp-sat"), model.variables)
    assert distinct_tuples(solutions(model, backend=formulation), model.variables) == expected
    assert count(model, backend=formulation) == len(expected)
    assert solve(model, backend=formulation).status is (Status.SATISFIED if expected else Status.UNSATISFIABLE)


def test_optima(formulation):
    model = load_model("queens_domination", n=4)
    if formulation.startswith("python-constraint:"):
        with pytest.raises(UnsupportedModel, match="does not optimise"):
            solve(model, backend=formulation)
        return
    assert solve(model, backend=formulation).objective == solve(model, backend="cp-sat").objective == 2


def test_they_are_used_only_where_they_are_named(formulation):
    assert formulation not in backend_names()
    assert formulation not in str(explain(8))


def test_they_can_be_compared(formulation):
    comparison = compare(6, backends=["core", "cp-sat", formulation], task="enumerate")
    assert comparison.agree is True
    assert [row.backend for row in comparison.rows] == ["core", "cp-sat", formulation]
