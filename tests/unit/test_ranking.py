"""Solutions by their place in lexicographic order, the places of solutions, and random solutions."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from nqueens_cp import (
    InvalidType,
    InvalidValue,
    Model,
    NoSolution,
    SearchInterrupted,
    SearchStopped,
    Status,
    UnsupportedModel,
    count,
    nth_solution,
    queens,
    rank,
    ranking,
    sample,
)

BACKENDS = ("core", "cp-sat", "python-constraint")


def queens_by_brute_force(n: int) -> list[tuple[int, ...]]:
    return [
        columns
        for columns in itertools.permutations(range(n))
        if len({c + r for r, c in enumerate(columns)}) == len({c - r for r, c in enumerate(columns)}) == n
    ]


@pytest.fixture(params=[None, 1, 10], ids=["listing", "counting", "both"])
def few(request, monkeypatch):
    """How many solutions are few enough to be listed: as it is, or so few that they must be counted."""
    if request.param is not None:
        monkeypatch.setattr(ranking, "FEW", request.param)


@pytest.mark.parametrize("n", [1, 4, 7])
@pytest.mark.usefixtures("few")
def test_every_place_and_every_rank(n):
    expected = queens_by_brute_force(n)
    for k, columns in enumerate(expected):
        assert nth_solution(n, k).values == columns
        assert rank(n, columns) == k
        assert rank(n, nth_solution(n, k)) == k


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.usefixtures("few")
def test_any_backend_ranks_alike(backend):
    expected = queens_by_brute_force(6)
    assert [nth_solution(6, k, backend=backend).values for k in range(4)] == expected
    assert [rank(6, columns, backend=backend) for columns in expected] == [0, 1, 2, 3]


def unordered_domains() -> tuple[Model, list[tuple[int, ...]]]:
    """A model that is no board, of variables with gaps and negative values, that the core does not take."""
    domains = [(-3, 0, 7), (-1, 5), (0, 4, 6), (-2, 2)]
    model = Model("sums")
    x = [model.int_var(f"x{i}", domain) for i, domain in enumerate(domains)]
    model.add(sum(x) % 3 != 1)
    return model, [values for values in itertools.product(*domains) if sum(values) % 3 != 1]


def binary_model() -> tuple[Model, list[tuple[int, ...]]]:
    """A model for the core's table of conflicts, with a variable that nothing constrains."""
    domains = [(-3, 0, 7), (-1, 5), (0, 4, 6), (-2, 2)]
    model = Model("pairs")
    x = [model.int_var(f"x{i}", domain) for i, domain in enumerate(domains)]
    model.add(x[0] < x[2], (x[0] + x[3]) % 2 == 0)
    return model, [v for v in itertools.product(*domains) if v[0] < v[2] and (v[0] + v[3]) % 2 == 0]


@pytest.mark.parametrize("made", [unordered_domains, binary_model])
@pytest.mark.usefixtures("few")
def test_models_that_are_no_boards(made):
    model, expected = made()
    assert [nth_solution(model, k).values for k in range(len(expected))] == expected
    assert [rank(model, values) for values in expected] == list(range(len(expected)))


def test_a_place_deep_in_a_large_board(published):
    k = published["A000170"][14] * 5 // 7
    solution = nth_solution(14, k)
    assert rank(14, solution) == k
    # The mirror image of the k-th solution is the k-th from the end.
    assert rank(14, [13 - column for column in solution["queen"]]) == published["A000170"][14] - 1 - k


def test_the_first_solutions_of_a_board_too_large_to_count():
    first, second = nth_solution(24, 0), nth_solution(24, 1)
    assert first.values < second.values


@pytest.mark.parametrize("k", [-1, 92, 10**15])
def test_places_out_of_range(k):
    with pytest.raises(InvalidValue, match=f"92 solutions, numbered from 0 to 91; got {k}"):
        nth_solution(8, k)


def test_a_place_must_be_an_integer():
    with pytest.raises(InvalidType, match="k: expected an integer"):
        nth_solution(8, 2.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0, 1, 2, 3], "breaks 'all_different"),
        ([1, 3, 0], "has 4 variables, not 3"),
        ([1, 3, 0, 4], r"queen\[3\] cannot be 4"),
    ],
)
def test_what_is_no_solution_has_no_rank(given, message):
    with pytest.raises(InvalidValue, match=message):
        rank(4, given)


