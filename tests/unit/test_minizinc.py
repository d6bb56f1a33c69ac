"""MiniZinc as a backend: the program missing, failing, killed, and what is left when a search ends.

Most of these put a program of their own named `minizinc` first on the PATH.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_cp import BackendUnavailable, Model, Status, UnsupportedModel, count, solutions, solve
from nqueens_cp.backends.minizinc import MiniZincBackend

needs_minizinc = pytest.mark.skipif(shutil.which("minizinc") is None, reason="minizinc is not installed")
needs_groups = pytest.mark.skipif(
    sys.platform != "linux", reason="the system ends the group of a dead process on Linux only"
)

PROLOGUE = """
import json, os, subprocess, sys, time
if "--version" in sys.argv:
    print("MiniZinc to FlatZinc converter, version 0.0.0, build 0")
    sys.exit()
if "--solvers-json" in sys.argv:
    print('%s')
    sys.exit()
def say(**message):
    print(json.dumps(message), flush=True)
def solution(**values):
    say(type="solution", output={"json": values}, sections=["json"])
"""


@pytest.fixture
def pretend(tmp_path, monkeypatch) -> Callable[..., None]:
    """A function that makes Python code what the program `minizinc` does."""

    def install(code: str, solvers: str = '[{"id": "org.gecode.gecode"}]') -> None:
        path = tmp_path / "programs" / "minizinc"
        path.parent.mkdir()
        path.write_text(f"#!{sys.executable}\n{PROLOGUE % solvers}{textwrap.dedent(code)}", encoding="utf-8")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)
        MiniZincBackend().load()

    return install


@pytest.fixture
def temporary_files(tmp_path, monkeypatch) -> Path:
    """The folder of temporary files, for this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def model() -> Model:
    model = Model("small")
    x = model.int_var("x", range(6))
    model.maximize(x)
    return model


def test_without_the_program_the_way_out_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendUnavailable, match=r"minizinc is not on the PATH; install it"):
        MiniZincBackend().load()


def test_without_gecode_the_way_out_is_told(pretend):
    with pytest.raises(BackendUnavailable, match="does not find Gecode"):
        pretend("", solvers="[]")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("say(type='error', what='type error', message='undefined identifier foo')", "undefined identifier foo"),
        ("print('Error: out of range', file=sys.stderr); say(type='status', status='ERROR')", "Error: out of range"),
        ("sys.exit(7)", "status 7"),
        ("os.kill(os.getpid(), 9)", "status -9"),
        ('solution(x=3); sys.stdout.write(\'{"type": "solu\'); sys.stdout.flush(); os.kill(os.getpid(), 9)', "small"),
    ],
)
def test_a_program_that_fails_is_no_answer(pretend, temporary_files, model, code, message):
    pretend(code)
    with pytest.raises(UnsupportedModel, match=message):
        solve(model, backend="minizinc")
    assert list(temporary_files.iterdir()) == []


def test_the_best_so_far_at_the_time_limit_and_nothing_is_left_running(pretend, temporary_files, model, tmp_path):
    """The program's own child shares its fate."""
    pretend(
        f"""
        child = subprocess.Popen(["sleep", "60"])
        with open({str(tmp_path / "child")!r}, "w") as file:
            file.write(str(child.pid))
        solution(x=2)
        solution(x=4)
        child.wait()
        """
    )
    begun = time.monotonic()
    result = solve(model, backend="minizinc", time_limit=1.5)
    assert time.monotonic() - begun < 4
    assert (result.status, result.objective, result.bound) == (Status.TIMEOUT, 4, None)
    assert not _runs(int((tmp_path / "child").read_text()))
    assert list(temporary_files.iterdir()) == []


def test_a_limit_without_a_solution_is_not_unsatisfiable(pretend, model):
    pretend("time.sleep(60)")
    result = solve(model, backend="minizinc", time_limit=0.5)
    assert (result.status, result.solution) == (Status.TIMEOUT, None)


def test_an_iterator_that_nobody_reads_holds_the_program_up(pretend, tmp_path):
    pretend(
        f"""
        for i in range(1_000_000):
            solution(x=i % 6)
            if i % 100 == 0:
                with open({str(tmp_path / "said")!r}, "w") as file:
                    file.write(str(i))
        """
    )
    model = Model("endless")
    model.int_var("x", range(6))
    with solutions(model, backend="minizinc") as found:
        next(found)
        time.sleep(1)
        assert int((tmp_path / "said").read_text() or 0) < 10_000
    assert found.status is Status.CLOSED


@needs_minizinc
def test_statistics_tell_of_the_search():
    statistics = solve(8, backend="minizinc").statistics
    assert {"nodes", "failures", "flatTime"} <= set(statistics)
    assert statistics["nodes"] > 0


@needs_minizinc
@pytest.mark.parametrize("edge", [2**31 - 2, -(2**31) + 2])
def test_numbers_up_to_the_edge_of_gecode(edge):
    model = Model("edge")
    domain = [edge, edge - edge // abs(edge), edge - 2 * (edge // abs(edge))]
    x, y = model.int_var("x", domain), model.int_var("y", domain)
    model.add((x == edge) | (x % 7 == 1), abs(y) >= abs(edge) - 1, abs(x - y) <= 1)
    expected = [
        (a, b) for a in domain for b in domain if (a == edge or a % 7 == 1) and b != domain[2] and abs(a - b) <= 1
    ]
    assert 0 < count(model, backend="minizinc") == len(expected)


@pytest.mark.parametrize("values", [[0, 2**31 - 1], [-(2**31) + 1, 0]])
def test_numbers_past_gecode_are_named(values):
    model = Model("past")
    model.int_var("wide", values)
    with pytest.raises(UnsupportedModel, match=r"variable wide.*past 2147483646"):
        count(model, backend="minizinc")


@needs_minizinc
@needs_groups
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_the_solver_does_not_outlive_a_process_that_is_killed(end, tmp_path):
    code = "import nqueens_cp, time; it = nqueens_cp.solutions(24, backend='minizinc'); next(it); print('found', flush=True)"
    surroundings = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", f"{code}; time.sleep(60)"], stdout=subprocess.PIPE, text=True, env=surroundings
    )
    assert process.stdout.readline() == "found\n"
    children = _descendants(process.pid)
    assert len(children) >= 2, "minizinc and Gecode"
    process.send_signal(end)
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 5
    while any(map(_runs, children)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(_runs, children))


def _state(pid: int) -> list[str]:
    """Return the fields of a process's state after its name, empty when it is gone (Linux)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _runs(pid: int) -> bool:
    return _state(pid)[:1] not in ([], ["Z"], ["X"])


def _descendants(pid: int) -> list[int]:
    parents = {int(path.name): _state(int(path.name)) for path in Path("/proc").glob("[0-9]*")}
    found = [pid]
    for each in found:
        found += [child for child, state in parents.items() if state[1:2] == [str(each)]]
    return found[1:]
