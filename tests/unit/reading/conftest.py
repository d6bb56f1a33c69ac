"""Files that are written and loaded at once, and all the solutions of a model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nqueens_cp import Model, load_model, solutions


@pytest.fixture
def loaded(tmp_path) -> Callable[[str, str], Model]:
    """A function that writes a text to a file whose name ends so, and loads it."""

    def load(text: str, ending: str) -> Model:
        path = tmp_path / f"small{ending}"
        path.write_text(text, encoding="utf-8")
        return load_model(path)

    return load


@pytest.fixture(scope="session")
def rows(distinct_tuples) -> Callable[..., set[tuple[int, ...]]]:
    """A function of a model and the names of its variables: their values in all solutions."""
    return lambda model, *names: distinct_tuples(solutions(model, backend="cp-sat"), names)
