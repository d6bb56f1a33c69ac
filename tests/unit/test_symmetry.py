"""Symmetries of boards: the group, the smallest boards of orbits, and counts up to symmetry."""

from __future__ import annotations

import itertools
import math

import pytest

from nqueens_cp import (
    Model,
    SearchInterrupted,
    SearchStopped,
    Status,
    UnsupportedModel,
    all_different,
    count_up_to_symmetry,
    queens,
    solutions,
    symmetry_group,
)
from nqueens_cp.symmetry import Symmetry
from plain_boards import MOVES, OF_RECTANGLES, image

np = pytest.importorskip("numpy")

ALL = {symmetry.name for symmetry in Symmetry}
TURNS = {"IDENTITY", "HALF_TURN", "QUARTER_TURN", "THREE_QUARTER_TURN"}
DIAGONALS = {"IDENTITY", "HALF_TURN", "DIAGONAL", "ANTIDIAGONAL"}
WORDS = {
    "IDENTITY": "identity",
    "HALF_TURN": "half turn",
    "LEFT_RIGHT": "left-right mirror",
    "UPSIDE_DOWN": "upside-down mirror",
    "QUARTER_TURN": "quarter turn",
    "THREE_QUARTER_TURN": "three-quarter turn",
    "DIAGONAL": "reflection in the falling diagonal",
    "ANTIDIAGONAL": "reflection in the rising diagonal",
}


def names(group) -> set[str]:
    return {element.name for element in group.elements}


def folded(found: set[tuple[int, ...]], width: int, group: set[str]) -> set[frozenset[tuple[int, ...]]]:
    """The orbits of a set of solutions."""
    return {frozenset(image(name, columns, width) for name in group) for columns in found}


@pytest.mark.parametrize("symmetry", Symmetry)
def test_squares_go_where_they_should(symmetry):
    assert str(symmetry) == WORDS[symmetry.name]
    for row, column in itertools.product(range(4), range(4)):
        assert symmetry.square((row, column), 4, 4) == MOVES[symmetry.name](row, column, 4, 4)
    if not symmetry.transposes:
        assert symmetry.square((2, 1), 3, 5) == MOVES[symmetry.name](2, 1, 3, 5)


@pytest.mark.parametrize(("second", "first"), list(itertools.product(Symmetry, Symmetry)))
def test_composition_is_one_after_the_other(second, first):
    both = second.after(first)
    for square in itertools.product(range(3), range(3)):
        assert both.square(square, 3, 3) == second.square(first.square(square, 3, 3), 3, 3)


def test_the_square_has_ten_groups_of_symmetries():
    group = symmetry_group(8)
    subgroups = group.subgroups()
    assert [len(elements) for elements in subgroups] == [8, 4, 4, 4, 2, 2, 2, 2, 2, 1]
    for elements in subgroups:
        assert all(a.after(b) in elements for a in elements for b in elements)


# The groups of these boards are plain to see.
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (lambda: 8, ALL),
        (lambda: 1, ALL),
        (lambda: queens(7, rows=5), OF_RECTANGLES),
        (lambda: queens(6, blocked=[(0, 0), (5, 5)]), DIAGONALS),
        (lambda: queens(8, blocked=[(0, 1)]), {"IDENTITY"}),
        (lambda: queens(8, blocked=[(0, 1), (1, 7), (7, 6), (6, 0)]), TURNS),
        (lambda: queens(8, blocked=[(3, 1), (3, 6)]), {"IDENTITY", "LEFT_RIGHT"}),
        (lambda: queens(8, blocked=[(1, 3), (6, 3)]), {"IDENTITY", "UPSIDE_DOWN"}),
        (lambda: queens(9, placed=[(4, 4)]), ALL),
        (lambda: queens(9, placed=[(2, 2)]), {"IDENTITY", "DIAGONAL"}),
        (lambda: queens(8, placed=[(1, 4), (6, 3)]), {"IDENTITY", "HALF_TURN"}),
        (lambda: queens(7, diagonals="falling"), DIAGONALS),
        (lambda: queens(7, diagonals="none"), ALL),
        (lambda: queens(7, torus=True), ALL),
        (lambda: queens(7, torus=True, diagonals="rising"), DIAGONALS),
        (lambda: queens(10, amazons=True), ALL),
        (lambda: queens(8, touching=False), ALL),
        (lambda: queens(8, symmetric="half turn"), ALL),
        (lambda: queens(12, symmetric="quarter turn"), ALL),
        (lambda: queens(8, reflecting=True), {"IDENTITY", "LEFT_RIGHT"}),
        (lambda: queens(4, regions=["AABB", "AABB", "CCDD", "CCDD"], touching=False), ALL),
        (lambda: queens(4, regions=["AAAB", "CABB", "CCDB", "CDDD"], diagonals="none"), TURNS),
        (lambda: queens(4, regions=["AAAB", "AABB", "CCDB", "CDDD"], diagonals="none"), {"IDENTITY"}),
        (lambda: queens(6, attack=lambda a, b: abs(a[0] - b[0]) == 2 and b[1] - a[1] == 2 * (b[0] - a[0])), None),
    ],
)
def test_groups(model, expected):
    stated = model()
    group = symmetry_group(stated)
    found = {solution.values for solution in solutions(stated)}
    assert all(image(name, columns, group.columns) in found for name in names(group) for columns in found)
    if expected is not None:
        assert names(group) == expected


def test_diagonals_that_are_columns_of_a_slanted_board():
    model = Model("slanted")
    queen = model.int_vars("queen", 5, domain=range(5))
    model.add(all_different(queen[i] + i for i in range(5)))
    model.add(all_different(queen[i] + 2 * i for i in range(5)))
    model.board(queen)
    assert names(symmetry_group(model)) == {"IDENTITY", "HALF_TURN"}


