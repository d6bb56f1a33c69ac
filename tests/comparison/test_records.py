"""Saved comparisons, tables and plots: they hold what was measured, and odd ones are refused."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys

import pytest

from nqueens_cp import Model, NQueensError, compare
from nqueens_cp.comparison import load_comparison
from nqueens_cp.comparison.report import against_text, csv_text, markdown_text, ratios, save

pytestmark = pytest.mark.xdist_group(
    "saved comparisons"
)  # in one process of the tests, so that what they share is made once


@pytest.fixture(scope="module")
def mixed(_wrong_backends, tmp_path_factory):
    """A comparison with repeats, statistics, a failure and a disagreement."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CALLS_OF_WRONG_BACKENDS", str(tmp_path_factory.mktemp("calls")))
        return compare(6, backends=["core", "bit-masks", "crashes", "drops"], repeats=2)


def test_a_saved_comparison_is_read_again(mixed, tmp_path):
    path = tmp_path / "saved.json"
    save(mixed, path)
    again = load_comparison(path)
    assert again.rows == mixed.rows
    assert (again.model, again.agree, again.setting) == (mixed.model, mixed.agree, mixed.setting)
    assert list(again.cases()) == list(mixed.cases())
    save(again, tmp_path / "twice.json")
    once, twice = (json.loads(file.read_text()) for file in (path, tmp_path / "twice.json"))
    assert once["rows"] == twice["rows"]
    assert (once["agree"], twice["agree"]) == (False, False)
    assert once["difference"]["model"] == "queens n=6"


def test_csv_and_markdown_have_a_line_for_each_row(mixed):
    read = list(csv.DictReader(io.StringIO(csv_text(mixed))))
    assert len(read) == len(mixed.rows)
    for line, row in zip(read, mixed.rows, strict=True):
        assert (line["model"], line["backend"], line["status"]) == (row.model, row.backend, row.status)
        assert line["size"] == str(row.size)
        assert line["solutions"] == ("" if row.solutions is None else str(row.solutions))
        if row.solve_seconds is not None:
            assert math.isclose(float(line["solve_seconds"]), row.solve_seconds)
    table = [line for line in markdown_text(mixed).splitlines() if line.startswith("|")]
    assert len(table) == len(mixed.rows) + 2
    assert len({line.count("|") for line in table}) == 1
    for line, row in zip(table[2:], mixed.rows, strict=True):
        assert row.backend in line
        assert row.status in line


def test_names_that_tables_could_stumble_over():
    model = Model('a|b, "c"')
    model.int_var("x", range(3))
    other = Model("d")
    other.int_var("x", range(3))
    comparison = compare([model, other], backends=["core"])
    table = [line for line in markdown_text(comparison).splitlines() if line.startswith("|")]
    assert len(table) == 4
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    assert [line["model"] for line in csv.DictReader(io.StringIO(csv_text(comparison)))] == ['a|b, "c"', "d"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        '{"format": 99, "model": "m", "agree": null, "setting": {}, "rows": []}',
        '{"format": 2, "model": "m", "agree": null, "setting": {}, "rows": 3}',
        '{"format": 2, "model": "m", "agree": null, "setting": {}, "rows": [{"model": "m", "size": 4, "measurements": []}]}',
        '{"format": 2, "model": "m", "agree": null, "setting": {}, "rows": [{"model": "m", "size": 4, "measurements": [7]}]}',
        "model,size,backend\n",
        "\udcff",
    ],
)
def test_no_saved_comparison(tmp_path, text):
    path = tmp_path / "saved.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(NQueensError, match=r"saved\.json"):
        load_comparison(path)


def test_figures_that_are_none(tmp_path):
    """A record with the right keys and a word for a time is refused where it is read, not where it is used."""
    path = tmp_path / "saved.json"
    measurement = {"backend": "core", "status": "complete", "solutions": 4, "solve_seconds": "fast"}
    row = {"model": "queens n=6", "size": 6, "measurements": [measurement]}
    path.write_text(json.dumps({"format": 2, "model": "queens", "agree": None, "setting": {}, "rows": [row]}))
    with pytest.raises(NQueensError, match=r"saved\.json"):
        load_comparison(path)


