"""Random small models: each drawn piece is a pair, the modelling language's object and a plain Python function.

The functions take the tuple of all values; brute force uses them alone, never check().
"""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from nqueens_cp import (
    Model,
    all_different,
    allowed_assignments,
    count_of,
    element,
    forbidden_assignments,
    in_domain,
    lex_lesseq,
    predicate,
)

# The same examples every time, so that a red run is about the change under test; asking for more explores afresh.
EXAMPLES = os.environ.get("NQUEENS_CP_EXAMPLES")
settings.register_profile(
    "nqueens-cp",
    max_examples=int(EXAMPLES or 60),
    derandomize=EXAMPLES is None,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("nqueens-cp")
STARTS_A_PROGRAM = {"minizinc": 6, "choco": 12, "exact-cover": 12}  # fewer examples: a process for each search

Values = tuple[int, ...]
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
SMALL = st.integers(-3, 3)


class Drawn(NamedTuple):
    """The same thing twice."""

    stated: Any
    truth: Callable[[Values], Any]


class Problem(NamedTuple):
    model: Model
    domains: list[list[int]]
    truths: list[Callable[[Values], bool]]

    def assignments(self) -> list[Values]:
        return list(itertools.product(*(sorted(set(domain)) for domain in self.domains)))

    def solutions(self) -> set[Values]:
        return {values for values in self.assignments() if all(truth(values) for truth in self.truths)}

    def __repr__(self) -> str:  # what hypothesis shows of a failing example
        return str(self.model)


def constant(value: int) -> Drawn:
    return Drawn(value, lambda values: value)


@st.composite
def variables(draw: st.DrawFn, scope: Sequence[Drawn]) -> Drawn:
    return draw(st.sampled_from(scope))


EXPRESSION_KINDS = ("linear", "reversed", "negated", "sum", "difference", "abs", "modulo", "element", "count_of")


@st.composite
def expressions(draw: st.DrawFn, scope: Sequence[Drawn], depth: int = 2) -> Drawn:
    """An expression over the variables of the scope, nested up to the depth."""
    a, f = draw(variables(scope) if depth == 0 else expressions(scope, depth - 1))
    kind = draw(st.sampled_from(("as it is", *EXPRESSION_KINDS)))
    small = draw(SMALL)
    match kind:
        case "linear":
            shift = draw(SMALL)
            return Drawn(small * a + shift, lambda values: small * f(values) + shift)
        case "reversed":
            return Drawn(small - a, lambda values: small - f(values))
        case "negated":
            return Drawn(-a, lambda values: -f(values))
        case "sum":
            parts = [Drawn(a, f), *draw(st.lists(variables(scope), max_size=3)), constant(small)]
            return Drawn(sum(p.stated for p in parts), lambda values: sum(p.truth(values) for p in parts))
        case "difference":
            b, g = draw(variables(scope))
            return Drawn(a - 2 * b, lambda values: f(values) - 2 * g(values))
        case "abs":
            return Drawn(abs(a), lambda values: abs(f(values)))
        case "modulo":
            divisor = abs(small) + 1
            return Drawn(a % divisor, lambda values: f(values) % divisor)
        case "element":
            array = draw(st.lists(variables(scope) | SMALL.map(constant), min_size=1, max_size=4))
            size = len(array)  # the modulo keeps the index inside the array
            return Drawn(
                element([entry.stated for entry in array], a % size),
                lambda values: array[f(values) % size].truth(values),
            )
        case "count_of":
            parts = [Drawn(a, f), *draw(st.lists(variables(scope), max_size=2))]
            return Drawn(
                count_of([p.stated for p in parts], small), lambda values: [p.truth(values) for p in parts].count(small)
            )
    return Drawn(a, f)


@st.composite
def relations(draw: st.DrawFn, scope: Sequence[Drawn], booleans: Sequence[Drawn], depth: int = 2) -> Drawn:
    """A comparison, a Boolean variable, or a combination of relations."""
    kinds = ["compare"] + ["boolean"] * bool(booleans) + ["and", "or", "not", "implies"] * bool(depth)
    kind = draw(st.sampled_from(kinds))
    if kind == "compare":
        (a, f), compare = draw(expressions(scope, 1)), draw(st.sampled_from(COMPARISONS))
        b, g = draw(SMALL.map(constant) | expressions(scope, 1))
        if draw(st.booleans()):
            return Drawn(compare(b, a), lambda values: compare(g(values), f(values)))
        return Drawn(compare(a, b), lambda values: compare(f(values), g(values)))
    if kind == "boolean":
        p, f = draw(st.sampled_from(booleans))
        return Drawn(p, lambda values: f(values) == 1)
    r, f = draw(relations(scope, booleans, depth - 1))
    if kind == "not":
        return Drawn(~r, lambda values: not f(values))
    s, g = draw(relations(scope, booleans, depth - 1))
    match kind:
        case "and":
            return Drawn(r & s, lambda values: f(values) and g(values))
        case "or":
            return Drawn(r | s, lambda values: f(values) or g(values))
    return Drawn(r.implies(s), lambda values: not f(values) or g(values))


@st.composite
def tables(draw: st.DrawFn, scope: Sequence[Drawn]) -> Drawn:
    columns = draw(st.lists(st.sampled_from(scope), min_size=1, max_size=3, unique_by=id))
    rows = draw(st.lists(st.tuples(*[st.integers(-1, 2)] * len(columns)), max_size=24))
    allowed = draw(st.booleans())
    table = (allowed_assignments if allowed else forbidden_assignments)([c.stated for c in columns], rows)
    return Drawn(table, lambda values: (tuple(c.truth(values) for c in columns) in rows) is allowed)


@st.composite
def predicates(draw: st.DrawFn, scope: Sequence[Drawn]) -> Drawn:
    arguments = draw(st.lists(st.sampled_from(scope), min_size=1, max_size=3, unique_by=id))
    weight, divisor = draw(SMALL), draw(st.integers(2, 4))

    def holds(*given: int) -> bool:
        return (weight * sum(given) + given[0] * given[-1]) % divisor != 0

    return Drawn(
        predicate(holds, [a.stated for a in arguments]), lambda values: holds(*(a.truth(values) for a in arguments))
    )


@st.composite
def lexicographic_orders(draw: st.DrawFn, scope: Sequence[Drawn]) -> Drawn:
    size = draw(st.integers(1, 3))
    left, right = (draw(st.lists(expressions(scope, 1), min_size=size, max_size=size)) for _ in range(2))
    return Drawn(
        lex_lesseq([p.stated for p in left], [p.stated for p in right]),
        lambda values: [p.truth(values) for p in left] <= [p.truth(values) for p in right],
    )


@st.composite
def memberships(draw: st.DrawFn, scope: Sequence[Drawn]) -> Drawn:
    (a, f), members = draw(expressions(scope)), draw(st.lists(st.integers(-4, 6), min_size=1, max_size=9))
    return Drawn(in_domain(a, members), lambda values: f(values) in members)


@st.composite
def all_differents(draw: st.DrawFn, term: st.SearchStrategy[Drawn]) -> Drawn:
    terms = draw(st.lists(term | st.integers(-9, 9).map(constant), max_size=4))
    return Drawn(
        all_different([t.stated for t in terms]), lambda values: len({t.truth(values) for t in terms}) == len(terms)
    )


@st.composite
def domains_of_integers(draw: st.DrawFn) -> list[int]:
    """An interval, or any few values, some of them twice."""
    if draw(st.booleans()):
        low = draw(st.integers(-3, 1))
        return list(range(low, low + draw(st.integers(2, 5))))
    return draw(st.lists(st.integers(-3, 4), min_size=1, max_size=5))


def any_constraint(scope: Sequence[Drawn], booleans: Sequence[Drawn], term: st.SearchStrategy[Drawn]) -> Any:
    """A strategy of relations and globals over the scope; `term` draws what an all-different compares."""
    return (
        relations(scope, booleans)
        | relations(scope, booleans, 1)
        | tables(scope)
        | predicates(scope)
        | lexicographic_orders(scope)
        | memberships(scope)
        | all_differents(term)
    )


def any_constraint_of_several(drawn: Sequence[Drawn], booleans: Sequence[Drawn]) -> Any:
    return any_constraint(drawn, booleans, expressions(drawn, 1))


@st.composite
def binary_constraints(draw: st.DrawFn, drawn: Sequence[Drawn], booleans: Sequence[Drawn]) -> Drawn:
    """Unary and binary constraints and all-differents of one-variable terms, as the core promises to take."""
    pair = draw(st.lists(st.sampled_from(drawn), min_size=1, max_size=2))
    one_variable = st.sampled_from(drawn).flatmap(lambda one: expressions([one], 1))
    return draw(any_constraint(pair, [p for p in booleans if any(p is one for one in pair)], one_variable))


@st.composite
def deep_relations(draw: st.DrawFn, drawn: Sequence[Drawn], booleans: Sequence[Drawn]) -> Drawn:
    """A relation three levels deep, under a negation every other time."""
    relation, truth = draw(relations(drawn, booleans, 3))
    return Drawn(~relation, lambda values: not truth(values)) if draw(st.booleans()) else Drawn(relation, truth)


@st.composite
def problems(draw: st.DrawFn, constraints: Callable[..., st.SearchStrategy[Drawn]]) -> Problem:
    """A model of up to three integer and two Boolean variables, and up to three of the constraints."""
    model = Model("random")
    domains = draw(st.lists(domains_of_integers(), min_size=1, max_size=3))
    truth_values = [[0, 1]] * draw(st.integers(0, 2))
    stated = [model.int_var(f"x{i}", domain=domain) for i, domain in enumerate(domains)]
    stated += [model.bool_var(f"p{i}") for i in range(len(truth_values))]
    drawn = [Drawn(variable, operator.itemgetter(i)) for i, variable in enumerate(stated)]
    truths = []
    for _ in range(draw(st.integers(1, 3))):
        constraint, truth = draw(constraints(drawn, drawn[len(domains) :]))
        model.add(constraint)
        truths.append(truth)
    return Problem(model, domains + truth_values, truths)


@pytest.fixture(scope="session")
def examples(backend: str) -> int:
    """How many random models a backend is asked."""
    usual = settings().max_examples
    return usual if EXAMPLES else min(usual, STARTS_A_PROGRAM.get(backend, usual))


@pytest.fixture(scope="session", params=[any_constraint_of_several, deep_relations], ids=["constraints", "relations"])
def random_problems(request: pytest.FixtureRequest) -> st.SearchStrategy[Problem]:
    return problems(request.param)


@pytest.fixture(scope="session")
def binary_problems() -> st.SearchStrategy[Problem]:
    return problems(binary_constraints)


@pytest.fixture(scope="session")
def random_expressions() -> Callable[..., st.SearchStrategy[tuple[Any, list[tuple[Values, int]]]]]:
    """A strategy of (expression, [(values, value of the expression), ...]) and its model's variables."""

    @st.composite
    def evaluated(draw: st.DrawFn, most_variables: int, kinds: Callable[..., st.SearchStrategy[Drawn]] = expressions):
        model = Model("expression")
        domains = draw(
            st.lists(st.lists(st.integers(-5, 6), min_size=1, max_size=5), min_size=1, max_size=most_variables)
        )
        scope = [Drawn(model.int_var(f"x{i}", d), operator.itemgetter(i)) for i, d in enumerate(domains)]
        stated, truth = draw(kinds(scope))
        table = [(values, truth(values)) for values in Problem(model, domains, []).assignments()]
        return model.variables, stated, table

    return evaluated


@pytest.fixture(scope="session")
def linear_expressions() -> Callable[[Sequence[Drawn]], st.SearchStrategy[Drawn]]:
    """Sums with repeated variables and negative coefficients, built step by step."""

    @st.composite
    def linear(draw: st.DrawFn, scope: Sequence[Drawn]) -> Drawn:
        steps = draw(st.lists(st.tuples(SMALL, st.sampled_from(scope)), min_size=1, max_size=5))
        shift = draw(st.integers(-20, 20))
        return Drawn(
            sum(k * x.stated for k, x in steps) - shift,
            lambda values: sum(k * x.truth(values) for k, x in steps) - shift,
        )

    return linear
