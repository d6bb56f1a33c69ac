"""Faults 12 to 17: memory, limits, sizes, depth, rectangles and order."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

from nqueens_cp import (
    Model,
    Status,
    all_different,
    count,
    queens,
    solutions,
    solve,
)

MEASURE_MEMORY = """
import re
from itertools import islice
from pathlib import Path
from nqueens_cp import count, solutions

def peak():  # KiB; unlike ru_maxrss, not inherited from the process that started this one
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

assert count(6, backend="core") == len(list(solutions(6, backend="core"))) == 4
before = peak()
answer = {work}
print(answer, peak() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak memory from /proc")
@pytest.mark.parametrize(
    ("work", "answer"),
    [
        ("count(13, backend='core')", 73712),  # A000170
        ("sum(1 for _ in islice(solutions(13, backend='core', verify=False), 30_000))", 30_000),
    ],
    ids=["count", "stream"],
)
def test_fault_12_memory_is_bounded(work, answer):
    # 73712 tuples of 13 columns take some 11 MB, 30,000 Solution objects with theirs at least 9 MB.
    child = subprocess.run(
        [sys.executable, "-c", MEASURE_MEMORY.format(work=work)], capture_output=True, text=True, timeout=120
    )
    assert child.returncode == 0, child.stderr
    found, grown = map(int, child.stdout.split())
    assert found == answer
    assert grown < 8 * 1024


def test_fault_12_the_first_come_at_once(backend, stopwatch):
    with solutions(16, backend=backend) as found:
        first = list(itertools.islice(found, 5))
    assert len(set(first)) == 5
    assert stopwatch() < 10, "16 queens have 14772512 solutions; the first five must not wait for them"


@pytest.mark.parametrize("limit", [1, 10, 91])
@pytest.mark.parametrize("workers", [1, 2])
def test_fault_13_a_limit_below_the_number_is_exact(backend, limit, workers):
    found = solutions(8, backend=backend, limit=limit, workers=workers)
    assert found.status is None
    boards = list(found)
    assert len(boards) == len(set(boards)) == found.found == limit
    assert found.status is Status.LIMIT
    assert next(found, None) is None


@pytest.mark.parametrize("limit", [92, 93, 10**6])
def test_fault_13_a_limit_that_is_not_passed_ends_complete(backend, limit):
    found = solutions(8, backend=backend, limit=limit)
    assert len(set(found)) == 92
    assert found.status is Status.COMPLETE


def test_fault_13_the_last_one_is_handed_over_before_the_look_ahead(backend):
    found = solutions(4, backend=backend, limit=2)
    assert [next(found), next(found)]
    assert found.found == 2
    assert next(found, None) is None
    assert found.status is Status.COMPLETE


@pytest.mark.parametrize("limit", [0, -1, 2.5, 1.0, "3", True, float("nan"), [1]], ids=repr)
def test_fault_13_bad_limits_are_refused_at_the_call(limit):
    with pytest.raises((TypeError, ValueError), match="limit"):
        solutions(4, limit=limit)


@pytest.mark.parametrize(("n", "expected"), [(0, 1), (1, 1), (2, 0), (3, 0)])
def test_fault_14_the_smallest_boards(backend, n, expected):
    assert count(n, backend=backend) == count(queens(n), backend=backend) == expected
    boards = list(solutions(n, backend=backend))
    assert len(boards) == expected
    assert all(list(solution["queen"]) == [0] * n for solution in boards)
    wanted = Status.SATISFIED if expected else Status.UNSATISFIABLE
    assert solve(n, backend=backend).status is wanted


@pytest.mark.parametrize("ask", [solve, count, solutions, queens], ids=lambda ask: ask.__name__)
@pytest.mark.parametrize(
    ("size", "told"),
    [
        (-1, "-1"),
        (-(10**30), "-1000"),
        (2.0, "2.0"),
        (np.float64(4), "4.0"),
        (True, "True"),
        (np.True_, "True"),
        ("8", "8"),
        (None, "None"),
        ([8], "8"),
        (10**9, "1000000000|1_000_000_000|1,000,000,000"),
        (10**30, "1000"),
    ],
    ids=str,
)
def test_fault_14_impossible_sizes_are_refused_at_once(ask, size, told, stopwatch):
    with pytest.raises((TypeError, ValueError), match=told):
        ask(size)
    assert stopwatch() < 5


def test_fault_15_eleven_queens_on_every_backend(backend):
    assert count(11, backend=backend) == 2680


def test_fault_15_two_thousand_rows_on_the_core():
    assert solve(2000, backend="core", time_limit=3).status in (Status.SATISFIED, Status.TIMEOUT)


def test_fault_15_a_branch_two_thousand_deep_on_the_core():
    model = Model("rooks")
    rook = model.int_vars("rook", 2000, domain=range(2000))
    model.add(all_different(rook))
    (first,) = solutions(model, backend="core", limit=1)
    assert first[rook] == list(range(2000)), "the first permutation in lexicographic order"


def test_fault_15_a_long_chain(backend):
    model = Model("chain")
    link = model.int_vars("link", 1200, domain=range(2))
    for left, right in itertools.pairwise(link):
        model.add(left != right)
    assert count(model, backend=backend) == 2


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    # A269133, row n = 5 and n = 4: m queens on m x n, and the turned board, where it is one queen short of the rows.
    [(4, 5, 12), (3, 5, 14), (2, 5, 12), (1, 5, 5), (3, 4, 4), (5, 4, 0)],
)
def test_fault_16_rectangles(backend, rows, columns, expected):
    model = Model("rectangle")
    queen = model.int_vars("queen", rows, domain=range(columns))
    model.add(all_different(queen))
    model.add(all_different(queen[i] + i for i in range(rows)))
    model.add(all_different(queen[i] - i for i in range(rows)))
    model.board(queen, columns=columns)
    boards = list(solutions(model, backend=backend))
    assert len(boards) == expected
    for solution in boards:
        lines = str(solution).splitlines()
        assert [line.split().index("Q") for line in lines] == solution[queen]
        assert all(len(line.split()) == columns for line in lines)


