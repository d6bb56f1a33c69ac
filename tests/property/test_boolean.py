"""The Boolean form, and the files written from it, against brute force on random models.

Other programs solve what is written: the solutions over all Boolean variables are counted, helpers included, since helpers that
are no functions of the others would show there.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_cp.control import Control
from nqueens_cp.formats.boolean import BooleanForm
from nqueens_cp.formats.dimacs import dimacs_text
from nqueens_cp.formats.lp import lp_text
from nqueens_cp.formats.opb import opb_text


@pytest.fixture(scope="module")
def all_models():
    """A function of the number of Boolean variables and of clauses: every satisfying assignment, as a set of literals."""
    solvers = pytest.importorskip("pysat.solvers", reason="python-sat is not installed")

    def satisfying(variables, statements):
        found = []
        with solvers.Solver(name="g4", bootstrap_with=statements) as solver:  # the backend uses another one
            while solver.solve():
                known = solver.get_model()
                model = known + [-number for number in range(len(known) + 1, variables + 1)]
                found.append(set(model))
                if not model:
                    break
                solver.add_clause([-literal for literal in model])
        return found

    return satisfying


HALF = settings().max_examples // 2  # of the tests whose solvers take longer


def test_clauses_have_the_problems_solutions(random_problems, all_models, monkeypatch):
    """With what is meant for large domains and groups: nothing tabulated, and chains in place of pairs."""
    monkeypatch.setattr("nqueens_cp.formats.boolean.MAX_PAIRS", 0)
    monkeypatch.setattr("nqueens_cp.formats.clauses.MAX_PAIRWISE", 1)

    @given(random_problems)
    def agree(problem):
        form = BooleanForm(problem.model.snapshot(), "the test", Control())
        result = form.to_clauses()
        models = [] if () in result.clauses else all_models(result.variables, result.clauses)
        values = [tuple(value for literal, value in form.values.items() if literal in model) for model in models]
        assert len(values) == len(set(values))
        assert set(values) == problem.solutions()

    agree()


def test_dimacs_is_counted_alike_with_and_without_projection(random_problems, all_models):
    formula = pytest.importorskip("pysat.formula", reason="python-sat is not installed")

    @given(random_problems)
    def agree(problem):
        text = dimacs_text(problem.model.snapshot(), Control())
        cnf = formula.CNF(from_string=text)
        header = re.search(r"^p cnf (\d+) (\d+)$", text, re.MULTILINE)
        assert cnf.nv <= int(header[1])
        assert len(cnf.clauses) == int(header[2])
        mapping = [
            (name, int(value), int(literal))
            for name, value, literal in re.findall(r"^c (.*) = (-?\d+) is (-?\d+)$", text, re.MULTILINE)
        ]
        shown = {int(word) for word in re.search(r"^c p show(.*) 0$", text, re.MULTILINE)[1].split()}
        assert shown == {abs(literal) for _, _, literal in mapping}
        models = all_models(int(header[1]), cnf.clauses)
        values = []
        for model in models:
            named = {name: value for name, value, literal in mapping if literal in model}
            values.append(tuple(named[variable.name] for variable in problem.model.variables))
        assert len(models) == len({frozenset(model & (shown | {-n for n in shown})) for model in models})
        assert set(values) == problem.solutions()
        assert len(values) == len(problem.solutions())

    agree()


def test_opb_has_the_problems_solutions(random_problems):
    """Read by a few lines here, and enumerated by CP-SAT."""
    from ortools.sat.python import cp_model

    class Collector(cp_model.CpSolverSolutionCallback):
        def __init__(self, variables):
            super().__init__()
            self.variables = variables
            self.found = []

        def on_solution_callback(self):
            self.found.append({name for name, variable in self.variables.items() if self.value(variable)})

    @settings(max_examples=HALF)
    @given(random_problems)
    def agree(problem):
        lines = opb_text(problem.model.snapshot(), Control()).splitlines()
        header = re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", lines[0])
        model = cp_model.CpModel()
        variables = {f"x{i}": model.new_bool_var("") for i in range(1, int(header[1]) + 1)}
        statements = [line for line in lines if not line.startswith("*")]
        assert len(statements) == int(header[2])
        for statement in statements:
            left, operator, bound = re.fullmatch(r"(.*) (>=|=) (-?\d+) ;", statement).groups()
            total = sum(int(weight) * variables[name] for weight, name in re.findall(r"([+-]\d+) (x\d+)", left))
            model.add(total >= int(bound) if operator == ">=" else total == int(bound))
        mapping = re.findall(r"^\* (.*) = (-?\d+) is (~?)(x\d+)$", "\n".join(lines), re.MULTILINE)
        solver, collector = cp_model.CpSolver(), Collector(variables)
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.num_workers = 1
        solver.solve(model, collector)
        values = []
        for true in collector.found:
            named = {name: int(value) for name, value, no, literal in mapping if (literal in true) is not bool(no)}
            values.append(tuple(named[variable.name] for variable in problem.model.variables))
        assert sorted(values) == sorted(problem.solutions())

    agree()


def test_lp_and_its_objective(random_problems, tmp_path):
    """Solved by HiGHS: the best value of a random objective, or that there is no solution."""
    highspy = pytest.importorskip("highspy", reason="highspy is not installed")
    path = tmp_path / "problem.lp"

    @settings(max_examples=HALF)
    @given(random_problems, st.data())
    def agree(problem, data):
        model, expected = problem.model, problem.solutions()
        weights = data.draw(st.lists(st.integers(-3, 3), min_size=len(model.variables), max_size=len(model.variables)))
        shift, maximize = data.draw(st.integers(-5, 5)), data.draw(st.booleans())
        goal = sum(weight * variable for weight, variable in zip(weights, model.variables, strict=True)) + shift
        (model.maximize if maximize else model.minimize)(goal)
        path.write_text(lp_text(model.snapshot(), Control()))
        highs = highspy.Highs()
        highs.silent()
        assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
        highs.run()
        status = highs.modelStatusToString(highs.getModelStatus())
        if not expected:
            assert status == "Infeasible"
            return
        reached = [sum(map(int.__mul__, weights, values)) + shift for values in expected]
        assert status == "Optimal"
        assert round(highs.getInfo().objective_function_value) == (max(reached) if maximize else min(reached))

    agree()
