"""Which backend takes what: objectives, predicates that are too large to tabulate, and the choice that `auto` makes."""

from __future__ import annotations

import pytest

from nqueens_cp import Model, Status, UnsupportedModel, count, explain, predicate, queens, solutions, solve


def _knapsack(direction: str) -> Model:
    """Best value 4 at (x, y) = (2, 0); worst -6 at (0, 3), both by looking at the twelve pairs."""
    model = Model("objective")
    x, y = model.int_var("x", range(3)), model.int_var("y", range(4))
    getattr(model, direction)(2 * x - 2 * y)
    model.add(x + y >= 1)
    return model


@pytest.mark.parametrize(("direction", "best", "where"), [("minimize", -6, (0, 3)), ("maximize", 4, (2, 0))])
def test_objectives(backend, direction, best, where, judge_refusal):
    model = _knapsack(direction)
    try:
        result = solve(model, backend=backend)
    except UnsupportedModel as error:
        reason = judge_refusal(error, backend, model)
        assert any(word in reason for word in ("objective", "minimi", "maximi"))
        return
    assert result.status is Status.OPTIMAL
    assert (result["x"], result["y"]) == where
    assert result.objective == result.bound == best


def test_an_impossible_objective(judge_refusal):
    model = _knapsack("minimize")
    model.add(model.variables[0] > 5)
    result = solve(model, backend="cp-sat")
    assert result.status is Status.UNSATISFIABLE
    assert result.objective is None


@pytest.mark.parametrize("ask", [count, solutions])
def test_only_solve_takes_an_objective(backend, ask):
    with pytest.raises(UnsupportedModel, match=r"objective|minimi"):
        ask(_knapsack("minimize"), backend=backend)


def test_auto_chooses_and_says_why():
    board = explain(queens(8))
    assert board.backend == "core"
    assert solve(8).backend == "core"
    optimise = explain(_knapsack("minimize"))
    assert optimise.backend == "cp-sat" == solve(_knapsack("minimize")).backend
    assert any(word in optimise.passed_over["core"] for word in ("objective", "minimi"))
    assert "core" in str(optimise)
    assert "cp-sat" in str(optimise)


def _large_predicate() -> Model:
    """One solution, and 125,000 combinations, more than the 100,000 that are tabulated."""
    model = Model("large predicate")
    model.add(predicate(lambda x, y, z: x + y + z == 0, [model.int_var(name, range(50)) for name in "xyz"]))
    return model


def test_a_large_predicate_is_called_natively_or_declined_by_name(backend):
    model = _large_predicate()
    if backend == "python-constraint":
        assert count(model, backend=backend) == 1
        return
    with pytest.raises(UnsupportedModel) as refused:
        count(model, backend=backend)
    assert str(model.constraints[0]) in str(refused.value)


def test_auto_takes_the_first_backend_that_can():
    choice = explain(_large_predicate())
    assert choice.backend == "python-constraint"
    assert set(choice.passed_over) == {"core", "cp-sat"}
    assert "100,000" in choice.passed_over["cp-sat"]
    assert count(_large_predicate()) == 1


def test_where_no_backend_can_each_one_says_why():
    model = _large_predicate()
    model.minimize(model.variables[0])
    with pytest.raises(UnsupportedModel) as refused:
        solve(model)
    message = str(refused.value)
    assert all(name in message for name in ("core", "cp-sat", "python-constraint"))
    assert "objective" in message
    assert "100,000" in message
