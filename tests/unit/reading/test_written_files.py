"""Files that PyCSP3 has written, and round trips of this package's own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from nqueens_cp import count, load_model, queens, solutions
from nqueens_cp.control import Control

PYCSP3 = """
from pycsp3 import *

n = 6
row = VarArray(size=n, dom=range(n))
column = VarArray(size=n, dom=range(n))
late = VarArray(size=n, dom={0, 1})
satisfy(
    Channel(row, column),
    AllDifferent(row[i] + i for i in range(n)),
    AllDifferent(row[i] - i for i in range(n)),
    [late[i] == (row[i] > column[i]) for i in range(n)],
    (row[0], row[1], row[2]) in {(a, ANY, b) for a in range(n) for b in range(n) if a + b != 4},
    (row[3], row[4]) not in {(0, 0), (1, ANY)},
    Count(row[:4], value=5) == 1,
    Sum(row[:3]) != 2 * row[5],
)
"""


def test_what_pycsp3_writes(tmp_path):
    if importlib.util.find_spec("pycsp3") is None:  # importing it would read this process's arguments
        pytest.skip("PyCSP3 is not installed")
    (tmp_path / "written.py").write_text(PYCSP3)
    subprocess.run([sys.executable, "written.py"], cwd=tmp_path, capture_output=True, check=True)
    expected = [
        row
        for row in ([*solution["queen"]] for solution in solutions(6))
        if row[0] + row[2] != 4
        and (row[3], row[4]) != (0, 0)
        and row[3] != 1
        and row[:4].count(5) == 1
        and sum(row[:3]) != 2 * row[5]
    ]
    found = list(solutions(load_model(tmp_path / "written.xml"), backend="cp-sat"))
    assert sorted(solution["row"] for solution in found) == sorted(expected)
    for solution in found:
        assert [solution["column"][value] for value in solution["row"]] == list(range(6))
        assert solution["late"] == [int(r > c) for r, c in zip(solution["row"], solution["column"], strict=True)]


@pytest.mark.parametrize(
    ("module", "writer", "ending"),
    [("xcsp3", "xcsp3_text", ".xml"), ("dimacs", "dimacs_text", ".cnf"), ("opb", "opb_text", ".opb")],
)
@pytest.mark.parametrize(
    "model",
    [queens(6), queens(7, torus=True), queens(6, blocked=[(0, 1), (3, 3)])],
    ids=["queens", "torus", "blocked"],
)
def test_exported_files_have_the_same_count(loaded, module, writer, ending, model):
    formats = pytest.importorskip(f"nqueens_cp.formats.{module}")
    text = getattr(formats, writer)(model.snapshot(), Control())
    assert count(loaded(text, ending), backend="cp-sat") == count(model)
