"""What the keywords of `queens` and the functions behind them refuse, and what they say then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from nqueens_cp import InvalidType, InvalidValue, Model, load_model, queens, variants
from nqueens_cp.errors import NQueensError
from refusals import refusal
from variant_rules import leaper

EITHER = (InvalidType, InvalidValue)
QUARTERS = ["1122", "1122", "3344", "3344"]


BAD_VALUES = [
    *(("rows", value, kind) for value, kind in [(-1, InvalidValue), (2.0, InvalidType), (True, InvalidType)]),
    *(("rows", value, kind) for value, kind in [("3", InvalidType), (10**9, InvalidValue), ([3], InvalidType)]),
    *(("pieces", value, kind) for value, kind in [(-1, InvalidValue), (2.5, InvalidType), (True, InvalidType)]),
    *(("pieces", value, InvalidType) for value in ("2", (2,))),
    *(("diagonals", value, InvalidValue) for value in ("sideways", "Both", "")),
    *(("diagonals", value, EITHER) for value in (5, True, ["rising"])),
    *(
        (flag, value, InvalidType)
        for flag in ("torus", "amazons", "touching", "reflecting")
        for value in (1, "no", None)
    ),
    *(("symmetric", value, InvalidValue) for value in ("mirror", "half", "")),
    *(("symmetric", value, EITHER) for value in (180, True, ["half turn"])),
    *(("leapers", value, InvalidType) for value in (5, "12", None, [5], ["12"], [(1.0, 2)], [(1, True)], [(1, "2")])),
    *(("leapers", [value], InvalidValue) for value in ((1,), (1, 2, 3), (), (0, 0))),
    *(("attack", value, InvalidType) for value in (5, "knight", True)),
    *(
        (keyword, value, InvalidType)
        for keyword in ("excluded_diagonals", "excluded_antidiagonals")
        for value in (3, "12", None, [1.0], [True], ["0"], [(0, 1)])
    ),
    *(("excluded_diagonals", [value], InvalidValue) for value in (4, -4)),  # on a board of 4 x 4 there are none
    *(("excluded_antidiagonals", [value], InvalidValue) for value in (7, -1)),
    *(("regions", value, InvalidType) for value in (5, 2.5, True)),
    *(
        ("regions", value, EITHER)
        for value in ("1122", [1, 2, 3, 4], [None] * 4, [[{}] * 4] * 4, {1: 1, 2: 2, 3: 3, 4: 4})
    ),
    ("regions", {"a": ["00"], "b": [], "c": [], "d": []}, EITHER),
]


def parts(value: Any) -> Iterator[Any]:
    """The value and all that is in it: what a message may name."""
    yield value
    if isinstance(value, list | tuple | dict):
        for part in [*value, *(value.values() if isinstance(value, dict) else ())]:
            yield from parts(part)


@pytest.mark.parametrize(("keyword", "value", "kind"), BAD_VALUES, ids=repr)
def test_bad_values(keyword, value, kind):
    message = refusal(lambda: queens(4, **{keyword: value}), kind)
    assert keyword.removeprefix("excluded_") in message, message
    assert any(repr(part) in message for part in parts(value)), message


def test_the_message_of_a_wrong_word_lists_the_right_ones():
    message = refusal(lambda: queens(4, diagonals="sideways"), InvalidValue)
    assert all(word in message for word in ("both", "falling", "rising", "none", "sideways")), message
    message = refusal(lambda: queens(4, symmetric="mirror"), InvalidValue)
    assert all(word in message for word in ("half turn", "quarter turn", "mirror")), message


HALF, QUARTER = {"symmetric": "half turn"}, {"symmetric": "quarter turn"}
GRID = {"regions": QUARTERS}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rows": 3, "torus": True}, ["torus", "3", "4", "square"]),
        ({"rows": 5, "torus": True, "diagonals": "rising"}, ["torus", "5", "4", "square"]),
        ({"rows": 3, "pieces": 2, "torus": True}, ["torus", "3", "4", "square"]),
        ({"rows": 3, **HALF}, ["symmetric", "3", "4", "square"]),
        ({"rows": 5, **QUARTER}, ["symmetric", "5", "4", "square"]),
        ({"rows": 3, **GRID}, ["regions", "3", "4", "square"]),
        ({"rows": 5, **GRID}, ["regions", "5", "4", "square"]),
        ({"torus": True, "diagonals": "none"}, ["torus", "diagonals"]),
        ({"torus": True, "touching": False}, ["torus", "diagonals"]),  # a no-touch board has no long diagonals
        ({"reflecting": True, "diagonals": "both"}, ["reflecting", "diagonals"]),
        ({"reflecting": True, "diagonals": "none"}, ["reflecting", "diagonals"]),
        ({"reflecting": True, "torus": True}, ["reflecting", "torus"]),
        ({"pieces": 2, **GRID}, ["pieces", "regions"]),
        ({"pieces": 2, **HALF}, ["pieces", "symmetric"]),
        ({"pieces": 0, **QUARTER}, ["pieces", "symmetric"]),
        ({"pieces": 2, "reflecting": True}, ["pieces", "reflecting"]),
    ],
)
def test_keywords_that_make_no_sense_together(options, words):
    message = refusal(lambda: queens(4, **options), InvalidValue)
    assert all(word in message for word in words), message


FUNCTIONS: dict[str, Callable[[Any], None]] = {
    "placed": lambda model: variants.placed(model, [(0, 0)]),
    "blocked": lambda model: variants.blocked(model, [(0, 0)]),
    "excluded_diagonals": lambda model: variants.excluded_diagonals(model, [0]),
    "diagonals": lambda model: variants.diagonals(model),
    "torus": lambda model: variants.torus(model),
    "amazons": lambda model: variants.amazons(model),
    "leapers": lambda model: variants.leapers(model, [(1, 2)]),
    "attack": lambda model: variants.attack(model, leaper(1, 2)),
    "no_touch": lambda model: variants.no_touch(model),
    "regions": lambda model: variants.regions(model, QUARTERS),
    "symmetric": lambda model: variants.symmetric(model, "half turn"),
    "reflecting": lambda model: variants.reflecting(model),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_want_a_model_with_a_board(name):
    message = refusal(lambda: FUNCTIONS[name](Model("bare")), InvalidValue)
    assert all(word in message for word in (name, "bare", "board")), message
    for value in (4, "queens", None):
        message = refusal(lambda value=value: FUNCTIONS[name](value), InvalidType)
        assert all(word in message for word in (name, repr(value))), message


@pytest.mark.parametrize("name", ["torus", "regions", "symmetric"])
def test_functions_that_want_a_square_board(name):
    model = queens(4, rows=3)
    before = str(model)
    message = refusal(lambda: FUNCTIONS[name](model), InvalidValue)
    assert all(word in message for word in (name, "3", "4", "square")), message
    assert str(model) == before
    message = refusal(lambda: variants.diagonals(model, "rising", torus=True), InvalidValue)
    assert "square" in message
    assert str(model) == before


@pytest.mark.parametrize("name", ["regions", "symmetric", "reflecting"])
def test_functions_that_want_a_queen_in_each_row(name):
    model = queens(4, pieces=2)
    before = str(model)
    assert name in refusal(lambda: FUNCTIONS[name](model), InvalidValue)
    assert str(model) == before


def test_a_refused_value_leaves_the_model_as_it_was():
    model = queens(4)
    before = str(model)
    for ask in (
        lambda: variants.placed(model, [(0, 0), (9, 9)]),
        lambda: variants.blocked(model, [(0, 0), (9, 9)]),
        lambda: variants.excluded_diagonals(model, [0], [1.5]),
        lambda: variants.leapers(model, [(1, 2), (1,)]),
        lambda: variants.regions(model, ["1122", "1122", "3344", "334"]),
        lambda: variants.diagonals(model, "sideways"),
        lambda: variants.symmetric(model, "mirror"),
    ):
        refusal(ask, EITHER)
    assert str(model) == before
    assert model.notes == []


def test_everything_but_the_size_is_a_keyword():
    with pytest.raises(TypeError):
        queens(4, 3)


@pytest.mark.parametrize(
    ("name", "parameters", "word"),
    [
        ("kings", {"n": 3, "most": "false"}, "most"),
        ("kings", {"n": -1}, "-1"),
        ("kings", {"n": 20, "number": "x"}, "number"),
        ("completion", {"n": 4, "placed": 1}, "placed"),
    ],
)
def test_parameters_of_models(name, parameters, word):
    assert word in refusal(lambda: load_model(name, **parameters), NQueensError)
