"""Expressions and relations: values, bounds, numpy integers, and everything that must be refused."""

from __future__ import annotations

import operator

import numpy
import pytest

from nqueens_cp import InvalidType, InvalidValue, Model, UnsupportedModel, count_of, element, solutions


@pytest.fixture
def model() -> Model:
    return Model("expressions")


@pytest.fixture
def x(model):
    return model.int_var("x", [-3, 0, 5])


@pytest.fixture
def y(model):
    return model.int_var("y", range(1, 5))


@pytest.fixture
def p(model):
    return model.bool_var("p")


def value(expression, assignment) -> int:
    """The value of an expression, found by asking its relations."""
    fitting = [k for k in range(-100, 101) if (expression == k).check(assignment)]
    assert len(fitting) == 1
    return fitting[0]


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda x, y: x, -3),
        (lambda x, y: 7 - x, 10),
        (lambda x, y: 2 * x + y * -3, -12),
        (lambda x, y: -(x - y) + 1, 6),
        (lambda x, y: +x, -3),
        (lambda x, y: sum([x, x, y, 4]), 0),
        (lambda x, y: abs(x), 3),
        (lambda x, y: abs(2 * x - y) - 1, 7),
        (lambda x, y: x % 4, 1),
        (lambda x, y: (x - y) % 3, 1),
        (lambda x, y: abs(x) % 2 + x % 5, 3),
        (lambda x, y: 0 * x, 0),
        (lambda x, y: x - x + 9, 9),
        (lambda x, y: element([8, x, y], y % 3), 2),
        (lambda x, y: count_of([x, y, x, -3], -3) * 2, 6),
    ],
)
def test_values_at_x_minus_3_and_y_2(x, y, build, expected):
    assert value(build(x, y), {x: -3, y: 2}) == expected


@pytest.mark.parametrize(
    ("build", "bounds"),
    [
        (lambda x, y: x, (-3, 5)),
        (lambda x, y: -x, (-5, 3)),
        (lambda x, y: 2 * x - 3 * y + 1, (-17, 8)),
        (lambda x, y: x - x, (0, 0)),
        (lambda x, y: sum([y, y, -y]), (1, 4)),
        (lambda x, y: 0 * x + 7, (7, 7)),
        (lambda x, y: abs(x), (0, 5)),
        (lambda x, y: abs(x + 1), (1, 6)),
        (lambda x, y: abs(x) - x, (0, 6)),
        (lambda x, y: x % 4, (0, 1)),
        (lambda x, y: abs(y - 10), (6, 9)),
        (lambda x, y: -abs(x), (-5, 0)),
        (lambda x, y: y % 10, (1, 4)),
        (lambda x, y: (y - 6) % 10, (5, 8)),
        (lambda x, y: y % 3, (0, 2)),
        (lambda x, y: count_of([x, y], 5), (0, 1)),
        (lambda x, y: element([4, 9, 2], y % 3), (2, 9)),
    ],
)
def test_bounds_are_exact(x, y, build, bounds):
    assert tuple(build(x, y).bounds) == bounds


def test_bounds_are_not_cut_where_offsets_reach_far():
    """../shared/cases/faults.md, 2: the offsets of the diagonals of Q(8) need 2n - 1 values."""
    queen = Model("offsets").int_vars("queen", 8, domain=range(8))
    assert [tuple((queen[i] + i).bounds) for i in (0, 7)] == [(0, 7), (7, 14)]
    assert [tuple((queen[i] - i).bounds) for i in (0, 7)] == [(0, 7), (-7, 0)]


