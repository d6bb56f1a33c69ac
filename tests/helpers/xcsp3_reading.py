"""XCSP3 as CPMpy and pycsp3's parser understand it, in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

needs_cpmpy = pytest.mark.skipif(
    find_spec("cpmpy") is None or find_spec("pycsp3") is None,
    reason="cpmpy or pycsp3 is not installed: the second reading of XCSP3 can't be tested",
)


def xcsp3_solutions(texts: list[str], folder: Path) -> list[list[list[int]]]:
    """Return the solutions of each text, which is written to the folder first."""
    paths = [folder / f"{i}.xml" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    reader = Path(__file__).with_name("xcsp3_with_cpmpy.py")
    command = [sys.executable, str(reader), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
