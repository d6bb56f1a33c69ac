"""Every command's help has examples, they fit on a screen of 80 columns, and they run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from nqueens_cp.cli import app, main

EXAMPLE = re.compile(r"^ +(nqueens-cp .*?)(?:   .*)?$", re.MULTILINE)
"""A command on a line of its own; three blanks end it, a remark may follow."""
ONLY_READ = ("--cluster", "--install", "--repeats")
"""Examples with one of these, and those of the program itself, are read by the parser and not run: a cluster, the user's own
settings, minutes of measuring."""
STATUSES = {"nqueens-cp solve 3 --why": 1}
FILES = {
    "board.txt": "AABB\nAABB\nCCDD\nCCDD\n\n.Q..\n....\n....\n....\n",
    "boards.jsonl": '{"regions": ["AABB", "AABB", "CCDD", "CCDD"], "given": [[0, 1]]}\n',
    "queens.fzn": "var 1..2: x :: output_var;\nsolve satisfy;\n",
    "mine.py": (
        "from itertools import permutations\n\n\n"
        "def solutions(n):\n"
        "    lines = lambda board, way: {column + way * row for row, column in enumerate(board)}\n"
        "    return [x for x in permutations(range(n)) if len(lines(x, 1)) == len(lines(x, -1)) == n]\n"
    ),
    "mine.lines": "0 4 7 5 2 6 1 3\n7 3 0 2 5 1 6 4\n",
}
PROGRAM = typer.main.get_command(app)


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words by which each command is called, groups included."""
    yield words
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*words, name))


COMMANDS = list(commands(PROGRAM))


def help_of(words: tuple[str, ...], columns: int, monkeypatch: pytest.MonkeyPatch, capsys) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*words, "--help"]) == 0
    return capsys.readouterr().out


def read(words: list[str]) -> None:
    """Have the parser read a command of the program itself; it refuses what it does not know."""
    name, *arguments = words
    assert PROGRAM.commands[name].make_context(name, arguments).args == []


def run(example: str, folder: Path, program: str) -> int:
    """Run a command, in this process if it is a plain one, and return the exit status."""
    if "|" not in example:
        return main(shlex.split(example)[1:])
    environment = os.environ | {"PATH": f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {example}"], cwd=folder, env=environment, timeout=120
    ).returncode


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files that the examples name."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert main(["list", "8", "--output", "eight.csv"]) == 0
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_has_examples_that_fit_80_columns(words, monkeypatch, capsys):
    wide = EXAMPLE.findall(help_of(words, 300, monkeypatch, capsys))
    assert any(example.startswith(" ".join(("nqueens-cp", *words))) for example in wide)
    assert EXAMPLE.findall(help_of(words, 80, monkeypatch, capsys)) == wide


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_examples_run(words, folder, program, monkeypatch, capsys):
    for example in EXAMPLE.findall(help_of(words, 300, monkeypatch, capsys)):
        if not words or any(word in example for word in ONLY_READ):
            read(shlex.split(example)[1:])
        else:
            assert run(example, folder, program) == STATUSES.get(example, 0), (example, capsys.readouterr().err)


@pytest.mark.parametrize("words", COMMANDS[1:], ids=" ".join)
def test_examples_are_not_in_the_list_of_commands(words, monkeypatch, capsys):
    """There a command has one sentence; the examples have lines of their own, in its help."""
    command: Any = PROGRAM
    for word in words:
        command = command.commands[word]
    assert "nqueens-cp" not in command.help.partition("\n\n")[0]
