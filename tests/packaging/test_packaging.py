"""Builds and installs for real: an sdist and a wheel, used outside of the clone; and what happens without a compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ["nqueens_cp", "models", "pyproject.toml", "setup.py", "README.md", "LICENSE", "MANIFEST.in"]
NO_COMPILER = {"CC": "/nonexistent/cc", "NQUEENS_CP_REQUIRE_KERNEL": "0"}
QUESTION = (
    "import nqueens_cp\n"
    "from nqueens_cp.backends import get_backend\n"
    "print(nqueens_cp.__file__)\n"
    "print(nqueens_cp.count(nqueens_cp.load_model('toroidal_queens', n=7)), get_backend('core').version())\n"
)


def run(*command, cwd, **environment):
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the sources, without what was built in them."""
    folder = tmp_path_factory.mktemp("clone")
    unwanted = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "_kernel_build.txt")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=unwanted)
        else:
            shutil.copy(source, folder)
    return folder


def installed(wheel, tmp_path):
    """Install a wheel into a folder of its own, and return what a program outside of the clone says with it."""
    target = tmp_path / "installed"
    ran = run("-m", "pip", "install", "-q", "--no-deps", "--target", target, wheel, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    ran = run("-c", QUESTION, cwd=tmp_path, PYTHONPATH=str(target))
    assert ran.returncode == 0, ran.stderr
    file, answer = ran.stdout.splitlines()
    assert Path(file).is_relative_to(target)
    return answer, ran.stderr


def test_sdist_and_wheel(clone, tmp_path):
    """The wheel is built from the sdist, so that the sdist must hold everything."""
    ran = run("-m", "build", "--outdir", tmp_path, clone, cwd=tmp_path, NQUEENS_CP_REQUIRE_KERNEL="1")
    assert ran.returncode == 0, ran.stderr
    assert [path.name for path in tmp_path.glob("*.tar.gz")] == ["nqueens_cp-0.1.0.tar.gz"]
    (wheel,) = tmp_path.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name
    assert any(name.startswith("nqueens_cp/core/_kernel.abi3.") for name in zipfile.ZipFile(wheel).namelist())
    answer, warnings = installed(wheel, tmp_path)
    assert answer.startswith("28 ")
    assert "(compiled, " in answer
    assert warnings == ""


def test_without_a_compiler_the_install_succeeds_and_falls_back(clone, tmp_path):
    ran = run("-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, clone, cwd=tmp_path, **NO_COMPILER)
    assert ran.returncode == 0, ran.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == "nqueens_cp-0.1.0-py3-none-any.whl"
    answer, warnings = installed(wheel, tmp_path)
    assert answer.startswith("28 ")
    assert "pure Python: the build failed" in answer
    assert warnings.count("the build failed") == 1


def test_where_the_kernel_is_required_a_failing_build_fails(clone, tmp_path):
    required = NO_COMPILER | {"NQUEENS_CP_REQUIRE_KERNEL": "1"}
    ran = run("-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, clone, cwd=tmp_path, **required)
    assert ran.returncode != 0
    assert "/nonexistent/cc" in ran.stdout + ran.stderr
