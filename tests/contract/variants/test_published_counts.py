"""The keywords of `queens` against published counts."""

from __future__ import annotations

from typing import Any

import pytest

from nqueens_cp import count, explain, queens
from variant_rules import leaper

KNIGHTS_AS_LEAPERS = {"leapers": [(1, 2)]}
KNIGHTS_AS_A_FUNCTION = {"attack": leaper(1, 2)}
SEMI_QUEENS = {"diagonals": "rising", "torus": True}

# (OEIS id, options, {index: count}); n is the index, for A006717 it is 2 * index + 1.
PUBLISHED: list[tuple[str, dict[str, Any], dict[int, int]]] = [
    ("A000170", {"diagonals": "both"}, {0: 1, 1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 10: 724}),
    ("A000170", {"touching": False, "diagonals": "both"}, {1: 1, 4: 2, 5: 10, 6: 4, 8: 92}),
    ("A051906", {"torus": True}, {1: 1, 2: 0, 4: 0, 5: 10, 6: 0, 7: 28, 11: 88}),
    ("A006717", SEMI_QUEENS, {0: 1, 1: 3, 2: 15, 3: 133, 4: 2025}),
    ("A006717", {"diagonals": "falling", "torus": True}, {0: 1, 1: 3, 2: 15, 3: 133, 4: 2025}),
    ("A051223", {"amazons": True}, {1: 1, 2: 0, 4: 0, 7: 0, 10: 4, 12: 156}),
    ("A051223", KNIGHTS_AS_LEAPERS, {1: 1, 4: 0, 7: 0, 10: 4, 11: 44}),
    ("A051223", KNIGHTS_AS_A_FUNCTION, {1: 1, 4: 0, 7: 0, 10: 4, 11: 44}),
    ("A002464", {"touching": False}, {1: 1, 2: 0, 3: 0, 4: 2, 5: 14, 6: 90, 9: 47622}),
    ("A032522", {"symmetric": "half turn"}, {1: 1, 2: 0, 4: 2, 5: 2, 6: 4, 7: 8, 8: 4, 12: 80}),
    ("A033148", {"symmetric": "quarter turn"}, {1: 1, 2: 0, 3: 0, 4: 2, 5: 2, 6: 0, 8: 0, 12: 8}),
    ("A007631", {"reflecting": True}, {0: 1, 1: 1, 2: 0, 3: 0, 4: 2, 5: 4, 6: 0, 7: 2, 10: 38}),
    ("A036464", {"pieces": 2}, {1: 0, 2: 0, 3: 8, 4: 44, 5: 140, 8: 1288}),
    ("A047659", {"pieces": 3}, {1: 0, 2: 0, 3: 0, 4: 24, 5: 204}),
    ("A061994", {"pieces": 4}, {2: 0, 3: 0, 4: 2, 5: 82}),
]
# The same with any number of pieces, none included: the sum over pieces=0, 1, ...
ANY_NUMBER: list[tuple[str, dict[str, Any], dict[int, int]]] = [
    ("A287227", {"diagonals": "both"}, {1: 2, 2: 5, 3: 18, 4: 87}),
    ("A002720", {"diagonals": "none"}, {1: 2, 2: 7, 3: 34, 4: 209}),
]
# Row n of A269133: the ways to place m = 1..n queens on m rows of n columns.
RECTANGLES = {3: [3, 2, 0], 4: [4, 6, 4, 2], 5: [5, 12, 14, 12, 10], 6: [6, 20, 36, 46, 40, 4]}


def size(sequence: str, index: int) -> int:
    return 2 * index + 1 if sequence == "A006717" else index


def each_published(for_the_core_alone: bool) -> list[Any]:
    return [
        pytest.param(sequence, size(sequence, index), options, number, id=f"{sequence}-{'-'.join(options)}-{index}")
        for sequence, options, counts in PUBLISHED
        for index, number in counts.items()
        if "pieces" not in options and (size(sequence, index) > 7 or number > 1000) is for_the_core_alone
    ]


