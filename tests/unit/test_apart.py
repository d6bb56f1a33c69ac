"""Work in a process of its own: what it yields, how it is ended, and how it dies."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import active_children
from pathlib import Path
from pickle import PicklingError

import pytest

from nqueens_cp.backends.apart import yielded_apart
from nqueens_cp.control import Control, Progress, TimeLimitReached
from nqueens_cp.errors import BackendUnavailable

SOON = 3.0  # seconds; half a second is promised, and the machine is noisy


def squares(n: int):
    for i in range(n):
        yield (i, i * i)
    return {"n": n}


def deaf(seconds: float):
    """Keep Python's lock, as some solvers do: neither signals nor other threads are heard meanwhile."""
    yield os.getpid()
    if hasattr(ctypes, "PyDLL") and sys.platform != "win32":
        ctypes.PyDLL(None).usleep(int(seconds * 1e6) % 1_000_000)
        for _ in range(int(seconds)):
            ctypes.PyDLL(None).sleep(1)


def failing(message: str):
    yield 1
    raise ValueError(message)


class Stubborn(Exception):
    """Cannot be rebuilt from what pickle keeps."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def stubborn(_: None):
    yield 1
    raise Stubborn("this", "that")


def killed(number: int):
    yield 1
    os.kill(os.getpid(), number)
    time.sleep(60)


def leaving(status: int):
    yield 1
    os._exit(status)


def endless(path: str):
    """Write down how many large things have been sent."""
    for i in range(10**9):
        Path(path).write_text(str(i))
        yield bytes(50_000)


def taken(function, argument, control=None):
    """Return all that a function yields apart, and what it returns."""
    search = yielded_apart(function, argument, control or Control(), "test")
    items = []
    while True:
        try:
            items.append(next(search))
        except StopIteration as end:
            return items, end.value


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(*pids: int) -> None:
    deadline = time.monotonic() + SOON
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_running, pids))


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_everything_comes_in_order_and_what_is_returned_too(n):
    assert taken(squares, n) == ([(i, i * i) for i in range(n)], {"n": n})
    assert active_children() == []


def test_two_at_once_do_not_mix():
    one, other = (yielded_apart(squares, 200, Control(), "test") for _ in range(2))
    pairs = list(zip(one, other, strict=True))
    assert pairs == [((i, i * i),) * 2 for i in range(200)]


def test_a_time_limit_ends_a_deaf_search():
    begun = time.monotonic()
    with pytest.raises(TimeLimitReached):
        taken(deaf, 60, Control(0.3))
    assert time.monotonic() - begun < SOON
    assert active_children() == []


def test_closing_ends_a_deaf_search():
    search = yielded_apart(deaf, 60, Control(), "test")
    pid = next(search)
    begun = time.monotonic()
    search.close()
    assert time.monotonic() - begun < SOON
    wait_until_gone(pid)


def test_what_the_progress_callback_raises_ends_it():
    def refuse(progress: Progress) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        taken(deaf, 60, Control(progress=refuse))
    assert active_children() == []


def test_what_the_function_raises_reaches_the_caller():
    with pytest.raises(ValueError, match="not like that"):
        taken(failing, "not like that")
    with pytest.raises(
        (RuntimeError, Stubborn), match="this and that"
    ):  # itself where another package mends its pickling
        taken(stubborn, None)


@pytest.mark.skipif(sys.platform == "win32", reason="signals end no process there")
def test_a_process_that_dies_is_told_with_the_reason():
    with pytest.raises(BackendUnavailable, match=r"the process of test died: .*SIGKILL.*memory"):
        taken(killed, signal.SIGKILL)
    with pytest.raises(BackendUnavailable, match=r"the process of test died: .*SIGTERM"):
        taken(killed, signal.SIGTERM)
    with pytest.raises(BackendUnavailable, match=r"the process of test died: .*exit code 99"):
        taken(leaving, 99)
    assert active_children() == []


def unsendable(_: None):
    yield 1
    yield lambda: None


def test_what_cannot_be_sent_reaches_the_caller_as_an_error():
    with pytest.raises((AttributeError, PicklingError, RuntimeError), match="unsendable"):
        taken(unsendable, None)


def test_a_child_whose_start_was_interrupted_is_never_started(monkeypatch):
    late = threading.Event()
    started: list[str] = []

    def start_late_and_be_interrupted(function, arguments):
        threading.Thread(target=lambda: (late.wait(), function(*arguments))).start()
        raise KeyboardInterrupt

    before = set(threading.enumerate())
    search = yielded_apart(squares, 3, Control(), "test")
    with monkeypatch.context() as patched:
        patched.setattr("_thread.start_new_thread", start_late_and_be_interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(search)
    monkeypatch.setattr("multiprocessing.get_context", started.append)
    late.set()
    for thread in set(threading.enumerate()) - before:
        thread.join()
    assert started == []


@pytest.mark.skipif(sys.platform != "linux", reason="only there processes are forked")
def test_a_child_does_not_finish_what_its_parent_has_begun(tmp_path):
    """Garbage of the parent is collected in the child as well, but what it holds is the parent's."""
    search = yielded_apart(collecting, None, Control(), "test")
    left = Left(tmp_path / "finished")
    left.itself = left
    del left
    assert next(search) > 0
    search.close()
    gc.collect()
    assert (tmp_path / "finished").read_text() == f"{os.getpid()}\n"


class Left:
    """Tells which process forgets it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __del__(self) -> None:
        with self.path.open("a") as file:
            file.write(f"{os.getpid()}\n")


def collecting(_: None):
    gc.collect()
    yield os.getpid()


@pytest.mark.skipif(not hasattr(signal, "SIGCHLD"), reason="there is no such signal")
def test_a_parent_that_does_not_wait_for_children():
    program = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from test_apart import squares, taken
print(taken(squares, 3))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        check=False,
        timeout=60,
    )
    assert (ended.stdout, ended.stderr) == ("([(0, 0), (1, 1), (2, 4)], {'n': 3})\n", "")


def test_a_child_that_is_far_ahead_waits(tmp_path):
    written = tmp_path / "sent"
    search = yielded_apart(endless, str(written), Control(), "test")
    next(search)
    time.sleep(0.3)
    ahead = int(written.read_text())
    time.sleep(0.2)
    assert int(written.read_text()) == ahead < 100
    search.close()


PROGRAM = """
import os, signal, sys, time
sys.path.insert(0, {folder!r})
from test_apart import deaf
from nqueens_cp.backends.apart import yielded_apart
from nqueens_cp.control import Control
searches = [yielded_apart(deaf, 60, Control(), "test") for _ in range(2)]
try:
    print(*map(next, searches), flush=True)
    next(searches[0])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.fixture
def program():
    """A process of its own group that waits for two deaf searches; yields it and their process ids."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(folder=str(Path(__file__).parent))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    yield process, list(map(int, process.stdout.readline().split()))
    process.kill()
    process.communicate()


linux_only = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc to see processes in")


@linux_only
def test_children_do_not_outlive_a_parent_that_is_killed(program):
    process, children = program
    assert all(map(is_running, children))
    process.kill()
    wait_until_gone(*children)


@linux_only
def test_ctrl_c_in_the_terminal_is_for_the_parent(program):
    process, children = program
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=10)
    assert time.monotonic() - begun < SOON
    assert (output, errors, process.returncode) == ("interrupted\n", "", 0)
    wait_until_gone(*children)
