"""Reading FlatZinc: every constraint against brute force, names, outputs, and what is refused."""

from __future__ import annotations

import pickle
from itertools import product

import pytest

from nqueens_cp import InvalidValue, NQueensError, UnsupportedModel, count, load_model, solutions, solve
from nqueens_cp.formats.read_flatzinc import read_program


@pytest.fixture
def program(tmp_path):
    """A function that reads a text as a FlatZinc file."""

    def read(text):
        path = tmp_path / "small.fzn"
        path.write_text(text, encoding="utf-8")
        return read_program(path)

    return read


def divided(a, b):
    """Division that rounds towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# A constraint over x, y, z (-2..3 each) and p, q, r (bool), and what it means.
CONSTRAINTS = [
    ("int_eq(x,y)", lambda x, y, **_: x == y),
    ("int_ne(x,1)", lambda x, **_: x != 1),
    ("int_le(x,y)", lambda x, y, **_: x <= y),
    ("int_lt(2,y)", lambda y, **_: y > 2),
    ("int_eq_reif(x,y,p)", lambda x, y, p, **_: (x == y) == p),
    ("int_ne_reif(x,y,p)", lambda x, y, p, **_: (x != y) == p),
    ("int_le_reif(x,y,true)", lambda x, y, **_: x <= y),
    ("int_lt_reif(x,y,false)", lambda x, y, **_: not x < y),
    ("int_le_imp(x,y,p)", lambda x, y, p, **_: not p or x <= y),
    ("int_lin_eq([2,-3,1],[x,y,z],1)", lambda x, y, z, **_: 2 * x - 3 * y + z == 1),
    ("int_lin_le(factors,xs,2)", lambda x, y, z, **_: x + 2 * y - z <= 2),
    ("int_lin_ne([1,1],[x,x],2)", lambda x, **_: 2 * x != 2),
    ("int_lin_eq_reif(factors,xs,0,p)", lambda x, y, z, p, **_: (x + 2 * y - z == 0) == p),
    ("int_lin_le_reif([1,1],[x,2],3,p)", lambda x, p, **_: (x + 2 <= 3) == p),
    ("int_lin_ne_reif([1,-1],[x,y],1,p)", lambda x, y, p, **_: (x - y != 1) == p),
    ("int_lin_le_imp([1,1],[x,y],0,p)", lambda x, y, p, **_: not p or x + y <= 0),
    ("int_lin_eq([0,0],[x,y],1)", lambda **_: False),
    ("int_abs(x,y)", lambda x, y, **_: abs(x) == y),
    ("int_plus(x,y,z)", lambda x, y, z, **_: x + y == z),
    ("int_times(x,y,z)", lambda x, y, z, **_: x * y == z),
    ("int_times(x,2,z)", lambda x, z, **_: x * 2 == z),
    ("int_times(x,x,z)", lambda x, z, **_: x * x == z),
    ("int_div(x,y,z)", lambda x, y, z, **_: y != 0 and divided(x, y) == z),
    ("int_div(x,2,z)", lambda x, z, **_: divided(x, 2) == z),
    ("int_div(w,2,z)", lambda w, z, **_: w // 2 == z),
    ("int_mod(x,y,z)", lambda x, y, z, **_: y != 0 and x - divided(x, y) * y == z),
    ("int_mod(w,2,z)", lambda w, z, **_: w % 2 == z),
    ("int_mod(x,-2,z)", lambda x, z, **_: x - divided(x, -2) * -2 == z),
    ("int_pow(x,2,y)", lambda x, y, **_: x**2 == y),
    ("int_pow(x,w,z)", lambda x, w, z, **_: x**w == z),
    ("int_min(x,y,z)", lambda x, y, z, **_: min(x, y) == z),
    ("int_max(x,1,z)", lambda x, z, **_: max(x, 1) == z),
    ("array_int_maximum(z,[x,y,0])", lambda x, y, z, **_: max(x, y, 0) == z),
    ("array_int_minimum(z,[x,y,w])", lambda x, y, z, w, **_: min(x, y, w) == z),
    ("array_int_element(x,[3,1,-2],y)", lambda x, y, **_: 1 <= x <= 3 and (3, 1, -2)[x - 1] == y),
    ("array_var_int_element(x,[y,z,1],w)", lambda x, y, z, w, **_: 1 <= x <= 3 and (y, z, 1)[x - 1] == w),
    ("array_var_int_element(2,[y,z,1],w)", lambda z, w, **_: z == w),
    ("array_int_element(4,[1,2,3],w)", lambda **_: False),
    ("array_bool_element(x,[true,false,true],p)", lambda x, p, **_: 1 <= x <= 3 and (1, 0, 1)[x - 1] == p),
    ("array_var_bool_element(x,[p,q],r)", lambda x, p, q, r, **_: 1 <= x <= 2 and (p, q)[x - 1] == r),
    ("array_bool_and([p,q],r)", lambda p, q, r, **_: (p and q) == r),
    ("array_bool_or([p,q,false],r)", lambda p, q, r, **_: (p or q) == r),
    ("array_bool_and_imp([p,q],r)", lambda p, q, r, **_: not r or (p and q)),
    ("array_bool_xor([p,q,r,true])", lambda p, q, r, **_: (p + q + r + 1) % 2 == 1),
    ("bool_clause([p],[q,r])", lambda p, q, r, **_: p or not q or not r),
    ("bool_clause([],[])", lambda **_: False),
    ("bool_clause_reif([p,true],[q],r)", lambda r, **_: r == 1),
    ("bool_clause_reif([p],[q],r)", lambda p, q, r, **_: (p or not q) == r),
    ("bool2int(p,x)", lambda p, x, **_: p == x),
    ("bool_eq(p,q)", lambda p, q, **_: p == q),
    ("bool_eq_reif(p,q,r)", lambda p, q, r, **_: (p == q) == r),
    ("bool_not(p,q)", lambda p, q, **_: p != q),
    ("bool_and(p,q,r)", lambda p, q, r, **_: (p and q) == r),
    ("bool_or(p,q,r)", lambda p, q, r, **_: (p or q) == r),
    ("bool_xor(p,q,r)", lambda p, q, r, **_: (p != q) == r),
    ("bool_xor(p,q)", lambda p, q, **_: p != q),
    ("bool_le(p,q)", lambda p, q, **_: p <= q),
    ("bool_lt(p,q)", lambda p, q, **_: p < q),
    ("bool_lt_reif(p,q,r)", lambda p, q, r, **_: (p < q) == r),
    ("bool_lin_le([2,1,-1],[p,q,r],1)", lambda p, q, r, **_: 2 * p + q - r <= 1),
    ("bool_lin_eq([1,1,1],[p,q,r],x)", lambda p, q, r, x, **_: p + q + r == x),
    ("set_in(x,{-1,2,9})", lambda x, **_: x in (-1, 2)),
    ("set_in(x,0..2)", lambda x, **_: 0 <= x <= 2),
    ("set_in_reif(x,few,p)", lambda x, p, **_: (x in (-2, -1, 3)) == p),
    ("set_in_imp(x,1..0,p)", lambda p, **_: not p),
    ("fzn_all_different_int([x,y,1])", lambda x, y, **_: len({x, y, 1}) == 3),
    ("all_different_int(xs)", lambda x, y, z, **_: len({x, y, z}) == 3),
    ("fzn_table_int([x,y],[1,2,-1,3])", lambda x, y, **_: (x, y) in ((1, 2), (-1, 3))),
    ("gecode_table_int([x,1,x],[1,1,1,2,1,3])", lambda x, **_: x == 1),
    ("fzn_table_bool([p,q],[true,false,false,true])", lambda p, q, **_: p != q),
    ("fzn_lex_lesseq_int([x,y],[y,z])", lambda x, y, z, **_: (x, y) <= (y, z)),
    ("fzn_lex_less_int([x,y],[y,z])", lambda x, y, z, **_: (x, y) < (y, z)),
    ("fzn_lex_less_int([x],[y,z])", lambda x, y, z, **_: (x,) < (y, z)),
    ("fzn_lex_lesseq_bool([p,q],[r])", lambda p, q, r, **_: (p, q) <= (r,)),
    ("fzn_count_eq([x,y,z],w,2)", lambda x, y, z, w, **_: [x, y, z].count(w) == 2),
    ("fzn_count_eq_reif([x,y],1,w,p)", lambda x, y, w, p, **_: ([x, y].count(1) == w) == p),
    ("fzn_count_leq([x,y,z],1,w)", lambda x, y, z, w, **_: w <= [x, y, z].count(1)),
    ("fzn_count_gt([x,y,z],1,w)", lambda x, y, z, w, **_: w > [x, y, z].count(1)),
    ("fzn_count_neq([x,y],z,1)", lambda x, y, z, **_: [x, y].count(z) != 1),
]
INTEGERS = {"w": range(3), "x": range(-2, 4), "y": range(-2, 4), "z": range(-2, 4)}


@pytest.mark.parametrize(("text", "truth"), CONSTRAINTS, ids=[text for text, _ in CONSTRAINTS])
def test_constraints(program, text, truth):
    used = [name for name in (*INTEGERS, "p", "q", "r") if name in text.replace("xs", "x,y,z").split("(", 1)[1]]
    lines = ["array [1..3] of int: factors = [1,2,-1];", "set of int: few = {-2,-1,3};"]
    lines += [
        f"var {INTEGERS[name].start}..{INTEGERS[name].stop - 1}: {name};" if name in INTEGERS else f"var bool: {name};"
        for name in used
    ]
    lines += ["array [1..3] of var int: xs = [x,y,z];"] * ("xs" in text)
    model = program("\n".join([*lines, f"constraint {text};", "solve satisfy;"])).model
    domains = [INTEGERS.get(name, range(2)) for name in used]
    expected = {values for values in product(*domains) if truth(**dict(zip(used, values, strict=True)))}
    found = [tuple(solution[name] for name in used) for solution in solutions(model, backend="cp-sat")]
    assert set(found) == expected
    assert len(found) == len(expected)


def test_large_domains(program):
    text = "var 0..100000: a; var 0..3: b; var -500..400000: c; var 0..100000: d;\n"
    text += "constraint int_times(a,b,c); constraint int_div(a,7,d); constraint int_mod(a,1000,999);\n"
    text += "constraint int_lin_le([1],[a],2000); solve satisfy;"
    assert {(s["a"], s["b"], s["c"], s["d"]) for s in solutions(program(text).model, backend="cp-sat")} == {
        (a, b, a * b, a // 7) for a in (999, 1999) for b in range(4)
    }


QUEENS = """\
predicate fzn_all_different_int(array [int] of var int: x);
var 1..6: X_INTRODUCED_0_; var 1..6: X_INTRODUCED_1_; var 1..6: X_INTRODUCED_2_;
var 1..6: X_INTRODUCED_3_; var 1..6: X_INTRODUCED_4_; var 1..6: X_INTRODUCED_5_;
{helpers}array [1..6] of var int: queen:: output_array([1..6]) = [X_INTRODUCED_0_,X_INTRODUCED_1_,X_INTRODUCED_2_,
  X_INTRODUCED_3_,X_INTRODUCED_4_,X_INTRODUCED_5_];
