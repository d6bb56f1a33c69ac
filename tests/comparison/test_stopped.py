"""Backends that are stopped, crash or never end: what they are, and that nobody is accused wrongly."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from nqueens_cp import compare

SIX = [[1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]]  # all solutions for n = 6


def test_completeness_claimed_after_a_limit(row_of):
    comparison = compare(8, backends=["claims", "core"], time_limit=0.5, task="enumerate")
    assert row_of(comparison, "core").solutions == 92
    assert comparison.agree is False
    alone = row_of(compare(8, backends=["claims"], time_limit=0.5, task="enumerate"), "claims")
    assert (alone.status, alone.is_complete) == ("timeout", False)
    assert "past the time limit" in alone.reason


def test_completeness_claimed_below_a_bound_of_another_one(row_of):
    """Nobody completes but the liar, and the other one has found more until it is stopped."""
    comparison = compare(17, backends=["claims", "bit-masks"], time_limit=0.5, task="count")
    assert row_of(comparison, "bit-masks").status == "timeout"
    assert row_of(comparison, "bit-masks").solutions > 1
    assert comparison.agree is False


def test_what_was_stopped_is_a_lower_bound_and_no_disagreement(row_of):
    comparison = compare(6, backends=["core", "late", "reversed"], time_limit=0.3, task="enumerate")
    late = row_of(comparison, "late")
    assert (late.status, late.solutions, late.is_complete) == ("timeout", 1, False)
    assert comparison.agree is True
    assert "at least 1" in str(comparison)


def test_the_difference_does_not_blame_who_was_stopped():
    comparison = compare(6, backends=["core", "late", "drops"], time_limit=0.3, task="count")
    assert comparison.agree is False
    assert (comparison.difference.found_by, comparison.difference.missed_by) == ("core", "drops")
    assert comparison.difference.solution["queen"] == SIX[2]


@pytest.mark.parametrize("backend", ["endless", "endless-import"])
def test_what_never_stops_is_killed(backend, short_grace, row_of):
    begun = time.monotonic()
    comparison = compare(5, backends=[backend], time_limit=0.5)
    assert time.monotonic() - begun < 0.5 + short_grace + 20
    row = row_of(comparison, backend)
    assert (row.status, row.is_complete) == ("timeout", False)
    assert row.reason
    assert comparison.agree is None


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="reads /proc")
def test_nothing_is_left_running_of_what_was_killed(short_grace, calls, row_of):
    row = row_of(compare(5, backends=["endless-child"], time_limit=0.5), "endless-child")
    assert row.status == "timeout"
    pid = int((calls / "child").read_text())
    time.sleep(0.3)
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        command = b""
    if b"time.sleep(60)" in command:
        os.kill(pid, 9)
        pytest.fail("the process that the backend had started is still there")


def test_larger_sizes_are_not_tried_after_a_stop(short_grace, row_of):
    seen = []
    comparison = compare(range(4, 8), backends=["endless", "core"], time_limit=0.5, on_row=seen.append)
    statuses = [row.status for row in comparison.rows if row.backend == "endless"]
    assert statuses == ["complete", "timeout", "skipped", "skipped"]
    assert [row.solutions for row in comparison.rows if row.backend == "core"] == [2, 10, 4, 40]
    skipped = row_of(comparison, "endless", "queens n=7")
    assert (skipped.solutions, skipped.is_complete) == (None, False)
    assert skipped.reason
    assert comparison.agree is True, "on n = 4 both completed"


def test_another_model_is_tried_after_a_stop():
    """The core is stopped on the endless torus of 20 rows; rooks of 21 rows are another matter."""
    comparison = compare(["toroidal_queens", "rooks"], backends=["core"], time_limit=0.3, task="solve", n=range(20, 22))
    statuses = {row.model: row.status for row in comparison.rows}
    assert statuses["toroidal_queens n=20"] == "timeout"
    assert statuses["rooks n=20"] == "satisfied"
    assert statuses["rooks n=21"] == "satisfied"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is watched on Linux")
def test_what_eats_memory_is_killed():
    comparison = compare(range(4, 7), backends=["hungry", "core"], memory_limit=200)
    hungry = [row for row in comparison.rows if row.backend == "hungry"]
    assert [row.status for row in hungry] == ["complete", "memory", "skipped"]
    assert 200 < hungry[1].figure("peak_mib") < 800
    assert "200" in hungry[1].reason
    assert comparison.agree is True
    assert all(row.is_complete for row in comparison.rows if row.backend == "core")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is watched on Linux")
def test_what_its_processes_hold_counts(row_of):
    comparison = compare(4, backends=["hungry-child", "core"], memory_limit=300)
    hungry = row_of(comparison, "hungry-child")
    assert hungry.status == "memory"
    assert hungry.figure("peak_mib") > 300


@pytest.mark.parametrize("backend", ["crashes", "exits-7", "exits-0", "quits", "aborts"])
def test_a_crash_is_a_failure_and_the_others_are_measured(backend, row_of):
    comparison = compare(6, backends=[backend, "core", "reversed"])
    row = row_of(comparison, backend)
    assert (row.status, row.solutions, row.is_complete) == ("failed", None, False)
    assert row.reason
    assert backend != "crashes" or "no licence left" in row.reason
    assert comparison.agree is True


def test_no_solution_claimed_where_one_that_was_stopped_has_one(row_of):
    comparison = compare(4, backends=["stopped-with-board", "never"], task="solve")
    assert row_of(comparison, "stopped-with-board").status == "timeout"
    assert comparison.agree is False


def test_stopped_before_it_found_one_is_no_disagreement(row_of):
    comparison = compare(4, backends=["late", "core", "reversed"], task="solve", time_limit=0.2)
    assert row_of(comparison, "late").status == "timeout"
    assert comparison.agree is True


def test_how_a_process_ended_is_told(row_of):
    assert "SIGKILL" in row_of(compare(5, backends=["killed"], task="enumerate"), "killed").reason
    assert "ended with 7" in row_of(compare(5, backends=["exits-7"], task="enumerate"), "exits-7").reason


def test_an_unfinished_list_accuses_nobody():
    """Listing is stopped by the limit before the one that is missing is reached."""
    comparison = compare(8, backends=["core", "drops-the-last"], time_limit=1)
    assert comparison.agree is False
    assert comparison.difference is None
    assert "drops-the-last's was not finished" in comparison.setting["remark"]


def test_an_answer_is_had_though_a_process_is_left_behind():
    begun = time.monotonic()
    comparison = compare(5, backends=["holds-on", "core"], task="enumerate")
    assert comparison.agree is True
    assert time.monotonic() - begun < 45


def test_the_memory_of_the_caller_is_not_counted(row_of):
    held = bytearray(400 << 20)
    held[::4096] = b"x" * len(held[::4096])
    row = row_of(compare(5, backends=["core"]), "core")
    assert row.figure("peak_mib") < 200
    del held
