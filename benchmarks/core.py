"""The compiled core against the yardstick (plain recursion in C, gcc -O2, yardstick.c) and against pure.py, in one run.

Run it as ``python benchmarks/core.py``; ``--large`` adds n = 16.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from timing import build_yardstick, cpu_seconds, yardstick

from nqueens_cp import Model, count, queens, solutions
from nqueens_cp.choosing import as_problem
from nqueens_cp.control import Control
from nqueens_cp.core import counting, kernel, pure
from nqueens_cp.core.compile import ConflictForm, DiagonalForm, compile_problem

REPEATS = 5


def ratio(title: str, ours: Callable[[], float], theirs: Callable[[], float], aim: str) -> None:
    """Time both in turn and print the medians and the ratio."""
    pairs = [(ours(), theirs()) for _ in range(REPEATS)]
    first, second = (median(values) for values in zip(*pairs, strict=True))
    print(f"{title:54} {first:9.4f} s {second:9.4f} s   ratio {first / second:7.3f}   ({aim})")


def diagonal(n: int) -> DiagonalForm:
    form = compile_problem(as_problem(n), Control())
    assert isinstance(form, DiagonalForm)
    return form


def fill_all(n: int) -> None:
    """Enumerate into buffers that are overwritten."""
    for _ in kernel.batches(kernel.for_rows(diagonal(n)), Control(), n):
        pass


def keep_all(n: int) -> None:
    """Enumerate and keep every solution, one byte a row."""
    kept = bytearray()
    for batch in kernel.batches(kernel.for_rows(diagonal(n)), Control(), n):
        kept += batch


def amazons(n: int) -> Model:
    model = queens(n)
    queen = model.variables
    for i in range(n - 1):
        model.add(abs(queen[i] - queen[i + 1]) != 2)
    for i in range(n - 2):
        model.add(abs(queen[i] - queen[i + 2]) != 1)
    return model


def wall(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def main() -> None:
    if kernel.load()[0] is None:
        raise SystemExit(f"the kernel is not in use: {kernel.load()[1]}")
    with tempfile.TemporaryDirectory() as folder:
        program = build_yardstick(Path(folder))
        print(f"{'':54} {'ours':>11} {'yardstick':>11}")
        for n in (14, 16) if "--large" in sys.argv else (14,):
            form = diagonal(n)

            def without_symmetry(form: DiagonalForm = form) -> float:
                return cpu_seconds(lambda: kernel.count(kernel.for_rows(form), Control()))

            def with_mirror(form: DiagonalForm = form) -> float:
                return cpu_seconds(lambda: counting.by_backtracking(form, Control()))

            def theirs(n: int = n) -> float:
                return yardstick(program, n)

            ratio(f"count n = {n}, no symmetry", without_symmetry, theirs, "aim 1.2")
            ratio(f"count n = {n}, by backtracking with the mirror", with_mirror, theirs, "aim 0.5")
            ratio(f"all solutions n = {n}, streamed", lambda n=n: cpu_seconds(lambda: fill_all(n)), theirs, "")  # type: ignore[misc]
        ratio(
            "all solutions n = 14, kept",
            lambda: cpu_seconds(lambda: keep_all(14)),
            lambda: yardstick(program, 14),
            "aim 0.86",
        )

    print(f"\n{'':54} {'1 worker':>11} {'2 workers':>11}")
    for n in (14, 15):
        ratio(
            f"count n = {n} by backtracking, wall clock",
            lambda n=n: wall(lambda: counting.by_backtracking(diagonal(n), Control())),  # type: ignore[misc]
            lambda n=n: wall(lambda: counting.by_backtracking(diagonal(n), Control(workers=2))),  # type: ignore[misc]
            "aim 1.85",
        )

    print(f"\n{'':54} {'pure.py':>11} {'compiled':>11}")
    for n in (10, 11, 12):
        form_of = compile_problem(amazons(n).snapshot(), Control())
        assert isinstance(form_of, ConflictForm)

        def slow(form: ConflictForm = form_of) -> float:
            return cpu_seconds(lambda: pure.conflict_count(form, Control()))

        def fast(form: ConflictForm = form_of) -> float:
            return cpu_seconds(lambda: kernel.count(kernel.for_table(form, lexicographic=False), Control()))

        ratio(f"amazons n = {n}, count", slow, fast, "aim 50")

    begun = process_time()
    found = sum(1 for _ in solutions(14, limit=100_000))
    print(f"\nverified Solution objects, n = 14: {found / (process_time() - begun):,.0f} a second (aim 200,000)")
    begun = process_time()
    found = sum(1 for _ in solutions(14, limit=100_000, verify=False))
    print(f"Solution objects, not verified:    {found / (process_time() - begun):,.0f} a second")
    form = diagonal(8)
    times = []
    for _ in range(200):
        search = kernel.for_rows(form)
        times.append(wall(lambda search=search: search.count(1 << 30)))  # type: ignore[misc]
    print(f"kernel, Q(8) without symmetry:     {median(times) * 1e6:.0f} microseconds (aim 50)")
    print(
        f"count(8) with building the model:  {median(wall(lambda: count(8)) for _ in range(200)) * 1e3:.2f} ms (aim 1)"
    )


if __name__ == "__main__":
    main()
