"""Finding or starting a Dask cluster. Only a Client is needed, so it does not matter who started the cluster, and where."""

from __future__ import annotations

import logging
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from threading import Lock
from types import ModuleType
from typing import Any

from nqueens_cp.background import Background, call_apart, despite_interrupts
from nqueens_cp.checks import shown
from nqueens_cp.control import Control
from nqueens_cp.errors import ClusterError, InvalidType, InvalidValue
from nqueens_cp.loader import MODULE_PREFIX

POLL_SECONDS = 0.01
CONNECT_SECONDS = 10
LOCAL, SCHEDULER = re.compile(r"local:([1-9]\d{0,3})"), re.compile(r"(tcp|tls|ws|wss|ucx|inproc)://.")
"""Addresses: of processes that are started here, and of schedulers."""


@contextmanager
def open_cluster(cluster: Any, control: Control) -> Iterator[Any]:
    """Give a client of a cluster: the one that is given, or one of the scheduler at an address, or for "local:N" of N processes
    that are started here; what was opened is closed at the end.

    Raises
    ------
    ClusterError
        dask.distributed is not installed, or nobody answers.
    """
    if control.workers != 1:
        raise InvalidValue(f"workers={control.workers}: that is for this machine; the cluster has its own workers")
    distributed = _distributed()
    if isinstance(cluster, distributed.Client):
        if cluster.asynchronous:
            raise InvalidType("cluster: the client is asynchronous; make it with asynchronous=False")
        if cluster.status != "running":
            raise ClusterError(f"cluster: the client is {cluster.status}, so it has no scheduler")
        yield cluster
        return
    if not isinstance(cluster, str):
        hint = "; make a Client of it: Client(cluster)" if isinstance(cluster, distributed.deploy.Cluster) else ""
        raise InvalidType(
            f"cluster: expected a Client or an address, got {shown(cluster)} ({type(cluster).__name__}){hint}"
        )
    with _quiet(), _client(distributed, cluster, control) as client:
        yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log to what is critical: what matters to the caller is raised."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def _distributed() -> Any:
    def load() -> None:
        import distributed  # noqa: F401

    try:
        call_apart(load)
    except ImportError as error:
        raise ClusterError(f"a cluster needs dask.distributed ({error}): pip install 'nqueens-cp[cluster]'") from None
    return sys.modules["distributed"]


@contextmanager
def _client(distributed: Any, address: str, control: Control) -> Iterator[Any]:
    """Give a client of a scheduler, or of one that is started here, and close what was opened."""
    opened: list[Any] = []
    starting: Background | None = None

    one_at_a_time = Lock()

    def close_all() -> None:
        with one_at_a_time:
            if starting is not None and starting.begun:
                starting.wait_for_end()
            while opened:
                with suppress(OSError, TimeoutError):
                    opened[-1].close()
                opened.pop()

    def close() -> None:
        # In a thread, which Ctrl-C does not reach: Dask gives up closing when interrupted, and asked again it never ends.
        closing = Background(close_all)
        closing.start()
        closing.wait_for_end()

    try:
        local = LOCAL.fullmatch(address)
        if local:
            starting = Background(lambda: opened.append(_local_cluster(distributed, int(local[1]))))
            starting.start()
            while not starting.wait(POLL_SECONDS):
                control.poll()
            if starting.error is not None:
                raise ClusterError(
                    f"cluster: the processes of {address} cannot be started ({_text(starting.error)}); each imports the script "
                    'that asks for them, which must do so under `if __name__ == "__main__":`'
                ) from starting.error
            address = opened[0].scheduler_address
        elif not SCHEDULER.match(address):
            raise InvalidValue(f"cluster: {shown(address)} is neither like tcp://host:8786 nor like local:2")
        try:
            opened.append(distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False))
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise ClusterError(f"cluster: no scheduler answers at {address} ({_text(error)})") from None
        yield opened[-1]
    finally:
        despite_interrupts(close)


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _local_cluster(distributed: Any, workers: int) -> Any:
    """Return a cluster of processes on this machine, started from a thread of its own."""
    import dask
    from distributed.gc import disable_gc_diagnosis

    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # which would unblock it again, did it not run yet
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C is for this process and not for the workers
    # Not daemons, which could not start the processes that some solvers run in.
    with dask.config.set({"distributed.worker.daemon": False}):
        started = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )
    # The scheduler in this process has Python call it at each garbage collection, where Ctrl-C would be swallowed.
    disable_gc_diagnosis(force=True)
    return started


def packed(thing: Any) -> bytes:
    """Return something for any process: functions of model files, which are not there to import, are sent with it."""
    import cloudpickle

    modules: Iterable[ModuleType] = [module for name, module in sys.modules.items() if name.startswith(MODULE_PREFIX)]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        made: bytes = cloudpickle.dumps(thing)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    return made
