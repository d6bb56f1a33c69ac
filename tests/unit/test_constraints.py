"""The constraints as judges of an assignment, and the arguments that they refuse."""

from __future__ import annotations

import pytest

from nqueens_cp import (
    InvalidType,
    InvalidValue,
    Model,
    all_different,
    allowed_assignments,
    count,
    forbidden_assignments,
    in_domain,
    lex_lesseq,
    predicate,
    solutions,
)


@pytest.fixture
def model() -> Model:
    return Model("constraints")


@pytest.fixture
def xyz(model):
    return model.int_vars("x", 3, range(-4, 5))


@pytest.mark.parametrize(
    ("build", "values", "verdict"),
    [
        (lambda x: all_different(x), (1, 2, 3), True),
        (lambda x: all_different(x), (1, 2, 1), False),
        (lambda x: all_different(x[i] + i for i in range(3)), (2, 1, 0), False),
        (lambda x: all_different(x[i] + i for i in range(3)), (2, 2, 2), True),
        (lambda x: all_different([x[0], x[0]]), (1, 2, 3), False),
        (lambda x: all_different([3, 3]), (1, 2, 4), False),
        (lambda x: all_different([x[0], 4]), (4, 0, 0), False),
        (lambda x: all_different([x[0]]), (1, 1, 1), True),
        (lambda x: all_different([]), (1, 1, 1), True),
        (lambda x: all_different(abs(v) for v in x), (1, -1, 2), False),
        (lambda x: allowed_assignments(x, [(1, 2, 3), (3, 2, 1)]), (3, 2, 1), True),
        (lambda x: allowed_assignments(x, [(1, 2, 3), (3, 2, 1)]), (1, 2, 1), False),
        (lambda x: allowed_assignments([x[2], x[0]], iter([[4, 1]])), (1, 0, 4), True),
        (lambda x: forbidden_assignments(x, [(1, 2, 3)]), (1, 2, 3), False),
        (lambda x: forbidden_assignments(x, [(1, 2, 3)]), (3, 2, 1), True),
        (lambda x: forbidden_assignments(x, []), (3, 2, 1), True),
        (lambda x: in_domain(x[0] - x[1], [4, -2]), (1, 3, 0), True),
        (lambda x: in_domain(x[0] - x[1], [4, -2]), (1, 2, 0), False),
        (lambda x: in_domain(x[0], range(2, 4)), (4, 0, 0), False),
        (lambda x: lex_lesseq(x, [1, 2, 3]), (1, 2, 3), True),
        (lambda x: lex_lesseq(x, [1, 2, 2]), (1, 2, 3), False),
        (lambda x: lex_lesseq(x[:2], x[1:]), (1, 2, -4), True),
        (lambda x: lex_lesseq([x[0] + 1], [x[1]]), (1, 1, 0), False),
        (lambda x: predicate(lambda a, b: a * b == 6, [x[0], x[2]]), (2, 0, 3), True),
        (lambda x: predicate(lambda a, b: a * b == 6, [x[0], x[2]]), (2, 3, 0), False),
    ],
)
def test_check(xyz, build, values, verdict):
    assignment = dict(zip(xyz, values, strict=True))
    assert build(xyz).check(assignment) is verdict


def test_check_takes_a_solution_too(model, xyz):
    model.add(all_different(xyz), xyz[0] < xyz[1])
    solution = next(solutions(model))
    assert all(constraint.check(solution) is True for constraint in model.constraints)
    assert (xyz[0] > xyz[1]).check(solution) is False


@pytest.mark.parametrize(
    ("build", "positions"),
    [
        (lambda x: all_different([x[2], x[0] + 1, 7]), {0, 2}),
        (lambda x: x[0] + x[1] - x[0] <= x[2], {1, 2}),
        (lambda x: (x[0] == 1) | (x[1] == 1), {0, 1}),
        (lambda x: predicate(lambda a: a > 0, [x[1]]), {1}),
        (lambda x: lex_lesseq([x[0]], [3]), {0}),
    ],
)
def test_variables_are_those_that_matter(xyz, build, positions):
    named = build(xyz).variables
    assert isinstance(named, tuple)
    assert {id(variable) for variable in named} >= {id(xyz[i]) for i in positions}
    assert len({id(variable) for variable in named}) == len(named)


