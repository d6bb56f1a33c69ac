"""The commands nth, rank, sample and squares, and count --up-to-symmetry."""

from __future__ import annotations

import json
import os
import signal
import time
import xml.etree.ElementTree as ET

import pytest

FIRST_AND_LAST = ((0, 4, 7, 5, 2, 6, 1, 3), (7, 3, 0, 2, 5, 1, 6, 4))  # of eight queens, in lexicographic order
FOUR = ". Q . .\n. . . Q\nQ . . .\n. . Q .\n\n. . Q .\nQ . . .\n. . . Q\n. Q . .\n"


def test_count_up_to_symmetry(cli, published):
    done = cli("count", "8", "--up-to-symmetry")
    assert (done.returncode, done.stdout) == (0, "12\n")
    assert done.stderr == "12 up to 8 symmetries: 11 of size 8, 1 of size 4 (92 solutions)\n"
    done = cli("count", "queens", "n=12", "--up-to-symmetry", "--json")
    answer = json.loads(done.stdout)
    assert (answer["count"], answer["solutions"], answer["complete"]) == (
        published["A002562"][12],
        published["A000170"][12],
        True,
    )
    assert answer["orbits"][0] == {"size": 8, "number": published["A260320"][12]}
    assert (len(answer["symmetries"]), answer["backend"]) == (8, "core")
    assert cli("count", "1", "--up-to-symmetry").stderr.endswith("(1 solution)\n")


def test_count_up_to_symmetry_of_what_is_no_board_of_rows(cli):
    done = cli("count", "magic_square", "n=3", "--up-to-symmetry")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the symmetries of model" in done.stderr


def test_count_up_to_symmetry_stopped(cli, published):
    done = cli("count", "20", "--up-to-symmetry", "--time-limit", "1", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["count"], answer["complete"]) == (3, None, False)
    assert 0 <= answer["at_least"] < published["A002562"][20]


def test_nth(cli, columns_of):
    done = cli("nth", "8", "0", "91")
    boards = done.stdout.split("\n\n")
    assert done.returncode == 0
    assert [tuple(columns_of(board)) for board in boards] == list(FIRST_AND_LAST)
    assert cli("nth", "queens", "0", "n=4", "1").stdout == FOUR


def test_nth_as_json(cli):
    answer = json.loads(cli("nth", "8", "91", "--json").stdout)
    assert answer["solutions"] == [{"k": 91, "solution": {"queen": list(FIRST_AND_LAST[1])}}]
    assert answer["complete"] is True


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("8", "92"), 2, "92 solutions, numbered from 0 to 91"),
        (("8", "-1"), 2, "got -1"),
        (("8", "x"), 2, "expected a whole number, got 'x'"),
        (("8", "--frst"), 2, "unknown option '--frst'"),
        (("8",), 2, "which solution?"),
        (("3", "0"), 1, "no solution"),
    ],
)
def test_nth_of_what_there_is_not(cli, words, status, message):
    done = cli("nth", *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr


@pytest.mark.parametrize(
    "words", [("7", "3", "0", "2", "5", "1", "6", "4"), ("7,3,0,2,5,1,6,4",), ("[7, 3, 0, 2,", "5, 1, 6, 4]")]
)
def test_rank_of_the_numbers_given(cli, words):
    done = cli("rank", "8", *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "91\n", "")


def test_rank_reads_lines_and_boards(cli, tmp_path):
    assert cli("rank", "4", stdin=FOUR).stdout == "0\n1\n"
    assert cli("rank", "4", stdin="2 0 3 1\n\n[1, 3, 0, 2]\n" + FOUR).stdout == "1\n0\n0\n1\n"
    path = tmp_path / "solutions.txt"
    path.write_text("1;3;0;2\n2\t0\t3\t1")
    done = cli("rank", "queens", "n=4", "--input", str(path), "--json")
    assert json.loads(done.stdout) == {"model": "queens", "complete": True, "ranks": [0, 1]}


def test_rank_reads_what_sample_prints(cli, published):
    drawn = cli("sample", "12", "--number", "5", "--seed", "7")
    ranks = [int(line) for line in cli("rank", "12", stdin=drawn.stdout).stdout.split()]
    assert len(ranks) == 5
    assert cli("nth", "12", *map(str, ranks)).stdout == drawn.stdout
    assert all(0 <= place < published["A000170"][12] for place in ranks)


def test_rank_reads_every_format_that_list_prints(cli):
    for form in ("csv", "jsonl"):
        listed = cli("list", "6", "--format", form)
        assert cli("rank", "6", stdin=listed.stdout).stdout == "0\n1\n2\n3\n", form
    drawn = cli("sample", "magic_square", "n=3", "--number", "4", "--seed", "2").stdout
    ranks = cli("rank", "magic_square", "n=3", stdin=drawn).stdout.split()
    assert cli("nth", "magic_square", "n=3", *ranks).stdout == drawn


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        ("1 3 0 2\n0 1 2 3\n", "line 2: solution: [0, 1, 2, 3] is no solution"),
        ("1 3 0\n", "line 1: solution: model 'queens' has 4 variables, not 3"),
        ("1 3 zero 2\n", "line 1: expected a whole number, got 'zero'"),
        (". Q . .\nQ . . Q\n", "line 2: 2 queens"),
        ('{"queen":[1,3,0]}\n', "line 1: queen is no list of 4 values"),
        ("queen[0],queen[1]\n", "line 1: expected a whole number"),
        ("", "no solution was given"),
    ],
)
def test_rank_tells_what_is_wrong_with_a_line(cli, stdin, message):
    done = cli("rank", "4", stdin=stdin)
    assert done.returncode == 2
    assert message in done.stderr


