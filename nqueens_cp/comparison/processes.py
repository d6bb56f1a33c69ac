"""A measurement in a fresh process, which is ended from outside when it goes past its limits."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import Any

from nqueens_cp.comparison.machine import a_processor, load, machine
from nqueens_cp.comparison.measure import Job, Measurement
from nqueens_cp.result import Status

LONGEST_WAIT = 1e6  # seconds; the operating system takes no much longer one
GRACE_SECONDS = 10.0  # a backend that ignores its time limit is killed so much later
POLL_SECONDS = 0.05
LONGEST_REASON = 300  # characters


def measured(job: Job, memory_mib: float | None = None, poll: Callable[[], object] | None = None) -> Measurement:
    """Run a job in a fresh process and return its measurement; what `poll` raises, which is called often, ends it."""
    command = [sys.executable, "-P", "-c", "from nqueens_cp.comparison.measure import main; main()"]
    # Files, not pipes: what a backend has started may hold on to a pipe when the process itself has ended.
    with TemporaryFile() as given, TemporaryFile() as answer, TemporaryFile() as complaint:
        pickle.dump(job, given)
        given.seek(0)
        # In a session of its own Ctrl-C does not reach it; this process ends it.
        process = subprocess.Popen(command, stdin=given, stdout=answer, stderr=complaint, start_new_session=True)
        try:
            stopped = _wait(process, job, memory_mib, poll)
        finally:
            _kill(process)
        if stopped is not None:
            return stopped
        answer.seek(0)
        complaint.seek(max(0, complaint.seek(0, os.SEEK_END) - 4 * LONGEST_REASON))
        last_line = complaint.read().decode(errors="replace").strip().rpartition("\n")[2][:LONGEST_REASON]
        if process.returncode != 0:
            return Measurement(job.backend, "failed", reason=f"its process {_end_of(process.returncode)}: {last_line}")
        try:
            measurement = pickle.load(answer)
        except Exception as error:  # whatever is written there may not be the answer
            reason = f"its process ended without an answer that can be read ({type(error).__name__}): {last_line}"
            return Measurement(job.backend, "failed", reason=reason)
    if not isinstance(measurement, Measurement):
        return Measurement(job.backend, "failed", reason="its process ended with another answer")
    return measurement


def _wait(
    process: subprocess.Popen[bytes], job: Job, memory_mib: float | None, poll: Callable[[], object] | None
) -> Measurement | None:
    """Wait for the end of a process; return a measurement if it goes past a limit."""
    unlimited = job.time_limit is None or job.time_limit > LONGEST_WAIT
    end = None if unlimited or job.time_limit is None else monotonic() + job.time_limit + GRACE_SECONDS
    without_looking = end is None and memory_mib is None and poll is None
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(None if without_looking else POLL_SECONDS)
            return None
        if poll is not None:
            poll()
        if end is not None and monotonic() > end:
            return Measurement(job.backend, Status.TIMEOUT.value, reason="killed: it went on past its time limit")
        held = _held_mib(process.pid)
        if memory_mib is not None and held is not None and held > memory_mib:
            reason = f"killed: it held {held:.0f} MiB, past the limit of {memory_mib:g} MiB"
            return Measurement(job.backend, "memory", reason=reason, peak_mib=held)


def _end_of(code: int) -> str:
    """Say how a process ended."""
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
    return f"ended with {code}"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started, which share its session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing of it is left
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _held_mib(pid: int) -> float | None:
    """Return the memory that a process and those that it has started hold now, where the system tells (Linux)."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    held = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return round(held + sum(_held_mib(child) or 0.0 for child in _children(pid)), 1)


def _children(pid: int) -> list[int]:
    """Return the processes that each thread of a process has started."""
    children: list[int] = []
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread is gone
            children += map(int, listing.read_text(encoding="ascii").split())
    return children


class Here:
    """Who measures on this machine, one after the other; a context manager, like who does so elsewhere."""

    def __init__(self, memory: float | None, pinned: bool) -> None:
        self._memory = memory
        self._processor = a_processor() if pinned else None
        self._load_before = load()

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def all(
        self, numbers: list[int], job_of: Callable[[int], Job | None], model_of: Callable[[int], str]
    ) -> Iterator[tuple[int, Measurement]]:
        """Yield numbers and measurements of their jobs; `job_of` is asked when one is begun, and may say that there is none."""
        for number in numbers:
            job = job_of(number)
            if job is not None:
                yield number, self.one(job)

    def one(self, job: Job) -> Measurement:
        """Return the measurement of a job."""
        return measured(job._replace(processor=self._processor), self._memory)

    def setting(self) -> dict[str, Any]:
        """Return on what it was measured, when all is."""
        return {
            "pinned": self._processor is not None,
            "machine": machine(),
            "load_before": self._load_before,
            "load_after": load(),
        }
