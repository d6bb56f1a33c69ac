"""Calls on a cluster whose workers come and go."""

from __future__ import annotations

import warnings

import pytest

from nqueens_cp import BackendUnavailable, ClusterError
from nqueens_cp.cluster.tasks import Tasks

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")


@pytest.fixture
def cluster():
    """One worker in this process, which the test may take away."""
    options = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **options) as made:
        yield made


def all_of(tasks, wait_for):
    """Return what comes back, when all is there."""
    back = []

    def there():
        tasks._next_look = 0.0
        tasks.look()
        back.extend(tasks.arrived())
        return not tasks.number

    wait_for(there)
    return sorted(back)


def test_what_was_for_a_worker_that_is_gone_is_done_by_another(cluster, wait_for):
    """Dask keeps it for the one that is gone."""
    with distributed.Client(cluster, set_as_default=False) as client:
        tasks = Tasks(client, "test")
        tasks.look()
        (gone,) = tasks.threads
        cluster.scale(0)
        wait_for(lambda: not client.nthreads())
        tasks.submit("any", abs, -1)
        tasks.submit("one", abs, -2, rather_by=[gone])
        cluster.scale(1)
        assert all_of(tasks, wait_for) == [("any", 1), ("one", 2)]


def test_what_was_lost_with_its_worker_is_done_again(cluster, wait_for):
    with distributed.Client(cluster, set_as_default=False) as client:
        tasks = Tasks(client, "test")
        tasks.look()
        tasks.submit("one", abs, -1)
        tasks.submit("two", abs, -2, rather_by=tasks.threads)
        wait_for(lambda: len(tasks._finished) == 2)
        cluster.scale(0)
        wait_for(lambda: not client.nthreads())
        cluster.scale(1)
        assert all_of(tasks, wait_for) == [("one", 1), ("two", 2)]


def test_that_nobody_works_is_told_once(cluster, monkeypatch, wait_for):
    monkeypatch.setattr("nqueens_cp.cluster.tasks.NOBODY_SECONDS", 0.0)
    with distributed.Client(cluster, set_as_default=False) as client:
        cluster.scale(0)
        wait_for(lambda: not client.nthreads())
        tasks = Tasks(client, "test")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(3):
                tasks._next_look = 0.0
                tasks.look()
        assert [str(warning.message) for warning in told] == [
            f"the scheduler {tasks.address} has no workers; waiting for some"
        ]


def test_errors_of_functions_reach_the_caller(client, wait_for):
    tasks = Tasks(client, "test")
    tasks.look()
    tasks.submit("none", int, "none")
    with pytest.raises(ValueError, match="none"):
        all_of(tasks, wait_for)
    tasks.cancel()


def unavailable():
    raise BackendUnavailable("it is not installed")


def test_what_a_worker_lacks_is_told_with_its_name(client, wait_for):
    tasks = Tasks(client, "test")
    tasks.look()
    tasks.submit("none", unavailable)
    with pytest.raises(ClusterError, match=r"worker tcp://\S+: it is not installed"):
        all_of(tasks, wait_for)
    tasks.cancel()
