"""Long constraints in XCSP3: brackets stay few, so that readers that limit them can read the files."""

from __future__ import annotations

import pytest

from nqueens_cp import Model, count, element, export, lex_lesseq, load_model, solutions


def _lists(size: int, length: int) -> Model:
    model = Model("lists")
    left, right = (model.int_vars(name, length, range(size)) for name in ("left", "right"))
    model.add(lex_lesseq([entry + 1 for entry in left], [entry + 1 for entry in right]))
    return model


def _array(length: int) -> Model:
    model = Model("array")
    index, other = (model.int_var(name, range(length)) for name in ("index", "other"))
    model.add(element([7 * i % length for i in range(length)], index) + other == length - 1)
    return model


def _depth(text: str) -> int:
    depth = deepest = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        deepest = max(deepest, depth)
    return deepest


@pytest.mark.parametrize("model", [_lists(2, 1000), _array(2000)], ids=lambda model: model.name)
def test_brackets_stay_few(tmp_path, model):
    path = tmp_path / "long.xml"
    path.write_text(export(model, "xcsp3"), encoding="utf-8")
    assert _depth(path.read_text(encoding="utf-8")) < 40
    names = {variable.name for variable in load_model(path).variables}
    assert {variable.name for variable in model.variables} <= names


@pytest.mark.parametrize(("size", "length"), [(2, 1), (3, 2), (2, 3), (2, 4), (2, 5)])
def test_lists_in_order(tmp_path, size, length):
    path = tmp_path / "lists.xml"
    path.write_text(export(_lists(size, length), "xcsp3"), encoding="utf-8")
    lists = size**length
    assert count(load_model(path), backend="cp-sat") == lists * (lists + 1) // 2


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 9])
def test_each_entry_of_an_array_has_its_place(tmp_path, length):
    path = tmp_path / "array.xml"
    path.write_text(export(_array(length), "xcsp3"), encoding="utf-8")
    model = load_model(path)
    found = {(s["index"], s["other"]) for s in solutions(model, backend="cp-sat")}
    assert found == {(i, length - 1 - 7 * i % length) for i in range(length)}
