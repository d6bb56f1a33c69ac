"""All solutions of n queens with other tools, stated plainly and with their defaults: CPU seconds from nothing to the last.

Each runs in a fresh process, so that its start, imports and translation count; the solutions are read, not only counted.
Needs cpmpy, pycsp3 (with Java) and the program minizinc. Run it as ``python benchmarks/other_tools.py [N]``.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from statistics import median

from timing import finished

REPEATS = 3
PROGRAMS = {
    "nqueens-cp, core": """
from nqueens_cp import solutions
print(len([solution["queen"] for solution in solutions(N, backend="core")]))
""",
    "nqueens-cp, cp-sat": """
from nqueens_cp import solutions
print(len([solution["queen"] for solution in solutions(N, backend="cp-sat")]))
""",
    "CPMpy, OR-Tools": """
import cpmpy
queens = cpmpy.intvar(0, N - 1, shape=N)
rows = cpmpy.cpm_array(range(N))
model = cpmpy.Model(
    cpmpy.AllDifferent(queens), cpmpy.AllDifferent(queens + rows), cpmpy.AllDifferent(queens - rows)
)
found = []
model.solveAll(solver="ortools", display=lambda: found.append(list(queens.value())))
print(len(found))
""",
    "PyCSP3, ACE": """
from pycsp3 import ALL, AllDifferent, VarArray, satisfy, solve, values
q = VarArray(size=N, dom=range(N))
satisfy(AllDifferent(q), AllDifferent(q[i] + i for i in range(N)), AllDifferent(q[i] - i for i in range(N)))
solve(sols=ALL)
found = [values(q, sol=i) for i in range(len(q[0].values))]  # n_solutions() of 2.6.1 reads ACE's "2,680" as 680
print(len(found))
""",
    "python-constraint": """
from constraint import Problem
problem = Problem()
problem.addVariables(range(N), range(N))
for first in range(N):
    for second in range(first + 1, N):
        problem.addConstraint(
            lambda a, b, d=second - first: a != b and abs(a - b) != d, (first, second)
        )
print(len(problem.getSolutions()))
""",
}
MINIZINC = """
include "all_different.mzn";
int: n = N;
array [1..n] of var 1..n: q;
constraint all_different(q);
constraint all_different([q[i] + i | i in 1..n]);
constraint all_different([q[i] - i | i in 1..n]);
solve satisfy;
output [show(q), "\\n"];
"""


def commands(n: str, folder: Path) -> dict[str, list[str | Path]]:
    """Return the command for each tool."""
    made: dict[str, list[str | Path]] = {}
    for place, (name, text) in enumerate(PROGRAMS.items()):
        file = folder / f"program{place}.py"
        file.write_text(f"N = {n}\n{text}")
        made[name] = [sys.executable, file]
    (folder / "queens.mzn").write_text(MINIZINC.replace("= N;", f"= {n};"))
    made["MiniZinc, Gecode"] = ["minizinc", "--solver", "gecode", "-a", folder / "queens.mzn"]
    return made


def main() -> None:
    n = sys.argv[1] if len(sys.argv) > 1 else "12"
    with tempfile.TemporaryDirectory() as folder:
        made = commands(n, Path(folder))
        times: dict[str, list[float]] = {name: [] for name in made}
        found = {}
        with chdir(folder):  # PyCSP3 leaves files where it runs
            for _ in range(REPEATS):
                for name, command in made.items():
                    seconds, printed = finished(command)
                    times[name].append(seconds)
                    found[name] = printed.count("----------") or int(printed.split()[-1])
    for name, taken in times.items():
        print(f"{name:20} {found[name]:8} solutions  {median(taken):7.2f} CPU s")


if __name__ == "__main__":
    main()
