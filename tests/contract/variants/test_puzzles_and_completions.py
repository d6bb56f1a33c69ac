"""Puzzles and completions of others: as many solutions as published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nqueens_cp import count, queens, solutions
from nqueens_cp.core import kernel

SHARED = Path(__file__).resolve().parents[4] / "shared"


def cases(name: str) -> list[dict[str, Any]]:
    path = SHARED / "cases" / name
    if not path.exists():
        pytest.skip(f"{path} is not there: its boards can't be counted")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_region_puzzle_has_as_many_solutions_as_published():
    """The first solution in the file is the first in lexicographic order, as the core's is."""
    wrong = {}
    for case in cases("region_puzzles.jsonl"):
        if case["solutions"] > 10_000 and kernel.load()[0] is None:
            continue  # minutes in pure Python
        model = queens(case["n"], regions=case["regions"], touching=False)
        first = next(solutions(model, backend="core"))
        found = (count(model, backend="core"), [[column] for column in first["queen"]], bool(model.notes))
        expected = (case["solutions"], case["first_solution"], "disconnected_regions" in case)
        if found != expected:
            wrong[case["id"]] = (found, expected)
    assert wrong == {}


def test_small_region_puzzles_on_every_backend(backend, boards_of):
    small = [case for case in cases("region_puzzles.jsonl") if case["n"] <= 7 and case["solutions"] <= 20]
    for case in small[:: len(small) // 6]:
        model = queens(case["n"], regions=case["regions"], touching=False)
        boards = boards_of(model, backend)
        assert len(boards) == case["solutions"], case["id"]
        assert frozenset((row, columns[0]) for row, columns in enumerate(case["first_solution"])) in boards


def completions() -> list[dict[str, Any]]:
    return [case for case in cases("completion.jsonl") if case["n"] <= 14 and "solutions" in case]


def test_every_completion_has_as_many_solutions_as_published():
    counted = {
        case["id"]: count(queens(case["n"], placed=case["placed"], blocked=case["blocked"]), backend="core")
        for case in completions()
    }
    assert counted == {case["id"]: case["solutions"] for case in completions()}


def test_completions_with_excluded_diagonals():
    """The file numbers diagonals as row - column + n - 1 (kind 0) and row + column (kind 1); its blocked squares are theirs."""
    for case in completions():
        if excluded := case.get("excluded_diagonals"):
            n = case["n"]
            model = queens(
                n,
                placed=case["placed"],
                excluded_diagonals=[n - 1 - number for number, kind in excluded if kind == 0],
                excluded_antidiagonals=[number for number, kind in excluded if kind == 1],
            )
            assert count(model, backend="core") == case["solutions"], case["id"]


def test_small_completions_on_every_backend(backend):
    for case in completions():
        if case["n"] <= 8:
            model = queens(case["n"], placed=case["placed"], blocked=case["blocked"])
            assert count(model, backend=backend) == case["solutions"], case["id"]
