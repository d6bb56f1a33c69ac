"""Reading DIMACS, OPB and XCSP3: what they state, against brute force and published counts, and what is refused."""

from __future__ import annotations

import gzip
import importlib.util
import lzma
import pickle
import subprocess
import sys
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nqueens_cp import InvalidValue, NQueensError, UnsupportedModel, count, load_model, queens, solutions, solve
from nqueens_cp.control import Control


@pytest.fixture
def loaded(tmp_path):
    """A function that writes a text to a file whose name ends so, and loads it."""

    def load(text, ending):
        path = tmp_path / f"small{ending}"
        path.write_text(text, encoding="utf-8")
        return load_model(path)

    return load


def rows(model, *names):
    found = [tuple(solution[name] for name in names) for solution in solutions(model, backend="cp-sat")]
    assert len(set(found)) == len(found)
    return set(found)


# DIMACS.


def test_clauses(loaded):
    model = loaded("c a remark\np cnf 4 3\n1 -2 0 -3\n 2 4 0\n\n-1 -4 0\n", ".cnf")
    expected = {
        v for v in product((0, 1), repeat=4) if (v[0] or not v[1]) and (not v[2] or v[1] or v[3]) and not v[0] * v[3]
    }
    assert rows(model, "x1", "x2", "x3", "x4") == expected


def test_special_clauses(loaded):
    assert count(loaded("p cnf 2 1\n0\n", ".cnf")) == 0
    assert count(loaded("p cnf 3 0\n", ".dimacs")) == 8
    assert count(loaded("p cnf 2 2\n1 1 0\n2 -2 0\n%\n0\n", ".cnf")) == 2


def test_variables_that_are_shown(loaded):
    model = loaded("p cnf 3 1\nc p show 1 2 0\n1 2 0\n", ".cnf")
    assert count(model) == 6
    assert "shows 2 of its 3 variables" in model.notes[0]
    assert loaded("c p show 1 2 3 0\np cnf 3 1\n1 2 0\n", ".cnf").notes == []


def test_comments_name_the_variables(loaded):
    model = loaded("c model small\nc a = 0 is -1\nc a = 1 is 1\nc b[2] = -3 is 2\np cnf 3 1\n1 2 0\n", ".cnf")
    assert [variable.name for variable in model.variables] == ["a=1", "b[2]=-3", "x3"]
    clash = loaded("c a = 1 is 1\nc a = 1 is 2\np cnf 2 0\n", ".cnf")
    assert [variable.name for variable in clash.variables] == ["x1", "x2"]


# OPB.


def test_pseudo_boolean_constraints(loaded):
    text = "* #variable= 4 #constraint= 2\n* a remark\n+2 x1 -3 ~x2\n +1 x3 >= -1 ;\n1 x1 1 x2 1 x2 = 1;\n"
    expected = {v for v in product((0, 1), repeat=4) if 2 * v[0] - 3 * (1 - v[1]) + v[2] >= -1 and v[0] + 2 * v[1] == 1}
    assert rows(loaded(text, ".opb"), "x1", "x2", "x3", "x4") == expected


def test_pseudo_boolean_objective(loaded):
    text = "* #variable= 3 #constraint= 1\nmin: +3 x1 -2 ~x2 +1 x3 ;\n+1 x1 +1 x2 +1 x3 >= 2 ;\n"
    costs = [3 * a - 2 * (1 - b) + c for a, b, c in product((0, 1), repeat=3) if a + b + c >= 2]
    assert solve(loaded(text, ".opb")).objective == min(costs)


def test_names_of_a_pseudo_boolean_file(loaded):
    model = loaded("* #variable= 2 #constraint= 1\n+1 left +2 ~right[1] >= 1 ;\n", ".opb")
    assert rows(model, "left", "right[1]") == {(0, 0), (1, 0), (1, 1)}


# XCSP3.

