"""The widths of the join's vectors, Python in a process of its own, and the mark of boards that take minutes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from half_boards import WIDTHS
from nqueens_cp.core import join


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: boards that take minutes; NQUEENS_CP_SLOW=1 runs them")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("NQUEENS_CP_SLOW") != "1":
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: set NQUEENS_CP_SLOW=1 to run it"))


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> str:
    """Each width of vectors that this machine has."""
    if request.param not in join.available_vectors():
        pytest.skip(f"this machine has no {request.param}: {', '.join(join.available_vectors())}")
    return request.param


@pytest.fixture(scope="session")
def run_python() -> Callable[..., subprocess.CompletedProcess]:
    """A function that runs Python code in a process of its own, with these bytes to read and this environment."""

    def run(code: str, *, given_bytes: bytes = b"", **environment: str) -> subprocess.CompletedProcess:
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | environment,
            input=given_bytes,
            capture_output=True,
            timeout=120,
        )
        ran.stdout, ran.stderr = ran.stdout.decode(), ran.stderr.decode()
        return ran

    return run
