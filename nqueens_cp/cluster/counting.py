"""Long counts on a cluster: the jobs of `nqueens_cp.jobs`."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from nqueens_cp.cluster.connecting import packed
from nqueens_cp.cluster.sharing import Reply, Sharing
from nqueens_cp.cluster.worker import control_of_a_task, kept, worker_name
from nqueens_cp.control import Control
from nqueens_cp.errors import ClusterError
from nqueens_cp.jobs.plan import Again, Plan, Result, checksum
from nqueens_cp.jobs.work import Inputs, Work

Job = tuple[int, Inputs, int | None]
"""A job, its inputs, and in which other way it is counted, if in another one."""


class OnCluster:
    """Who counts jobs on a cluster; a `Workforce`."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def count(self, plan: Plan, jobs: Sequence[int], control: Control) -> Iterator[Result]:
        ordered = [(job, plan.inputs[job], None) for job in jobs]
        return _Counting(self._client, plan, control, {}).results(ordered, len(jobs))

    def recount(self, plan: Plan, jobs: Mapping[int, Again], control: Control) -> Iterator[Result]:
        by_worker = sorted(jobs, key=lambda job: (jobs[job].way, jobs[job].not_by))
        ordered = [(job, plan.inputs[job], jobs[job].way) for job in by_worker]
        return _Counting(self._client, plan, control, jobs).results(ordered, len(jobs))


class _Counting(Sharing[Job]):
    """One pass over jobs."""

    ordered = False

    def __init__(self, client: Any, plan: Plan, control: Control, again: Mapping[int, Again]) -> None:
        guess = None if again else plan.work.expected_seconds
        super().__init__(client, control, f"count-{plan.identity.digest:.12}", guess)
        self._plan, self._again = plan, again
        self._packed = packed(replace(plan.work))  # type: ignore[type-var]

    def call(self, items: list[Job]) -> tuple[Any, ...]:
        return run_jobs, self._packed, self._plan.identity.digest, items

    def not_by(self, item: Job) -> str | None:
        again = self._again.get(item[0])
        return None if again is None else again.not_by

    def named(self, item: Job) -> str:
        return f"job {item[0]} ({item[1]})"


def run_jobs(work: bytes, count: str, jobs: list[Job]) -> Reply:
    """Return the results of jobs; called on a worker.

    Parameters
    ----------
    work : bytes
        The pickled work of the whole count.
    count : str
        The digest of its identity.
    jobs : list of Job
        Which, with their inputs, which must be the same here.
    """
    name = worker_name()
    known, inputs = kept(count, lambda: _prepared(work))
    results, begun, between = [], perf_counter(), control_of_a_task()
    for job, given, way in jobs:
        between.poll()
        if inputs[job] != given:
            raise ClusterError(f"job {job} has the inputs {inputs[job]} on worker {name}, and {given} on the client")
        control = control_of_a_task()
        number = known.number(job, control) if way is None else known.number_again(job, way, control)
        results.append(Result(job, number, checksum(count, job, given, number), name))
    return Reply(results, len(jobs), perf_counter() - begun)


def _prepared(work: bytes) -> tuple[Work, list[Inputs]]:
    known: Work = pickle.loads(work)
    known.prepare(control_of_a_task())
    return known, known.inputs()
