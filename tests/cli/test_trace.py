"""The commands ``trace`` and ``rules``: in a pipe, as JSON, on a terminal, and what they refuse."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import subprocess
from itertools import permutations

import pytest

from nqueens_cp.cli import main

PROGRAMS = ["flag-arrays", "position-array", "marked-board", "bit-masks", "forward-checking"]
KINDS = {"a queen is placed": "place", "attacked by": "reject", "the queen is taken off": "undo"}
SILENCE = 100  # seconds after which a command that prints nothing is taken to hang


def attack(one, other):
    return one[1] == other[1] or abs(one[0] - other[0]) == abs(one[1] - other[1])


def free_of_attack(columns):
    queens = list(enumerate(columns))
    return not any(attack(a, b) for i, a in enumerate(queens) for b in queens[:i])


def table_of(text):
    """The rows of the table of counters, by program and head."""
    lines = [line.split() for line in text.splitlines()]
    (start,) = (i for i, words in enumerate(lines) if words[:2] == ["program", "steps"])
    return {words[0]: dict(zip(lines[start][1:], words[1:], strict=False)) for words in lines[start + 2 :] if words}


def partial_placements(n):
    return sum(free_of_attack(columns) for size in range(n + 1) for columns in permutations(range(n), size))


def test_in_a_pipe_each_step_is_a_line(cli):
    ran = cli("trace", "5")
    assert (ran.returncode, ran.stderr) == (0, "")
    queens, found, steps = [], [], 0
    for line in ran.stdout.splitlines():
        solution = re.fullmatch(r"solution: (\d{5})", line)
        if solution:
            assert solution[1] == "".join(str(column) for _, column in queens)
            found.append(solution[1])
        said = re.fullmatch(r"row (\d), column (\d): (.*)", line)
        if said:
            square = (int(said[1]), int(said[2]))
            (kind,) = (KINDS[words] for words in KINDS if said[3].startswith(words))
            if kind == "place":
                queens.append(square)
                assert free_of_attack([column for _, column in queens])
            elif kind == "undo":
                assert queens.pop() == square
            else:
                attackers = [(int(row), int(column)) for row, column in re.findall(r"\((\d), (\d)\)", said[3])]
                assert attackers == [queen for queen in queens if attack(queen, square)] != []
        steps += bool(said or solution)
    expected = ["".join(map(str, columns)) for columns in permutations(range(5)) if free_of_attack(columns)]
    assert found == expected
    assert queens == []
    table = table_of(ran.stdout)
    assert list(table) == PROGRAMS
    assert int(table["flag-arrays"]["steps"]) == steps
    for row in table.values():
        assert int(row["solutions"]) == len(expected)
    for name in PROGRAMS[:-1]:
        assert int(table[name]["nodes"]) == int(table[name]["undone"]) + 1 == partial_placements(5)


def test_json_holds_the_steps_of_all_programs(capsys):
    assert main(["trace", "4", "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert read["n"] == 4
    assert [trace["program"] for trace in read["traces"]] == PROGRAMS
    for trace in read["traces"]:
        assert trace["solutions"] == [[1, 3, 0, 2], [2, 0, 3, 1]]
        assert trace["complete"] is True
        assert [step["kind"] for step in trace["steps"]].count("place") == trace["steps"][-1]["undone"]


@pytest.mark.parametrize(("options", "found"), [(["--first"], 1), (["--limit", "3"], 3), (["--limit", "11"], 10)])
def test_so_many_solutions(options, found, capsys):
    assert main(["trace", "5", "-p", "bit-masks", "--json", *options]) == 0
    (trace,) = json.loads(capsys.readouterr().out)["traces"]
    assert len(trace["solutions"]) == found
    assert trace["complete"] is (found == 10)
    assert (trace["steps"][-1]["kind"] == "solution") is (found < 10)


def test_named_programs_are_shown_one_after_the_other(capsys):
    assert main(["trace", "4", "-p", "forward-checking", "--program", "bit-masks", "-p", "bit-masks"]) == 0
    text = capsys.readouterr().out
    heads = re.findall(r"^(.*), board of size 4:$", text, re.MULTILINE)
    assert heads == ["Forward checking", "Bit masks"]
    assert list(table_of(text)) == ["forward-checking", "bit-masks"]
    assert "row 0, column 0: a queen is placed, 6 squares struck out: (1, 0), (1, 1), " in text
    assert text.count("no square is left") == 4


@pytest.mark.parametrize(("n", "solutions"), [(0, 1), (1, 1), (2, 0), (3, 0)])
def test_small_boards(n, solutions, capsys):
    assert main(["trace", str(n), "--plain"]) == 0
    table = table_of(capsys.readouterr().out)
    assert [row["solutions"] for row in table.values()] == [str(solutions)] * 5


def test_a_long_search_is_cut_off(capsys):
    assert main(["trace", "12", "-p", "flag-arrays"]) == 3
    out, err = capsys.readouterr()
    assert re.search(r"cut off after 20000 steps: flag-arrays; --steps NUMBER keeps more, --first stops earlier$", err)
    assert table_of(out)["flag-arrays"]["end"] == "cut"
    assert sum(line.startswith(("row ", "solution")) for line in out.splitlines()) == 20_000


def test_so_many_steps(capsys):
    assert main(["trace", "6", "-p", "bit-masks", "--steps", "7"]) == 3
    out, err = capsys.readouterr()
    assert len(re.findall(r"^row ", out, re.MULTILINE)) == 7
    assert "after 7 steps: bit-masks" in err
    assert main(["trace", "6", "-p", "bit-masks", "--steps", "7", "--first"]) == 3
    assert capsys.readouterr().err.rstrip().endswith("--steps NUMBER keeps more"), "--first is there already"


def test_the_board_of_size_0(capsys):
    assert main(["trace", "0", "--plain"]) == 0
    assert "solution: (the empty board)\n" in capsys.readouterr().out
    assert main(["rules", "0"]) == 0
    assert capsys.readouterr().out.count("1 placement:\n       (the empty board)\n") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x"], "N: expected a whole number, got 'x'"),
        (["-1"], "N: -1 is too small"),
        (["33"], "33 is too large"),
        (["4", "-p", "flags"], "'flags' .* flag-arrays, position-array"),
        (["4", "--limit", "0"], "--limit: 0 is too small"),
        (["4", "--first", "--limit", "2"], "--first and --limit 2"),
        (["4", "--steps", "1000001"], "--steps: 1000001 are too many to keep; it must be at most 1000000"),
        (["4", "--steps", "many"], "--steps: expected a whole number, got 'many'"),
        (["4", "--speed", "0"], "--speed: .* got '0'"),
        (["4", "--speed", "nan"], "--speed: .* got 'nan'"),
        (["4", "--speed", "2", "--step"], "--step waits for Enter, and --speed 2"),
        (["4", "--html", "page.txt"], r"--html: page.txt must end in \.html"),
        (["4", "--html", "missing/page.html"], "--html missing/page.html: there is no folder"),
        ([], "N"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["trace", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(message, err)
    assert list(tmp_path.iterdir()) == []


def test_a_page_is_written(tmp_path, capsys):
    file = tmp_path / "trace.html"
    file.write_text("before")
    assert main(["trace", "4", "-p", "flag-arrays", "--html", str(file)]) == 0
    assert file.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    out, err = capsys.readouterr()
    assert list(table_of(out)) == ["flag-arrays"]
    assert "row 0" not in out
    assert str(file) in err


# On a terminal.


class Terminal:
    """A command that runs on a terminal of its own."""

    def __init__(self, words, rows=24, columns=80, typed=b""):
        import fcntl
        import pty
        import struct
        import termios

        self.leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.write(self.leader, typed)
        environment = {
            name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")
        }
        self.process = subprocess.Popen(
            words,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env=environment | {"TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(follower)
        self.seen = ""

    def read_until(self, words=None):
        """Read until some words have been seen, or to the end; return all that was seen."""
        while words is None or words not in self.seen:
            assert select.select([self.leader], [], [], SILENCE)[0], self.seen[-2000:]
            try:
                data = os.read(self.leader, 65536)
            except OSError:  # how Linux tells that the other side is closed
                break
            if not data:
                break
            self.seen += data.decode(errors="replace")
        assert words is None or words in self.seen, self.seen[-2000:]
        return self.seen

    def close(self):
        os.close(self.leader)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def terminal(program):
    pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    opened = []

    def start(*arguments, **options):
        opened.append(Terminal([program, *arguments], **options))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def plain(text):
    return re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", text).replace("\r", "")


ENTER_SCREEN, LEAVE_SCREEN = "\x1b[?1049h", "\x1b[?1049l"


def test_a_search_is_played(terminal):
    shown = terminal("trace", "4", "--first", "--speed", "1000")
    seen = shown.read_until()
    assert shown.process.wait() == 0
    played, _, after = seen.partition(LEAVE_SCREEN)
    assert ENTER_SCREEN in played
    assert [int(step) for step in re.findall(r"Flag arrays: step (\d+) of 31", played)] == list(range(32))
    assert "  0 . Q . ." in plain(after)
    assert list(table_of(plain(after))) == PROGRAMS


def test_searches_are_played_side_by_side(terminal):
    shown = terminal("trace", "4", "-p", "bit-masks", "-p", "forward-checking", "--speed", "1000")
    seen = plain(shown.read_until())
    assert shown.process.wait() == 0
    assert re.search(r"Bit masks: step 34 of 34 +Forward checking: step 38 of 38", seen)


def test_each_step_waits_for_enter(terminal):
    shown = terminal("trace", "6", "--step", typed=b"\n\n\n")
    shown.read_until("step 3 of 1050")
    os.write(shown.leader, b"\x04")  # Ctrl-D ends the show
    seen = shown.read_until()
    assert shown.process.wait() == 0
    assert "step 4 of" not in seen
    assert table_of(plain(seen.partition(LEAVE_SCREEN)[2]))["flag-arrays"]["steps"] == "1050"


def test_steps_that_wait_for_a_closed_input(program):
    pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    shown = Terminal(["sh", "-c", 'exec "$0" trace 4 --step <&-', program])
    try:
        seen = shown.read_until()
        assert shown.process.wait() == 2
        assert "--step waits for Enter, and standard input is no terminal" in plain(seen)
    finally:
        shown.close()


@pytest.mark.parametrize("pace", [["--step"], ["--speed", "0.1"]], ids=["step", "speed"])
def test_interrupted(terminal, pace):
    shown = terminal("trace", "6", "-p", "marked-board", *pace)
    shown.read_until("step 0 of 1050")  # it is drawn within the try block
    os.kill(shown.process.pid, signal.SIGINT)
    seen = shown.read_until()
    assert shown.process.wait() == 130
    assert "interrupted: marked-board at step 0 of 1050" in seen.partition(LEAVE_SCREEN)[2]
    assert "Traceback" not in seen


def test_a_small_terminal(terminal):
    shown = terminal("trace", "8", "-p", "bit-masks", "-p", "flag-arrays", rows=24, columns=60)
    seen = shown.read_until()
    assert shown.process.wait() == 2
    assert re.search(r"60 x 24 characters is too small for 2 x the board of size 8: that takes \d+ x \d+", plain(seen))
    assert ENTER_SCREEN not in seen


def test_plain_on_a_terminal(terminal):
    shown = terminal("trace", "3", "--plain")
    seen = shown.read_until()
    assert shown.process.wait() == 0
    assert ENTER_SCREEN not in seen
    assert "row 0, column 0: a queen is placed" in seen


# Rule by rule.


def test_rules_in_words(cli):
    ran = cli("rules", "8")
    assert ran.returncode == 0
    assert re.findall(r"^ +([\d,]+) placements( \(.*\))?$", ran.stdout, re.MULTILINE) == [
        ("16,777,216", " (n^n)"),
        ("40,320", " (n!)"),
        ("2,113", ""),
        ("92", ""),
    ]
    assert re.findall(r"^(\d)\. ", ran.stdout, re.MULTILINE) == ["1", "2", "3", "4"]


def test_few_placements_are_listed(capsys):
    assert main(["rules", "4"]) == 0
    text = capsys.readouterr().out
    assert text.endswith("2 placements:\n       1302 2031\n")
    of_rooks = "".join(re.findall(r"24 placements \(n!\):\n((?: {7}[\d ]+\n)+)", text)).split()
    assert of_rooks == ["".join(map(str, columns)) for columns in permutations(range(4))]
    assert main(["rules", "1"]) == 0
    assert "1 placement:" in capsys.readouterr().out


def test_placements_are_as_wide_as_the_terminal(program):
    pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    shown = Terminal([program, "rules", "4"], columns=60)
    try:
        lines = plain(shown.read_until()).splitlines()
        assert shown.process.wait() == 0
    finally:
        shown.close()
    listed = [line for line in lines if re.fullmatch(r" {7}[\d ]+", line)]
    assert max(map(len, listed)) <= 60
    assert sum(len(line.split()) for line in listed) == 24 + 7 + 2


def test_rules_as_json(capsys):
    assert main(["rules", "5", "--json", "--backend", "python-constraint"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert [rule["count"] for rule in read["rules"]][::3] == [5**5, 10]
    assert len(read["rules"][-1]["placements"]) == 10
    assert all(free_of_attack(list(map(int, placement))) for placement in read["rules"][-1]["placements"])
    assert read["rules"][0]["placements"] is None


def test_rules_stopped_by_the_time_limit(capsys):
    assert main(["rules", "24", "--time-limit", "0.1", "--json"]) == 3
    out, err = capsys.readouterr()
    first, second = json.loads(out)["rules"][:2]
    assert (first["complete"], first["count"]) == (True, 24**24), "the choices of free rows multiply"
    assert (second["complete"], second["count"]) == (False, None)
    assert second["at_least"] >= 0
    assert "columns: stopped by the time limit of 0.1 s" in err


def test_long_numbers_are_not_written_out(capsys):
    assert main(["rules", "1000", "--time-limit", "0.01"]) == 3
    assert f"(a number of {len(str(1000**1000)):,} digits) placements (n^n)\n" in capsys.readouterr().out


def test_interrupted_rules(start, work):
    process = start("rules", "24")
    work(process, 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "at least" in out
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x"], "N: expected"),
        (["-3"], "N: -3 is too small"),
        (["1001"], "N: 1001 is too large; it must be at most 1000"),
        (["4", "-b", "bit-masks"], "bit-masks"),
        ([], "N"),
    ],
)
def test_rules_that_cannot_be_counted(arguments, message, capsys):
    assert main(["rules", *arguments]) == 2
    assert message in capsys.readouterr().err
