"""Reading XCSP3: what the files state, against brute force."""

from __future__ import annotations

import gzip
import lzma
import pickle
import subprocess
import sys
from itertools import product

import pytest

from nqueens_cp import InvalidValue, count, load_model, solve
from xcsp3_texts import CONSTRAINTS, FUNCTIONS, XCSP3


@pytest.mark.parametrize(
    ("text", "truth"),
    CONSTRAINTS + [(f"<intension> {text} </intension>", truth) for text, truth in FUNCTIONS],
    ids=[text.split(">")[0][1:] + str(i) for i, (text, _) in enumerate(CONSTRAINTS)] + [text for text, _ in FUNCTIONS],
)
def test_xcsp3_constraints(loaded, text, truth, rows):
    model = loaded(XCSP3.format(text), ".xml")
    expected = {(w, p, *x) for w, p, *x in product(range(3), range(2), *[range(-2, 4)] * 3) if truth(w, p, tuple(x))}
    assert rows(model, "w", "p", "x[0]", "x[1]", "x[2]") == expected
    assert count(model, backend="cp-sat") == len(expected)


def test_xcsp3_variables(loaded):
    text = """<instance format="XCSP3" type="COP">
      <variables>
        <var id="v"> 1 3..4 </var> <var id="u" as="v"/>
        <array id="m" size="[2][2]"> <domain for="m[0][]"> 0 1 </domain> <domain for="others"> 5 </domain> </array>
        <array id="part" size="[3]" startIndex="1"> <domain for="part[1] part[3]"> 0..9 </domain> </array>
      </variables>
      <objectives> <maximize type="sum"> <list> v u m[][] part[] </list> <coeffs> 1 -1 1x6 </coeffs> </maximize> </objectives>
    </instance>"""
    model = loaded(text, ".xml")
    names = ["v", "u", "m[0][0]", "m[0][1]", "m[1][0]", "m[1][1]", "part[1]", "part[3]"]
    assert [variable.name for variable in model.variables] == names
    assert [list(variable.domain) for variable in model.variables[:6]] == [[1, 3, 4]] * 2 + [[0, 1]] * 2 + [[5]] * 2
    assert solve(model).objective == 4 - 1 + 2 + 10 + 18


@pytest.mark.parametrize(("pack", "ending"), [(lzma.compress, ".xml.lzma"), (gzip.compress, ".xml.gz")])
def test_packed_files(tmp_path, pack, ending):
    path = tmp_path / f"small{ending}"
    path.write_bytes(pack(XCSP3.format("<allDifferent> x[] </allDifferent>").encode()))
    assert count(load_model(path)) == 6 * 5 * 4 * 3 * 2
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InvalidValue, match="cannot be read"):
        load_model(path)


def test_models_can_be_sent_to_other_processes(tmp_path):
    path = tmp_path / "small.xml"
    path.write_text(XCSP3.format("<intension> eq(mul(x[0],x[1]),w) </intension>"))
    model = load_model(path)
    packed = tmp_path / "packed"
    packed.write_bytes(pickle.dumps(model.snapshot()))
    code = "import pickle, sys; print(len(pickle.load(open(sys.argv[1], 'rb')).constraints))"
    ran = subprocess.run([sys.executable, "-c", code, packed], capture_output=True, text=True, check=True)
    assert int(ran.stdout) == len(model.constraints)