BAD_ARGUMENTS = [
    (lambda x: all_different(None), "None"),
    (lambda x: all_different("abc"), "abc"),
    (lambda x: all_different(5), "5"),
    (lambda x: all_different([x[0], [x[1], x[2]]]), "["),
    (lambda x: all_different([x, x]), "x"),
    (lambda x: all_different([x[0], 1.5]), "1.5"),
    (lambda x: all_different([x[0], True]), "True"),
    (lambda x: all_different([x[0] == 1, x[1]]), "== 1"),
    (lambda x: all_different([x[0], None]), "None"),
    (lambda x: allowed_assignments(x, [(1, 2)]), "(1, 2)"),
    (lambda x: allowed_assignments(x, [1, 2, 3]), "1"),
    (lambda x: allowed_assignments(x, [(1, 2, 3.0)]), "3.0"),
    (lambda x: allowed_assignments(x, [(1, 2, True)]), "True"),
    (lambda x: allowed_assignments(x, None), "None"),
    (lambda x: allowed_assignments("xyz", [(1, 2, 3)]), "xyz"),
    (lambda x: forbidden_assignments([x[0], 3], [(1, 3)]), "3"),
    (lambda x: forbidden_assignments(x, [(1, 2, 3, 4)]), "(1, 2, 3, 4)"),
    (lambda x: in_domain(x[0], 4), "4"),
    (lambda x: in_domain(x[0], [1, 2.5]), "2.5"),
    (lambda x: in_domain(x[0], "12"), "12"),
    (lambda x: in_domain("x", [1]), "x"),
    (lambda x: in_domain(x[0] == 1, [1]), "== 1"),
    (lambda x: lex_lesseq(x, [1, 2]), "2"),
    (lambda x: lex_lesseq(x, 3), "3"),
    (lambda x: lex_lesseq([x[0]], ["b"]), "'b'"),
    (lambda x: predicate("x > 1", [x[0]]), "x > 1"),
    (lambda x: predicate(None, [x[0]]), "None"),
    (lambda x: predicate(max, [x[0], 3]), "3"),
    (lambda x: predicate(max, x[0]), "x"),
]


@pytest.mark.parametrize(("build", "offender"), BAD_ARGUMENTS)
def test_bad_arguments(xyz, build, offender):
    """../shared/cases/faults.md, 30 and 27: refused at once, and by value."""
    with pytest.raises((InvalidType, InvalidValue)) as refused:
        build(xyz)
    assert offender in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("bad", [None, "abc", [[1]], 5])
def test_all_different_of_the_wrong_kind_is_a_type_error(bad):
    with pytest.raises(TypeError):
        all_different(bad)


@pytest.mark.parametrize(
    "build_global",
    [
        lambda x: all_different(x),
        lambda x: allowed_assignments(x, [(1, 2, 3)]),
        lambda x: forbidden_assignments(x, [(1, 2, 3)]),
        lambda x: in_domain(x[0], [1]),
        lambda x: lex_lesseq(x, x),
        lambda x: predicate(lambda a: a > 0, [x[0]]),
    ],
)
@pytest.mark.parametrize(
    "nest",
    [
        lambda g, r: g & r,
        lambda g, r: r | g,
        lambda g, r: ~g,
        lambda g, r: r.implies(g),
        lambda g, r: g.implies(r),
        lambda g, r: bool(g),
        lambda g, r: all_different([g]),
    ],
)
def test_globals_stand_at_the_top_level_only(xyz, build_global, nest):
    with pytest.raises((TypeError, AttributeError)) as refused:
        nest(build_global(xyz), xyz[0] == 1)
    assert isinstance(refused.value, TypeError)


@pytest.mark.parametrize("answer", [1, 0, None, "yes", 1.0])
def test_a_predicate_must_return_a_bool(backend, model, xyz, answer):
    constraint = predicate(lambda a: answer, [xyz[0]])
    model.add(constraint)
    for ask in (lambda: count(model, backend=backend), lambda: constraint.check(dict.fromkeys(xyz, 0))):
        with pytest.raises(InvalidType) as refused:
            ask()
        assert repr(answer) in str(refused.value)


@pytest.mark.parametrize(
    ("build", "parts"),
    [
        (lambda x: all_different(x), ["all_different", "x[0]", "x[2]"]),
        (lambda x: allowed_assignments(x, [(1, 2, 3)]), ["x[0], x[1], x[2]", "(1, 2, 3)"]),
        (lambda x: forbidden_assignments([x[1]], [[4]]), ["x[1]", "4"]),
        (lambda x: in_domain(x[0] + 1, [4, 1]), ["x[0] + 1", "1, 4"]),
        (lambda x: lex_lesseq([x[0]], [x[1]]), ["lex", "x[0]", "x[1]"]),
        (lambda x: predicate(max, [x[1]]), ["max", "x[1]"]),
    ],
)
def test_constraints_print_what_they_say(xyz, build, parts):
    text = str(build(xyz))
    assert all(part in text for part in parts), text

    assert "object at 0x" not in text


def test_what_is_allowed_and_what_is_forbidden_print_differently(xyz):
    texts = {str(make([xyz[0]], [[1]])) for make in (allowed_assignments, forbidden_assignments)}
    assert len(texts) == 2
