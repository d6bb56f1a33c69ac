"""The model: variables, domains, what add() takes, and how a model prints."""

from __future__ import annotations

import pickle

import numpy
import pytest

from nqueens_cp import InvalidType, InvalidValue, Model, all_different, count, lex_lesseq, queens


@pytest.fixture
def model() -> Model:
    return Model("unit")


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (range(3), [0, 1, 2]),
        (range(6, 0, -2), [2, 4, 6]),
        ([1, 1, 2], [1, 2]),
        ((5, -3, 0), [-3, 0, 5]),
        ({7}, [7]),
        (iter([2, 1]), [1, 2]),
        (numpy.arange(3), [0, 1, 2]),
        ([numpy.int64(4), 3], [3, 4]),
        ([-(2**62), 2**62], [-(2**62), 2**62]),
    ],
)
def test_domains_are_finite_sets_of_ints(model, domain, values):
    x = model.int_var("x", domain=domain)
    assert list(x.domain) == values
    assert all(type(value) is int for value in x.domain)
    assert x.bounds == (values[0], values[-1])
    assert x.name == "x"


def test_arrays(model):
    queen = model.int_vars("queen", 4, domain=range(4))
    assert [variable.name for variable in queen] == ["queen[0]", "queen[1]", "queen[2]", "queen[3]"]
    assert len(queen) == 4
    assert queen[-1] is queen[3]
    assert list(map(id, queen[1:3])) == [id(queen[1]), id(queen[2])]
    assert len({queen, queen}) == 1
    assert list(map(id, model.variables)) == list(map(id, queen))
    assert len(model.int_vars("none", 0, domain=range(3))) == 0
    with pytest.raises(IndexError):
        queen[4]


def test_booleans(model):
    p = model.bool_var("p")
    assert list(p.domain) == [0, 1]
    model.add(p)
    assert count(model) == 1


@pytest.mark.parametrize("dimension", [0, 1, 8])
def test_the_board_has_three_constraints(dimension):
    """../shared/cases/faults.md, 29: once each, not 2n + 1."""
    model = queens(dimension)
    assert len(model.constraints) == 3
    assert len(model.variables) == dimension
    assert model.name == "queens"


def test_constraints_are_kept_in_the_order_in_which_they_were_added(model):
    x, y = model.int_var("x", range(3)), model.int_var("y", range(3))
    first, second, third = x < y, all_different([x, y]), lex_lesseq([x], [y])
    model.add(first)
    model.add(second, third)
    model.add()
    assert list(map(id, model.constraints)) == list(map(id, (first, second, third)))
    assert isinstance(model.constraints, tuple)


@pytest.mark.parametrize(
    ("constants", "number"), [((True,), 3), ((False,), 0), ((True, False), 0), ((sum([]) == 0,), 3)]
)
def test_plain_truth_values_may_be_added(model, constants, number):
    model.int_var("x", range(3))
    model.add(*constants)
    assert count(model) == number


def test_a_model_is_only_a_statement(model):
    assert not any(hasattr(model, name) for name in ("solve", "count", "solutions", "backend"))


def test_a_model_survives_pickling():
    """Workers in other processes get a copy."""
    copy = pickle.loads(pickle.dumps(queens(6, blocked=[(0, 0)])))
    assert str(copy) == str(queens(6, blocked=[(0, 0)]))
    assert count(copy) == count(queens(6, blocked=[(0, 0)]))