@pytest.mark.parametrize(
    ("relate", "truth"),
    [
        (operator.eq, [False, True, False]),
        (operator.ne, [True, False, True]),
        (operator.lt, [True, False, False]),
        (operator.le, [True, True, False]),
        (operator.gt, [False, False, True]),
        (operator.ge, [False, True, True]),
    ],
)
def test_relations(x, y, relate, truth):
    assignments = [{x: a, y: 2} for a in (-3, 0, 5)]
    assert [relate(x, 0).check(a) for a in assignments] == truth
    assert [relate(x + y, 2).check(a) for a in assignments] == truth
    assert [relate(2 * x + y, y).check(a) for a in assignments] == truth
    assert [relate(0, -x).check(a) for a in assignments] == truth


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("second", [0, 1])
def test_truth_tables(model, p, first, second):
    q = model.bool_var("q")
    at = {p: first, q: second}
    assert (p & q).check(at) is bool(first and second)
    assert (p | q).check(at) is bool(first or second)
    assert (~p).check(at) is (not first)
    assert p.implies(q).check(at) is bool(not first or second)
    assert ((p == 1) & ~(q == 1)).check(at) is bool(first and not second)
    assert (~(p | (q == 0))).check(at) is bool(not first and second)
    assert (~(p & q)).check(at) is (not (first and second))
    assert (~p.implies(q)).check(at) is bool(first and not second)
    assert (p & q & ~(p | q)).check(at) is False


@pytest.mark.parametrize("kind", [numpy.int8, numpy.int64, numpy.uint16])
def test_numpy_integers_are_integers(x, y, kind):
    """../shared/cases/faults.md, 28."""
    three = kind(3)
    for expression in (x + three, three + x, three * x, x - three, three - x, x % three):
        plain_bounds = tuple(expression.bounds)
        assert all(type(bound) is int for bound in plain_bounds)
    assert value(three * x + three, {x: 5}) == 18
    assert value(three - x, {x: 5}) == -2
    assert (three == x).check({x: 3}) is True
    assert (x >= three).check({x: 0}) is False
    assert value(x * numpy.int8(100) - numpy.int8(100) * x + y, {x: 5, y: 2}) == 2, "no wrap-around at 8 bits"


@pytest.mark.parametrize(
    "ask",
    [
        lambda x, y: bool(x == 1),
        lambda x, y: bool(x),
        lambda x, y: bool(x + y),
        lambda x, y: bool((x == 1) & (y == 2)),
        lambda x, y: x in [y, 3],
        lambda x, y: 1 < x < 3,
        lambda x, y: x < y < 3,
        lambda x, y: (x == 1) and (y == 2),
        lambda x, y: not (x - y == 1),  # noqa: SIM201
        lambda x, y: max(x, y),
        lambda x, y: sorted([x, y]),
    ],
)
def test_truth_of_a_relation_is_refused_with_advice(x, y, ask):
    """../shared/cases/faults.md, 26."""
    with pytest.raises(TypeError, match=r"&|\||~|model\.add|all_different|in_domain|implies"):
        ask(x, y)


@pytest.mark.parametrize(
    ("build", "offender"),
    [
        (lambda x, y: x + 1.5, "1.5"),
        (lambda x, y: 2.0 * x, "2.0"),
        (lambda x, y: x - "1", "'1'"),
        (lambda x, y: x == 1.0, "1.0"),
        (lambda x, y: x < None, "None"),
        (lambda x, y: x + True, "True"),
        (lambda x, y: x == False, "False"),  # noqa: E712
        (lambda x, y: x * numpy.float64(0.5), "0.5"),
        (lambda x, y: x * y, "x"),
        (lambda x, y: x * x, "x"),
        (lambda x, y: x % y, "y"),
        (lambda x, y: x % 2.5, "2.5"),
    ],
)
def test_operands_that_are_not_integers(x, y, build, offender):
    with pytest.raises(TypeError) as refused:
        build(x, y)
    assert offender in str(refused.value)


