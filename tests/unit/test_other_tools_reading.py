"""What stands in other tools' files where nothing should stand, and what ends their lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_cp import InvalidValue, Model, NQueensError, UnsupportedModel, count, load_model
from nqueens_cp.formats.read_flatzinc import read_program


@pytest.fixture
def written(tmp_path) -> Callable[[str, str], Path]:
    """A function that writes a text to a file whose name ends so, byte by byte, and returns its path."""

    def write(text: str, ending: str) -> Path:
        path = tmp_path / f"small{ending}"
        path.write_bytes(text.encode())
        return path

    return write


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_ends_of_lines(written, end):
    def load(lines: list[str], ending: str) -> Model:
        return load_model(written(end.join(lines), ending))

    assert count(load(["c a\u2028b\x0cc\x85d", "p cnf 2 1", "1", "2 0"], ".cnf")) == 3
    assert count(load(["* a\u2028b\x0cc\x85d", "+1 x1 +1 x2", ">= 1 ;"], ".opb")) == 3
    with pytest.raises(InvalidValue, match=r"line 4: literal 7"):
        load(["c a\u2028b", "p cnf 2 2", "1 0", "7 0"], ".cnf")
    with pytest.raises(InvalidValue, match=r"line 3: expected a literal"):
        load(["* a\x0cb", "+1 x1 >= 1 ;", "+1 1x >= 1 ;"], ".opb")


def _instance(variables: str = "", constraints: str = "", form: str = "XCSP3", more: str = "") -> str:
    return (
        f'<instance format="{form}" type="CSP">\n<variables> <var id="x"> 0..2 </var> {variables} </variables>\n'
        f"<constraints>\n{constraints}\n</constraints>\n{more}</instance>\n"
    )


@pytest.mark.parametrize(
    ("text", "kind", "line", "told"),
    [
        (_instance(constraints="eq(x,1)"), InvalidValue, 3, "'eq(x,1)' between the elements of <constraints>"),
        (_instance(constraints="<block>\neq(x,1) </block>"), InvalidValue, 4, "<block>"),
        (_instance(constraints="<group> eq <args> x </args> </group>"), InvalidValue, 4, "<group>"),
        (_instance(variables="y 0..2"), InvalidValue, 2, "'y 0..2'"),
        (_instance(more="<objectives> x </objectives>"), InvalidValue, 6, "<objectives>"),
        (_instance(more="eq(x,1)"), InvalidValue, 1, "<instance>"),
        (_instance(constraints="<intension> eq(x,1) <foo/> </intension>"), UnsupportedModel, 4, "<foo> in <intension>"),
        (_instance(variables='<var id="y"> 0 1 <foo/> </var>'), UnsupportedModel, 2, "<foo> in <var>"),
        (_instance(form="XCSP2"), UnsupportedModel, 1, "'XCSP2'"),
    ],
)
def test_nothing_in_xcsp3_is_passed_over(written, text, kind, line, told):
    with pytest.raises(NQueensError) as refused:
        load_model(written(text, ".xml"))
    assert type(refused.value) is kind
    assert f"small.xml, line {line}: " in str(refused.value)
    assert told in str(refused.value)
    assert count(load_model(written(_instance(), ".xml"))) == 3


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ("array [1..2] of var int: a :: output_array([1..2, 1..2]) = [x, 1];", "do not hold 2 entries"),
        ("array [1..2] of var int: a :: output_array([1..1]) = [x, 1];", "do not hold 2 entries"),
        ("array [1..2] of var int: a :: output_array([1..2]) = x;", "'a' is an array"),
    ],
)
def test_arrays_of_flatzinc_that_do_not_fit(written, declared, told):
    with pytest.raises(InvalidValue, match=r"small\.fzn, line 2: ") as refused:
        read_program(written(f"var 1..2: x;\n{declared}\nsolve satisfy;\n", ".fzn"))
    assert told in str(refused.value)
