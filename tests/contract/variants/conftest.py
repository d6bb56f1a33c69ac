"""Boards as sets of squares, and the backends that take a board of single squares."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from nqueens_cp import Model, Status, UnsupportedModel, count, queens, solutions
from variant_rules import Square, Squares


@pytest.fixture(scope="session")
def boards_of(distinct_tuples) -> Callable[[Model, str], set[Squares]]:
    """A function of a model and a backend: all its solutions as sets of squares, read by the names of the variables."""

    def occupied(name: str, value: int) -> list[Square]:
        if row := re.fullmatch(r"(?:queen|row)\[(\d+)\]", name):
            return [(int(row[1]), value)]
        square = re.fullmatch(r"square\[(\d+),(\d+)\]", name)
        assert square, f"{name!r} is neither a queen nor a square"
        assert value in (0, 1)
        return [(int(square[1]), int(square[2]))] * value

    def read(model: Model, backend: str) -> set[Squares]:
        found = solutions(model, backend=backend)
        rows = distinct_tuples(found, model.variables)
        assert found.status is Status.COMPLETE
        names = [variable.name for variable in model.variables]
        return {
            frozenset(square for pair in zip(names, values, strict=True) for square in occupied(*pair))
            for values in rows
        }

    return read


@pytest.fixture
def general_backend(backend, judge_refusal) -> str:
    """Each backend that takes a board of single squares; the core may say why it does not."""
    model = queens(2, pieces=1)
    try:
        count(model, backend=backend)
    except UnsupportedModel as error:
        pytest.skip(f"{backend} declines: {judge_refusal(error, backend, model)}")
    return backend
