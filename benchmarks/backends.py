"""All solutions of Q(n), one thread: each backend against the raw formulations of its own solver, as ratios in one run.

Run it as ``python benchmarks/backends.py``; it takes some minutes. ``--quick`` stops at n = 10.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import raw
from timing import compared

from nqueens_cp import count

PUBLISHED = {8: 92, 10: 724, 12: 14200}  # OEIS A000170


def checked(n: int, work: Callable[[], int]) -> Callable[[], None]:
    """Return `work` with a look at its answer."""

    def run() -> None:
        found = work()
        if found != PUBLISHED[n]:
            raise SystemExit(f"n = {n}: {found} solutions instead of {PUBLISHED[n]}")

    return run


def main() -> None:
    sizes = (8, 10) if "--quick" in sys.argv else (8, 10, 12)
    for backend in ("core", "cp-sat", "python-constraint"):
        count(4, backend=backend)  # imports are not measured
    for n in sizes:
        works: dict[str, Callable[[], int]] = {
            "core: plainest recursion in Python": lambda n=n: raw.recursion(n),  # type: ignore[misc]
            "core": lambda n=n: count(n, backend="core"),  # type: ignore[misc]
            "cp-sat: affine, defaults": lambda n=n: raw.cp_sat(n, "affine", tuned=False),  # type: ignore[misc]
            "cp-sat: auxiliary, fixed search": lambda n=n: raw.cp_sat(n, "auxiliary", tuned=False),  # type: ignore[misc]
            "cp-sat: affine, tuned": lambda n=n: raw.cp_sat(n, "affine", tuned=True),  # type: ignore[misc]
            "cp-sat: boolean, tuned": lambda n=n: raw.cp_sat(n, "boolean", tuned=True),  # type: ignore[misc]
            "cp-sat": lambda n=n: count(n, backend="cp-sat"),  # type: ignore[misc]
            "python-constraint: pair functions": lambda n=n: raw.pairwise_functions(n),  # type: ignore[misc]
            "python-constraint: pair functions, default": lambda n=n: raw.pairwise_functions(  # type: ignore[misc]
                n, "OptimizedBacktrackingSolver"
            ),
            "python-constraint: sets of lines": lambda n=n: raw.line_sets(n),  # type: ignore[misc]
            "python-constraint": lambda n=n: count(n, backend="python-constraint"),  # type: ignore[misc]
        }
        repeats = 9 if n == 8 else 5 if n == 10 else 3
        for group, yardstick in (
            ("core", "core: plainest recursion in Python"),
            ("cp-sat", "cp-sat: boolean, tuned"),
            ("python-constraint", "python-constraint: sets of lines"),
        ):
            chosen = {name: checked(n, work) for name, work in works.items() if name.split(":")[0] == group}
            compared(f"Q({n}), {group}", chosen, yardstick, repeats)


if __name__ == "__main__":
    main()
