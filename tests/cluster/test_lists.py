"""Lists on a cluster: the same solutions in the same order, cut and gone on with like any other."""

from __future__ import annotations

import itertools
import random
from functools import cache

import pytest

from nqueens_cp import (
    ClusterError,
    InvalidValue,
    Model,
    all_different,
    batches,
    explain,
    load_model,
    queens,
    to_numpy,
)
from nqueens_cp.cluster.listing import first_items, refined, rest_of
from nqueens_cp.listing.files import write_solutions

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

Q = {7: 40, 8: 92, 9: 352, 10: 724, 11: 2_680}  # A000170


def attacks(placed):
    return any(
        abs(one - other) in (0, further - row)
        for (row, one), (further, other) in itertools.combinations(enumerate(placed), 2)
    )


@cache
def by_brute_force(n, rows):
    return [placed for placed in itertools.permutations(range(n), rows) if not attacks(placed)]


def rows_of(array):
    return list(map(tuple, array.tolist()))


@pytest.fixture(params=["long tasks", "tasks cut by their bytes", "tasks cut by their time"])
def cut(request, monkeypatch):
    """Tasks of all kinds: as they are, ended by some solutions, and ended at the first batch."""
    if "cut" in request.param:
        monkeypatch.setattr("nqueens_cp.cluster.listing.BOXES_OF_A_THREAD", 6)
        monkeypatch.setattr("nqueens_cp.cluster.listing.MOST_RANGES", 6)
    if "bytes" in request.param:
        monkeypatch.setattr("nqueens_cp.cluster.listing.MOST_BYTES", 30)
    if "time" in request.param:
        monkeypatch.setattr("nqueens_cp.cluster.listing.TASK_SECONDS", 0.0)
        monkeypatch.setattr("nqueens_cp.cluster.listing.FIRST_SECONDS", 0.0)


@pytest.mark.parametrize("n", [1, 4, 7])
def test_the_order_of_brute_force(client, n, cut):
    assert rows_of(to_numpy(n, cluster=client)) == by_brute_force(n, n)


def test_values_with_gaps_and_many_values(client, cut):
    model = Model("sparse")
    x = model.int_vars("x", 2, domain=[value * value - 500 for value in range(100)])
    y = model.int_var("y", domain=[-3, 5])
    model.add(all_different(x), abs(x[0] - x[1]) < 6, x[1] != 100 * y)
    expected = [
        (a, b, c)
        for a in x[0].domain
        for b in x[1].domain
        for c in y.domain
        if a != b and abs(a - b) < 6 and b != 100 * c
    ]
    assert expected
    assert explain(model).backend == "core"
    assert rows_of(to_numpy(model, cluster=client)) == expected


def test_models_without_solutions_and_without_variables(client):
    assert to_numpy(3, cluster=client).shape == (0, 3)
    assert to_numpy(0, cluster=client).shape == (1, 0)


def test_batches_are_the_callers_own(client):
    for batch in batches(6, cluster=client):
        batch += 1


@pytest.mark.parametrize("backend", ["cp-sat", "python-constraint"])
def test_backends_without_an_order(client, backend, monkeypatch):
    monkeypatch.setattr("nqueens_cp.cluster.listing.BOXES_OF_A_THREAD", 6)
    expected = by_brute_force(5, 4)
    model = queens(5, rows=4)
    assert sorted(rows_of(to_numpy(model, cluster=client, backend=backend))) == expected
    monkeypatch.setattr("nqueens_cp.cluster.listing.MOST_BYTES", 7)  # so that boxes are split
    assert sorted(rows_of(to_numpy(model, cluster=client, backend=backend))) == expected


def test_functions_in_a_model_file(client, tmp_path):
    file = tmp_path / "far.py"
    file.write_text(
        "from nqueens_cp import Model, predicate\n\n"
        "def build():\n"
        '    model = Model("far")\n'
        '    x = model.int_vars("x", 2, domain=range(4))\n'
        "    model.add(predicate(lambda a, b: abs(a - b) > 1, x))\n"
        "    return model\n"
    )
    expected = [(a, b) for a in range(4) for b in range(4) if abs(a - b) > 1]
    assert rows_of(to_numpy(load_model(file), cluster=client)) == expected


@pytest.mark.parametrize("options", [{}, {"limit": 40}, {"skip": 50}, {"up_to_symmetry": True}])
def test_files_byte_for_byte(client, tmp_path, options):
    here, there = tmp_path / "here.npy", tmp_path / "there.npy"
    told = write_solutions(8, here, **options)
    told_there = write_solutions(8, there, cluster=client, **options)
    assert there.read_bytes() == here.read_bytes()
    assert (told_there.count, told_there.status) == (told.count, told.status)


