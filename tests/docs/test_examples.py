"""Every example in the README, in docs/ and in the docstrings runs and prints what it says."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nqueens_cp

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = {"amazons.py": "def build(", "mine.py": "def solutions(n)", "brute_force.py": "class BruteForce("}
"""Pages say of an example that it is saved under such a name; by what it is known."""
MODULES = [
    module.name
    for module in pkgutil.walk_packages(nqueens_cp.__path__, "nqueens_cp.")
    if not module.name.endswith("__main__")
]


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples(page, tmp_path, monkeypatch):
    """The blocks of a page run one after the other in one namespace; a text block tells what the one before printed."""
    monkeypatch.chdir(tmp_path)
    namespace: dict = {"__name__": "example"}
    found = blocks(page)
    for i, (language, code) in enumerate(found):
        if language == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, f"{page.name}, block {i}", "exec"), namespace)
            if i + 1 < len(found) and found[i + 1][0] == "text":
                assert printed.getvalue() == found[i + 1][1], f"{page.name}, block {i}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_examples(page, tmp_path):
    """In a console block a line beginning with $ is a command; what follows is what it prints to standard output."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for name, mark in SAVED.items():
        code = next((code for language, code in blocks(page) if language == "python" and mark in code), "")
        (tmp_path / name).write_text(code)
    for language, text in blocks(page):
        if language != "console":
            continue
        for example in text.split("$ ")[1:]:
            command, _, expected = example.partition("\n")
            ran = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
            )
            assert ran.stdout == expected, f"{page.name}: {command}\n{ran.stderr}"


def test_pages_have_examples():
    assert sum(language == "python" for page in PAGES for language, _ in blocks(page)) >= 10
    assert sum(language == "console" for page in PAGES for language, _ in blocks(page)) >= 2


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_docstrings_have_examples():
    finder = doctest.DocTestFinder()
    tests = [test for name in MODULES for test in finder.find(importlib.import_module(name))]
    assert sum(bool(test.examples) for test in tests) >= 10
