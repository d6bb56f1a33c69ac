"""Programs of one's own as backends, named by the path of their file: a plain function, or a subclass of Backend."""

from __future__ import annotations

import json

import pytest

from nqueens_cp import NQueensError, count, count_in_jobs, queens, solutions, solve

PROGRAM = """
from itertools import permutations

def solutions(n):
    for columns in permutations(range(n)):
        if all(abs(columns[i] - columns[j]) != j - i for j in range(n) for i in range(j)):
            yield columns
"""
AS_LISTS = PROGRAM.replace("yield columns", "yield list(columns)") + "\nprint('made by hand')\n"
AT_ONCE = (
    PROGRAM.replace("def solutions", "def each") + "\n\ndef solutions(n):\n    return [list(x) for x in each(n)]\n"
)
FORGETFUL = PROGRAM.replace("range(n) for i in range(j)", "range(1, n) for i in range(1, j)")  # row 0 is not looked at
FROM_ONE = PROGRAM.replace("yield columns", "yield [column + 1 for column in columns]")
BACKEND = """
from itertools import product
from nqueens_cp.backends.base import Backend, Capabilities

class {name}(Backend):
    name = "anything"
    capabilities = Capabilities(lexicographic=True)

    def load(self):
        pass

    def version(self):
        return "3.2"

    def translate(self, problem, control):
        return problem

    def solutions(self, problem, control):
        for values in product(*(variable.domain for variable in problem.variables)):
            control.poll()
            assignment = dict(zip(problem.variables, values))
            if all(constraint.check(assignment) for constraint in problem.constraints):
                yield values
"""


@pytest.fixture
def write(tmp_path):
    """A function that writes a program to a file and returns its path."""

    def make(text: str, name: str = "mine.py") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return make


@pytest.mark.parametrize("text", [PROGRAM, AS_LISTS, AT_ONCE], ids=["yields", "lists", "at once"])
def test_a_plain_function_counts_solves_and_lists(write, text):
    mine = write(text)
    assert [count(n, backend=mine) for n in range(8)] == [1, 1, 0, 0, 2, 10, 4, 40]  # A000170
    assert solve(6, backend=mine)["queen"] == [1, 3, 5, 0, 2, 4]
    assert solve(6, backend=mine).backend == mine
    with solutions(7, backend=mine, limit=3) as found:
        assert len(list(found)) == 3


def test_a_backend_class_takes_any_model(write):
    mine = write(BACKEND.format(name="BruteForce"))
    assert count(queens(5, torus=True), backend=mine) == 10  # A007705
    assert count(queens(5, blocked=[(0, 0)]), backend=mine) == count(queens(5, blocked=[(0, 0)]))


@pytest.mark.parametrize("text", [PROGRAM, BACKEND.format(name="BruteForce")], ids=["function", "class"])
def test_several_workers_load_it_again(write, text):
    assert count(5, backend=write(text), workers=2) == 10


def test_a_textbook_program_searches_alone_when_there_are_workers():
    assert count(6, backend="flag-arrays", workers=2) == 4
    assert len(list(solutions(6, backend="bit-masks", workers=2))) == 4


def test_an_edited_file_is_read_again(write):
    assert count(5, backend=write(FORGETFUL)) > 10
    assert count(5, backend=write(PROGRAM)) == 10


def test_a_checkpoint_of_an_edited_program_is_refused(write, tmp_path):
    checkpoint = tmp_path / "five.sqlite"
    mine = write(PROGRAM)
    assert count_in_jobs(5, backend=mine, checkpoint=checkpoint) == 10
    assert count_in_jobs(5, backend=mine, checkpoint=checkpoint) == 10
    write(FORGETFUL)
    with pytest.raises(NQueensError, match=r"statement \w+ there, statement \w+ here"):
        count_in_jobs(5, backend=mine, checkpoint=checkpoint)


def test_on_the_command_line(cli, write):
    mine = write(AS_LISTS)
    counted = cli("count", "6", "--backend", mine)
    assert (counted.returncode, counted.stdout) == (0, "4\n")
    assert "made by hand" in counted.stderr


def test_it_is_compared_in_processes_of_its_own(cli, write, tmp_path):
    write(PROGRAM)
    ran = cli("compare", "5..6", "-b", "core,./mine.py", "--task", "enumerate", "--json", cwd=tmp_path)
    answer = json.loads(ran.stdout)
    assert (ran.returncode, answer["agree"]) == (0, True), ran.stderr
    assert [row["solutions"] for row in answer["rows"] if row["backend"] == "./mine.py"] == [10, 4]


def test_a_fault_is_shown_as_a_board(cli, write):
    ran = cli("compare", "4", "-b", f"core,{write(FORGETFUL)}", "--task", "enumerate")
    assert ran.returncode == 1
    assert "DISAGREE" in ran.stdout
    assert ". Q . ." in ran.stdout


def test_a_value_off_the_board_is_shown_as_a_value(cli, write):
    off = BACKEND.format(name="Off").replace("yield values", "yield (*values[:-1], -1)")
    mine = write(off)
    compared = cli("compare", "4", "-b", f"core,{mine}", "--task", "enumerate")
    assert compared.returncode == 1
    assert "-1]" in compared.stdout
    assert "not in its domain" in compared.stdout
    for command in ("solve", "list"):
        ran = cli(command, "4", "-b", mine)
        assert (ran.returncode, ran.stdout) == (1, "")
        assert "queen[3] = -1, which is not in its domain" in ran.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1\n", "has neither a function solutions(n) nor a subclass of Backend"),
        ("def build(n):\n    pass\n", "give it as the model"),
        ("def solutions(n)\n    pass\n", "cannot be loaded in line 1: SyntaxError"),
        ("import no_such_module_xyz\n", "No module named 'no_such_module_xyz'"),
        ("def solutions(n, row):\n    pass\n", "solutions(n, row) must take one argument"),
        ("def solutions(n):\n    return 92\n", "must yield solutions, or return a list of them, not 92 (int)"),
        ("def solutions(n):\n    yield '1302'\n", "4 integers from 0 to 3, not '1302' (str)"),
        ("def solutions(n):\n    yield [1, 3, 0]\n", "4 integers from 0 to 3, not [1, 3, 0] (list)"),
        (FROM_ONE, "4 integers from 0 to 3, not [2, 4, 1, 3] (list)"),
        ("def solutions(n):\n    yield [0][n]\n", "mine.py, line 2: IndexError"),
        (BACKEND.format(name="One") + BACKEND.format(name="Two"), "holds 2 backends, One, Two"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(cli, write, text, why):
    ran = cli("count", "4", "--backend", write(text))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert why in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_file_that_is_not_there_and_one_without_its_ending(cli, write, tmp_path):
    assert "nothing.py: there is no such file" in cli("compare", "4", "-b", "nothing.py", cwd=tmp_path).stderr
    write(PROGRAM)
    assert "do you mean './mine.py'?" in cli("count", "4", "-b", "mine", cwd=tmp_path).stderr


def test_another_problem_is_refused(cli, write):
    mine = write(PROGRAM)
    ran = cli("count", "6", "placed=[(0, 1)]", "-b", mine)
    assert ran.returncode == 2
    assert "the classic n-queens board" in ran.stderr
    assert f"8 --backend {mine}" in cli("count", mine).stderr
