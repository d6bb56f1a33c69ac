"""Long counts on a Dask cluster of real processes: the same numbers, whatever happens to workers and scheduler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from nqueens_cp import ClusterError, SearchStopped, check_checkpoint, count_in_jobs, load_model
from nqueens_cp.core import kernel

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

Q = {12: 14_200, 14: 365_596, 18: 666_090_624, 19: 4_968_057_848}  # A000170
COMPILED = pytest.mark.skipif(kernel.load()[0] is None, reason=f"the kernel is not in use: {kernel.load()[1]}")
PREDICATE = """
from nqueens_cp import Model, predicate

def differ(a, b):
    return abs(a - b) > 1

def build(n):
    model = Model("steps")
    x = model.int_vars("x", n, domain=range(n))
    model.add(*(predicate(differ, [x[i], x[i + 1]]) for i in range(n - 1)))
    return model
"""
OTHER_VERSION = "import nqueens_cp.version\nnqueens_cp.version.__version__ = '99.0'\n"


class Processes:
    """A scheduler and its workers, each a process that can be killed."""

    def __init__(self, folder):
        self.folder = folder
        self.about = folder / "scheduler.json"
        self.workers = []
        self.scheduler = None

    def start_scheduler(self, port=0):
        self.about.unlink(missing_ok=True)
        self.scheduler = self._start(
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--no-dashboard",
            "--scheduler-file",
            str(self.about),
        )

    def start_worker(self, *options):
        # Without a nanny, which would start it again.
        words = (
            "--no-nanny",
            "--nthreads",
            "1",
            "--no-dashboard",
            "--scheduler-file",
            str(self.about),
            "--death-timeout",
            "60",
        )
        self.workers.append(self._start("worker", *words, *options))
        return self.workers[-1]

    def _start(self, what, *words):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", *words],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    @property
    def address(self):
        end = time.monotonic() + 40
        while True:
            try:
                return json.loads(self.about.read_text())["address"]
            except (OSError, ValueError):
                assert time.monotonic() < end, "the scheduler does not come up"
                time.sleep(0.05)

    def client(self, workers):
        client = distributed.Client(self.address, set_as_default=False)
        client.wait_for_workers(workers, timeout=60)
        return client

    def end(self):
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    started = Processes(tmp_path_factory.mktemp("cluster"))
    started.start_scheduler()
    for _ in range(2):
        started.start_worker()
    yield started
    started.end()


@pytest.fixture(scope="module")
def client(processes):
    with processes.client(2) as made:
        yield made


def pids(client):
    return client.run(os.getpid)


def idle(client):
    return not any(client.processing().values())


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


def group_lives(number):
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_published_counts_by_a_client(client, tmp_path):
    path = tmp_path / "count.sqlite"
    assert count_in_jobs(14, cluster=client, checkpoint=path, recheck=0.05) == Q[14]
    report = check_checkpoint(path, 14)
    assert (report.ok, report.count) == (True, Q[14])
    assert report.rechecked >= 0.05 * report.jobs
    assert idle(client)


@pytest.mark.parametrize("backend", ["core", "python-constraint"])
def test_parts_of_a_model_whose_functions_are_in_a_file(client, backend, tmp_path):
    file = tmp_path / "steps.py"
    file.write_text(PREDICATE)
    reached = [1] * 5
    for _ in range(4):
        reached = [sum(reached[a] for a in range(5) if abs(a - b) > 1) for b in range(5)]
    model = load_model(file, n=5)
    assert count_in_jobs(model, cluster=client, backend=backend) == sum(reached)


@COMPILED
def test_a_time_limit_leaves_nothing_behind(client):
    with pytest.raises(SearchStopped) as stopped:
        count_in_jobs(19, cluster=client, time_limit=2)
    assert 0 < stopped.value.partial < Q[19]
    wait_for(lambda: idle(client), 5)


def test_what_progress_raises_leaves_nothing_behind(client):
    class Enough(Exception):
        pass

    def stop(progress):
        raise Enough

    with pytest.raises(Enough):
        count_in_jobs(9, cluster=client, backend="python-constraint", progress=stop)
    wait_for(lambda: idle(client), 5)


@COMPILED
def test_workers_join_and_die(processes, client):
    """One more joins at the start; when a quarter is done, one of the first is killed with what it was doing."""
    joining = processes.start_worker()
    victim = processes.workers[0]
    seen = set()

    def kill(progress):
        seen.update(client.nthreads())
        if progress.share > 0.25 and victim.poll() is None:
            victim.kill()
            victim.wait()

    assert count_in_jobs(18, cluster=client, progress=kill) == Q[18]
    assert victim.poll() == -signal.SIGKILL
    client.wait_for_workers(2)
    assert len(seen) <= 3
    assert joining.poll() is None


def test_another_version_is_refused(processes, client, tmp_path):
    preload = tmp_path / "other_version.py"
    preload.write_text(OTHER_VERSION)
    other = processes.start_worker("--preload", str(preload), "--name", "other")
    names = lambda: {worker["name"] for worker in client.scheduler_info()["workers"].values()}  # noqa: E731
    try:
        wait_for(lambda: "other" in names(), 40)
        with pytest.raises(
            ClusterError, match=r"worker \S+ has nqueens-cp 99\.0 .*, this client nqueens-cp 0\.\S+ .*both must have"
        ):
            count_in_jobs(12, cluster=client)
    finally:
        other.kill()
        other.wait()
    wait_for(lambda: "other" not in names())
    assert count_in_jobs(12, cluster=client) == Q[12]


def test_the_program_on_a_cluster(processes, client, tmp_path):
    program = os.path.join(os.path.dirname(sys.executable), "nqueens-cp")
    words = [program, "count", "12", "--cluster", processes.address, "--recheck", "2%"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "14200\n", "")


@COMPILED
def test_a_scheduler_that_dies_and_is_started_again(processes, client, tmp_path):
    """The last test: the module's scheduler is killed."""
    path = tmp_path / "count.sqlite"
    program = os.path.join(os.path.dirname(sys.executable), "nqueens-cp")
    words = [program, "count", "19", "--checkpoint", str(path), "--cluster", processes.address]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: path.exists() and check_checkpoint(path).done, 60)
    port = processes.address.rsplit(":", 1)[1]
    processes.scheduler.kill()
    processes.scheduler.wait()
    output, errors = running.communicate(timeout=30)
    assert (running.returncode, output) == (3, ""), errors
    assert f"the scheduler {processes.address} was lost; at least " in errors
    assert f"the same call goes on with {path}" in errors
    assert "Traceback" not in errors
    before = check_checkpoint(path)
    assert before.ok
    assert 0 < before.done < before.jobs
    processes.start_scheduler(port)
    processes.start_worker()
    with processes.client(1) as again, pytest.raises(SearchStopped):
        count_in_jobs(19, checkpoint=path, cluster=again, time_limit=2)
    after = check_checkpoint(path, 19)
    assert after.ok
    assert before.done < after.done


@COMPILED
def test_processes_of_this_machine_and_ctrl_c(tmp_path):
    """Ctrl-C goes to the whole group of processes, as in a terminal."""
    path = tmp_path / "count.sqlite"
    program = os.path.join(os.path.dirname(sys.executable), "nqueens-cp")
    words = [program, "count", "19", "--checkpoint", str(path), "--cluster", "local:2"]
    running = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    wait_for(lambda: path.exists() and check_checkpoint(path).done, 50)
    os.killpg(running.pid, signal.SIGINT)
    output, errors = running.communicate(timeout=30)
    assert (running.returncode, output) == (130, ""), errors
    assert errors.startswith("interrupted: at least ")
    assert errors.count("\n") == 1, errors
    wait_for(lambda: not group_lives(running.pid), 10)


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr("nqueens_cp.cluster.connecting.CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127\.0\.0\.1:1 "):
        count_in_jobs(8, cluster="tcp://127.0.0.1:1")
