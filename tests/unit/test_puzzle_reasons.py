"""Why a puzzle has no solution: read back as constraints, the reasons cannot hold together, and without any one they can."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest
from ortools.sat.python import cp_model

from nqueens_cp import SearchInterrupted, SearchStopped, puzzle
from nqueens_cp.puzzles import reasons

QUARTERS = ("AABB", "AABB", "CCDD", "CCDD")
STARS = {"one queen": 1, "two queens": 2, "three queens": 3}


def squares_in(text):
    return [(int(r), int(c)) for r, c in re.findall(r"\((\d+), (\d+)\)", text)]


def can_hold(grid, told):
    """Read sentences as constraints of a model of CP-SAT, and say whether it has a solution."""
    cells = {(r, c): label for r, row in enumerate(grid) for c, label in enumerate(row)}
    touching = [pair for pair in combinations(cells, 2) if max(abs(a - b) for a, b in zip(*pair, strict=True)) == 1]
    model = cp_model.CpModel()
    queen = {cell: model.new_bool_var(str(cell)) for cell in cells}
    for sentence in told:
        squares = squares_in(sentence)
        if unit := re.fullmatch(r"(row|column|region) (\S+) has (.*)", sentence):
            key = {"row": lambda c: str(c[0]), "column": lambda c: str(c[1]), "region": lambda c: cells[c]}[unit[1]]
            model.add(sum(queen[cell] for cell in cells if key(cell) == unit[2]) == STARS[unit[3]])
        elif sentence == "no two queens touch" or sentence.endswith(" touch"):
            for a, b in touching if not squares else [squares]:
                assert (a, b) in touching
                model.add(queen[a] + queen[b] <= 1)
        else:
            assert sentence.startswith(("given: ", "crossed: "))
            for cell in squares:
                model.add(queen[cell] == sentence.startswith("given"))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return solver.solve(model) == cp_model.OPTIMAL


def boards():
    draw = random.Random(3)
    for _ in range(40):
        n = draw.randint(1, 6)
        labels = [*range(n), *(draw.randrange(n) for _ in range(n * n - n))]
        if draw.random() < 0.5:
            labels.sort()
        else:
            draw.shuffle(labels)
        cells = [(r, c) for r in range(n) for c in range(n)]
        yield puzzle(
            [["ABCDEF"[k] for k in labels[row * n : row * n + n]] for row in range(n)],
            given=draw.sample(cells, min(n, draw.choice([0, 0, 1, 2]))),
            crossed=draw.sample(cells, draw.choice([0, 1, n])),
            stars=draw.choice([1, 1, 2, 3]),
        )


def test_reasons_cannot_hold_together_and_none_can_be_left_out():
    explained = 0
    for made in boards():
        answer = made.solve()
        if answer.status == "none":
            grid = [[made.labels[k] for k in row] for row in made.grid]
            assert not can_hold(grid, answer.reasons), (made, answer.reasons)
            for reason in answer.reasons:
                assert can_hold(grid, [other for other in answer.reasons if other != reason]), (made, reason)
            explained += 1
    assert explained > 20


@pytest.mark.parametrize(
    ("given", "crossed", "stars", "told"),
    [
        ([(0, 0), (0, 2)], [], 1, ("row 0 has one queen", "given: queens at (0, 0) and (0, 2)")),
        ([(0, 0), (3, 0)], [], 1, ("column 0 has one queen", "given: queens at (0, 0) and (3, 0)")),
        ([(0, 1), (1, 2)], [], 1, ("(0, 1) and (1, 2) touch", "given: queens at (0, 1) and (1, 2)")),
        ([(1, 1)], [(1, 1)], 1, ("given: a queen at (1, 1)", "crossed: (1, 1)")),
        ([(0, 0), (0, 2), (1, 3)], [], 1, ("(0, 2) and (1, 3) touch", "given: queens at (0, 2) and (1, 3)")),
        (
            [],
            [(2, 0), (2, 1), (2, 2), (2, 3)],
            1,
            ("row 2 has one queen", "crossed: (2, 0), (2, 1), (2, 2) and (2, 3)"),
        ),
    ],
)
def test_what_can_be_seen_at_a_glance(given, crossed, stars, told):
    assert puzzle(QUARTERS, given=given, crossed=crossed, stars=stars).solve().reasons == told


def test_given_queens_of_one_region():
    answer = puzzle(["AAAB", "AAAB", "CCAB", "CCDD"], given=[(0, 0), (2, 2)]).solve()
    assert answer.reasons == ("region A has one queen", "given: queens at (0, 0) and (2, 2)")


def test_a_board_of_one_cell_with_two_stars():
    assert puzzle(["A"], stars=2, crossed=[(0, 0)]).solve().reasons == ("row 0 has two queens",)


def test_when_it_is_stopped_before_the_reason_is_found(monkeypatch):
    impossible = puzzle(QUARTERS, given=[(0, 0)])

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(reasons, "_at_a_glance", interrupted)
    with pytest.raises(SearchInterrupted, match="no solution; interrupted before the reason") as caught:
        impossible.solve()
    assert caught.value.partial.status == "none"
    assert caught.value.partial.sentence == "no solution"

    def stopped(*_):
        raise reasons.TimeLimitReached

    monkeypatch.setattr(reasons, "_at_a_glance", stopped)
    with pytest.raises(SearchStopped, match="no solution; the time limit of 100 s") as caught:
        impossible.solve(time_limit=100)
    assert caught.value.partial.status == "none"
