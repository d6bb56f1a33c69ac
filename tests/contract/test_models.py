"""Every file in models/ on every backend, against the counts it quotes; and those against the published tables."""

from __future__ import annotations

import ast
import json
import math
import runpy
from pathlib import Path
from typing import Any

import pytest

from nqueens_cp import Model, Status, UnsupportedModel, count, explain, load_model, solutions, solve

PROJECT = Path(__file__).resolve().parents[2]
MODEL_FILES = sorted((PROJECT / "models").glob("[!_]*.py"))
COMPLETION = PROJECT.parent / "shared" / "cases" / "completion.jsonl"
EXPECTED_MODELS = {"queens", "rooks", "toroidal_queens", "blocked_queens", "completion"}
LARGEST_SIZE = 9  # so that the slowest backend needs about a second
MOST_SOLUTIONS = 800


def _quoted() -> list[Any]:
    """(model name, parameters, count) for every PUBLISHED entry that is small enough for every backend."""
    return [
        pytest.param(path.stem, parameters, number, id=f"{path.stem}-{index}")
        for path in MODEL_FILES
        for index, (parameters, number) in enumerate(runpy.run_path(str(path))["PUBLISHED"])
        if parameters.get("n", 0) <= LARGEST_SIZE and number <= MOST_SOLUTIONS
    ]


def _completions() -> list[Any]:
    if not COMPLETION.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{COMPLETION} is not there"))]
    boards = map(json.loads, COMPLETION.read_text(encoding="utf-8").splitlines())
    return [pytest.param(board, id=board["id"]) for board in boards if board["n"] <= 14 and "solutions" in board]


def _squares(pairs: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((row, column) for row, column in pairs)


def test_the_promised_models_are_there():
    assert {path.stem for path in MODEL_FILES} >= EXPECTED_MODELS


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: path.stem)
def test_a_model_file_says_what_it_states(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert len(ast.get_docstring(tree) or "") > 80, "statement, source and published counts belong in the docstring"
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any(module and module.startswith("nqueens_cp.") for module in imported - {"nqueens_cp.variants"})
    assert runpy.run_path(str(path))["PUBLISHED"]


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: path.stem)
def test_the_core_takes_every_model_file(path):
    parameters, _ = runpy.run_path(str(path))["PUBLISHED"][-1]
    model = load_model(path.stem, **parameters)
    assert isinstance(model, Model)
    assert explain(model).backend == "core"
    assert "core" not in explain(model).passed_over


@pytest.mark.parametrize(("name", "parameters", "number"), _quoted())
def test_quoted_counts(backend, name, parameters, number, distinct_tuples):
    model = load_model(name, **parameters)
    assert count(model, backend=backend) == number
    found = solutions(model, backend=backend)
    assert len(distinct_tuples(found, model.variables)) == number
    assert found.status is Status.COMPLETE
    assert solve(model, backend=backend).status is (Status.SATISFIED if number else Status.UNSATISFIABLE)


def test_backends_find_the_same_boards(backend, distinct_tuples):
    for name, parameters in (("queens", {"n": 7}), ("toroidal_queens", {"n": 7}), ("rooks", {"n": 4})):
        model = load_model(name, **parameters)
        found = distinct_tuples(solutions(model, backend=backend), model.variables)
        assert found == distinct_tuples(solutions(model, backend="core"), model.variables)


@pytest.mark.parametrize(
    ("name", "sequence"), [("queens", "A000170"), ("toroidal_queens", "A051906"), ("rooks", "factorial")]
)
def test_quoted_counts_are_the_published_ones(published, name, sequence):
    quoted = runpy.run_path(str(PROJECT / "models" / f"{name}.py"))["PUBLISHED"]
    for parameters, number in quoted:
        size = parameters["n"]
        assert number == (math.factorial(size) if sequence == "factorial" else published[sequence][size])


@pytest.mark.parametrize("board", _completions())
def test_completion_boards(board):
    model = load_model("completion", n=board["n"], placed=_squares(board["placed"]), blocked=_squares(board["blocked"]))
    try:
        assert count(model, backend="core") == board["solutions"]
    except UnsupportedModel as error:  # pragma: no cover - a failure with a readable message
        pytest.fail(f"placed and blocked squares belong to the core's diagonal form: {error}")


def test_the_completion_board_of_nauck_on_every_backend(backend):
    """Nauck 1850, in ../shared/cases/completion.jsonl: queens on b5 and d4, two ways to complete."""
    assert count(load_model("completion", n=8, placed=((4, 1), (3, 3))), backend=backend) == 2
