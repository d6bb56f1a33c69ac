"""``nqueens-cp fzn``: a FlatZinc solver by itself, and called by the real MiniZinc."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

import pytest

from nqueens_cp import count, solutions
from nqueens_cp.formats.read_flatzinc import read_program

SMALL = """\
array [1..2] of int: k = [1,1];
var 1..3: x :: output_var; var bool: b :: output_var;
var 0..2: hidden;
array [1..2] of var int: grid :: output_array([1..1, 0..1]) = [x, 7];
constraint int_le_reif(x,2,b) :: defines_var(b);
"""


@pytest.fixture
def fzn(cli, tmp_path):
    """A function that runs ``nqueens-cp fzn`` on a text."""

    def run(text, *options):
        path = tmp_path / "small.fzn"
        path.write_text(text)
        return cli("fzn", *options, str(path))

    return run


def test_every_solution(fzn):
    ran = fzn(SMALL + "solve satisfy;", "-a")
    blocks = ran.stdout.split("----------\n")
    assert set(blocks[:-1]) == {
        f"x = {x};\nb = {'true' if x <= 2 else 'false'};\ngrid = array2d(1..1, 0..1, [{x}, 7]);\n" for x in (1, 2, 3)
    }
    assert len(blocks) == 4
    assert blocks[-1] == "==========\n"
    assert ran.returncode == 0


@pytest.mark.parametrize(
    ("options", "solutions", "complete"),
    [((), 1, False), (("-n", "2"), 2, False), (("-n", "3"), 3, True), (("-a", "-n", "9"), 3, True)],
)
def test_how_many(fzn, options, solutions, complete):
    lines = fzn(SMALL + "solve satisfy;", *options).stdout.splitlines()
    assert lines.count("----------") == solutions
    assert (lines[-1] == "==========") is complete


def test_endings(fzn):
    assert (
        fzn("var 1..2: x :: output_var; constraint int_lt(x,1); solve satisfy;").stdout == "=====UNSATISFIABLE=====\n"
    )
    assert fzn("var 1..2: x; solve satisfy;", "-a").stdout == "----------\n==========\n"
    assert fzn("var 1..9: x :: output_var; solve maximize x;", "-a").stdout == "x = 9;\n----------\n==========\n"
    unsatisfiable = fzn("var 1..9: x :: output_var; constraint int_lt(x,1); solve maximize x;")
    assert unsatisfiable.stdout == "=====UNSATISFIABLE=====\n"


def test_time_limit(fzn):
    """Thirteen pigeons in twelve holes take longer to refute than a tenth of a second, at least by trying."""
    names = [f"x{i}" for i in range(13)]
    text = "".join(f"var 1..12: {name};\n" for name in names)
    text += "".join(f"constraint int_ne({a},{b});\n" for i, a in enumerate(names) for b in names[:i])
    ran = fzn(text + "solve satisfy;", "-t", "100", "--backend", "core")
    assert ran.stdout == "=====UNKNOWN=====\n"
    assert ran.returncode == 0


@pytest.fixture
def endless(tmp_path):
    """The path of a FlatZinc file: good solutions are found at once, the best one is not proven within minutes."""
    draw = random.Random(5)
    path, names = tmp_path / "knapsacks.fzn", [f"x{i}" for i in range(90)]
    lines = [f"var 0..1: {name};" for name in names] + ["var 0..100000: worth :: output_var;"]
    for _ in range(10):
        weights = [draw.randint(100, 999) for _ in names]
        lines.append(f"constraint int_lin_le({weights},[{','.join(names)}],{sum(weights) // 2});")
    worths = [draw.randint(300, 999) for _ in names]
    lines.append(f"constraint int_lin_eq({[*worths, -1]},[{','.join(names)},worth],0);")
    path.write_text("\n".join(lines) + "\nsolve maximize worth;\n")
    return path


def worths(printed):
    return [int(worth) for worth in re.findall(r"worth = (\d+);\n-----", printed)]


@pytest.mark.parametrize("option", ["-i", "-a"])
def test_better_solutions_are_printed_as_they_come(start, endless, option):
    process = start("fzn", option, str(endless))
    printed = process.stdout.readline() + process.stdout.readline()
    assert len(worths(printed)) == 1
    assert process.poll() is None, "it goes on searching"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    rest, told = process.communicate(timeout=30)
    assert process.returncode == 130, told
    found = worths(printed + rest)
    assert found == sorted(set(found))


def test_the_best_so_far_is_printed_when_interrupted(start, endless):
    process = start("fzn", "-v", "--backend", "cp-sat", str(endless))
    assert any(line.startswith("#1 ") for line in process.stderr), "the solver tells of its first solution"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    printed, told = process.communicate(timeout=30)
    assert len(worths(printed)) == 1, told
    assert "=====" not in printed


@pytest.mark.skipif(sys.platform == "win32", reason="a lost reader is noticed elsewhere only")
@pytest.mark.parametrize("backend", ["core", "choco"])
def test_it_ends_when_nobody_reads_any_more(program, tmp_path, backend):
    """As when MiniZinc is killed: nothing is written here that would tell."""
    if backend == "choco":
        pytest.importorskip("pychoco")
    names = [f"x{i}" for i in range(14)]
    text = "".join(f"var 1..13: {name};\n" for name in names)
    text += "".join(f"constraint int_ne({a},{b});\n" for a, b in combinations(names, 2))
    (tmp_path / "pigeons.fzn").write_text(text + "solve satisfy;")
    command = [program, "fzn", "-v", "--backend", backend, str(tmp_path / "pigeons.fzn")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert any("searches" in line for line in process.stderr)
        assert process.poll() is None
        process.stdout.close()
        assert process.wait(timeout=20) == 0


def test_statistics_and_remarks(fzn):
    ran = fzn(SMALL + "solve satisfy;", "-a", "-s", "-v", "-p", "2", "-r", "-5", "-f", "--backend", "cp-sat")
    found = dict(re.findall(r"^%%%mzn-stat: (\w+)=(.*)$", ran.stdout, re.MULTILINE))
    assert found["nSolutions"] == "3"
    assert found["backend"] == '"cp-sat"'
    assert float(found["solveTime"]) > 0
    assert ran.stdout.endswith("%%%mzn-stat-end\n")
    assert "cp-sat searches" in ran.stderr


def test_errors(fzn, cli):
    ran = fzn("var float: x;\nsolve satisfy;")
    assert (ran.returncode, ran.stdout) == (2, "=====ERROR=====\n")
    assert re.fullmatch(r"error: .*small.fzn, line 1: .*'float'.*\n", ran.stderr)
    assert "expected a whole number, got 'x'" in fzn("solve satisfy;", "-n", "x").stderr
    assert "there is no such file" in cli("fzn", "missing.fzn").stderr
    assert "name a .fzn file" in cli("fzn").stderr


def test_standard_input(cli, program):
    expected = "x = 2;\n----------\n==========\n"
    text = "var 2..2: x :: output_var; solve satisfy;"
    assert cli("fzn", "-a", "-", stdin=text).stdout == expected
    assert re.fullmatch(r"error: standard input, line 2: .*\n", cli("fzn", "-", stdin="var bool: x;\nsolve!").stderr)
    if sys.platform != "win32":
        assert cli("fzn", "-a", "/dev/stdin", stdin=text).stdout == expected


def test_other_commands_take_files(cli, tmp_path):
    path = tmp_path / "small.fzn"
    path.write_text(SMALL + "solve satisfy;")
    assert cli("count", str(path)).stdout == "9\n"
    assert "does not print one variable (hidden); solutions" in cli("count", str(path)).stderr
    assert "variable x in 1..3" in cli("show", str(path)).stdout
    assert json.loads(cli("solve", "--json", str(path)).stdout)["status"] == "satisfied"
    compared = json.loads(cli("compare", "-b", "core,bit-masks", "--json", str(path)).stdout)
    assert [row["solutions"] for row in compared["rows"]] == [9, None]
    assert "takes no parameters" in cli("count", str(path), "n=8").stderr
    assert "there is no such file" in cli("count", "missing.xml").stderr


# Called by MiniZinc.


@pytest.fixture(scope="session")
def minizinc(program, tmp_path_factory):
    """A function that solves a MiniZinc model with a solver; nqueens-cp is set up in a folder of its own."""
    if shutil.which("minizinc") is None:
        pytest.skip("the program minizinc is not installed")
    solvers = tmp_path_factory.mktemp("solvers")
    installed = subprocess.run([program, "fzn", "--install", solvers], capture_output=True, text=True, check=True)
    assert f"wrote {solvers}" in installed.stdout
    environment = os.environ | {"MZN_SOLVER_PATH": str(solvers)}
    known = subprocess.run(
        ["minizinc", "--solvers"], capture_output=True, text=True, env=environment, check=True
    ).stdout
    if "org.gecode.gecode" not in known:
        pytest.skip("MiniZinc has no Gecode to compare with")
    assert "nqueens-cp" in known

    def run(model, *options, solver="nqueens-cp"):
        path = tmp_path_factory.mktemp("model") / "small.mzn"
        path.write_text(model)
        arguments = ["minizinc", "--solver", solver, *options, path]
        return subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=60).stdout

    return run


def solutions_of(printed):
    """The sorted solutions of a complete list."""
    assert printed.endswith("==========\n"), printed
    return sorted(printed.split("----------\n")[:-1])


QUEENS = """
include "alldifferent.mzn";
int: n = 8;
array[1..n] of var 1..n: queen;
constraint alldifferent(queen);
constraint alldifferent([queen[i] + i | i in 1..n]) /\\ alldifferent([queen[i] - i | i in 1..n]);
solve satisfy;
"""


def test_minizinc_counts_queens(minizinc, published):
    printed = minizinc(QUEENS, "-a", "-s")
    assert printed.count("----------") == published["A000170"][8]
    assert '%%%mzn-stat: backend="core"' in printed
    assert solutions_of(minizinc(QUEENS, "-a")) == solutions_of(minizinc(QUEENS, "-a", solver="gecode"))
    assert minizinc(QUEENS, "-n", "3", "--backend", "cp-sat").count("----------") == 3


MODELS = {
    "linear": """
