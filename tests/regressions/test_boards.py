"""Faults 31 to 37, as far as plain constraints and `queens` state them: regions, touching, placed and blocked squares."""

from __future__ import annotations

import pytest

from nqueens_cp import InvalidValue, Model, Status, all_different, count, element, queens, solutions, solve


def regions(grid: list[list[int]]) -> Model:
    """Return the region rule: one queen in each row, column and region, neighbouring rows not touching."""
    n = len(grid)
    model = Model("regions")
    queen = model.int_vars("queen", n, domain=range(n))
    model.add(all_different(queen))
    model.add(all_different(element(row, column) for row, column in zip(grid, queen, strict=True)))
    model.add(*(abs(queen[i] - queen[i + 1]) >= 2 for i in range(n - 1)))
    model.board(queen)
    return model


@pytest.mark.parametrize("ids", [(1, 2, 3, 4), (0, 1, 2, 3), (-7, 1000, 3, 0), (9, 8, 7, 6)], ids=str)
def test_fault_31_region_ids_are_any_numbers(backend, ids):
    grid = [[ids[int(letter) - 1] for letter in row] for row in ("1122", "1122", "3344", "3344")]
    boards = {tuple(solution["queen"]) for solution in solutions(regions(grid), backend=backend)}
    assert boards == {(1, 3, 0, 2), (2, 0, 3, 1)}


def test_fault_32_regions_in_several_pieces(backend):
    grid = [[1, 2, 1, 2], [2, 1, 2, 1], [3, 4, 3, 4], [4, 3, 4, 3]]
    plain = [
        board
        for board in ([1, 3, 0, 2], [2, 0, 3, 1])  # the only two of four columns that do not touch
        if len({row[column] for row, column in zip(grid, board, strict=True)}) == 4
    ]
    assert sorted(solution["queen"] for solution in solutions(regions(grid), backend=backend)) == plain


@pytest.mark.parametrize(("n", "expected"), [(1, 1), (2, 0), (3, 0), (4, 2), (5, 14), (6, 90), (7, 646)])  # A002464
def test_fault_33_no_touch_looks_at_neighbouring_rows_only(backend, n, expected):
    model = Model("no-touch")
    queen = model.int_vars("queen", n, domain=range(n))
    model.add(all_different(queen))
    for i in range(n - 1):
        model.add(abs(queen[i] - queen[i + 1]) >= 2)
    assert count(model, backend=backend) == expected


def test_fault_34_a_second_solution_is_all_that_uniqueness_needs(backend):
    unique = queens(4, placed=[(0, 1)])
    found = solutions(unique, backend=backend, limit=2)
    assert [solution["queen"] for solution in found] == [[1, 3, 0, 2]]
    assert found.status is Status.COMPLETE
    found = solutions(5, backend=backend, limit=2)
    first, second = found
    assert first != second
    assert found.status is Status.LIMIT


@pytest.mark.parametrize(
    "placed",
    [[(0, 0), (1, 1)], [(2, 7), (7, 2)], [(0, 3), (5, 3)], [(6, 1), (3, 4), (0, 0)]],
    ids=["diagonal", "antidiagonal", "column", "two-of-three"],
)
def test_fault_35_placed_queens_that_attack(backend, placed):
    model = queens(8, placed=placed)
    assert solve(model, backend=backend).status is Status.UNSATISFIABLE
    assert count(model, backend=backend) == 0


@pytest.mark.parametrize("keyword", ["placed", "blocked"])
@pytest.mark.parametrize(
    "square",
    [(8, 0), (0, 8), (-1, 3), (3, -1), (100, 100), (1,), (1, 2, 3), (1.0, 2), ("a", 1), (True, 2), 5, None],
    ids=repr,
)
def test_fault_35_squares_off_the_board_are_refused(keyword, square):
    with pytest.raises((InvalidValue, TypeError), match=keyword):
        queens(8, **{keyword: [square]})


@pytest.mark.parametrize(
    ("n", "blocked", "expected"),
    [
        (4, [(0, 1)], 1),
        (4, [(0, 0)], 2),
        (5, [(2, 2)], 8),
        (8, [(0, 0)], 88),
        (8, [(7, 0)], 88),
        (8, [(0, 7), (0, 7)], 88),
        (4, [(0, 1), (0, 2)], 0),
        (1, [(0, 0)], 0),
        (4, [(1, column) for column in range(4)], 0),
        (6, [], 4),
    ],
)
def test_fault_36_blocked_squares(backend, n, blocked, expected):
    model = queens(n, blocked=blocked)
    assert count(model, backend=backend) == expected
    for solution in solutions(model, backend=backend):
        assert all(solution["queen"][row] != column for row, column in blocked)


@pytest.mark.parametrize("corner", [(0, 0), (0, 7), (7, 0), (7, 7)])
def test_fault_36_what_is_not_blocked_is_placed(backend, corner):
    assert count(queens(8, placed=[corner]), backend=backend) == 92 - 88


def test_fault_36_placed_and_blocked_at_once(backend):
    assert count(queens(5, placed=[(0, 0)], blocked=[(1, 2)]), backend=backend) == 1
    assert count(queens(5, placed=[(2, 2)]), backend=backend) == 10 - 8


def test_fault_37_the_same_board_again(backend):
    expected = {1: 1, 4: 2, 6: 4, 7: 40}
    for _ in range(3):
        for n, number in expected.items():
            assert count(n, backend=backend) == number
            assert count(queens(n, torus=True), backend=backend) == {1: 1, 4: 0, 6: 0, 7: 28}[n]  # A051906
    first, second = (solve(queens(8), backend=backend, seed=5).solution["queen"] for _ in range(2))
    assert first == second


def test_fault_37_two_models_do_not_share_variables(backend):
    one, other = queens(5), queens(6)
    assert [count(model, backend=backend) for model in (one, other, one, other)] == [10, 4, 10, 4]
