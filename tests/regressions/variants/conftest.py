"""The boards of a model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nqueens_cp import Model, solutions


@pytest.fixture(scope="session")
def boards() -> Callable[..., list[list[int]]]:
    """A function of a model and a backend: its solutions in lexicographic order, repeated if they are handed out twice."""

    def read(model: Model, backend: str = "auto") -> list[list[int]]:
        return sorted(solution["queen"] for solution in solutions(model, backend=backend))

    return read
