"""Why the marked board beats the position array: seconds, instructions and mispredicted branches of both, in C.

Run it as ``python benchmarks/classics.py [N]``. Instructions and branches are counted by valgrind, on n = 10, where it is
installed; it simulates a simple branch predictor.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which
from statistics import median

from timing import built, child_seconds

REPEATS = 9
COUNTED = "10"


def counted(program: Path, which_one: str) -> str:
    """Return the instructions and the mispredicted branches of a program, as valgrind counts them."""
    options = ["--tool=callgrind", "--branch-sim=yes", "--callgrind-out-file=/dev/null"]
    ran = subprocess.run(
        ["valgrind", *options, program, which_one, COUNTED], capture_output=True, text=True, check=True
    )
    instructions, mispredicted = re.findall(r"(?:Collected|Mispredicts) *: *([\d,]+)", ran.stderr)
    return f"{int(instructions):,} instructions, {mispredicted} mispredicted branches on n = {COUNTED}"


def main() -> None:
    n = sys.argv[1] if len(sys.argv) > 1 else "13"
    with tempfile.TemporaryDirectory() as folder:
        for level in ("-O0", "-O2"):
            program = built("classics", Path(folder), level)
            times: dict[str, list[float]] = {"position": [], "marked": []}
            for _ in range(REPEATS):
                for which_one, seconds in times.items():
                    seconds.append(child_seconds([program, which_one, n]))
            medians = {which_one: median(seconds) for which_one, seconds in times.items()}
            for which_one, middle in medians.items():
                told = f"; {counted(program, which_one)}" if which("valgrind") else ""
                print(f"gcc {level}, {which_one:8} n = {n}: {middle:.3f} s{told}")
            print(f"gcc {level}: the position array takes {medians['position'] / medians['marked']:.2f} times as long")


if __name__ == "__main__":
    main()
