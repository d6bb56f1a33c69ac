"""What the puzzle commands write where: files that are kept, JSON, made boards, colours; in this process."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nqueens_cp import puzzle
from nqueens_cp.cli import main, puzzle_boards
from nqueens_cp.errors import SearchStopped
from nqueens_cp.puzzles import reading
from nqueens_cp.render.colours import region_colours
from nqueens_cp.result import Status

QUARTERS = "AABB\nAABB\nCCDD\nCCDD\n"
UNIQUE = QUARTERS + "\n.Q..\n....\n....\n....\n"


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """A function that runs a command in a folder of its own and returns exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.txt").write_text(UNIQUE)

    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        status = main(["puzzle", *arguments])
        return status, *capsys.readouterr()

    return run


# Files.


@pytest.mark.parametrize(
    "arguments",
    [
        ["board.txt", "--write", "board.txt"],
        ["board.txt", "--write", "./board.txt", "--format", "cells"],
        ["board.txt", "--svg", "board.txt"],
        ["board.txt", "--svg", "link.svg"],
        ["batch", "board.txt", "-o", "board.txt"],
    ],
)
def test_the_file_that_is_read_is_kept(run, tmp_path, arguments):
    (tmp_path / "link.svg").symlink_to("board.txt")
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert "is the file that is read; write to another" in err
    assert (tmp_path / "board.txt").read_text() == UNIQUE


def test_no_board_is_lost_when_one_of_several_is_written(run, tmp_path):
    lines = '{"id":"one","regions":["AB","AB"]}\n{"id":"two","regions":["AA","BB"]}\n'
    (tmp_path / "two.jsonl").write_text(lines)
    assert run("two.jsonl", "--board", "one", "--write", "two.jsonl")[0] == 2
    status, _, err = run("two.jsonl", "--write", "new.txt")
    assert status == 2
    assert "holds one board, and there are 2" in err
    assert not (tmp_path / "new.txt").exists()
    assert run("two.jsonl", "--write", "new.jsonl")[0] == 0
    assert (tmp_path / "new.jsonl").read_text() == lines
    assert (tmp_path / "two.jsonl").read_text() == lines


@pytest.mark.parametrize("command", [["board.txt", "--svg"], ["board.txt", "--write"], ["new", "--size", "5", "--svg"]])
def test_a_file_that_cannot_be_written_is_told_before_the_work(run, monkeypatch, command):
    def search(*_, **__):
        raise AssertionError("it is not even begun")

    monkeypatch.setattr("nqueens_cp.puzzles.puzzle.Puzzle.solve", search)
    monkeypatch.setattr("nqueens_cp.puzzles.making.make", search)
    status, _, err = run(*command, "missing/file.svg")
    assert status == 2
    assert "missing" in err
    assert command[-1] in err


def test_the_answer_is_printed_when_the_picture_cannot_be_written(cli, tmp_path):
    full = "/dev/full"
    if not Path(full).exists():
        pytest.skip("there is no /dev/full here")
    (tmp_path / "board.txt").write_text(UNIQUE)
    ran = cli("puzzle", str(tmp_path / "board.txt"), "--svg", full)
    assert ran.returncode == 2
    assert "exactly one solution" in ran.stdout
    assert "No space left" in ran.stderr


def test_standard_input_that_is_closed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    for arguments in (["-"], ["batch", "-"]):
        assert main(["puzzle", *arguments]) == 2
        assert "standard input is closed" in capsys.readouterr().err


# Exit statuses and JSON.


@pytest.mark.parametrize(
    ("board", "option", "status"),
    [
        (UNIQUE, [], 0),
        (QUARTERS, [], 1),
        (UNIQUE.replace(".Q..", "Q..."), [], 1),
        (UNIQUE, ["--count"], 0),
        (QUARTERS, ["--count"], 0),
        (UNIQUE.replace(".Q..", "Q..."), ["--count"], 0),
        (QUARTERS, ["--write", "-"], 0),
        (UNIQUE, ["--hint"], 0),
        (QUARTERS, ["--hint"], 0),
        (UNIQUE.replace(".Q..", "QQ.."), ["--hint"], 1),
        (UNIQUE, ["--explain"], 0),
        (QUARTERS, ["--explain"], 1),
        (UNIQUE.replace(".Q..", "Q..."), ["--explain"], 1),
        (UNIQUE, ["--grade"], 0),
        (QUARTERS, ["--grade"], 1),
        (UNIQUE.replace(".Q..", "Q..."), ["--grade"], 1),
    ],
)
def test_exit_statuses(run, board, option, status):
    assert run("-", *option, stdin=board)[0] == status


