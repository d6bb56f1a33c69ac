"""Traces: an independent replay finds every step right; the problem rule by rule, against brute force."""

from __future__ import annotations

import io
import json
import re
from itertools import permutations, product

import pytest

import nqueens_cp
from nqueens_cp import InvalidType, InvalidValue, Model, all_different, count, queens, solve
from nqueens_cp.backends import get_backend
from nqueens_cp.control import Control
from nqueens_cp.tracing import LARGEST_BOARD, PROGRAMS, Step, as_digits, record, rule_by_rule, rules
from nqueens_cp.tracing.position import Position
from nqueens_cp.tracing.words import digits, sentences

COUNTERS = ("nodes", "candidates", "checks", "writes", "undone")
STRIKE_OUT = ("marked-board", "forward-checking")
TRY_EVERY_SQUARE = ("flag-arrays", "position-array", "marked-board")


def attack(one, other):
    """Whether two queens in different rows attack each other."""
    return one[1] == other[1] or abs(one[0] - other[0]) == abs(one[1] - other[1])


def free_in(row, placed, n):
    return [column for column in range(n) if not any(attack(queen, (row, column)) for queen in placed)]


def boards(n):
    return [
        columns
        for columns in permutations(range(n))
        if not any(attack((i, columns[i]), (j, columns[j])) for j in range(n) for i in range(j))
    ]


def replay(steps, n, program):
    """Follow the steps on a board, check each, and return the queens left and the solutions found."""
    placed: list[tuple[int, int]] = []
    tried: list[list[int]] = [[]]
    found = []
    before = (0,) * len(COUNTERS)
    for i, step in enumerate(steps):
        square, figures = (step.row, step.column), step[5:]
        grown = dict(zip(COUNTERS, (now - then for now, then in zip(figures, before, strict=True)), strict=True))
        before = figures
        assert min(grown.values()) >= 0
        assert grown["undone"] == (step.kind == "undo")
        assert grown["candidates"] == (step.kind in ("reject", "place"))
        assert (step.attackers != ()) == (step.kind == "reject")
        if step.kind != "place":
            assert step.removed == ()
        if step.kind == "reject":
            assert step.row == len(placed)
            assert 0 <= step.column < n
            assert sorted(step.attackers) == [queen for queen in placed if attack(queen, square)]
            tried[-1].append(step.column)
        elif step.kind == "place":
            assert step.row == len(placed)
            assert step.column in free_in(step.row, placed, n)
            newly = {
                (row, column)
                for row in range(step.row + 1, n)
                for column in free_in(row, placed, n)
                if attack(square, (row, column))
            }
            assert len(set(step.removed)) == len(step.removed)
            assert set(step.removed) == (newly if program in STRIKE_OUT else set())
            tried[-1].append(step.column)
            placed.append(square)
            tried.append([])
        elif step.kind == "wipeout":
            assert program == "forward-checking"
            assert step.column == -1
            assert free_in(step.row, placed, n) == []
            assert [row for row in range(len(placed), step.row) if not free_in(row, placed, n)] == []
            assert (steps[i - 1].kind, steps[i + 1].kind) == ("place", "undo")
        elif step.kind == "undo":
            looked_at = tried.pop()
            row, is_hopeless = len(placed), steps[i - 1].kind == "wipeout"
            assert placed.pop() == square
            if row < n:
                every = list(range(n)) if program in TRY_EVERY_SQUARE else free_in(row, [*placed, square], n)
                assert looked_at == ([] if is_hopeless else every)
        else:
            assert step[:3] == ("solution", n, -1)
            assert len(placed) == n
            found.append(tuple(column for _, column in placed))
        if program == "forward-checking" and step.kind == "place":
            is_hopeless = any(not free_in(row, placed, n) for row in range(len(placed), n))
            assert (steps[i + 1].kind == "wipeout") == is_hopeless
    return placed, tried, found


@pytest.fixture(params=PROGRAMS)
def program(request) -> str:
    return request.param


@pytest.mark.parametrize("n", range(7))
def test_a_replay_finds_every_step_right(program, n):
    trace = record(program, n)
    placed, tried, found = replay(trace.steps, n, program)
    assert trace.complete
    assert not trace.is_cut_off
    assert placed == []
    assert tried == [list(range(n))]  # in the first row every square is free, and tried
    assert found == list(trace.solutions) == boards(n)
    assert (trace.program, trace.n) == (program, n)