include "alldifferent.mzn";
array[1..3, 1..3] of var 1..9: m;
constraint alldifferent(array1d(m));
constraint forall(i in 1..3)(sum(j in 1..3)(m[i,j]) = 15 /\\ sum(j in 1..3)(m[j,i]) = 15);
constraint sum(i in 1..3)(m[i,i]) = 15 /\\ sum(i in 1..3)(m[i,4-i]) = 15;
""",
    "reified": """
array[1..4] of var 0..3: x; var bool: b; var 0..4: c;
constraint b <-> (x[1] < x[2] \\/ x[3] + x[4] = 4);
constraint c = sum(i in 1..4)(x[i] = 2);
constraint (b -> x[1] != 0) /\\ (not b -> c >= 1);
constraint x[1] * x[2] = x[3] + 1 \\/ x[4] = 0;
""",
    "globals": """
include "table.mzn"; include "count.mzn"; include "lex_lesseq.mzn"; include "lex_less.mzn";
array[1..3] of var 0..3: x; array[1..3] of var 0..3: y; array[1..2] of var bool: p;
constraint table(x, [| 0,1,2 | 1,1,3 | 2,0,1 | 3,3,3 |]) /\\ table(p, [| true,false | true,true |]);
constraint lex_lesseq(x, y) /\\ lex_less([y[1], y[2]], [2, 2]);
constraint count(y, 1, 1) /\\ (p[1] -> count(x, 3) >= 1);
constraint x[y[3]] < 4;
""",
    "arithmetic": """
