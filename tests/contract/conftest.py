"""Small models, each stated twice: in the modelling language and as a plain Python function of the values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from nqueens_cp import (
    Model,
    UnsupportedModel,
    all_different,
    allowed_assignments,
    count_of,
    element,
    forbidden_assignments,
    in_domain,
    lex_lesseq,
    predicate,
    solve,
)
from nqueens_cp.backends import EXTRAS

SLOW = pytest.mark.skip(reason="slow: NQUEENS_CP_SLOW=1 runs it")
SLOW_ON_EXTRAS = {"test_models.py", "test_published_variants.py", "variants"}
"""Files and folders of which the larger part runs only with NQUEENS_CP_SLOW=1 on the backends of extras: it takes minutes."""
SMALL = 50  # solutions
STARTING_PROCESSES = {"choco", "exact-cover", "minizinc"}  # one for each search
ASKED_OF_THEM = ("test_count_is_exact", "test_solutions_are_complete")
"""Of the tests of small models, those that they are always given; all with NQUEENS_CP_SLOW=1."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("NQUEENS_CP_SLOW"):
        return
    for item in items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        backend, file, folder = given.get("backend"), item.path.name, item.path.parent.name
        small = backend != "minizinc" and given.get("number", SMALL + 1) <= SMALL
        large = {file, folder} & SLOW_ON_EXTRAS and backend in EXTRAS and not small
        if large or (backend in STARTING_PROCESSES and _repeated(item, file, given)):
            item.add_marker(SLOW)


def _repeated(item: pytest.Item, file: str, given: dict[str, Any]) -> bool:
    """Whether a test asks again, of a backend to which each search costs a process, what other tests ask of it."""
    if file == "test_cases.py":
        return not item.name.startswith(ASKED_OF_THEM) or given.get("verify") is False
    by_workers = ("test_workers_neither_lose", "test_projection_with_workers")  # the limits ask for more
    return file == "test_requests.py" and item.name.startswith(by_workers) and given.get("workers") != 1


BOOLEAN = (0, 1)
CASES: list[Case] = []


@dataclass(frozen=True)
class Case:
    """A statement that fills a model and returns the plain Python function that says the same."""

    name: str
    domains: dict[str, Iterable[int]]
    state: Callable[..., Callable[..., bool]]
    core: bool  # whether the core's search forms must hold it: unary and binary constraints and all-differents


@dataclass(frozen=True)
class Posed:
    """A fresh model of a case together with all its solutions, by brute force."""

    backend: str
    case: str
    model: Model
    variables: list[Any]
    expected: set[tuple[int, ...]]


