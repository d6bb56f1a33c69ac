"""Long counts on a Dask cluster. Only a Client is needed, so it does not matter who started the cluster, and where.

A task is a few jobs, some seconds of work. Some tasks for each thread of the cluster are on their way at any time, not all of
them: the scheduler then has little to do, and workers that join get their share. Dask gives the tasks of a worker that dies
to others.
"""

from __future__ import annotations

import logging
import re
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

from nqueens_cp.background import Background, call_apart, despite_interrupts
from nqueens_cp.checks import shown
from nqueens_cp.control import Control
from nqueens_cp.errors import ClusterError, InvalidType, InvalidValue
from nqueens_cp.jobs.plan import Plan, Result
from nqueens_cp.jobs.remote import Done, require_same_version, run_jobs, version_asked
from nqueens_cp.jobs.work import Work
from nqueens_cp.loader import MODULE_PREFIX

TASK_SECONDS, SHORTEST_TASK = 3.0, 0.05
"""Jobs are put together into tasks of about so long, at the end at least so long."""
CAUTION = 10
"""The first guess is multiplied by this, so that something comes back soon."""
SENDING_SECONDS = 0.003
"""What a task costs client and scheduler. A task takes no less than sending one to each thread, or threads would wait."""
SHARE_OF_A_TASK = 2
"""Towards the end a task is no more than this part of what each thread still has to do, so that all end together."""
TASKS_OF_A_THREAD, MOST_TASKS = 3, 5_000
"""So many tasks are on their way for each thread of the cluster, and altogether."""
SENT_AT_ONCE = 50
"""After so many tasks are sent, it is looked whether some have come back."""
ATTEMPTS = 2
"""So often Dask may give up a job, each time after it has given it to several workers that died."""
RETRIES = 2
"""So often a worker's other errors are tried again by Dask."""
POLL_SECONDS = 0.01
LOOK_SECONDS = 1.0
"""Between two looks at which workers there are."""
CONNECT_SECONDS = 10


@contextmanager
def open_cluster(cluster: Any, control: Control) -> Iterator[Cluster]:
    """Give the workforce of a cluster: a Client, the address of a scheduler, or "local:N" for N processes on this machine.

    Raises
    ------
    ClusterError
        dask.distributed is not installed, or nobody answers.
    """
    distributed = _distributed()
    if isinstance(cluster, distributed.Client):
        yield Cluster(cluster)
        return
    if not isinstance(cluster, str):
        raise InvalidType(f"cluster: expected a Client or an address, got {shown(cluster)} ({type(cluster).__name__})")
    with _quiet(), _client(distributed, cluster, control) as client:
        yield Cluster(client)


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

    def close() -> None:
        if starting is not None and starting.begun:
            starting.wait_for_end()
        while opened:
            with suppress(OSError, TimeoutError):
                opened[-1].close()
            opened.pop()

    try:
        try:
            if local := re.fullmatch(r"local:([1-9]\d{0,3})", address):
                starting = Background(lambda: opened.append(_local_cluster(distributed, int(local[1]))))
                starting.start()
                while not starting.wait(POLL_SECONDS):
                    control.poll()
                if starting.error is not None:
                    raise starting.error
                address = opened[0].scheduler_address
            elif not re.match(r"\w+://.", address):
                raise InvalidValue(f"cluster: {shown(address)} is neither like tcp://host:8786 nor like local:2")
            opened.append(distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False))
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            if isinstance(error, InvalidValue):
                raise
            raise ClusterError(
                f"cluster: no scheduler answers at {address} ({type(error).__name__}: {error})"
            ) from None
        yield opened[-1]
    finally:
        despite_interrupts(close)


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


@dataclass(slots=True)
class Task:
    """Some jobs on their way to a worker, or back."""

    jobs: list[int]
    not_by: str | None
    attempts: int = 1
    future: Any = None


def tasks_on_their_way(threads: int, seconds: float | None) -> int:
    """Return how many tasks a cluster with so many threads has at a time; one each while nothing is known of the jobs."""
    return min(MOST_TASKS, threads if seconds is None else TASKS_OF_A_THREAD * threads)