@pytest.mark.parametrize(
    "build", [lambda x: x / 2, lambda x: x // 2, lambda x: x**2, lambda x: 7 % x, lambda x: x @ x, lambda x: ~x]
)
def test_operators_that_do_not_exist(x, build):
    with pytest.raises(TypeError):
        build(x)


@pytest.mark.parametrize(
    ("build", "offender"),
    [
        (lambda x: x % 0, "0"),
        (lambda x: x % -4, "-4"),
        (lambda x: x + 2**64, str(2**64)),
        (lambda x: x * 2**63, str(2**63)),
        (lambda x: x == -(2**70), str(-(2**70))),
        (lambda x: (x + 1) * 2**62 <= 0, str(6 * 2**62)),  # what the left side can reach
    ],
)
def test_numbers_out_of_range(x, build, offender):
    with pytest.raises(InvalidValue) as refused:
        build(x)
    assert offender in str(refused.value).replace(",", "")


@pytest.mark.parametrize(
    ("build", "offender"),
    [
        (lambda x, y, p: p & 1, "1"),
        (lambda x, y, p: (x == 1) & x, "x"),
        (lambda x, y, p: (x == 1).implies(y), "y"),
        (lambda x, y, p: (x == 1).implies("p"), "'p'"),
        (lambda x, y, p: x & (y == 1), "x"),
    ],
)
def test_only_relations_and_booleans_are_combined(x, y, p, build, offender):
    with pytest.raises(TypeError) as refused:
        build(x, y, p)
    assert offender in str(refused.value)


@pytest.mark.parametrize(
    ("build", "error", "offender"),
    [
        (lambda x, y: element([], x), InvalidValue, "0"),
        (lambda x, y: element(5, x), InvalidType, "5"),
        (lambda x, y: element("abc", x), InvalidType, "abc"),
        (lambda x, y: element([1, 2.5], x), InvalidType, "2.5"),
        (lambda x, y: element([1, 2], "x"), InvalidType, "'x'"),
        (lambda x, y: count_of(7, 1), InvalidType, "7"),
        (lambda x, y: count_of([x, "y"], 1), InvalidType, "'y'"),
        (lambda x, y: count_of([x, y], 1.0), InvalidType, "1.0"),
        (lambda x, y: count_of([x, [y]], 1), InvalidType, "["),
    ],
)
def test_bad_arguments_of_element_and_count_of(x, y, build, error, offender):
    with pytest.raises(error) as refused:
        build(x, y)
    assert offender in str(refused.value)


def test_variables_are_their_identity(model, x, y):
    assert len({x, y, x}) == 2
    assert {x: 1}[x] == 1
    assert x.name == "x"
    assert list(x.domain) == [-3, 0, 5]
    assert Model("other").int_var("x", range(3)) not in {x: 1}


@pytest.mark.parametrize(
    ("build", "parts"),
    [
        (lambda x, y: x, ["x"]),
        (lambda x, y: 2 * x - y + 3 <= 4, ["2", "x", "y", "3", "<="]),
        (lambda x, y: abs(x - y) != 1, ["x", "y", "!=", "1"]),
        (lambda x, y: x % 4 == 3, ["x", "%", "4", "==", "3"]),
        (lambda x, y: (x == 1) | ~(y > 2), ["x == 1", "y"]),
    ],
)
def test_expressions_print_as_they_are_written(x, y, build, parts):
    text = str(build(x, y))
    assert all(part in text for part in parts), text
    assert "\n" not in text
    assert "object at 0x" not in text + repr(build(x, y))


def nested(start, function, times):
    for i in range(times):
        start = function(start, i)
    return start


def test_what_is_nested_too_deep_is_refused_where_it_is_made():
    x, y = Model().int_vars("x", 2, domain=range(3))
    assert nested(x, lambda inner, _: abs(inner - 1), 100).depth == 100
    with pytest.raises(InvalidValue, match="nested 100 deep"):
        nested(x, lambda inner, _: abs(inner - 1), 101)
    with pytest.raises(InvalidValue, match="variable of its own"):
        nested(x == 1, lambda inner, i: (inner | (y == i)) & (x != i), 51)
    with pytest.raises(InvalidValue, match="nested"):
        nested(x == 1, lambda inner, _: inner.implies(y == 1), 101)
    side_by_side = nested(x == 1, lambda inner, i: inner | (y == i), 1000)
    assert side_by_side.depth == 1


def test_what_is_as_deep_as_it_may_be(backend):
    model = Model()
    x, y = model.int_vars("x", 2, domain=range(4))
    model.add(nested(x, lambda inner, _: abs(inner - 1), 98) <= 1)
    model.add(nested(x >= 0, lambda inner, i: (inner | (y == i)) & (x != i + 9), 49))
    assert "abs" in str(model.constraints[0])
    assert str(model.constraints[1])
    try:
        found = {tuple(solution["x"]) for solution in solutions(model, backend=backend)}
    except UnsupportedModel as error:
        pytest.skip(f"{backend} declines: {error}")
    assert found == {(a, b) for a in range(4) for b in range(4)}
