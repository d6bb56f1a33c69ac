"""A Dask cluster of real processes, some of which are killed in the middle of something."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nqueens_cp import ClusterError, check_checkpoint, count_in_jobs, to_numpy
from nqueens_cp.core import kernel

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

Q = {11: 2_680, 12: 14_200, 18: 666_090_624, 19: 4_968_057_848}  # A000170
COMPILED = pytest.mark.skipif(kernel.load()[0] is None, reason=f"the kernel is not in use: {kernel.load()[1]}")
OTHER_VERSION = "import nqueens_cp.version\nnqueens_cp.version.__version__ = '99.0'\n"
PROGRAM = str(Path(sys.executable).with_name("nqueens-cp"))


class Enough(Exception):
    pass


def started(*words):
    """Start the program in a group of its own, in which Ctrl-C is not ignored."""
    return subprocess.Popen(
        [PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def group_lives(number):
    """Whether a process of a group is at work; one that has ended may wait long until somebody asks for its status."""
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    told = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True).stdout.split()
    return any(int(group) == number and "Z" not in state for group, state in zip(told[::2], told[1::2], strict=True))


@COMPILED
def test_workers_join_and_die_and_have_other_versions(processes, wait_for, tmp_path):
    """A third joins at the start; when a quarter is done, the first is killed with what it was doing."""
    victim, _ = processes.start_worker(), processes.start_worker()
    with processes.client(2) as client:
        joining = processes.start_worker()

        def kill(progress):
            if progress.share > 0.25 and victim.poll() is None:
                victim.kill()
                victim.wait()

        assert count_in_jobs(18, cluster=client, progress=kill) == Q[18]
        assert victim.poll() == -signal.SIGKILL
        client.wait_for_workers(2)
        assert joining.poll() is None

        ran = subprocess.run(
            [PROGRAM, "list", "11", "--format", "lines", "--cluster", processes.address],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert (ran.returncode, ran.stderr) == (0, f"{Q[11]} solutions, all of them\n")
        rows = to_numpy(11).tolist()
        assert ran.stdout.splitlines() == [" ".join(map(str, row)) for row in rows]

        preload = tmp_path / "other_version.py"
        preload.write_text(OTHER_VERSION)
        other = processes.start_worker("--preload", str(preload), "--name", "other")
        names = lambda: {worker["name"] for worker in client.scheduler_info()["workers"].values()}  # noqa: E731
        wait_for(lambda: "other" in names())
        refused = r"worker \S+ has nqueens-cp 99\.0 .*, this client nqueens-cp 0\.\S+ .*both must have"
        with pytest.raises(ClusterError, match=refused):
            count_in_jobs(12, cluster=client)
        other.kill()
        wait_for(lambda: "other" not in names())
        assert count_in_jobs(12, cluster=client) == Q[12]


@COMPILED
def test_a_scheduler_that_dies_and_is_started_again(processes, wait_for, tmp_path):
    path = tmp_path / "count.sqlite"
    worker = processes.start_worker()
    running = started("count", 19, "--checkpoint", path, "--cluster", processes.address)
    try:
        wait_for(lambda: path.exists() and check_checkpoint(path).done)
        port = processes.address.rsplit(":", 1)[1]
        processes.all[0].kill()
        processes.all[0].wait()
        output, errors = running.communicate(timeout=120)
    finally:
        running.kill()
    worker.kill()
    assert (running.returncode, output) == (3, ""), errors
    assert f"the scheduler tcp://127.0.0.1:{port} was lost; at least " in errors
    assert f"the same call goes on with {path}" in errors
    assert "Traceback" not in errors
    before = check_checkpoint(path)
    assert before.ok
    assert 0 < before.done < before.jobs

    def stop(progress):
        if progress.done > before.done:
            raise Enough

    processes.start_scheduler(port)
    processes.start_worker()
    with processes.client(1) as again, pytest.raises(Enough):
        count_in_jobs(19, checkpoint=path, cluster=again, progress=stop)
    after = check_checkpoint(path, 19)
    assert after.ok
    assert before.done < after.done


@COMPILED
def test_processes_of_this_machine_and_ctrl_c(wait_for, tmp_path):
    """Ctrl-C goes to the whole group of processes, as in a terminal."""
    path = tmp_path / "count.sqlite"
    running = started("count", 19, "--checkpoint", path, "--cluster", "local:2")
    try:
        wait_for(lambda: path.exists() and check_checkpoint(path).done)
        os.killpg(running.pid, signal.SIGINT)
        output, errors = running.communicate(timeout=120)
    finally:
        running.kill()
    assert (running.returncode, output) == (130, ""), errors
    assert errors.startswith("interrupted: at least ")
    assert errors.count("\n") == 1, errors
    wait_for(lambda: not group_lives(running.pid))