def jobs_of_a_task(left: int, threads: int, seconds: float | None) -> int:
    """Return how many of the `left` jobs, which take so many seconds each as far as that is known, the next task has."""
    if not seconds:
        return 1
    least = max(SHORTEST_TASK, SENDING_SECONDS * threads)
    most = max(TASK_SECONDS, 2 * least)
    size = min(int(most / seconds), max(left // (SHARE_OF_A_TASK * threads), int(least / seconds)))
    return min(left, max(1, size))


class Cluster:
    """Who counts jobs on a cluster; a `Workforce`."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._address = client.scheduler.address

    def count(self, plan: Plan, jobs: Sequence[int], control: Control) -> Iterator[Result]:
        return _Run(self._client, self._address, plan, control).results([(None, deque(jobs))])

    def recount(self, plan: Plan, jobs: dict[int, str], control: Control) -> Iterator[Result]:
        by_worker: dict[str, deque[int]] = {}
        for job, worker in jobs.items():
            by_worker.setdefault(worker, deque()).append(job)
        return _Run(self._client, self._address, plan, control, again=True).results([*by_worker.items()])


class _Run:
    """One pass over jobs on a cluster."""

    def __init__(self, client: Any, address: str, plan: Plan, control: Control, *, again: bool = False) -> None:
        self._client, self._address = client, address
        self._plan, self._control, self._again = plan, control, again
        self._packed = _packed(plan.work)
        self._name = f"nqueens-cp-{plan.identity.digest:.12}-{uuid4().hex:.8}"
        self._submitted = 0
        self._on_their_way: dict[str, Task] = {}
        self._finished: deque[str] = deque()  # keys
        self._threads: dict[str, int] = {}  # by worker
        self._next_look = 0.0
        guess = plan.work.expected_seconds
        self._seconds = guess and CAUTION * guess  # of a job; then averaged

    def results(self, waiting: Sequence[tuple[str | None, deque[int]]]) -> Iterator[Result]:
        """Yield results as they come; `waiting` are jobs, and which worker is not to do them if there is another."""
        try:
            while self._on_their_way or any(jobs for _, jobs in waiting):
                self._look()
                for _ in range(SENT_AT_ONCE):
                    not_by, jobs = next((group for group in waiting if group[1]), (None, None))
                    if not jobs or len(self._on_their_way) >= tasks_on_their_way(self._all_threads, self._seconds):
                        break
                    size = jobs_of_a_task(len(jobs), self._all_threads, self._seconds)
                    self._submit(Task([jobs.popleft() for _ in range(size)], not_by))
                yield from self._arrived()
                self._control.poll()
                if not self._finished:
                    sleep(POLL_SECONDS)
        finally:
            despite_interrupts(self._cancel)

    @property
    def _all_threads(self) -> int:
        return max(1, sum(self._threads.values()))

    def _look(self) -> None:
        """See whether the scheduler is there, and which workers; new ones are asked for their version."""
        if self._client.status != "running":
            raise self._lost()
        if monotonic() < self._next_look:
            return
        try:
            threads = self._client.nthreads()
            new = [worker for worker in threads if worker not in self._threads]
            answers = self._client.run(version_asked(), workers=new, on_error="return") if new else {}
        except (OSError, TimeoutError) as error:
            raise self._lost() from error
        for worker, answer in answers.items():
            if isinstance(answer, tuple):
                require_same_version(worker, answer, self._versions)
        self._threads = threads
        self._next_look = monotonic() + LOOK_SECONDS

    @property
    def _versions(self) -> tuple[str, int]:
        return self._plan.identity.package, self._plan.identity.format

    def _submit(self, task: Task) -> None:
        key = f"{self._name}-{self._submitted}"
        self._submitted += 1
        others = [worker for worker in self._threads if worker != task.not_by]
        restricted = {"workers": others, "allow_other_workers": True} if task.not_by in self._threads and others else {}
        task.future = self._client.submit(
            run_jobs,
            self._packed,
            self._plan.identity.digest,
            self._versions,
            [(job, self._plan.inputs[job]) for job in task.jobs],
            self._again,
            key=key,
            pure=False,
            retries=RETRIES,
            **restricted,
        )
        self._on_their_way[key] = task
        task.future.add_done_callback(lambda future: self._finished.append(future.key))

    def _arrived(self) -> Iterator[Result]:
        """Yield the results that are there; send tasks again whose workers all died."""
        arrived = []
        while self._finished:
            key = self._finished.popleft()
            task = self._on_their_way.pop(key)
            if task.future.status == "finished":
                arrived.append(task)
            elif task.future.status == "error":
                self._send_again(task, task.future.exception())
            else:  # cancelled: by the client, which has lost the scheduler, or by somebody else
                raise self._lost()
        if not arrived:
            return
        try:
            batches = self._client.gather([task.future for task in arrived])
        except Exception as error:  # of any kind that the network has
            if self._client.status != "running" or isinstance(error, OSError | TimeoutError):
                raise self._lost() from error
            if all(task.future.status == "finished" for task in arrived):
                raise
            for task in arrived:  # a result was lost with its worker, and the task failed when Dask did it again
                self._on_their_way[task.future.key] = task
                self._finished.append(task.future.key)
            return
        for batch in batches:
            for done in map(Done._make, batch):
                self._seconds = 0.9 * (self._seconds or done.seconds) + 0.1 * done.seconds
                yield Result(done.job, done.number, done.checksum, done.worker)

    def _send_again(self, task: Task, error: BaseException) -> None:
        from distributed import KilledWorker

        if not isinstance(error, KilledWorker):
            raise error
        if len(task.jobs) > 1:  # halves are sooner done, before the next worker dies, or show which job it is
            half = len(task.jobs) // 2
            self._submit(Task(task.jobs[:half], task.not_by))
            self._submit(Task(task.jobs[half:], task.not_by))
        elif task.attempts < ATTEMPTS:
            self._submit(Task(task.jobs, task.not_by, task.attempts + 1))
        else:
            raise ClusterError(
                f"job {task.jobs[0]} ({self._plan.inputs[task.jobs[0]]}) went down with every worker that tried it; "
                f"perhaps there is too little memory ({error})",
                0,
            )

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler {self._address} was lost", 0)

    def _cancel(self) -> None:
        if self._on_their_way and self._client.status == "running":
            with suppress(OSError, TimeoutError):
                self._client.cancel([task.future for task in self._on_their_way.values()])
        self._on_their_way.clear()


def _packed(work: Work) -> bytes:
    """Return work for any process: functions of model files, which are not there to import, are sent with it."""
    import cloudpickle

    modules = [module for name, module in sys.modules.items() if name.startswith(MODULE_PREFIX)]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        packed: bytes = cloudpickle.dumps(replace(work))  # type: ignore[type-var]
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    return packed
