"""Counting by joining half boards against the yardstick (plain recursion in C, gcc -O2, yardstick.c), in one run.

Run it as ``python benchmarks/join.py`` (n = 14 to 17, about a minute). ``--large`` goes on to n = 20 (about five minutes more);
that is too far for the yardstick, so that ratios are to the join's own n = 16.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import perf_counter

from timing import build_yardstick, cpu_seconds, yardstick

from nqueens_cp.choosing import as_problem
from nqueens_cp.control import Control
from nqueens_cp.core import join
from nqueens_cp.core.compile import DiagonalForm, compile_problem

REPEATS = 5
MUST = {14: 12, 15: 25, 16: 63, 17: 50}  # times the yardstick
MUST_TO_SIXTEEN = {18: 29, 19: 222}  # times the join's own n = 16


def diagonal(n: int) -> DiagonalForm:
    form = compile_problem(as_problem(n), Control())
    assert isinstance(form, DiagonalForm)
    return form


def joined(n: int, width: str, workers: int = 1) -> None:
    join.count(diagonal(n), Control(workers=workers), vectors=width)


def two_at_once(program: Path) -> float:
    """Return how much faster two yardsticks are side by side than one after the other: what two threads can gain here."""
    times = []
    for together in (1, 2):
        begun = perf_counter()
        for process in [subprocess.Popen([program, "14"], stdout=subprocess.DEVNULL) for _ in range(together)]:
            process.wait()
        times.append(perf_counter() - begun)
    return 2 * times[0] / times[1]


def wall(n: int, workers: int) -> float:
    begun = perf_counter()
    joined(n, join.vectors(), workers)
    return perf_counter() - begun


def main() -> None:
    large = "--large" in sys.argv
    widths = join.available_vectors()
    with tempfile.TemporaryDirectory() as folder:
        program = build_yardstick(Path(folder))
        print(
            f"CPU seconds, one thread; in brackets how many times faster than the yardstick\n{'n':>3} {'yardstick':>10}",
            end="",
        )
        print("".join(f"{width:>22}" for width in widths))
        sixteen = 0.0
        for n in (14, 15, 16):
            rounds = [
                (yardstick(program, n), *(cpu_seconds(lambda w=w, n=n: joined(n, w)) for w in widths))  # type: ignore[misc]
                for _ in range(REPEATS)
            ]
            theirs, *ours = (median(times) for times in zip(*rounds, strict=True))
            print(
                f"{n:>3} {theirs:10.3f}" + "".join(f"{f'{own:.4f} ({theirs / own:.0f})':>22}" for own in ours), end=""
            )
            print(f"   must: {MUST[n]} times with avx512")
            sixteen = ours[0]
        capacity = median(two_at_once(program) for _ in range(REPEATS))
        if large:
            theirs, own = yardstick(program, 17), cpu_seconds(lambda: joined(17, widths[0]))
            print(f" 17 {theirs:10.3f}{f'{own:.4f} ({theirs / own:.0f})':>22}   must: {MUST[17]} times with avx512")
    for n in (17, 18, 19) if large else (17,):
        begun, own = perf_counter(), cpu_seconds(lambda n=n: joined(n, widths[0]))  # type: ignore[misc]
        must = f", must: {MUST_TO_SIXTEEN[n]}" if n in MUST_TO_SIXTEEN else ""
        took = perf_counter() - begun
        print(f"{n:>3} {own:.2f} CPU s with {widths[0]}, {own / sixteen:.0f} times n = 16{must}; {took:.2f} s wall")
    for n in (17, 18) if large else (17,):
        pairs = [(wall(n, 1), wall(n, 2)) for _ in range(REPEATS)]
        one, two = (median(times) for times in zip(*pairs, strict=True))
        print(
            f"{n:>3} wall seconds with 1 and 2 workers: {one:.3f} {two:.3f}, ratio {one / two:.2f} (aim 1.85;", end=" "
        )
        print(f"two processes of the yardstick gain {capacity:.2f} on this machine)")
    if large:
        print(f" 20 {wall(20, 2):.0f} s wall with 2 workers (must 160)")
    print(f"memory at most {getrusage(RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
