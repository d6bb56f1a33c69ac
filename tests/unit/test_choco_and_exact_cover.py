"""What only these two backends do: the bounds of Choco's numbers, better and better solutions, covers counted in between."""

from __future__ import annotations

import itertools

import pytest

from nqueens_cp import (
    Model,
    SearchStopped,
    Status,
    UnsupportedModel,
    all_different,
    allowed_assignments,
    count,
    element,
    queens,
    solve,
)
from nqueens_cp.backends import EXTRAS

LARGEST = 21_474_836  # IntVar.MAX_INT_BOUND in Choco's documentation


def needs(backend: str):
    return pytest.mark.skipif(not EXTRAS[backend].is_installed, reason=f"the solver of {backend} is not installed")


@needs("choco")
@pytest.mark.parametrize("sign", [1, -1])
def test_choco_takes_what_its_numbers_hold_and_refuses_more(sign):
    model = Model("at the bound")
    x, p = model.int_var("x", [0, sign * LARGEST]), model.int_var("p", range(2))
    model.add((p == 1).implies(x == sign * LARGEST), (p == 0).implies(abs(x) < LARGEST))
    model.add(allowed_assignments([x, p], [(0, 0), (sign * LARGEST, 1), (10**15, 1)]))
    assert count(model, backend="choco") == 2
    model.add(x + p != 7)
    with pytest.raises(UnsupportedModel, match="can reach 21,474,837, past 21,474,836"):
        count(model, backend="choco")


@needs("choco")
def test_choco_names_the_constraint_that_it_cannot_take():
    model = Model("far")
    x = model.int_vars("x", 3, domain=range(10**7))
    model.add((3 * x[0] == x[1]).implies(x[2] > 4))
    with pytest.raises(UnsupportedModel, match=r"'\(3\*x\[0\] == x\[1\]\) implies \(x\[2\] > 4\)': a value in it"):
        solve(model, backend="choco")


@pytest.mark.parametrize(
    "backend", ["core", "python-constraint", pytest.param("exact-cover", marks=needs("exact-cover"))]
)
def test_an_objective_that_is_refused_does_not_flood_the_message(backend):
    model = queens(26)
    model.minimize(sum(i * column for i, column in enumerate(model.variables)))
    with pytest.raises(UnsupportedModel, match=r"does not optimise.*minimize") as refused:
        solve(model, backend=backend)
    assert len(str(refused.value)) < 220


@needs("choco")
def test_choco_looks_only_at_entries_that_an_index_reaches():
    model = Model("element")
    i, x = model.int_var("i", [1, 2]), model.int_var("x", range(10))
    model.add(element([10**12, 3, x + 1, -(10**12)], i) == x)
    expected = [(i, x) for i, x in itertools.product([1, 2], range(10)) if (10**12, 3, x + 1, -(10**12))[i] == x]
    assert count(model, backend="choco") == len(expected) == 1


@needs("choco")
def test_choco_keeps_the_best_solution_at_the_time_limit():
    model = queens(24)
    queen = model.variables
    model.minimize(sum(i * queen[i] for i in range(12)))
    result = solve(model, backend="choco", time_limit=1)
    assert result.status is Status.TIMEOUT
    columns = [result[q] for q in queen]
    assert result.objective == sum(i * columns[i] for i in range(12))
    for slope in (-1, 0, 1):
        assert len({column + slope * i for i, column in enumerate(columns)}) == 24


@needs("choco")
def test_choco_tells_its_statistics():
    statistics = solve(12, backend="choco").statistics
    assert statistics["nodes"] > 0
    assert set(statistics) == {"nodes", "fails", "backtracks"}


@needs("choco")
def test_choco_passes_on_its_log(capfd):
    lines = []
    assert count(6, backend="choco", log=lines.append) == 4
    assert "4 Solutions" in lines[-1]
    assert "\x1b" not in "".join(lines)
    assert capfd.readouterr().out == ""
    lines = []
    assert solve(6, backend="choco", log=lines.append)
    assert len(lines) == 1
    lines = []
    model = Model("better and better")
    x = model.int_var("x", range(5))
    model.maximize(x)
    assert solve(model, backend="choco", log=lines.append).objective == 4
    assert all("MAXIMIZE" in line for line in lines)


@needs("exact-cover")
def test_a_count_of_covers_that_is_stopped_tells_how_many_there_were():
    with pytest.raises(SearchStopped) as stopped:
        count(queens(17), backend="exact-cover", time_limit=0.7)
    assert 0 < stopped.value.partial < 95_815_104  # A000170


@needs("exact-cover")
def test_the_exact_cover_backend_says_which_constraint_it_cannot_take():
    model = Model("sum")
    x = model.int_vars("x", 3, domain=range(3))
    model.add(all_different(x), x[0] != x[1], sum(x) == 3)
    with pytest.raises(UnsupportedModel, match=r"x\[0\] \+ x\[1\] \+ x\[2\] == 3"):
        count(model, backend="exact-cover")


@needs("exact-cover")
def test_variables_without_a_value_or_a_constraint():
    model = Model("free")
    x = model.int_vars("x", 3, domain=range(4))
    model.add(x[0] > 1)
    assert count(model, backend="exact-cover") == 2 * 4 * 4
    model.add(x[2] > 7)
    assert count(model, backend="exact-cover") == 0
    model.add(all_different(x))
    assert count(model, backend="exact-cover") == 0
    model = Model("pigeons")
    model.add(all_different(model.int_vars("hole", 4, domain=range(3))))
    assert count(model, backend="exact-cover") == 0