def test_the_counts_quoted_here_are_the_published_ones(published):
    for sequence, _, counts in PUBLISHED + ANY_NUMBER:
        assert {index: published[sequence][index] for index in counts} == counts, sequence
    triangle = published["A269133"]  # read by rows, the index counts from 1
    for n, row in RECTANGLES.items():
        assert [triangle[n * (n - 1) // 2 + m] for m in range(1, n + 1)] == row


@pytest.mark.parametrize(("sequence", "n", "options", "number"), each_published(for_the_core_alone=False))
def test_published_counts(backend, sequence, n, options, number, boards_of):
    model = queens(n, **options)
    assert count(model, backend=backend) == number, sequence
    assert len(boards_of(model, backend)) == number
    assert [variable.name for variable in model.variables] == [f"queen[{row}]" for row in range(n)]


@pytest.mark.parametrize(("sequence", "n", "options", "number"), each_published(for_the_core_alone=True))
def test_larger_published_counts(sequence, n, options, number):
    assert count(queens(n, **options), backend="core") == number, sequence


@pytest.mark.parametrize(("n", "m"), [(n, m) for n, row in RECTANGLES.items() for m in range(1, len(row) + 1)])
def test_published_counts_of_rectangles(backend, n, m, boards_of):
    model = queens(n, rows=m)
    assert count(model, backend=backend) == RECTANGLES[n][m - 1], "A269133"
    boards = boards_of(model, backend)
    assert len(boards) == RECTANGLES[n][m - 1]
    assert all({row for row, _ in board} == set(range(m)) for board in boards)


@pytest.mark.parametrize(("sequence", "options", "counts"), [row for row in PUBLISHED if "pieces" in row[1]])
def test_published_counts_of_pieces(general_backend, sequence, options, counts, boards_of):
    for n, number in counts.items():
        if n <= (8 if general_backend == "cp-sat" else 4):
            model = queens(n, **options)
            assert count(model, backend=general_backend) == number, f"{sequence}, n = {n}"
            if number <= 100:
                boards = boards_of(model, general_backend)
                assert len(boards) == number
                assert {len(board) for board in boards} <= {options["pieces"]}


@pytest.mark.parametrize(("sequence", "options", "counts"), ANY_NUMBER)
def test_published_counts_of_any_number_of_pieces(general_backend, sequence, options, counts):
    for n, number in counts.items():
        by_pieces = [count(queens(n, pieces=k, **options), backend=general_backend) for k in range(n + 2)]
        assert by_pieces[0] == 1
        assert by_pieces[n + 1] == 0
        assert sum(by_pieces) == number, f"{sequence}, n = {n}"


@pytest.mark.parametrize("n", [4, 5, 6])
def test_n_pieces_are_n_queens(general_backend, n, boards_of):
    if n > 4 and general_backend == "python-constraint":
        pytest.skip("python-constraint is too slow on that many squares")
    assert boards_of(queens(n, pieces=n), general_backend) == boards_of(queens(n), "core")


# The core takes them all.

LETTERS = ["aabb", "aabb", "ccdd", "ccdd"]
EVERY_KEYWORD: list[dict[str, Any]] = [
    {"rows": 3},
    {"placed": [(0, 1)], "blocked": [(1, 1)]},
    {"excluded_diagonals": [0], "excluded_antidiagonals": [2]},
    *({"diagonals": directions} for directions in ("both", "falling", "rising", "none")),
    {"torus": True},
    SEMI_QUEENS,
    {"diagonals": "both", "torus": True},
    {"amazons": True},
    {"leapers": [(1, 2), (3, 0), (1, 3)]},
    KNIGHTS_AS_A_FUNCTION,
    {"touching": False},
    {"touching": False, "diagonals": "falling"},
    {"regions": LETTERS},
    {"regions": LETTERS, "touching": False},
    {"symmetric": "half turn"},
    {"symmetric": "quarter turn"},
    {"reflecting": True},
    {"regions": LETTERS, "touching": False, "symmetric": "half turn", "amazons": True, "blocked": [(0, 0)]},
]


@pytest.mark.parametrize("options", EVERY_KEYWORD, ids=lambda options: "-".join(options))
def test_the_core_takes_every_variant_of_one_queen_in_each_row(options):
    chosen = explain(queens(4, **options))
    assert chosen.backend == "core", str(chosen)