constraint fzn_all_different_int(queen);
constraint fzn_all_different_int([up0,up1,up2,up3,up4,up5]); constraint fzn_all_different_int([dn0,dn1,dn2,dn3,dn4,dn5]);
{equations}solve :: int_search(queen, first_fail, indomain_min, complete) satisfy;
"""


@pytest.fixture
def queens_text():
    helpers = equations = ""
    for name, sign in (("up", 1), ("dn", -1)):
        for i in range(6):
            helpers += f"var -9..12: {name}{i} ::var_is_introduced :: is_defined_var;\n"
            equations += (
                f"constraint int_lin_eq([1,-1],[X_INTRODUCED_{i}_,{name}{i}],{-sign * i}):: defines_var({name}{i});\n"
            )
    return QUEENS.format(helpers=helpers, equations=equations)


def test_queens_reach_the_core_as_they_were_meant(program, queens_text, published):
    read = program(queens_text)
    assert count(read.model, backend="core") == published["A000170"][6]
    assert read.hidden == []
    assert {tuple(s["queen"]) for s in solutions(read.model)} == {
        tuple(column + 1 for column in s["queen"]) for s in solutions(6)
    }


def test_helpers_keep_their_domains(program):
    text = "var 0..9: x; var 3..5: h ::var_is_introduced ::is_defined_var;"
    text += "var {1,3}: g ::var_is_introduced ::is_defined_var;"
    text += "constraint int_lin_eq([1,-1],[x,h],-1) ::defines_var(h); constraint int_lin_eq([2,1],[x,g],9) ::defines_var(g);"
    model = program(text + "solve satisfy;").model
    assert [variable.name for variable in model.variables] == ["x"]
    assert [s["x"] for s in solutions(model)] == [3, 4]


def test_helpers_defined_in_a_circle_are_constraints(program):
    text = "var 0..4: a ::var_is_introduced ::is_defined_var; var 0..4: b ::var_is_introduced ::is_defined_var;"
    text += (
        "constraint int_lin_eq([1,-1],[a,b],1) ::defines_var(a); constraint int_lin_eq([1,1],[a,b],3) ::defines_var(b);"
    )
    assert [s.as_dict() for s in solutions(program(text + "solve satisfy;").model)] == [{"a": 2, "b": 1}]


def test_names_and_declarations(program):
    text = """% a remark
    int: n = 3; bool: yes = true; array [1..2] of bool: bs = [yes,false];
    var 1..n0: late; solve satisfy;""".replace("1..n0", "1..3")
    assert [v.name for v in program(text).model.variables] == ["late"]
    text = "var 0..3: x; var 2..5: y = x; var int: z = y; array [1..2] of var int: a = [x,7]; solve maximize z;"
    model = program(text).model
    assert count_without_objective(program, text) == 2
    assert solve(model).objective == 3
    assert str(model.objective) == "maximize y"


def count_without_objective(program, text):
    return count(program(text.replace("maximize z", "satisfy")).model)


def test_bounds_of_defined_variables(program):
    text = "var 0..3: x; var -1..2: y; var int: s; var int: t; constraint int_lin_eq([2,-1,1],[x,y,s],5);"
    text += "constraint int_lin_eq([-1,3,0],[s,t,x],1); solve satisfy;"
    found = {(s["x"], s["y"], s["s"], s["t"]) for s in solutions(program(text).model)}
    expected = set()
    for x, y in product(range(4), range(-1, 3)):
        s = 5 - 2 * x + y
        if (1 + s) % 3 == 0:
            expected.add((x, y, s, (1 + s) // 3))
    assert found == expected


FUNCTIONS = {
    "int_times(x,y,{})": lambda x, y: x * y,
    "int_plus(x,y,{})": lambda x, y: x + y,
    "int_div(x,y,{})": lambda x, y: divided(x, y) if y else None,
    "int_mod(x,y,{})": lambda x, y: x - divided(x, y) * y if y else None,
    "int_pow(x,y,{})": lambda x, y: x**y if y >= 0 else None if x == 0 else divided(1, x**-y),
    "int_abs(x,{})": lambda x, y: abs(x),
    "int_min(x,y,{})": lambda x, y: min(x, y),
    "int_max(x,3,{})": lambda x, y: max(x, 3),
    "array_int_maximum({},[x,y,0])": lambda x, y: max(x, y, 0),
    "array_var_int_element(x,[y,7],{})": lambda x, y: (y, 7)[x - 1] if x in (1, 2) else None,
    "count_eq([x,y,2],2,{})": lambda x, y: [x, y, 2].count(2),
    "int_eq({},x)": lambda x, y: x,
    "bool2int(b,{})": lambda x, y: None,
    "int_lin_eq([2,-1,-1],[x,y,{}],3)": lambda x, y: 2 * x - y - 3,
}


@pytest.mark.parametrize("text", FUNCTIONS)
@pytest.mark.parametrize("sizes", [(-4, 5, -3, 4), (-70, 70, -80, 9)])
def test_variables_without_bounds_have_those_of_what_defines_them(program, text, sizes):
    """MiniZinc leaves bounds out where it does not work them out."""
    low, high, other_low, other_high = sizes
    truth = FUNCTIONS[text]
    expected = {truth(x, y) for x in range(low, high + 1) for y in range(other_low, other_high + 1)} - {None}
    read = program(
        f"var {low}..{high}: x; var {other_low}..{other_high}: y; var bool: b; var int: u :: is_defined_var; var int: v;"
        f"constraint int_times(u,-1,v); constraint {text.format('u')} :: defines_var(u); solve satisfy;"
    )
    u, v = (next(w for w in read.model.variables if w.name == name) for name in "uv")
    assert all(value in u.domain for value in expected)
    assert {-u.domain[0], -u.domain[-1]} == {v.domain[0], v.domain[-1]}
    if "count" not in text and "maximum" not in text:
        assert (u.domain[0], u.domain[-1]) == ((min(expected), max(expected)) if expected else (0, 1))


def test_powers_past_64_bits_bound_nothing(program):
    with pytest.raises(UnsupportedModel, match="line 1: the variable 'u' without bounds"):
        program("var 0..70: x; var 0..80: y; var int: u; constraint int_pow(x,y,u); solve satisfy;")
    read = program("var -1..1: x; var 0..800: y; var int: u; constraint int_pow(x,y,u); solve satisfy;")
    assert count(read.model) == 801 * 3


def test_an_empty_domain_has_no_solution(program):
    assert count(program("var 3..2: x; solve satisfy;").model) == 0
    assert count(program("var {}: x; var 1..2: y; solve satisfy;").model) == 0


def test_what_is_hidden(program):
    text = "var 1..3: x :: output_var; var 1..3: y; var bool: b ::is_defined_var;"
    text += "constraint int_le_reif(x,2,b) ::defines_var(b);"
    read = program(text + "solve satisfy;")
    assert read.hidden == ["y"]
    assert [v.name for v in read.printed()] == ["x"]


def test_a_note_says_what_is_counted(tmp_path):
    path = tmp_path / "notes.fzn"
    path.write_text("var 1..3: x :: output_var; var 1..3: y; solve satisfy;")
    model = load_model(path)
    assert count(model) == 9
    assert "notes.fzn does not print one variable (y)" in model.notes[0]
    assert count(pickle.loads(pickle.dumps(model.snapshot())) and model) == 9


REFUSED = [
    ("", InvalidValue, "line 1: there is no solve item"),
    ("var 1..3: x;", InvalidValue, "no solve item"),
    ("var 1..3: x;\nsolve satisfy", InvalidValue, "line 2: expected ';'"),
    ("var 1..3: x;\nvar 1..3: x; solve satisfy;", InvalidValue, "line 2: 'x' is declared a second time"),
    ("var int: x; solve satisfy;", UnsupportedModel, "line 1: the variable 'x' without bounds"),
    ("var 0.0..1.0: x; solve satisfy;", UnsupportedModel, "float"),
    ("var float: x; solve satisfy;", UnsupportedModel, "type 'float'"),
    ("\nvar set of 1..3: x; solve satisfy;", UnsupportedModel, "line 2: a variable or parameter of type 'set'"),
    ("var 1..3: x;\n\nconstraint float_eq(x,x); solve satisfy;", UnsupportedModel, "line 3: the constraint 'float_eq'"),
    ("var 1..3: x; constraint int_eq(x); solve satisfy;", InvalidValue, "int_eq takes 2 arguments, and has 1"),
    ("var 1..3: x; constraint int_eq(x,y); solve satisfy;", InvalidValue, "'y' was not declared"),
    ("var 1..3: x; constraint bool_not(x,true); solve satisfy;", InvalidValue, "expected true, false or a bool"),
    ("var 1..3: x; constraint int_lin_eq([1],[x,x],1); solve satisfy;", InvalidValue, "1 coefficients for 2 terms"),
    ("var 1..3: x; constraint int_lin_eq([x],[x],1); solve satisfy;", InvalidValue, "expected an integer, got"),
    ("var 1..3: x; constraint int_eq([x],1); solve satisfy;", InvalidValue, "expected an integer or a variable"),
    ("var 1..3: x; constraint set_in(x,x); solve satisfy;", InvalidValue, "expected a constant set"),
    ("var 1..3: x; constraint fzn_table_int([x,x],[1,2,3]); solve satisfy;", InvalidValue, "table of 3 numbers"),
    ("array [1..3] of var int: a = [1,2]; solve satisfy;", InvalidValue, "index set"),
    ("var 1..99999999999999999999: x; solve satisfy;", InvalidValue, "does not fit into 64 bits"),
    (f"var 1..{'9' * 5000}: x; solve satisfy;", InvalidValue, "does not fit into 64 bits"),
    ("var 1..3: x; solve minimise x;", InvalidValue, "minimise"),
    ("var 1..3: x; solve satisfy; var 1..3: y;", InvalidValue, "nothing after the solve item"),
    ("var 1..3: x :: a(" + "[" * 5000 + "; solve satisfy;", InvalidValue, "nested more than"),
    ("var 1..3: x; constraint int_eq(x,1) $; solve satisfy;", InvalidValue, "unexpected '$"),
    ('var 1..3: x :: mzn_path("a;b; solve satisfy;', InvalidValue, "unexpected"),
    ("array [1..1] of var set of int: a = [1..2]; solve satisfy;", UnsupportedModel, "type 'set'"),
    (
        "var 0..1000000: x; var -900000..9: y; var 0..9: z; constraint int_times(x,y,z); solve satisfy;",
        UnsupportedModel,
        "combinations of values",
    ),
]


@pytest.mark.parametrize(("text", "kind", "told"), REFUSED, ids=range(len(REFUSED)))
def test_refused(program, text, kind, told):
    with pytest.raises(kind) as caught:
        program(text)
    assert "small.fzn, line " in str(caught.value)
    assert told in str(caught.value)


def test_refusals_say_what_is_covered(program):
    with pytest.raises(UnsupportedModel, match="what is read are"):
        program("var float: x; solve satisfy;")


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "binary.fzn"
    path.write_bytes(b"var 1..3: x;\n\xff\xfe solve")
    with pytest.raises(InvalidValue, match=r"binary.fzn, line 2: is not UTF-8"):
        load_model(path)


def test_damaged_files_give_clear_errors(tmp_path, queens_text):
    """Cut off, or with a character changed, anywhere: a model, or an error of this package."""
    path = tmp_path / "damaged.fzn"
    for place in range(0, len(queens_text), 23):
        for damaged in (queens_text[:place], queens_text[:place] + "(" + queens_text[place + 1 :]):
            path.write_text(damaged)
            assert path.name in _outcome(path)


def _outcome(path):
    try:
        return load_model(path).name
    except NQueensError as error:
        return str(error)
