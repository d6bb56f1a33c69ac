"""What comes back: Result, Solution, Status, and the iterator's small promises."""

from __future__ import annotations

import pytest

from nqueens_cp import Model, NoSolution, Solution, Status, all_different, queens, solutions, solve


@pytest.fixture
def mixed() -> Model:
    """One solution: queen = [1, 0], p = 1."""
    model = Model("mixed")
    queen, p = model.int_vars("queen", 2, range(2)), model.bool_var("p")
    model.add(all_different(queen), queen[0] > queen[1], p)
    return model


@pytest.fixture
def solution(mixed) -> Solution:
    (only,) = solutions(mixed)
    return only


def test_a_solution_is_keyed_by_variable_array_and_name(mixed, solution):
    first, second, p = mixed.variables
    assert (solution[first], solution[second], solution[p]) == (1, 0, 1)
    assert (solution["queen[0]"], solution["queen[1]"], solution["p"]) == (1, 0, 1)
    assert solution["queen"] == [1, 0]
    assert type(solution["queen"]) is list
    assert type(solution["p"]) is int
    assert solution.as_dict() == {"queen": [1, 0], "p": 1}


def test_an_array_is_a_key_too():
    model = queens(4)
    for found in solutions(model):
        array = found["queen"]
        assert [found[variable] for variable in model.variables] == array
    free = Model("arrays")
    xs = free.int_vars("x", 2, [7])
    result = solve(free)
    assert result[xs] == [7, 7] == result.solution[xs] == result["x"]


@pytest.mark.parametrize("key", ["nobody", "queen[2]", 0, None])
def test_unknown_keys_are_refused_by_name(solution, key):
    with pytest.raises((LookupError, ValueError, TypeError)) as refused:
        solution[key]
    assert str(key) in str(refused.value)


def test_a_variable_of_another_model_is_no_key(solution):
    alien = Model("elsewhere").int_var("alien", range(2))
    with pytest.raises((LookupError, ValueError), match="alien"):
        solution[alien]


def test_solutions_are_values(mixed, solution):
    (again,) = solutions(mixed)
    assert again == solution
    assert hash(again) == hash(solution)
    assert len({again, solution}) == 1
    assert len(set(solutions(queens(6)))) == 4
    assert solution != 5
    with pytest.raises((AttributeError, TypeError)):
        solution["p"] = 0


def test_changing_what_a_solution_hands_out_does_not_change_it(solution):
    solution["queen"].append(9)
    solution.as_dict()["p"] = 9
    assert solution.as_dict() == {"queen": [1, 0], "p": 1}


def test_a_solution_prints_its_values(solution):
    text = str(solution)
    assert "p = 1" in text
    assert "queen" in text
    assert "\n" not in text
    model = Model("plain")
    model.int_var("x", [1])
    model.int_var("y", [2])
    assert str(next(solutions(model))) == "x = 1, y = 2"


def test_the_solution_of_nothing():
    (empty,) = solutions(Model("nothing"))
    assert empty.as_dict() == {}
    assert str(empty) == ""


def test_a_result_with_a_solution(mixed):
    result = solve(mixed)
    assert result.status is Status.SATISFIED
    assert result.solution["p"] == result["p"] == result[mixed.variables[2]] == 1
    assert bool(result) is True
    assert result.objective is None
    assert isinstance(result.backend, str)
    with pytest.raises(AttributeError):
        result.status = Status.OPTIMAL


def test_a_result_without_one_never_lends_values(mixed):
    """../shared/cases/faults.md, 24."""
    mixed.add(mixed.variables[0] == 0)
    result = solve(mixed)
    assert result.status is Status.UNSATISFIABLE
    assert result.solution is None
    assert bool(result) is False
    for key in (mixed.variables[0], "p", "queen"):
        with pytest.raises(NoSolution):
            result[key]


def test_the_statuses_have_no_truth_value():
    names = ["SATISFIED", "OPTIMAL", "UNSATISFIABLE", "TIMEOUT", "COMPLETE", "LIMIT", "INTERRUPTED", "CLOSED"]
    assert {status.name for status in Status} == set(names)
    for status in Status:
        with pytest.raises(TypeError, match="Status"):
            bool(status)


def test_the_iterator_counts_and_ends():
    found = solutions(queens(4))
    assert iter(found) is found
    assert (found.status, found.found) == (None, 0)
    next(found)
    assert (found.status, found.found) == (None, 1)
    next(found)
    with pytest.raises(StopIteration):
        next(found)
    assert (found.status, found.found) == (Status.COMPLETE, 2)
    with pytest.raises(StopIteration):
        next(found)


def test_leaving_the_block_by_an_exception_closes_the_search():
    found = solutions(queens(8))

    def fail_inside() -> None:
        with found:
            next(found)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()
    assert found.status is Status.CLOSED
