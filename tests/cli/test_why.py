"""`solve --why`: what cannot hold together on standard output, exit status 1 as without it, and the time limit."""

from __future__ import annotations

import json
import os
import random
import signal
import time

import pytest

ATTACK = "the queens at (0, 1) and (2, 3) attack each other: they share a falling diagonal"
PLACED = ("completion", "n=8", "placed=((0, 1), (2, 3), (7, 7))")


def test_why_prints_what_cannot_hold_together(cli):
    ran = cli("solve", *PLACED, "--why")
    assert ran.returncode == 1
    assert ran.stdout == f"unsatisfiable: 3 constraints of model completion cannot hold together\n  {ATTACK}\n"
    assert "no solution" in ran.stderr
    assert "--why" not in ran.stderr


def test_without_it_a_remark_offers_it(cli):
    ran = cli("solve", "3")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "add --why" in ran.stderr


def test_why_as_json(cli):
    answer = json.loads(cli("solve", *PLACED, "--why", "--json").stdout)
    assert answer["status"] == "unsatisfiable"
    assert answer["why"]["sentences"] == [ATTACK]
    assert answer["why"]["minimal"] is True
    assert len(answer["why"]["constraints"]) == 3
    assert "why" not in json.loads(cli("solve", "3", "--json").stdout)


@pytest.mark.parametrize("arguments", [["6"], ["6", "--json"]], ids=" ".join)
def test_nothing_to_explain(cli, arguments):
    plain, asked = cli("solve", *arguments), cli("solve", *arguments, "--why")
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, plain.stdout, plain.stderr)


def hard_board() -> tuple[str, ...]:
    draw = random.Random(1)
    blocked = tuple((r, c) for r in range(28) for c in range(28) if draw.random() < 0.78)
    return "solve", "blocked_queens", "n=28", f"blocked={blocked}", "--why"


def test_the_time_limit_holds_for_both(cli):
    begun = time.monotonic()
    ran = cli(*hard_board(), "--time-limit", "2")
    assert time.monotonic() - begun < 30
    assert ran.returncode == 1
    assert "perhaps fewer suffice" in ran.stdout
    assert "stopped by the time limit" in ran.stderr


def test_ctrl_c_shows_what_is_known(start, work):
    process = start(*hard_board())
    work(process, 2)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "perhaps fewer suffice" in output
    assert "interrupted (partial)" in errors
    assert "Traceback" not in errors
