"""Long counts: `count_in_jobs`."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Protocol

from nqueens_cp.background import despite_interrupts
from nqueens_cp.checks import shown
from nqueens_cp.control import Control, Progress
from nqueens_cp.errors import (
    ClusterError,
    InvalidType,
    InvalidValue,
    VerificationError,
)
from nqueens_cp.files import require_writable
from nqueens_cp.jobs.checkpoint import Ledger, open_checkpoint
from nqueens_cp.jobs.plan import Again, Plan, Result, checksum, plan_of
from nqueens_cp.model import Model
from nqueens_cp.search import ProgressCallback, make_control, told_when_stopped, without_objective

if TYPE_CHECKING:
    from distributed import Client


CHEAPER = 10
"""Of the jobs that are counted again, one in so many is counted in the slowest of the other ways, the rest in the last."""

Told = ProgressCallback | None
"""Who is told of the progress."""


@dataclass(frozen=True, slots=True)
class JobProgress(Progress):
    """What a progress callback of a long count is told.

    Attributes
    ----------
    done, jobs : int
        How many jobs are done, earlier runs included, and how many there are.
    rate : float
        Jobs done in a second, in this run.
    left : float or None
        About how many seconds are left; None before the first job of this run is done.
    """

    done: int
    jobs: int
    rate: float
    left: float | None


class Workforce(Protocol):
    """Who counts jobs."""

    def count(self, plan: Plan, jobs: Sequence[int], control: Control) -> Iterator[Result]:
        """Yield the results of jobs as they come."""

    def recount(self, plan: Plan, jobs: Mapping[int, Again], control: Control) -> Iterator[Result]:
        """Yield them again, as is said of each job."""


class Here:
    """The threads or processes of this machine, ``control.workers`` of them."""

    name = f"process {os.getpid()} on {socket.gethostname()}"

    def count(self, plan: Plan, jobs: Sequence[int], control: Control) -> Iterator[Result]:
        return self._results(plan, jobs, plan.work.numbers(jobs, control))

    def recount(self, plan: Plan, jobs: Mapping[int, Again], control: Control) -> Iterator[Result]:
        for way in range(len(plan.work.other_ways)):
            chosen = [job for job in jobs if jobs[job].way == way]
            if chosen:
                yield from self._results(plan, chosen, plan.work.numbers_again(chosen, way, control))

    def _results(self, plan: Plan, jobs: Sequence[int], numbers: Any) -> Iterator[Result]:
        with closing(numbers):
            for place, number in numbers:
                yield plan.result(jobs[place], number, self.name)


def count_in_jobs(
    model: Model | int,
    *,
    checkpoint: str | Path | None = None,
    cluster: str | Client | None = None,
    recheck: float = 0,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> int:
    """Return the exact number of solutions, as `count` does, counted in jobs that can be stored and sent elsewhere.

    The jobs are ranges of column sets of the core's join or, for other models, parts of the search space. What they give
    is the same everywhere, to the last digit.

    Parameters
    ----------
    model : Model or int
        A model, or the size of a classic N-Queens board.
    checkpoint : str or Path, optional
        A SQLite file to which each result is committed within a second or so. If it is there, the count goes on where it was.
    cluster : str or dask.distributed.Client, optional
        Who counts, instead of this process: a client, the address of a scheduler (``"tcp://host:8786"``), or ``"local:4"``,
        which starts so many processes here.
    recheck : float
        From 0 to 1: at the end this share of the jobs, chosen at random, is counted again: of those of the join one in ten by
        backtracking, which shares no code with it, the others with other vectors; of other models in another process. On a
        cluster another worker does it.
    backend : str
        "auto", a name that ``nqueens-cp backends`` lists, or the path of a file of your own, which ends in ``.py``.
    time_limit : int or float, optional
        Seconds of wall clock.
    workers : int
        Threads or processes of this machine; not for a cluster.
    progress : callable, optional
        Called now and then with a `JobProgress`.

    Raises
    ------
    SearchStopped
        The time limit was reached first; its ``partial`` is the sum of the jobs that are done, a lower bound.
    SearchInterrupted
        Ctrl-C; the same.
    InvalidValue
        The checkpoint is of another model, size, backend or version, is damaged, or another process is using it.
    ClusterError
        The cluster cannot be used or was lost; the checkpoint, if there is one, has what it did.
    VerificationError
        A job that was counted again gave another number, or a result does not fit its checksum.

    Examples
    --------
    >>> from nqueens_cp import count_in_jobs
    >>> count_in_jobs(10, recheck=0.05)
    724
    """
    control = make_control(time_limit, workers, progress=progress)
    told, control.progress = control.progress, None
    share = _share(recheck)
    problem = without_objective(model, "count_in_jobs")
    path = None if checkpoint is None else _checked_path(checkpoint)
    ledger: Ledger | None = None
    try:
        with told_when_stopped(time_limit, lambda: (_so_far(ledger, path), _found(ledger))):
            plan = plan_of(problem, backend, control)
            opened: AbstractContextManager[Ledger] = nullcontext(Ledger(plan))
            if path is not None:
                opened = open_checkpoint(path, plan)
            with opened as ledger, _workforce(cluster, control) as force:
                _count_all(ledger, force, control, told)
                if share:
                    _recheck(ledger, force, share, control, told)
            return ledger.found
    except ClusterError as error:
        if error.partial is not None and ledger is not None:
            raise ClusterError(f"{error}; {_so_far(ledger, path)}", ledger.found) from error
        raise


def _checked_path(checkpoint: str | Path) -> Path:
    if not isinstance(checkpoint, str | Path):
        raise InvalidType(f"checkpoint: expected a path, got {shown(checkpoint)} ({type(checkpoint).__name__})")
    require_writable(checkpoint, "checkpoint")
    return Path(checkpoint)


def _found(ledger: Ledger | None) -> int:
    return 0 if ledger is None else ledger.found


def _so_far(ledger: Ledger | None, path: Path | None) -> str:
    """Say what is known, and how to go on."""
    if ledger is None:
        return "at least 0 solutions"
    done, jobs = len(ledger.done), ledger.plan.identity.jobs
    if done == jobs:
        return f"the count is complete, {ledger.found} solutions, but not all that was asked for was counted again"
    text = f"at least {ledger.found} solutions ({done} of {jobs} jobs are done"
    return text + (")" if path is None else f"; the same call goes on with {path})")


def _share(recheck: float) -> float:
    if isinstance(recheck, bool) or not isinstance(recheck, int | float):
        raise InvalidType(f"recheck: expected a share from 0 to 1, got {shown(recheck)} ({type(recheck).__name__})")
    if not 0 <= recheck <= 1:
        raise InvalidValue(f"recheck: {recheck} is not a share from 0 to 1; 0.02 is 2 of 100 jobs")
    return recheck


@contextmanager
def _workforce(cluster: Any, control: Control) -> Iterator[Workforce]:
    if cluster is None:
        yield Here()
        return
    from nqueens_cp.cluster.connecting import open_cluster
    from nqueens_cp.cluster.counting import OnCluster

    with open_cluster(cluster, control) as client:
        yield OnCluster(client)


def _count_all(ledger: Ledger, force: Workforce, control: Control, told: Told) -> None:
    """Have all jobs counted that are not done."""
    plan = ledger.plan
    missing = [job for job in range(plan.identity.jobs) if job not in ledger.done]
    if missing:
        watch = _Watch(ledger, control, told, len(ledger.done))
        try:
            with closing(force.count(plan, missing, watch.control)) as results:  # type: ignore[type-var]
                for result in results:
                    ledger.add(_checked(plan, result))
        finally:
            despite_interrupts(ledger.flush)
    ledger.finish()


def _recheck(ledger: Ledger, force: Workforce, share: float, control: Control, told: Told) -> None:
    """Have a share of the jobs counted again, and compare."""
    plan = ledger.plan
    number = min(plan.identity.jobs, ceil(share * plan.identity.jobs))
    chosen = SystemRandom().sample(range(plan.identity.jobs), number)
    ways = plan.work.other_ways
    slowly = ceil(number / CHEAPER) if len(ways) > 1 else number
    jobs = {job: Again(int(place >= slowly), ledger.workers[job]) for place, job in enumerate(chosen)}
    watch = _Watch(ledger, control, told, 0, number)
    with closing(force.recount(plan, jobs, watch.control)) as results:  # type: ignore[type-var]
        for result in results:
            _checked(plan, result)
            way = ways[jobs[result.job].way]
            if result.number != ledger.done[result.job]:
                raise VerificationError(
                    f"job {result.job} ({plan.inputs[result.job]}) of model {plan.identity.model!r} gave "
                    f"{ledger.done[result.job]} ({ledger.workers[result.job]}), and {result.number} when it was counted again "
                    f"{way} ({result.worker})"
                )
            ledger.add_recheck(result.job, way, result.worker)
            watch.again += 1


def _checked(plan: Plan, result: Result) -> Result:
    job = result.job
    if checksum(plan.identity.digest, job, plan.inputs[job], result.number) != result.checksum:
        raise VerificationError(f"the result of job {job} that came from {result.worker} does not fit its checksum")
    return result


class _Watch:
    """What is polled while jobs are counted: it reports progress and has results stored when they are due.

    `total` is left out when jobs are counted the first time.
    """

    def __init__(self, ledger: Ledger, outer: Control, told: Told, before: int, total: int | None = None) -> None:
        self.again = 0
        self._ledger, self._told = ledger, told
        self._before, self._total = before, total
        self.control = Control(outer.remaining(), workers=outer.workers, progress=self._report)

    def _report(self, progress: Progress) -> None:
        self._ledger.flush(if_due=True)
        if self._told is None:
            return
        jobs = self._total or self._ledger.plan.identity.jobs
        done = self.again if self._total else len(self._ledger.done)
        rate = (done - self._before) / progress.seconds
        left = (jobs - done) / rate if rate else None
        self._told(JobProgress(self._ledger.found, done / jobs, progress.seconds, done, jobs, rate, left))
