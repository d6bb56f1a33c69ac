"""Region puzzles: numbers of solutions against brute force, other backends and the boards of ../shared; answers, pictures."""

from __future__ import annotations

import itertools
import json
import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_cp import (
    InvalidType,
    InvalidValue,
    NoSolution,
    SearchStopped,
    Status,
    count,
    explain_unsatisfiable,
    puzzle,
)
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.core import kernel
from nqueens_cp.puzzles import quick
from nqueens_cp.puzzles.puzzle import Puzzle

BOARDS = Path(__file__).resolve().parents[3] / "shared" / "cases" / "region_puzzles.jsonl"
QUARTERS = ("AABB", "AABB", "CCDD", "CCDD")
TWO_STARS = (  # of models/star_battle.py
    "aabcccccb",
    "aabccdcbb",
    "aabbdddbb",
    "aabbbbbbb",
    "aaeeeebbb",
    "ffeeeeggg",
    "ffhhiiiig",
    "ffhhiiiii",
    "fffhhiiii",
)


def by_trying(grid, placed=(), crossed=()) -> set[tuple[tuple[int, int], ...]]:
    """All solutions with one queen in each unit, found by trying every order of the columns."""
    n = len(grid)
    return {
        queens
        for columns in itertools.permutations(range(n))
        if (queens := tuple(enumerate(columns)))
        and len({grid[r][c] for r, c in queens}) == n
        and all(abs(c - d) > 1 for (_, c), (_, d) in itertools.pairwise(queens))
        and set(placed) <= set(queens)
        and not set(crossed) & set(queens)
    }


def random_grid(n: int, choose: random.Random) -> list[list[int]]:
    """Labels 0 .. n - 1, each at least once; regions may be in several pieces."""
    labels = [*range(n), *(choose.randrange(n) for _ in range(n * n - n))]
    choose.shuffle(labels)
    if choose.random() < 0.5:
        labels.sort()  # large pieces
    return [labels[row * n : row * n + n] for row in range(n)]


@st.composite
def boards(draw, largest: int = 6) -> tuple[list[list[int]], list[tuple[int, int]], list[tuple[int, int]]]:
    n = draw(st.integers(1, largest))
    grid = random_grid(n, draw(st.randoms(use_true_random=False)))
    cell = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    return grid, draw(st.lists(cell, max_size=2)), draw(st.lists(cell, max_size=4))


@settings(max_examples=80, deadline=None)
@given(boards())
def test_random_boards(board):
    grid, placed, crossed = board
    expected = by_trying(grid, placed, crossed)
    made = puzzle(grid, given=placed, crossed=crossed)
    assert made.count() == len(expected)
    assert made.is_unique() == (len(expected) == 1)
    assert set(quick.first_two(made.grid, 1, made.given, made.crossed, 1000)) == expected
    found = quick.first_two(made.grid, 1, made.given, made.crossed)
    assert len(set(found)) == min(2, len(expected))
    assert set(found) <= expected


@settings(max_examples=25, deadline=None)
@given(boards(largest=5))
def test_the_model_and_its_explanation(board):
    grid, placed, crossed = board
    made = puzzle(grid, given=placed, crossed=crossed)
    expected = by_trying(grid, placed, crossed)
    assert count(made.model(), backend="cp-sat") == len(expected)
    answer = made.solve()
    assert answer.status == ("none", "unique", "several")[min(2, len(expected))]
    assert set(answer.solutions) <= expected
    assert bool(answer.reasons) == (not expected)


@pytest.mark.parametrize("before", [0, 1, 2])
def test_boards_that_are_too_hard_for_the_kernel_go_on_elsewhere(before, monkeypatch):
    whole = quick._squares

    def gives_up(*asked):
        yield from itertools.islice(whole(*asked), before)
        raise TimeLimitReached

    monkeypatch.setattr(quick, "_squares", gives_up)
    draw = random.Random(before)
    numbers = set()
    for _ in range(12):
        made = puzzle(random_grid(5, draw))
        expected = by_trying(made.grid)
        control = Control(100)
        end = control.deadline
        found = quick.first_two(made.grid, at_most=100, control=control)
        assert len(found) == len(set(found))
        assert set(found) == expected
        assert control.deadline == end
        numbers.add(min(len(expected), 3))
    assert len(numbers) > 2


