"""Every command: the answer and nothing but the answer on standard output, and the exit status."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BACKENDS = ("core", "cp-sat", "python-constraint")
MODELS = {"queens", "rooks", "toroidal_queens", "blocked_queens", "completion"}
QUEENS_8 = 92  # A000170

MODEL_FILE = '''
"""Values in 0..n-1, each but the first larger than the one before."""

from nqueens_cp import Model


def build(n, size=2):
    model = Model("rising")
    value = [model.int_var(name, range(n)) for name in "xyz"[:size]]
    model.add(*(value[i] < value[i + 1] for i in range(size - 1)))
    return model
'''


@pytest.fixture
def model_file(tmp_path) -> str:
    path = tmp_path / "rising.py"
    path.write_text(MODEL_FILE)
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["8"], 92),
        (["0"], 1),
        (["1"], 1),
        (["3"], 0),
        (["queens", "n=6"], 4),
        (["rooks", "n=5"], 120),
        (["toroidal_queens", "n=7"], 28),  # A051906
        (["blocked_queens", "n=4", "blocked=((0, 1),)"], 1),
        (["blocked_queens", "n=8"], 88),
        (["completion", "n=8", "placed=((0, 0),)"], 4),
        (["completion", "n=5", "placed=[(0, 0)]", "blocked=[(1, 2)]"], 1),
        (["6", "--workers", "2"], 4),
        (["6", "--time-limit", "30"], 4),
        (["6", "--time-limit", "30.5", "--backend", "auto"], 4),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_count_prints_the_number_and_nothing_else(cli, arguments, expected):
    ran = cli("count", *arguments)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{expected}\n", "")


@pytest.mark.parametrize("backend", BACKENDS)
def test_count_with_every_backend(cli, backend):
    assert cli("count", "8", "--backend", backend).stdout == "92\n"
    ran = cli("count", "8", "--backend", backend, "--json")
    answer = json.loads(ran.stdout)
    assert (answer["count"], answer["complete"], answer["backend"]) == (QUEENS_8, True, backend)
    assert ran.returncode == 0


@pytest.mark.parametrize("text", ["8", "  8 \r\n"], ids=repr)
def test_the_size_may_come_from_standard_input(cli, text):
    ran = cli("count", "-", stdin=text)
    assert (ran.returncode, ran.stdout) == (0, "92\n")


def test_the_judge_problem_in_a_shell(program):
    ran = subprocess.run(f"echo 8 | '{program}' count -", shell=True, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "92\n", "")


def test_a_model_file(cli, model_file):
    assert cli("count", model_file, "n=5").stdout == "10\n"
    assert cli("count", model_file, "n=6", "size=3").stdout == "20\n"
    ran = cli("solve", model_file, "n=2")
    assert (ran.returncode, ran.stdout) == (0, "x = 0, y = 1\n")
    assert json.loads(cli("list", model_file, "n=2", "--json").stdout)["solutions"] == [{"x": 0, "y": 1}]
    assert cli("list", model_file, "n=3").stdout.split("\n") == [
        "x = 0, y = 1",
        "",
        "x = 0, y = 2",
        "",
        "x = 1, y = 2",
        "",
    ]


@pytest.mark.parametrize("backend", BACKENDS)
def test_solve_prints_one_board(cli, backend, columns_of, is_solution):
    ran = cli("solve", "8", "--backend", backend)
    assert ran.returncode == 0
    assert len(columns_of(ran.stdout)) == 8
    assert is_solution(columns_of(ran.stdout))
    answer = json.loads(cli("solve", "8", "--backend", backend, "--json").stdout)
    assert (answer["status"].upper(), answer["backend"]) == ("SATISFIED", backend)
    assert is_solution(answer["solution"]["queen"])


def test_solve_shows_what_was_given(cli, columns_of):
    ran = cli("solve", "completion", "n=5", "placed=((0, 0),)", "blocked=((1, 2),)")
    assert ran.stdout == "P . . . .\n. . x Q .\n. Q . . .\n. . . . Q\n. . Q . .\n"


@pytest.mark.parametrize("arguments", [["2"], ["toroidal_queens", "n=8"]], ids=" ".join)
def test_no_solution_is_said_plainly(cli, arguments):
    ran = cli("solve", *arguments)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "no solution" in ran.stderr
    ran = cli("list", *arguments)
    assert (ran.returncode, ran.stdout) == (1, "")
    answer = json.loads(cli("solve", *arguments, "--json").stdout)
    assert (answer["status"].upper(), answer["solution"]) == ("UNSATISFIABLE", None)
    answer = json.loads(cli("list", *arguments, "--json").stdout)
    assert (answer["status"].upper(), answer["found"], answer["solutions"]) == ("COMPLETE", 0, [])


@pytest.mark.parametrize("command", ["solve", "list"])
def test_the_empty_board_is_a_solution(cli, command):
    ran = cli(command, "0")
    assert ran.returncode == 0
    assert ran.stdout.strip() == ""
    assert "no solution" not in ran.stderr
    assert json.loads(cli("list", "0", "--json").stdout)["found"] == 1


@pytest.mark.parametrize(
    ("arguments", "number", "status", "word"),
    [
        (["6"], 4, 0, "COMPLETE"),
        (["6", "--limit", "4"], 4, 0, "COMPLETE"),
        (["6", "--limit", "3"], 3, 3, "LIMIT"),
        (["8", "--limit", "1"], 1, 3, "LIMIT"),
        (["6", "--backend", "python-constraint", "--workers", "2"], 4, 0, "COMPLETE"),
        (["6", "--backend", "python-constraint", "--limit", "2"], 2, 3, "LIMIT"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_list_prints_boards_apart(cli, columns_of, is_solution, arguments, number, status, word):
    ran = cli("list", *arguments)
    assert ran.returncode == status
    assert ("limit" in ran.stderr) == (status == 3), "a limit that cut the list short is remarked on standard error"
    boards = [columns_of(board) for board in ran.stdout.removesuffix("\n").split("\n\n")]
    assert len(boards) == len(set(map(tuple, boards))) == number
    assert all(map(is_solution, boards))
    ran = cli("list", *arguments, "--json")
    answer = json.loads(ran.stdout)
    assert (answer["status"].upper(), answer["found"], ran.returncode) == (word, number, status)
    assert all(is_solution(solution["queen"]) for solution in answer["solutions"])
    assert len(answer["solutions"]) == number


def test_compare_agrees(cli):
    ran = cli("compare", "6")
    assert ran.returncode == 0
    assert "agree" in ran.stdout
    assert "disagree" not in ran.stdout
    for backend in BACKENDS:
        (row,) = (line for line in ran.stdout.splitlines() if backend in line.split() or f" {backend} " in line)
        assert " 4 " in row


def test_compare_as_json(cli):
    answer = json.loads(cli("compare", "6", "--json", "--backends", ",".join(BACKENDS)).stdout)
    assert answer["agree"] is True
    solutions = {row["backend"]: row["solutions"] for row in answer["rows"]}
    assert solutions == dict.fromkeys(BACKENDS, 4)
    for row in answer["rows"]:
        assert all(row[part] >= 0 for part in ("import_seconds", "build_seconds", "solve_seconds"))


def test_compare_takes_some_of_the_backends_and_models(cli):
    answer = json.loads(
        cli("compare", "toroidal_queens", "n=5", "--backends", "core,python-constraint", "--json").stdout
    )
    assert [(row["backend"], row["solutions"]) for row in answer["rows"]] == [("core", 10), ("python-constraint", 10)]


def test_compare_of_an_unsatisfiable_model(cli):
    ran = cli("compare", "3", "--backends", "core,python-constraint")
    assert ran.returncode == 0
    assert "agree" in ran.stdout.split()


def test_backends_lists_name_version_and_capabilities(cli):
    ran = cli("backends")
    assert ran.returncode == 0
    assert all(backend in ran.stdout for backend in BACKENDS)
    assert version("ortools") in ran.stdout
    assert version("python-constraint2") in ran.stdout


def test_models_lists_every_model_with_its_statement(cli):
    ran = cli("models")
    assert ran.returncode == 0
    for name in MODELS:
        statement = ast.get_docstring(ast.parse((ROOT / "models" / f"{name}.py").read_text()))
        assert name in ran.stdout
        assert statement
        assert statement.splitlines()[0] in ran.stdout


@pytest.mark.parametrize("arguments", [["8"], ["toroidal_queens", "n=5"], ["completion", "n=4"]], ids=" ".join)
def test_show_prints_the_model(cli, arguments):
    ran = cli("show", *arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "all_different" in ran.stdout
    assert "queen" in ran.stdout


def test_help(cli):
    ran = cli("--help")
    assert ran.returncode == 0
    assert all(command in ran.stdout for command in ("solve", "count", "list", "compare", "backends", "models", "show"))
    ran = cli("list", "--help")
    assert ran.returncode == 0
    assert all(option in ran.stdout for option in ("--backend", "--time-limit", "--limit", "--workers", "--json"))


def test_a_count_imports_no_solver_that_it_does_not_use(program):
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", program, "count", "8"], capture_output=True, text=True, timeout=60
    )
    assert ran.stdout == "92\n"
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in ran.stderr.splitlines()}
    assert "nqueens_cp" in imported
    assert imported.isdisjoint({"ortools", "constraint", "numpy", "pandas", "rich"})


def test_a_count_of_thousands_of_digits(cli, tmp_path):
    (tmp_path / "free.py").write_text(
        "from nqueens_cp import Model\n\ndef build():\n    model = Model('free')\n"
        "    model.int_vars('x', 2000, domain=range(1000))\n    return model\n"
    )
    ran = cli("count", str(tmp_path / "free.py"))
    assert (ran.returncode, ran.stdout) == (0, "1" + "0" * 6000 + "\n")


def test_tables_where_letters_are_ascii(cli):
    ran = cli("trace", "2", env_more={"PYTHONIOENCODING": "ascii"})
    assert ran.returncode == 0
    assert any(set(line.strip()) == {"-"} for line in ran.stdout.splitlines())
    assert "\\u" not in ran.stdout
