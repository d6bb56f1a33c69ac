"""A process that searches until it is interrupted; test_interrupts.py runs it and sends it SIGINT.

usage: interrupted_search.py BACKEND warm|cold, then the name of a request on each line of standard input. For each it writes
"started", some also "found" when there is a first result, and when the request has ended, one line of JSON: "raised" (the
exception's class), "partial" and whatever else.
"""

from __future__ import annotations

import json
import signal
import sys
import time

from nqueens_cp import Model, Progress, SearchInterrupted, all_different, count, predicate, solutions, solve


def torus(n: int) -> Model:
    """Return n queens on the torus, without a solution where n is even, which takes for ever to find out."""
    model = Model("torus")
    queen = model.int_vars("queen", n, domain=range(n))
    model.add(all_different(queen))
    model.add(all_different((queen[i] + i) % n for i in range(n)))
    model.add(all_different((queen[i] - i) % n for i in range(n)))
    return model


def slow(a: int, b: int) -> bool:
    """Take 50 ms."""
    time.sleep(0.05)
    return a < b


def slow_predicate() -> Model:
    """Return a model that takes 500 s to translate."""
    model = Model("slow")
    model.add(predicate(slow, model.int_vars("v", 2, domain=range(100))))
    return model


def ask_solve(backend: str, told: dict) -> None:
    solve(torus(20), backend=backend)


def ask_count(backend: str, told: dict) -> None:
    count(19, backend=backend)


def ask_count_with_workers(backend: str, told: dict) -> None:
    count(19, backend=backend, workers=2)


def ask_count_slow_predicate(backend: str, told: dict) -> None:
    count(slow_predicate(), backend=backend)


def ask_barren_solutions(backend: str, told: dict) -> None:
    """Wait for a first solution that never comes: the signal arrives inside of the iterator."""
    found = solutions(torus(20), backend=backend)
    try:
        next(found)
    finally:
        told["status"] = getattr(found.status, "name", None)
        told["found"] = found.found


def ask_count_some(backend: str, told: dict) -> None:
    said = []

    def report(progress: Progress) -> None:
        if progress.found and not said:
            said.append(progress.found)
            print("found", flush=True)

    count(19, backend=backend, progress=report)


def ask_solutions(backend: str, told: dict) -> None:
    """Take solutions as fast as they come: the signal may also arrive between two of them."""
    take_solutions(backend, told, "")


def ask_some_solutions(backend: str, told: dict) -> None:
    take_solutions(backend, told, "found\n")


def take_solutions(backend: str, told: dict, word: str) -> None:
    kept: list[list[int]] = []
    told.update(found=0, kept=0, distinct=0)
    found = solutions(19, backend=backend)
    try:
        kept.append(next(found)["queen"])
        print(word, end="", flush=True)
        while True:
            kept.append(next(found)["queen"])
    finally:
        told["status"] = getattr(found.status, "name", None)
        told["found"] = found.found
        told["kept"] = len(kept)
        told["distinct"] = len(set(map(tuple, kept)))


def ask_loop_of_solves(backend: str, told: dict) -> None:
    """Solve one model after another; only the interruption may end that."""
    told["solved"] = 0
    for i in range(100_000):
        assert solve(8, backend=backend)
        told["solved"] += 1
        if i == 0:
            print("found", flush=True)


def ask_loop_of_counts(backend: str, told: dict) -> None:
    """Count one model after another; a count that was cut short must not be taken for a whole one."""
    told["solved"] = 0
    for i in range(100_000):
        assert count(7, backend=backend) == 40
        told["solved"] += 1
        if i == 0:
            print("found", flush=True)


def main() -> None:
    backend, begin = sys.argv[1:]
    if begin == "warm":
        assert count(4, backend=backend) == 2  # so that imports are not what is interrupted
    for line in sys.stdin:
        told: dict = {"raised": None}
        handler = signal.getsignal(signal.SIGINT)
        try:
            print("started", flush=True)
            globals()["ask_" + line.strip()](backend, told)
        except KeyboardInterrupt as interrupt:
            told["raised"] = type(interrupt).__name__
            if isinstance(interrupt, SearchInterrupted):
                told["partial"] = interrupt.partial if isinstance(interrupt.partial, int) else repr(interrupt.partial)
        told["handler kept"] = signal.getsignal(signal.SIGINT) is handler
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
