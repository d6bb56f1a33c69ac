"""Batches of puzzles on a cluster: lines of JSON, answered in the order in which they come."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from time import perf_counter
from typing import Any

from nqueens_cp.cluster.connecting import open_cluster
from nqueens_cp.cluster.sharing import MOST_BYTES, TASK_SECONDS, Reply, Sharing
from nqueens_cp.cluster.worker import control_of_a_task
from nqueens_cp.control import Control
from nqueens_cp.puzzles.batch import Line, Piece, Wanted, answered, joined

MOST_LINES = 512
"""Of a task; so that a slow reader or writer has something soon."""


def answers_from_cluster(numbered: Iterator[Line], wanted: Wanted, cluster: Any, control: Control) -> Generator[Piece]:
    """Yield the answers to numbered lines, in their order."""
    with open_cluster(cluster, control) as client:
        yield from _Puzzles(client, control, wanted).results(numbered)


class _Puzzles(Sharing[Line]):
    most_items = MOST_LINES

    def __init__(self, client: Any, control: Control, wanted: Wanted) -> None:
        super().__init__(client, control, "puzzles")
        self._wanted = wanted

    def call(self, items: list[Line]) -> tuple[Any, ...]:
        return answer_lines, self._wanted, items

    def named(self, item: Line) -> str:
        return f"{self._wanted.source}, line {item[0]},"


def answer_lines(wanted: Wanted, lines: list[Line]) -> Reply:
    """Return the answers to some lines, as many of the first ones as a task has time for; called on a worker."""
    begun, size, pieces, between = perf_counter(), 0, [], control_of_a_task()
    for line in lines:
        between.poll()
        piece = answered([line], wanted, control_of_a_task)
        pieces.append(piece)
        size += len(piece.text)
        if perf_counter() - begun > TASK_SECONDS or size > MOST_BYTES:
            break
    done = len(pieces)
    return Reply([joined(pieces)], done, perf_counter() - begun, lines[done:], size)
