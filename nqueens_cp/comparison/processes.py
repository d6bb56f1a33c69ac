"""A measurement in a fresh process, which is ended from outside when it goes past its limits."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic

from nqueens_cp.comparison.measure import Job, Measurement
from nqueens_cp.result import Status

LONGEST_WAIT = 1e6  # seconds; the operating system takes no much longer one
GRACE_SECONDS = 10.0  # a backend that ignores its time limit is killed so much later
POLL_SECONDS = 0.05


def measured(job: Job, memory_mib: float | None = None) -> Measurement:
    """Run a job in a fresh process and return its measurement."""
    command = [sys.executable, "-P", "-m", "nqueens_cp.comparison.measure"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C reaches this process alone, which then ends that one
    )
    unlimited = job.time_limit is None or job.time_limit > LONGEST_WAIT
    end = None if unlimited or job.time_limit is None else monotonic() + job.time_limit + GRACE_SECONDS
    given: bytes | None = pickle.dumps(job)
    wait = None if end is None and memory_mib is None else POLL_SECONDS
    try:
        while True:
            try:
                answer, complaint = process.communicate(given, timeout=wait)
                break
            except subprocess.TimeoutExpired:
                given = None  # it has been written
            if end is not None and monotonic() > end:
                return Measurement(job.backend, Status.TIMEOUT.value, reason="killed: it went on past its time limit")
            held = _held_mib(process.pid)
            if memory_mib is not None and held is not None and held > memory_mib:
                reason = f"killed: it held {held:.0f} MiB, past the limit of {memory_mib:g} MiB"
                return Measurement(job.backend, "memory", reason=reason, peak_mib=held)
    finally:
        _kill(process)
    if process.returncode != 0 or not answer:
        last_line = complaint.decode(errors="replace").strip().rpartition("\n")[2]
        return Measurement(job.backend, "failed", reason=last_line or f"its process ended with {process.returncode}")
    measurement: Measurement = pickle.loads(answer)
    return measurement


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
