"""Every backend against brute force on random models: as a set, as a number, and projected."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_cp import Status, UnsupportedModel, count, solutions, solve
from nqueens_cp.backends import formulation_names


def test_backends_agree_with_brute_force(backend, examples, random_problems, distinct_tuples, judge_refusal):
    @settings(max_examples=examples)
    @given(random_problems, st.data())
    def agree(problem, data):
        model, expected = problem.model, problem.solutions()
        try:
            found = solutions(model, backend=backend)
        except UnsupportedModel as error:
            judge_refusal(error, backend, model)
            return
        assert distinct_tuples(found, model.variables) == expected
        assert found.status is Status.COMPLETE
        assert count(model, backend=backend) == len(expected)
        assert solve(model, backend=backend).status is (Status.SATISFIED if expected else Status.UNSATISFIABLE)
        kept = data.draw(st.lists(st.sampled_from(range(len(model.variables))), min_size=1, unique=True))
        over = [model.variables[i] for i in kept]
        projected = distinct_tuples(solutions(model, backend=backend, over=over), over)
        assert projected == {tuple(values[i] for i in kept) for values in expected}

    agree()


@pytest.mark.parametrize("formulation", formulation_names())
def test_formulations_agree_with_brute_force(formulation, random_problems, distinct_tuples):
    @given(random_problems)
    def agree(problem):
        assert (
            distinct_tuples(solutions(problem.model, backend=formulation), problem.model.variables)
            == problem.solutions()
        )

    agree()


def test_the_core_takes_every_unary_and_binary_constraint(binary_problems, distinct_tuples):
    @given(binary_problems)
    def agree(problem):
        model, expected = problem.model, problem.solutions()
        rows = [tuple(s[x] for x in model.variables) for s in solutions(model, backend="core")]
        assert rows == sorted(expected)
        assert count(model, backend="core") == len(expected)
        assert bool(solve(model, backend="core")) is bool(expected)

    agree()


def test_limits_hand_out_distinct_solutions(backend, examples, random_problems, distinct_tuples):
    @settings(max_examples=examples)
    @given(random_problems, st.integers(1, 6))
    def agree(problem, limit):
        model, expected = problem.model, problem.solutions()
        try:
            found = solutions(model, backend=backend, limit=limit)
        except UnsupportedModel:  # judged above
            return
        rows = distinct_tuples(found, model.variables)
        assert rows <= expected
        assert len(rows) == min(limit, len(expected))
        assert found.status is (Status.LIMIT if limit < len(expected) else Status.COMPLETE)

    agree()
