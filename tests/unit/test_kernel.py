"""The compiled search against pure.py, its specification, and its C entry points under arbitrary arguments.

Everything here runs only where the kernel was built; continuous integration requires it to be.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from array import array
from itertools import cycle
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_tests import buffers, needs_the_kernel, thorough
from nqueens_cp.control import Control
from nqueens_cp.core import counting, kernel, pure
from nqueens_cp.core.compile import ConflictForm, DiagonalForm, Group, Pair

pytestmark = needs_the_kernel


@st.composite
def diagonal_forms(draw):
    rows = draw(st.integers(1, 6))
    width = draw(st.integers(1, 6) | st.sampled_from([31, 32, 33, 63, 64]))
    sparse = st.sets(st.integers(0, width - 1), max_size=3)
    full = st.just(set(range(width))) if width < 7 else sparse
    allowed = [sum(1 << column for column in draw(full | sparse)) for _ in range(rows)]
    return DiagonalForm(tuple(allowed), (0,) * rows, width, *(draw(st.booleans()) for _ in range(3)))


@st.composite
def conflict_forms(draw):
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    entry = st.integers(0, len(sizes) - 1).flatmap(
        lambda variable: st.tuples(st.just(variable), st.integers(1, (1 << sizes[variable]) - 1))
    )
    groups = draw(st.lists(st.lists(entry, min_size=1, max_size=5, unique_by=lambda e: e[0]), max_size=6))
    pairs = []
    for (left, mask), (right, other) in draw(st.lists(st.tuples(entry, entry), max_size=8)):
        if left != right:  # as the compiler does it: both ways
            pairs.append(Pair(left, right, tuple(other * (mask >> k & 1) for k in range(sizes[left]))))
            pairs.append(Pair(right, left, tuple(mask * (other >> k & 1) for k in range(sizes[right]))))
    return ConflictForm(
        tuple(tuple(range(size)) for size in sizes),
        tuple(Group(tuple(group), False) for group in groups),
        tuple(pairs),
    )


def nodes_of(search, control):
    assert control.statistics["nodes"] == search.nodes
    return search.nodes


@thorough
@given(diagonal_forms())
def test_rows_as_in_pure(form):
    slow, fast = Control(), Control()
    expected = list(pure.diagonal_solutions(form, slow))
    search = kernel.for_rows(form)
    assert list(kernel.solutions(search, fast, len(form.allowed))) == expected
    assert nodes_of(search, fast) <= slow.statistics["nodes"], "it may skip what leaves a later row no square"
    counted, total = Control(), 0
    for first, weight in form.weighted_first_rows():
        total += kernel.count(kernel.for_rows(form, first), counted, weight)
    assert total == counted.found == len(expected) == pure.diagonal_count(form, Control())
    if len(form.allowed) > 2:
        assert counting.count(form, Control(workers=3)) == len(expected)
    table = kernel.for_table(form.as_conflict_form(), lexicographic=True) if all(form.allowed) else None
    if table is not None:
        assert [
            form.as_conflict_form().values(k) for k in kernel.solutions(table, Control(), len(form.allowed))
        ] == expected


@thorough
@given(conflict_forms(), st.booleans())
def test_tables_as_in_pure(form, lexicographic):
    slow, fast = Control(), Control()
    expected = [
        form.values([mask.bit_length() - 1 for mask in masks])
        for masks in pure.conflict_masks(form, slow, lexicographic=lexicographic)
    ]
    search = kernel.for_table(form, lexicographic=lexicographic)
    assert [form.values(k) for k in kernel.solutions(search, fast, len(form.domains))] == expected
    assert search.nodes == slow.statistics.get("nodes", 0)
    assert kernel.count(kernel.for_table(form, lexicographic=lexicographic), Control()) == len(expected)
    assert pure.conflict_count(form, Control()) == len(expected)


@pytest.mark.parametrize("budget", [1, 2, 7, 1000])
def test_a_search_can_be_sliced_anywhere(budget):
    full = DiagonalForm((0b111111,) * 6, (0,) * 6, 6, True, True, True)
    search, shares = kernel.for_rows(full), []
    while not search.count(budget):
        shares.append(search.share())
    assert (search.found, search.done, search.share()) == (4, True, 1.0)
    assert shares == sorted(shares)
    search, found, out = kernel.for_rows(full), [], bytearray(6)
    while not search.done:
        if search.fill(out, budget):
            found.append(tuple(out))
    assert found == list(pure.diagonal_solutions(full, Control()))
    search = kernel.for_table(full.as_conflict_form(), lexicographic=True)
    while not search.count(budget):
        pass
    assert search.found == 4


@st.composite
def mirrored_forms(draw):
    rows, width = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    halves = [draw(st.integers(0, (1 << (width + 1) // 2) - 1)) for _ in range(rows)]
    allowed = [half | int(f"{half:0{width}b}"[::-1], 2) for half in halves]
    watched = draw(st.booleans())
    return DiagonalForm(tuple(allowed), (0,) * rows, width, draw(st.booleans()), watched, watched)


@thorough
@given(mirrored_forms(), st.integers(1, 9), st.integers(1, 50), st.integers(0, 9))
def test_listing_by_the_mirror(form, capacity, budget, steps):
    rows = len(form.allowed)
    expected = list(pure.diagonal_solutions(form, Control()))
    search, found, out, shares = kernel.for_rows(form), [], bytearray(capacity * rows), []
    while not search.done:
        written = search.fill(out, budget)
        found += [tuple(out[i * rows : (i + 1) * rows]) for i in range(written)]
        shares.append(search.share())
    assert found == expected
    assert search.found == len(expected)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    search = kernel.for_rows(form)  # listed at first, then counted
    for _ in range(steps):
        search.fill(out, budget)
    while not search.count(budget):
        pass
    assert search.found == len(expected)


def test_too_many_solutions_to_keep_for_the_mirror():
    rows, width = 7, 16
    rooks = DiagonalForm(((1 << width) - 1,) * rows, (0,) * rows, width, True, False, False)
    search, out, shares, last = kernel.for_rows(rooks), bytearray(rows << 16), [], b""
    while not search.done:
        written = search.fill(out, 1 << 20)
        if written:
            assert last < out[:rows]
            last = bytes(out[(written - 1) * rows : written * rows])
        shares.append(search.share())
    assert search.found == prod(range(10, 17))
    assert last == bytes(range(15, 8, -1))
    assert shares == sorted(shares)


def listed(search, rows, capacities):
    """All solutions, asked for in batches of these sizes in turn."""
    found = []
    for capacity in cycle(capacities):
        if search.done:
            return found
        out = bytearray(capacity * rows)
        written = search.fill(out, 50_000)
        found += [tuple(out[i * rows : (i + 1) * rows]) for i in range(written)]
    return found


TWELVE = DiagonalForm(((1 << 12) - 1,) * 12, (0,) * 12, 12, True, True, True)


@pytest.mark.parametrize("seed", range(4))
def test_last_rows_that_are_looked_up(seed):
    chance = random.Random(seed)
    allowed = list(TWELVE.allowed)
    for _ in range(4 * seed):
        allowed[chance.randrange(12)] &= ~(1 << chance.randrange(12))
    form = DiagonalForm(tuple(allowed), (0,) * 12, 12, True, True, True)
    expected = list(pure.diagonal_solutions(form, Control()))
    for capacities in ([5_000], [1, 700, 30], [chance.randrange(1, 3_000) for _ in range(20)]):
        search = kernel.for_rows(form)
        assert listed(search, 12, capacities) == expected
        assert search.found == len(expected)
        search = kernel.for_rows(form)  # listed at first, then counted
        for _ in range(seed + 4):
            search.fill(bytearray(12 * capacities[0]), 40_000)
        while not search.count(10_000):
            pass
        assert search.found == len(expected)


@pytest.mark.parametrize(("n", "number"), [(13, 73_712), (14, 365_596)])
def test_long_lists_are_right_and_in_order(n, number):
    full = DiagonalForm(((1 << n) - 1,) * n, (0,) * n, n, True, True, True)
    flat = b"".join(map(bytes, kernel.batches(kernel.for_rows(full), Control(), n)))
    rows = np.frombuffer(flat, dtype=np.uint8).reshape(-1, n)
    assert len(rows) == number, "A000170"
    packed = np.zeros(len(rows), dtype=np.uint64)
    for row in range(n):
        packed = packed << np.uint64(4) | rows[:, row].astype(np.uint64)
    assert (packed[1:] > packed[:-1]).all(), "each once, in lexicographic order"
    for shift in (-1, 0, 1):
        lines = np.sort(rows.astype(np.int64) + shift * np.arange(n), axis=1)
        assert (np.diff(lines, axis=1) > 0).all()
    assert rows.max() < n


@thorough
@given(st.lists(buffers | st.integers() | st.booleans(), max_size=10))
def test_arbitrary_arguments_are_an_error_and_never_a_crash(arguments):
    module, _ = kernel.load()
    for kind in (module.RowSearch, module.TableSearch):
        try:
            search = kind(*arguments)
        except (TypeError, ValueError, OverflowError, BufferError):
            continue
        exercise(search)


@thorough
@given(
    st.lists(st.integers(0, 4) | st.integers(60, 65), min_size=1, max_size=3).map(bytes),
    st.lists(st.integers(0, 4), max_size=4).map(sorted),
    st.lists(st.integers(0, 3), max_size=4),
    st.lists(st.integers(0, 2**64 - 1), max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=5),
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5),
    st.integers(-1, 1),
    st.binary(max_size=4),
    st.booleans(),
)
def test_tables_nearly_right(sizes, starts, variables, masks, pairs, excluded, surplus, exact, lexicographic):
    module, _ = kernel.load()
    needed = sum(sizes[variable] for variable, _ in pairs if variable < len(sizes)) + (surplus if pairs else 0)
    try:
        search = module.TableSearch(
            sizes,
            array("I", [0, *starts]),
            array("I", variables),
            array("Q", masks),
            exact,
            array("I", [variable for variable, _ in pairs]),
            array("I", [other for _, other in pairs]),
            array("Q", [excluded[k % len(excluded)] for k in range(needed)]),
            lexicographic,
        )
    except ValueError:
        return
    exercise(search)


def exercise(search):
    """Search a little, and misuse every method."""
    assert search.count(100) in (True, False)
    assert 0 <= search.share() <= 1
    assert search.fill(bytearray(70_000), 100) >= 0
    for bad in (0, -1, 2**64, None, 1.5, "x"):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            search.count(bad)
        with pytest.raises((TypeError, ValueError, OverflowError)):
            search.fill(bytearray(2000), bad)
    for bad in (b"read only" * 2000, bytearray(), None, 7):
        with pytest.raises((TypeError, ValueError, BufferError)):
            search.fill(bad, 1)


def test_the_limits_are_stated():
    module, _ = kernel.load()
    with pytest.raises(ValueError, match="65"):
        module.RowSearch(array("Q", [1]), 65, True, True, True)
    with pytest.raises(ValueError, match="rows"):
        module.RowSearch(array("Q", [1] * (module.MAX_ROWS + 1)), 5, True, True, True)
    with pytest.raises(ValueError, match="whole number"):
        module.RowSearch(b"123", 5, True, True, True)


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def test_pure_python_can_be_asked_for_and_says_so():
    ran = run_python(
        "from nqueens_cp import count; from nqueens_cp.backends import get_backend\n"
        "print(count(6), get_backend('core').version())",
        NQUEENS_CP_CORE="pure",
    )
    assert ran.stdout.startswith("4 ")
    assert "pure Python" in ran.stdout
    assert ran.stderr == ""


def test_a_missing_kernel_is_warned_of_once_at_first_use():
    ran = run_python(
        "import sys; sys.modules['nqueens_cp.core._kernel'] = None\n"
        "import nqueens_cp; print('imported', flush=True)\n"
        "print(nqueens_cp.count(6), nqueens_cp.count(5))"
    )
    assert ran.stdout.split() == ["imported", "4", "10"]
    assert ran.stderr.count("pure Python") == 1
    assert "never built" in ran.stderr