def test_rank_of_a_solution_given_twice_or_from_no_file(cli, tmp_path):
    assert "given twice" in cli("rank", "4", "1", "3", "0", "2", "--input", "x").stderr
    done = cli("rank", "4", "--input", str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (2, "")


def test_samples(cli, columns_of, is_solution):
    done = cli("sample", "10", "--number", "3", "--seed", "1")
    boards = [columns_of(board) for board in done.stdout.split("\n\n")]
    assert (done.returncode, len(boards)) == (0, 3)
    assert all(map(is_solution, boards))
    answer = json.loads(cli("sample", "10", "--number", "3", "--seed", "1", "--json").stdout)
    assert [solution["queen"] for solution in answer["solutions"]] == boards
    assert (answer["seed"], answer["complete"]) == (1, True)


def test_samples_of_nothing(cli):
    done = cli("sample", "3")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "model 'queens' has no solution to draw\n")
    assert "at least 1" in cli("sample", "8", "--number", "0").stderr


def test_squares(cli, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "map.svg"
    done = cli("squares", "6", "--heat-map", str(path))
    expected = [[0, 1, 1, 1, 1, 0], [1, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 1]]  # its four solutions, by hand
    expected += expected[::-1]
    assert done.returncode == 0
    assert [[int(word) for word in line.split()] for line in done.stdout.splitlines()] == expected
    assert ET.parse(path).getroot().tag.endswith("svg")
    answer = json.loads(cli("squares", "6", "--json").stdout)
    assert (answer["counts"], answer["backend"]) == (expected, "core")


@pytest.mark.parametrize(
    ("size", "name", "message"),
    [
        ("20", "map.gif", "neither .png nor .svg"),
        ("20", "none/map.png", "there is no folder"),
        ("0", "map.png", "no squares"),
    ],
)
def test_squares_refuses_a_picture_before_it_counts(cli, tmp_path, size, name, message):
    begun = time.monotonic()
    done = cli("squares", size, "--heat-map", str(tmp_path / name))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert time.monotonic() - begun < 50


def test_squares_says_that_matplotlib_is_missing_before_it_counts(cli, tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    done = cli("squares", "27", "--heat-map", str(tmp_path / "map.png"), path=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install matplotlib" in done.stderr


def test_squares_stopped(cli):
    done = cli("squares", "17", "diagonals=none", "--time-limit", "1")
    assert done.returncode == 3
    counts = [line.split() for line in done.stdout.splitlines()]
    assert int(counts[0][0]) == int(counts[16][16]) > 0
    assert counts[8][8] == "?"
    assert "lower bounds are known for 4 squares" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("count", "20", "--up-to-symmetry"), "at least"),
        (("nth", "20", "10000000000"), "0 of 20 values are known"),
        (("sample", "20"), "0 solutions were drawn"),
        (("squares", "20"), "lower bounds are known"),
    ],
)
def test_an_interrupt_tells_what_is_known(start, work, words, message):
    process = start(*words)
    work(process, 1)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert message in errors
    assert "Traceback" not in errors
