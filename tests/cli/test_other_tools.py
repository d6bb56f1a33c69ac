"""Files of other tools on the command line: what is written whole, what cannot be read, what a model file does wrong."""

from __future__ import annotations

import subprocess

import pytest

EXITING = """
from nqueens_cp import Model, predicate

def build():
    model = Model("exiting")
    model.add(predicate(lambda value: exit(3), [model.int_var("x", range(3))]))
    return model
"""


@pytest.mark.parametrize("command", [["solve"], ["count", "--backend", "cp-sat"], ["export"]], ids=" ".join)
def test_a_predicate_that_exits_is_no_answer(cli, tmp_path, command):
    path = tmp_path / "exiting.py"
    path.write_text(EXITING, encoding="utf-8")
    done = cli(*command, str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "exit status 3" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_export_that_fails_leaves_the_file_as_it_was(cli, tmp_path):
    path = tmp_path / "board.cnf"
    assert cli("export", "6", "--output", str(path)).returncode == 0
    before = path.read_bytes()
    done = cli("export", "100000", "--output", str(path))
    assert done.returncode == 2
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_export_into_a_folder_is_refused(cli, tmp_path):
    done = cli("export", "4", "--format", "lp", "--output", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "folder" in done.stderr


def test_standard_input_that_is_closed(program):
    done = subprocess.run(["sh", "-c", f"{program} fzn - <&-"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "=====ERROR=====\n")
    assert "standard input: cannot be read: it is closed" in done.stderr
    assert "Traceback" not in done.stderr