def test_a_file_that_is_gone_on_with(client, tmp_path, cut):
    path, whole = tmp_path / "q.lines", tmp_path / "whole.lines"
    write_solutions(8, whole)
    for limit in (1, 30, 31, 80):
        told = write_solutions(8, path, cluster=client, limit=limit, resume=path.exists())
        assert (told.count, told.status) == (limit, "limit")
    assert write_solutions(8, path, cluster=client, resume=True).complete
    assert path.read_bytes() == whole.read_bytes()


def test_closed_early_nothing_is_left_behind(client, wait_for):
    with batches(12, cluster=client) as found:
        first = next(found)
    assert len(first)
    wait_for(lambda: not any(client.processing().values()))


@pytest.mark.parametrize("backend", ["core", "python-constraint"])
def test_a_time_limit(client, backend, wait_for):
    """What there is by then is the beginning of the list, where that has an order."""
    n = 17 if backend == "core" else 14
    with batches(n, cluster=client, backend=backend, time_limit=1) as found:
        rows = [row for batch in found for row in rows_of(batch)]
    assert str(found.status) == "timeout"
    assert len(rows) == len(set(rows)) == found.found
    assert not any(map(attacks, rows[:1000]))
    if backend == "core" and rows:
        with batches(n, limit=len(rows)) as here:
            assert [row for batch in here for row in rows_of(batch)] == rows
    wait_for(lambda: not any(client.processing().values()))


def test_what_progress_tells(client):
    told = []
    with batches(11, cluster=client, progress=told.append) as found:
        assert sum(map(len, found)) == Q[11]
    shares = [progress.share for progress in told]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1.000001 for share in shares)


def test_a_lost_cluster_leaves_a_file_that_can_be_gone_on_with(tmp_path, client):
    """The cluster is lost when some solutions are there."""
    path = tmp_path / "q.lines"
    other = distributed.Client(client.scheduler.address, set_as_default=False)

    def lose(progress):
        if progress.found:
            other.close()

    with pytest.raises(ClusterError, match=r"was lost: .* holds \d+ solutions; go on with it") as lost:
        write_solutions(16, path, cluster=other, progress=lose)
    assert lost.value.partial.status == "interrupted"
    written = lost.value.partial.count
    assert path.read_bytes().count(b"\n") == written > 0
    told = write_solutions(16, path, resume=True, limit=written + 1000)
    assert told.count == written + 1000


def test_an_address_where_nobody_answers_costs_no_list(tmp_path, monkeypatch):
    monkeypatch.setattr("nqueens_cp.cluster.connecting.CONNECT_SECONDS", 0.3)
    path = tmp_path / "q.lines"
    write_solutions(8, path, limit=5)
    before = path.read_bytes()
    with pytest.raises(ClusterError, match="no scheduler answers"):
        write_solutions(8, path, cluster="tcp://127.0.0.1:1", overwrite=True)
    assert path.read_bytes() == before
    with pytest.raises(ClusterError, match="no scheduler answers"):
        write_solutions(8, tmp_path / "new.lines", cluster="tcp://127.0.0.1:1")
    assert not (tmp_path / "new.lines").exists()


def test_workers_are_for_this_machine(client):
    with pytest.raises(InvalidValue, match="the cluster has its own workers"):
        batches(6, cluster=client, workers=2)


# Boxes.


def inside(box, values):
    return all(low <= value <= high for value, (low, high) in zip(values, box, strict=False))


def test_items_are_what_comes_after():
    """Of random problems and solutions: each tuple of the product that is greater is in one item, in the order of the items."""
    chance = random.Random(4)
    for _ in range(12):
        model = Model("any")
        for i in range(chance.randint(1, 3)):
            model.int_var(f"x{i}", domain=chance.sample(range(-9, 90), chance.choice([1, 2, 5, 80 if i == 0 else 3])))
        problem = model.snapshot()
        everything = list(itertools.product(*(variable.domain for variable in problem.variables)))
        last = chance.choice(everything)
        for items, expected in (
            (first_items(problem, None, 100), everything),
            (first_items(problem, last, 100), [values for values in everything if values > last]),
            (rest_of(problem, (), last), [values for values in everything if values > last]),
        ):
            found = [
                [values for values in everything if inside(box, values) and (after is None or values > after)]
                for box, after in items
            ]
            assert list(itertools.chain(*found)) == expected


def test_the_search_space_is_split_into_many_boxes():
    assert 300 <= len(first_items(queens(20).snapshot(), None, 300)) <= 400
    assert refined(queens(2).snapshot(), ((0, 0), (1, 1))) == [((0, 0), (1, 1))]