XCSP3 = """<instance format="XCSP3" type="CSP">
 <variables>
  <var id="w"> 0..2 </var> <var id="p"> 0 1 </var>
  <array id="x" size="[3]"> -2..3 </array>
 </variables>
 <constraints>
  {}
 </constraints>
</instance>
"""
CONSTRAINTS = [
    ("<allDifferent> x[] </allDifferent>", lambda w, p, x: len(set(x)) == 3),
    ("<allDifferent> add(x[0],1) x[1] w </allDifferent>", lambda w, p, x: len({x[0] + 1, x[1], w}) == 3),
    ("<allEqual> <list> x[0..1] w </list> </allEqual>", lambda w, p, x: x[0] == x[1] == w),
    ("<ordered> <list> x[] </list> <operator> lt </operator> </ordered>", lambda w, p, x: x[0] < x[1] < x[2]),
    (
        "<lex> <list> x[0] x[1] </list> <list> x[1] w </list> <operator> le </operator> </lex>",
        lambda w, p, x: (x[0], x[1]) <= (x[1], w),
    ),
    (
        "<lex> <matrix> (x[0],w)(x[1],x[2]) </matrix> <operator> gt </operator> </lex>",
        lambda w, p, x: (x[0], w) > (x[1], x[2]) and (x[0], x[1]) > (w, x[2]),
    ),
    (
        "<sum> <list> x[] </list> <coeffs> 2 -1 1 </coeffs> <condition> (le,w) </condition> </sum>",
        lambda w, p, x: 2 * x[0] - x[1] + x[2] <= w,
    ),
    (
        "<sum> <list> x[0] eq(x[1],2) </list> <coeffs> 1x2 </coeffs> <condition> (in,{-1,2..3}) </condition> </sum>",
        lambda w, p, x: x[0] + (x[1] == 2) in (-1, 2, 3),
    ),
    (
        "<count> <list> x[] w </list> <values> 1 2 </values> <condition> (ge,3) </condition> </count>",
        lambda w, p, x: sum(value in (1, 2) for value in (*x, w)) >= 3,
    ),
    (
        "<count> <list> x[] </list> <values> w </values> <condition> (notin,1..3) </condition> </count>",
        lambda w, p, x: x.count(w) == 0,
    ),
    (
        "<cardinality> <list> x[] </list> <values closed='true'> 0 1 2 </values> <occurs> w 0..1 p </occurs> </cardinality>",
        lambda w, p, x: set(x) <= {0, 1, 2} and x.count(0) == w and x.count(1) <= 1 and x.count(2) == p,
    ),
    (
        "<cardinality> <list> x[] w p </list> <values> 0 1 2 </values> <occurs> x[] </occurs> </cardinality>",
        lambda w, p, x: all((*x, w, p).count(value) == x[value] for value in range(3)),
    ),
    ("<maximum> <list> x[] </list> <condition> (eq,w) </condition> </maximum>", lambda w, p, x: max(x) == w),
    ("<minimum> <list> x[] w </list> <condition> (gt,0) </condition> </minimum>", lambda w, p, x: min(*x, w) > 0),
    (
        "<element> <list> x[] </list> <index> w </index> <value> 2 </value> </element>",
        lambda w, p, x: x[w] == 2,
    ),
    (
        "<element> <list startIndex='1'> 4 -1 1 </list> <index> x[0] </index> <condition> (ge,x[1]) </condition> </element>",
        lambda w, p, x: 1 <= x[0] <= 3 and (4, -1, 1)[x[0] - 1] >= x[1],
    ),
    (
        "<element> <matrix> (1,2,3)(w,x[1],0) </matrix> <index> p x[0] </index> <value> 2 </value> </element>",
        lambda w, p, x: 0 <= x[0] <= 2 and ((1, 2, 3), (w, x[1], 0))[p][x[0]] == 2,
    ),
    (
        "<channel> <list> x[] </list> </channel>",
        lambda w, p, x: set(x) <= {0, 1, 2} and all(x[x[i]] == i for i in range(3)),
    ),
    (
        "<channel> <list> w p x[1] </list> <list startIndex='1'> x[0] 2 x[2] </list> </channel>",
        lambda w, p, x: _channels((w, p, x[1]), (x[0], 2, x[2])),
    ),
    (
        "<instantiation> <list> x[0] w </list> <values> -1 2 </values> </instantiation>",
        lambda w, p, x: x[0] == -1 and w == 2,
    ),
    ("<extension> <list> x[0] </list> <supports> -2 0..1 </supports> </extension>", lambda w, p, x: x[0] in (-2, 0, 1)),
    (
        "<extension> <list> w x[0] p </list> <supports> (0,*,1)(2,-1..0,*) </supports> </extension>",
        lambda w, p, x: (w == 0 and p == 1) or (w == 2 and x[0] in (-1, 0)),
    ),
    (
        "<extension> <list> w x[0] </list> <conflicts> (0,1)(1,*) </conflicts> </extension>",
        lambda w, p, x: (w, x[0]) != (0, 1) and w != 1,
    ),
    (
        "<group> <intension> ne(%0,add(%1,%2)) </intension> <args> x[0..1] 1 </args> <args> w x[2] 0 </args> </group>",
        lambda w, p, x: x[0] != x[1] + 1 and w != x[2],
    ),
    (
        "<block><group><sum> <list> %1 %... </list> <condition> (lt,%0) </condition> </sum> <args>2 x[]</args></group></block>",
        lambda w, p, x: sum(x) < 2,
    ),
]
FUNCTIONS = [
    ("eq(neg(x[0]),abs(x[1]))", lambda w, p, x: -x[0] == abs(x[1])),
    ("lt(add(x[0],x[1],w),sub(x[2],1))", lambda w, p, x: x[0] + x[1] + w < x[2] - 1),
    ("ge(mul(x[0],x[1],2),sqr(w))", lambda w, p, x: x[0] * x[1] * 2 >= w * w),
    ("eq(div(x[0],2),mod(x[1],3))", lambda w, p, x: int(x[0] / 2) == (abs(x[1]) % 3) * (1 if x[1] > 0 else -1)),
    ("gt(pow(x[0],2),max(x[1],w,0))", lambda w, p, x: x[0] ** 2 > max(x[1], w, 0)),
    ("le(min(x[0],x[1]),dist(x[1],w))", lambda w, p, x: min(x[0], x[1]) <= abs(x[1] - w)),
    ("in(x[0],set(-2,1,3))", lambda w, p, x: x[0] in (-2, 1, 3)),
    ("notin(add(x[0],w),{0,1..2})", lambda w, p, x: x[0] + w not in (0, 1, 2)),
    ("or(not(eq(x[0],1)),and(p,gt(w,1)))", lambda w, p, x: x[0] != 1 or (p == 1 and w > 1)),
    ("xor(eq(x[0],w),lt(x[1],0),p)", lambda w, p, x: ((x[0] == w) + (x[1] < 0) + p) % 2 == 1),
    ("iff(eq(x[0],w),p,ne(x[1],2))", lambda w, p, x: (x[0] == w) == (p == 1) == (x[1] != 2)),
    ("imp(p,eq(x[0],x[1],w))", lambda w, p, x: not p or x[0] == x[1] == w),
    ("eq(if(gt(x[0],0),x[1],w),2)", lambda w, p, x: (x[1] if x[0] > 0 else w) == 2),
    ("eq(p,gt(x[0],w))", lambda w, p, x: p == (x[0] > w)),
    ("ne(eq(x[0],w),lt(x[1],x[2]))", lambda w, p, x: (x[0] == w) != (x[1] < x[2])),
    ("eq(w,le(x[0],x[1]))", lambda w, p, x: w == (x[0] <= x[1])),
    ("eq(add(lt(x[0],0),eq(x[1],1)),w)", lambda w, p, x: (x[0] < 0) + (x[1] == 1) == w),
]


