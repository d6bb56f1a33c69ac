"""Comparisons on a cluster: the same answers as on this machine."""

from __future__ import annotations

import pytest

from nqueens_cp import ClusterError, Model, compare, predicate

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")


def told(comparison):
    return [(row.model, row.backend, row.status, row.solutions, row.digest) for row in comparison.rows]


def test_rows_and_verdict(client):
    rows = []
    asked = {"backends": ["core", "flag-arrays"], "task": "enumerate"}
    there = compare([5, 6], cluster=client, on_row=rows.append, **asked)
    assert there.agree is True
    assert told(there) == told(compare([5, 6], **asked))
    assert [row.solutions for row in there.rows] == [10, 10, 4, 4]  # A000170
    assert sorted((row.model, row.backend) for row in rows) == sorted((row.model, row.backend) for row in there.rows)
    assert there.setting["cluster"]["workers"] == 2
    assert there.setting["machine"]["processors"] >= 1


def test_a_model_with_functions_of_this_process(client):
    model = Model("far")
    x = model.int_vars("x", 2, domain=range(5))
    model.add(predicate(lambda a, b: abs(a - b) > 2, x))
    compared = compare(model, cluster=client, backends=["core"])
    assert [row.solutions for row in compared.rows] == [sum(abs(a - b) > 2 for a in range(5) for b in range(5))]


def test_repeats(client):
    compared = compare([4, 5], cluster=client, backends=["core"], repeats=2)
    assert [len(row.measurements) for row in compared.rows] == [2, 2]


def test_larger_ones_are_not_tried(client):
    """Both sizes are begun at once; when the smaller one is stopped, it is as if the larger one had not been."""
    compared = compare([14, 15], cluster=client, backends=["flag-arrays"], time_limit=0.2)
    assert [row.status for row in compared.rows] == ["timeout", "skipped"]


def test_a_lost_cluster_leaves_what_was_measured(client):
    other = distributed.Client(client.scheduler.address, set_as_default=False)
    with pytest.raises(ClusterError, match=r"was lost.*: 1 of 2 were measured") as lost:
        compare([4, 12], cluster=other, backends=["flag-arrays"], on_row=lambda _: other.close())
    assert [row.solutions for row in lost.value.partial.rows] == [2]
    assert lost.value.partial.setting["interrupted"]
