"""Models as MiniZinc and XCSP3: how they read, and what MiniZinc with Gecode and another reader of XCSP3 find in them."""

from __future__ import annotations

import itertools
import math
import re
import runpy
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nqueens_cp import (
    InvalidType,
    InvalidValue,
    Model,
    UnsupportedModel,
    all_different,
    allowed_assignments,
    count_of,
    element,
    export,
    forbidden_assignments,
    in_domain,
    lex_lesseq,
    load_model,
    predicate,
    queens,
    solutions,
)
from xcsp3_reading import needs_cpmpy, xcsp3_solutions

PROJECT = Path(__file__).resolve().parents[2]
MODEL_FILES = sorted((PROJECT / "models").glob("[!_]*.py"))
MOST_SOLUTIONS = 200
LARGEST_SPACE = {"minizinc": 2**30, "xcsp3": 2**12}  # the other reader tries every assignment


def _published(space: int) -> list[Any]:
    """Return for each model of the collection its largest published count that is small enough."""
    chosen = []
    for path in MODEL_FILES:
        fitting = [
            (
                math.prod(len(variable.domain) for variable in load_model(path.stem, **parameters).variables),
                parameters,
                number,
            )
            for parameters, number in runpy.run_path(str(path)).get("PUBLISHED", ())
            if number <= MOST_SOLUTIONS and parameters.get("n", 0) <= 9
        ]
        fitting = [entry for entry in fitting if entry[0] <= space]
        if fitting:
            _, parameters, number = max(fitting, key=lambda entry: entry[0])
            chosen.append(pytest.param(path.stem, parameters, number, id=path.stem))
    return chosen


def _all_sorts() -> tuple[Model, list[Any], Callable[..., bool]]:
    """Return a model with every kind of expression and constraint, and the same as a function of its variables."""
    model = Model("all sorts")
    x = model.int_var("x", [-3, 0, 1, 5])
    y = model.int_var("y's & more", range(3))
    p = model.bool_var("p")
    q = model.int_vars("q", 3, range(3))
    one = model.int_var("one", [1])
    rows = [(1, 2), (1, 1), (-3, 0), (7, 7), (5, 0), (5, 1)]
    model.add((x - 7) % 4 >= 1, (-x) % 3 != 1, abs(x - y) <= 4, p | (x == 1) | (y == 0), p.implies(x + y >= 1))
    model.add(element(q, y) == q[2], element([3, 1, 2], q[0]) + x <= 8, element([x, 1, y], q[1]) >= -3, -x - y <= 4)
    model.add(
        count_of(q, 1) == one, count_of([x, y + 1, q[2]], 2) <= 2, count_of(q, y) >= 0, 2 * x - 3 * y + q[0] >= -8
    )
    model.add(lex_lesseq(q[:1], q[2:]), lex_lesseq([x + 1, y], [6, y]), all_different(q), all_different([x, 4, y + 3]))
    model.add(in_domain(x + y, [-3, 1, 2, 3, 5, 6, 900]), in_domain(x, [-3, 1, 5]), ~(p & (q[0] == 2)) | (x < 0))
    model.add(allowed_assignments([x, y], rows), forbidden_assignments([q[0], q[0], q[1]], [(0, 0, 2), (1, 0, 2)]))
    model.add(predicate(lambda a, b: a + b < 6, [x, q[1]]))

    def holds(x: int, y: int, p: int, a: int, b: int, c: int, one: int) -> bool:
        return (
            (
                (x - 7) % 4 >= 1
                and (-x) % 3 != 1
                and abs(x - y) <= 4
                and (p or x == 1 or y == 0)
                and (not p or x + y >= 1)
            )
            and ((a, b, c)[y] == c and (3, 1, 2)[a] + x <= 8 and (x, 1, y)[b] >= -3 and -x - y <= 4)
            and ((a, b, c).count(1) == one and (x, y + 1, c).count(2) <= 2 and 2 * x - 3 * y + a >= -8)
            and (a <= c and (x + 1, y) <= (6, y) and len({a, b, c}) == len({x, 4, y + 3}) == 3)
            and (x + y in (-3, 1, 2, 3, 5, 6) and x in (-3, 1, 5) and (not (p and a == 2) or x < 0))
            and ((x, y) in rows and (a, b) != (0, 2) and x + b < 6)
        )

    return model, [x, y, p, *q, one], holds


