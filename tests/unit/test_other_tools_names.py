"""Names of variables in the comments of DIMACS files, some of which mean something to model counters."""

from __future__ import annotations

import pytest

from nqueens_cp import InvalidValue, Model, count, export, load_model

MEANING_MORE = ["p show 1 2", "p", "ind", "t mc", "max 1"]


@pytest.mark.parametrize("name", [*MEANING_MORE, "index", "pawn", "time[0]"])
def test_names_are_no_orders_to_model_counters(tmp_path, name):
    model = Model("odd")
    model.int_var(name, range(3))
    text = export(model, "dimacs")
    comments = [line.split()[1:] for line in text.splitlines() if line.startswith("c ") and " is " in line]
    assert len(comments) == 3
    assert not any(words[0] in ("p", "ind", "t", "max") for words in comments)
    path = tmp_path / "odd.cnf"
    path.write_text(text, encoding="utf-8")
    back = load_model(path)
    assert [variable.name for variable in back.variables] == [f"{name}={value}" for value in range(3)]
    assert count(back) == 3
    assert back.notes == []


def test_the_older_line_of_shown_variables(tmp_path):
    path = tmp_path / "older.cnf"
    path.write_text("c ind 1 2 0\np cnf 3 1\n1 2 0\nc ind is said above\n", encoding="utf-8")
    model = load_model(path)
    assert count(model) == 6
    assert "shows 2 of its 3 variables" in model.notes[0]
    path.write_text("p cnf 3 1\nc ind 7 0\n1 2 0\n", encoding="utf-8")
    with pytest.raises(InvalidValue, match=r"older\.cnf, line 2: .* names 7"):
        load_model(path)
