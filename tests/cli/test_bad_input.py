"""Bad input of every kind: one line that names the value, exit status 2, nothing on standard output, no traceback."""

from __future__ import annotations

import pytest


@pytest.fixture
def refused(cli):
    """A function that runs the command and checks that it refuses; it returns the line."""

    def run(*arguments: str, stdin: str = "") -> str:
        ran = cli(*arguments, stdin=stdin)
        assert "Traceback" not in ran.stderr
        assert ran.returncode == 2, (ran.stdout, ran.stderr)
        assert ran.stdout == ""
        lines = ran.stderr.splitlines()
        assert len(lines) == 1, ran.stderr
        assert lines[0].startswith("error: ")
        return lines[0]

    return run


SIZES = ["-1", "2.0", "abc", "1e3", "1000000000", "9" * 40, "", " ", "True", "½"]


@pytest.mark.parametrize("size", SIZES, ids=repr)
def test_sizes(refused, size):
    assert size.strip()[:9] in refused("count", size).replace("_", "").replace(",", "")


@pytest.mark.parametrize(
    ("command", "size"),
    [("solve", "-1"), ("list", "1000000000"), ("compare", "abc"), ("compare", "-5"), ("show", "-7")],
)
def test_sizes_of_every_command(refused, command, size):
    assert size in refused(command, size).replace("_", "").replace(",", "")


@pytest.mark.parametrize("text", ["", "\n", "abc\n", "-3\n", "1000000000\n", "8 9 x\n"], ids=repr)
def test_standard_input(refused, text):
    assert text.strip()[:9] in refused("count", "-", stdin=text).replace("_", "").replace(",", "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["count", "no_such_model"], "no_such_model"),
        (["count", "Queens", "n=5"], "queens"),
        (["count", "queens"], "n"),
        (["count", "queens", "n=5", "m=3"], "m"),
        (["count", "queens", "n=5", "n=6"], "n"),
        (["count", "queens", "5"], "n="),
        (["count", "queens", "n"], "n"),
        (["count", "queens", "=5"], "=5"),
        (["count", "queens", "n="], "n"),
        (["count", "queens", "n=-1"], "-1"),
        (["count", "queens", "n=five"], "five"),
        (["count", "queens", "n=(1,"], "(1,"),
        (["count", "8", "n=8"], "n"),
        (["count", "blocked_queens", "n=4", "blocked=((9, 9),)"], "9"),
        (["count", "blocked_queens", "n=4", "blocked=7"], "7"),
        (["count", "completion", "n=4", "placed=((0, 4),)"], "4"),
        (["count", "8", "--backend", "gurobi"], "gurobi"),
        (["count", "8", "--backend", ""], "backend"),
        (["compare", "6", "--backends", "core,gurobi"], "gurobi"),
        (["compare", "6", "--backends", ""], "backends"),
        (["list", "8", "--limit", "0"], "0"),
        (["list", "8", "--limit", "2.5"], "2.5"),
        (["list", "8", "--limit", "many"], "many"),
        (["count", "8", "--time-limit", "0"], "0"),
        (["count", "8", "--time-limit", "-1"], "-1"),
        (["solve", "8", "--time-limit", "nan"], "nan"),
        (["list", "8", "--time-limit", "soon"], "soon"),
        (["count", "8", "--workers", "0"], "0"),
        (["count", "8", "--workers", "-2"], "-2"),
        (["list", "8", "--workers", "1.5"], "1.5"),
        (["count"], "MODEL"),
        (["count", "8", "--no-such-option"], "--no-such-option"),
        (["frobnicate", "8"], "frobnicate"),
        (["list", "8", "--limit"], "--limit"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_names_parameters_and_options(refused, arguments, told):
    assert told.lower() in refused(*arguments).lower()


@pytest.mark.parametrize(
    ("arguments", "way_out"),
    [
        (["count", "8", "--backend", "gurobi"], ["core", "cp-sat", "python-constraint"]),
        (["count", "no_such_model"], ["nqueens-cp models"]),
        (["count", "toroidal_quens"], ["nqueens-cp models", "do you mean toroidal_queens?"]),
        (["count", "queens", "n=5", "m=3"], ["n"]),
        (["count", "8", "toruss=True"], ["do you mean torus?"]),
        (["count", "8", "--uptosymmetry"], ["unknown option '--uptosymmetry'; see --help"]),
    ],
    ids=["backend", "model", "misspelt model", "parameter", "misspelt rule", "misspelt option"],
)
def test_the_line_says_what_would_have_been_right(refused, arguments, way_out):
    line = refused(*arguments)
    assert all(word in line for word in way_out)


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        ("def build(n:\n", ["n=4"], "1"),
        ("x = 1\n\n  y = 2\n", ["n=4"], "3"),
        ("import no_such_module_anywhere\n", [], "no_such_module_anywhere"),
        ("raise RuntimeError('not today')\n", [], "not today"),
        ("import sys\nsys.exit(0)\n", [], "broken.py"),
        ("x = 1\n", [], "build"),
        ("build = 7\n", [], "build"),
        ("def build(n):\n    raise ValueError('odd\\nboards only')\n", ["n=4"], "odd"),
        ("def build(n):\n    return 1 / n\n", ["n=0"], "division"),
        ("def build(n):\n    return [n]\n", ["n=4"], "list"),
        ("def build(n):\n    pass\n", ["n=4"], "None"),
        ("def build(n):\n    pass\n", [], "n"),
        ("from nqueens_cp import queens\n\ndef build(n):\n    return queens(n)\n", ["k=4"], "k"),
        ("\x00", [], "broken.py"),
    ],
    ids=[
        "syntax",
        "indent",
        "import",
        "raises",
        "exits",
        "no-build",
        "number",
        "raising",
        "divides",
        "list",
        "none",
        "missing",
        "unknown",
        "binary",
    ],
)
def test_model_files_with_errors(refused, tmp_path, text, arguments, told):
    path = tmp_path / "broken.py"
    path.write_text(text)
    line = refused("count", str(path), *arguments)
    assert "broken.py" in line
    assert told in line


def test_an_error_of_the_package_says_all_by_itself(refused, tmp_path):
    path = tmp_path / "sound.py"
    path.write_text("from nqueens_cp import queens\n\ndef build(n):\n    return queens(n)\n")
    assert "'eight'" in refused("count", str(path), "n=eight")


def test_model_files_that_are_none(refused, tmp_path):
    missing, folder, latin = tmp_path / "missing.py", tmp_path / "folder", tmp_path / "latin.py"
    folder.mkdir()
    (tmp_path / "folder.py").mkdir()
    latin.write_bytes(b"# \xe9\xff\ndef build():\n    pass\n")
    for path in (missing, folder, tmp_path / "folder.py", latin):
        assert path.name in refused("count", str(path))
