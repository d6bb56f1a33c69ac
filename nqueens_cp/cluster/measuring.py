"""Comparisons on a cluster: each worker measures one backend at a time, and all backends on one model if it lives so long."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from time import sleep
from typing import Any, NamedTuple

from nqueens_cp.background import despite_interrupts
from nqueens_cp.cluster.connecting import open_cluster
from nqueens_cp.cluster.sharing import POLL_SECONDS
from nqueens_cp.cluster.tasks import Tasks
from nqueens_cp.cluster.worker import control_of_a_task
from nqueens_cp.comparison.machine import load, machine
from nqueens_cp.comparison.measure import Job, Measurement
from nqueens_cp.comparison.processes import measured
from nqueens_cp.control import Control


class Measured(NamedTuple):
    """A measurement, on which machine, and how busy that was before it."""

    measurement: Measurement
    machine: dict[str, Any]
    load: float | None


class MeasuringOnCluster:
    """Who measures on a cluster. A context manager, which holds the cluster."""

    def __init__(self, cluster: Any, memory: float | None, pinned: bool) -> None:
        self._machines: list[dict[str, Any]] = []
        self._loads: list[float | None] = []
        self._memory, self._pinned = memory, pinned
        self._homes: dict[str, str] = {}  # which worker has a model
        self._opened = ExitStack()
        self._client = self._opened.enter_context(open_cluster(cluster, Control()))

    def __enter__(self) -> MeasuringOnCluster:
        return self

    def __exit__(self, *error: object) -> None:
        despite_interrupts(self._opened.close)

    def all(
        self, numbers: list[int], job_of: Callable[[int], Job | None], model_of: Callable[[int], str]
    ) -> Iterator[tuple[int, Measurement]]:
        """Yield numbers and measurements of their jobs as they come.

        Parameters
        ----------
        numbers : list of int
            In the order in which they are to be begun.
        job_of : callable
            Asked when one is begun; None if it is not to be measured.
        model_of : callable
            Tells what is to be measured on the same machine.
        """
        waiting = list(numbers)
        busy: dict[int, str] = {}
        tasks = Tasks[int](self._client, "compare")
        backends: dict[int, str] = {}
        try:
            while waiting or busy:
                tasks.look()
                for worker in tasks.threads:
                    while worker not in busy.values():
                        number = self._next(waiting, worker, tasks.threads, model_of)
                        if number is None:
                            break
                        job = job_of(number)
                        if job is None:
                            continue
                        busy[number], backends[number] = worker, job.backend
                        processor = _place(worker, list(tasks.threads)) if self._pinned else None
                        tasks.submit(number, measured_here, job, self._memory, processor, rather_by=[worker])
                for number, answer in tasks.arrived():
                    del busy[number]
                    yield number, self._kept(answer, backends[number])
                if not tasks.some_finished and (busy or waiting):
                    sleep(POLL_SECONDS)
        finally:
            despite_interrupts(tasks.cancel)

    def one(self, job: Job) -> Measurement:
        """Return the measurement of a job."""
        ((_, measurement),) = self.all([0], lambda _: job, lambda _: "")
        return measurement

    def setting(self) -> dict[str, Any]:
        """Return on what it was measured, when all is."""
        loads = [busy for busy in self._loads if busy is not None]
        told: dict[str, Any] = {
            "pinned": self._pinned,
            "machine": self._machines[0] if self._machines else {},
            "load_before": loads[0] if loads else None,
            "load_after": loads[-1] if loads else None,
            "cluster": {"workers": len(set(self._homes.values())), "machines": self._machines},
        }
        return told

    def _next(
        self, waiting: list[int], worker: str, there: dict[str, int], model_of: Callable[[int], str]
    ) -> int | None:
        """Take the first number that this worker may measure; one that has none of its own takes a model nobody has."""
        for place, number in enumerate(waiting):
            home = self._homes.get(model_of(number))
            if home is None or home == worker or home not in there:
                self._homes[model_of(number)] = worker
                return waiting.pop(place)
        return None

    def _kept(self, answer: Any, backend: str) -> Measurement:
        if not isinstance(answer, Measured):
            return Measurement(backend, "failed", reason=f"it went down with every worker that tried it ({answer})")
        if answer.machine not in self._machines:
            self._machines.append(answer.machine)
        self._loads.append(answer.load)
        return answer.measurement


def _place(worker: str, workers: list[str]) -> int:
    """Return which of the workers on its machine one is, from 0."""
    before = Counter(map(_host, workers[: workers.index(worker)]))
    return before[_host(worker)]


def _host(worker: str) -> str:
    return worker.rpartition(":")[0]


def measured_here(job: Job, memory: float | None, place: int | None) -> Measured:
    """Measure here; called on a worker. `place` is its place among the workers of this machine, if it is to be pinned."""
    if place is not None and hasattr(os, "sched_getaffinity"):
        processors = sorted(os.sched_getaffinity(0), reverse=True)
        job = job._replace(processor=processors[place % len(processors)])
    busy = load()
    return Measured(measured(job, memory, control_of_a_task().poll), machine(), busy)
