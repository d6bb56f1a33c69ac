"""Elements of variables on CP-SAT, whose own constraint for them took the process down with these models (9.15)."""

from __future__ import annotations

import itertools

from nqueens_cp import Model, Status, all_different, count, element, solutions, solve


def test_an_element_that_may_be_anything():
    model = Model()
    model.int_var("a", range(1, 5))
    b, c = model.int_var("b", range(-2, 2)), model.int_var("c", range(1, 6))
    model.add(element([-3, b, c, b], c % 4) % 3 >= -2)
    assert solve(model, backend="cp-sat").status is Status.SATISFIED
    assert count(model, backend="cp-sat") == 4 * 4 * 5


def test_an_element_below_a_distance():
    model = Model()
    a, b, c = model.int_var("a", range(5)), model.int_var("b", [0]), model.int_var("c", [0])
    model.add(element([2, a, b, b], a % 4) <= abs(c - 3))
    assert solve(model, backend="cp-sat").status is Status.SATISFIED
    assert count(model, backend="cp-sat") == 5


def test_an_array_that_is_its_own_index():
    model = Model()
    x = model.int_vars("x", 5, domain=range(5))
    model.add(all_different(x))
    model.add(*(element(list(x), x[i]) != i for i in range(5)))
    found = {tuple(solution[x]) for solution in solutions(model, backend="cp-sat")}
    assert found == {p for p in itertools.permutations(range(5)) if all(p[p[i]] != i for i in range(5))}


def test_an_array_of_numbers():
    model = Model()
    i, j = model.int_vars("i", 2, domain=range(4))
    model.add(element([3, 1, 3, 0], i) == element([0, 3, 1, 1], j) + 2)
    found = {(solution[i], solution[j]) for solution in solutions(model, backend="cp-sat")}
    assert found == {(a, b) for a in range(4) for b in range(4) if (3, 1, 3, 0)[a] == (0, 3, 1, 1)[b] + 2}
