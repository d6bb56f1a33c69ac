"""The judges, and the arithmetic under them, against plain Python on random models and expressions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_cp.verify import compiled


def test_every_check_agrees_with_the_plain_function(random_problems):
    @given(random_problems)
    def agree(problem):
        model = problem.model
        assert len(model.constraints) == len(problem.truths), "a constraint is added once"
        for values in problem.assignments():
            assignment = dict(zip(model.variables, values, strict=True))
            verdicts = [constraint.check(assignment) for constraint in model.constraints]
            assert verdicts == [bool(truth(values)) for truth in problem.truths]
            assert all(type(verdict) is bool for verdict in verdicts)

    agree()


def test_a_check_reads_only_the_variables_that_the_constraint_names(random_problems):
    @given(random_problems, st.data())
    def agree(problem, data):
        assignments = problem.assignments()
        values = data.draw(st.sampled_from(assignments))
        assignment = dict(zip(problem.model.variables, values, strict=True))
        for constraint, truth in zip(problem.model.constraints, problem.truths, strict=True):
            assert len(set(constraint.variables)) == len(constraint.variables)
            named = {variable: assignment[variable] for variable in constraint.variables}
            assert constraint.check(named) is bool(truth(values))

    agree()


def test_expressions_evaluate_as_in_python(random_expressions):
    @given(random_expressions(3))
    def agree(drawn):
        variables, expression, table = drawn
        for values, value in table:
            assignment = dict(zip(variables, values, strict=True))
            assert (expression == value).check(assignment) is True
            assert (expression > value).check(assignment) is False
            assert (expression < value).check(assignment) is False

    agree()


def test_bounds_of_linear_expressions_are_exact(random_expressions, linear_expressions):
    @given(random_expressions(4, linear_expressions))
    def agree(drawn):
        _, expression, table = drawn
        reached = [value for _, value in table]
        assert expression.bounds == (min(reached), max(reached))

    agree()


def test_bounds_of_small_expressions_of_every_kind_are_exact(random_expressions):
    """With gaps in the domains and variables that occur twice, which interval arithmetic alone gets wrong."""

    @given(random_expressions(3))
    def agree(drawn):
        _, expression, table = drawn
        reached = [value for _, value in table]
        assert expression.bounds == (min(reached), max(reached))
        assert all(type(bound) is int for bound in expression.bounds)

    agree()


def test_many_assignments_are_checked_as_one_by_one(random_problems):
    @given(random_problems)
    def agree(problem):
        model, assignments = problem.model, problem.assignments()
        columns = dict(zip(model.variables, zip(*assignments, strict=True), strict=True))
        for constraint, truth in zip(model.constraints, problem.truths, strict=True):
            if constraint.variables:  # otherwise there is no column to read how many assignments there are
                verdicts = list(constraint.check_all(columns))
                assert verdicts == [bool(truth(values)) for values in assignments]
                assert all(type(verdict) is bool for verdict in verdicts)

    agree()


def test_the_compiled_judge_agrees_with_the_plain_functions(random_problems):
    @given(random_problems, st.data())
    def agree(problem, data):
        holds = compiled(problem.model.snapshot())
        assignments = problem.assignments()
        for values in assignments:
            assert holds(values) is all(truth(values) for truth in problem.truths)
        variables = problem.model.variables
        place = data.draw(st.integers(0, len(variables) - 1))
        outside = list(data.draw(st.sampled_from(assignments)))
        outside[place] = variables[place].domain[-1] + 1
        with pytest.raises(KeyError):
            holds(outside)

    agree()
