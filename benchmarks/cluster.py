"""Long counts on a cluster: two worker processes against two threads, and a simulation of thousands of workers.

Run it as ``python benchmarks/cluster.py`` (some two minutes; n = 18). ``--large`` compares at n = 19, and measures more jobs of
n = 21 and 22 (some minutes; 2.6 GB). What it prints:

1. The speed of ``cluster="local:2"`` as a share of that of ``workers=2``, start-up excluded, alternating, medians.
2. What a task costs the client and the scheduler, by tasks that do nothing.
3. The lengths of jobs picked at random, and core-hours from them. Beyond 22 rows, which the join's word does not hold, they are
   extrapolated: from a growth over two rows that stays, to one that goes on growing as it did last.
4. A simulation with these lengths and costs: the share of the workers' time in which they count, and how long it takes.
"""

from __future__ import annotations

import heapq
import logging
import random
import sys
from collections.abc import Callable
from statistics import mean, median
from time import perf_counter, process_time
from typing import Any, NamedTuple

from distributed import Client, LocalCluster

from nqueens_cp import count_in_jobs
from nqueens_cp.choosing import as_problem
from nqueens_cp.cluster import sharing
from nqueens_cp.control import Control
from nqueens_cp.core import join
from nqueens_cp.core.compile import DiagonalForm, compile_problem
from nqueens_cp.jobs.work import JoinWork

REPEATS = 5
MUST = 0.9
IDLE_TASKS = 2_000
PICKED = {17: 40, 18: 40, 19: 30, 20: 20, 21: 8, 22: 4}
PICKED_LARGE = PICKED | {20: 40, 21: 40, 22: 24}
WORKERS = (2, 16, 128, 512, 1024, 2048, 4096, 8192)
TABLES_OF_24 = 10
"""How much longer making its tables may take than those of n = 22."""


class Lengths(NamedTuple):
    """CPU seconds of some jobs of a board, of making its tables, and how many jobs there are."""

    seconds: list[float]
    tables: float
    jobs: int

    @property
    def hours(self) -> float:
        return mean(self.seconds) * self.jobs / 3600


