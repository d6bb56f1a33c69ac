"""DIMACS, OPB and LP files: what a person reads in them, and corner cases. Random models are in tests/property."""

from __future__ import annotations

import re

import pytest

from nqueens_cp import Model, UnsupportedModel, queens
from nqueens_cp.control import Control
from nqueens_cp.formats.dimacs import dimacs_text
from nqueens_cp.formats.lp import lp_text
from nqueens_cp.formats.opb import opb_text


@pytest.fixture
def contradiction() -> Model:
    model = Model("contradiction")
    model.add(False)
    return model


def test_dimacs_tells_what_its_literals_mean():
    lines = dimacs_text(queens(4).snapshot(), Control()).splitlines()
    assert lines[0] == "c model queens"
    assert lines[4] == "c queen[0] = 3 is 4"
    assert lines[5] == "c queen[1] = 0 is 5"
    assert re.fullmatch(r"p cnf 16 \d+", lines[17])
    assert lines[18] == f"c p show {' '.join(map(str, range(1, 17)))} 0"
    assert "1 2 3 4 0" in lines, "each row has a queen"


def test_dimacs_of_eight_queens_has_92_models():
    """A000170, counted by another solver than the backend's."""
    formula = pytest.importorskip("pysat.formula", reason="python-sat is not installed")
    solvers = pytest.importorskip("pysat.solvers")
    cnf = formula.CNF(from_string=dimacs_text(queens(8).snapshot(), Control()))
    with solvers.Solver(name="m22", bootstrap_with=cnf) as solver:
        assert sum(1 for _ in solver.enum_models()) == 92


def test_dimacs_has_no_objective():
    model = Model("best")
    model.maximize(model.int_var("x", range(3)))
    with pytest.raises(UnsupportedModel, match="dimacs cannot take 'maximize x': the format has no objective"):
        dimacs_text(model.snapshot(), Control())


def test_opb_minimises_what_is_maximised():
    model = Model("best")
    x, p = model.int_var("x", range(1, 4)), model.bool_var("p")
    model.maximize(2 * x - p)
    lines = opb_text(model.snapshot(), Control()).splitlines()
    assert lines[0] == "* #variable= 4 #constraint= 1"
    assert lines[2] == "* x = 1 is x1"
    assert lines[5:7] == ["* p = 0 is ~x4", "* p = 1 is x4"]
    assert lines[7:] == [
        "* maximize 2*x - p: its value is minus this sum +2",
        "min: -2 x2 -4 x3 +1 x4 ;",
        "+1 x1 +1 x2 +1 x3 = 1 ;",
    ]


def test_lp_names_say_what_they_mean_and_never_clash():
    model = Model("names")
    for name in ("a b", "a_b", "A b", "e1", "2nd", "é", "a[1]", "a[-1]"):
        model.int_var(name, range(-1, 2))
    text = lp_text(model.snapshot(), Control())
    names = text.split("Binaries\n")[1].removesuffix("End\n").split()
    assert len({name.lower() for name in names}) == 8 * 3
    assert all(re.fullmatch(r"[A-DF-Za-df-z][A-Za-z0-9_]*_is_(minus_)?\d", name) for name in names)
    assert r"\ a b = -1 is a_b_is_minus_1" in text
    assert max(map(len, text.splitlines())) < 500


def test_lp_refuses_numbers_that_floats_cannot_hold():
    model = Model("large")
    x = model.int_vars("x", 3, domain=[0, 2**53 + 1])
    model.add(sum(x) >= 2**54)
    with pytest.raises(UnsupportedModel, match=r"lp cannot take 'model large'.*past 2\*\*53"):
        lp_text(model.snapshot(), Control())


def test_a_contradiction_without_variables(contradiction):
    problem = contradiction.snapshot()
    assert dimacs_text(problem, Control()).splitlines()[1:] == ["p cnf 1 2", "c p show 0", "1 0", "-1 0"]
    assert opb_text(problem, Control()).splitlines()[2:] == ["+1 x1 >= 1 ;", "-1 x1 >= 0 ;"]
    assert "nothing >= 1" in lp_text(problem, Control())


@pytest.mark.parametrize("write", [dimacs_text, opb_text, lp_text])
def test_a_name_of_several_lines_stays_in_its_comment(write):
    model = Model("two\nlines")
    model.bool_var("p\n1 0")
    marks = {dimacs_text: "c", opb_text: "*", lp_text: "\\"}
    lines = write(model.snapshot(), Control()).splitlines()
    comments = [line for line in lines if line.startswith(marks[write])]
    assert sum("two lines" in line for line in comments) == 1
    assert sum("p 1 0" in line for line in comments) == 2
    assert "1 0" not in lines
