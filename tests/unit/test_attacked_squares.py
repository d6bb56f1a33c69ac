"""The squares that are marked as attacked, against rules in plain Python."""

from __future__ import annotations

import itertools

import pytest

from nqueens_cp import (
    InvalidValue,
    Model,
    load_model,
    puzzle,
    queens,
    sheet,
    solutions,
    solve,
)
from svg_reading import squares_of


def queen_attacks(r: int, c: int, s: int, d: int) -> bool:
    return r == s or c == d or abs(r - s) == abs(c - d)


def on_torus(n: int):
    return lambda r, c, s, d: r == s or c == d or (r - s - c + d) % n == 0 or (r - s + c - d) % n == 0


RULES = {
    "some queens": (lambda: load_model("some_queens", n=6, number=3), queen_attacks),
    "queens anywhere": (lambda: queens(6, pieces=2), queen_attacks),
    "queens on a torus": (lambda: queens(6, pieces=2, torus=True), on_torus(6)),
    "amazons": (
        lambda: queens(6, pieces=2, amazons=True),
        lambda r, c, s, d: queen_attacks(r, c, s, d) or {abs(r - s), abs(c - d)} == {1, 2},
    ),
    "rooks": (lambda: load_model("some_rooks", n=4, number=2), lambda r, c, s, d: r == s or c == d),
    "bishops": (lambda: load_model("bishops", n=5, number=3), lambda r, c, s, d: abs(r - s) == abs(c - d)),
    "knights": (lambda: load_model("knights", n=4, number=3), lambda r, c, s, d: {abs(r - s), abs(c - d)} == {1, 2}),
    "kings": (lambda: load_model("kings", n=4, number=2), lambda r, c, s, d: max(abs(r - s), abs(c - d)) == 1),
    "no two stars touch": (
        lambda: load_model("star_battle", n=8),
        lambda r, c, s, d: max(abs(r - s), abs(c - d)) == 1,
    ),
    "domination, where queens may attack each other": (
        lambda: load_model("queens_domination", n=4, number=2),
        queen_attacks,
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_attacked_squares_of_solutions(name):
    build, attacks = RULES[name]
    for solution in itertools.islice(solutions(build()), 5):
        board = solution.diagram()
        expected = {
            (r, c)
            for r, c in itertools.product(range(board.rows), range(board.columns))
            if (r, c) not in board.pieces and any(attacks(r, c, s, d) for s, d in board.pieces)
        }
        assert squares_of(sheet(solution, attacked=True).svg(), "attacked") == [expected]
        assert squares_of(sheet(solution).svg(), "attacked") == [set()]


POSED = {
    "queens": (queens(6, placed=[(0, 1), (1, 3)], blocked=[(5, 5)]), queen_attacks),
    "rooks": (queens(5, placed=[(2, 2)], diagonals="none"), lambda r, c, s, d: r == s or c == d),
    "one diagonal": (
        queens(5, placed=[(2, 2)], diagonals="falling"),
        lambda r, c, s, d: r == s or c == d or r - c == s - d,
    ),
    "torus": (queens(5, placed=[(0, 3)], torus=True), on_torus(5)),
    "no two touch": (
        queens(6, placed=[(2, 2)], touching=False),
        lambda r, c, s, d: r == s or c == d or max(abs(r - s), abs(c - d)) == 1,
    ),
    "a rule of one's own": (
        queens(5, placed=[(1, 1)], attack=lambda a, b: abs(a[0] - b[0]) == 3),
        lambda r, c, s, d: queen_attacks(r, c, s, d) or abs(r - s) == 3,
    ),
}


@pytest.mark.parametrize("name", POSED)
def test_attacked_squares_of_boards_as_they_are_posed(name):
    model, attacks = POSED[name]
    board = model.require_board("this test")
    expected = {
        (r, c)
        for r, c in itertools.product(range(board.height), range(board.columns))
        if (r, c) not in board.placed | board.blocked and any(attacks(r, c, s, d) for s, d in board.placed)
    }
    assert squares_of(sheet(model, attacked=True).svg(), "attacked") == [expected]


def test_attacked_squares_where_the_core_cannot_take_the_model():
    model = queens(5, placed=[(0, 0)])
    model.add(model.variables[0] + model.variables[1] + model.variables[2] <= 9)
    attacked = {(r, c) for r, c in itertools.product(range(5), repeat=2) if queen_attacks(r, c, 0, 0)} - {(0, 0)}
    assert squares_of(sheet(model, attacked=True).svg(), "attacked") == [attacked]


def test_attacked_squares_of_puzzles():
    board = puzzle(["AABB", "AABB", "CCDD", "CCDD"], given=[(0, 1)])
    in_line = {(0, c) for c in range(4)} | {(r, 1) for r in range(4)}
    expected = in_line | {(0, 0), (1, 0), (1, 1), (1, 2)}
    assert squares_of(sheet(board, attacked=True).svg(), "attacked") == [expected - {(0, 1)}]
    two_stars = puzzle([str(r) * 8 for r in range(8)], given=[(0, 1), (4, 4), (4, 6)], stars=2)
    beside = {(r, c) for s, d in two_stars.given for r in range(s - 1, s + 2) for c in range(d - 1, d + 2)}
    inside = {(r, c) for r, c in beside if 0 <= r < 8 and 0 <= c < 8} | {(4, c) for c in range(8)}
    assert squares_of(sheet(two_stars, attacked=True).svg(), "attacked") == [inside - two_stars.given]


def test_a_board_without_pieces_has_no_attacked_squares():
    model = Model("whatever")
    model.board(model.int_vars("row", 3, domain=range(3)), piece="dragon")
    assert squares_of(sheet(model, attacked=True).svg(), "attacked") == [set()]


def test_nobody_knows_what_a_point_attacks():
    model = load_model("no_three_in_line", n=3)
    with pytest.raises(InvalidValue, match="point"):
        sheet(solve(model), attacked=True)
