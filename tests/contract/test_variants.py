"""The keywords of `queens` and the functions behind them: published counts, brute force, puzzles and completions.

Brute force knows a board as a set of squares, and a variant as plain functions of squares; nothing here asks the
package what a variant means.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nqueens_cp import Model, Status, UnsupportedModel, all_different, count, explain, queens, solutions, variants
from nqueens_cp.core import kernel

Square = tuple[int, int]
Squares = frozenset[Square]
Attack = Callable[[Square, Square], bool]  # whether a piece on the one square attacks the other; both orders are asked
Rule = Callable[[Squares], bool]

SHARED = Path(__file__).resolve().parents[3] / "shared"
EXAMPLES = os.environ.get("NQUEENS_CP_EXAMPLES")


# The same examples every time, as in tests/property.
def examples(number: int) -> settings:
    return settings(
        max_examples=int(EXAMPLES or number),
        derandomize=EXAMPLES is None,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@pytest.fixture(scope="session")
def boards_of(distinct_tuples) -> Callable[[Model, str], set[Squares]]:
    """A function of a model and a backend: all its solutions as sets of squares, read by the names of the variables."""

    def occupied(name: str, value: int) -> list[Square]:
        if row := re.fullmatch(r"(?:queen|row)\[(\d+)\]", name):
            return [(int(row[1]), value)]
        square = re.fullmatch(r"square\[(\d+),(\d+)\]", name)
        assert square, f"{name!r} is neither a queen nor a square"
        assert value in (0, 1)
        return [(int(square[1]), int(square[2]))] * value

    def read(model: Model, backend: str) -> set[Squares]:
        found = solutions(model, backend=backend)
        rows = distinct_tuples(found, model.variables)
        assert found.status is Status.COMPLETE
        names = [variable.name for variable in model.variables]
        return {
            frozenset(square for pair in zip(names, values, strict=True) for square in occupied(*pair))
            for values in rows
        }

    return read


# Variants in plain words: whether a piece on the one square attacks the other, and whether a whole board keeps a rule.


def same_line(one: Square, other: Square) -> bool:
    return one[0] == other[0] or one[1] == other[1]


def falling(one: Square, other: Square) -> bool:
    return one[1] - one[0] == other[1] - other[0]


def rising(one: Square, other: Square) -> bool:
    return one[1] + one[0] == other[1] + other[0]


def falling_on_the_torus(n: int) -> Attack:
    return lambda one, other: (one[1] - one[0]) % n == (other[1] - other[0]) % n


def rising_on_the_torus(n: int) -> Attack:
    return lambda one, other: (one[1] + one[0]) % n == (other[1] + other[0]) % n


def reflected(one: Square, other: Square) -> bool:
    """A007631: with the row k = 1..n and the column p(k) = 1..n, two of all p(k) + n + k and p(k) + n - k are the same."""
    (k, p), (j, q) = (one[0] + 1, one[1] + 1), (other[0] + 1, other[1] + 1)
    return not {p + k, p - k}.isdisjoint({q + j, q - j})


def touch(one: Square, other: Square) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) <= 1


def leaper(a: int, b: int) -> Attack:
    return lambda one, other: sorted((abs(one[0] - other[0]), abs(one[1] - other[1]))) == sorted((a, b))


def peaceful(*attacks: Attack) -> Rule:
    """No two pieces of the board attack each other."""
    return lambda board: (
        not any(attack(one, other) for one, other in itertools.permutations(board, 2) for attack in attacks)
    )


def half_turned(board: Iterable[Square], n: int) -> Squares:
    return frozenset((n - 1 - row, n - 1 - column) for row, column in board)


def quarter_turned(board: Iterable[Square], n: int) -> Squares:
    return frozenset((column, n - 1 - row) for row, column in board)


def one_in_each(regions: Iterable[Iterable[Square]]) -> Rule:
    cells = [frozenset(region) for region in regions]
    return lambda board: all(len(board & region) == 1 for region in cells)


def regions_of(grid: Iterable[Iterable[Hashable]]) -> dict[Hashable, list[Square]]:
    cells: dict[Hashable, list[Square]] = {}
    for row, labels in enumerate(grid):
        for column, label in enumerate(labels):
            cells.setdefault(label, []).append((row, column))
    return cells


# Published counts.

KNIGHTS_AS_LEAPERS = {"leapers": [(1, 2)]}
KNIGHTS_AS_A_FUNCTION = {"attack": lambda one, other: {abs(one[0] - other[0]), abs(one[1] - other[1])} == {1, 2}}
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


@pytest.fixture
def general_backend(backend, judge_refusal) -> str:
    """Each backend that takes a board of single squares; the core may say why it does not."""
    model = queens(2, pieces=1)
    try:
        count(model, backend=backend)
    except UnsupportedModel as error:
        pytest.skip(f"{backend} declines: {judge_refusal(error, backend, model)}")
    return backend


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


# Each keyword is its function, applied to a model.


class Variant(NamedTuple):
    """On a board of 5 rows and 5 columns: a keyword with its function, and the rule in plain words."""

    options: dict[str, Any]
    without: dict[str, Any]  # the options of the model that the function is applied to
    add: Callable[[Model], None]
    holds: Rule


RISING_ONLY, ROOKS = {"diagonals": "rising"}, {"diagonals": "none"}
REGIONS = ["aabbb", "aabcc", "ddbcc", "ddeee", "ddeee"]


def sums_agree(one: Square, other: Square) -> bool:
    return one[0] + other[0] == one[1] + other[1]


VARIANTS = {
    "placed": Variant(
        {"placed": [(0, 1)]}, {}, lambda model: variants.placed(model, [(0, 1)]), lambda board: (0, 1) in board
    ),
    "blocked": Variant(
        {"blocked": [(0, 1), (2, 2)]},
        {},
        lambda model: variants.blocked(model, [(0, 1), (2, 2)]),
        lambda board: not board & {(0, 1), (2, 2)},
    ),
    "excluded_diagonals": Variant(
        {"excluded_diagonals": [3, -3], "excluded_antidiagonals": [2]},
        {},
        lambda model: variants.excluded_diagonals(model, [3, -3], [2]),
        lambda board: all(column - row not in (3, -3) and column + row != 2 for row, column in board),
    ),
    "excluded_diagonals, one way": Variant(
        {"excluded_diagonals": [2]},
        {},
        lambda model: variants.excluded_diagonals(model, diagonals=[2]),
        lambda board: all(column - row != 2 for row, column in board),
    ),
    "excluded_diagonals, the other way": Variant(
        {"excluded_antidiagonals": [3]},
        {},
        lambda model: variants.excluded_diagonals(model, antidiagonals=[3]),
        lambda board: all(column + row != 3 for row, column in board),
    ),
    "diagonals": Variant({}, ROOKS, lambda model: variants.diagonals(model), peaceful(falling, rising)),
    "diagonals, falling": Variant(
        {"diagonals": "falling"}, ROOKS, lambda model: variants.diagonals(model, "falling"), peaceful(falling)
    ),
    "diagonals, rising": Variant(
        RISING_ONLY, ROOKS, lambda model: variants.diagonals(model, directions="rising"), peaceful(rising)
    ),
    "diagonals, none": Variant(ROOKS, ROOKS, lambda model: variants.diagonals(model, "none"), lambda board: True),
    "diagonals, torus": Variant(
        SEMI_QUEENS,
        ROOKS,
        lambda model: variants.diagonals(model, "rising", torus=True),
        peaceful(rising_on_the_torus(5)),
    ),
    "torus": Variant(
        {"torus": True},
        ROOKS,
        lambda model: variants.torus(model),
        peaceful(falling_on_the_torus(5), rising_on_the_torus(5)),
    ),
    "amazons": Variant(
        {"amazons": True, **RISING_ONLY}, RISING_ONLY, lambda model: variants.amazons(model), peaceful(leaper(1, 2))
    ),
    "leapers": Variant(
        {"leapers": [(1, 3), (2, 0)], **RISING_ONLY},
        RISING_ONLY,
        lambda model: variants.leapers(model, [(1, 3), (2, 0)]),
        peaceful(leaper(1, 3), leaper(2, 0)),
    ),
    "attack": Variant(
        {"attack": sums_agree, **ROOKS}, ROOKS, lambda model: variants.attack(model, sums_agree), peaceful(sums_agree)
    ),
    "no_touch": Variant({"touching": False}, ROOKS, lambda model: variants.no_touch(model), peaceful(touch)),
    "regions": Variant(
        {"regions": REGIONS, "touching": False},
        {"touching": False},
        lambda model: variants.regions(model, REGIONS),
        one_in_each(regions_of(REGIONS).values()),
    ),
    "symmetric, half turn": Variant(
        {"symmetric": "half turn"},
        {},
        lambda model: variants.symmetric(model, "half turn"),
        lambda board: board == half_turned(board, 5),
    ),
    "symmetric, quarter turn": Variant(
        {"symmetric": "quarter turn"},
        {},
        lambda model: variants.symmetric(model, "quarter turn"),
        lambda board: board == quarter_turned(board, 5),
    ),
    "reflecting": Variant({"reflecting": True}, ROOKS, lambda model: variants.reflecting(model), peaceful(reflected)),
}
each_variant = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)


@each_variant
def test_a_keyword_is_its_function_applied_to_a_model(variant, boards_of):
    by_keyword, by_hand = queens(5, **variant.options), queens(5, **variant.without)
    assert variant.add(by_hand) is None
    boards = boards_of(by_hand, "core")
    assert boards == boards_of(by_keyword, "core")
    assert boards
    assert all(map(variant.holds, boards))


@each_variant
def test_a_function_adds_its_rule_alone_to_any_model_with_a_board(variant, boards_of):
    """Rows of another name, one with a domain of its own; the column of the last row may be taken twice."""
    model = Model("by hand")
    row = [model.int_var(f"row[{i}]", range(5) if i < 4 else [0, 2, 3, 4]) for i in range(5)]
    model.board(row, columns=5)
    model.add(all_different(row[:4]))
    variant.add(model)
    expected = {
        board
        for columns in itertools.product(range(5), repeat=5)
        if columns[4] != 1 and len(set(columns[:4])) == 4 and variant.holds(board := frozenset(enumerate(columns)))
    }
    assert boards_of(model, "core") == expected
    assert expected


@pytest.mark.parametrize("name", ["placed", "blocked", "excluded_diagonals", "diagonals", "torus", "amazons", "attack"])
def test_a_function_adds_to_a_board_of_single_squares(name, boards_of):
    variant = VARIANTS[name]
    by_keyword, by_hand = queens(5, pieces=3, **variant.options), queens(5, pieces=3, **variant.without)
    assert variant.add(by_hand) is None
    boards = boards_of(by_hand, "cp-sat")
    assert boards == boards_of(by_keyword, "cp-sat")
    assert boards
    assert all(map(variant.holds, boards))


# Random combinations of keywords.

DIRECTIONS: dict[str | None, list[Attack]] = {
    "both": [falling, rising],
    "falling": [falling],
    "rising": [rising],
    "none": [],
}


class Posed(NamedTuple):
    """The same problem twice: as arguments of queens(), and as the boards that the plain rules let pass."""

    n: int
    options: dict[str, Any]
    boards: set[Squares]

    @property
    def model(self) -> Model:
        return queens(self.n, **self.options)


def peaceful_boards(rows: int, n: int, pieces: int | None, attacks: list[Attack]) -> set[Squares]:
    """Return the boards on which nothing attacks; without a number of pieces there is one in each row."""
    squares = list(itertools.product(range(rows), range(n)))
    attacked = {
        frozenset((one, other))
        for one, other in itertools.permutations(squares, 2)
        if same_line(one, other) or any(attack(one, other) for attack in attacks)
    }
    boards: Iterable[Iterable[Square]]
    if pieces is None:  # only a shorter way than through all combinations: two in one column attack each other
        boards = (enumerate(columns) for columns in itertools.permutations(range(n), rows))
    else:
        boards = itertools.combinations(squares, pieces)
    return {
        board
        for board in map(frozenset, boards)
        if not any(frozenset(pair) in attacked for pair in itertools.combinations(board, 2))
    }


def a_few(values: Iterable[Any], most: int) -> st.SearchStrategy[list[Any]]:
    """Some of the values, none of them in half of the cases, so that not every keyword is there at once."""
    values = list(values)
    return st.just([]) | (st.lists(st.sampled_from(values), max_size=most, unique=True) if values else st.just([]))


@st.composite
def diagonal_rules(draw: st.DrawFn, n: int, kind: str) -> tuple[dict[str, Any], list[Attack]]:
    """The keywords that say which diagonals there are."""
    if kind == "reflecting":
        return {"reflecting": True}, [reflected]
    options: dict[str, Any] = {}
    if draw(st.integers(0, 3)):
        options["diagonals"] = draw(st.sampled_from(["none", "rising", "falling", "both"]))
    if kind == "torus":
        if options.get("diagonals") == "none":  # a torus without directions
            del options["diagonals"]
        wrapped = {falling: falling_on_the_torus(n), rising: rising_on_the_torus(n)}
        attacks = [wrapped[attack] for attack in DIRECTIONS[options.get("diagonals", "both")]]
        return {**options, "torus": True}, attacks
    if kind == "touching":
        return {**options, "touching": False}, [touch, *DIRECTIONS[options.get("diagonals", "none")]]
    return options, DIRECTIONS[options.get("diagonals", "both")]


@st.composite
def moves(draw: st.DrawFn) -> tuple[dict[str, Any], list[Attack]]:
    """The keywords that let the pieces move in further ways."""
    options: dict[str, Any] = {}
    attacks: list[Attack] = []
    if draw(st.integers(0, 4)) == 4:
        options["amazons"] = True
        attacks.append(leaper(1, 2))
    if leapers := draw(st.just([]) | a_few([(1, 2), (2, 1), (3, 1), (2, 2), (0, 2), (3, 0), (1, 1), (3, 3)], 2)):
        options["leapers"] = leapers
        attacks += [leaper(a, b) for a, b in leapers]
    if steps := draw(st.just([]) | a_few(itertools.product([-3, -2, -1, 1, 2, 3], range(-3, 4)), 3)):

        def attack(one: Square, other: Square) -> bool:  # one way only, so that both orders must be asked for
            return (other[0] - one[0], other[1] - one[1]) in steps

        options["attack"] = attack
        attacks.append(attack)
    return options, attacks


@st.composite
def marks(draw: st.DrawFn, rows: int, n: int, known: Squares) -> tuple[dict[str, Any], list[Rule]]:
    """The keywords that open and close squares; most of them let the known board pass."""
    kept = known if draw(st.integers(0, 5)) else frozenset()
    squares = list(itertools.product(range(rows), range(n)))
    placed = draw(a_few(sorted(known), 2))
    if not kept:
        placed = [(row, draw(st.integers(0, n - 1))) for row in draw(a_few(range(rows), 2))]
    blocked = draw(a_few(sorted({*squares} - kept), 4))
    differences = draw(a_few(sorted({c - r for r, c in squares} - {c - r for r, c in kept}), 2))
    sums = draw(a_few(sorted({c + r for r, c in squares} - {c + r for r, c in kept}), 2))
    options = {
        "placed": placed,
        "blocked": blocked,
        "excluded_diagonals": differences,
        "excluded_antidiagonals": sums,
    }
    rules: list[Rule] = [
        lambda board: board.issuperset(placed),
        lambda board: board.isdisjoint(blocked),
        lambda board: not any(column - row in differences or column + row in sums for row, column in board),
    ]
    return {name: values for name, values in options.items() if values}, rules


@st.composite
def region_rules(draw: st.DrawFn, n: int, known: Squares) -> tuple[dict[str, Any], Rule]:
    """Regions in one of the ways of writing them, often such that the known board has a queen in each."""
    labels = draw(st.lists(st.integers(0, n - 1), min_size=n * n, max_size=n * n))
    grid = [labels[row * n : row * n + n] for row in range(n)]
    for row, column in known or enumerate(draw(st.permutations(range(n)))):
        grid[row][column] = row
    cells = regions_of(grid)
    written: Any = draw(
        st.sampled_from(
            [
                grid,
                tuple("".join("abcdef"[label] for label in row) for row in grid),
                [[(None, 2.5, frozenset("c"), "d", -7, b"f")[label] for label in row] for row in grid],
                list(cells.values()),
                {str(label): set(region) for label, region in cells.items()},
            ]
        )
    )
    return {"regions": written}, one_in_each(cells.values())


@st.composite
def posed(draw: st.DrawFn, with_pieces: bool = False) -> Posed:
    n = draw(st.sampled_from([4, 3, 2, 1] if with_pieces else [5, 4, 6, 5, 6, 3, 2, 1]))
    kind = draw(st.sampled_from(["plain", "torus", "plain" if with_pieces else "touching", "reflecting"]))
    if with_pieces and kind == "reflecting":
        kind = "plain"
    rows = n if kind in ("torus", "reflecting") or draw(st.booleans()) else draw(st.integers(1, n + 1))
    pieces = draw(st.integers(0, 4)) if with_pieces else None
    options, attacks = draw(diagonal_rules(n, kind))
    more, further = draw(moves())
    options |= more
    if rows != n or draw(st.integers(0, 3)) == 0:
        options["rows"] = rows
    if pieces is not None:
        options["pieces"] = pieces
    boards = peaceful_boards(rows, n, pieces, attacks + further)
    if rows == n and pieces is None and kind != "reflecting" and draw(st.integers(0, 3)) == 0:
        options["symmetric"] = draw(st.sampled_from(["half turn", "quarter turn"]))
        turned = half_turned if options["symmetric"] == "half turn" else quarter_turned
        boards = {board for board in boards if board == turned(board, n)}
    known = frozenset(draw(st.sampled_from(sorted(map(sorted, boards))))) if boards else frozenset()
    more, rules = draw(marks(rows, n, known))
    options |= more
    if rows == n and pieces is None and kind != "reflecting" and draw(st.integers(0, 2)) == 0:
        more, rule = draw(region_rules(n, known))
        options |= more
        rules.append(rule)
    return Posed(n, options, {board for board in boards if all(rule(board) for rule in rules)})


def test_any_keywords_together_on_the_core(boards_of):
    @examples(300)
    @given(posed())
    def agree(drawn):
        assert boards_of(drawn.model, "core") == drawn.boards
        assert count(drawn.model, backend="core") == len(drawn.boards)

    agree()


def test_any_keywords_together_on_every_backend(backend, boards_of):
    @examples(25)
    @given(posed())
    def agree(drawn):
        assert boards_of(drawn.model, backend) == drawn.boards
        assert count(drawn.model, backend=backend) == len(drawn.boards)

    agree()


def test_any_keywords_together_with_pieces(general_backend, boards_of):
    @examples(60 if general_backend == "cp-sat" else 10)
    @given(posed(with_pieces=True))
    def agree(drawn):
        assert boards_of(drawn.model, general_backend) == drawn.boards
        assert count(drawn.model, backend=general_backend) == len(drawn.boards)

    agree()


# Puzzles and completions of others.


def cases(name: str) -> list[dict[str, Any]]:
    path = SHARED / "cases" / name
    if not path.exists():
        pytest.skip(f"{path} is not there: its boards can't be counted")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_region_puzzle_has_as_many_solutions_as_published():
    """The first solution in the file is the first in lexicographic order, as the core's is."""
    wrong = {}
    for case in cases("region_puzzles.jsonl"):
        if case["solutions"] > 10_000 and kernel.load()[0] is None:
            continue  # minutes in pure Python
        model = queens(case["n"], regions=case["regions"], touching=False)
        first = next(solutions(model, backend="core"))
        found = (count(model, backend="core"), [[column] for column in first["queen"]], bool(model.notes))
        expected = (case["solutions"], case["first_solution"], "disconnected_regions" in case)
        if found != expected:
            wrong[case["id"]] = (found, expected)
    assert wrong == {}