def test_json_says_whether_it_is_complete(run):
    for options, keys in (
        ([], {"status", "solutions", "differing", "reasons", "notes", "puzzle"}),
        (["--count"], {"count"}),
        (["--explain"], {"solved", "needs_a_try", "steps"}),
        (["--grade"], {"difficulty", "score"}),
    ):
        record = json.loads(run("board.txt", "--json", *options)[1])
        assert record.pop("complete") is True
        assert set(record) == keys
    status, out, err = run("board.txt", "--explain", "--json", "--time-limit", "1e-9")
    assert status == 3
    assert json.loads(out) == {"complete": False, "solved": False, "needs_a_try": False, "steps": []}
    assert "time limit" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["board.txt", "--json", "--svg", "-"], ["--json", "--svg -"]),
        (["board.txt", "--json", "--write", "a.json"], ["--json", "--write"]),
        (["board.txt", "--board", "2"], ["'2'", "there is one board"]),
        (["new", "--time-limit", "0"], ["--time-limit", "'0'", "60"]),
        (["new", "--time-limit", "soon"], ["--time-limit", "'soon'", "60"]),
        (["new", "--seed", "2147483648"], ["--seed: 2147483648 is not in 0..2147483647"]),
        (["new", "--seed", "-1"], ["--seed: -1 is not in 0..2147483647"]),
        (["new", "--stars", "4"], ["--stars: 4 is not in 1..3"]),
        (["new", "--size", "21"], ["size: 21", "4..20"]),
        (["new", "--json", "--svg", "-"], ["--json", "--svg -"]),
        (["new", "--count", "20"], ["--count", "--number"]),
        (["new", "--number", "0"], ["--number", "0"]),
        (["new", "--number", "2", "--svg", "a.svg"], ["--svg draws one board", "gallery"]),
        (["new", "--number", "2", "--size", "3", "-o", "made.txt"], ["size: 3", "4..20"]),
        (["new", "--svg", "a.svg", "-o", "a.svg"], ["--svg and --output", "a.svg"]),
    ],
)
def test_refusals(run, arguments, words):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert all(word in err for word in words), err


# Batches.


def test_a_batch_of_something_else_says_what_it_reads(run, tmp_path):
    for text in (UNIQUE, json.dumps([{"regions": ["A"]}] * 2)):
        (tmp_path / "other").write_text(text)
        status, _, err = run("batch", "other", "--workers", "1")
        assert status == 1
        assert "each line of other must be one as JSON" in err
        assert "puzzle FILE --write BOARDS.jsonl" in err
        assert run("other", "--write", "right.jsonl")[0] == 0
        assert run("batch", "right.jsonl", "--workers", "1", "-o", "out.jsonl")[0] in (0, 1)
        assert all("status" in json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines())


@pytest.mark.parametrize("indent", [0, 1, 4])
def test_a_batch_of_json_for_people_has_one_hint(run, tmp_path, indent):
    board = {"regions": ["AB", "AB"], "id": 1}
    object_by_object = "\n".join([json.dumps(board, indent=indent)] * 3)
    lines_of_a_list = "[\n" + ",\n".join([json.dumps(board)] * 3) + "\n]\n"
    begun_on_the_line = json.dumps([board] * 2, indent=indent).replace("[\n", "[", 1)
    for text in (object_by_object, json.dumps([board] * 3, indent=indent), lines_of_a_list, begun_on_the_line):
        status, out, err = run("batch", "-", "--workers", "1", stdin=text)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert "standard input, line 1" in err
        assert "puzzle FILE --write BOARDS.jsonl" in err
    (tmp_path / "listed.json").write_text(lines_of_a_list)
    assert run("listed.json", "--write", "right.jsonl")[0] == 0
    assert run("batch", "right.jsonl", "--workers", "1")[1].count("none") == 3


def test_a_batch_whose_first_line_is_cut_off_answers_the_others(run):
    line = '{"regions": ["AABB", "AABB", "CCDD", "CCDD"]}'
    status, out, _ = run("batch", "-", "--workers", "1", stdin=f"{line[:20]}\n{line}\n")
    assert status == 1
    assert [list(json.loads(answer))[1] for answer in out.splitlines()] == ["error", "status"]