def test_fault_17_every_order_gives_the_same_set(backend):
    core = [tuple(solution["queen"]) for solution in solutions(8, backend="core")]
    assert sorted(tuple(solution["queen"]) for solution in solutions(8, backend=backend)) == sorted(core)


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_fault_17_boards_come_in_lexicographic_order_on_the_core(n, torus):
    boards = [solution["queen"] for solution in solutions(queens(n, torus=torus), backend="core")]
    assert boards == sorted(boards)


def test_fault_17_the_order_is_that_of_the_variables_not_of_the_constraints():
    model = Model()
    a, b, c = (model.int_var(name, domain) for name, domain in (("a", [5, -2, 3]), ("b", [9, 3]), ("c", range(4))))
    model.add(all_different([c, b - 1, a]))
    found = [(solution[a], solution[b], solution[c]) for solution in solutions(model, backend="core")]
    expected = [
        row for row in itertools.product([-2, 3, 5], [3, 9], range(4)) if len({row[0], row[1] - 1, row[2]}) == 3
    ]
    assert found == expected


def test_fault_17_rows_stated_in_another_order_than_the_variables():
    model = Model()
    queen = model.int_vars("queen", 6, domain=range(6))
    row = [3, 0, 5, 1, 4, 2]  # the row of each variable
    model.add(all_different(queen))
    model.add(all_different(queen[i] + row[i] for i in range(6)))
    model.add(all_different(queen[i] - row[i] for i in range(6)))
    boards = [tuple(solution[queen]) for solution in solutions(model, backend="core")]
    classic = [solution["queen"] for solution in solutions(6, backend="core")]
    assert boards == sorted(tuple(columns[i] for i in row) for columns in classic)
