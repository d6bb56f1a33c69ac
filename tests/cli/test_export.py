"""The command ``export``: formats, endings, files, and what is wrong with an order."""

from __future__ import annotations

import pytest

from nqueens_cp import export, load_model, queens


def test_minizinc_is_what_is_printed_by_default(cli):
    done = cli("export", "6")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == export(6, "minizinc")
    assert cli("export", "langford", "n=4", "--format", "minizinc").stdout == export(
        load_model("langford", n=4), "minizinc"
    )


def test_a_rule_of_the_board_reaches_the_model(cli):
    done = cli("export", "5", "torus=True", "-f", "xcsp3")
    assert done.stdout == export(queens(5, torus=True), "xcsp3")
    assert "mod(" in done.stdout


@pytest.mark.parametrize(
    ("ending", "options", "beginning"),
    [
        (".mzn", [], "% queens"),
        (".XML", [], "<?xml"),
        (".cnf", [], "c "),
        (".dimacs", [], "c "),
        (".opb", [], "* "),
        (".lp", [], "\\ "),
        (".txt", ["--format", "xcsp3"], "<?xml"),
        (".xml", ["--format", "minizinc"], "% queens"),
    ],
)
def test_the_format_is_given_or_told_by_the_ending(cli, tmp_path, ending, options, beginning):
    path = tmp_path / f"board{ending}"
    done = cli("export", "4", "--output", str(path), *options)
    assert (done.returncode, done.stdout) == (0, "")
    assert str(path) in done.stderr
    assert path.read_text(encoding="utf-8").startswith(beginning)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["4", "--format", "mzn"], "'mzn'"),
        (["4", "--output", "board.doc"], "board.doc"),
        (["4", "--output", "no such folder/board.mzn"], "no such folder"),
        (["4", "--fromat", "xcsp3"], "--fromat"),
        (["no_such_model"], "no_such_model"),
        (["4", "n"], "NAME=VALUE"),
        (["0", "--format", "xcsp3"], "variable"),
    ],
)
def test_mistakes_are_named_without_a_traceback(cli, tmp_path, words, named):
    done = cli("export", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert named in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_empty_format_is_none(cli):
    done = cli("export", "4", "-f", "")
    assert (done.returncode, done.stdout) == (2, "")
    assert "format: '' is not known" in done.stderr
