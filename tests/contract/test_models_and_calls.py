"""A model file and the call of `queens` that states the same give the same solutions, one by one."""

from __future__ import annotations

import pytest

from nqueens_cp import load_model, queens, solutions

REGIONS = ("AABBB", "ACCBB", "ACDDB", "EEDDB", "EEEEE")
PAIRS = [
    *(("queens", {"n": n}, {"n": n}) for n in (0, 1, 4, 6)),
    *(("rooks", {"n": n}, {"n": n, "diagonals": "none"}) for n in (1, 4)),
    *(("toroidal_queens", {"n": n}, {"n": n, "torus": True}) for n in (4, 5, 7)),
    *(("semi_queens", {"n": n}, {"n": n, "torus": True, "diagonals": "rising"}) for n in (4, 5, 7)),
    *(("amazons", {"n": n}, {"n": n, "amazons": True}) for n in (4, 10)),
    *(("no_touch", {"n": n}, {"n": n, "touching": False}) for n in (4, 6)),
    *(("half_turn_queens", {"n": n}, {"n": n, "symmetric": "half turn"}) for n in (4, 5, 8)),
    *(("quarter_turn_queens", {"n": n}, {"n": n, "symmetric": "quarter turn"}) for n in (4, 5, 12)),
    *(("reflecting_queens", {"n": n}, {"n": n, "reflecting": True}) for n in (4, 5, 8)),
    *(("rectangular_queens", {"rows": m, "columns": 5}, {"n": 5, "rows": m}) for m in (1, 3, 5)),
    ("region_queens", {"regions": REGIONS}, {"n": 5, "regions": REGIONS, "touching": False}),
    ("blocked_queens", {"n": 6, "blocked": ((0, 1), (3, 3))}, {"n": 6, "blocked": [(0, 1), (3, 3)]}),
    (
        "completion",
        {"n": 6, "placed": ((0, 1),), "blocked": ((1, 4),)},
        {"n": 6, "placed": [(0, 1)], "blocked": [(1, 4)]},
    ),
    *(("some_queens", {"n": 4, "number": k}, {"n": 4, "pieces": k}) for k in (0, 2, 4)),
]


@pytest.mark.parametrize(("name", "parameters", "keywords"), PAIRS)
def test_model_file_and_call_give_the_same_solutions(name, parameters, keywords):
    of_file = sorted(solution.values for solution in solutions(load_model(name, **parameters)))
    of_call = sorted(solution.values for solution in solutions(queens(**keywords)))
    assert of_file == of_call