def test_a_replay_finds_wrong_steps():
    steps = record("flag-arrays", 4).steps
    wrong = [
        steps[:1] + steps[2:],  # a square is skipped
        (steps[0], steps[1]._replace(kind="place", attackers=())),
        (steps[0], steps[1]._replace(attackers=((0, 1),))),
        (*steps[:3], steps[3]._replace(column=1), *steps[4:]),
        (*steps[:-1], steps[-1]._replace(column=2)),
    ]
    for changed in wrong:
        with pytest.raises(AssertionError):
            replay(changed, 4, "flag-arrays")


@pytest.mark.parametrize("n", [1, 5, 6])
def test_the_counters_are_those_of_the_backend(program, n):
    control = Control()
    backend = get_backend(program)
    assert backend.count(backend.translate(queens(n).snapshot(), control), control) == len(boards(n))
    assert record(program, n).steps[-1][5:] == tuple(control.statistics[name] for name in COUNTERS)


def test_the_first_solution_costs_what_solving_costs(program):
    trace = record(program, 8, limit=1)
    result = solve(8, backend=program)
    assert trace.solutions == (tuple(result["queen"]),)
    assert trace.steps[-1][5:] == tuple(result.statistics[name] for name in COUNTERS)


def test_a_limit_ends_at_a_solution(program):
    whole = record(program, 5)
    for limit in range(1, 11):
        trace = record(program, 5, limit=limit)
        assert trace.steps == whole.steps[: len(trace.steps)]
        assert trace.steps[-1].kind == "solution"
        assert trace.solutions == tuple(boards(5)[:limit])
        assert (trace.complete, trace.is_cut_off) == (False, False)
    assert record(program, 5, limit=11).complete
    assert record(program, 5, limit=11).steps == whole.steps


def test_so_many_steps_are_kept(program):
    whole = record(program, 4)
    for at_most in (1, 7, len(whole.steps) - 1):
        trace = record(program, 4, at_most=at_most)
        assert trace.steps == whole.steps[:at_most]
        assert trace.solutions == whole.solutions[: sum(step.kind == "solution" for step in trace.steps)]
        assert (trace.complete, trace.is_cut_off) == (False, True)
    assert record(program, 4, at_most=len(whole.steps)).complete


def test_large_boards_are_cut_off(program):
    trace = record(program, 14, at_most=400)
    assert len(trace.steps) == 400
    assert trace.is_cut_off
    last = max(i for i, step in enumerate(trace.steps) if step.kind == "undo")
    replay(trace.steps[: last + 1], 14, program)
    assert record(program, LARGEST_BOARD, at_most=LARGEST_BOARD).is_cut_off


