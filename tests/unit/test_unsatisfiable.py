"""Explaining that there is no solution: minimal by brute force, sentences in board terms, and lies that are caught."""

from __future__ import annotations

import dataclasses
import itertools
import random
import time

import pytest

import nqueens_cp
from nqueens_cp import (
    Conflict,
    InvalidValue,
    Model,
    SearchInterrupted,
    SearchStopped,
    Status,
    VerificationError,
    all_different,
    allowed_assignments,
    element,
    explain_unsatisfiable,
    in_domain,
    lex_lesseq,
    predicate,
    queens,
)
from nqueens_cp import conflict_search as search
from nqueens_cp.backends.base import Answer
from nqueens_cp.control import Control

CROWDED = [(row, column) for row in (1, 3, 5) for column in range(2, 6)]  # three queens have two columns
REGIONS = ["AABB", "AABB", "CCDD", "CCDD"]


def has_solution(domains, truths):
    return any(all(truth(*values) for truth in truths) for values in itertools.product(*domains))


def assert_minimal(conflict, domains, truths):
    """By brute force over plain functions: together they have no solution, and with any one left out they have one."""
    own = [truths[id(constraint)] for constraint in conflict.constraints]
    assert conflict.minimal
    assert not has_solution(domains, own)
    for i in range(len(own)):
        assert has_solution(domains, own[:i] + own[i + 1 :]), f"not needed: {conflict.constraints[i]}"


def random_unsatisfiable_model(seed):
    """Add random constraints until none of the assignments is left; return also a plain function for each statement."""
    draw = random.Random(seed)
    model = Model("random")
    domains = [sorted(draw.sample(range(5), draw.randint(2, 4))) for _ in range(draw.randint(2, 4))]
    x = [model.int_var(f"x{i}", domain) for i, domain in enumerate(domains)]
    truths = {}

    def compared():
        i, j, c = draw.randrange(len(x)), draw.randrange(len(x)), draw.randint(-2, 3)
        relation, truth = draw.choice(
            [
                (x[i] != c, lambda *v: v[i] != c),
                (x[i] == c, lambda *v: v[i] == c),
                (x[i] <= x[j] + c, lambda *v: v[i] <= v[j] + c),
                (x[i] + x[j] >= c, lambda *v: v[i] + v[j] >= c),
                (abs(x[i] - x[j]) != c, lambda *v: abs(v[i] - v[j]) != c),
            ]
        )
        truths[id(relation)] = truth
        return relation, truth

    def stated():
        some = draw.sample(range(len(x)), draw.randint(2, len(x)))
        rows = [tuple(draw.randrange(5) for _ in some) for _ in range(12)]
        table = draw.sample(range(6), 5)
        members = draw.sample(range(5), 3)
        kind = draw.randrange(9)
        if kind > 5:
            return compared()
        if kind == 0:
            (r, f), (s, g) = compared(), compared()
            return r | s, lambda *v: f(*v) or g(*v)
        return [
            (None, None),
            (all_different(x[i] for i in some), lambda *v: len({v[i] for i in some}) == len(some)),
            (allowed_assignments([x[i] for i in some], rows), lambda *v: tuple(v[i] for i in some) in rows),
            (in_domain(x[some[0]], members), lambda *v: v[some[0]] in members),
            (all_different(element(table, x[i]) for i in some), lambda *v: len({table[v[i]] for i in some}) == len(some)),
            draw.choice(
                [
                    (lex_lesseq([x[some[0]], x[0]], [x[some[1]], 2]), lambda *v: (v[some[0]], v[0]) <= (v[some[1]], 2)),
                    (predicate(lambda a, b: (a + b) % 3 != 1, [x[i] for i in some[:2]]),
                     lambda *v: (v[some[0]] + v[some[1]]) % 3 != 1),
                ]
            ),
        ][kind]  # fmt: skip

    kept = []
    while has_solution(domains, kept):
        if draw.random() < 0.2:  # a conjunction: each part is a statement of its own
            (r, f), (s, g) = compared(), compared()
            model.add(r & s)
            kept += [f, g]
        else:
            constraint, truth = stated()
            truths[id(constraint)] = truth
            model.add(constraint)
            kept.append(truth)
    return model, domains, truths