def test_a_board_too_large_for_a_table_but_open():
    assert len(symmetry_group(1000)) == 8
    with pytest.raises(UnsupportedModel, match="999,999 squares"):
        symmetry_group(queens(1000, blocked=[(0, 0)]))


def grid() -> Model:
    return queens(4, pieces=3)


def without_board() -> Model:
    model = Model("plain")
    model.add(all_different(model.int_vars("x", 3, domain=range(3))))
    return model


def with_another_variable() -> Model:
    model = queens(5)
    model.int_var("more", range(2))
    return model


def with_a_sum() -> Model:
    model = queens(5)
    model.add(sum(model.variables[:3]) >= 2)
    return model


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (grid, "a variable for each square"),
        (without_board, "is no board"),
        (with_another_variable, "not just those of the rows"),
        (with_a_sum, "joins 3 variables"),
    ],
)
def test_what_is_no_board_of_rows_is_refused_with_the_reason(model, reason):
    with pytest.raises(UnsupportedModel, match=reason):
        symmetry_group(model())
    with pytest.raises(UnsupportedModel, match=reason):
        count_up_to_symmetry(model())


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
@pytest.mark.parametrize("model", [8, queens(5, rows=4), queens(7, blocked=[(0, 0), (6, 6)])], ids=["8", "4x5", "7"])
def test_representatives_are_the_smallest_of_their_orbits(model, dtype):
    group = symmetry_group(model)
    found = {solution.values for solution in solutions(model)}
    orbits = folded(found, group.columns, names(group))
    batch = np.array(sorted(found), dtype=dtype)
    mask, sizes = group.representatives(batch)
    assert mask.dtype == bool
    chosen = {tuple(map(int, row)): int(size) for row, size in zip(batch[mask], sizes[mask], strict=True)}
    assert chosen == {min(orbit): len(orbit) for orbit in orbits}
    assert not sizes[~mask].any()


def test_representatives_of_nothing_and_of_the_empty_board():
    mask, sizes = symmetry_group(8).representatives(np.zeros((0, 8), dtype=np.uint8))
    assert (mask.shape, sizes.shape) == ((0,), (0,))
    mask, sizes = symmetry_group(0).representatives(np.zeros((1, 0), dtype=np.uint8))
    assert (mask.tolist(), sizes.tolist()) == ([True], [1])


def test_the_orbit_of_a_board():
    columns = (0, 4, 7, 5, 2, 6, 1, 3)
    assert symmetry_group(8).orbit(columns) == sorted({image(name, columns, 8) for name in ALL})


def test_counts_up_to_symmetry_are_the_published_ones(published):
    for n in range(1, 15):
        counted = count_up_to_symmetry(n)
        sizes = dict.fromkeys((8, 4, 2, 1), 0) | counted.sizes
        assert counted.orbits == published["A002562"][n]
        assert counted.solutions == published["A000170"][n]
        assert sizes[8] == published["A260320"][n]
        # The boards that half a turn leaves as they are have orbits of size 4 or less, those of a quarter of a turn, 2.
        assert 4 * sizes[4] + 2 * sizes[2] + sizes[1] == published["A032522"][n]
        assert 2 * sizes[2] + sizes[1] == published["A033148"][n]


def test_eight_queens_and_a_rectangle():
    counted = count_up_to_symmetry(8)
    assert (counted.orbits, counted.solutions, counted.sizes) == (12, 92, {8: 11, 4: 1})
    assert str(counted) == "12 up to 8 symmetries: 11 of size 8, 1 of size 4 (92 solutions)"
    counted = count_up_to_symmetry(queens(5, rows=4))
    assert (counted.orbits, counted.solutions) == (4, 12)


def test_boards_without_and_with_one_solution():
    assert count_up_to_symmetry(3).sizes == {}
    assert count_up_to_symmetry(0).sizes == {1: 1}


@pytest.mark.parametrize("backend", ["core", "cp-sat", "python-constraint"])
@pytest.mark.parametrize(
    "model",
    [6, queens(5, torus=True), queens(5, rows=3), queens(4, diagonals="none"), queens(5, blocked=[(0, 0)])],
    ids=["6", "torus", "3x5", "rooks", "blocked"],
)
def test_any_backend_counts_the_same_orbits(backend, model):
    group = symmetry_group(model)
    found = {solution.values for solution in solutions(model)}
    sizes = sorted(map(len, folded(found, group.columns, names(group))))
    counted = count_up_to_symmetry(model, backend=backend)
    assert counted.sizes == {size: sizes.count(size) for size in sorted(set(sizes), reverse=True)}


def test_two_workers_count_the_same(published):
    assert count_up_to_symmetry(12, workers=2).orbits == published["A002562"][12]


def interrupt(progress):
    if progress.found:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("stopped_by", "error"), [({"time_limit": 2}, SearchStopped), ({"progress": interrupt}, SearchInterrupted)]
)
def test_what_is_known_when_it_is_stopped(stopped_by, error):
    """Of 17 rooks there are at most 17! solutions, and at least an eighth of it up to symmetry."""
    with pytest.raises(error, match="up to symmetry") as stopped:
        count_up_to_symmetry(queens(17, diagonals="none"), **stopped_by)
    assert 0 <= stopped.value.partial < math.factorial(17) // 8
    assert stopped.value.partial > 0 or "time_limit" in stopped_by, "a busy machine may have found none in time"
    assert str(stopped.value.partial) in str(stopped.value)


def test_the_bound_is_below_the_published_count(published):
    with pytest.raises(SearchStopped) as stopped:
        count_up_to_symmetry(19, time_limit=0.5)
    assert stopped.value.status is Status.TIMEOUT
    assert 0 <= stopped.value.partial < published["A002562"][19]