def test_objectives_are_refused():
    model = queens(5)
    model.minimize(model.variables[0])
    for call in (lambda: nth_solution(model, 0), lambda: rank(model, [0, 2, 4, 1, 3]), lambda: sample(model)):
        with pytest.raises(UnsupportedModel, match="objective"):
            call()


def test_where_there_is_no_solution():
    with pytest.raises(NoSolution, match="no solution"):
        nth_solution(3, 0)
    with pytest.raises(NoSolution, match="no solution"):
        next(sample(3))


def test_samples_are_uniform():
    """Chi-square of 9,200 draws of the 92 solutions: 91 degrees of freedom, mean 91, standard deviation 13.5."""
    drawn = Counter(solution.values for solution in sample(8, 9_200, seed=8))
    assert set(drawn) == set(queens_by_brute_force(8))
    statistic = sum((number - 100) ** 2 / 100 for number in drawn.values())
    assert 54 < statistic < 138, "outside of what 998 of 1000 seeds give"


def test_samples_of_a_model_with_unequal_branches_are_uniform(monkeypatch):
    """A third of the solutions begin with 0, two thirds with 1: choosing value by value would give halves."""
    monkeypatch.setattr(ranking, "FEW", 1)
    model = Model("unequal")
    x, y = model.int_var("x", [0, 1]), model.int_var("y", [0, 1, 2, 3])
    model.add((x == 0).implies(y <= 1))
    drawn = Counter(solution.values for solution in sample(model, 3_000, seed=1))
    assert set(drawn) == {(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3)}
    assert sum((number - 500) ** 2 / 500 for number in drawn.values()) < 20.5  # 999 of 1000, 5 degrees of freedom


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_seed_gives_the_same_samples_on_every_backend(backend):
    drawn = [solution.values for solution in sample(6, 5, seed=3, backend=backend)]
    assert drawn == [solution.values for solution in sample(6, 5, seed=3)]


def test_other_seeds_give_other_samples(is_nonattacking):
    drawn = {next(sample(14, seed=seed)).values for seed in range(4)}
    assert len(drawn) == 4
    assert all(map(is_nonattacking, drawn))


@pytest.fixture
def is_nonattacking():
    def check(columns):
        lines = ({c + r * slope for r, c in enumerate(columns)} for slope in (-1, 0, 1))
        return all(len(line) == len(columns) for line in lines)

    return check


@pytest.mark.parametrize(("number", "seed"), [(0, 0), (1, -1), (1, 2**31)])
def test_samples_are_checked_at_the_call(number, seed):
    with pytest.raises(InvalidValue):
        sample(8, number, seed)


def interrupt(progress):
    raise KeyboardInterrupt


def test_the_time_limit_tells_what_is_known(published):
    total = published["A000170"][19]
    with pytest.raises(SearchStopped, match="values are known") as stopped:
        nth_solution(19, total // 2, time_limit=0.3)
    assert (stopped.value.status, stopped.value.partial) == (Status.TIMEOUT, ())
    solution = nth_solution(19, 1)
    mirrored = [18 - column for column in solution.values]
    with pytest.raises(SearchStopped, match="the rank is at least") as stopped:
        rank(19, mirrored, time_limit=0.3)
    assert 0 <= stopped.value.partial < total
    with pytest.raises(SearchStopped, match="0 solutions were drawn") as stopped:
        list(sample(19, time_limit=0.3))
    assert stopped.value.partial == 0


def test_an_interrupt_tells_what_is_known(published):
    with pytest.raises(SearchInterrupted) as stopped:
        nth_solution(19, published["A000170"][19] // 2, progress=interrupt)
    assert stopped.value.partial == ()


def test_the_rank_counts_with_workers():
    last = queens_by_brute_force(8)[-1]
    assert rank(8, last, workers=2) == count(8) - 1


def test_counts_that_were_dropped_are_counted_again(monkeypatch):
    monkeypatch.setattr(ranking, "FEW", 1)
    monkeypatch.setattr(ranking, "MAX_COUNTS", 5)
    monkeypatch.setattr(ranking, "MAX_KEPT", 3)
    expected = queens_by_brute_force(7)
    drawn = Counter(solution.values for solution in sample(7, 300, seed=2))
    assert set(drawn) == set(expected)
    assert [rank(7, columns) for columns in expected] == list(range(40))