@pytest.mark.parametrize("guessed_from", [0, 1000], ids=["with a guess", "without"])
@pytest.mark.parametrize("seed", range(40))
def test_random_models(monkeypatch, seed, guessed_from):
    monkeypatch.setattr(search, "GUESSED_FROM", guessed_from)
    model, domains, truths = random_unsatisfiable_model(seed)
    assert_minimal(explain_unsatisfiable(model), domains, truths)


def queens_truths(model, n, squares):
    """Return a plain function for each statement of queens(n, blocked=squares)."""
    rules = [
        lambda *v: len(set(v)) == n,
        lambda *v: len({c - r for r, c in enumerate(v)}) == n,
        lambda *v: len({c + r for r, c in enumerate(v)}) == n,
    ]
    blocked = [(lambda *v, r=r, c=c: v[r] != c) for r, c in squares]
    return {id(constraint): truth for constraint, truth in zip(model.constraints, rules + blocked, strict=True)}


@pytest.mark.parametrize("seed", range(12))
def test_random_boards(seed):
    draw = random.Random(seed)
    n = draw.randint(4, 6)
    squares = [(r, c) for r in range(n) for c in range(n)]
    draw.shuffle(squares)
    size = next(k for k in range(len(squares) + 1) if not nqueens_cp.count(queens(n, blocked=squares[:k])))
    squares = squares[:size]
    model = queens(n, blocked=squares)
    assert_minimal(explain_unsatisfiable(model), [range(n)] * n, queens_truths(model, n, squares))


@pytest.mark.parametrize("n", [2, 3])
def test_small_boards(n):
    conflict = explain_unsatisfiable(n)
    model = queens(n)
    assert len(conflict) == 3
    truths = dict(zip(map(id, conflict.constraints), queens_truths(model, n, []).values(), strict=True))
    assert_minimal(conflict, [range(n)] * n, truths)
    assert str(conflict).splitlines() == [
        "unsatisfiable: 3 constraints of model queens cannot hold together",
        "  no two queens share a column",
        "  no two queens share a falling diagonal",
        "  no two queens share a rising diagonal",
    ]


def test_more_terms_than_values():
    model = Model("pigeons")
    hole = model.int_vars("hole", 3, domain=range(2))
    model.add(hole[0] <= hole[1], all_different(hole), hole[2] >= 0)
    conflict = explain_unsatisfiable(model)
    assert conflict.constraints == (model.constraints[1],)
    assert str(conflict).splitlines()[0] == "unsatisfiable: 1 constraint of model pigeons cannot hold"
    assert conflict.sentences == ("all_different(hole[0], hole[1], hole[2])",)


def test_a_constant_and_an_objective():
    model = Model()
    x = model.int_var("x", range(3))
    model.add(x > 1, sum([]) == 1)
    model.maximize(x)
    assert explain_unsatisfiable(model).sentences == ("False",)


def test_the_result_cannot_be_changed():
    conflict = explain_unsatisfiable(2)
    assert isinstance(conflict, Conflict)
    with pytest.raises(dataclasses.FrozenInstanceError):
        conflict.minimal = False


# Sentences.


@pytest.mark.parametrize(
    ("squares", "line"),
    [
        ([(1, 4), (6, 4)], "a column"),
        ([(0, 1), (2, 3)], "a falling diagonal"),
        ([(0, 3), (2, 1)], "a rising diagonal"),
    ],
)
@pytest.mark.parametrize("pieces", [None, 8], ids=["rows", "squares"])
def test_placed_queens_that_attack_each_other(squares, line, pieces):
    conflict = explain_unsatisfiable(queens(8, placed=[(7, 0), *squares], blocked=[(3, 3)], pieces=pieces))
    assert len(conflict) == 3
    assert conflict.sentences == (f"the queens at {squares[0]} and {squares[1]} attack each other: they share {line}",)


