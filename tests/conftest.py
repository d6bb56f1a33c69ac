"""Fixtures that several suites share: the backends, the shared folder, and the plain-Python oracle."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nqueens_cp import Model, Solution, UnsupportedModel
from nqueens_cp.backends import backend_names

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared"

# The words by which a refusal may say what is missing, where it does not print the constraint itself.
MISSING_FEATURES = ("objective", "minimize", "maximize", "size", "variable", "pickle")


@pytest.fixture(scope="session", params=backend_names())
def backend(request: pytest.FixtureRequest) -> str:
    """The name of each registered backend in turn."""
    return request.param


@pytest.fixture(scope="session")
def published() -> Mapping[str, Mapping[int, int]]:
    """OEIS id -> {index: published count}, read from ../shared/truth."""
    path = SHARED / "truth" / "counts.json"
    if not path.exists():
        pytest.skip(f"{path} is not there: the published counts can't be compared")
    sequences = json.loads(path.read_text(encoding="utf-8"))["sequences"]
    return {s["id"]: dict(enumerate(s["values"], start=s["offset"])) for s in sequences}


@pytest.fixture(scope="session")
def brute_force() -> Callable[[Sequence[Iterable[int]], Callable[..., bool]], set[tuple[int, ...]]]:
    """A function of domains and a plain Python predicate: all the tuples of the product that satisfy it."""

    def satisfying(domains: Sequence[Iterable[int]], holds: Callable[..., bool]) -> set[tuple[int, ...]]:
        return {values for values in itertools.product(*map(set, domains)) if holds(*values)}

    return satisfying


@pytest.fixture(scope="session")
def distinct_tuples() -> Callable[[Iterable[Solution], Sequence[Any]], set[tuple[int, ...]]]:
    """A function that reads the variables from every solution, and fails where a solution is repeated."""

    def read(found: Iterable[Solution], variables: Sequence[Any]) -> set[tuple[int, ...]]:
        rows = [tuple(solution[variable] for variable in variables) for solution in found]
        repeated = len(rows) - len(set(rows))
        assert repeated == 0, f"{repeated} of {len(rows)} solutions were handed out before"
        return set(rows)

    return read


@pytest.fixture(scope="session")
def judge_refusal() -> Callable[[UnsupportedModel, str, Model], str]:
    """A function that accepts a refusal only if it says why; it returns the reason.

    cp-sat must take everything, python-constraint everything but an objective.
    """

    def judge(error: UnsupportedModel, backend: str, model: Model) -> str:
        reason = str(error)
        assert backend != "cp-sat", f"cp-sat must take every model: {reason}"
        assert backend != "python-constraint" or model.objective is not None, f"python-constraint refused: {reason}"
        named = [str(constraint) for constraint in model.constraints]
        named += [type(constraint).__name__ for constraint in model.constraints]
        assert any(word in reason for word in (*named, *MISSING_FEATURES)), f"names no cause: {reason!r}"
        return reason

    return judge
