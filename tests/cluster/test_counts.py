"""Long counts on a cluster: the same numbers, and nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from nqueens_cp import (
    ClusterError,
    InvalidType,
    InvalidValue,
    Model,
    SearchStopped,
    all_different,
    check_checkpoint,
    count_in_jobs,
    load_model,
)
from nqueens_cp.backends import get_backend
from nqueens_cp.core import kernel
from nqueens_cp.errors import BackendUnavailable

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

Q = {6: 4, 12: 14_200, 13: 73_712, 19: 4_968_057_848}  # A000170
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


class Enough(Exception):
    pass


def stop(progress):
    raise Enough


def idle(client):
    return not any(client.processing().values())


def test_published_counts(client, tmp_path, wait_for):
    path = tmp_path / "count.sqlite"
    assert count_in_jobs(13, cluster=client, checkpoint=path, recheck=0.05) == Q[13]
    report = check_checkpoint(path, 13)
    assert (report.ok, report.count) == (True, Q[13])
    assert report.rechecked >= 0.05 * report.jobs
    wait_for(lambda: idle(client))


def test_the_other_worker_counts_again(client, tmp_path):
    path = tmp_path / "count.sqlite"
    count_in_jobs(11, cluster=client, checkpoint=path, recheck=1)
    with closing(sqlite3.connect(path)) as file:
        first = dict(file.execute("SELECT job, worker FROM results"))
        again = file.execute("SELECT job, way, worker FROM rechecks").fetchall()
    assert len(set(first.values())) == 2, "both have worked"
    assert len(again) == len(first)
    assert all(worker != first[job] for job, _, worker in again)
    if kernel.load()[0] is not None:
        ways = [way for _, way, _ in again]
        assert 0.1 <= ways.count("by backtracking") / len(ways) <= 0.2


@pytest.mark.parametrize("backend", ["core", "python-constraint"])
def test_parts_of_a_model_whose_functions_are_in_a_file(client, backend, tmp_path):
    file = tmp_path / "steps.py"
    file.write_text(PREDICATE)
    reached = [1] * 5
    for _ in range(4):
        reached = [sum(reached[a] for a in range(5) if abs(a - b) > 1) for b in range(5)]
    model = load_model(file, n=5)
    assert count_in_jobs(model, cluster=client, backend=backend) == sum(reached)


def needs(backend):
    try:
        get_backend(backend)
    except BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("backend", ["choco", "exact-cover"])
def test_backends_that_search_in_a_process_of_their_own(client, backend):
    needs(backend)
    model = Model("pairs")
    model.add(all_different(model.int_vars("x", 2, domain=range(3))))
    assert count_in_jobs(model, cluster=client, backend=backend) == 6


def test_workers_that_may_have_no_children_tell_the_way_out(client, monkeypatch):
    needs("choco")

    class Daemon:
        daemon = True

    monkeypatch.setattr("multiprocessing.current_process", Daemon)
    with pytest.raises(ClusterError, match=r"choco searches in a process of its own.*--no-nanny.*DAEMON=False"):
        count_in_jobs(4, cluster=client, backend="choco")


@COMPILED
def test_a_time_limit_leaves_nothing_behind(client, wait_for):
    with pytest.raises(SearchStopped) as stopped:
        count_in_jobs(19, cluster=client, time_limit=0.5)
    assert 0 <= stopped.value.partial < Q[19]
    wait_for(lambda: idle(client))


def test_what_progress_raises_leaves_nothing_behind(client, wait_for):
    with pytest.raises(Enough):
        count_in_jobs(9, cluster=client, backend="python-constraint", progress=stop)
    wait_for(lambda: idle(client))


def test_another_version_is_refused(client, monkeypatch):
    monkeypatch.setattr("nqueens_cp.cluster.tasks.versions_here", lambda: ("99.0", 1))
    refused = r"worker \S+ has nqueens-cp 0\.\S+ .*, this client nqueens-cp 99\.0 .*both must have"
    with pytest.raises(ClusterError, match=refused):
        count_in_jobs(6, cluster=client)


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr("nqueens_cp.cluster.connecting.CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127\.0\.0\.1:1 "):
        count_in_jobs(8, cluster="tcp://127.0.0.1:1")


def test_ctrl_c_while_the_cluster_is_closed(monkeypatch):
    """Dask would wait for ever for the end of a closing that was interrupted."""
    made = []

    def in_this_process(distributed, workers):
        options = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard_address": "127.0.0.1:0"}
        cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=False, **options)
        scale = cluster.scale

        def scale_and_interrupt(number):  # what closing begins with
            os.kill(os.getpid(), signal.SIGINT)
            return scale(number)

        cluster.scale = scale_and_interrupt
        made.append(cluster)
        return cluster

    monkeypatch.setattr("nqueens_cp.cluster.connecting._local_cluster", in_this_process)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests were started with
    try:
        with pytest.raises(KeyboardInterrupt):
            count_in_jobs(6, cluster="local:1")
    finally:
        signal.signal(signal.SIGINT, before)
    assert made[0].status.name == "closed"


def test_a_script_without_a_guard(tmp_path):
    """Each process that is started imports the script, which would start processes again."""
    script = tmp_path / "script.py"
    script.write_text('from nqueens_cp import count_in_jobs\n\nprint(count_in_jobs(6, cluster="local:1"))\n')
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (1, "")
    last = ran.stderr.rstrip().rpartition("\n")[2]
    assert re.search(r'ClusterError: .*local:1 cannot be started.*under `if __name__ == "__main__":`', last)


@pytest.mark.parametrize(
    "given", ["somewhere", "local:0", "local:", "local:2.5", "tcp://", "", "C:/x", "local:99999", "foo://x:1"]
)
def test_addresses_that_are_none(given):
    with pytest.raises(InvalidValue, match="neither like tcp://host:8786 nor like local:2"):
        count_in_jobs(6, cluster=given)


@pytest.mark.parametrize("given", [3, b"tcp://127.0.0.1:1", ["local:2"]])
def test_other_things_that_are_no_cluster(given):
    with pytest.raises(InvalidType, match="a Client or an address"):
        count_in_jobs(6, cluster=given)


def test_a_cluster_that_is_no_client(client):
    with pytest.raises(InvalidType, match=r"Client\(cluster\)"):
        count_in_jobs(6, cluster=client.cluster)


def test_a_client_that_was_closed(client):
    other = distributed.Client(client.scheduler.address, set_as_default=False)
    other.close()
    with pytest.raises(ClusterError, match="the client is closed"):
        count_in_jobs(6, cluster=other)


def test_workers_are_for_this_machine(client):
    with pytest.raises(InvalidValue, match="the cluster has its own workers"):
        count_in_jobs(6, cluster=client, workers=2)
