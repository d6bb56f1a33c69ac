"""Each keyword of `queens` is its function, applied to a model, and keeps the rule in plain words."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from nqueens_cp import Model, all_different, queens, variants
from variant_rules import (
    Rule,
    Square,
    falling,
    falling_on_the_torus,
    half_turned,
    leaper,
    one_in_each,
    peaceful,
    quarter_turned,
    reflected,
    regions_of,
    rising,
    rising_on_the_torus,
    touch,
)


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
        {"diagonals": "rising", "torus": True},
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
