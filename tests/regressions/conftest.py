"""What the regression tests share: plainly written boards, and a look at threads and processes."""

from __future__ import annotations

import gc
import itertools
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_cp import Model, all_different, forbidden_assignments, predicate
from nqueens_cp.backends import EXTRAS, backend_names


@pytest.fixture(
    scope="session",
    params=[name for name in backend_names() if name not in EXTRAS or os.environ.get("NQUEENS_CP_SLOW")],
)
def backend(request: pytest.FixtureRequest) -> str:
    """The backends that come along; the extras, which the contract suite holds to the same, only with NQUEENS_CP_SLOW=1."""
    return request.param


@pytest.fixture(params=("cp-sat", "python-constraint", "auto"))
def general_backend(request: pytest.FixtureRequest) -> str:
    """The backends that take constraints on three and more variables (the core need not), and the choice among them."""
    return request.param


def _offsets(model: Model, queen) -> None:
    n = len(queen)
    model.add(all_different(queen))
    model.add(all_different(queen[i] + i for i in range(n)))
    model.add(all_different(queen[i] - i for i in range(n)))


def _shifted_offsets(model: Model, queen) -> None:
    n = len(queen)
    model.add(all_different(column + 7 for column in queen))
    model.add(all_different([n - i - queen[i] for i in reversed(range(n))]))
    model.add(all_different([-(i - queen[i]) - 3 for i in range(n)]))


def _pairwise(model: Model, queen) -> None:
    for i, j in itertools.combinations(range(len(queen)), 2):
        model.add(queen[i] != queen[j])
        model.add(abs(queen[i] - queen[j]) != j - i)


def _function(model: Model, queen) -> None:
    for i, j in itertools.combinations(range(len(queen)), 2):
        model.add(predicate(lambda a, b, d=j - i: a != b and abs(a - b) != d, [queen[i], queen[j]]))


def _table(model: Model, queen) -> None:
    n = len(queen)
    for i, j in itertools.combinations(range(n), 2):
        attacks = [(a, b) for a in range(n) for b in range(n) if abs(a - b) in (0, j - i)]
        model.add(forbidden_assignments([queen[i], queen[j]], attacks))


FORMULATIONS = {
    "offsets": _offsets,
    "shifted": _shifted_offsets,
    "pairwise": _pairwise,
    "function": _function,
    "table": _table,
}


@pytest.fixture(params=FORMULATIONS)
def formulation(request: pytest.FixtureRequest) -> str:
    """Every way of stating the board that is written down here."""
    return request.param


@pytest.fixture
def board() -> Callable:
    """A function (n, formulation) -> (model, queen): the classic board, stated here rather than by `queens`."""

    def build(n: int, formulation: str = "offsets"):
        model = Model(f"{formulation}-{n}")
        queen = model.int_vars("queen", n, domain=range(n))
        FORMULATIONS[formulation](model, queen)
        return model, queen

    return build


@pytest.fixture
def model() -> Model:
    """An empty model."""
    return Model("small")


@pytest.fixture
def xyz(model: Model):
    """Three variables of `model` with the values 0 to 3."""
    return tuple(model.int_var(name, range(4)) for name in "xyz")


@pytest.fixture
def endless(board: Callable) -> Model:
    """19 queens: 4968057848 solutions (A000170), the first of them at once and the last one never."""
    return board(19)[0]


@pytest.fixture
def hopeless() -> Model:
    """20 queens on the torus: no solution (A051906), and no backend finds that out within minutes."""
    model = Model("torus-20")
    queen = model.int_vars("queen", 20, domain=range(20))
    model.add(all_different(queen))
    model.add(all_different((queen[i] + i) % 20 for i in range(20)))
    model.add(all_different((queen[i] - i) % 20 for i in range(20)))
    return model


@pytest.fixture
def rows_of() -> Callable:
    """A function from solutions to the list of their values, each a tuple in the order of the given variables."""

    def read(found, variables) -> list[tuple[int, ...]]:
        return [tuple(solution[variable] for variable in variables) for solution in found]

    return read


@pytest.fixture
def stopwatch() -> Callable[[], float]:
    """A function that tells the seconds since the test began."""
    start = time.monotonic()
    return lambda: time.monotonic() - start


def _running() -> dict[str, int]:
    """The number of Python threads, of the system's threads and of child processes of this process."""
    tasks = list(Path("/proc/self/task").iterdir()) if os.path.isdir("/proc/self/task") else []
    children = set()
    for task in tasks:
        try:
            children.update((task / "children").read_text().split())
        except OSError:  # a thread that has ended since, or a kernel that does not tell
            continue
    return {"threads": threading.active_count(), "system threads": len(tasks), "processes": len(children)}


@pytest.fixture
def nothing_left_running() -> Callable[[dict[str, int]], None]:
    """A function that waits, at most five seconds, until no more threads and processes run than are given."""

    def check(before: dict[str, int]) -> None:
        gc.collect()
        deadline = time.monotonic() + 5
        while True:
            now = _running()
            extra = {kind: (before[kind], now[kind]) for kind in now if now[kind] > before[kind]}
            if not extra:
                return
            assert time.monotonic() < deadline, f"still running (before, after): {extra}"
            time.sleep(0.05)

    return check


@pytest.fixture
def running() -> Callable[[], dict[str, int]]:
    """A function that counts threads and child processes."""
    return _running
