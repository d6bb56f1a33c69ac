"""Odd values for the keywords of `queens`: the smallest boards, NumPy, generators, nothing at all."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from nqueens_cp import InvalidType, InvalidValue, Model, count, explain_unsatisfiable, queens, solutions
from refusals import refusal
from variant_rules import Square, leaper

knight = leaper(1, 2)

ROOKS = {"diagonals": "none"}


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        # (options, the counts of n = 0, 1, 2)
        ({}, (1, 1, 0)),
        ({"diagonals": "both"}, (1, 1, 0)),
        ({"diagonals": "falling"}, (1, 1, 1)),
        ({"diagonals": "rising"}, (1, 1, 1)),
        (ROOKS, (1, 1, 2)),
        ({"torus": True}, (1, 1, 0)),
        ({"torus": True, "diagonals": "falling"}, (1, 1, 0)),
        ({"amazons": True}, (1, 1, 0)),
        ({**ROOKS, "amazons": True}, (1, 1, 2)),
        ({**ROOKS, "leapers": [(1, 1)]}, (1, 1, 0)),
        ({**ROOKS, "attack": lambda one, other: True}, (1, 1, 0)),
        ({**ROOKS, "attack": lambda one, other: False}, (1, 1, 2)),
        ({"touching": False}, (1, 1, 0)),
        ({**ROOKS, "symmetric": "half turn"}, (1, 1, 2)),
        ({**ROOKS, "symmetric": "quarter turn"}, (1, 1, 0)),
        ({"reflecting": True}, (1, 1, 0)),
        ({"rows": 0}, (1, 1, 1)),
    ],
)
def test_the_smallest_boards(backend, options, numbers):
    assert tuple(count(queens(n, **options), backend=backend) for n in range(3)) == numbers


@pytest.mark.parametrize(
    ("n", "options", "number"),
    [
        (0, {"regions": []}, 1),
        (0, {"regions": {}}, 1),
        (1, {"regions": ["a"]}, 1),
        (1, {"regions": [[(0, 0)]]}, 1),
        (1, {"regions": {"a": [(0, 0)]}, "touching": False}, 1),
        (2, {"regions": ["ab", "ab"], **ROOKS}, 2),
        (2, {"regions": ["ab", "ba"], **ROOKS}, 0),
        (2, {"regions": {"a": [(0, 0), (1, 1)], "b": [(0, 1), (1, 0)]}, **ROOKS}, 0),
        (1, {"rows": 1}, 1),
        (2, {"rows": 1}, 2),
        (1, {"rows": 2}, 0),
        (2, {"rows": 3, **ROOKS}, 0),
    ],
)
def test_small_boards_of_other_shapes(backend, n, options, number):
    assert count(queens(n, **options), backend=backend) == number


@pytest.mark.parametrize("backend", ["cp-sat", "python-constraint", "auto"])
@pytest.mark.parametrize(
    ("n", "options", "number"),
    [
        (0, {"pieces": 0}, 1),
        (1, {"pieces": 0}, 1),
        (1, {"pieces": 1}, 1),
        (2, {"pieces": 0}, 1),
        (2, {"pieces": 1}, 4),
        (2, {"pieces": 2}, 0),
        (2, {"pieces": 2, **ROOKS}, 2),
        (2, {"pieces": 3, **ROOKS}, 0),
        (3, {"pieces": 2, "rows": 1}, 0),
        (3, {"pieces": 1, "rows": 1}, 3),
        (3, {"pieces": 2, "rows": 2}, 2),
        (3, {"pieces": 2, "rows": 2, "blocked": [(0, 0)]}, 1),
        (2, {"pieces": 2, "rows": 5, **ROOKS}, 20),
    ],
)
def test_small_boards_of_pieces(backend, n, options, number):
    model = queens(n, **options)
    names = [f"square[{r},{c}]" for r in range(options.get("rows", n)) for c in range(n)]
    assert [variable.name for variable in model.variables] == names
    assert count(model, backend=backend) == number
    for solution in solutions(model, backend=backend):
        assert sum(solution[name] for name in names) == options["pieces"]


@pytest.mark.parametrize(
    "options",
    [
        {"placed": [], "blocked": [], "excluded_diagonals": [], "excluded_antidiagonals": [], "leapers": []},
        {"placed": set(), "blocked": {}, "excluded_diagonals": frozenset(), "leapers": iter([])},
        {"rows": None, "pieces": None, "diagonals": None, "attack": None, "regions": None, "symmetric": None},
        {"torus": False, "amazons": False, "touching": True, "reflecting": False},
        {"torus": np.False_, "touching": np.True_, "rows": np.int8(5), "leapers": [(0, 7), (7, 7)]},
    ],
    ids=["lists", "others", "none", "defaults", "numpy"],
)
def test_what_changes_nothing(options, boards):
    assert boards(queens(5, **options)) == boards(queens(5))


@pytest.mark.parametrize(
    ("plain", "odd"),
    [
        ({"rows": 3}, {"rows": np.int64(3)}),
        ({"placed": [(0, 1)]}, {"placed": [[np.int32(0), np.int64(1)]]}),
        ({"placed": [(0, 1), (1, 3)]}, {"placed": np.array([[0, 1], [1, 3]])}),
        ({"blocked": [(0, 1), (1, 3)]}, {"blocked": {(1, 3), (0, 1)}}),
        ({"blocked": [(0, 1), (1, 3)]}, {"blocked": (iter(square) for square in [(0, 1), (1, 3)])}),
        ({"excluded_diagonals": [0, 1]}, {"excluded_diagonals": np.arange(2)}),
        ({"excluded_diagonals": [0, 1]}, {"excluded_diagonals": range(2)}),
        ({"excluded_antidiagonals": [4, 5]}, {"excluded_antidiagonals": {5, 4}}),
        ({"excluded_antidiagonals": [4, 5]}, {"excluded_antidiagonals": (number for number in (5, 4, 5))}),
        ({"leapers": [(1, 2), (2, 3)], **ROOKS}, {"leapers": np.array([[2, 1], [3, 2]]), **ROOKS}),
        ({"leapers": [(1, 2), (2, 3)], **ROOKS}, {"leapers": (move for move in {(1, 2), (2, 3), (2, 1)}), **ROOKS}),
        ({"amazons": True}, {"amazons": np.True_}),
        ({"attack": knight}, {"attack": lambda one, other: np.bool_(knight(one, other))}),
        ({"attack": knight}, {"attack": lambda one, other: one < other and knight(one, other)}),
        ({"attack": knight}, {"attack": lambda one, other: one > other and knight(one, other)}),
    ],
)
def test_odd_ways_of_saying_the_same(plain, odd, boards):
    model = queens(5, **odd)
    assert boards(model) == boards(model) == boards(queens(5, **plain))


def test_an_attack_is_asked_for_squares_in_different_rows(backend):
    asked: set[tuple[Square, Square]] = set()

    def attack(one: Square, other: Square) -> bool:
        asked.add((one, other))
        return False

    assert count(queens(3, attack=attack, diagonals="none"), backend=backend) == 6
    assert all(type(number) is int for pair in asked for square in pair for number in square)
    assert all(one[0] != other[0] for one, other in asked)
    squares = list(itertools.product(range(3), range(3)))
    for one, other in itertools.combinations(squares, 2):
        if one[0] != other[0] and one[1] != other[1]:
            assert (one, other) in asked or (other, one) in asked


def test_an_error_of_the_attack_passes_unchanged(backend):
    raised = ZeroDivisionError("of the caller")

    def attack(one: Square, other: Square) -> bool:
        raise raised

    with pytest.raises(ZeroDivisionError) as caught:
        count(queens(4, attack=attack), backend=backend)
    assert caught.value is raised


@pytest.mark.parametrize("answer", [None, "yes", 1, 0.0], ids=repr)
def test_an_attack_answers_true_or_false(backend, answer):
    message = refusal(lambda: count(queens(4, attack=lambda one, other: answer), backend=backend), InvalidType)
    assert repr(answer) in message


def test_pieces_that_do_not_touch():
    """Without the long diagonals, as many as rows: the permutations of A002464."""
    for n, number in ((3, 0), (4, 2), (5, 14)):
        assert count(queens(n, pieces=n, touching=False)) == number


def test_what_was_found_by_trying():
    assert count(queens(0, pieces=3), workers=2) == 0
    start = time.monotonic()
    assert len(queens(20_000, placed=[(0, 0)]).variables) == 20_000
    assert time.monotonic() - start < 20
    together = explain_unsatisfiable(
        queens(4, diagonals="none", regions=["ACCC", "DBDD", "ABAB", "CDCD"], placed=[(0, 0), (1, 1)])
    )
    assert together.sentences == ("no two queens share a region", "queens stand at (0, 0) and (1, 1)")
    number = explain_unsatisfiable(queens(4, pieces=1, placed=[(0, 0), (1, 2)]))
    assert number.sentences == ("the number of queens is 1", "queens stand at (0, 0) and (1, 2)")
    model = Model()
    x = model.int_var("x", range(3))
    for rows in ([x, x], [[x, model.bool_var("b")]]):
        assert refusal(lambda rows=rows: model.board(rows), InvalidValue)
