"""Faults 26, 27, 29 and 30: modelling mistakes that must not pass in silence."""

from __future__ import annotations

import numpy as np
import pytest

from nqueens_cp import (
    InvalidValue,
    Model,
    NQueensError,
    all_different,
    allowed_assignments,
    count,
    count_of,
    element,
    forbidden_assignments,
    in_domain,
    lex_lesseq,
    predicate,
    queens,
    solutions,
    solve,
)


@pytest.mark.parametrize(
    "mistake",
    [
        lambda x, y, p: bool(x == 1),
        lambda x, y, p: 1 if x != y else 0,
        lambda x, y, p: x in [1, 2],
        lambda x, y, p: x + 1 in (y, 3),
        lambda x, y, p: [y, 2].index(x + 0),
        lambda x, y, p: 0 < x < 3,
        lambda x, y, p: x == y == 1,
        lambda x, y, p: x == 1 and y == 2,
        lambda x, y, p: (x == 1) or (y == 2),
        lambda x, y, p: not x <= 1,
        lambda x, y, p: max(x, y),
        lambda x, y, p: sorted([x, y]),
        lambda x, y, p: any([x > 1, y > 1]),
        lambda x, y, p: bool((x == 1) & (y == 2)),
        lambda x, y, p: bool(p.implies(x == 1)),
    ],
    ids=[
        "bool", "if", "in-list", "in-tuple", "index", "chain", "equal-chain", "and", "or", "not", "max", "sorted", "any",
        "conjunction", "implication",
    ],
)  # fmt: skip
def test_fault_26_a_relation_is_not_a_truth_value(model, xyz, mistake):
    x, y, _ = xyz
    with pytest.raises(TypeError, match="&"):  # what to write for `and`
        mistake(x, y, model.bool_var("p"))


@pytest.mark.parametrize(
    "mistake",
    [
        bool,
        lambda v: 1 if v else 0,
        lambda v: not v,
        lambda v: v and True,
        lambda v: bool(v + 1),
        lambda v: bool(abs(v)),
    ],
    ids=["bool", "if", "not", "and", "sum", "abs"],
)
@pytest.mark.parametrize("boolean", [False, True])
def test_fault_26_a_variable_is_not_one_either(model, mistake, boolean):
    variable = model.bool_var("v") if boolean else model.int_var("v", range(3))
    with pytest.raises(TypeError) as caught:
        mistake(variable)
    assert len(str(caught.value)) > 30, "the message says what to write instead"


def foreign():
    return Model("other").int_var("foreign", range(4))


@pytest.mark.parametrize(
    "use",
    [
        lambda model, x, y, alien: model.add(alien == 1),
        lambda model, x, y, alien: model.add(x + 2 * alien <= 3),
        lambda model, x, y, alien: model.add((x == 1) | ~(abs(alien) == 2)),
        lambda model, x, y, alien: model.add(all_different([x, alien])),
        lambda model, x, y, alien: model.add(all_different(v % 3 for v in (x, alien))),
        lambda model, x, y, alien: model.add(allowed_assignments([x, alien], [(0, 0)])),
        lambda model, x, y, alien: model.add(forbidden_assignments([x, alien], [(0, 0)])),
        lambda model, x, y, alien: model.add(element([1, 2, 3, 4], alien) == x),
        lambda model, x, y, alien: model.add(count_of([x, alien], 1) == 1),
        lambda model, x, y, alien: model.add(in_domain(alien, [1])),
        lambda model, x, y, alien: model.add(lex_lesseq([x], [alien])),
        lambda model, x, y, alien: model.add(predicate(lambda a, b: a < b, [x, alien])),
        lambda model, x, y, alien: model.minimize(x + alien),
        lambda model, x, y, alien: model.maximize(alien),
        lambda model, x, y, alien: solutions(model, over=[x, alien]),
    ],
)
def test_fault_27_a_variable_of_another_model(model, xyz, use):
    x, y, _ = xyz
    with pytest.raises(NQueensError, match="foreign"):
        use(model, x, y, foreign())
    assert model.constraints == ()
    assert model.objective is None


def test_fault_27_equal_names_do_not_make_variables_equal(model, xyz):
    twin = Model("small").int_var("x", range(4))
    with pytest.raises(NQueensError, match="x"):
        model.add(twin == 1)
    with pytest.raises((LookupError, NQueensError), match="x"):
        solve(model).solution[twin]


@pytest.mark.parametrize("key", ["w", "x[0]", "", 0, None, 1.5], ids=repr)
def test_fault_27_an_unknown_key(model, xyz, key):
    solution = solve(model).solution
    with pytest.raises((LookupError, TypeError, ValueError)) as caught:
        solution[key]
    assert str(key) in str(caught.value)