def test_two_stars_by_trying():
    """Without regions a board of 8 rows has two placements (A389766); the regions are chosen so that one, both or none fit."""
    for seed in range(6):
        grid = _regions_of_two(next(_spaced_rows(8)), random.Random(seed), fitting=seed % 3 > 0)
        placements = [[(r, c) for r, columns in enumerate(rows) for c in columns] for rows in _spaced_rows(8)]
        assert len(placements) == 2
        expected = {
            tuple(queens)
            for queens in placements
            if all([grid[r][c] for r, c in queens].count(k) == 2 for k in range(8))
        }
        made = puzzle(grid, stars=2)
        assert {tuple(queens) for queens in quick.first_two(made.grid, 2, at_most=9)} == expected
        assert made.count() == len(expected)


def _regions_of_two(rows, choose: random.Random, fitting: bool) -> list[list[int]]:
    """Return random regions; if `fitting`, each has two of the queens."""
    grid = random_grid(8, choose)
    queens = [(r, c) for r, columns in enumerate(rows) for c in columns]
    choose.shuffle(queens)
    for i, (r, c) in enumerate(queens if fitting else ()):
        grid[r][c] = i // 2
    return grid


def _spaced_rows(n: int, above: tuple[tuple[int, int], ...] = ()):
    """Yield the pairs of columns of each row, no column more than twice and none touching."""
    if len(above) == n:
        yield above
        return
    used = [c for pair in above for c in pair]
    for a, b in itertools.combinations([c for c in range(n) if used.count(c) < 2], 2):
        last = above[-1] if above else ()
        if b - a > 1 and all(abs(c - d) > 1 for c in (a, b) for d in last):
            yield from _spaced_rows(n, (*above, (a, b)))


def test_two_stars_with_one_solution():
    made = puzzle(TWO_STARS, stars=2)
    answer = made.solve()
    assert answer.status == "unique"
    queens = answer.solution
    assert len(queens) == 18
    for k in range(9):
        assert [r for r, _ in queens].count(k) == [c for _, c in queens].count(k) == 2
        assert [made.grid[r][c] for r, c in queens].count(k) == 2
    moved = puzzle(TWO_STARS, stars=2, crossed=[queens[0]]).solve()
    assert moved.status == "none"
    assert any(f"crossed: {queens[0]}" in reason for reason in moved.reasons)


@pytest.mark.parametrize("stars", [1, 2, 3])
def test_a_region_that_is_the_whole_of_a_line(stars):
    rows = [[k] * 4 for k in "ABCD"]
    assert puzzle(rows, stars=stars).solve().status == ("several" if stars == 1 else "none")


