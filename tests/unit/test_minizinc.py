"""MiniZinc as a backend: the program missing, failing, killed, and what is left when a search ends.

Most of these put a program of their own named `minizinc` first on the PATH.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nqueens_cp import BackendUnavailable, Model, Status, UnsupportedModel, compare, count, solutions, solve
from nqueens_cp.backends.minizinc import MiniZincBackend

needs_minizinc = pytest.mark.skipif(shutil.which("minizinc") is None, reason="minizinc is not installed")
needs_groups = pytest.mark.skipif(
    sys.platform != "linux", reason="the system ends the group of a dead process on Linux only"
)

MINIZINC = """
if "--version" in sys.argv:
    print("MiniZinc to FlatZinc converter, version 0.0.0, build 0")
elif "--solvers-json" in sys.argv:
    print({solvers!r})
elif "-c" in sys.argv:
    {compiler}
elif "--ozn-file" in sys.argv:
    os.execvp("cat", ["cat"])
"""
GECODE = """
def solution(**values):
    print(json.dumps(values) + "\\n----------", flush=True)
"""


@pytest.fixture
def pretend(tmp_path, monkeypatch) -> Callable[..., None]:
    """A function that makes Python code what Gecode does, and perhaps what MiniZinc says of solvers and does to compile."""

    def install(code: str, solvers: str | None = None, compiler: str = "pass") -> None:
        folder = tmp_path / "programs"
        folder.mkdir()
        if solvers is None:
            solvers = json.dumps([{"id": "org.gecode.gecode", "executable": str(folder / "fzn-gecode")}])
        minizinc = MINIZINC.format(solvers=solvers, compiler=compiler)
        for name, text in {"minizinc": minizinc, "fzn-gecode": GECODE + textwrap.dedent(code)}.items():
            (folder / name).write_text(f"#!{sys.executable}\nimport json, os, subprocess, sys, time\n{text}")
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

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
    pretend("", solvers="[]")
    with pytest.raises(BackendUnavailable, match="does not find Gecode"):
        MiniZincBackend().load()


def test_a_program_that_does_not_say_what_it_is_is_not_waited_for(pretend, monkeypatch):
    pretend("")
    program = Path(os.environ["PATH"].split(os.pathsep)[0], "minizinc")
    program.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)")
    monkeypatch.setattr("nqueens_cp.backends.minizinc.PATIENCE", 0.3)
    with pytest.raises(BackendUnavailable, match=r"minizinc --solvers-json does not answer in 0.3 seconds"):
        MiniZincBackend().load()


def test_the_program_of_a_relative_path_is_the_one_that_was_found(pretend, monkeypatch, tmp_path, model):
    """The programs run in another folder."""
    pretend("solution(x=5); print('==========')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "programs", prepend=os.pathsep)
    assert solve(model, backend="minizinc").objective == 5


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("print('Error: out of range', file=sys.stderr)", "'small': Error: out of range"),
        ("print('=====ERROR=====')", "=====ERROR====="),
        ("sys.exit(7)", "status 7"),
        ("os.kill(os.getpid(), 9)", "status -9"),
        ("solution(x=3); sys.stdout.write('{'); sys.stdout.flush(); os.kill(os.getpid(), 9)", "status -9"),
    ],
)
def test_a_program_that_fails_is_no_answer(pretend, temporary_files, model, code, message):
    pretend(code)
    with pytest.raises(BackendUnavailable, match=message):
        solve(model, backend="minizinc")
    assert list(temporary_files.iterdir()) == []


def test_a_program_that_fails_has_failed_in_a_comparison(pretend):
    pretend("sys.exit('Error: out of range')")
    (row,) = compare(4, ["minizinc"]).rows
    assert row.status == "failed"
    assert "Error: out of range" in row.reason


def test_a_compiler_that_fails_is_no_answer(pretend, temporary_files, model):
    pretend("print('==========')", compiler="sys.exit('Warning: old\\nError: type error: foo')")
    with pytest.raises(BackendUnavailable, match="minizinc failed on model 'small': Error: type error: foo"):
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
    result = solve(model, backend="minizinc", time_limit=6)
    assert time.monotonic() - begun < 40
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
        assert int((tmp_path / "said").read_text() or 0) < 20_000
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


def test_several_workers_start_no_more_programs_than_one(pretend, tmp_path):
    pretend(
        f"""
        with open({str(tmp_path / "started")!r}, "a") as file:
            file.write(" ".join(sys.argv) + "\\n")
        for i in range(6):
            solution(x=i)
        print("==========")
        """
    )
    model = Model("free")
    model.int_var("x", range(6))
    assert count(model, backend="minizinc", workers=2) == 6
    assert len(list(solutions(model, backend="minizinc", workers=2))) == 6
    first, second = (tmp_path / "started").read_text().splitlines()
    assert "-p 2" in first
    assert "-p 1" in second


@needs_minizinc
def test_several_workers_count_the_same(published):
    assert count(8, backend="minizinc", workers=3) == published["A000170"][8]


@needs_minizinc
def test_what_the_programs_say_goes_to_the_log():
    said: list[str] = []
    solve(6, backend="minizinc", log=said.append)
    assert any(re.match(r"%%%mzn-stat: nodes=\d+", line) for line in said)


BARREN = """
import signal, nqueens_cp
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests were started with
model = nqueens_cp.Model("pigeons")
x = model.int_vars("x", 13, domain=range(12))
model.add(*[x[i] != x[j] for i in range(13) for j in range(i)])
print("made", flush=True)
"""


@needs_minizinc
@needs_groups
@pytest.mark.parametrize(
    ("ask", "end"),
    [("solve", signal.SIGKILL), ("count", signal.SIGTERM), ("count", signal.SIGINT), ("solve", None)],
)
def test_gecode_does_not_outlive_its_search(ask, end, tmp_path):
    """It prints nothing here, so it would not notice that nobody reads."""
    limit = 2 if end is None else None
    code = f"{BARREN}nqueens_cp.{ask}(model, backend='minizinc', time_limit={limit})"
    surroundings = {**os.environ, "TMPDIR": str(tmp_path)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", code], text=True, env=surroundings, **streams) as process:
        assert process.stdout.readline() == "made\n"
        gecode = _wait_for(lambda: [p for p in _descendants(process.pid) if "fzn-gecode" in _command(p)])
        assert gecode
        children = _descendants(process.pid)
        if end is not None:
            process.send_signal(end)
        process.wait(timeout=20)
    assert _wait_for(lambda: not any(map(_runs, children)))
    assert end in (signal.SIGKILL, signal.SIGTERM) or list(tmp_path.iterdir()) == []


def _wait_for(happens: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 15
    while not (found := happens()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


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
