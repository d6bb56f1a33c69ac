"""The Boolean form: what stands for what, how large it gets, and what it refuses."""

from __future__ import annotations

import itertools

import pytest

from nqueens_cp import Model, UnsupportedModel, all_different, count_of, in_domain, queens
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.formats import clauses
from nqueens_cp.formats.boolean import BooleanForm, ValueLiteral
from nqueens_cp.formats.narrow import narrowed
from nqueens_cp.relations import OPERATORS


def form_of(model: Model) -> BooleanForm:
    return BooleanForm(model.snapshot(), "the test", Control())


def satisfying(result: clauses.Clauses) -> list[tuple[bool, ...]]:
    """All assignments of few Boolean variables that make every clause true, by trying them."""
    return [
        values
        for values in itertools.product([False, True], repeat=result.variables)
        if all(any(values[abs(literal) - 1] is (literal > 0) for literal in clause) for clause in result.clauses)
    ]


def test_two_that_are_certain_exclude_each_other():
    model = Model()
    x, y = model.int_var("x", [0, 1]), model.int_var("y", [5, 6])
    model.add(all_different([0, x, x - 1, 2 * y + 3 * x]))  # whatever x is, one of its terms is 0
    assert satisfying(form_of(model).to_clauses()) == []
    model = Model()
    x, y, z = model.int_vars("x", 3, [0, 1])
    model.add(all_different([x, x - 1, y, y - 1, 9 * z + x + y]))  # 0 is a value of the first two, and of the next two
    assert satisfying(form_of(model).to_clauses()) == []


def test_what_the_literals_stand_for():
    model = Model("mapping")
    x, p, one = model.int_var("x", [-1, 3, 5]), model.bool_var("p"), model.int_var("one", [7])
    model.add(x != 3)
    form = form_of(model)
    assert form.mapping == [
        ValueLiteral("x", -1, -1),
        ValueLiteral("x", 5, 1),
        ValueLiteral("p", 0, -2),
        ValueLiteral("p", 1, 2),
        ValueLiteral("one", 7, 3),
    ]
    assert form.literals_of(p) == {0: -2, 1: 2}
    assert form.literals_of(one) == {7: 3}
    assert len(satisfying(form.to_clauses())) == 4


def test_a_board_needs_no_helpers():
    form = form_of(queens(8))
    assert form.variables == 64
    assert len(form.exactly_one) == 16, "rows, and columns, of which each is taken"
    assert all(len(group) > 1 for group in form.at_most_one)
    assert not form.sums


@pytest.mark.parametrize("size", [1, 2, 8, 9])
def test_at_most_one_of_many(size):
    result = clauses.Clauses("the test", Control())
    literals = [result.new() for _ in range(size)]
    result.add_at_most_one(literals)
    assert len(satisfying(result)) == size + 1


@pytest.mark.parametrize("operator", [">=", "=="])
@pytest.mark.parametrize("bound", range(-2, 9))
def test_a_sum_as_clauses(operator, bound):
    """Two views and a view of which two values share a literal's opposite; the helpers must not multiply anything."""
    result = clauses.Clauses("the test", Control())
    a, b, c = (result.new() for _ in range(3))
    groups = ({0: -a, 3: a}, {1: -b, 2: b}, {-1: -c, 2: c})
    result.add_sum(clauses.Sum(groups, operator, bound, clauses.TRUE, "the test"))
    reached = [
        (bool(x), bool(y), bool(z))
        for x, y, z in itertools.product((0, 1), repeat=3)
        if (3 * x + 1 + y - 1 + 3 * z >= bound if operator == ">=" else 3 * x + y + 3 * z == bound)
    ]
    assert [values[:3] for values in satisfying(result)] == reached


def test_long_sums_stay_small():
    """The partial sums of zeros and ones: some literals for each pair of a place and a sum, not for each subset."""
    model = Model("cardinality")
    x = model.int_vars("x", 200, domain=range(2))
    model.add(sum(x) == 20, count_of(x, 0) >= 100)
    result = form_of(model).to_clauses()
    assert result.variables < 200 * 21 + 200 * 102 + 500
    assert sum(map(len, result.clauses)) < 16 * result.variables


def test_equalities_of_large_domains_take_a_clause_for_each_value():
    model = Model("large")
    x, y = model.int_var("x", range(20_000)), model.int_var("y", range(20_000))
    model.add(x == y + 3)
    form = form_of(model)
    assert form.variables == 40_000
    assert len(form.clauses) <= 40_000


def test_too_large_a_model_is_refused_by_name():
    model = Model("wide")
    model.int_var("x", range(10**9))
    with pytest.raises(UnsupportedModel, match=r"the test cannot take 'variable x': it has 1,000,000,000 values"):
        form_of(model)
    model = Model("deep")
    x = model.int_vars("x", 4, domain=range(0, 2 * 10**6, 1_000))
    model.add(all_different([x[0] + x[1] * 7, x[2] * 11 + x[3]]))
    with pytest.raises(UnsupportedModel, match=r"all_different.*a size of more than 5,000,000 literals"):
        form_of(model)


def test_constraints_of_one_variable_narrow_domains_of_any_size():
    model = Model("narrow")
    x, y, z = model.int_var("x", range(-(10**12), 10**12)), model.int_var("y", range(10**9)), model.int_var("z", [1, 9])
    model.add(x >= 10**6 - 3, 5 - 2 * x >= 5 - 2 * 10**6, x % 2 == 1, in_domain(y, [3, 10**8, 10**9]), y != 3, z < 1)
    form = form_of(model)
    assert list(form.literals_of(x)) == [10**6 - 3, 10**6 - 1]
    assert list(form.literals_of(y)) == [10**8]
    assert not satisfying(form), "there is no z"


@pytest.mark.parametrize("domain", [range(-7, 8), [-5, -2, 0, 1, 6]], ids=str)
def test_comparisons_cut_where_the_values_say(domain):
    for operator, holds in OPERATORS.items():
        for factor, constant in itertools.product([-3, -1, 1, 2], [-6, -5, 0, 4, 40]):
            model = Model("cut")
            x = model.int_var("x", domain)
            model.add(holds(factor * x + constant, 0))
            kept = narrowed(model.snapshot(), 0, Control())[0][0]
            if operator != "!=":
                assert list(kept) == [value for value in domain if holds(factor * value + constant, 0)]


def test_the_time_limit_holds_while_a_problem_is_translated():
    model = Model("slow")
    x = model.int_vars("x", 40, domain=range(100))
    model.add(*(abs(x[i] - x[j]) != 1 for i in range(40) for j in range(i)))
    with pytest.raises(TimeLimitReached):
        BooleanForm(model.snapshot(), "the test", Control(0.01))