def test_a_batch_in_which_the_time_limit_left_something_out(run, monkeypatch):
    from nqueens_cp.control import TimeLimitReached

    def count(*_):
        raise TimeLimitReached

    monkeypatch.setattr("nqueens_cp.puzzles.quick.count", count)
    line = '{"regions": ["AABB", "AABB", "CCDD", "CCDD"]}\n'
    status, out, err = run("batch", "-", "--count", "--workers", "1", stdin=line)
    assert status == 3
    assert json.loads(out)["status"] == "several"
    assert "1 board: 1 several; 1 with something left out by the time limit" in err


# Made boards.


def test_a_made_board_as_json(run, tmp_path):
    status, out, _ = run("new", "--size", "7", "--seed", "7", "--difficulty", "easy", "--json")
    assert out.count("\n") == 1
    record = json.loads(out)
    assert (status, record["seed"], record["difficulty"]) == (0, 7, "easy")
    (tmp_path / "made.json").write_text(out)
    (made,) = puzzle.read(tmp_path / "made.json")
    assert made == puzzle.new(7, seed=7, difficulty="easy")
    assert record["score"] == made.grade().score
    assert made.solve().solutions == (tuple(map(tuple, record["solution"])),)


def test_a_made_board_and_its_picture(run, tmp_path):
    status, out, _ = run("new", "--size", "5", "--seed", "1", "--svg", "board.svg")
    assert status == 0
    assert reading.read(out) == [puzzle.new(5, seed=1)]
    assert "<svg" in (tmp_path / "board.svg").read_text()
    assert run("new", "--size", "5", "--seed", "1", "--svg", "-")[1].startswith("<svg")


def test_making_that_is_stopped(run, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    status, out, err = run("new", "--size", "20", "--time-limit", "1e-6")
    assert (status, out) == (3, "")
    assert "another seed" in err
    monkeypatch.setattr("nqueens_cp.puzzles.making._try", interrupted)
    status, out, err = run("new", "--size", "20")
    assert (status, out) == (130, "")
    assert "interrupted: no board of size 20" in err


# Colours.


@pytest.mark.parametrize(
    ("environment", "codes"),
    [
        ({"TERM": "xterm"}, set(range(41, 48))),
        ({"TERM": "xterm-16color"}, {*range(41, 48), *range(101, 107)}),
        ({"TERM": "xterm-256color"}, None),
    ],
)
def test_neighbours_have_different_colours_with_8_16_and_256(environment, codes, monkeypatch, capsys):
    made = puzzle.new(16, seed=2)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", environment["TERM"])
    puzzle_boards.print_board(made)
    lines = capsys.readouterr().out.splitlines()
    cells = [re.findall(r"\x1b\[([\d;]+)m (\w)", line) for line in lines]
    assert [[label for _, label in row] for row in cells] == [[made.labels[k] for k in row] for row in made.grid]
    fills = [[re.search(r"48;5;(\d+)|(?:^|;)(4[1-7]|10[0-7])$", style)[0] for style, _ in row] for row in cells]
    if codes is not None:
        assert {int(fill.removeprefix(";")) for row in fills for fill in row} <= codes
    n = made.size
    for r in range(n):
        for c in range(n):
            for s, d in ((r, c + 1), (r + 1, c - 1), (r + 1, c), (r + 1, c + 1)):
                if s < n and 0 <= d < n:
                    assert (fills[r][c] == fills[s][d]) == (made.grid[r][c] == made.grid[s][d])


def test_more_colours_where_a_board_needs_them():
    board = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]]
    few = region_colours(board, puzzle_boards.EIGHT_COLOURS)
    assert len(set(few.values())) == 7
    assert len(set(region_colours(board, puzzle_boards.SIXTEEN_COLOURS).values())) == 8


# Several made boards.


def test_several_made_boards_as_text(run):
    status, out, err = run("new", "--size", "5", "--number", "12", "--seed", "3")
    assert (status, err) == (0, "")
    texts = [f"{text}\n" for text in out.removesuffix("\n").split("\n\n")]
    assert texts[0] == run("new", "--size", "5", "--seed", "3")[1]
    made = [reading.read(text)[0] for text in texts]
    assert len({board.grid for board in made}) == len(made) == 12
    assert all(board.is_unique() for board in made)


