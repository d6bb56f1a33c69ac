"""Long counts as processes: killed and gone on with, two at once, stopped, cut off, checked."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from nqueens_cp.core import kernel

Q17, Q19 = "95815104", 4_968_057_848  # A000170
LONG = "19" if kernel.load()[0] is not None else "13"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "count.sqlite"


def stored(file):
    """Return how many results a checkpoint has; 0 while it is being made or written."""
    if not file.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)
    return found


def kill(process):
    with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
        os.killpg(process.pid, signal.SIGKILL)
    return process.communicate()


def test_killed_in_the_middle_again_and_again(cli, start, file):
    """One process for each part, and kill -9 to all of them as soon as there is something new in the file."""
    words = ("count", "10", "--backend", "python-constraint", "--checkpoint", str(file), "--workers", "2")
    before = 0
    for _ in range(2):
        process = start(*words)
        wait_for(lambda: stored(file) > before or process.poll() is not None)  # noqa: B023
        kill(process)
        now = stored(file)
        assert now >= before
        before = now
    checked = cli("check", str(file))
    assert checked.returncode == 0, checked.stdout
    assert f"{before} of" in checked.stdout or "724 solutions" in checked.stdout
    ran = cli(*words)
    assert (ran.returncode, ran.stdout) == (0, "724\n"), ran.stderr
    assert cli("check", str(file), "10").stdout.startswith(f"{file}: 724 solutions of queens")


def test_the_join_killed_in_the_middle(cli, start, file):
    if LONG != "19":
        pytest.skip("the kernel is not in use")
    process = start("count", "17", "--checkpoint", str(file))
    wait_for(file.exists)
    kill(process)
    left = cli("check", str(file)).stdout
    assert file.with_name("count.sqlite.lock").exists() or Q17 in left, "it was killed, and nobody cleaned up"
    ran = cli("count", "17", "--checkpoint", str(file), "--workers", "2")
    assert (ran.returncode, ran.stdout) == (0, Q17 + "\n"), ran.stderr


def test_the_second_of_two_runs_is_refused_until_the_first_is_dead(cli, start, file):
    first = start("count", LONG, "--checkpoint", str(file))
    wait_for(file.exists)
    second = cli("count", LONG, "--checkpoint", str(file))
    assert (second.returncode, second.stdout) == (2, "")
    assert re.search(rf"process {first.pid} on \S+ is counting with this checkpoint", second.stderr)
    assert first.poll() is None
    kill(first)
    third = cli("count", LONG, "--checkpoint", str(file), "--time-limit", "0.3")
    assert third.returncode == 3, third.stderr


def test_ctrl_c_and_a_time_limit_and_how_to_go_on(cli, start, file):
    process = start("count", LONG, "--checkpoint", str(file))
    wait_for(lambda: stored(file))
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert "Traceback" not in errors
    (least,) = re.findall(rf"^interrupted: at least (\d+) solutions .*; the same call goes on with {file}\)", errors)
    with closing(sqlite3.connect(file)) as connection:
        assert int(least) == sum(int(row[0]) for row in connection.execute("SELECT result FROM results"))
    ran = cli("count", LONG, "--checkpoint", str(file), "--time-limit", "0.5", "--json")
    assert ran.returncode == 3
    answer = json.loads(ran.stdout)
    assert (answer["complete"], answer["count"]) == (False, None)
    assert int(least) <= answer["at_least"] < Q19


def test_a_file_cut_off(cli, file):
    assert cli("count", "8", "--checkpoint", str(file)).stdout == "92\n"
    os.truncate(file, file.stat().st_size * 2 // 3)
    ran = cli("count", "8", "--checkpoint", str(file))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert re.search(r"damaged: .*; restore a copy, or delete the file and begin again", ran.stderr)
    checked = cli("check", str(file))
    assert checked.returncode == 1
    assert "damaged" in checked.stdout


def test_another_model_is_refused(cli, file):
    cli("count", "8", "--checkpoint", str(file))
    ran = cli("count", "9", "--checkpoint", str(file))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "variables 8 there, variables 9 here" in ran.stderr


def test_counting_again_and_checking(cli, file):
    ran = cli("count", "10", "--checkpoint", str(file), "--recheck", "5%")
    assert (ran.returncode, ran.stdout) == (0, "724\n")
    report = json.loads(cli("check", str(file), "--json").stdout)
    assert (report["ok"], report["count"], report["done"]) == (True, 724, report["jobs"])
    assert report["rechecked"] >= report["jobs"] * 0.05


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["count", "8", "--recheck", "2"], "--recheck: expected a percentage, like 2%"),
        (["count", "8", "--recheck", "200%"], "--recheck: expected a percentage, like 2%"),
        (["count", "8", "--recheck", "2%", "--up-to-symmetry"], "--up-to-symmetry: that is not counted in jobs"),
        (["check", "none.sqlite"], "no such file"),
        (["check", "none.sqlite", "--complete"], "--complete: that is for files of solutions"),
    ],
)
def test_usage(cli, words, message, tmp_path):
    ran = cli(*words, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert message in ran.stderr
