"""Reading DIMACS and OPB: what the files state, against brute force."""

from __future__ import annotations

from itertools import product

import pytest

from nqueens_cp import count, load_model, solutions, solve

# DIMACS.


def test_clauses(loaded, rows):
    model = loaded("c a remark\np cnf 4 3\n1 -2 0 -3\n 2 4 0\n\n-1 -4 0\n", ".cnf")
    expected = {
        v for v in product((0, 1), repeat=4) if (v[0] or not v[1]) and (not v[2] or v[1] or v[3]) and not v[0] * v[3]
    }
    assert rows(model, "x1", "x2", "x3", "x4") == expected


def test_special_clauses(loaded):
    assert count(loaded("p cnf 2 1\n0\n", ".cnf")) == 0
    assert count(loaded("p cnf 3 0\n", ".dimacs")) == 8
    assert count(loaded("p cnf 2 2\n1 1 0\n2 -2 0\n%\n0\n", ".cnf")) == 2


def test_variables_that_are_shown(loaded):
    model = loaded("p cnf 3 1\nc p show 1 2 0\n1 2 0\n", ".cnf")
    assert count(model) == 6
    assert "shows 2 of its 3 variables" in model.notes[0]
    assert loaded("c p show 1 2 3 0\np cnf 3 1\n1 2 0\n", ".cnf").notes == []


def test_comments_name_the_variables(loaded):
    model = loaded("c model small\nc a = 0 is -1\nc a = 1 is 1\nc b[2] = -3 is 2\np cnf 3 1\n1 2 0\n", ".cnf")
    assert [variable.name for variable in model.variables] == ["a=1", "b[2]=-3", "x3"]
    clash = loaded("c a = 1 is 1\nc a = 1 is 2\np cnf 2 0\n", ".cnf")
    assert [variable.name for variable in clash.variables] == ["x1", "x2"]


@pytest.mark.parametrize("literal", ["1", "+1", "01", "-2", "-02"])
def test_literals_however_they_are_spelt(tmp_path, literal):
    path = tmp_path / "small.cnf"
    path.write_text(f"p cnf 2 1\n{literal} 0\n")
    wanted = int(literal) > 0
    assert {solution[f"x{abs(int(literal))}"] for solution in solutions(load_model(path))} == {int(wanted)}


# OPB.


def test_pseudo_boolean_constraints(loaded, rows):
    text = "* #variable= 4 #constraint= 2\n* a remark\n+2 x1 -3 ~x2\n +1 x3 >= -1 ;\n1 x1 1 x2 1 x2 = 1;\n"
    expected = {v for v in product((0, 1), repeat=4) if 2 * v[0] - 3 * (1 - v[1]) + v[2] >= -1 and v[0] + 2 * v[1] == 1}
    assert rows(loaded(text, ".opb"), "x1", "x2", "x3", "x4") == expected


def test_pseudo_boolean_objective(loaded):
    text = "* #variable= 3 #constraint= 1\nmin: +3 x1 -2 ~x2 +1 x3 ;\n+1 x1 +1 x2 +1 x3 >= 2 ;\n"
    costs = [3 * a - 2 * (1 - b) + c for a, b, c in product((0, 1), repeat=3) if a + b + c >= 2]
    assert solve(loaded(text, ".opb")).objective == min(costs)


def test_names_of_a_pseudo_boolean_file(loaded, rows):
    model = loaded("* #variable= 2 #constraint= 1\n+1 left +2 ~right[1] >= 1 ;\n", ".opb")
    assert rows(model, "left", "right[1]") == {(0, 0), (1, 0), (1, 1)}