def test_placed_queens_in_one_row():
    model = queens(6)
    model.add(model.variables[2] == 1, model.variables[2] == 4)
    assert explain_unsatisfiable(model).sentences == (
        "the queens at (2, 1) and (2, 4) attack each other: they share a row",
    )
    conflict = explain_unsatisfiable(queens(6, pieces=6, placed=[(2, 1), (2, 4)]))
    assert conflict.sentences == ("the queens at (2, 1) and (2, 4) attack each other: they share a row",)


@pytest.mark.parametrize(
    ("arguments", "how"),
    [
        ({"n": 4, "regions": REGIONS, "diagonals": "none", "placed": [(0, 1), (1, 0)]}, "they share a region"),
        ({"n": 4, "regions": REGIONS, "touching": False, "placed": [(1, 1), (2, 2)]}, "they touch"),
        ({"n": 5, "torus": True, "placed": [(0, 0), (4, 1)]}, "they share a rising diagonal of the torus"),
        ({"n": 8, "amazons": True, "placed": [(0, 0), (1, 2)]}, "'abs(queen[0] - queen[1]) != 2' does not hold"),
    ],
    ids=["region", "touching", "torus", "a leap"],
)
def test_other_attacks(arguments, how):
    first, second = arguments["placed"]
    assert explain_unsatisfiable(queens(**arguments)).sentences == (
        f"the queens at {first} and {second} attack each other: {how}",
    )


def test_blocked_squares():
    conflict = explain_unsatisfiable(queens(8, blocked=[(r, c) for r in (1, 4, 6) for c in range(2, 8)]))
    assert conflict.sentences == (
        "no two queens share a column",
        "row 1 is blocked at columns 2 to 7",
        "row 4 is blocked at columns 2 to 7",
        "row 6 is blocked at columns 2 to 7",
    )
    conflict = explain_unsatisfiable(queens(8, blocked=[(3, c) for c in range(8)], placed=[(0, 0)]))
    assert conflict.sentences == ("all squares of row 3 are blocked",)
    conflict = explain_unsatisfiable(queens(5, placed=[(0, 1)], blocked=[(4, 4), (0, 1)]))
    assert conflict.sentences == ("a queen stands at (0, 1)", "(0, 1) is blocked")
    conflict = explain_unsatisfiable(queens(4, blocked=[(0, 1), (0, 2)]))
    assert conflict.sentences[-1] == "(0, 1) and (0, 2) are blocked"
    conflict = explain_unsatisfiable(queens(6, blocked=[(0, c) for c in (0, 1, 3, 4, 5)], placed=[(5, 2)]))
    assert conflict.sentences == (
        "no two queens share a column",
        "a queen stands at (5, 2)",
        "row 0 is blocked at columns 0, 1 and 3 to 5",
    )


def test_excluded_diagonals_and_some_of_the_rows():
    model = queens(5, diagonals="none", excluded_diagonals=range(-3, 5))
    assert explain_unsatisfiable(model).sentences == ("all squares of row 0 are blocked",)
    model = Model("some rows")
    row = model.int_vars("row", 4, domain=range(4))
    model.add(all_different([row[0], row[2], row[3]]), row[0] == 1, row[3] == 1)
    model.board(row)
    assert explain_unsatisfiable(model).sentences == (
        "the queens at (0, 1) and (3, 1) attack each other: they share a column",
    )
    model = Model("some rows")
    row = model.int_vars("row", 3, domain=range(3))
    model.add(all_different([row[0] + 1, row[1] + 1]), row[0] <= 0, row[1] <= 0)
    model.board(row)
    assert explain_unsatisfiable(model).sentences == (
        "no two queens in rows 0 and 1 share a column",
        "row[0] <= 0",
        "row[1] <= 0",
    )


# What goes wrong.