def test_small_region_puzzles_on_every_backend(backend, boards_of):
    small = [case for case in cases("region_puzzles.jsonl") if case["n"] <= 7 and case["solutions"] <= 20]
    for case in small[:: len(small) // 6]:
        model = queens(case["n"], regions=case["regions"], touching=False)
        boards = boards_of(model, backend)
        assert len(boards) == case["solutions"], case["id"]
        assert frozenset((row, columns[0]) for row, columns in enumerate(case["first_solution"])) in boards


def completions() -> list[dict[str, Any]]:
    return [case for case in cases("completion.jsonl") if case["n"] <= 14 and "solutions" in case]


def test_every_completion_has_as_many_solutions_as_published():
    counted = {
        case["id"]: count(queens(case["n"], placed=case["placed"], blocked=case["blocked"]), backend="core")
        for case in completions()
    }
    assert counted == {case["id"]: case["solutions"] for case in completions()}


def test_completions_with_excluded_diagonals():
    """The file numbers diagonals as row - column + n - 1 (kind 0) and row + column (kind 1); its blocked squares are theirs."""
    for case in completions():
        if excluded := case.get("excluded_diagonals"):
            n = case["n"]
            model = queens(
                n,
                placed=case["placed"],
                excluded_diagonals=[n - 1 - number for number, kind in excluded if kind == 0],
                excluded_antidiagonals=[number for number, kind in excluded if kind == 1],
            )
            assert count(model, backend="core") == case["solutions"], case["id"]


def test_small_completions_on_every_backend(backend):
    for case in completions():
        if case["n"] <= 8:
            model = queens(case["n"], placed=case["placed"], blocked=case["blocked"])
            assert count(model, backend=backend) == case["solutions"], case["id"]
