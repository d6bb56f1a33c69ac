"""Batches of puzzles on a cluster: the same lines as from this machine."""

from __future__ import annotations

import io
import itertools
import json
import random

import pytest

from nqueens_cp import ClusterError
from nqueens_cp.control import Control
from nqueens_cp.puzzles.batch import Wanted, answers

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")


def boards(number):
    """Lines of JSON: boards of 5 rows with regions at random, a line that is none, an empty one."""
    chance = random.Random(6)
    lines = []
    for i in range(number):
        cells = [k for k in range(5) for _ in range(5)]
        chance.shuffle(cells)
        lines.append(json.dumps({"id": i, "regions": [cells[start : start + 5] for start in range(0, 25, 5)]}))
    lines[3:3] = ["no board", ""]
    return ("\n".join(lines) + "\n").encode()


def solutions(regions):
    """All solutions of a board, by trying every permutation."""
    return [
        placed
        for placed in itertools.permutations(range(5))
        if len({regions[row][column] for row, column in enumerate(placed)}) == 5
        and all(abs(a - b) > 1 for a, b in itertools.pairwise(placed))
    ]


@pytest.mark.parametrize("wanted", [Wanted("boards"), Wanted("boards", counted=True, graded=True)])
def test_the_same_lines(client, wanted):
    given = boards(150)
    there = [*answers(io.BytesIO(given), wanted, 1, Control(), client)]
    here = [*answers(io.BytesIO(given), wanted, 1, Control())]
    assert b"".join(piece.text for piece in there) == b"".join(piece.text for piece in here)
    assert sum((piece.statuses for piece in there), here[0].statuses - here[0].statuses).total() == 151


def test_counts_by_brute_force(client):
    given = boards(30)
    records = [
        json.loads(line)
        for piece in answers(io.BytesIO(given), Wanted("boards", counted=True), 1, Control(), client)
        for line in piece.text.splitlines()
    ]
    assert sum("error" in record for record in records) == 1
    asked = {board["id"]: board["regions"] for board in map(json.loads, given.split(b"\n")[5:-1])}
    found = {record["id"]: record["count"] for record in records if "count" in record}
    assert asked.keys() <= found.keys()
    assert {i: len(solutions(regions)) for i, regions in asked.items()} == {i: found[i] for i in asked}


def test_tasks_that_have_no_time(client, monkeypatch):
    """Each comes back after one line, and the rest is sent again."""
    monkeypatch.setattr("nqueens_cp.cluster.puzzles.TASK_SECONDS", 0.0)
    given = boards(40)
    numbers = [
        json.loads(line)["line"]
        for piece in answers(io.BytesIO(given), Wanted("boards"), 1, Control(), client)
        for line in piece.text.splitlines()
    ]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 41


def test_a_lost_cluster(client):
    other = distributed.Client(client.scheduler.address, set_as_default=False)
    found = answers(io.BytesIO(boards(3000)), Wanted("boards"), 1, Control(), other)
    assert next(found).text
    other.close()
    with pytest.raises(ClusterError, match="was lost"):
        list(found)
