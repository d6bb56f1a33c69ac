"""Start-up in fresh processes: ``import nqueens_cp`` (aim: 0.06 s above Python) and ``nqueens-cp count 8`` (aim: 0.25 s)."""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import nqueens_cp": [sys.executable, "-c", "import nqueens_cp"],
    "import typer": [sys.executable, "-c", "import typer"],
    "nqueens-cp count 8": [sys.executable, "-m", "nqueens_cp", "count", "8"],
}

if __name__ == "__main__":
    for name, command in COMMANDS.items():
        times = []
        for _ in range(11):
            begun = perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times.append(perf_counter() - begun)
        print(f"{name:20} {median(times):.3f} s in all")
