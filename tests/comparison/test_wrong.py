"""Comparing backends that are wrong on purpose: each way of being wrong is found out."""

from __future__ import annotations

import re

import pytest

from nqueens_cp import compare
from nqueens_cp.comparison import load_comparison
from nqueens_cp.comparison.page import html_text
from nqueens_cp.comparison.report import save

SIX = [[1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]]  # all solutions for n = 6
OPTIMUM = 21  # of `far`, below


@pytest.mark.parametrize("task", ["count", "enumerate"])
def test_a_dropped_solution(task, row_of):
    comparison = compare(range(5, 7), backends=["drops", "core"], task=task)
    assert comparison.agree is False
    assert row_of(comparison, "drops", "queens n=6").solutions == 3
    difference = comparison.difference
    assert difference is not None
    assert (difference.missed_by, difference.model) == ("drops", "queens n=6")
    assert difference.found_by == "core"
    assert difference.solution["queen"] == SIX[2]
    assert "DISAGREE" in str(comparison)


@pytest.mark.parametrize("task", ["count", "enumerate"])
def test_a_repeated_solution(task):
    comparison = compare(6, backends=["core", "repeats"], task=task)
    assert comparison.agree is False
    assert [row.solutions for row in comparison.rows] == [4, 5]
    assert comparison.difference is None, "there is no solution that only one of them found"
    assert "DISAGREE" in str(comparison)


@pytest.mark.parametrize("order", [["core", "replaces"], ["replaces", "core", "reversed"]])
def test_as_many_solutions_but_another_one(order, row_of):
    comparison = compare(6, backends=order, task="enumerate")
    assert {row.solutions for row in comparison.rows} == {4}
    assert row_of(comparison, "core").digest != row_of(comparison, "replaces").digest
    assert comparison.agree is False
    assert comparison.difference.solution["queen"] == list(range(6)), "the first in order"
    assert comparison.difference.found_by == "replaces"
    assert comparison.difference.missed_by in ("core", "reversed")
    assert "replaces" in str(comparison.difference)
    assert "Q . . . . ." in str(comparison.difference)


def test_the_difference_is_saved_and_read(tmp_path):
    comparison = compare(6, backends=["core", "drops"])
    save(comparison, tmp_path / "a.json")
    read = load_comparison(tmp_path / "a.json")
    assert str(read.difference) == str(comparison.difference)
    assert read.difference.solution.as_dict() == comparison.difference.solution.as_dict()
    assert html_text(read) == html_text(comparison)
    save(read, tmp_path / "b.json")
    assert (tmp_path / "b.json").read_text() == (tmp_path / "a.json").read_text()


def test_the_difference_does_not_blame_who_failed():
    """One that answers differently each time is a failure, and no party to the disagreement of the others."""
    comparison = compare(6, backends=["core", "changes", "drops"], repeats=2)
    assert comparison.agree is False
    assert (comparison.difference.found_by, comparison.difference.missed_by) == ("core", "drops")


def test_the_difference_does_not_blame_who_was_right():
    comparison = compare(6, backends=["core", "repeats", "drops"], task="enumerate")
    assert comparison.agree is False
    assert comparison.difference.missed_by == "drops"
    assert comparison.difference.solution["queen"] == SIX[2]


def test_another_answer_each_time(row_of):
    comparison = compare(6, backends=["changes"], repeats=2)
    row = row_of(comparison, "changes")
    assert (row.status, row.is_complete) == ("failed", False)
    assert "and then" in row.reason
    assert {"3", "4"} <= set(re.findall(r"\d+", row.reason))


def test_another_set_each_time(row_of):
    row = row_of(compare(6, backends=["changes-set"], repeats=2, task="enumerate"), "changes-set")
    assert len({measurement.digest for measurement in row.measurements}) == 2
    assert (row.status, row.is_complete) == ("failed", False)


def test_another_optimum_each_time(far, row_of):
    row = row_of(compare(far, backends=["fickle"], repeats=2, task="solve"), "fickle")
    assert (row.status, row.is_complete) == ("failed", False)


@pytest.mark.parametrize("backend", ["attacked", "short"])
def test_a_wrong_solution(backend, row_of):
    comparison = compare(6, backends=[backend, "core"], task="solve")
    row = row_of(comparison, backend)
    assert (row.status, row.is_complete) == ("wrong", False)
    assert row.reason
    assert comparison.agree is False
    assert compare(6, backends=[backend], task="solve").agree is False, "it takes nobody else to see that"


def test_no_solution_claimed_where_there_is_one():
    comparison = compare(6, backends=["core", "never"], task="solve")
    assert [row.status for row in comparison.rows] == ["satisfied", "unsatisfiable"]
    assert comparison.agree is False
    assert "DISAGREE" in str(comparison)


def test_an_optimum(far, row_of):
    comparison = compare(far, backends=["best", "cp-sat", "stopped-low"], task="solve")
    assert comparison.agree is True, "the one that was stopped has a worse solution, which is no contradiction"
    assert [row.objective for row in comparison.rows] == [OPTIMUM, OPTIMUM, 18]
    assert row_of(comparison, "cp-sat").status == "optimal"
    assert not row_of(comparison, "stopped-low").is_complete


def test_an_optimum_that_is_too_low(far):
    comparison = compare(far, backends=["low", "cp-sat"], task="solve")
    assert [row.objective for row in comparison.rows] == [18, OPTIMUM]
    assert comparison.agree is False


def test_an_optimum_below_what_one_that_was_stopped_has(far):
    comparison = compare(far, backends=["low", "stopped"], task="solve")
    assert comparison.agree is False


def test_an_objective_that_the_solution_does_not_have(far, row_of):
    comparison = compare(far, backends=["best", "boasts"], task="solve")
    assert row_of(comparison, "boasts").status == "wrong"
    assert comparison.agree is False


def test_integers_of_whatever_kind_are_the_same_solutions():
    comparison = compare(5, backends=["lists", "core"], task="enumerate")
    assert comparison.agree is True


@pytest.mark.parametrize("backend", ["floats", "nones", "too-short"])
def test_what_is_no_solution_fails(backend, row_of):
    row = row_of(compare(5, backends=[backend, "core"], task="enumerate"), backend)
    assert (row.status, row.solutions, row.is_complete) == ("failed", None, False)
    assert "TypeError" in row.reason


def test_what_is_no_number_fails(row_of):
    row = row_of(compare(5, backends=["counts-in-words", "core"]), "counts-in-words")
    assert row.status == "failed"
    assert "'10'" in row.reason


def test_satisfied_without_a_solution_fails(row_of):
    row = row_of(compare(5, backends=["no-solution-to-show", "core"], task="solve"), "no-solution-to-show")
    assert row.status == "failed"
    assert "no solution" in row.reason
