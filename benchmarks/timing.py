"""Fair timing for the scripts in this folder: alternating runs, medians, and ratios within one run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
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


def build_yardstick(folder: Path) -> Path:
    """Compile yardstick.c, plain recursion in C, into `folder`; return the program."""
    return built("yardstick", folder, "-O2")


def built(name: str, folder: Path, level: str) -> Path:
    """Compile a C file beside this one into `folder`; return the program."""
    program = folder / f"{name}{level}"
    subprocess.run(["gcc", level, Path(__file__).with_name(f"{name}.c"), "-o", program], check=True)
    return program


def yardstick(program: Path, n: int) -> float:
    """Return the CPU seconds of the yardstick."""
    return child_seconds([program, str(n)])


def child_seconds(command: list[Path | str]) -> float:
    """Return the CPU seconds of a program."""
    return finished(command)[0]


def finished(command: list[Path | str]) -> tuple[float, str]:
    """Run a program; return its CPU seconds, with those of its own children, and what it printed."""
    before = getrusage(RUSAGE_CHILDREN)
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ran.stdout
