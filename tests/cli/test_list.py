"""The command list: formats on standard output and in files, and lists that are stopped and gone on with."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import os
import random
import signal
import subprocess
import time

import numpy as np
import pytest

QUEENS_12 = 14_200  # A000170
LATEST = 15.0  # seconds; half a second is promised, but timing decides no test: what is not stopped takes for ever


def columns(line):
    return list(map(int, line.split()))


@pytest.mark.parametrize("form", ["boards", "lines", "csv", "jsonl"])
def test_the_formats_on_standard_output(cli, form, columns_of, is_solution):
    ran = cli("list", "6", "--format", form)
    assert (ran.returncode, ran.stderr) == (0, "4 solutions, all of them\n")
    if form == "boards":
        found = [columns_of(board) for board in ran.stdout.removesuffix("\n").split("\n\n")]
    elif form == "lines":
        found = list(map(columns, ran.stdout.splitlines()))
    elif form == "csv":
        first, *rest = csv.reader(ran.stdout.splitlines())
        assert first == [f"queen[{i}]" for i in range(6)]
        found = [list(map(int, row)) for row in rest]
    else:
        found = [json.loads(line)["queen"] for line in ran.stdout.splitlines()]
    assert len(found) == 4
    assert found == sorted(found)
    assert all(map(is_solution, found))


def test_skip_and_limit(cli):
    every = cli("list", "8", "-f", "lines").stdout.splitlines()
    assert len(every) == 92
    ran = cli("list", "8", "-f", "lines", "--skip", "90")
    assert (ran.stdout.splitlines(), ran.returncode) == (every[90:], 0)
    assert ran.stderr == "2 solutions, all of them after the first 90\n"
    ran = cli("list", "8", "-f", "lines", "--skip", "5", "--limit", "3", "--workers", "2")
    assert (ran.stdout.splitlines(), ran.returncode) == (every[5:8], 3)
    ran = cli("list", "6", "-f", "lines", "--skip", "3", "--backend", "python-constraint")
    assert (len(ran.stdout.splitlines()), "no fixed order" in ran.stderr) == (1, True)
    ran = cli("list", "8", "--skip", "92", "--json")
    assert (json.loads(ran.stdout)["solutions"], ran.returncode) == ([], 1)


def test_up_to_symmetry(cli):
    ran = cli("list", "8", "-f", "lines", "--up-to-symmetry")
    assert sorted(columns(line)[-1] for line in ran.stdout.splitlines()) == [4] + [8] * 11  # A002562, A260320
    assert ran.stderr == "12 solutions up to symmetry, all of them\n"
    assert cli("list", "6", "--up-to-symmetry").stdout.splitlines()[-1] == "orbit 4"
    answer = json.loads(cli("list", "6", "--up-to-symmetry", "--json").stdout)
    assert answer["solutions"] == [{"queen": [1, 3, 5, 0, 2, 4], "orbit": 4}]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["8", "--format", "xml"], "xml"),
        (["8", "--format", "npy"], "--output"),
        (["8", "--format", "csv", "--json"], "jsonl"),
        (["8", "--resume"], "--output"),
        (["8", "--overwrite"], "--output"),
        (["8", "--output", "-"], "leave --output out"),
        (["8", "--skip", "-1"], "-1"),
        (["8", "--skip", "some"], "some"),
        (["8", "--output", "list.npy.gz"], "list.npy.gz"),
        (["8", "--output", "list.pdf"], "list.pdf"),
        (["8", "--output", "no_such_folder/list.csv"], "no_such_folder"),
        (["8", "--output", "list.csv", "--resume"], "list.csv"),
        (["queens_3d", "n=2", "--up-to-symmetry"], "queens_3d"),
    ],
    ids=" ".join,
)
def test_what_is_refused(cli, tmp_path, arguments, told):
    ran = cli("list", *arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: ")
    assert told in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_and_what_stands_beside_it(cli, tmp_path):
    ran = cli("list", "toroidal_queens", "n=7", "--output", "torus.jsonl", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr == "28 solutions, all of them written to torus.jsonl\n"  # A051906
    assert len((tmp_path / "torus.jsonl").read_text().splitlines()) == 28
    about = json.loads((tmp_path / "torus.jsonl.meta.json").read_text())
    assert (about["target"], about["parameters"], about["model"]) == ("toroidal_queens", {"n": "7"}, "toroidal_queens")
    assert (about["count"], about["status"], about["complete"], about["backend"]) == (28, "complete", True, "core")
    ran = cli("list", "toroidal_queens", "n=7", "--output", "torus.jsonl", "--resume", "--json", cwd=tmp_path)
    assert ran.returncode == 0, "there is nothing to do"
    assert json.loads(ran.stdout) == {"file": "torus.jsonl"} | about
    for arguments in (["toroidal_queens", "n=5"], ["7", "torus=True"], ["toroidal_queens", "n=7", "--skip", "1"]):
        ran = cli("list", *arguments, "--output", "torus.jsonl", "--resume", cwd=tmp_path)
        assert ran.returncode == 2
        assert "cannot be gone on with" in ran.stderr
    ran = cli("list", "3", "--output", "none.lines", cwd=tmp_path)
    assert (ran.returncode, (tmp_path / "none.lines").read_bytes()) == (1, b"")


def test_a_file_stopped_by_the_time(cli, tmp_path):
    path = tmp_path / "a.npy"
    ran = cli("list", "18", "--output", str(path), "--time-limit", "0.3", "--json")
    about = json.loads(ran.stdout)
    assert (ran.returncode, about["status"], about["complete"]) == (3, "timeout", False)
    assert np.load(path).shape == (about["count"], 18)
    ran = cli("list", "18", "--output", str(path))
    assert ran.returncode == 2
    assert "--resume" in ran.stderr
    assert "--overwrite" in ran.stderr
    more = about["count"] + 1000
    ran = cli("list", "18", "--output", str(path), "--resume", "--limit", str(more))
    assert (ran.returncode, np.load(path).shape) == (3, (more, 18))
    ran = cli("list", "10", "--output", str(path), "--overwrite", "--time-limit", "0.000001")
    assert (ran.returncode, np.load(path).shape) == (3, (0, 10))
    assert ran.stderr.startswith("stopped by the time limit of 0.000001 s: 0 solutions written")
    ran = cli("list", "10", "--up-to-symmetry", "--time-limit", "0.000001", "-f", "lines")
    assert (ran.returncode, ran.stdout) == (3, "")


@pytest.fixture(scope="module")
def whole(cli, tmp_path_factory):
    """A function of an ending: the file of Q(12) that is written without a stop."""
    folder = tmp_path_factory.mktemp("whole")

    def make(ending):
        path = folder / f"list.{ending}"
        if not path.exists():
            assert cli("list", "12", "--output", str(path)).returncode == 0
        return path

    return make


def wait_until_it_writes(process, path):
    while not path.with_name(f"{path.name}.meta.json").exists() and process.poll() is None:
        time.sleep(0.001)


@pytest.mark.parametrize(
    ("ending", "number"),
    [
        *itertools.product(["npy", "lines.gz"], [signal.SIGINT, signal.SIGKILL]),
        ("lines", signal.SIGKILL),
        ("lines.gz", signal.SIGTERM),
        ("csv", signal.SIGINT),
        ("jsonl", signal.SIGKILL),
        ("txt", signal.SIGINT),
    ],
)
def test_a_list_that_was_killed_is_gone_on_with(start, cli, whole, tmp_path, ending, number):
    path = tmp_path / f"list.{ending}"
    arguments = ["list", "12", "--output", str(path)]
    rng = random.Random(f"{ending} {number}")
    process = start(*arguments)
    wait_until_it_writes(process, path)
    time.sleep(rng.random() * (0.2 if "gz" in ending or ending == "txt" else 0.02))
    os.killpg(process.pid, number)
    process.communicate(timeout=60)
    about = json.loads((tmp_path / f"{path.name}.meta.json").read_text())
    print(process.returncode, about["status"], about["count"])
    if about["status"] != "complete" and number != signal.SIGKILL:
        assert (process.returncode, about["status"], about["complete"]) == (130, "interrupted", False)
        if ending == "lines.gz":
            assert gzip.decompress(path.read_bytes()).count(b"\n") == about["count"]
        if ending == "npy":
            assert np.load(path).shape == (about["count"], 12)
    ran = cli(*arguments, "--resume")
    assert ran.returncode == 0, ran.stderr
    assert path.read_bytes() == whole(ending).read_bytes()
    about = json.loads((tmp_path / f"{path.name}.meta.json").read_text())
    assert (about["count"], about["complete"]) == (QUEENS_12, True)
    assert about == json.loads(whole(ending).with_name(f"list.{ending}.meta.json").read_text())
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, f"{path.name}.meta.json"]


def test_stopped_again_and_again(start, cli, whole, tmp_path):
    path = tmp_path / "list.txt.gz"
    arguments = ["list", "12", "--output", str(path)]
    for turn in range(3):
        process = start(*arguments, *(["--resume"] if turn else []))
        wait_until_it_writes(process, path)
        time.sleep(0.03 * turn)
        os.killpg(process.pid, signal.SIGKILL if turn == 1 else signal.SIGINT)
        process.communicate(timeout=60)
    assert cli(*arguments, *(["--resume"] if path.exists() else [])).returncode == 0
    assert path.read_bytes() == whole("txt.gz").read_bytes()


@pytest.mark.parametrize("form", ["lines", "jsonl"])
def test_an_interrupted_list_ends_with_a_whole_line(start, is_solution, form):
    process = start("list", "18", "--format", form)
    first = process.stdout.readline()
    for _ in range(1000):
        process.stdout.readline()
    sent = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert time.monotonic() - sent < LATEST
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "partial" in errors
    assert first
    last = rest.splitlines()[-1]
    assert rest.endswith("\n")
    row = json.loads(last)["queen"] if form == "jsonl" else columns(last.replace(",", " "))
    assert is_solution(row)


def test_an_interrupted_json_list_is_json(start, is_solution):
    process = start("list", "18", "--json")
    head = process.stdout.read(10_000)
    os.killpg(process.pid, signal.SIGINT)
    answer = json.loads(head + process.stdout.read())
    process.communicate(timeout=60)
    assert (answer["status"], answer["found"]) == ("interrupted", len(answer["solutions"]))
    assert is_solution(answer["solutions"][-1]["queen"])


@pytest.mark.parametrize("form", ["lines", "csv"])
def test_a_reader_that_goes_away(program, form):
    line = f"'{program}' list 14 --format {form} | head -n 1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert len(ran.stdout.splitlines()) == 1
    assert (ran.returncode, ran.stderr) == (0, ""), "ends quietly"


def test_a_full_disk_is_an_error(program):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        ran = subprocess.run([program, "list", "8"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: ")


def test_progress_is_shown_on_a_terminal_and_nowhere_else(program, tmp_path):
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    arguments = [program, "list", "19", "--output", str(tmp_path / "a.lines"), "--time-limit", "1"]
    process = subprocess.Popen(arguments, stderr=follower, stdout=subprocess.DEVNULL)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    assert process.wait(timeout=20) == 3
    assert b"found" in shown
    ran = subprocess.run([*arguments[:-2], "--resume", "--time-limit", "0.3"], capture_output=True, timeout=60)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (3, 1), "only the remark at the end"