def _channels(left, right):
    """Value j + 1 at place i on the left says value i at place j on the right, and the other way round."""
    return all(v in (1, 2, 3) for v in left) and all(v in (0, 1, 2) for v in right) and all(
        (left[i] == j + 1) == (right[j] == i) for i in range(3) for j in range(3)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "truth"),
    CONSTRAINTS + [(f"<intension> {text} </intension>", truth) for text, truth in FUNCTIONS],
    ids=[text.split(">")[0][1:] + str(i) for i, (text, _) in enumerate(CONSTRAINTS)] + [text for text, _ in FUNCTIONS],
)
def test_xcsp3_constraints(loaded, text, truth):
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


# What is refused.

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


def test_models_can_be_sent_to_other_processes(tmp_path):
    path = tmp_path / "small.xml"
    path.write_text(XCSP3.format("<intension> eq(mul(x[0],x[1]),w) </intension>"))
    model = load_model(path)
    packed = tmp_path / "packed"
    packed.write_bytes(pickle.dumps(model.snapshot()))
    code = "import pickle, sys; print(len(pickle.load(open(sys.argv[1], 'rb')).constraints))"
    ran = subprocess.run([sys.executable, "-c", code, packed], capture_output=True, text=True, check=True)
    assert int(ran.stdout) == len(model.constraints)


