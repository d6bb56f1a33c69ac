"""Building Q(1000): as a Model against the CP-SAT API, no translation, no search. At most twice is the aim."""

from __future__ import annotations

from ortools.sat.python import cp_model
from timing import compared

from nqueens_cp import queens

N = 1000


def with_cp_sat() -> None:
    model = cp_model.CpModel()
    queen = [model.new_int_var(0, N - 1, f"queen[{i}]") for i in range(N)]
    model.add_all_different(queen)
    model.add_all_different(queen[i] + i for i in range(N))
    model.add_all_different(queen[i] - i for i in range(N))


if __name__ == "__main__":
    compared(f"building Q({N})", {"CP-SAT API": with_cp_sat, "Model": lambda: queens(N)}, "CP-SAT API", repeats=21)