@pytest.fixture(scope="module")
def minizinc_prints() -> Callable[[str, Path], list[str]]:
    """A function of a MiniZinc text and a folder: what MiniZinc prints for each solution that Gecode finds."""
    if shutil.which("minizinc") is None:
        pytest.skip("minizinc is not installed: its reading of exports can't be tested")

    def printed(text: str, folder: Path) -> list[str]:
        path = folder / "model.mzn"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(
            ["minizinc", "--solver", "gecode", "-a", str(path)], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "==========" in done.stdout or "UNSATISFIABLE" in done.stdout, done.stderr
        return done.stdout.split("----------\n")[:-1]

    return printed


def test_the_queens_read_as_a_person_would_write_them():
    constraints = [line for line in export(8, "minizinc").splitlines() if line.startswith("constraint")]
    assert len(constraints) == 3
    assert set(constraints) == {
        "constraint all_different(queen);",
        "constraint all_different([queen[i] + i | i in 0..7]);",
        "constraint all_different([queen[i] - i | i in 0..7]);",
    }
    text = export(8, "minizinc")
    assert "array[0..7] of var 0..7: queen;" in text
    assert re.findall(r"include .*", text) == ['include "all_different.mzn";']
    assert "solve satisfy;" in text


@pytest.mark.parametrize(
    ("state", "written"),
    [
        (lambda x, p, q: all_different((q[i] + 3 * i) % 5 for i in range(4)), "[(q[i] + 3*i) mod 5 | i in 0..3]"),
        (lambda x, p, q: all_different((q[i] - i) % 4 for i in range(4)), "[(q[i] - i + 4) mod 4 | i in 0..3]"),
        (lambda x, p, q: all_different(abs(q[i] - q[i + 1]) for i in range(3)), "[abs(q[i] - q[i + 1]) | i in 0..2]"),
        (lambda x, p, q: all_different([2 * q[0], x, 3]), "all_different([2*q[0], x, 3])"),
        (lambda x, p, q: sum(q) == 5, "constraint sum(q) = 5;"),
        (lambda x, p, q: sum(q[1:]) - x < 5, "constraint q[1] + q[2] + q[3] - x < 5;"),
        (lambda x, p, q: -x - q[0] >= -4, "constraint -x - q[0] >= -4;"),
        (lambda x, p, q: 3 - 2 * x == q[0] % 2, "constraint 3 - 2*x = q[0] mod 2;"),
        (lambda x, p, q: -(x % 3) + 2 * (q[0] % 2) == 0, "constraint 2*(q[0] mod 2) - (x + 3) mod 3 = 0;"),
        (lambda x, p, q: -(x % 3) - q[0] % 2 == -1, "constraint -((x + 3) mod 3) - (q[0] mod 2) = -1;"),
        (lambda x, p, q: p & (x == 1) | ~p & (x < 1), "constraint p /\\ x = 1 \\/ not p /\\ x < 1;"),
        (lambda x, p, q: (p | (x == 1)) & (x < 1) | p, "constraint (p \\/ x = 1) /\\ x < 1 \\/ p;"),
        (lambda x, p, q: p.implies((x < 1).implies(p | (x == 0))), "constraint p -> (x < 1 -> p \\/ x = 0);"),
        (lambda x, p, q: element(q, x + 1) == element([7, 8, 9, 9], q[0]), "q[x + 1] = [7, 8, 9, 9][q[0] + 1];"),
        (lambda x, p, q: count_of(q, 2) == x, "constraint count(q, 2) = x;"),
        (lambda x, p, q: in_domain(x + q[0], [1, 2, 3, 99]), "constraint x + q[0] in 1..3;"),
        (lambda x, p, q: in_domain(x, [-1, 1]), "constraint x in {-1, 1};"),
        (lambda x, p, q: lex_lesseq(q[:2], [x, 1]), "constraint lex_lesseq([q[0], q[1]], [x, 1]);"),
    ],
)
def test_expressions_have_no_more_brackets_than_they_need(state, written):
    model = Model("brackets")
    x, p, q = model.int_var("x", range(-1, 3)), model.bool_var("p"), model.int_vars("q", 4, range(4))
    model.add(state(x, p, q))
    assert written in export(model, "minizinc")


@needs_cpmpy
def test_names_are_kept_where_they_are_identifiers_and_explained_where_not(minizinc_prints, tmp_path):
    model = Model("names --\n> of all kinds")
    model.int_var("constraint", range(2))
    model.int_var("domain", range(2))
    model.int_var("x y", [4])
    model.int_var("x_y", [5])
    model.int_var("'é\"&<", [6])
    model.int_var("add", [7])
    model.int_vars("a,b", 2, [8])
    model.int_vars("nothing", 0, range(3))
    for r, c in itertools.product(range(2), range(3)):
        model.bool_var(f"cell[{r},{c}]")
    model.int_var("lonely[1]", [9])
    text = export(model, "minizinc")
    for line in (
        "array[0..1, 0..2] of var bool: cell;",
        "var 5..5: x_y;",
        "x_y_2;  % x y",
        "constraint_2;  % constraint",
    ):
        assert line in text
    assert len(minizinc_prints(text, tmp_path)) == 2 * 2 * 2**6
    text = export(model, "xcsp3")
    assert '<array id="cell" size="[2][3]"> 0..1 </array>' in text
    assert '<var id="x_y_2" note="x y"> 4 </var>' in text
    assert len(xcsp3_solutions([text], tmp_path)[0]) == 2 * 2 * 2**6


@pytest.mark.parametrize("model", [queens(4), load_model("kings", n=2, number=1)], ids=["rows", "squares"])
def test_minizinc_prints_boards(minizinc_prints, model, tmp_path):
    boards = [str(solution) + "\n" for solution in solutions(model)]
    assert sorted(minizinc_prints(export(model, "minizinc"), tmp_path)) == sorted(boards)


@pytest.mark.parametrize(("name", "parameters", "number"), _published(LARGEST_SPACE["minizinc"]))
def test_gecode_finds_the_published_number_of_solutions(minizinc_prints, tmp_path, name, parameters, number):
    printed = minizinc_prints(export(load_model(name, **parameters), "minizinc"), tmp_path)
    assert len(printed) == len(set(printed)) == number


@needs_cpmpy
def test_another_reader_of_xcsp3_finds_the_published_numbers_of_solutions(tmp_path):
    entries = [entry.values for entry in _published(LARGEST_SPACE["xcsp3"])]
    assert len(entries) > 12
    found = xcsp3_solutions(
        [export(load_model(name, **parameters), "xcsp3") for name, parameters, _ in entries], tmp_path
    )
    assert {name: len(each) for (name, _, _), each in zip(entries, found, strict=True)} == {
        name: number for name, _, number in entries
    }


@needs_cpmpy
def test_every_kind_of_constraint_means_the_same(minizinc_prints, brute_force, tmp_path):
    model, variables, holds = _all_sorts()
    expected = brute_force([variable.domain for variable in variables], holds)
    assert 3 <= len(expected) <= 500
    assert len(minizinc_prints(export(model, "minizinc"), tmp_path)) == len(expected)
    text = export(model, "xcsp3")
    (found,) = xcsp3_solutions([text], tmp_path)
    assert sorted(map(tuple, found)) == sorted(expected)
    kinds = ("intension", "allDifferent", "extension", "sum", "element", "count", "lex")
    assert all(f"<{kind}>" in text for kind in kinds)


@pytest.mark.parametrize("size", [3, 1])
@pytest.mark.parametrize(
    "part", [slice(None), slice(None, None, -1), slice(1, None)], ids=["whole", "reversed", "tail"]
)
def test_every_constraint_takes_a_whole_array(minizinc_prints, brute_force, tmp_path, size, part):
    """Arrays have indices from 0 on, and lists in MiniZinc from 1 on."""
    model = Model("arrays")
    x, y = model.int_vars("x", size + 1, range(3))[part], model.int_vars("y", size, range(2))
    rows = [row for row in itertools.product(range(3), repeat=len(x)) if sum(row) != 2]
    model.add(allowed_assignments(x, rows), forbidden_assignments(y, [(1,) * size]), predicate(_not_four, x))
    model.add(lex_lesseq(x, x[::-1]), lex_lesseq(y, y), all_different(x[:3]), count_of(x, x[0]) <= 2)
    model.add(element(y, x[0] % size) <= x[-1], sum(x) <= 5, in_domain(x[0], [0, 2]))

    def holds(*values: int) -> bool:
        a, b = values[: size + 1][part], values[size + 1 :]
        return (
            a in rows
            and b != (1,) * size
            and _not_four(*a)
            and a <= a[::-1]
            and len(set(a[:3])) == len(a[:3])
            and a.count(a[0]) <= 2
            and b[a[0] % size] <= a[-1]
            and sum(a) <= 5
            and a[0] in (0, 2)
        )

    expected = brute_force([range(3)] * (size + 1) + [range(2)] * size, holds)
    assert expected
    assert len(minizinc_prints(export(model, "minizinc"), tmp_path)) == len(expected)


def _not_four(*values: int) -> bool:
    return sum(values) != 4


@needs_cpmpy
@pytest.mark.parametrize(
    ("goal", "word", "best"),
    [
        (lambda x, y: 2 * x - y, "minimize", {(0, 1)}),
        (lambda x, y: 2 * x + abs(y) + 3, "maximize", {(2, -2)}),
        (lambda x, y: y, "maximize", {(0, 1), (1, 1)}),
    ],
)
def test_objectives(minizinc_prints, tmp_path, goal, word, best):
    model = Model("objective")
    x, y = model.int_var("x", range(3)), model.int_var("y", range(-2, 2))
    model.add(x + y <= 2)
    getattr(model, word)(goal(x, y))
    text = export(model, "minizinc")
    assert f"solve {word} " in text
    assert minizinc_prints(text, tmp_path)[-1] in [f"x = {a}\ny = {b}\n" for a, b in best]
    (found,) = xcsp3_solutions([export(model, "xcsp3")], tmp_path)
    assert set(map(tuple, found)) == best


def test_what_cannot_be_carried_is_named():
    model = Model("wide")
    x = model.int_vars("x", 3, range(1000))
    model.add(predicate(lambda a, b, c: a < b + c, x))
    for name in ("minizinc", "xcsp3"):
        with pytest.raises(UnsupportedModel, match=r"x\[0\], x\[1\], x\[2\].*1,000,000,000"):
            export(model, name)
    model = Model("far")
    far = model.int_var("far", [0, 2**62])
    model.add((4 * far) % 3 == 1)
    with pytest.raises(UnsupportedModel, match=r"\(4\*far\) % 3 == 1"):
        export(model, "minizinc")
    with pytest.raises(UnsupportedModel, match="variable"):
        export(Model("empty"), "xcsp3")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((8, "mzn"), InvalidValue, "'mzn' is not known; there are minizinc, xcsp3"),
        ((8, None), InvalidType, "format"),
        (("queens", "minizinc"), InvalidType, "expected a Model"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        export(*arguments)