def test_a_satisfiable_model_is_refused_with_a_solution():
    with pytest.raises(InvalidValue, match=r"(?s)'queens' is satisfiable.*\n\. Q \. \.\n\. \. \. Q\n"):
        explain_unsatisfiable(4)


@pytest.mark.parametrize("lie", [[], [0], [3, 5, 8], list(range(18)), None], ids=str)
def test_a_lying_guess_is_caught(monkeypatch, lie):
    monkeypatch.setattr(search, "first_guess", lambda problem, control: lie)
    squares = [*CROWDED, *((r, 0) for r in (0, 2, 4)), (0, 5)]
    model = queens(6, blocked=squares)
    assert_minimal(explain_unsatisfiable(model), [range(6)] * 6, queens_truths(model, 6, squares))


def test_the_guess_blames_what_is_to_blame():
    problem = queens(8, placed=[(0, 1), (2, 3)], blocked=[(7, c) for c in range(6)]).snapshot()
    guess = search.first_guess(problem, Control())
    assert guess is not None
    assert {1, 3, 4} <= set(guess)
    assert len(guess) < 10
    assert search.first_guess(queens(8).snapshot(), Control()) is None


def test_a_backend_that_takes_back_its_proof_is_caught(monkeypatch):
    monkeypatch.setattr(search.ConflictSearch, "_solve_joined", lambda self, chosen, *, hand_over: None)
    with pytest.raises(VerificationError, match="proven to have no solution"):
        explain_unsatisfiable(3)


def test_a_wrong_solution_is_caught(monkeypatch):
    def lie(problem, backend, choice, control):
        values = (0,) * len(problem.variables)
        return choice.backend.name, Answer(
            Status.UNSATISFIABLE if len(problem.constraints) == 3 else Status.SATISFIED, values
        )

    monkeypatch.setattr(search, "first_answer", lie)
    with pytest.raises(VerificationError):
        explain_unsatisfiable(3)


# Limits.


def hard_board():
    draw = random.Random(1)
    return queens(28, blocked=[(r, c) for r in range(28) for c in range(28) if draw.random() < 0.78])


def test_a_stopped_explanation_says_that_it_may_not_be_minimal():
    model = hard_board()
    begun = time.monotonic()
    with pytest.raises(SearchStopped, match="perhaps fewer") as stopped:
        explain_unsatisfiable(model, time_limit=1.5)
    assert time.monotonic() - begun < 20
    partial = stopped.value.partial
    assert stopped.value.status is Status.TIMEOUT
    assert not partial.minimal
    assert len(partial) <= len(model.constraints)
    assert "perhaps fewer suffice" in str(partial)


def test_stopped_before_it_is_known_that_there_is_no_solution():
    with pytest.raises(SearchStopped, match="not known") as stopped:
        explain_unsatisfiable(queens(20, torus=True), time_limit=0.3)
    assert stopped.value.partial is None


def test_ctrl_c_keeps_what_is_known():
    def interrupt(progress):
        if progress.found:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted, match="perhaps fewer") as interrupted:
        explain_unsatisfiable(hard_board(), progress=interrupt)
    assert not interrupted.value.partial.minimal


def test_what_takes_long_is_put_off_and_done_in_the_end(monkeypatch):
    monkeypatch.setattr(search, "FIRST_PATIENCE", 1e-4)
    model = queens(6, blocked=CROWDED)
    assert_minimal(explain_unsatisfiable(model), [range(6)] * 6, queens_truths(model, 6, CROWDED))


@pytest.mark.parametrize("limit", [0, -1, "soon"], ids=repr)
def test_bad_limits(limit):
    with pytest.raises((ValueError, TypeError), match="time_limit"):
        explain_unsatisfiable(3, time_limit=limit)


def test_what_is_said_to_be_proven_is_verified():
    assert explain_unsatisfiable(3, proven=True).constraints
    with pytest.raises(VerificationError, match="have one"):
        explain_unsatisfiable(4, proven=True)