def test_a_file_that_is_not_there(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(NQueensError, match=re.escape(str(path))):
            load_comparison(path)


def test_ratios_only_of_the_same_answers(tmp_path):
    path = tmp_path / "letters.py"
    text = "from nqueens_cp import Model\n\ndef build():\n    m = Model('m')\n    m.int_var('x', range({}))\n    return m\n"
    path.write_text(text.format(4))
    before = compare(path, backends=["core"])
    assert len(ratios(compare(path, backends=["core"]), before)) == 1
    path.write_text(text.format(7))
    after = compare(path, backends=["core"])
    assert ratios(after, before) == []
    assert "1 of 1 rows have no counterpart" in against_text(after, before)


def test_what_a_terminal_could_take_for_a_command_is_shown():
    model = Model("red \x1b[31m\u202e [bold]")
    model.int_var("x", range(2))
    text = str(compare(model, backends=["core", "python-constraint"]))
    assert "\x1b" not in text
    assert "\\x1b[31m" in text
    assert "\u202e" not in text
    assert "[bold]" in text


def test_markdown_shows_text_as_it_is():
    model = Model("a|b <script>\n* x")
    model.int_var("x", range(2))
    text = markdown_text(compare([model, 4], backends=["core"]))
    (line,) = (line for line in text.splitlines() if "script" in line)
    assert "a\\|b \\<script\\>" in line


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agree", "maybe"),
        ("model", 7),
        ("setting", None),
        ("setting", []),
        ("setting", {"task": "count", "repeats": "x", "machine": {}, "maximize": {}}),
        ("setting", {"task": "count", "repeats": 1, "machine": "fast", "maximize": {}}),
        ("difference", {"model": "m"}),
        ("difference", 5),
    ],
)
def test_a_saved_comparison_changed_by_hand(tmp_path, name, value):
    path = tmp_path / "a.json"
    save(compare(4, backends=["core"]), path)
    load_comparison(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(NQueensError, match=re.escape(str(path))):
        load_comparison(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("backend", []), ("solve_seconds", None), ("solve_seconds", "x"), ("statistics", None), ("solutions", "x")],
)
def test_a_saved_measurement_changed_by_hand(tmp_path, name, value):
    path = tmp_path / "a.json"
    save(compare(4, backends=["core"]), path)
    record = json.loads(path.read_text())
    record["rows"][0]["measurements"][0][name] = value
    path.write_text(json.dumps(record))
    with pytest.raises(NQueensError, match=re.escape(str(path))):
        load_comparison(path)


def test_plot(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    comparison = compare([4, 5], backends=["core", "bit-masks"], repeats=2)
    axes = comparison.plot()
    assert axes.get_yscale() == "log"
    drawn = {line.get_label(): line for line in axes.get_lines()} | {
        container.get_label(): container.lines[0] for container in axes.containers
    }
    for backend in ("core", "bit-masks"):
        assert list(drawn[backend].get_xdata()) == [4, 5]
        rows = [row for row in comparison.rows if row.backend == backend]
        assert list(drawn[backend].get_ydata()) == [row.solve_seconds for row in rows]
    assert comparison.plot("peak_mib", axes) is axes
    axes.figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1_000
    several = compare(["queens", "toroidal_queens"], backends=["core"], n=5)
    labels = [label.get_text() for label in several.plot("build_seconds").get_xticklabels()]
    assert labels == [row.model for row in several.rows]
    with pytest.raises(NQueensError, match="colour"):
        comparison.plot("colour")
    with pytest.raises(NQueensError, match="first_seconds"):
        comparison.plot("first_seconds")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(NQueensError, match="pip install"):
        comparison.plot()