include "inverse.mzn";
var -5..5: a; var -3..3: b; var -20..20: c; var -9..9: d; var 0..10: e; var -8..8: f;
array[1..4] of var 1..4: s; array[1..4] of var 1..4: t;
constraint c = a * b /\\ (b != 0 -> d = a div b) /\\ (b = 0 -> d = 0);
constraint e = abs(a - b) /\\ f = max([a, b, 2]) - min(a, b);
constraint a mod 3 = 1 \\/ a mod 3 = -1;
constraint inverse(s, t) /\\ s[1] in {2, 4} /\\ t[s[2]] = 2 /\\ s[1] * s[1] != 4;
""",
    "sets": """
array[1..3] of var set of 1..4: s; var set of 2..5: u; array[1..3] of var bool: z;
constraint forall(i, j in 1..3 where i < j)(s[i] intersect s[j] = {});
constraint u = s[1] union s[2] /\\ card(u) >= 2 /\\ s[1] subset 1..3 /\\ (4 in s[2] <-> 2 in s[3]);
constraint xorall(z) /\\ clause([z[1], 3 in u], [z[2]]);
""",
    "projected": """
var 1..3: x; var 1..4: y; constraint x < y; output ["\\(x)\\n"];
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_minizinc_agrees_with_gecode(minizinc, name):
    model = MODELS[name] + "solve satisfy;"
    expected = solutions_of(minizinc(model, "-a", solver="gecode"))
    assert expected
    assert solutions_of(minizinc(model, "-a")) == expected


