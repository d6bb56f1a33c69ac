"""``nqueens-cp place``: large boards from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest


def boards(text, is_solution):
    rows = [[int(word) for word in line.split(" ")] for line in text.splitlines()]
    assert all(map(is_solution, rows))
    return rows


def test_one_board(cli, is_solution):
    ran = cli("place", "20")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert list(map(len, boards(ran.stdout, is_solution))) == [20]


def test_a_large_board(cli):
    for arguments in ([], ["--random"]):
        ran = cli("place", "300000", *arguments)
        assert ran.returncode == 0
        columns = np.fromstring(ran.stdout, dtype=np.int64, sep=" ")
        lines = (columns, columns + np.arange(300_000), columns - np.arange(300_000))
        assert ran.stdout.count("\n") == 1
        assert sorted(columns) == list(range(300_000))
        assert all((np.diff(np.sort(line)) > 0).all() for line in lines)


def test_random_boards(cli, is_solution, tmp_path):
    ran = cli("place", "30", "--random", "--number", "50", "--seed", "4")
    assert ran.returncode == 0
    assert "not uniform" in ran.stderr
    assert len({tuple(board) for board in boards(ran.stdout, is_solution)}) == 50
    file = tmp_path / "boards.txt"
    again = cli("place", "30", "--random", "--number", "50", "--seed", "4", "--output", str(file))
    assert (again.returncode, again.stdout) == (0, "")
    assert file.read_text() == ran.stdout
    assert cli("place", "30", "--random", "--seed", "5").stdout not in ran.stdout


@pytest.mark.parametrize("number", [1, 3])
def test_json(cli, is_solution, number):
    ran = cli("place", "9", "--random", "--number", str(number), "--json")
    answer = json.loads(ran.stdout)
    assert (answer["size"], answer["random"], answer["complete"], len(answer["boards"])) == (9, True, True, number)
    assert all(map(is_solution, answer["boards"]))


@pytest.mark.parametrize("n", ["2", "3"])
def test_none(cli, n):
    for arguments in ([], ["--random"], ["--json"]):
        ran = cli("place", n, *arguments)
        assert (ran.returncode, ran.stdout) == (1, "")
        assert "no solution" in ran.stderr


def test_the_smallest(cli):
    assert cli("place", "0").stdout == "\n"
    assert cli("place", "1").stdout == "0\n"


def test_fewer_than_asked_for(cli, is_solution):
    ran = cli("place", "6", "-r", "-k", "9")
    assert ran.returncode == 0
    assert len(boards(ran.stdout, is_solution)) == 4
    assert "no more than 4" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["x"], "N"),
        (["-1"], "N"),
        (["8.5"], "N"),
        (["100000001"], "100_000_001"),
        (["9" * 5000], "N"),
        (["8", "--number", "2"], "--random"),
        (["8", "-r", "--number", "0"], "--number"),
        (["8", "-r", "--seed", "-3"], "--seed"),
        (["8", "-r", "--seed", "3000000000"], "seed"),
        (["8", "-r", "--time-limit", "soon"], "--time-limit"),
        (["8", "--output", "/no/such/folder/x"], "/no/such/folder/x"),
        (["8", "--output", "board.npy"], ".lines, .txt or .json"),
        (["8", "--wrong"], "--wrong"),
        ([], "N"),
    ],
)
def test_bad_arguments(cli, arguments, named):
    ran = cli("place", *arguments)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert named in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_time_limit(cli, is_solution, tmp_path):
    ran = cli("place", "50000000", "--random", "--time-limit", "0.5")
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "0 of 1" in ran.stderr
    file = tmp_path / "boards.json"
    ran = cli("place", "14", "--random", "--number", "100000", "--time-limit", "0.5", "--json", "-o", str(file))
    assert ran.returncode == 3
    answer = json.loads(file.read_text())
    assert answer["complete"] is False
    assert 0 < len(answer["boards"]) < 100_000
    assert all(map(is_solution, answer["boards"]))


def interrupt(process):
    sent = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert time.monotonic() - sent < 15
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "interrupted" in errors
    return output


def test_interrupted_in_a_huge_board(start, work):
    process = start("place", "60000000", "--random")
    work(process, 0.5)
    assert interrupt(process) == ""


def test_an_interrupted_file_holds_whole_boards(start, is_solution, tmp_path):
    file = tmp_path / "boards.txt"
    process = start("place", "3000", "--random", "--number", "1000000", "--output", str(file))
    while not file.exists() or file.stat().st_size < 100_000:
        time.sleep(0.05)
    interrupt(process)
    text = file.read_text()
    assert text.endswith("\n")
    assert all(len(board) == 3000 for board in boards(text, is_solution))


@pytest.mark.parametrize("command", ["place 100 -r -k 100000", "place 1000000"])
def test_a_reader_that_goes_away(program, command):
    line = f"'{program}' {command} | head -c 20; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert len(ran.stdout) == 20
    assert "Broken" not in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.returncode in (0, 1, 141)