# Files that another tool has written.

PYCSP3 = """
from pycsp3 import *

n = 6
row = VarArray(size=n, dom=range(n))
column = VarArray(size=n, dom=range(n))
late = VarArray(size=n, dom={0, 1})
satisfy(
    Channel(row, column),
    AllDifferent(row[i] + i for i in range(n)),
    AllDifferent(row[i] - i for i in range(n)),
    [late[i] == (row[i] > column[i]) for i in range(n)],
    (row[0], row[1], row[2]) in {(a, ANY, b) for a in range(n) for b in range(n) if a + b != 4},
    (row[3], row[4]) not in {(0, 0), (1, ANY)},
    Count(row[:4], value=5) == 1,
    Sum(row[:3]) != 2 * row[5],
)
"""


def test_what_pycsp3_writes(tmp_path):
    if importlib.util.find_spec("pycsp3") is None:  # importing it would read this process's arguments
        pytest.skip("PyCSP3 is not installed")
    (tmp_path / "written.py").write_text(PYCSP3)
    subprocess.run([sys.executable, "written.py"], cwd=tmp_path, capture_output=True, check=True)
    expected = [
        row
        for row in ([*solution["queen"]] for solution in solutions(6))
        if row[0] + row[2] != 4
        and (row[3], row[4]) != (0, 0)
        and row[3] != 1
        and row[:4].count(5) == 1
        and sum(row[:3]) != 2 * row[5]
    ]
    found = list(solutions(load_model(tmp_path / "written.xml"), backend="cp-sat"))
    assert sorted(solution["row"] for solution in found) == sorted(expected)
    for solution in found:
        assert [solution["column"][value] for value in solution["row"]] == list(range(6))
        assert solution["late"] == [int(r > c) for r, c in zip(solution["row"], solution["column"], strict=True)]


# Damaged files.

ALPHABET = "0123456789 -~x;()[]<>/=.,%\n\"'&pcnfsetam"
WHOLE = {
    ".cnf": "c a = 1 is 1\n" + DIMACS + "c p show 1 0\n",
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


# Round trips of this package's own files.


@pytest.mark.parametrize(
    ("module", "writer", "ending"),
    [("xcsp3", "xcsp3_text", ".xml"), ("dimacs", "dimacs_text", ".cnf"), ("opb", "opb_text", ".opb")],
)
@pytest.mark.parametrize(
    "model",
    [queens(6), queens(7, torus=True), queens(6, blocked=[(0, 1), (3, 3)])],
    ids=["queens", "torus", "blocked"],
)
def test_exported_files_have_the_same_count(loaded, module, writer, ending, model):
    formats = pytest.importorskip(f"nqueens_cp.formats.{module}")
    text = getattr(formats, writer)(model.snapshot(), Control())
    assert count(loaded(text, ending), backend="cp-sat") == count(model)


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


@pytest.mark.parametrize("literal", ["1", "+1", "01", "-2", "-02"])
def test_literals_however_they_are_spelt(tmp_path, literal):
    path = tmp_path / "small.cnf"
    path.write_text(f"p cnf 2 1\n{literal} 0\n")
    wanted = int(literal) > 0
    assert {solution[f"x{abs(int(literal))}"] for solution in solutions(load_model(path))} == {int(wanted)}
