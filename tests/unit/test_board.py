"""Boards as text and as SVG, and the variants of queens() that they show."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from nqueens_cp import Model, Solution, all_different, queens, solutions, solve
from nqueens_cp.variants import blocked, placed, torus


def board_with(columns: list[int], **options) -> Solution:
    """The solution of queens() that has its queens in these columns."""
    for solution in solutions(queens(len(columns), **options)):
        if solution["queen"] == columns:
            return solution
    raise AssertionError(f"{columns} is no solution")


def test_text():
    solution = board_with([1, 3, 0, 2])
    expected = ". Q . .\n. . . Q\nQ . . .\n. . Q ."
    assert str(solution) == expected
    assert solution.board() == expected


def test_placed_and_blocked_squares_are_visible():
    solution = board_with([1, 3, 0, 2], placed=[(1, 3)], blocked=[(0, 0), (3, 3)])
    assert str(solution) == "x Q . .\n. . . P\nQ . . .\n. . Q x"


@pytest.mark.parametrize(("n", "text"), [(0, ""), (1, "Q")])
def test_the_smallest_boards(n, text):
    assert str(solve(n).solution) == text


def test_a_rectangular_board():
    model = Model("rectangle")
    queen = model.int_vars("queen", 2, range(4))
    model.add(queen[0] == 0, queen[1] == 2)
    model.board(queen, columns=5)
    assert str(solve(model).solution) == "Q . . . .\n. . Q . ."


def test_a_board_beside_other_variables():
    model = Model("more")
    queen, p = model.int_vars("queen", 2, range(2)), model.bool_var("p")
    model.add(all_different(queen), queen[0] == 0, p)
    model.board(queen)
    solution = solve(model).solution
    assert "Q .\n. Q" in str(solution)
    assert solution.board() == "Q .\n. Q"
    assert solution[p] == 1


def test_a_projection_away_from_the_board_is_no_board():
    model = queens(4)
    found = next(solutions(model, over=[model.variables[0]]))
    assert str(found) == f"queen[0] = {found['queen[0]']}"
    assert found._repr_svg_() is None


def test_no_board_no_picture():
    model = Model("plain")
    model.int_var("x", [3])
    solution = solve(model).solution
    assert solution._repr_svg_() is None
    assert str(solution) == "x = 3"


def test_svg_shows_every_kind_of_square():
    pictures = {
        name: board_with([1, 3, 0, 2], **options)._repr_svg_()
        for name, options in {
            "plain": {},
            "placed": {"placed": [(1, 3)]},
            "blocked": {"blocked": [(0, 0)]},
        }.items()
    }
    for picture in pictures.values():
        root = ElementTree.fromstring(picture)
        assert root.tag.endswith("svg")
        assert [element.get("class") for element in root.iter()].count("queen") == 4
    assert len(set(pictures.values())) == 3
    assert board_with([2, 0, 3, 1])._repr_svg_() != pictures["plain"]


@pytest.mark.parametrize("n", [0, 1])
def test_svg_of_the_smallest_boards(n):
    assert ElementTree.fromstring(solve(n).solution._repr_svg_()).tag.endswith("svg")


def boards(model: Model) -> set[tuple[int, ...]]:
    return {tuple(solution["queen"]) for solution in solutions(model)}


def test_keywords_and_functions_say_the_same():
    by_hand = queens(6)
    placed(by_hand, [(0, 1)])
    blocked(by_hand, [(5, 5), (3, 1)])
    assert boards(by_hand) == boards(queens(6, placed=[(0, 1)], blocked=[(5, 5), (3, 1)])) == {(1, 3, 5, 0, 2, 4)}
    on_the_torus = queens(5)
    torus(on_the_torus)
    assert boards(on_the_torus) == boards(queens(5, torus=True))
    assert str(solve(by_hand).solution).splitlines()[0] == ". P . . . ."


def test_variants_keep_exactly_the_boards_that_they_describe():
    all_boards = boards(queens(6))
    for square in ((0, 1), (2, 2), (5, 5), (3, 0)):
        holding = {board for board in all_boards if board[square[0]] == square[1]}
        assert boards(queens(6, placed=[square])) == holding
        assert boards(queens(6, blocked=[square])) == all_boards - holding


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_the_torus_wraps_both_diagonals(n):
    wrapped = {
        board
        for board in boards(queens(n))
        if len({(c + r) % n for r, c in enumerate(board)}) == len({(c - r) % n for r, c in enumerate(board)}) == n
    }
    assert boards(queens(n, torus=True)) == wrapped


@pytest.mark.parametrize(
    ("make", "offender"),
    [
        (lambda: queens(4, placed=[(0, 4)]), "4"),
        (lambda: queens(4, placed=[(-1, 0)]), "-1"),
        (lambda: queens(4, placed=[(0, 1.0)]), "1.0"),
        (lambda: queens(4, placed=[(0, True)]), "True"),
        (lambda: queens(4, placed=[3]), "3"),
        (lambda: queens(4, placed=[(1, 2, 3)]), "(1, 2, 3)"),
        (lambda: queens(4, placed=5), "5"),
        (lambda: queens(4, blocked=[(9, 0)]), "9"),
        (lambda: queens(4, blocked="a1"), "a1"),
        (lambda: queens(4, blocked=[("0", 1)]), "'0'"),
        (lambda: queens(4, blocked=None), "None"),
        (lambda: queens(4, torus="yes"), "yes"),
        (lambda: queens(-1), "-1"),
        (lambda: queens(2.0), "2.0"),
        (lambda: queens(True), "True"),
        (lambda: queens("8"), "'8'"),
        (lambda: queens(10**9), str(10**9)),
        (lambda: placed(Model("no board"), [(0, 0)]), "board"),
        (lambda: torus(Model("no board")), "board"),
        (lambda: blocked("queens", [(0, 0)]), "queens"),
    ],
)
def test_bad_squares_are_refused_by_value(make, offender):
    with pytest.raises((ValueError, TypeError)) as refused:
        make()
    message = str(refused.value)
    assert offender in message.replace(",", "") or offender in message
    assert "\n" not in message


def test_coordinates_count_from_zero():
    """The queen given at row 1, column 3 stands in the second line, fourth square."""
    assert str(board_with([1, 3, 0, 2], placed=[(1, 3)])).splitlines()[1].split() == [".", ".", ".", "P"]