@pytest.mark.parametrize(
    ("make", "offender"),
    [
        (lambda m: m.int_var("x", []), "x"),
        (lambda m: m.int_var("x", range(0)), "x"),
        (lambda m: m.int_var("x", [1, 2.0]), "2.0"),
        (lambda m: m.int_var("x", [True, False]), "True"),
        (lambda m: m.int_var("x", "012"), "012"),
        (lambda m: m.int_var("x", 5), "5"),
        (lambda m: m.int_var("x", None), "None"),
        (lambda m: m.int_var("x", [1, "2"]), "'2'"),
        (lambda m: m.int_var("x", [numpy.float64(1.5)]), "1.5"),
        (lambda m: m.int_var("x", [2**63]), str(2**63)),
        (lambda m: m.int_var("x", [-(2**64)]), str(-(2**64))),
        (lambda m: m.int_var(3, range(2)), "3"),
        (lambda m: m.int_var("", range(2)), "''"),
        (lambda m: m.bool_var(None), "None"),
        (lambda m: m.int_vars("x", -1, range(2)), "-1"),
        (lambda m: m.int_vars("x", 2.0, range(2)), "2.0"),
        (lambda m: m.int_vars("x", True, range(2)), "True"),
        (lambda m: m.int_vars("x", "3", range(2)), "'3'"),
        (lambda m: m.int_vars("x", 10**9, range(2)), str(10**9)),
        (lambda m: m.add(None), "None"),
        (lambda m: m.add("x < y"), "x < y"),
        (lambda m: m.add(1), "1"),
        (lambda m: m.add([True]), "[True]"),
        (lambda m: m.add(m.int_var("number", range(3))), "number"),
        (lambda m: m.add(m.int_var("number", range(3)) + 1), "number"),
        (lambda m: m.minimize("cost"), "cost"),
        (lambda m: m.maximize(1.5), "1.5"),
        (lambda m: m.minimize(m.int_var("cost", range(3)) <= 2), "cost"),
        (lambda m: m.board("queen"), "queen"),
        (lambda m: m.board([1, 2]), "1"),
        (lambda m: m.board(m.int_vars("queen", 3, range(3)), columns=-1), "-1"),
        (lambda m: m.board(m.int_vars("queen", 3, range(3)), columns=2), "2"),
        (lambda m: Model(5), "5"),
    ],
)
def test_bad_input_is_refused_where_it_enters(model, make, offender):
    with pytest.raises((InvalidValue, InvalidType)) as refused:
        make(model)
    message = str(refused.value)
    assert offender in message.replace(",", "").replace("_", ""), message
    assert "\n" not in message


@pytest.mark.parametrize(
    "again", [lambda m: m.int_var("x", range(2)), lambda m: m.bool_var("x"), lambda m: m.int_vars("x", 2, range(2))]
)
def test_a_name_is_taken_once(model, again):
    """../shared/cases/faults.md, 27."""
    model.int_var("x", range(3))
    with pytest.raises(InvalidValue, match="x"):
        again(model)
    assert len(model.variables) == 1, "a refused array leaves nothing behind"


def test_members_and_arrays_share_one_space_of_names(model):
    model.int_vars("queen", 2, range(2))
    for name in ("queen[1]", "queen"):
        with pytest.raises(InvalidValue) as refused:
            model.int_var(name, range(2))
        assert name in str(refused.value)


@pytest.mark.parametrize(
    "use",
    [
        lambda model, mine, alien: model.add(alien == 1),
        lambda model, mine, alien: model.add(all_different([mine, alien])),
        lambda model, mine, alien: model.add((mine == 1) | (alien == 1)),
        lambda model, mine, alien: model.add(abs(mine - alien) == 1),
        lambda model, mine, alien: model.minimize(mine + alien),
        lambda model, mine, alien: model.board([alien]),
    ],
)
def test_a_variable_of_another_model_is_refused_by_name(model, use):
    mine = model.int_var("mine", range(3))
    alien = Model("elsewhere").int_var("alien", range(3))
    with pytest.raises(InvalidValue, match="alien"):
        use(model, mine, alien)


def test_text_of_a_model(model):
    x, y, p = model.int_var("x", range(3)), model.int_var("y", [-7, 0, 40]), model.bool_var("p")
    model.add(all_different([x + 2, y]), p.implies(x < y), abs(x - y) % 5 >= 2)
    model.minimize(x + y)
    text = str(model)
    lines = text.splitlines()
    assert "unit" in lines[0]
    for part in ("x", "y", "p", "-7", "40", "all_different", "x + 2", "x < y", ">= 2"):
        assert part in text, part
    assert any("minimize" in line and "x + y" in line for line in lines)
    assert "object at 0x" not in text
    assert "maximize" not in text


def test_text_of_the_board_is_short():
    text = str(queens(8))
    assert text.count("all_different") == 3
    assert "queen" in text
    assert len(text) < 1500


def test_the_objective(model):
    x = model.int_var("x", range(3))
    assert model.objective is None
    model.maximize(2 * x)
    assert model.objective is not None
    assert "maximize" in str(model)
    assert "2" in str(model)
