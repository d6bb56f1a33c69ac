"""`nqueens-cp compare`: ranges, tasks, saved records and ratios, exit statuses, Ctrl-C, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from nqueens_cp.comparison import load_comparison

COUNTS = {4: 2, 5: 10, 6: 4, 7: 40, 8: 92}  # OEIS A000170

WRONG = """
import time

from nqueens_cp import Status
from nqueens_cp.backends import get_backend
from nqueens_cp.backends.base import Answer

Honest = type(get_backend("core"))


class Drops(Honest):
    name = "drops"

    def solutions(self, translated, control):
        found = super().solutions(translated, control)
        next(found, None)
        yield from found

    def count(self, translated, control):
        return super().count(translated, control) - 1


class Repeats(Honest):
    name = "repeats"

    def solutions(self, translated, control):
        for board in super().solutions(translated, control):
            yield board
        yield board

    def count(self, translated, control):
        return super().count(translated, control) + 1


class Miscounts(Honest):
    name = "miscounts"

    def count(self, translated, control):
        return super().count(translated, control) - 1


class Never(Honest):
    name = "never"

    def solve(self, translated, control):
        return Answer(Status.UNSATISFIABLE)


class Attacked(Honest):
    name = "attacked"

    def solve(self, translated, control):
        return Answer(Status.SATISFIED, tuple(range(6)))


class Late(Honest):
    name = "late"

    def count(self, translated, control):
        control.found = 1
        while True:
            time.sleep(0.02)
            control.poll()


class Hungry(Honest):
    name = "hungry"

    def count(self, translated, control):
        held = []
        while len(held) < 80:
            held.append(b"x" * (10 << 20))
            time.sleep(0.02)
"""


@pytest.fixture(scope="module")
def wrong(tmp_path_factory) -> Path:
    """A folder with an installed distribution that registers the backends above."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "wrong_on_the_line.py").write_text(WRONG)
    info = folder / "wrong_on_the_line-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong-on-the-line\nVersion: 1.2\n")
    kinds = re.findall(r"^class (\w+)", WRONG, re.M)
    lines = [f"{kind.lower()} = wrong_on_the_line:{kind}\n" for kind in kinds]
    (info / "entry_points.txt").write_text("[nqueens_cp.backends]\n" + "".join(lines))
    return folder


def ratio_line(output: str, model: str, backend: str) -> str:
    """The line about a backend below the heading with the ratios."""
    _, _, ratios = output.rpartition("ratio")
    (line,) = (line for line in ratios.splitlines() if model in line and backend in line)
    return line


