"""Fair timing for the scripts in this folder: alternating runs, medians, and ratios within one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import process_time


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one call, all threads of this process together."""
    begun = process_time()
    work()
    return process_time() - begun


def compared(
    title: str, works: Mapping[str, Callable[[], object]], yardstick: str, repeats: int = 3
) -> dict[str, float]:
    """Time `works` in turn, `repeats` times, print medians and ratios to `yardstick`, and return the medians."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(cpu_seconds(work))
    medians = {name: median(values) for name, values in times.items()}
    print(f"\n{title}")
    for name, seconds in medians.items():
        print(f"  {name:46} {seconds:9.4f} s   {seconds / medians[yardstick]:7.2f} of {yardstick}")
    return medians