@pytest.mark.parametrize(
    "again",
    [
        lambda model: model.int_var("x", range(2)),
        lambda model: model.bool_var("x"),
        lambda model: model.int_vars("x", 3, domain=range(2)),
        lambda model: model.int_var("row[1]", range(2)),
        lambda model: model.int_vars("row", 2, domain=range(2)),
    ],
    ids=["int", "bool", "array", "member", "array-again"],
)
def test_fault_27_the_same_name_twice(model, again):
    model.int_var("x", range(3))
    model.int_vars("row", 2, domain=range(3))
    before = model.variables
    with pytest.raises(InvalidValue, match=r"x|row"):
        again(model)
    assert model.variables == before, "a refused array leaves none of its members behind"


@pytest.mark.parametrize(
    "state",
    [
        lambda each, x, y, z: all_different(each((x, y, z))),
        lambda each, x, y, z: all_different(each((x + 1, y - 1))),
        lambda each, x, y, z: allowed_assignments(each((x, y)), each([(0, 1), (2, 3), (3, 3)])),
        lambda each, x, y, z: forbidden_assignments(each((x, y)), each(each(t) for t in [(0, 1), (2, 3)])),
        lambda each, x, y, z: count_of(each((x, y, z)), 1) == 2,
        lambda each, x, y, z: element(each((3, 1, 0, 2)), x) == y,
        lambda each, x, y, z: in_domain(x, each((1, 3))),
        lambda each, x, y, z: predicate(lambda a, b: a < b, each((y, z))),
        lambda each, x, y, z: lex_lesseq(each((x, y)), each((y, z))),
    ],
    ids=["different", "sums", "allowed", "forbidden", "count", "element", "domain", "predicate", "lex"],
)
def test_fault_27_a_generator_serves_where_a_list_does(state):
    counts = []
    for each in (list, lambda items: (item for item in items)):
        model = Model()
        model.add(state(each, *(model.int_var(name, range(4)) for name in "xyz")))
        counts.append((count(model, backend="cp-sat"), count(model, backend="python-constraint"), len(str(model)) > 0))
    assert counts[0] == counts[1]
    assert counts[0][0] == counts[0][1] < 64


@pytest.mark.parametrize("n", [1, 4, 8, 30])
def test_fault_29_three_constraints_for_any_size(n):
    assert len(queens(n).constraints) == 3
    assert len(queens(n).variables) == n
    assert len({len(queens(n, torus=True).constraints), len(queens(n + 5, torus=True).constraints)}) == 1


def test_fault_29_a_count_does_not_add_to_the_model(backend):
    model = queens(5)
    text = str(model)
    assert count(model, backend=backend) == count(model, backend=backend) == 10
    assert (len(model.variables), len(model.constraints), str(model)) == (5, 3, text)


@pytest.mark.parametrize(
    "terms",
    [
        lambda x, y: None,
        lambda x, y: "xy",
        lambda x, y: ["x", "y"],
        lambda x, y: [[x, y]],
        lambda x, y: [x, [y]],
        lambda x, y: x,
        lambda x, y: 3,
        lambda x, y: [x, None],
        lambda x, y: [x, 1.5],
        lambda x, y: [x, x == 1],
        lambda x, y: [all_different([x, y])],
        lambda x, y: {x: 1, "y": 2},
    ],
    ids=[
        "none",
        "text",
        "names",
        "nested",
        "half-nested",
        "variable",
        "number",
        "with-none",
        "float",
        "relation",
        "global",
        "dict",
    ],
)
def test_fault_30_all_different_of_something_else(xyz, terms):
    x, y, _ = xyz
    with pytest.raises(TypeError, match="all_different"):
        all_different(terms(x, y))


@pytest.mark.parametrize(
    "nest",
    [
        lambda x, y: all_different([x, y]) & (x == 1),
        lambda x, y: (x == 1) | all_different([x, y]),
        lambda x, y: ~all_different([x, y]),
        lambda x, y: (x == 1).implies(all_different([x, y])),
        lambda x, y: (x == 1) & lex_lesseq([x], [y]),
        lambda x, y: bool(all_different([x, y])),
    ],
    ids=["and", "or", "not", "implies", "lex", "bool"],
)
def test_fault_30_globals_stand_at_the_top_level_only(xyz, nest):
    with pytest.raises(TypeError):
        nest(*xyz[:2])


@pytest.mark.parametrize("junk", [None, "x == 1", 1, 0, [], len, np.True_, 1.0], ids=repr)
def test_fault_30_only_constraints_are_added(model, junk):
    with pytest.raises(TypeError):
        model.add(junk)
    assert model.constraints == ()