def wall(work: Callable[[], Any]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def compare(n: int, client: Any) -> None:
    """Print how fast two worker processes are, as a share of the speed of two threads."""
    ways: dict[str, Callable[[], int]] = {
        "two threads": lambda: count_in_jobs(n, workers=2),
        "two worker processes": lambda: count_in_jobs(n, cluster=client),
    }
    for way in ways.values():
        way()  # makes the tables
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(REPEATS):
        for name, work in ways.items():
            times[name].append(wall(work))
    threads, processes = (median(seconds) for seconds in times.values())
    shares = [one / other for one, other in zip(*times.values(), strict=True)]
    print(
        f"n = {n}: two threads {threads:.2f} s, two worker processes {processes:.2f} s; their speed is "
        f"{median(shares):.2f} of the threads' ({min(shares):.2f} to {max(shares):.2f}; must {MUST})"
    )


def _quiet() -> None:
    """Keep a worker from complaining that the scheduler ends before it does."""
    logging.getLogger("distributed.worker").setLevel(logging.CRITICAL)


def nothing(packed: bytes, number: int) -> list[int]:
    return [number]


def seconds_of_a_task(client: Any, size: int = 1500) -> float:
    """Return the wall seconds that a task costs which does nothing: client, scheduler and worker together."""
    packed = bytes(size)
    begun = perf_counter()
    waiting = [client.submit(nothing, packed, i, pure=False) for i in range(IDLE_TASKS)]
    client.gather(waiting)
    return (perf_counter() - begun) / IDLE_TASKS


def lengths(n: int, picked: int) -> Lengths:
    form = compile_problem(as_problem(n), Control())
    assert isinstance(form, DiagonalForm)
    pieces = JoinWork(form, join.symmetry_of(form)).pieces
    begun = process_time()
    join.prepare(pieces[0], Control())
    tables = process_time() - begun
    seconds = []
    for piece in random.Random(n).sample(pieces, picked):
        begun = process_time()
        join.run(piece)
        seconds.append(process_time() - begun)
    return Lengths(seconds, tables, len(pieces))


def simulate(measured: Lengths, workers: int, task_seconds: float) -> tuple[float, float]:
    """Return the wall seconds of a count by so many workers and the share of their time in which they count.

    Each worker has one thread and first makes the tables. Tasks are cut as sharing.py cuts them. Sending a task costs
    `task_seconds`, in which nothing else is sent: client and scheduler are one queue.
    """
    chance = random.Random(workers)
    left, average = measured.jobs, mean(measured.seconds)
    free = [measured.tables] * workers  # when each worker has nothing more to do
    heapq.heapify(free)
    sent, busy, ends = 0.0, 0.0, []
    on_their_way: list[float] = []  # when tasks are done
    while left:
        if len(on_their_way) >= sharing.tasks_on_their_way(workers, average):
            sent = max(sent, on_their_way[0])  # one must come back first
        while on_their_way and on_their_way[0] <= sent:
            heapq.heappop(on_their_way)
        size = sharing.items_of_a_task(left, workers, average)
        left -= size
        took = sum(chance.choices(measured.seconds, k=size))
        sent += task_seconds
        begun = max(sent, heapq.heappop(free))
        busy += took
        ends.append(begun + took)
        heapq.heappush(free, begun + took)
        heapq.heappush(on_their_way, begun + took)
    return max(ends), busy / (workers * max(ends))


def forecast(hours: dict[int, float]) -> float:
    """Print core-hours, measured and extrapolated; return the lower ones of n = 24."""
    for n in sorted(hours):
        print(f"n = {n}: {hours[n]:.4g} core-hours (from jobs picked at random)")
    for n in (23, 24):
        growth, earlier = hours[n - 2] / hours[n - 4], hours[n - 4] / hours[n - 6]
        low, high = hours[n - 2] * growth, hours[n - 2] * growth * growth / earlier
        print(
            f"n = {n}: {low:.0f} to {high:.0f} core-hours, if the join took it (over two rows the work grew by a factor of "
            f"{earlier:.0f}, then of {growth:.0f})"
        )
    return low


def main() -> None:
    large = "--large" in sys.argv
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1") as processes,
        Client(processes) as client,
    ):
        client.run(_quiet)
        compare(19 if large else 18, client)
        task_seconds = median(seconds_of_a_task(client) for _ in range(3))
    print(f"a task that does nothing costs {1000 * task_seconds:.2f} ms of client, scheduler and worker together")
    measured = {n: lengths(n, picked) for n, picked in (PICKED_LARGE if large else PICKED).items()}
    for n, some in measured.items():
        low, high = min(some.seconds), max(some.seconds)
        print(
            f"n = {n}: {some.jobs} jobs of {low:.3f} to {high:.3f}, on average {mean(some.seconds):.3f} CPU s; "
            f"tables {some.tables:.2f} s"
        )
    hours = forecast({n: some.hours for n, some in measured.items()})
    largest = measured[22]
    jobs = int(3600 * hours / mean(largest.seconds))
    measured[24] = Lengths(largest.seconds, TABLES_OF_24 * largest.tables, jobs)
    print("simulated: wall seconds, and in brackets the share of the workers' time in which they count")
    print(f"(n = 24: as many jobs of the lengths of n = 22 as make {hours:.0f} core-hours)")
    sizes = (20, 21, 22, 24)
    print(f"{'workers':>8}" + "".join(f"{f'n = {n}':>18}" for n in sizes))
    for workers in WORKERS:
        runs = [simulate(measured[n], workers, task_seconds) for n in sizes]
        print(f"{workers:>8}" + "".join(f"{f'{seconds:.1f} ({share:.2f})':>18}" for seconds, share in runs))


if __name__ == "__main__":
    main()
