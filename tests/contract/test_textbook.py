"""The textbook backtrackers: right answers, honest figures, and nothing but the classic board."""

from __future__ import annotations

import inspect
from itertools import permutations

import pytest

from nqueens_cp import Model, Status, UnsupportedModel, all_different, compare, count, explain, queens, solutions, solve
from nqueens_cp.backends import backend_names, get_backend, textbook_names
from nqueens_cp.control import Control
from nqueens_cp.textbook import Tally, bit_masks, flag_arrays, forward_checking, marked_board, position_array

COUNTS = [1, 1, 0, 0, 2, 10, 4, 40, 92]  # OEIS A000170
BACKTRACKERS = (flag_arrays, position_array, marked_board, bit_masks)
MODULES = (*BACKTRACKERS, forward_checking)
LONGEST = 30  # lines of one backtracker


@pytest.fixture(params=textbook_names())
def textbook(request) -> str:
    return request.param


def boards(n):
    """All solutions, by looking at all permutations."""
    return [
        columns
        for columns in permutations(range(n))
        if all(abs(columns[i] - columns[j]) != j - i for j in range(n) for i in range(j))
    ]


@pytest.mark.parametrize("n", range(8))
def test_solutions_in_order(textbook, n):
    found = solutions(queens(n), backend=textbook)
    assert [solution.values for solution in found] == boards(n)
    assert found.status is Status.COMPLETE


def test_counts_and_first_solutions(textbook):
    assert [count(n, backend=textbook) for n in range(9)] == COUNTS
    assert [solve(n, backend=textbook).status for n in (0, 3, 8)] == [
        Status.SATISFIED,
        Status.UNSATISFIABLE,
        Status.SATISFIED,
    ]
    assert solve(8, backend=textbook)["queen"] == [0, 4, 7, 5, 2, 6, 1, 3]  # OEIS A141843


def test_what_is_counted():
    """All but one look at the same partial placements, of which brute force tells how many there are."""
    n = 6
    partial = partial_placements(n)
    tallies = {}
    for module in BACKTRACKERS:
        tallies[module] = tally = Tally()
        polls = []
        assert list(module.solutions(n, tally, lambda polls=polls: polls.append(1))) == boards(n)
        assert tally.nodes == len(polls) == len(partial)
        assert tally.undone == len(partial) - 1
    inner = sum(len(prefix) < n for prefix in partial)
    for module in (flag_arrays, position_array, marked_board):
        assert tallies[module].candidates == n * inner
    assert tallies[bit_masks].candidates == len(partial) - 1
    assert tallies[flag_arrays].checks == 3 * n * inner
    assert tallies[marked_board].checks == n * inner
    assert tallies[marked_board].writes > tallies[flag_arrays].writes > tallies[position_array].writes


def test_what_forward_checking_counts():
    """It goes on only where each later row has a square that no queen attacks; it looks at all of these squares."""
    n = 6
    partial = partial_placements(n)
    left = {queens: free_squares(n, queens) for queens in partial}
    expanded = [queens for queens in partial if all(all(left[queens[:i]]) for i in range(len(queens) + 1))]
    tried = [queens for queens in partial if queens[:-1] in expanded and queens]
    assert len(expanded) < len(tried) < len(partial)
    tally = Tally()
    assert list(forward_checking.solutions(n, tally, lambda: None)) == boards(n)
    assert tally.nodes == len(expanded)
    assert tally.candidates == tally.undone == len(tried)
    assert tally.checks == sum(len(row) for queens in tried for row in left[queens[:-1]][1:])
    assert tally.writes == len(tried) + sum(len(row) for queens in tried for row in left[queens])


def free_squares(n, queens):
    """The squares of each later row that none of the queens attacks."""
    return [
        [column for column in range(n) if all(abs(queens[i] - column) not in (0, row - i) for i in range(len(queens)))]
        for row in range(len(queens), n)
    ]


def partial_placements(n):
    """The queens of the first rows in every way in which none attacks another."""
    return [
        prefix
        for size in range(n + 1)
        for prefix in permutations(range(n), size)
        if all(abs(prefix[i] - prefix[j]) != j - i for j in range(size) for i in range(j))
    ]


def test_the_figures_reach_the_statistics(textbook):
    control = Control()
    backend = get_backend(textbook)
    backend.count(backend.translate(queens(3).snapshot(), control), control)
    # The empty board, a queen in row 0, and two with one in row 1; forward checking sees that three of these are dead ends.
    assert control.statistics["nodes"] == (3 if textbook == "forward-checking" else 1 + 3 + 2)
    assert set(control.statistics) == {"nodes", "candidates", "checks", "writes", "undone"}


def other_models():
    yield queens(6, blocked=[(0, 0)])
    yield queens(6, rows=5)
    yield queens(6, diagonals="none")
    yield queens(6, torus=True)
    shifted = Model("shifted")
    queen = shifted.int_vars("queen", 5, domain=range(1, 6))
    shifted.add(all_different(queen), all_different(queen[i] + i for i in range(5)))
    shifted.add(all_different(queen[i] - i for i in range(5)))
    yield shifted
    yield Model("empty")


@pytest.mark.parametrize("model", list(other_models())[:-1], ids=lambda model: model.name)
def test_other_models_are_declined(textbook, model):
    with pytest.raises(UnsupportedModel, match=textbook):
        count(model, backend=textbook)


def test_they_are_used_only_where_they_are_named(textbook):
    assert textbook not in backend_names()
    assert textbook not in str(explain(8))


def test_they_can_be_compared():
    comparison = compare(6, backends=["core", *textbook_names()])
    assert comparison.agree is True
    assert [row.solutions for row in comparison.rows] == [4] * 6


def test_a_time_limit_holds(textbook):
    from nqueens_cp import SearchStopped

    with pytest.raises(SearchStopped) as stopped:
        count(14, backend=textbook, time_limit=0.2)
    assert stopped.value.partial >= 0


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_each_is_short_enough_to_read(module):
    lines = [line for line in inspect.getsource(module.solutions).splitlines() if line.strip()]
    assert len(lines) <= LONGEST
