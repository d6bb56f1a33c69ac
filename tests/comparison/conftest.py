"""Backends that are wrong on purpose, and what the tests of comparisons share."""

from __future__ import annotations

import os
import runpy
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nqueens_cp import Model
from nqueens_cp.backends import _entry_points
from nqueens_cp.comparison import processes
from nqueens_cp.comparison.records import Row


@pytest.fixture(scope="module", autouse=True)
def _wrong_backends(tmp_path_factory) -> Iterator[None]:
    """Install a distribution that registers the classes of wrong_backends.py, here and in the processes that measure."""
    folder = tmp_path_factory.mktemp("wrong")
    source = Path(__file__).with_name("wrong_backends.py")
    shutil.copy(source, folder)
    kinds = [(name, kind) for name, kind in runpy.run_path(str(source)).items() if isinstance(kind, type)]
    info = folder / "wrong_backends-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong-backends\nVersion: 1.2\n")
    lines = [f"{kind.name} = wrong_backends:{name}\n" for name, kind in kinds if "name" in vars(kind)]
    (info / "entry_points.txt").write_text("[nqueens_cp.backends]\n" + "".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
        patch.syspath_prepend(str(folder))
        _entry_points.cache_clear()
        yield
    _entry_points.cache_clear()


@pytest.fixture(autouse=True)
def calls(tmp_path, monkeypatch) -> Path:
    """The folder in which the wrong backends keep how often they were called."""
    folder = tmp_path / "calls"
    folder.mkdir()
    monkeypatch.setenv("CALLS_OF_WRONG_BACKENDS", str(folder))
    return folder


@pytest.fixture
def short_grace(monkeypatch) -> float:
    """What ignores its time limit is killed sooner than in earnest; the seconds."""
    monkeypatch.setattr(processes, "GRACE_SECONDS", 1.5)
    return 1.5


@pytest.fixture
def far() -> Model:
    """A model with an objective, of which 21 is the best value, reached at (9, 3) alone."""
    model = Model("far")
    x, y = model.int_vars("x", 2, domain=range(10))
    model.add(x + y <= 12)
    model.maximize(2 * x + y)
    return model


@pytest.fixture(scope="session")
def row_of() -> Callable[..., Row]:
    """A function that returns a backend's only row of a comparison (of one model, where one is named)."""

    def find(comparison, backend, model=None):
        (row,) = (row for row in comparison.rows if row.backend == backend and model in (None, row.model))
        return row

    return find
