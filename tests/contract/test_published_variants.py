"""Variants stated with plain constraints, against counts quoted from the OEIS (and those against ../shared/truth)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nqueens_cp import Model, Status, UnsupportedModel, all_different, count, element, queens, solutions


def _permutation(n: int) -> tuple[Model, list]:
    model = Model("variant")
    queen = model.int_vars("queen", n, domain=range(n))
    model.add(all_different(queen))
    return model, queen


def plain_queens(n: int) -> Model:
    model, queen = _permutation(n)
    model.add(all_different(queen[i] + i for i in range(n)), all_different(queen[i] - i for i in range(n)))
    return model


def amazons(n: int) -> Model:
    model = plain_queens(n)
    queen = model.variables
    model.add(*(abs(queen[i + 1] - queen[i]) != 2 for i in range(n - 1)))
    model.add(*(abs(queen[i + 2] - queen[i]) != 1 for i in range(n - 2)))
    return model


def no_touch_permutations(n: int) -> Model:
    model, queen = _permutation(n)
    model.add(*(abs(queen[i + 1] - queen[i]) >= 2 for i in range(n - 1)))
    return model


def torus_queens(n: int) -> Model:
    model, queen = _permutation(n)
    model.add(all_different((queen[i] + i) % n for i in range(n)), all_different((queen[i] - i) % n for i in range(n)))
    return model


def torus_semi_queens(index: int) -> Model:
    n = 2 * index + 1
    model, queen = _permutation(n)
    model.add(all_different((queen[i] + i) % n for i in range(n)))
    return model


def reflecting_queens(n: int) -> Model:
    model, queen = _permutation(n)
    model.add(all_different([queen[i] + 1 + i + 1 for i in range(n)] + [queen[i] - i for i in range(n)]))
    return model


def half_turn_queens(n: int) -> Model:
    model = plain_queens(n)
    queen = model.variables
    model.add(*(queen[n - 1 - i] == n - 1 - queen[i] for i in range((n + 1) // 2)))
    return model


def quarter_turn_queens(n: int) -> Model:
    model = plain_queens(n)
    queen = model.variables
    model.add(*(element(queen, queen[i]) == n - 1 - i for i in range(n)))
    return model


def bishops(n: int) -> Model:
    model = Model("bishops")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]
    model.add(sum(square[r][c] for r in range(n) for c in range(n)) == n)
    for line in range(2 * n - 1):
        model.add(sum(square[r][line - r] for r in range(n) if 0 <= line - r < n) <= 1)
        model.add(sum(square[r][c] for r in range(n) for c in range(n) if r - c + n - 1 == line) <= 1)
    return model


# (statement, OEIS id, index, count, whether the core's two forms hold it)
VARIANTS = [
    *((plain_queens, "A000170", n, number, True) for n, number in enumerate([1, 1, 0, 0, 2, 10, 4, 40, 92])),
    *((amazons, "A051223", n, number, True) for n, number in [(1, 1), (4, 0), (7, 0), (10, 4)]),
    *((no_touch_permutations, "A002464", n, number, True) for n, number in [(3, 0), (4, 2), (5, 14), (6, 90)]),
    *((torus_queens, "A051906", n, number, True) for n, number in [(1, 1), (4, 0), (5, 10), (6, 0), (7, 28)]),
    *((torus_semi_queens, "A006717", index, number, True) for index, number in [(0, 1), (1, 3), (2, 15), (3, 133)]),
    *((reflecting_queens, "A007631", n, number, True) for n, number in [(3, 0), (4, 2), (5, 4), (6, 0), (7, 2)]),
    *((half_turn_queens, "A032522", n, number, True) for n, number in [(4, 2), (5, 2), (6, 4), (7, 8), (8, 4)]),
    *((quarter_turn_queens, "A033148", n, number, False) for n, number in [(4, 2), (5, 2), (6, 0), (8, 0)]),
    *((bishops, "A002465", n, number, False) for n, number in [(1, 1), (2, 4), (3, 26)]),
]
IDS = [f"{build.__name__}-{index}" for build, _, index, _, _ in VARIANTS]


def test_the_counts_quoted_here_are_the_published_ones(published):
    assert [published[sequence][index] for _, sequence, index, _, _ in VARIANTS] == [row[3] for row in VARIANTS]


@pytest.mark.parametrize(("build", "sequence", "index", "number", "core"), VARIANTS, ids=IDS)
def test_variant(
    backend: str,
    build: Callable[[int], Model],
    sequence: str,
    index: int,
    number: int,
    core: bool,
    distinct_tuples,
    judge_refusal,
):
    model = build(index)
    try:
        assert count(model, backend=backend) == number, sequence
    except UnsupportedModel as error:
        reason = judge_refusal(error, backend, model)
        assert not (backend == "core" and core), f"the core's forms can hold this model: {reason}"
        pytest.skip(f"{backend} declines: {reason}")
    found = solutions(model, backend=backend)
    assert len(distinct_tuples(found, model.variables)) == number
    assert found.status is Status.COMPLETE


# Row n of A269133: the ways to place m = 1..n queens on an m x n board.
RECTANGLES = [
    (m, n, number) for n, row in ((4, [4, 6, 4, 2]), (5, [5, 12, 14, 12, 10])) for m, number in enumerate(row, 1)
]


@pytest.mark.parametrize(("m", "n", "number"), RECTANGLES)
def test_rectangular_boards(backend, m, n, number, distinct_tuples):
    model = Model("rectangle")
    queen = model.int_vars("queen", m, domain=range(n))
    model.add(*(all_different(queen[i] + slope * i for i in range(m)) for slope in (-1, 0, 1)))
    model.board(queen, columns=n)
    assert count(model, backend=backend) == number
    assert len(distinct_tuples(solutions(model, backend=backend), queen)) == number


def test_rectangle_counts_are_the_published_ones(published):
    triangle = published["A269133"]  # read by rows, the index counts from 1
    for m, n, number in RECTANGLES:
        assert triangle[n * (n - 1) // 2 + m] == number


@pytest.mark.parametrize(
    ("n", "options", "number"),
    [
        (4, {"blocked": [(0, 1)]}, 1),
        (5, {"blocked": [(2, 2)]}, 8),
        (8, {"blocked": [(0, 0)]}, 88),
        (8, {"placed": [(0, 0)]}, 4),  # 92 less the 88 that leave the corner empty
        (5, {"torus": True}, 10),
        (6, {"placed": [(0, 0), (1, 1)]}, 0),
    ],
)
def test_keywords_of_queens(backend, n, options, number):
    """../shared/cases/faults.md, 36 and 35; the torus by A051906."""
    assert count(queens(n, **options), backend=backend) == number
