"""The two commands of the README are the ones that .ci/run runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def code_lines() -> list[str]:
    """The lines of the README's fenced code blocks, prompts removed."""
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    return [line.removeprefix("$ ").strip() for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def ci_run() -> str:
    return (ROOT / ".ci" / "run").read_text()


def test_one_line_makes_the_environment_and_runs_the_main_job(code_lines):
    (line,) = (line for line in code_lines if "-m venv" in line)
    assert re.search(r"pip install .*-e", line)
    assert line.endswith("nqueens-cp compare 8")


def test_one_line_installs_what_the_tests_need_and_runs_them(code_lines):
    (line,) = (line for line in code_lines if "pytest" in line and "install" in line)
    assert "[test]" in line


def test_ci_takes_both_lines_out_of_the_readme(code_lines, ci_run):
    assert "README.md" in ci_run
    for line in code_lines:
        if "-m venv" in line or ("pytest" in line and "install" in line):
            assert line not in ci_run, "a copy could drift; it must be read from the README"


def test_ci_is_a_script_that_a_shell_can_read(ci_run):
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
    if ci_run.startswith("#!") and "sh" in ci_run.splitlines()[0]:
        assert (
            subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], capture_output=True, timeout=20).returncode == 0
        )


def test_ci_checks_style_and_types_too(ci_run):
    assert "ruff check" in ci_run
    assert "ruff format --check" in ci_run
    assert "mypy" in ci_run
