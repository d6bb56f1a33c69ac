"""Random models as XCSP3, read by CPMpy with pycsp3's parser. (As MiniZinc they are read by the backend of that name.)"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given

from nqueens_cp import export

READER = Path(__file__).resolve().parents[1] / "unit" / "xcsp3_with_cpmpy.py"


@pytest.mark.skipif(
    find_spec("cpmpy") is None or find_spec("pycsp3") is None,
    reason="cpmpy or pycsp3 is not installed: the second reading of XCSP3 can't be tested",
)
def test_xcsp3_has_the_solutions_of_the_model(random_problems, tmp_path):
    drawn = []

    @given(random_problems)
    def draw(problem):
        drawn.append(problem)

    draw()
    paths = [tmp_path / f"{i}.xml" for i in range(len(drawn))]
    for problem, path in zip(drawn, paths, strict=True):
        path.write_text(export(problem.model, "xcsp3"), encoding="utf-8")
    command = [sys.executable, str(READER), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for problem, found in zip(drawn, json.loads(done.stdout.splitlines()[-1]), strict=True):
        assert sorted(map(tuple, found)) == sorted(problem.solutions()), problem
