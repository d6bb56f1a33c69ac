"""Deductions on region puzzles: every step is right by brute force and by the solver, and the rules say what they see."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from nqueens_cp import InvalidValue, Status, queens, solve
from nqueens_cp.puzzles.deduction import explanation, next_step
from nqueens_cp.puzzles.grading import EASY, HARD, MEDIUM, NEEDS_A_TRY, grade
from nqueens_cp.puzzles.position import Kind

BOARDS = Path(__file__).parents[3] / "shared" / "cases" / "region_puzzles.jsonl"

SMALL = ("AAAB", "CABB", "CCDB", "CDDD")
BLOCKS = ("AABBCC", "AABBCC", "AABBCC", "DDEEFF", "DDEEFF", "DDEEFF")
NARROW = ("CAABBE", "CAABBD", "DFFEEC", "EDCFDC", "FCDEFD", "CEFDCF")


def numbers(rows):
    """Return a grid of region numbers, and the labels."""
    labels = list(dict.fromkeys("".join(rows)))
    return tuple(tuple(labels.index(label) for label in row) for row in rows), labels


def all_solutions(grid, stars, given=(), crossed=()):
    """Place the queens row by row, by plain Python."""
    n = len(grid)
    found = []

    def place(row, placed, columns, regions):
        if row == n:
            found.append(frozenset(placed))
            return
        must = {c for r, c in given if r == row}
        for chosen in combinations(range(n), stars):
            squares = [(row, c) for c in chosen]
            if not must <= set(chosen) or any(columns[c] == stars or (row, c) in crossed for c in chosen):
                continue
            if any(b - a == 1 for a, b in pairwise(chosen)):
                continue
            if any((row - 1, c + d) in placed for c in chosen for d in (-1, 0, 1)):
                continue
            more_regions = list(regions)
            for c in chosen:
                more_regions[grid[row][c]] += 1
            if max(more_regions) <= stars:
                more_columns = [number + (c in chosen) for c, number in enumerate(columns)]
                place(row + 1, placed | set(squares), more_columns, more_regions)

    place(0, set(), [0] * n, [0] * n)
    return found


@cache
def without_regions(n, stars):
    """Return all solutions where the rows are the regions."""
    return all_solutions([[r] * n for r in range(n)], stars)


def grown(draw, n, seeds):
    """Return a grid whose regions are grown from lists of cells."""
    region = {cell: k for k, cells in enumerate(seeds) for cell in cells}
    while len(region) < n * n:
        r, c = draw.choice(list(region))
        near = draw.choice([(r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)])
        if min(near) >= 0 and max(near) < n:
            region.setdefault(near, region[r, c])
    return tuple(tuple(region[r, c] for c in range(n)) for r in range(n))


def assert_right(grid, stars, given=(), crossed=()):
    """Check every step against all solutions; return the explanation."""
    found = all_solutions(grid, stars, given, crossed)
    explained = explanation(grid, stars, given, crossed)
    for step in explained.steps:
        assert step.placed or step.crossed or step.kind == "contradiction"
        for solution in found:
            assert set(step.placed) <= solution, step
            assert not set(step.crossed) & solution, step
            assert step.kind != "contradiction", step
    assert explained.solved + explained.needs_a_try + explained.contradiction == 1
    if explained.solved:
        assert found == [frozenset(explained.queens)]
    if explained.contradiction:
        assert explained.steps[-1].kind == "contradiction"
    return explained


@pytest.mark.parametrize("seed", range(6))
def test_each_step_holds_for_all_solutions_of_random_boards(seed):
    draw = random.Random(seed)
    ends = Counter()
    for _ in range(20):
        n = draw.randint(5, 7)
        cells = [(r, c) for r in range(n) for c in range(n)]
        solution = draw.choice(without_regions(n, 1))
        seeds = sorted(solution) if draw.random() < 0.8 else draw.sample(cells, n)
        given = draw.sample(sorted(solution), draw.choice([0, 0, 0, 1, 2]))
        crossed = draw.sample(cells, draw.choice([0, 0, 0, n]))
        explained = assert_right(grown(draw, n, [[cell] for cell in seeds]), 1, given, sorted({*crossed} - {*given}))
        ends["solved" if explained.solved else "try" if explained.needs_a_try else "contradiction"] += 1
    assert len(ends) == 3


def test_each_step_holds_for_all_solutions_with_two_queens_in_each_unit():
    draw = random.Random(0)
    kinds = Counter()
    assert len(without_regions(9, 2)) == 664  # A389766
    for _ in range(12):
        solution = sorted(draw.choice(without_regions(9, 2)))
        cells = solution if draw.random() < 0.5 else draw.sample(solution, 18)
        grid = grown(draw, 9, [cells[i : i + 2] for i in range(0, 18, 2)])
        explained = assert_right(grid, 2, draw.sample(solution, draw.choice([0, 0, 2])))
        kinds.update(step.kind for step in explained.steps)
    assert {Kind.ONLY, Kind.CROSSES, Kind.NO_PLACE, Kind.NEEDED, Kind.CONFINED, Kind.SETS, Kind.CHAIN} <= set(kinds)


def test_the_solver_finds_nothing_against_any_hint():
    """The negation of each step, added to what is known before it, has no solution."""
    draw = random.Random(5)
    kinds = Counter()
    for _ in range(4):
        n = 8
        solution = sorted(draw.choice(without_regions(n, 1)))
        grid = grown(draw, n, [[cell] for cell in solution])
        given, crossed = set(), set()
        while (step := next_step(grid, 1, given, crossed)) is not None:
            kinds[step.kind] += 1
            for cell in step.placed:
                model = queens(n, regions=grid, touching=False, placed=given, blocked=crossed | {cell})
                assert solve(model).status is Status.UNSATISFIABLE, step
            for cell in step.crossed:
                if cell[0] in {row for row, _ in given}:
                    continue  # the row has its queen: `queens` refuses a second one
                model = queens(n, regions=grid, touching=False, placed=given | {cell}, blocked=crossed)
                assert solve(model).status is Status.UNSATISFIABLE, step
            given |= set(step.placed)
            crossed |= set(step.crossed)
    assert len(kinds) >= 5


def test_hints_one_by_one_are_the_explanation():
    grid, labels = numbers(SMALL)
    given, crossed, sentences = {(0, 1)}, set(), []
    while (step := next_step(grid, 1, given, crossed, labels)) is not None:
        sentences.append(step.sentence)
        given |= set(step.placed)
        crossed |= set(step.crossed)
    explained = explanation(grid, 1, {(0, 1)}, labels=labels)
    assert explained.solved
    assert set(explained.queens) == given == {(0, 1), (1, 3), (2, 0), (3, 2)}
    assert [step.sentence for step in explained.steps] == sentences
    assert set(explained.crossed) == crossed


def attack(grid, a, b):
    return (
        a[0] == b[0]
        or a[1] == b[1]
        or grid[a[0]][a[1]] == grid[b[0]][b[1]]
        or max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1
    )


def squares_of(grid, name):
    """Return the squares of "row 3", "column 3" or "region 3"."""
    family, number = name.split()
    n = len(grid)
    cells = [(r, c) for r in range(n) for c in range(n)]
    numbers_of = {
        "row": lambda cell: cell[0],
        "column": lambda cell: cell[1],
        "region": lambda cell: grid[cell[0]][cell[1]],
    }
    return {cell for cell in cells if numbers_of[family](cell) == int(number)}


def squares_in(text):
    return {(int(r), int(c)) for r, c in re.findall(r"\((\d+), (\d+)\)", text)}


UNIT = r"((?:row|column|region) \d+)"


def test_the_reasons_told_are_true():
    """Read the sentences of single squares, of squares without a place and of chains, and follow them with plain sets."""
    draw = random.Random(11)
    read = Counter()
    for _ in range(120):
        n = 7
        solution = sorted(draw.choice(without_regions(n, 1)))
        grid = grown(draw, n, [[cell] for cell in solution])
        maybe = {(r, c) for r in range(n) for c in range(n)}
        for step in explanation(grid).steps:
            sentence = step.sentence[0].lower() + step.sentence[1:]
            if step.kind == "only square":
                assert squares_of(grid, re.match(UNIT, sentence)[1]) & maybe == set(step.placed) == squares_in(sentence)
            elif step.kind == "no place":
                assert squares_in(sentence) == set(step.crossed)
                unit = squares_of(grid, re.search(UNIT, sentence)[1]) & maybe
                assert all(attack(grid, a, b) for a in step.crossed for b in unit)
            elif step.kind == "chain":
                assumed, *links, end, conclusion = re.split(", (?=row|column|region)|; ", sentence)
                assert squares_in(assumed) == squares_in(conclusion) == set(step.crossed)
                queens, left = set(step.crossed), maybe - set(step.crossed)
                left = {a for a in left if not any(attack(grid, a, b) for b in queens)}
                for link in links:
                    names = re.findall(UNIT, link)
                    own = squares_of(grid, names[0])
                    if "only in" in link:
                        line = squares_of(grid, names[1])
                        assert own & left <= line
                        left -= line - own
                    else:
                        assert own & left == squares_in(link)
                        queens |= own & left
                        left = {a for a in left - queens if not any(attack(grid, a, b) for b in queens)}
                last = squares_of(grid, re.search(UNIT, end)[1])
                assert not last & left
                assert not last & queens
            else:
                read[step.kind] -= 1
            read[step.kind] += 1
            maybe -= set(step.placed) | set(step.crossed)
    assert min(read["only square"], read["no place"], read["chain"]) > 20


def next_of(rows, kept, stars=1):
    """Return the next step where queens stand on Q and can stand only on the squares marked o."""
    grid, labels = numbers(rows)
    marks = {(r, c): mark for r, row in enumerate(kept) for c, mark in enumerate(row)}
    given = {cell for cell, mark in marks.items() if mark == "Q"}
    crossed = {cell for cell, mark in marks.items() if mark == "."}
    return next_step(grid, stars, given, crossed, labels)


FREE = ("oooooo",) * 6


@pytest.mark.parametrize(
    ("rows", "kept", "kind", "placed", "crossed", "sentence"),
    [
        (
            BLOCKS,
            (*FREE[:5], ".o...."),
            Kind.ONLY,
            {(5, 1)},
            (),
            "Row 5 has only one square left, (5, 1): a queen stands there.",
        ),
        (
            BLOCKS,
            ("Q....o", "...ooo", "..oooo", *FREE[:3]),
            Kind.CROSSES,
            (),
            {(0, 5), (3, 0), (4, 0), (5, 0)},
            "The queen at (0, 0) crosses out its row, column, region and neighbours.",
        ),
        (
            BLOCKS,
            ("oooooo", "..oooo", "..oooo", *FREE[:3]),
            Kind.CONFINED,
            (),
            {(0, 2), (0, 3), (0, 4), (0, 5)},
            "Region A has squares left only in row 0, so the rest of row 0 is empty: (0, 2), (0, 3), (0, 4) and (0, 5).",
        ),
        (
            BLOCKS,
            ("o.oooo", "o.oooo", ".ooooo", *FREE[:3]),
            Kind.NO_PLACE,
            (),
            {(3, 0)},
            "A queen at (3, 0) would leave region A without a square.",
        ),
        (
            NARROW,
            FREE,
            Kind.SETS,
            (),
            {(0, 0), (0, 5), (1, 0), (1, 5)},
            "The queens of regions A and B must stand in rows 0 and 1 and fill them, so no other queen does: "
            "(0, 0), (0, 5), (1, 0) and (1, 5) are empty.",
        ),
        (
            BLOCKS,
            ("o..ooo", ".o..oo", "..o.oo", "ooo.oo", *FREE[:2]),
            Kind.SHARED,
            (),
            {(3, 1)},
            "A queen at (3, 1) would leave regions A and B with squares only in row 0, which has no room for both.",
        ),
        (
            BLOCKS,
            (*FREE[:2], "......", *FREE[:3]),
            Kind.CONTRADICTION,
            (),
            (),
            "Row 2 has no square left for its queen.",
        ),
        (
            BLOCKS,
            ("Q....o", ".Q.ooo", "..oooo", *FREE[:3]),
            Kind.CONTRADICTION,
            (),
            (),
            "The queens at (0, 0) and (1, 1) touch.",
        ),
        (
            BLOCKS,
            ("Q....Q", "...ooo", "..oooo", *FREE[:3]),
            Kind.CONTRADICTION,
            (),
            (),
            "The queens at (0, 0) and (0, 5) share row 0.",
        ),
    ],
)
def test_what_a_rule_finds_and_says(rows, kept, kind, placed, crossed, sentence):
    step = next_of(rows, kept)
    assert (step.kind, set(step.placed), set(step.crossed), str(step)) == (kind, set(placed), set(crossed), sentence)


@pytest.mark.parametrize(
    ("kept", "kind", "sentence"),
    [
        (
            (*FREE[:5], ".o..o."),
            Kind.ONLY,
            "Row 5 needs 2 more queens and has only (5, 1) and (5, 4) left: so they stand there.",
        ),
        (
            (*FREE[:5], ".oo..."),
            Kind.CONTRADICTION,
            "Row 5 has no room for the queens that it needs: it has (5, 1) and (5, 2) left.",
        ),
        (("Q.Q.Q.", *FREE[:5]), Kind.CONTRADICTION, "Row 0 may have 2 queens and has 3."),
        (("Q.Qooo", *FREE[:5]), Kind.CROSSES, "The queens at (0, 0) and (0, 2) cross out their neighbours."),
        (
            ("Q.Q.oo", "....oo", *FREE[:4]),
            Kind.CROSSES,
            "Row 0 has its 2 queens, so its other squares are empty: (0, 4) and (0, 5).",
        ),
    ],
)
def test_what_a_rule_says_with_two_queens_in_each_unit(kept, kind, sentence):
    step = next_of(BLOCKS, kept, stars=2)
    assert (step.kind, str(step)) == (kind, sentence)


def test_an_explanation_as_text():
    grid, labels = numbers(SMALL)
    explained = explanation(grid, 1, {(0, 1)}, labels=labels)
    lines = str(explained).splitlines()
    assert lines[0] == "Rows and columns are counted from 0; (2, 5) is row 2, column 5."
    assert lines[1] == "1. The queen at (0, 1) crosses out its row, column, region and neighbours."
    assert lines[-1] == "Solved: the queens stand at (0, 1), (1, 3), (2, 0), (3, 2)."
    with_boards = explained.text(boards=True)
    assert "A. AQ A. B.\nC. A. B. B.\nC. C. D. B.\nC. D. D. D.\n1. " in with_boards
    assert with_boards.count("\n") == len(lines) - 1 + 4 * (len(explained.steps) + 1)


def test_where_the_rules_stop_a_try_is_needed_and_the_board_is_shown():
    explained = explanation([[r] * 5 for r in range(5)])  # rows as regions: many solutions
    assert len(without_regions(5, 1)) > 1
    assert explained.needs_a_try
    assert not explained.steps
    assert str(explained).splitlines()[1:3] == [
        "The rules find nothing more, with 0 queens placed: from here a try is needed.",
        "0. 0. 0. 0. 0.",
    ]


def test_grades():
    grid, _ = numbers(SMALL)
    assert grade(grid, given={(0, 1)}) == (EASY, 3)  # three squares that are the only ones
    assert str(grade(grid, given={(0, 1)})) == "easy"
    assert grade([[r] * 5 for r in range(5)]) == (NEEDS_A_TRY, 0)
    assert grade(grid, given={(0, 1), (1, 1)}) == (NEEDS_A_TRY, 0)


def test_a_queen_on_a_crossed_square_is_refused():
    grid, _ = numbers(SMALL)
    with pytest.raises(InvalidValue, match=r"a queen is given at \(0, 1\)"):
        next_step(grid, 1, {(0, 1)}, {(0, 1)})


def test_nearly_all_published_boards_are_explained_without_guessing():
    if not BOARDS.exists():
        pytest.skip(f"{BOARDS} is not there: its boards can't be explained")
    cases = [json.loads(line) for line in BOARDS.read_text(encoding="utf-8").splitlines()]
    unique = [case for case in cases if case["solutions"] == 1]
    solved = 0
    difficulties = Counter()
    for case in unique:
        explained = explanation(case["regions"])
        assert not explained.contradiction
        if explained.solved:
            assert [[column] for _, column in explained.queens] == case["first_solution"]
        solved += explained.solved
        if case["n"] <= 8:
            difficulty = grade(case["regions"]).difficulty
            assert (difficulty == NEEDS_A_TRY) == explained.needs_a_try
            difficulties[difficulty] += 1
    assert solved >= 0.95 * len(unique)
    assert min(difficulties[EASY], difficulties[MEDIUM], difficulties[HARD]) > 0
    for case in cases:
        if case["solutions"] > 1 and case["n"] <= 9:
            assert explanation(case["regions"]).needs_a_try