def test_a_range_is_measured_saved_and_measured_against(cli, tmp_path):
    files = {ending: tmp_path / f"a.{ending}" for ending in ("json", "csv", "md")}
    saving = [word for file in files.values() for word in ("--save", str(file))]
    common = (
        "compare",
        "4..5",
        "-b",
        "core,bit-masks",
        "--task",
        "enumerate",
        "--repeats",
        "2",
        "--memory-limit",
        "500",
    )
    ran = cli(*common, "-t", "5", *saving, "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    record = json.loads(ran.stdout)
    assert record == json.loads(files["json"].read_text())
    assert record["agree"] is True
    assert record["setting"]["task"] == "enumerate"
    assert [(row["size"], row["backend"], row["solutions"]) for row in record["rows"]] == [
        (n, name, COUNTS[n]) for n in (4, 5) for name in ("core", "bit-masks")
    ]
    assert all(len(row["measurements"]) == 2 for row in record["rows"])
    saved = load_comparison(files["json"])
    assert len(saved.rows) == 4
    lines = list(csv.DictReader(io.StringIO(files["csv"].read_text())))
    assert [(line["model"], line["backend"]) for line in lines] == [(row.model, row.backend) for row in saved.rows]
    table = [line for line in files["md"].read_text().splitlines() if line.startswith("|")]
    assert len(table) == 4 + 2
    assert "agree" in files["md"].read_text()

    later = tmp_path / "b.json"
    ran = cli(
        "compare", "5..6", "-b", "core", "--task", "enumerate", "--against", str(files["json"]), "--save", str(later)
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    before = {row.model: row.spreads["solve_seconds"] for row in saved.rows if row.backend == "core"}
    for row in load_comparison(later).rows:
        if row.model not in before:
            assert row.model == "queens n=6"
            assert "1 of 2 rows have no counterpart" in ran.stdout, "it was not measured then"
            continue
        line = ratio_line(ran.stdout, row.model, "core")
        now, old = row.spreads["solve_seconds"], before[row.model]
        assert f"{now.median / old.median:.2f}" in line
        assert f"{now.least / old.most:.2f} to {now.most / old.least:.2f}" in line


def test_ratios_as_json(cli, tmp_path):
    saved = tmp_path / "a.json"
    assert cli("compare", "5", "-b", "core,bit-masks", "--save", str(saved), "--json").returncode == 0
    ran = cli("compare", "5", "-b", "core", "--against", str(saved), "--json")
    record = json.loads(ran.stdout)
    (ratio,) = record["against"]
    before = load_comparison(saved).rows[0].solve_seconds
    assert (ratio["model"], ratio["backend"], ratio["before"]) == ("queens n=5", "core", before)
    assert ratio["least"] == ratio["ratio"] == ratio["most"] == ratio["seconds"] / before
    assert ratio["seconds"] == record["rows"][0]["solve_seconds"]


def test_times_of_another_task_say_nothing(cli, tmp_path):
    saved = tmp_path / "a.json"
    assert cli("compare", "5", "-b", "core", "--save", str(saved)).returncode == 0
    ran = cli("compare", "5", "-b", "core", "--task", "solve", "--against", str(saved))
    assert ran.returncode == 2
    assert "'solve'" in ran.stderr
    assert "'count'" in ran.stderr
    assert ran.stdout == "", "told before anything is measured"


def test_to_prove_that_there_is_none(cli):
    ran = cli("compare", "3", "-b", "core,python-constraint", "--task", "prove")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "unsatisfiable" in ran.stdout
    ran = cli("compare", "4", "-b", "core,python-constraint", "--task", "prove")
    assert ran.returncode == 1
    assert "there is a solution" in ran.stderr


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_a_table_grows_on_a_terminal(program):
    reading, writing = os.openpty()
    process = subprocess.Popen(
        [program, "compare", "4..6", "-b", "core,bit-masks"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=writing,
        env=dict(os.environ, TERM="xterm", COLUMNS="100", LINES="30"),
    )
    os.close(writing)
    shown = b""
    try:
        while part := os.read(reading, 65_536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(reading)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert output.decode().count("complete") == 6
    frames = shown.decode().split("measuring")
    rows = [sum("complete" in line for line in frame.splitlines()) for frame in frames]
    assert max(rows) >= 4, "rows that were measured are there while others are being measured"
    assert rows == sorted(rows[:-1]) + rows[-1:]


def test_a_parameter_may_be_a_range(cli):
    ran = cli("compare", "toroidal_queens", "n=5..6", "-b", "core", "-b", "python-constraint", "--json")
    record = json.loads(ran.stdout)
    assert ran.returncode == 0
    assert [(row["size"], row["solutions"]) for row in record["rows"]] == [(5, 10), (5, 10), (6, 0), (6, 0)]


def test_the_table_of_a_range_says_which_is_which(cli):
    ran = cli("compare", "4..5", "-b", "core,bit-masks")
    assert ran.returncode == 0
    lines = ran.stdout.splitlines()
    for n in (4, 5):
        for name in ("core", "bit-masks"):
            assert sum(f"queens n={n}" in line and name in line and f" {COUNTS[n]} " in line for line in lines) == 1
    assert lines[0] == "agree"


def test_a_dropped_solution_in_a_range(cli, wrong):
    ran = cli("compare", "4..5", "-b", "core,drops", "--task", "enumerate", "--json", path=wrong)
    assert ran.returncode == 1
    record = json.loads(ran.stdout)
    assert record["agree"] is False
    assert record["difference"]["model"] == "queens n=4"
    assert (record["difference"]["found_by"], record["difference"]["missed_by"]) == ("core", "drops")
    assert record["difference"]["solution"]["values"] == {"queen": [1, 3, 0, 2]}
    shown = cli("compare", "4..5", "-b", "core,drops", path=wrong)
    assert shown.returncode == 1
    assert "DISAGREE" in shown.stdout
    assert ". Q . .\n. . . Q\nQ . . .\n. . Q ." in shown.stdout + shown.stderr
    assert "queens n=4: core found this" in shown.stdout, "the board is of one of several models, and it says of which"


def test_a_repeated_solution(cli, wrong):
    ran = cli("compare", "6", "-b", "core,repeats", path=wrong)
    assert ran.returncode == 1
    assert "DISAGREE" in ran.stdout
    assert "repeats some" in ran.stdout


def test_a_count_that_its_own_solutions_contradict(cli, wrong):
    ran = cli("compare", "6", "-b", "core,miscounts", path=wrong)
    assert ran.returncode == 1
    assert "DISAGREE" in ran.stdout
    assert "miscounts" in ran.stdout + ran.stderr
    assert "repeats some" not in ran.stdout, "nobody repeats anything: a count was wrong"


@pytest.mark.parametrize("backend", ["never", "attacked"])
def test_a_wrong_answer_to_solve(cli, wrong, backend):
    ran = cli("compare", "6", "-b", f"core,{backend}", "--task", "solve", path=wrong)
    assert ran.returncode == 1
    assert "DISAGREE" in ran.stdout
    assert ran.stderr.strip()
    assert "Traceback" not in ran.stderr


def test_a_disagreement_outweighs_a_limit(cli, wrong):
    ran = cli("compare", "6", "-b", "core,drops,late", "-t", "0.4", path=wrong)
    assert ran.returncode == 1
    assert "at least" in ran.stdout


def test_stopped_by_time(cli):
    ran = cli("compare", "18..19", "-b", "bit-masks", "-t", "0.3")
    assert ran.returncode == 3
    assert "at least" in ran.stdout
    assert "skipped" in ran.stdout
    assert "limit" in ran.stderr


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is watched on Linux")
def test_stopped_by_memory(cli, wrong):
    ran = cli("compare", "6", "-b", "core,hungry", "--memory-limit", "200", "--json", path=wrong)
    assert ran.returncode == 3
    assert [row["status"] for row in json.loads(ran.stdout)["rows"]] == ["complete", "memory"]


def test_an_interrupt_saves_what_was_measured(start, work, tmp_path):
    files = [tmp_path / f"a.{ending}" for ending in ("json", "csv", "md")]
    saving = [word for file in files for word in ("--save", str(file))]
    process = start("compare", "4..19", "-b", "bit-masks", *saving)  # the last of them take hours
    work(process, 1.5)
    sent = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert time.monotonic() - sent < 15
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "partial" in errors
    assert "queens n=4" in output
    saved = load_comparison(files[0])
    assert 1 <= len(saved.rows) < 16
    assert all(row.solutions == COUNTS[row.size] for row in saved.rows if row.size in COUNTS)
    assert len(list(csv.DictReader(io.StringIO(files[1].read_text())))) == len(saved.rows)
    assert sum(line.startswith("|") for line in files[2].read_text().splitlines()) == len(saved.rows) + 2
    for file in (files[0], files[2]):
        assert re.search("partial|interrupted", file.read_text()), f"{file.name} does not say that it is partial"


def test_an_interrupt_before_anything_was_measured(start, work, tmp_path):
    file = tmp_path / "a.json"
    process = start("compare", "19", "-b", "bit-masks", "--save", str(file))
    work(process, 0.5)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with a text file, an objective, and records that are none."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "words.txt").write_text("these are words\n")
    (folder / "empty.json").write_text("{}")
    row = {
        "model": "queens n=6",
        "size": 6,
        "measurements": [{"backend": "core", "status": "complete", "solve_seconds": "x"}],
    }
    record = {"format": 2, "model": "queens", "agree": None, "setting": {}, "rows": [row]}
    (folder / "odd.json").write_text(json.dumps(record))
    (folder / "objective.py").write_text(
        "from nqueens_cp import Model\n\ndef build():\n    model = Model('most')\n"
        "    model.maximize(model.int_var('x', range(3)))\n    return model\n"
    )
    return folder


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["7..4"], "7..4"),
        (["queens", "n=7..4"], "7..4"),
        (["rectangular_queens", "rows=4..5", "columns=4..5"], "range"),
        (["4..5", "rows=4..5"], "range"),
        (["6", "--task", "disprove"], "disprove"),
        (["6", "--task", ""], "task"),
        (["6", "--repeats", "0"], "repeats"),
        (["6", "--repeats", "two"], "repeats"),
        (["6", "--memory-limit", "x"], "memory"),
        (["6", "--memory-limit", "0"], "memory"),
        (["6", "-t", "soon"], "time-limit"),
        (["./objective.py"], "objective"),
        (["./objective.py", "--task", "enumerate"], "objective"),
        (["6", "--save", "a.xlsx"], "a.xlsx"),
        (["6", "--save", "a"], "--save"),
        (["6", "--save", "no/such/folder/a.json"], "no/such/folder"),
        (["6", "--save", "."], "--save"),
        (["6", "--against", "missing.json"], "missing.json"),
        (["6", "--against", "words.txt"], "words.txt"),
        (["6", "--against", "empty.json"], "empty.json"),
        (["6", "--against", "odd.json"], "odd.json"),
        (["6", "--against", "."], "."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(cli, folder, arguments, named):
    ran = cli("compare", *arguments, "-b", "core", cwd=folder)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("error: ")
    assert named in ran.stderr
    assert "Traceback" not in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_an_objective_is_compared_by_solving(cli, folder):
    ran = cli("compare", "./objective.py", "--task", "solve", "-b", "cp-sat", "--json", cwd=folder)
    assert ran.returncode == 0
    (row,) = json.loads(ran.stdout)["rows"]
    assert (row["status"], row["objective"]) == ("optimal", 2)


def test_a_folder_that_is_missing_is_found_out_before_measuring(cli, tmp_path):
    begun = time.monotonic()
    ran = cli("compare", "18", "-b", "bit-masks", "-t", "60", "--save", str(tmp_path / "missing" / "a.json"))
    assert ran.returncode == 2
    assert "missing" in ran.stderr
    assert time.monotonic() - begun < 30, "not after hours of it"