def test_json_has_every_field(program):
    trace = record(program, 4, limit=2)
    read = json.loads(json.dumps(trace.to_dict()))
    steps = tuple(
        Step(**step | {name: tuple(tuple(square) for square in step[name]) for name in ("attackers", "removed")})
        for step in read.pop("steps")
    )
    assert steps == trace.steps
    title = program.replace("-", " ").capitalize()
    expected = {"program": program, "title": title, "n": 4, "limit": 2, "complete": False}
    assert read == expected | {"solutions": [[1, 3, 0, 2], [2, 0, 3, 1]]}


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    [
        (("flags", 4), {}, InvalidValue, "'flags' .* flag-arrays, position-array"),
        ((["flag-arrays"], 4), {}, InvalidValue, "flag-arrays, position-array"),
        (("core", 4), {}, InvalidValue, "'core'"),
        (("bit-masks", -1), {}, InvalidValue, "-1 is too small"),
        (("bit-masks", LARGEST_BOARD + 1), {}, InvalidValue, f"{LARGEST_BOARD + 1} is too large"),
        (("bit-masks", "4"), {}, InvalidType, "'4'"),
        (("bit-masks", True), {}, InvalidType, "True"),
        (("bit-masks", 4), {"limit": 0}, InvalidValue, "limit: 0"),
        (("bit-masks", 4), {"at_most": 0}, InvalidValue, "at_most: 0"),
        (("bit-masks", 4), {"at_most": 10.5}, InvalidType, "at_most"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, keywords, error, message):
    with pytest.raises(error, match=message):
        record(*arguments, **keywords)


def test_the_programs_are_those_of_the_registry():
    assert PROGRAMS == ("flag-arrays", "position-array", "marked-board", "bit-masks", "forward-checking")


# In words.


def test_sentences_tell_every_step(program):
    trace = record(program, 4)
    for step, sentence in zip(trace.steps, sentences(trace), strict=True):
        where = f"row {step.row}, column {step.column}: "
        squares = re.findall(r"\((\d+), (\d+)\)", sentence)
        if step.kind == "reject":
            assert sentence.startswith(
                where + ("attacked by the queen at (" if len(squares) == 1 else "attacked by the queens at (")
            )
            assert tuple((int(row), int(column)) for row, column in squares) == step.attackers
        elif step.kind == "place":
            assert sentence.startswith(where + "a queen is placed")
            assert tuple((int(row), int(column)) for row, column in squares) == step.removed
            assert len(squares) == int((re.findall(r"(\d+) squares? struck out", sentence) or [0])[0])
        else:
            expected = {"undo": where + "the queen is taken off", "wipeout": f"row {step.row}: no square is left"}
            assert sentence in (expected.get(step.kind), "solution: 1302", "solution: 2031")


def test_solutions_as_digits():
    assert digits((1, 3, 0, 2)) == "1302"
    assert digits(()) == ""
    assert digits(range(10)) == "0123456789"
    assert digits((10, *range(10))) == "10 0 1 2 3 4 5 6 7 8 9"


# Pictures.


def squares_of(text: str, n: int) -> dict[tuple[int, int], str]:
    """Read a board out of a picture: lines that begin with the number of a row, one sign for each square."""
    signs = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) > n and words[0].isdigit() and all(len(word) == 1 for word in words[1 : n + 1]):
            if words[1].isdigit():
                continue  # the numbers of the columns
            signs |= {(int(words[0]), column): sign for column, sign in enumerate(words[1 : n + 1])}
    return signs


def picture(positions, width=200, **options) -> str:
    from rich.console import Console

    from nqueens_cp.tracing.picture import frame

    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(frame(positions, **options))
    return console.file.getvalue()


@pytest.mark.parametrize("n", [1, 4])
def test_the_picture_is_the_board_after_each_step(program, n):
    trace = record(program, n)
    position = Position(trace)
    placed: list[tuple[int, int]] = []
    found = 0
    for i, step in enumerate(trace.steps, 1):
        assert position.advance()
        if step.kind == "place":
            placed.append((step.row, step.column))
        elif step.kind == "undo":
            placed.pop()
        found += step.kind == "solution"
        text = picture([position])
        signs = squares_of(text, n)
        assert len(signs) == n * n
        expected = {
            (row, column): "-" if any(attack(queen, (row, column)) for queen in placed) else "."
            for row in range(n)
            for column in range(n)
        } | dict.fromkeys(placed, "Q")
        for row, column in expected:  # above the last queen attacked squares are not marked
            if row < len(placed) and (row, column) not in placed:
                expected[row, column] = "."
        if step.kind in ("reject", "undo"):
            expected[step.row, step.column] = {"reject": "x", "undo": "o"}[step.kind]
        assert signs == expected
        assert f"step {i} of {len(trace.steps)}" in text
        for name, figure in (*zip(COUNTERS, step[5:], strict=True), ("solutions", found)):
            assert re.search(rf"{name} +{figure:,}\b", text)
        path = re.findall(r"^ *\u2514 row (\d+):((?: \d+[xoQ])+) *$", text, re.MULTILINE)
        queens_of_path = [(int(row), int(words.split()[-1][:-1])) for row, words in path if words.endswith("Q")]
        assert queens_of_path == placed
    assert not position.advance()
    assert "(complete)" in picture([position])