def test_a_region_too_large_for_one_variable():
    n = 12
    single = [[11] * n for _ in range(n)]
    for row, column in enumerate([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9]):
        single[row][column] = row
    made = puzzle(single)
    assert max(sum(row.count(k) for row in single) for k in range(n)) > quick.LARGEST_DOMAIN
    form = quick.region_form(made.grid, (), ())
    assert len(form.domains) > n
    expected = count(made.model(), backend="cp-sat")
    assert made.count() == expected == 1
    assert made.solve().solution[-1] == (11, 11)
    loose = [["x"] * n for _ in range(n)]
    for k in range(n - 1):
        loose[k // 2][2 * k % n : 2 * k % n + 2] = [k, k]
    made = puzzle(loose)
    found = quick.first_two(made.grid, at_most=10**6)
    assert len(found) == len(set(found)) == made.count() == count(made.model(), backend="cp-sat")


def test_without_the_compiled_kernel(monkeypatch):
    grid = puzzle(QUARTERS).grid
    compiled = sorted(quick.first_two(grid)), quick.count(grid)
    monkeypatch.setattr(kernel, "for_table", lambda form, *, lexicographic: None)
    monkeypatch.setattr(kernel, "warn_if_missing", lambda: None)
    assert (sorted(quick.first_two(grid)), quick.count(grid)) == compiled


@pytest.mark.skipif(not BOARDS.exists(), reason=f"{BOARDS} is not there")
def test_the_boards_of_others_have_the_exact_numbers():
    records = [json.loads(line) for line in BOARDS.read_text(encoding="utf-8").splitlines()]
    assert len(records) > 100
    for record, made in zip(records, puzzle.read(BOARDS), strict=True):
        assert made.id == record["id"]
        assert made.count() == record["solutions"], made.id
        found = quick.first_two(made.grid)
        assert len(found) == min(2, record["solutions"])
        if record["solutions"] == 1:
            assert [[column] for _, column in found[0]] == record["first_solution"]
        assert len(made.notes) == record.get("disconnected_regions", 0)


@pytest.mark.skipif(not BOARDS.exists(), reason=f"{BOARDS} is not there")
def test_the_core_and_cp_sat_agree_on_boards_of_others():
    for made in puzzle.read(BOARDS)[::12]:
        if made.size < 12:
            assert len(list(itertools.islice(_cp_sat(made), 2))) == min(2, made.count())


def _cp_sat(made: Puzzle):
    from nqueens_cp import solutions

    return solutions(made.model(), backend="cp-sat", limit=2)


# Answers.


def test_several_solutions_differ():
    answer = puzzle(QUARTERS).solve()
    assert answer.status == "several"
    first, second = map(set, answer.solutions)
    assert first != second
    assert set(answer.differing) == first ^ second
    assert answer.solution == answer.solutions[0]
    text = str(answer)
    assert all(str(cell) in text for cell in answer.differing)
    assert ".12.\n2..1\n1..2\n.21." in text


def test_no_solution_is_explained():
    answer = puzzle(QUARTERS, given=[(0, 1), (0, 3)]).solve()
    assert answer.status == "none"
    assert answer.solutions == answer.differing == ()
    assert "given: queens at (0, 1) and (0, 3)" in answer.reasons
    with pytest.raises(NoSolution):
        answer.solution  # noqa: B018
    assert puzzle(QUARTERS, given=[(0, 1), (1, 2)]).solve().reasons == (
        "(0, 1) and (1, 2) touch",
        "given: queens at (0, 1) and (1, 2)",
    )
    assert puzzle(QUARTERS, given=[(0, 1)], crossed=[(0, 1)]).solve().reasons == (
        "given: a queen at (0, 1)",
        "crossed: (0, 1)",
    )
    assert puzzle(["A"], crossed=[(0, 0)]).solve().reasons[-1] == "crossed: (0, 0)"


def test_reasons_name_regions():
    grid = ["ABBBB", "ACCCC", "ADDDD", "AEEEE", "AEEEE"]
    answer = puzzle(grid, crossed=[(3, 0), (4, 0), (3, 1), (3, 2), (3, 3), (3, 4)]).solve()
    assert answer.status == "none"
    assert any(reason.startswith("row 3 ") for reason in answer.reasons)
    answer = puzzle(grid, crossed=[(0, column) for column in range(1, 5)]).solve()
    assert any(reason == "region B has one queen" for reason in answer.reasons)


def test_what_the_reasons_say_is_really_impossible():
    for seed in range(12):
        made = puzzle(random_grid(6, random.Random(seed)))
        answer = made.solve()
        if answer.status == "none":
            assert count(made.model()) == 0
            assert len(explain_unsatisfiable(made.model()).constraints) >= len(answer.reasons)


def test_a_time_limit_is_kept_and_told():
    with pytest.raises(TimeLimitReached):
        quick.count([[k] * 40 for k in range(40)], control=Control(0.05))
    rows = puzzle([[k] * 40 for k in range(40)])
    with pytest.raises(SearchStopped, match="at least") as stopped:
        rows.count(time_limit=0.1)
    assert stopped.value.status is Status.TIMEOUT
    assert stopped.value.partial > 0
    stars = puzzle([[k] * 30 for k in range(30)], stars=3)
    with pytest.raises(SearchStopped):
        stars.count(time_limit=0.5)


@pytest.mark.parametrize("value", [0, -1, "1", True])
def test_bad_time_limits(value):
    for ask in (Puzzle.solve, Puzzle.is_unique, Puzzle.count):
        with pytest.raises((InvalidValue, InvalidType), match="time_limit"):
            ask(puzzle(QUARTERS), time_limit=value)


# What a puzzle is made of.


@pytest.mark.parametrize(
    "labels", ["abcd", "1234", [None, True, (1, 2), 3.5], [frozenset(), "", "\x1b[31m", "Q"], ["x", ".", "Q", "#"]]
)
def test_labels_are_anything(labels):
    rows = [[labels["ABCD".index(letter)] for letter in row] for row in QUARTERS]
    made = puzzle(rows)
    assert made.labels == tuple(labels)
    assert made.grid == puzzle(QUARTERS).grid
    assert made.count() == 2
    assert str(made).isascii()
    assert str(made).replace("\n", "").isprintable()


def test_ways_to_write_regions():
    grid = puzzle(QUARTERS).grid
    cells = [[(r, c) for r in range(4) for c in range(4) if QUARTERS[r][c] == letter] for letter in "ABCD"]
    for regions in (cells, iter(cells), dict(zip("ABCD", cells, strict=True)), map(list, QUARTERS), list(QUARTERS)):
        assert puzzle(regions).grid == grid


@pytest.mark.parametrize(
    ("regions", "words"),
    [
        (["AABB", "AAB", "CCDD", "CCDD"], ["row 1", "3"]),
        (["AAB", "AAB"], ["2 x 3 cells", "square"]),
        (["AABB", "AABB", "CCCC", "CCCC"], ["3 regions", "4"]),
        (["ABBB", "CDEE", "CCDD", "CCDD"], ["5 regions", "4"]),
        ([[(0, 0), (0, 1)], [(1, 0), (0, 1)]], ["(0, 1)", "two regions"]),
        ([[(0, 0), (0, 1)], [(1, 0)]], ["(1, 1)", "no region"]),
        ([[(0, 0), (0, 1)], [(1, 0), (2, 2)]], ["(2, 2)", "not on the board"]),
        ([[(0, 0), (0, 1), (1, 1), (1, 0)]], ["1 region ", "2"]),
        ({"A": [(0, 0)], "B": []}, ["B", "no cell"]),
        ([], ["none"]),
        ([[k] * 65 for k in range(65)], ["65", "64"]),
    ],
)
def test_malformed_boards(regions, words):
    with pytest.raises(InvalidValue) as refused:
        puzzle(regions)
    assert all(word in str(refused.value) for word in words), str(refused.value)


@pytest.mark.parametrize("regions", [None, 5, "AABB", [None], {"A": 3}, [[[[]]]], [[[1, 2], [{}, 1]], [3]]])
def test_wrong_kinds(regions):
    with pytest.raises((InvalidType, InvalidValue)):
        puzzle(regions)


@pytest.mark.parametrize("keyword", ["given", "crossed"])
@pytest.mark.parametrize("cell", [(4, 0), (0, 4), (-1, 0), (1,), (0, 1, 2), (0.0, 1), "ab", None], ids=repr)
def test_cells_off_the_board(keyword, cell):
    with pytest.raises((InvalidValue, InvalidType), match=keyword):
        puzzle(QUARTERS, **{keyword: [cell]})


@pytest.mark.parametrize("stars", [0, 4, -1, 1.0, "1", True, None])
def test_bad_numbers_of_stars(stars):
    with pytest.raises((InvalidValue, InvalidType), match="stars"):
        puzzle(QUARTERS, stars=stars)


def test_regions_in_pieces_are_noted():
    made = puzzle(["ABAB", "BABA", "CDCD", "DCDC"])
    assert made.notes == tuple(f"region {label} is in several pieces" for label in "ABCD")
    assert tuple(made.model().notes) == made.notes
    assert puzzle(QUARTERS).notes == ()


# Pictures.


def test_pictures_are_xml_and_hold_everything():
    answer = puzzle(["<<&&", "<<&&", "CCDD", "CCDD"], given=[(0, 1)], crossed=[(3, 0)]).solve()
    root = ElementTree.fromstring(answer.svg())
    kinds = [element.get("class") for element in root.iter()]
    assert kinds.count("region") == kinds.count("label") == 4
    assert kinds.count("queen") == len(answer.solution) == 4
    assert kinds.count("given") == kinds.count("crossed") == 1
    assert kinds.count("differing") == 0
    several = ElementTree.fromstring(puzzle(QUARTERS).solve().svg())
    numbers = [element.text for element in several.iter() if element.get("class") == "which"]
    assert sorted(numbers) == list("11112222")
