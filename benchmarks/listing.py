"""Listing all solutions into files against writing the same bytes with NumPy, in one run.

Run it as ``python benchmarks/listing.py``; it writes into a temporary folder, or into the folder that is given. Ratios to
np.save depend on the disk. The aims are at most 3 times np.save for .npy, and 1.5 million lines a second for text.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from timing import compared, cpu_seconds

from nqueens_cp.choosing import as_problem
from nqueens_cp.control import Control
from nqueens_cp.core import kernel
from nqueens_cp.core.compile import DiagonalForm, compile_problem
from nqueens_cp.large import random_placements
from nqueens_cp.listing.batches import to_numpy
from nqueens_cp.listing.files import write_solutions

REPEATS = 5


def diagonal(n: int) -> DiagonalForm:
    form = compile_problem(as_problem(n), Control())
    assert isinstance(form, DiagonalForm)
    return form


def search(n: int) -> None:
    """Find all solutions, into a buffer that is overwritten."""
    for _ in kernel.batches(kernel.for_rows(diagonal(n)), Control(), n):
        pass


def search_and_save(n: int, path: Path) -> None:
    """Find all solutions and write them as they come, nothing else."""
    with path.open("wb") as file:
        for batch in kernel.batches(kernel.for_rows(diagonal(n)), Control(), n):
            file.write(batch)


def save(array: np.ndarray, path: Path) -> None:
    np.save(path, array)


def tofile(array: np.ndarray, path: Path) -> None:
    array.tofile(path)


def fill_rate(n: int) -> None:
    seconds = min(cpu_seconds(partial(search, n)) for _ in range(REPEATS))
    print(f"search alone, Q({n}): {len(to_numpy(n)) / seconds / 1e6:.2f} million solutions a CPU second at best")


def array_file(n: int, folder: Path) -> None:
    rows, ours, theirs = to_numpy(n), folder / "ours.npy", folder / "theirs.npy"
    works: dict[str, Callable[[], object]] = {
        "np.save of the same array": partial(save, rows, theirs),
        "write_solutions": partial(write_solutions, n, ours),
        "write_solutions, not verified": partial(write_solutions, n, ours, verify=False),
        "search and write, nothing else": partial(search_and_save, n, folder / "bare"),
        "search alone": partial(search, n),
    }
    compared(f"Q({n}) as .npy, {len(rows):,} solutions, CPU", works, "np.save of the same array", REPEATS)
    assert ours.read_bytes()[-rows.nbytes :] == rows.tobytes()


def text_file(n: int, ending: str, folder: Path) -> None:
    ours = folder / f"ours{ending}"
    write_solutions(n, ours)
    count = len(to_numpy(n))
    content = np.frombuffer(ours.read_bytes(), dtype=np.uint8)
    medians = compared(
        f"Q({n}) as {ending}, {count:,} lines, CPU",
        {
            "tofile of the same bytes": partial(tofile, content, folder / "theirs"),
            "write_solutions": partial(write_solutions, n, ours),
            "write_solutions, not verified": partial(write_solutions, n, ours, verify=False),
        },
        "tofile of the same bytes",
        REPEATS,
    )
    for name in ("write_solutions", "write_solutions, not verified"):
        print(f"  {name:46} {count / medians[name] / 1e6:9.2f} million lines a second")


def format_rate(n: int) -> None:
    rows = to_numpy(n)
    seconds = min(cpu_seconds(partial(kernel.format_lines, rows.data, n, b" ")) for _ in range(REPEATS))
    print(f"\nformat_lines alone, Q({n}): {len(rows) / seconds / 1e6:.1f} million lines a CPU second at best")


def large_boards() -> None:
    print("\none random board by local search, CPU seconds, not verified")
    for n in (1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        boards = random_placements(n, verify=False)
        times = [cpu_seconds(partial(next, boards)) for _ in range(REPEATS if n < 10_000_000 else 1)]
        print(f"  n = {n:>10,} {min(times):9.4f} at best, {max(times):9.4f} at worst")


def main() -> None:
    if kernel.load()[0] is None:
        raise SystemExit(f"the kernel is not in use: {kernel.load()[1]}")
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        folder = Path(name)
        fill_rate(14)
        fill_rate(15)
        array_file(15, folder)
        for ending in (".lines", ".csv", ".jsonl"):
            text_file(14, ending, folder)
        format_rate(14)
        large_boards()


if __name__ == "__main__":
    main()