def test_the_path_tells_what_was_tried():
    position = Position(record("flag-arrays", 4))
    for _ in range(12):
        position.advance()
    text = picture([position])
    assert [line.strip() for line in text.splitlines() if "\u2514" in line] == [
        "\u2514 row 0: 0Q",
        "\u2514 row 1: 0x 1x 2o 3Q",
        "\u2514 row 2: 0x 1Q",
    ]
    assert "\u2514" not in picture([position], with_path=False)


def test_the_legend_fits_on_a_terminal():
    from nqueens_cp.tracing.picture import LEGEND

    shown = picture([Position(record("flag-arrays", 4))], width=80)
    assert LEGEND in [line.rstrip() for line in shown.splitlines()]


def test_searches_are_shown_side_by_side():
    positions = [Position(record(name, 4)) for name in ("flag-arrays", "bit-masks")]
    for position in positions:
        position.advance()
    (line,) = (line for line in picture(positions).splitlines() if "step 1 of" in line)
    assert re.fullmatch("Flag arrays: step 1 of 78 +Bit masks: step 1 of 34 *", line)


@pytest.mark.parametrize("size", [(38, 24), (80, 10)])
def test_a_terminal_may_be_too_small(size):
    from rich.console import Console

    from nqueens_cp.tracing.picture import play

    console = Console(file=io.StringIO(), width=size[0], height=size[1], force_terminal=True)
    with pytest.raises(InvalidValue, match=rf"{size[0]} x {size[1]} .* 40 x 1\d; add --plain"):
        play([record("flag-arrays", 6)], console, lambda: True, "")


# Rule by rule.

RULES = (
    lambda columns: True,
    lambda columns: len(set(columns)) == len(columns),
    lambda columns: len({column - row for row, column in enumerate(columns)}) == len(columns),
    lambda columns: len({column + row for row, column in enumerate(columns)}) == len(columns),
)


@pytest.mark.parametrize("n", range(6))
def test_rules_against_brute_force(n):
    obeying = [
        ["".join(map(str, columns)) for columns in product(range(n), repeat=n) if all(r(columns) for r in RULES[:i])]
        for i in range(1, len(RULES) + 1)
    ]
    counted = rule_by_rule(n)
    assert [found for _, _, found in counted] == [len(placements) for placements in obeying]
    assert [as_digits(model) for _, model, _ in counted] == obeying


def test_the_figures_of_the_tutorials():
    names = ["rows", "columns", "falling diagonals", "rising diagonals"]
    counted = {name: found for name, _, found in rule_by_rule(8)}
    assert list(counted) == names
    assert (counted["rows"], counted["columns"], counted["rising diagonals"]) == (16_777_216, 40_320, 92)
    assert as_digits(rules(4)[-1].model) == ["1302", "2031"]
    assert len(as_digits(rules(5)[-1].model)) == 10


@pytest.mark.parametrize("backend", ["cp-sat", "python-constraint"])
def test_other_backends_count_the_rules_too(backend):
    assert [found for _, _, found in rule_by_rule(4, backend=backend)][::3] == [256, 2]


def test_statements_are_what_the_model_states():
    """Each statement, run as it stands, makes the same model."""
    n = 5
    model = Model("by hand")
    names = {"model": model, "n": n, "all_different": all_different}
    for rule in rules(n):
        exec(rule.statement, names)
        assert count(model) == count(rule.model)
        assert str(model).partition("\n")[2] == str(rule.model).partition("\n")[2]
    assert as_digits(model) == as_digits(queens(n))


@pytest.mark.parametrize(
    ("n", "error"), [(-1, InvalidValue), (100_001, InvalidValue), ("8", InvalidType), (1.0, InvalidType)]
)
def test_sizes_that_make_no_sense(n, error):
    with pytest.raises(error, match="the size of the board"):
        rules(n)


def test_free_rows_are_counted_at_once():
    for n in (0, 1, 20, 100):
        assert count(rules(n)[0].model) == n**n
    model = Model("three free rows, and what is not allowed in them")
    queen = model.int_vars("queen", 3, domain=range(4))
    model.add(queen[0] != 2, queen[1] < 2)
    assert count(model) == sum(a != 2 and b < 2 for a, b, _ in product(range(4), repeat=3))


def test_rules_stop_at_the_time_limit():
    with pytest.raises(nqueens_cp.SearchStopped):
        rule_by_rule(30, time_limit=0.05)
