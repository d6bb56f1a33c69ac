"""What the tests of the cluster share: a cluster in this process, which starts at once, and one of processes to be killed."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LONGEST_WAIT = 120
"""Seconds: on a busy machine a process may take long to come up."""


def pytest_collection_modifyitems(items):
    """One process of the tests runs all of these, so that there is one cluster."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.xdist_group("cluster"))


@pytest.fixture(scope="module")
def client():
    """A client of two workers, threads of this process that are spoken to over the network like any other."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    options = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard_address": "127.0.0.1:0"}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, **options) as cluster,
        distributed.Client(cluster, set_as_default=False) as made,
    ):
        yield made


@pytest.fixture(scope="session")
def wait_for():
    """A function that waits until a condition holds, and returns what it gave."""

    def wait(condition):
        end = time.monotonic() + LONGEST_WAIT
        while not (found := condition()):
            assert time.monotonic() < end, "it did not come"
            time.sleep(0.05)
        return found

    return wait


class Processes:
    """A scheduler and its workers, each a process that can be killed."""

    def __init__(self, folder):
        self.folder = folder
        self.about = folder / "scheduler.json"
        self.all = []

    def start_scheduler(self, port=0):
        self.about.unlink(missing_ok=True)
        words = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--scheduler-file", str(self.about))
        return self._start("scheduler", *words)

    def start_worker(self, *options):
        # Without a nanny, which would start it again, unless it is asked for.
        nanny = () if "--nanny" in options else ("--no-nanny",)
        words = ("--nthreads", "1", "--no-dashboard", "--scheduler-file", str(self.about), "--death-timeout", "120")
        return self._start("worker", *nanny, *words, *options)

    def _start(self, what, *words):
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", *words],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self.all.append(process)
        return process

    @property
    def address(self):
        end = time.monotonic() + LONGEST_WAIT
        while True:
            try:
                return json.loads(self.about.read_text())["address"]
            except (OSError, ValueError):
                assert time.monotonic() < end, "the scheduler does not come up"
                time.sleep(0.05)

    def client(self, workers):
        from distributed import Client

        client = Client(self.address, set_as_default=False, timeout=LONGEST_WAIT)
        client.wait_for_workers(workers, timeout=LONGEST_WAIT)
        return client

    def end(self):
        for process in self.all:
            kill(process)


def kill(process):
    """Kill a process that has a group of its own, and all in it."""
    with contextlib.suppress(ProcessLookupError):  # it has ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def processes(tmp_path):
    """A scheduler; the test starts its workers."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    started = Processes(tmp_path)
    try:
        started.start_scheduler()
        yield started
    finally:
        started.end()