def random_model(seed):
    """A MiniZinc model of constraints drawn from a list, over small variables."""
    draw = random.Random(seed)
    x = lambda: f"x[{draw.randint(1, 4)}]"  # noqa: E731
    number = lambda: draw.randint(-2, 3)  # noqa: E731
    kinds = [
        lambda: f"{number()} * {x()} + {number()} * {x()} - {x()} {draw.choice(['<=', '=', '!=', '>'])} {number()}",
        lambda: f"({x()} < {x()}) {draw.choice(['->', '<->', 'xor', chr(92) + '/'])} ({x()} + {x()} = {number()})",
        lambda: f"{x()} * {x()} >= {x()} {draw.choice(['div', 'mod'])} {draw.choice([-2, 2, 3])}",
        lambda: f"abs({x()} - {x()}) {draw.choice(['!=', '<='])} max({x()}, {number()})",
        lambda: f"alldifferent([{x()}, {x()} + {number()}, {number()} - {x()}])",
        lambda: f"table([{x()}, {x()}], [| 0, 1 | 1, 2 | -1, -1 | 2, 0 | 3, 3 |])",
        lambda: f"count(x, {x()}) {draw.choice(['>=', '='])} {draw.randint(1, 3)}",
        lambda: f"lex_{draw.choice(['less', 'lesseq'])}([{x()}, {x()}], [{x()}, {x()}])",
        lambda: f"[3, 0, {x()}, -1, 2, 1][{x()} + 3] != {number()}",
        lambda: f"not ({x()} in {{-1, 0, 3}} /\\ b)",
    ]
    includes = "".join(
        f'include "{name}.mzn"; ' for name in ("alldifferent", "table", "count", "lex_less", "lex_lesseq")
    )
    stated = " ".join(f"constraint {draw.choice(kinds)()};" for _ in range(draw.randint(1, 4)))
    return f"{includes} array[1..4] of var -2..3: x; var bool: b; {stated} solve satisfy;"


def test_random_minizinc_models_agree_with_gecode(minizinc, tmp_path):
    """What MiniZinc compiles for this solver is read here, so that no process has to start for it."""
    counts = []
    for seed in range(int(os.environ.get("NQUEENS_CP_EXAMPLES", "12"))):
        model, path = random_model(seed), tmp_path / f"random{seed}.fzn"
        minizinc(model, "--compile", "--fzn", path, "--no-output-ozn")
        program = read_program(path)
        printed = program.printed()
        found = sum(1 for _ in solutions(program.model, over=printed)) if printed else count(program.model)
        answer = minizinc(model, "-a", solver="gecode")
        assert found == answer.count("----------"), model
        assert "==========\n" in answer or answer == "=====UNSATISFIABLE=====\n"
        counts.append(found)
    assert max(counts) > 1


def test_minizinc_optimises(minizinc):
    model = """
include "alldifferent.mzn";
array[1..5] of var 0..20: mark; var int: last = mark[5];
constraint mark[1] = 0 /\\ forall(i in 1..4)(mark[i] < mark[i+1]);
constraint alldifferent([mark[j] - mark[i] | i, j in 1..5 where i < j]);
solve minimize last; output ["\\(last)\\n"];
"""
    printed = minizinc(model)
    assert printed == "11\n----------\n==========\n"  # the shortest Golomb endless of five marks


def test_minizinc_hears_of_errors(minizinc):
    assert "=====ERROR=====" in minizinc("var float: x; constraint x * x > 0.1; solve satisfy;")
    assert minizinc("var 1..3: x; constraint x > 3; solve satisfy;") == "=====UNSATISFIABLE=====\n"


def test_installing_in_the_home_folder(program, tmp_path):
    environment = os.environ | {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    ran = subprocess.run([program, "fzn", "--install"], capture_output=True, text=True, env=environment, check=True)
    written = tmp_path / ".minizinc" / "solvers" / "nqueens-cp.msc"
    assert f"wrote {written}" in ran.stdout
    configuration = json.loads(written.read_text())
    assert os.path.isfile(os.path.join(configuration["mznlib"], "fzn_all_different_int.mzn"))
    helped = subprocess.run([configuration["executable"], "--help"], capture_output=True, text=True, check=True)
    assert "--all-solutions" in helped.stdout
    assert sys.executable in Path(configuration["executable"]).read_text()


def test_a_folder_that_cannot_be_made(cli, tmp_path):
    (tmp_path / "file").write_text("")
    ran = cli("fzn", "--install", str(tmp_path / "file"))
    assert ran.returncode == 2
    assert "cannot be written" in ran.stderr
