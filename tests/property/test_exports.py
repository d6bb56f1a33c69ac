"""Random models as XCSP3, read by CPMpy with pycsp3's parser. (As MiniZinc they are read by the backend of that name.)"""

from __future__ import annotations

from hypothesis import given

from nqueens_cp import export
from xcsp3_reading import needs_cpmpy, xcsp3_solutions


@needs_cpmpy
def test_xcsp3_has_the_solutions_of_the_model(random_problems, tmp_path):
    drawn = []

    @given(random_problems)
    def draw(problem):
        drawn.append(problem)

    draw()
    read = xcsp3_solutions([export(problem.model, "xcsp3") for problem in drawn], tmp_path)
    for problem, found in zip(drawn, read, strict=True):
        assert sorted(map(tuple, found)) == sorted(problem.solutions()), problem