def test_several_made_boards_as_lines_of_json_that_batch_reads(run, tmp_path):
    asked = ["new", "--size", "6", "--number", "5", "--seed", "4", "--difficulty", "medium"]
    status, out, _ = run(*asked, "--json")
    assert (status, out.count("\n")) == (0, 5)
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["id"] for record in records] == [1, 2, 3, 4, 5]
    for record in records:
        made = puzzle.new(6, seed=record["seed"], difficulty="medium")
        assert record["regions"] == ["".join(made.labels[k] for k in row) for row in made.grid]
        assert record["difficulty"] == "medium"
    assert run(*asked, "-o", "boards.jsonl")[:2] == (0, "")
    assert (tmp_path / "boards.jsonl").read_text() == out
    status, answers, err = run("batch", "boards.jsonl", "--grade", "--workers", "1")
    assert (status, err) == (0, "5 boards: 5 unique\n")
    for answer, record in zip(map(json.loads, answers.splitlines()), records, strict=True):
        assert (answer["id"], answer["grade"]) == (record["id"], "medium")
        assert answer["solutions"] == [record["solution"]]


def test_one_made_board_in_a_file(run, tmp_path):
    assert run("new", "--size", "5", "-o", "made.txt")[:2] == (0, "")
    assert run("new", "--size", "5", "-o", "made.json")[:2] == (0, "")
    assert puzzle.read(tmp_path / "made.txt") == puzzle.read(tmp_path / "made.json") == [puzzle.new(5)]


def repeating(monkeypatch, then, different=2):
    """Let making give some boards, and then what `then` says."""
    from nqueens_cp.puzzles import making

    make, made = making.make, []

    def limited(size, *, seed, **options):
        if len(made) == different:
            return then(made)
        made.append(make(size, seed=seed, **options))
        return made[-1]

    monkeypatch.setattr(making, "make", limited)


def test_seeds_that_give_nothing_new_are_skipped_and_end_it(run, monkeypatch):
    repeating(monkeypatch, lambda made: made[0])
    status, out, err = run("new", "--size", "5", "--number", "4", "--seed", "7")
    assert (status, out.count("\n\n")) == (3, 1)
    assert err == "the seeds 9 to 13 gave no new board (partial): 2 of 4 boards\n"
    status, _, err = run("new", "--size", "5", "--number", "2", "--seed", "2147483647")
    assert status == 3
    assert "there is no seed after 2147483647" in err


def test_making_of_several_that_is_stopped_keeps_whole_boards(run, monkeypatch, tmp_path):
    def interrupted(_):
        raise KeyboardInterrupt

    def out_of_time(_):
        raise SearchStopped("no time", partial=None, status=Status.TIMEOUT)

    for then, status, words in (
        (interrupted, 130, "interrupted (partial): 2 of 9 boards\n"),
        (out_of_time, 3, "stopped by the time limit of 33 s (partial): 2 of 9 boards\n"),
    ):
        with monkeypatch.context() as patch:
            repeating(patch, then)
            assert run("new", "--size", "5", "--number", "9", "-t", "33", "-o", "some.jsonl") == (status, "", words)
        assert [board.id for board in puzzle.read(tmp_path / "some.jsonl")] == [1, 2]


def test_progress_of_several_on_a_terminal(run, monkeypatch, tmp_path):
    monkeypatch.setattr("nqueens_cp.control.PROGRESS_INTERVAL", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    status, out, err = run("new", "--size", "5", "--number", "3", "-o", "made.jsonl")
    assert (status, out) == (0, "")
    assert "of 3 boards" in err
    assert len(puzzle.read(tmp_path / "made.jsonl")) == 3


def test_a_real_time_limit_for_all_of_them(run, tmp_path):
    status, out, err = run("new", "--size", "20", "--number", "2000", "-t", "0.5", "-o", "made.jsonl")
    lines = (tmp_path / "made.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(range(1, len(lines) + 1))
    told = f"stopped by the time limit of 0.5 s (partial): {len(lines)} of 2000 boards\n"
    assert (status, out, err) == (3, "", told)


def test_a_sheet_of_puzzles_and_one_of_their_solutions(run, tmp_path, capsys):
    assert run("new", "--size", "6", "--number", "4", "--seed", "1", "-o", "puzzles.jsonl")[0] == 0
    for options, queens in ((["--unsolved"], 0), ([], 24)):
        assert main(["gallery", "puzzles.jsonl", *options, "--title", "Four", "-o", "sheet.svg"]) == 0
        elements = list(ElementTree.parse(tmp_path / "sheet.svg").iter())
        captions = [one.text for one in elements if "caption" in (one.get("class") or "").split()]
        assert captions == [f"{i}, {puzzle.new(6, seed=i).grade()}" for i in range(1, 5)]
        assert sum("queen" in (one.get("class") or "").split() for one in elements) == queens
