"""Files that are refused, of every format that is read: the line, and what is said of it."""

from __future__ import annotations

import pytest

from nqueens_cp import InvalidValue, UnsupportedModel, load_model
from xcsp3_texts import XCSP3

DIMACS = "p cnf 3 2\n1 2 0\n-1 3 0\n"
OPB = "* #variable= 2 #constraint= 1\n+1 x1 +1 x2 >= 1 ;\n"
DECLARED = "<instance><variables>{}</variables></instance>"
REFUSED = [
    (".cnf", "", InvalidValue, 1, "no header"),
    (".cnf", "c only remarks\n", InvalidValue, 1, "no header"),
    (".cnf", "1 2 0\n", InvalidValue, 1, "before the header"),
    (".cnf", DIMACS + "p cnf 1 1\n", InvalidValue, 4, "second header"),
    (".cnf", "p cnf 3\n", InvalidValue, 1, "a header reads"),
    (".cnf", "p wcnf 3 2 10\n", UnsupportedModel, 1, "'p wcnf'"),
    (".cnf", "p cnf 3 2\n1 4 0\n", InvalidValue, 2, "literal 4"),
    (".cnf", "p cnf 3 2\n1 2 0\n", InvalidValue, 2, "promises 2 clauses, and there are 1"),
    (".cnf", "p cnf 3 1\n1 2\n", InvalidValue, 2, "does not end in 0"),
    (".cnf", "p cnf 3 1\n1 0\n2 0\n", InvalidValue, 3, "more clauses than the 1"),
    (".cnf", "p cnf 3 1\nx1 2 0\n", UnsupportedModel, 2, "'x1'"),
    (".cnf", "p cnf 3 1\n1 2.5 0\n", InvalidValue, 2, "expected an integer, got '2.5'"),
    (".cnf", "p cnf -3 1\n", InvalidValue, 1, "-3 variables"),
    (".cnf", f"p cnf {'9' * 5000} 1\n", InvalidValue, 1, "64 bits"),
    (".cnf", "p cnf 999999 1\n", InvalidValue, 1, "999999 variables"),
    (".cnf", "p cnf 3 999999999\n", InvalidValue, 1, "999999999 clauses"),
    (".cnf", "p cnf 3 0\nc p show 4 0\n", InvalidValue, 2, "names 4"),
    (".opb", "", InvalidValue, 1, "no constraint"),
    (
        ".opb",
        "* #variable= 2 #constraint= 2\n+1 x1 >= 1 ;\n",
        InvalidValue,
        1,
        "promises 2 constraints, and there are 1",
    ),
    (".opb", OPB[:-3], InvalidValue, 2, "does not end in ';'"),
    (".opb", "+1 x1 +2 x2 x3 >= 1 ;", UnsupportedModel, 1, "product"),
    (".opb", "+1 x1 <= 1 ;", UnsupportedModel, 1, "'<='"),
    (".opb", "soft: 5 ;\n", UnsupportedModel, 1, "soft"),
    (".opb", "max: 1 x1 ;\n", UnsupportedModel, 1, "max"),
    (".opb", "x1 >= 1 ;", InvalidValue, 1, "no coefficient"),
    (".opb", "1 2 x1 >= 1 ;", InvalidValue, 1, "follows a number"),
    (".opb", "1 x1 2 >= 1 ;", InvalidValue, 1, "no literal"),
    (".opb", "1 ~ >= 1 ;", InvalidValue, 1, "'~'"),
    (".opb", "1 x1 >= x2 ;", InvalidValue, 1, "'x2'"),
    (".opb", "1 x1 >= 1 ; \nmin: 1 x1 ;", InvalidValue, 2, "before the constraints"),
    (".opb", "1 x1 >= 99999999999999999999999 ;", InvalidValue, 1, "64 bits"),
    (".xml", "", InvalidValue, 1, "well-formed"),
    (".xml", "<instance>", InvalidValue, 1, "well-formed"),
    (".xml", "<a>\n</b>", InvalidValue, 2, "mismatched tag"),
    (".xml", "<other/>", InvalidValue, 1, "expected <instance>"),
    (".xml", "<instance type='WCSP'/>", UnsupportedModel, 1, "WCSP"),
    (".xml", "<instance/>", InvalidValue, 1, "no <variables>"),
    (".xml", "<!DOCTYPE a [<!ENTITY b 'c'>]>\n<instance/>", InvalidValue, 1, "DOCTYPE"),
    (".xml", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>\n<instance/>", InvalidValue, 1, "DOCTYPE"),
    (".xml", "<?xml version='1.0' encoding='klingon'?><a/>", InvalidValue, 1, "encod"),
    (".xml", "<a>" * 500, InvalidValue, 1, "nested more than"),
    (".xml", XCSP3.format("<circuit> x[] </circuit>"), UnsupportedModel, 7, "<circuit>"),
    (".xml", XCSP3.format("\n<allDifferent> y[] </allDifferent>"), InvalidValue, 8, "'y'"),
    (".xml", XCSP3.format("<allDifferent> x[5] </allDifferent>"), InvalidValue, 7, "leaves the array"),
    (".xml", XCSP3.format("<allDifferent> x[][] </allDifferent>"), InvalidValue, 7, "2 indices"),
    (
        ".xml",
        XCSP3.format("<allDifferent> <list> x[] </list> <except> 0 </except> </allDifferent>"),
        UnsupportedModel,
        7,
        "<except>",
    ),
    (".xml", XCSP3.format("<intension> nothere </intension>"), InvalidValue, 7, "nothere"),
    (".xml", XCSP3.format("<intension> eq(foo(w),1) </intension>"), UnsupportedModel, 7, "'foo'"),
    (".xml", XCSP3.format("<intension> eq(w </intension>"), InvalidValue, 7, "expected ',' or ')'"),
    (".xml", XCSP3.format("<intension> add(w,1) </intension>"), InvalidValue, 7, "expected a relation"),
    (".xml", XCSP3.format(f"<intension> {'not(' * 900} </intension>"), InvalidValue, 7, "nested more than"),
    (".xml", XCSP3.format("<intension reifiedBy='p'> eq(w,1) </intension>"), UnsupportedModel, 7, "reifiedBy"),
    (".xml", XCSP3.format("<sum> <list> x[] </list> </sum>"), InvalidValue, 7, "<condition>"),
    (
        ".xml",
        XCSP3.format("<sum> <list> x[] </list> <coeffs> 1 2 </coeffs> <condition> (le,1) </condition> </sum>"),
        InvalidValue,
        7,
        "2 coefficients for 3 terms",
    ),
    (
        ".xml",
        XCSP3.format("<group> <intension> eq(%0,%3) </intension> <args> w 1 </args> </group>"),
        InvalidValue,
        7,
        "%3",
    ),
    (
        ".xml",
        XCSP3.format("<instantiation> <list> w </list> <values> 1x99999999 </values> </instantiation>"),
        InvalidValue,
        7,
        "entries",
    ),
    (".xml", DECLARED.format("<var id='v'> a b </var>"), UnsupportedModel, 1, "domain"),
    (".xml", DECLARED.format("<var id='v' type='symbolic'> a </var>"), UnsupportedModel, 1, "symbolic"),
    (".xml", DECLARED.format("<array id='v' size='[99999][99999]'> 0 </array>"), InvalidValue, 1, "larger"),
]


@pytest.mark.parametrize(("ending", "text", "kind", "line", "told"), REFUSED, ids=range(len(REFUSED)))
def test_refused(loaded, ending, text, kind, line, told):
    with pytest.raises(kind) as caught:
        loaded(text, ending)
    assert f"small{ending}, line {line}: " in str(caught.value)
    assert told in str(caught.value)
    assert (kind is UnsupportedModel) == ("what is read" in str(caught.value))


@pytest.mark.parametrize("ending", [".cnf", ".opb", ".fzn"])
def test_bytes_that_are_no_text(tmp_path, ending):
    path = tmp_path / f"binary{ending}"
    path.write_bytes(b"\n\xff\xfe\x00")
    with pytest.raises(InvalidValue, match="line 2: is not UTF-8"):
        load_model(path)


@pytest.mark.parametrize("ending", [".cnf", ".opb", ".fzn", ".xml", ".xml.lzma"])
def test_files_that_are_not_there(tmp_path, ending):
    with pytest.raises(InvalidValue, match="there is no such file"):
        load_model(tmp_path / f"missing{ending}")
    (tmp_path / f"folder{ending}").mkdir()
    with pytest.raises(InvalidValue, match="is a directory"):
        load_model(tmp_path / f"folder{ending}")


def test_other_endings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("queens.mzn", "queens.txt", "queens.lp"):
        (tmp_path / name).write_text("int: n = 8;")
    with pytest.raises(InvalidValue, match=r"end in \.py, \.fzn, .*minizinc --solver nqueens-cp queens\.mzn"):
        load_model(tmp_path / "queens.mzn")
    for told in ("queens.mzn", tmp_path / "queens.mzn"):
        with pytest.raises(InvalidValue, match=r"minizinc -c --solver nqueens-cp queens\.mzn writes the \.fzn"):
            load_model(told)
    with pytest.raises(InvalidValue, match=r"; \.lp is written and not read"):
        load_model("queens.lp")
    with pytest.raises(InvalidValue, match=r"end in \.py, \.fzn, "):
        load_model(tmp_path / "queens.txt")
    with pytest.raises(InvalidValue, match="too long"):
        load_model("x" * 5000 + ".fzn")


def test_files_take_no_parameters(tmp_path):
    path = tmp_path / "small.cnf"
    path.write_text(DIMACS)
    with pytest.raises(InvalidValue, match=r"n=8: .*takes no parameters"):
        load_model(path, n=8)


def test_a_doctype_is_told_of_once(tmp_path):
    path = tmp_path / "typed.xml"
    path.write_text("<!DOCTYPE a>\n<instance/>")
    with pytest.raises(InvalidValue) as caught:
        load_model(path)
    assert str(caught.value).count("typed.xml") == 1
    assert "decoded" not in str(caught.value)


def test_too_many_variables_are_refused_before_the_file_is_read_through(tmp_path):
    path = tmp_path / "large.fzn"
    lines = [f"var 0..1: x{i};" for i in range(100_001)]
    path.write_text("\n".join(lines) + "\nthis is no FlatZinc")
    with pytest.raises(InvalidValue, match=r"line 100001: there are more than 100000 variables"):
        load_model(path)
