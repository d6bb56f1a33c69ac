"""Damaged files give a model or an error of this package."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nqueens_cp import NQueensError, load_model
from xcsp3_texts import CONSTRAINTS, XCSP3

ALPHABET = "0123456789 -~x;()[]<>/=.,%\n\"'&pcnfsetam"
WHOLE = {
    ".cnf": "c a = 1 is 1\np cnf 3 2\n1 2 0\n-1 3 0\nc p show 1 0\n",
    ".opb": "* #variable= 2 #constraint= 1\nmin: +1 x1 ;\n+1 x1 +1 ~x2 >= 1 ;\n",
    ".fzn": "array [1..2] of int: k = [1,-1]; var 0..3: x; var 0..3: y; var bool: b; set of int: s = {1,2};\n"
    "constraint int_lin_le_reif(k,[x,y],0,b) :: defines_var(b); constraint set_in(x,s);\n"
    "constraint array_var_int_element(x,[y,2],y); constraint int_times(x,y,3); solve satisfy;",
    ".xml": XCSP3.format(" ".join(text for text, _ in CONSTRAINTS[6:22])),
}


@pytest.mark.parametrize("ending", WHOLE)
def test_damaged_files_give_a_model_or_an_error_of_this_package(tmp_path, ending):
    whole, path = WHOLE[ending], tmp_path / f"damaged{ending}"

    @settings(max_examples=250, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(
        st.lists(
            st.tuples(st.integers(0, len(whole)), st.integers(0, 12), st.text(ALPHABET, max_size=4)),
            min_size=1,
            max_size=3,
        )
    )
    def damage(changes):
        text = whole
        for place, removed, added in changes:
            text = text[:place] + added + text[place + removed :]
        path.write_text(text)
        try:
            told = load_model(path).name
        except NQueensError as error:
            told = str(error)
        assert path.name in told

    damage()
