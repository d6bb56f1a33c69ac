"""Region puzzles: boards a second of a batch, reading and writing included, and the time for one board.

Run it as ``python benchmarks/puzzles.py [BOARDS.jsonl]``: JSON, a board a line. Without a file, boards of random regions are
made. The aim is at least 500 boards a second on two processors, and 500 for each second of CPU with grades.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from nqueens_cp.control import Control
from nqueens_cp.puzzles.batch import Wanted, answers
from nqueens_cp.puzzles.maker import puzzle
from nqueens_cp.puzzles.quick import first_two
from nqueens_cp.puzzles.reading import read_file
from nqueens_cp.puzzles.writing import as_json

AIM = 500  # boards a second
REPEATED = 50
REPEATED_GRADED = 10
WORKERS = 2
SIZES = (7, 8, 8, 9, 9, 10, 11, 11)


def random_regions(n: int, seed: int) -> list[list[int]]:
    """Return connected regions, grown at random from random cells."""
    choose = random.Random(seed)
    grid = [[-1] * n for _ in range(n)]
    growing = choose.sample([(row, column) for row in range(n) for column in range(n)], n)
    for region, (row, column) in enumerate(growing):
        grid[row][column] = region
    while growing:
        row, column = growing[choose.randrange(len(growing))]
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        free = [(r, c) for r, c in around if 0 <= r < n and 0 <= c < n and grid[r][c] < 0]
        if not free:
            growing.remove((row, column))
            continue
        r, c = choose.choice(free)
        grid[r][c] = grid[row][column]
        growing.append((r, c))
    return grid


def batch(boards: Path, workers: int, *, graded: bool) -> None:
    """Answer all boards of a file into another."""
    with boards.open("rb") as source, tempfile.TemporaryFile() as target:
        begun, cpu = perf_counter(), process_time()
        number = 0
        for piece in answers(source, Wanted(boards.name, graded=graded), workers, Control()):
            target.write(piece.text)
            number += piece.statuses.total()
        seconds, cpu = perf_counter() - begun, process_time() - cpu
    rate = number / seconds
    print(
        f"batch{' with grades' if graded else ''}, processes: {workers}, {number} boards in {seconds:.2f} s, "
        f"{rate:.0f} a second, {rate / AIM:.1f} x the aim"
        + (f"; {number / cpu:.0f} a second of CPU" if workers == 1 else "")
    )


def one_by_one(boards: Path) -> None:
    """Time the first two solutions of each board."""
    times = defaultdict(list)
    for board in read_file(boards):
        begun = process_time()
        first_two(board.grid, board.stars)
        times[board.stars, board.size].append(1000 * (process_time() - begun))
    for (stars, size), found in sorted(times.items()):
        print(
            f"first two, stars={stars}, n={size}: {len(found)} boards, median {median(found):.2f} ms of CPU, "
            f"at most {max(found):.2f} ms"
        )


def explaining(boards: Path) -> None:
    """Time the explanation of each board that has one solution."""
    times, solved = [], 0
    for board in read_file(boards):
        if board.is_unique():
            begun = process_time()
            solved += board.explain().solved
            times.append(1000 * (process_time() - begun))
    if times:
        print(
            f"explained: {solved} of {len(times)} boards with one solution, median {median(times):.2f} ms of CPU, "
            f"at most {max(times):.0f} ms"
        )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            boards = Path(sys.argv[1])
        else:
            boards = Path(folder) / "random.jsonl"
            made = (puzzle(random_regions(n, seed)) for seed in range(20) for n in SIZES)
            boards.write_text("".join(f"{as_json(board)}\n" for board in made))
        one_by_one(boards)
        many = Path(folder) / "many.jsonl"
        many.write_bytes(boards.read_bytes() * REPEATED)
        for workers in (1, WORKERS):
            batch(many, workers, graded=False)
        many.write_bytes(boards.read_bytes() * REPEATED_GRADED)
        for workers in (1, WORKERS):
            batch(many, workers, graded=True)
        explaining(boards)


if __name__ == "__main__":
    main()
