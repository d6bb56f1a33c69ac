"""Making region puzzles: CPU seconds for a board of each size, as ratios to one that is only solved, and the difficulties made.

Run it as ``python benchmarks/making.py [BOARDS]``; BOARDS seeds for each size, 20 if it is left out. The aim is a median
under 2 s for size 12.
"""

from __future__ import annotations

import sys
from collections import Counter
from statistics import median
from time import process_time

from timing import cpu_seconds

from nqueens_cp.puzzles.grading import grade
from nqueens_cp.puzzles.making import make
from nqueens_cp.puzzles.quick import first_two

BOARDS = 20
SIZES = ((8, 1), (10, 1), (12, 1), (15, 1), (20, 1), (8, 2), (10, 2))  # rows, and queens in each
REPEATED = 20  # one board is solved so often, and its time is a mean


def solved(size: int) -> float:
    """Return the CPU seconds in which the kernel finds out that a board has one solution: the yardstick."""
    grid, solution = make(size)

    def work() -> None:
        for _ in range(REPEATED):
            assert first_two(grid) == [solution]

    work()
    return cpu_seconds(work) / REPEATED


def making(boards: int) -> None:
    """Make boards of each size, and print the medians and the longest times."""
    yardstick = solved(12)
    print(f"yardstick: a board of size 12 is solved in {1000 * yardstick:.3f} ms")
    print(f"{'size':>6} {'stars':>6} {'median':>10} {'longest':>10} {'of yardstick':>14}   difficulties")
    for size, stars in SIZES:
        times, grades = [], Counter[str]()
        for seed in range(boards):
            begun = process_time()
            grid, _ = make(size, seed=seed, stars=stars)
            times.append(process_time() - begun)
            grades[grade(grid, stars).difficulty] += 1
        print(
            f"{size:6} {stars:6} {median(times):8.4f} s {max(times):8.4f} s {median(times) / yardstick:14.0f}   "
            + ", ".join(f"{word} {number}" for word, number in grades.most_common()),
            flush=True,
        )


if __name__ == "__main__":
    making(int(sys.argv[1]) if len(sys.argv) > 1 else BOARDS)
