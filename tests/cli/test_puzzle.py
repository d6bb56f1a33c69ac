"""The commands about region puzzles, run as processes."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest

QUARTERS = "AABB\nAABB\nCCDD\nCCDD\n"
UNIQUE = QUARTERS + "\n.Q..\n....\n....\n....\n"
IMPOSSIBLE = QUARTERS + "\nQ...\n....\n....\n....\n"
ANSWER = ".Q..\n...Q\nQ...\n..Q.\n"


def test_one_solution(cli, tmp_path):
    (tmp_path / "board.txt").write_text(UNIQUE)
    for ran in (cli("puzzle", str(tmp_path / "board.txt")), cli("puzzle", "solve", "-", stdin=UNIQUE)):
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout == f"{QUARTERS}\n{ANSWER}\nexactly one solution\n"
    again = cli("puzzle", "-", stdin=ran.stdout.removesuffix("\nexactly one solution\n"))
    assert again.stdout == ran.stdout


def test_several_and_none(cli):
    several = cli("puzzle", "-", stdin=QUARTERS)
    assert several.returncode == 1
    assert ".12.\n2..1\n1..2\n.21.\n" in several.stdout
    assert "they differ at (0, 1), (0, 2), (1, 0)" in several.stdout
    none = cli("puzzle", "-", stdin=IMPOSSIBLE)
    assert none.returncode == 1
    assert "no solution" in none.stdout
    assert "given: a queen at (0, 0)" in none.stdout


def test_json(cli):
    ran = cli("puzzle", "-", "--json", stdin=QUARTERS)
    answer = json.loads(ran.stdout)
    assert (ran.returncode, answer["status"]) == (1, "several")
    assert sorted(answer["solutions"]) == [[[0, 1], [1, 3], [2, 0], [3, 2]], [[0, 2], [1, 0], [2, 3], [3, 1]]]
    assert len(answer["differing"]) == 8
    assert answer["puzzle"] == {"regions": ["AABB", "AABB", "CCDD", "CCDD"]}


def test_what_else_can_be_asked(cli):
    assert cli("puzzle", "-", "--count", stdin=QUARTERS).stdout == "2\n"
    assert json.loads(cli("puzzle", "--count", "--json", "-", stdin=QUARTERS).stdout) == {"complete": True, "count": 2}
    assert cli("puzzle", "-", "--stars", "2", "--count", stdin=QUARTERS).stdout == "0\n"
    hint = cli("puzzle", "-", "--hint", stdin=UNIQUE)
    assert (hint.returncode, len(hint.stdout.splitlines())) == (0, 1)
    step = json.loads(cli("puzzle", "-", "--hint", "--json", stdin=UNIQUE).stdout)
    assert step["sentence"] == hint.stdout.strip()
    explained = cli("puzzle", "-", "--explain", stdin=UNIQUE)
    assert explained.returncode == 0
    assert "1. " in explained.stdout
    assert cli("puzzle", "-", "--explain", stdin=IMPOSSIBLE).returncode == 1
    assert cli("puzzle", "-", "--grade", stdin=UNIQUE).stdout.startswith("easy")


def test_notes(cli):
    ran = cli("puzzle", "-", stdin="ABAB\nBABA\nCDCD\nDCDC\n")
    assert ran.stderr.splitlines() == [f"note: region {name} is in several pieces" for name in "ABCD"]


def test_pictures(cli, tmp_path):
    ran = cli("puzzle", "-", "--svg", str(tmp_path / "board.svg"), stdin=UNIQUE)
    assert ran.returncode == 0
    assert ElementTree.parse(tmp_path / "board.svg").getroot().tag.endswith("svg")
    assert ElementTree.fromstring(cli("puzzle", "-", "--svg", "-", stdin=UNIQUE).stdout) is not None


def test_converting(cli, tmp_path):
    file = tmp_path / "board.json"
    assert cli("puzzle", "-", "--write", str(file), stdin=UNIQUE).returncode == 0
    assert json.loads(file.read_text()) == {"regions": ["AABB", "AABB", "CCDD", "CCDD"], "given": [[0, 1]]}
    cells = cli("puzzle", str(file), "--write", "-", "--format", "cells").stdout
    assert cells.startswith("A: (0,0) (0,1) (1,0) (1,1)\n")
    assert cli("puzzle", "-", "--write", "-", stdin=cells).stdout == UNIQUE


def test_several_boards_in_a_file(cli, tmp_path):
    file = tmp_path / "boards.jsonl"
    file.write_text('{"id": "one", "regions": ["AABB","AABB","CCDD","CCDD"]}\n{"regions": ["A"]}\n')
    refused = cli("puzzle", str(file))
    assert refused.returncode == 2
    assert "2 boards" in refused.stderr
    assert cli("puzzle", str(file), "--board", "one", "--count").stdout == "2\n"
    assert cli("puzzle", str(file), "--board", "2", "--count").stdout == "1\n"
    assert cli("puzzle", str(file), "--board", "3").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (["-"], "", ["standard input", "empty"]),
        (["-"], "AABB\nAAB\nCCDD\nCCDD\n", ["standard input, line 2", "row 1"]),
        (["missing.txt"], "", ["missing.txt"]),
        (["-", "--stars", "4"], QUARTERS, ["--stars", "4"]),
        (["-", "--stars", "x"], QUARTERS, ["--stars", "x"]),
        (["-", "--hint", "--grade"], QUARTERS, ["--hint and --grade"]),
        (["-", "--format", "json"], QUARTERS, ["--write"]),
        (["-", "--write", "-", "--format", "xml"], QUARTERS, ["xml"]),
        (["-", "--time-limit", "0"], QUARTERS, ["time-limit", "0"]),
        (["--nonsense"], "", ["--nonsense"]),
        (["batch", "-"], "", ["no board"]),
        (["batch", "-", "--workers", "0"], "", ["--workers"]),
    ],
)
def test_bad_input(cli, arguments, stdin, words):
    ran = cli("puzzle", *arguments, stdin=stdin)
    assert ran.returncode == 2, (ran.stdout, ran.stderr)
    assert "Traceback" not in ran.stderr
    assert all(word in ran.stderr for word in words), ran.stderr


def test_a_time_limit(cli):
    grid = json.dumps([[k] * 40 for k in range(40)])
    ran = cli("puzzle", "-", "--count", "--time-limit", "0.3", stdin=grid)
    assert ran.returncode == 3
    assert re.search(r"at least \d+", ran.stderr)
    assert ran.stdout == ""


# Batches.


def test_a_batch(cli, tmp_path):
    boards, answers = tmp_path / "boards.jsonl", tmp_path / "answers.jsonl"
    line = '{"regions": ["AABB","AABB","CCDD","CCDD"], "given": [[0, 1]]}\n'
    boards.write_text(line * 150)
    ran = cli("puzzle", "batch", str(boards), "-o", str(answers), "--workers", "2")
    assert ran.returncode == 0, ran.stderr
    assert "150 boards: 150 unique" in ran.stderr
    records = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [record["line"] for record in records] == list(range(1, 151))
    ran = cli("puzzle", "batch", "-", stdin=f"{line}nonsense\n")
    assert ran.returncode == 1
    assert [list(json.loads(line)) for line in ran.stdout.splitlines()] == [
        ["line", "status", "solutions"],
        ["line", "error"],
    ]
    refused = cli("puzzle", "batch", str(boards), "-o", str(boards))
    assert refused.returncode == 2
    assert boards.read_text() == line * 150


def test_ctrl_c_keeps_what_was_written(start, tmp_path):
    boards, answers = tmp_path / "boards.jsonl", tmp_path / "answers.jsonl"
    rows = json.dumps({"regions": [[k] * 9 for k in range(9)]})
    boards.write_text(f"{rows}\n" * 100_000)
    process = start("puzzle", "batch", str(boards), "-o", str(answers), "--count", "--workers", "2")
    while not answers.exists() or not answers.stat().st_size:
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    begun = time.monotonic()
    _, remarks = process.communicate(timeout=30)
    assert time.monotonic() - begun < 5
    assert process.returncode == 130
    assert "interrupted (partial)" in remarks
    assert "Traceback" not in remarks
    lines = answers.read_text().splitlines()
    assert [json.loads(line)["line"] for line in lines] == list(range(1, len(lines) + 1))
    assert f"{len(lines)} boards" in remarks


def test_ctrl_c_keeps_the_boards_that_were_made(start, tmp_path):
    made = tmp_path / "made.jsonl"
    process = start("puzzle", "new", "--size", "14", "--number", "100000", "-o", str(made))
    try:
        while not made.exists() or not made.stat().st_size:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        out, remarks = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    lines = made.read_text().splitlines()
    assert (process.returncode, out) == (130, "")
    assert remarks == f"interrupted (partial): {len(lines)} of 100000 boards\n"
    assert [json.loads(line)["id"] for line in lines] == list(range(1, len(lines) + 1))


# Colours.


def printed_on_a_terminal(command: list[str], environment: dict[str, str]) -> str:
    """Run a command on a pseudo-terminal, and return what it prints.

    Both ends stay open until a mark that is written after the command's end has come through: when the last writer closes
    its end, Linux may report that before all that it wrote can be read.
    """
    leader, follower = os.openpty()
    mark = b"-- the end --"
    try:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.PIPE, env=environment
        ) as process:
            read = b""
            while process.poll() is None:
                if select.select([leader], [], [], 0.05)[0]:
                    read += os.read(leader, 65536)
            remarks = process.stderr.read().decode()
        os.write(follower, mark)
        while mark not in read:
            read += os.read(leader, 65536)
    finally:
        os.close(follower)
        os.close(leader)
    assert (process.returncode, remarks) == (0, "")
    return read.decode().removesuffix(mark.decode()).replace("\r\n", "\n")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_colours_on_a_terminal_only(program, tmp_path):
    (tmp_path / "board.txt").write_text(UNIQUE)

    def run(**environment: str) -> str:
        names = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
        return printed_on_a_terminal([program, "puzzle", str(tmp_path / "board.txt")], names | environment)

    coloured = run(TERM="xterm-256color", COLORTERM="truecolor")
    assert coloured.count("\x1b[") > 16
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert plain.startswith(" A   AQ  B   B  \n")
    for environment in ({"TERM": "xterm-256color", "NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert run(**environment).startswith(f"{QUARTERS}\n{ANSWER}")


def test_a_cell_that_is_given_and_crossed(cli, tmp_path):
    file, written = tmp_path / "both.txt", tmp_path / "again.txt"
    file.write_text("AABB\nAABB\nCCDD\nCCDD\ngiven: (0,1)\ncrossed: (0,1)\n")
    assert cli("puzzle", str(file), "--write", str(written)).returncode in (0, 1)
    for path in (file, written):
        assert cli("puzzle", str(path)).returncode == 1, "there is no solution"
    for option in ("--hint", "--explain", "--grade"):
        ran = cli("puzzle", str(file), option)
        assert ran.returncode == 1
        assert "(0, 1)" in ran.stderr


def test_what_is_told_of_a_solved_board_and_of_one_with_several_solutions(cli):
    solved = "AABB\nAABB\nCCDD\nCCDD\n\n.Q..\n...Q\nQ...\n..Q.\n"
    ran = cli("puzzle", "-", "--hint", stdin=solved)
    assert ran.returncode == 0
    assert "solved" in ran.stdout
    for option in ("--grade", "--explain"):
        ran = cli("puzzle", "-", option, stdin="AABB\nAABB\nCCDD\nCCDD\n")
        assert ran.returncode == 1
        assert "several" in ran.stderr