def case(*, core: bool, **domains: Iterable[int]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(state: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append(Case(state.__name__, domains, state, core))
        return state

    return register


@case(core=False)
def no_variables(model):
    return lambda: True


@case(core=False)
def no_variables_and_an_impossible_constant(model):
    model.add(sum([]) == 1)
    return lambda: False


@case(core=True, x=range(3))
def an_impossible_constant(model, x):
    model.add(True, False)
    return lambda x: False


@case(core=True, x=range(2), y=range(3))
def an_unmentioned_variable(model, x, y):
    model.add(x != 1)
    return lambda x, y: x != 1


@case(core=True, x=range(2), y=range(3))
def a_vacuous_constraint(model, x, y):
    model.add(x == 0, y <= 5)
    return lambda x, y: x == 0


@case(core=True, x=[1, 1, 2], y=[2, 1, 2])
def repeated_domain_values(model, x, y):
    return lambda x, y: True


@case(core=True, x=[-5, 0, 7], y=[-7, 5])
def a_domain_with_gaps(model, x, y):
    model.add(x + y == 0)
    return lambda x, y: x + y == 0


@case(core=True, x=[-(10**12), 5, 10**12], y=[-(10**12), 10**12])
def large_values(model, x, y):
    model.add(x + y == 0)
    return lambda x, y: x + y == 0


@case(core=True, x=range(4), y=range(4), z=range(4))
def all_different_with_offsets(model, x, y, z):
    model.add(all_different([x - 3, y, z + 2]))
    return lambda x, y, z: len({x - 3, y, z + 2}) == 3


@case(core=True, x=range(4), y=range(4), z=range(-3, 1))
def all_different_with_coefficients(model, x, y, z):
    model.add(all_different([2 * x, 3 - y, -z]))
    return lambda x, y, z: len({2 * x, 3 - y, -z}) == 3


@case(core=True, x=range(4), y=range(4))
def all_different_with_a_constant(model, x, y):
    model.add(all_different([x, 2, y]))
    return lambda x, y: len({x, 2, y}) == 3


@case(core=True, x=range(3), y=range(3))
def all_different_of_the_same_term_twice(model, x, y):
    model.add(all_different([x, y, x]))
    return lambda x, y: False


@case(core=True, x=range(4))
def all_different_of_two_terms_of_one_variable(model, x):
    model.add(all_different([x, 3 - 2 * x]))
    return lambda x: x != 3 - 2 * x


@case(core=True, x=range(3))
def all_different_of_one_term_and_of_none(model, x):
    model.add(all_different([x]), all_different([]))
    return lambda x: True


@case(core=False, x=range(4), y=range(4), z=range(-2, 3))
def a_sum_with_negative_coefficients(model, x, y, z):
    model.add(2 * x - 3 * y + z == 1)
    return lambda x, y, z: 2 * x - 3 * y + z == 1


@case(core=True, x=range(-2, 3), y=range(-2, 3))
def a_sum_with_a_repeated_variable(model, x, y):
    model.add(sum([x, x, y]) <= -1)
    return lambda x, y: x + x + y <= -1


@case(core=True, x=range(-3, 4), y=range(-3, 4))
def absolute_values(model, x, y):
    model.add(abs(x - y) >= 2, abs(x) + y == 1)
    return lambda x, y: abs(x - y) >= 2 and abs(x) + y == 1


@case(core=True, x=range(-5, 6), y=range(-5, 6))
def floor_modulo_of_negatives(model, x, y):
    model.add(x % 4 == 3, (x - y) % 3 > 0)
    return lambda x, y: x % 4 == 3 and (x - y) % 3 > 0


@case(core=True, x=range(3), y=range(3))
def nested_relations(model, x, y):
    model.add((x == 1) | ((y < 2) & ~(x == y)))
    return lambda x, y: x == 1 or (y < 2 and x != y)


@case(core=True, x=range(3), y=range(3))
def negated_combinations(model, x, y):
    model.add(~((x == 1) & (y == 1)), ~((x == 2) | (y == 2)), ~~(x <= y))
    return lambda x, y: (x, y) != (1, 1) and x != 2 and y != 2 and x <= y


@case(core=False, x=range(3), y=range(3), z=range(3))
def a_negated_implication(model, x, y, z):
    model.add(~(x <= y).implies(y > z))
    return lambda x, y, z: x <= y and not y > z


@case(core=False, x=range(3), y=range(3), z=range(3), p=BOOLEAN)
def a_boolean_that_implies(model, x, y, z, p):
    model.add((p == 1).implies(2 * x + 3 * y + 5 * z == 12))
    return lambda x, y, z, p: not p or 2 * x + 3 * y + 5 * z == 12


@case(core=True, p=BOOLEAN, q=BOOLEAN, r=BOOLEAN, x=range(3))
def booleans_as_relations(model, p, q, r, x):
    model.add(p, ~q, r | (x == 1))
    return lambda p, q, r, x: bool(p and not q and (r or x == 1))


@case(core=True, x=range(3), y=range(3))
def a_binary_table(model, x, y):
    model.add(allowed_assignments([x, y], [(0, 1), (2, 2), (2, 2), (1, 7)]), forbidden_assignments([y, x], [(2, 2)]))
    return lambda x, y: (x, y) == (0, 1)


@case(core=False, x=range(3), y=range(3), z=range(3))
def ternary_tables(model, x, y, z):
    rows = [(a, (a + 1) % 3, b) for a in range(3) for b in range(3)]
    model.add(allowed_assignments([x, y, z], rows), forbidden_assignments([z, y, x], [(0, 1, 0), (2, 0, 2)]))
    return lambda x, y, z: (x, y, z) in rows and (z, y, x) not in [(0, 1, 0), (2, 0, 2)]


@case(core=True, x=range(3), y=range(3))
def repeated_columns(model, x, y):
    model.add(forbidden_assignments([x, y, x], [(0, 1, 0), (0, 2, 1)]), predicate(lambda a, b: a + b != 4, [y, y]))
    return lambda x, y: (x, y) != (0, 1) and y != 2


@case(core=False, x=range(3), y=range(3), z=range(3))
def repeated_columns_among_three(model, x, y, z):
    model.add(predicate(lambda a, b, c, d: a + b + c != d, [y, y, x, z]), allowed_assignments([x, x, y], [(1, 1, 2)]))
    return lambda x, y, z: (x, y) == (1, 2) and 2 * y + x != z


@case(core=False, i=range(3), x=range(6), y=range(6))
def an_element_of_variables(model, i, x, y):
    model.add(element([x, 5, y], i) == 5)
    return lambda i, x, y: (x, 5, y)[i] == 5


@case(core=True, i=range(3), x=range(5))
def an_element_of_constants(model, i, x):
    model.add(element([3, 1, 4], i) == x)
    return lambda i, x: (3, 1, 4)[i] == x


@case(core=False, x=range(3), y=range(3), z=range(3))
def occurrences_of_a_value(model, x, y, z):
    model.add(count_of([x, y + 1, z], 1) == 2)
    return lambda x, y, z: [x, y + 1, z].count(1) == 2


@case(core=False, a=range(3), b=range(3), c=range(3), d=range(3))
def lexicographic_order(model, a, b, c, d):
    model.add(lex_lesseq([a, b], [c, d]))
    return lambda a, b, c, d: (a, b) <= (c, d)


@case(core=True, x=range(4), y=range(4))
def values_of_an_expression(model, x, y):
    model.add(in_domain(x + y, [1, 5, 5, 40]))
    return lambda x, y: x + y in (1, 5)


@case(core=True, v=[3], w=[-3, -2, 2])
def a_binary_predicate(model, v, w):
    model.add(predicate(lambda v, w: v * w <= -3, [v, w]))
    return lambda v, w: v * w <= -3


@case(core=False, x=range(4), y=range(4), z=range(4))
def a_ternary_predicate(model, x, y, z):
    model.add(predicate(lambda x, y, z: x * y == z + 1, [x, y, z]))
    return lambda x, y, z: x * y == z + 1


@case(core=False, x=range(4), y=range(4), z=range(4))
def several_globals_at_once(model, x, y, z):
    model.add(all_different([x, y, z]), x + y == z, lex_lesseq([x], [y]), count_of([x, y, z], 3) == 1)
    return lambda x, y, z: len({x, y, z}) == 3 and x + y == z == 3 and x <= y


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def posed(request, backend, brute_force, judge_refusal) -> Posed:
    """Every case on every backend; skipped where the backend declines for a good reason."""
    case: Case = request.param

    def build() -> tuple[Model, list[Any], Callable[..., bool]]:
        model = Model(case.name)
        variables = [
            model.bool_var(name) if domain is BOOLEAN else model.int_var(name, domain=domain)
            for name, domain in case.domains.items()
        ]
        return model, variables, case.state(model, *variables)

    model, variables, holds = build()
    try:
        solve(model, backend=backend)
    except UnsupportedModel as error:
        reason = judge_refusal(error, backend, model)
        assert not (backend == "core" and case.core), f"the core's conflict form can hold this model: {reason}"
        pytest.skip(f"{backend} declines: {reason}")
    model, variables, holds = build()  # afresh, so that each request meets a model that was never solved
    return Posed(backend, case.name, model, variables, brute_force(list(case.domains.values()), holds))
