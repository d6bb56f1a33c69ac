"""Lists on a cluster: boxes of the search space, whose solutions come back in batches, in the order of one machine.

A box fixes the first variables to values; the last of them may have a range of values. Its item is the box and a solution in
it after which is begun, if any. Where the backend's order is lexicographic, a task that has found enough ends there, and what
follows is an item again.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from time import monotonic, perf_counter, sleep
from typing import Any
from uuid import uuid4

import numpy as np

from nqueens_cp.backends import get_backend
from nqueens_cp.background import despite_interrupts
from nqueens_cp.choosing import Choice
from nqueens_cp.cluster.connecting import open_cluster, packed
from nqueens_cp.cluster.sharing import MOST_BYTES, POLL_SECONDS, TASK_SECONDS, Reply, Sharing
from nqueens_cp.cluster.worker import control_of_a_task, kept
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.listing.batches import Array, arrays
from nqueens_cp.model import Problem

BOXES_OF_A_THREAD = 32
"""The search space is split into so many boxes at least, where the domains allow it; those that take long are split again."""
MOST_RANGES = 64
"""The values of a variable are split into at most so many ranges."""
FIRST_SECONDS, PATIENCE = 0.2, 0.25
"""At the beginning tasks are short, so that something comes soon; later they take this part of the time since."""
BEFORE_THE_END = 0.9
"""Where the order is not fixed, tasks hand over what they have after this part of the time that is left."""

Range = tuple[int, int]
"""The least and the greatest value."""
Box = tuple[Range, ...]
"""Ranges of the first variables; all but the last hold one value."""
Item = tuple[Box, tuple[int, ...] | None]


class ListOnCluster(Iterator[Array]):
    """Batches of the solutions, or of those after a given one, found on a cluster. It holds the cluster until it is closed."""

    def __init__(
        self, problem: Problem, backend: str, after: tuple[int, ...] | None, cluster: Any, control: Control
    ) -> None:
        self._opened = ExitStack()
        client = self._opened.enter_context(open_cluster(cluster, control))
        try:
            sharing = _Listing(client, control, problem, backend)
            control.share = lambda: sharing.share
            items = first_items(problem, after, BOXES_OF_A_THREAD * sharing.threads())
            self._found = sharing.results(items, len(items))
        except BaseException:
            self.close()
            raise
        self._control, self._cut = control, False

    def __next__(self) -> Array:
        for batch in self._found:
            if batch is not None:
                return batch  # type: ignore[no-any-return]
            self._cut = True
        while self._cut:  # some boxes were cut off a little before the time is over
            self._control.poll()
            sleep(POLL_SECONDS)
        raise StopIteration

    def close(self) -> None:
        """Have the workers stop, and close what was opened."""
        found = getattr(self, "_found", None)
        if found is not None:
            despite_interrupts(found.close)
        despite_interrupts(self._opened.close)


class _Listing(Sharing[Item]):
    def __init__(self, client: Any, control: Control, problem: Problem, backend: str) -> None:
        super().__init__(client, control, f"list-{problem.name}")
        self.ordered = get_backend(backend).capabilities.lexicographic
        self._packed, self._key = packed(problem), uuid4().hex
        self._backend, self._control = backend, control
        self._begun = monotonic()

    def call(self, items: list[Item]) -> tuple[Any, ...]:
        left = self._control.remaining()
        seconds = None if left is None else BEFORE_THE_END * left
        if self.ordered:
            patience = min(TASK_SECONDS, max(FIRST_SECONDS, PATIENCE * (monotonic() - self._begun)))
            seconds = patience if left is None else min(patience, left / 2)
        return list_boxes, self._packed, self._key, self._backend, items, seconds, MOST_BYTES

    def named(self, item: Item) -> str:
        return f"the box {item[0]}"


def first_items(problem: Problem, after: tuple[int, ...] | None, at_least: int) -> list[Item]:
    """Return all of a problem's solutions as items, or those that are greater than `after`; so many if the domains allow it."""
    boxes: list[Box] = [()]
    while 0 < len(boxes) < at_least:
        number = -(-at_least // len(boxes))
        finer = [part for box in boxes for part in refined(problem, box, number)]
        if finer == boxes:
            break
        boxes = finer
    if after is None:
        return [(box, None) for box in boxes]
    items: list[Item] = []
    for box in boxes:
        lows, highs = zip(*box, strict=True) if box else ((), ())
        begun = after[: len(box)]
        if lows > begun:
            items.append((box, None))
        elif highs >= begun:
            items += rest_of(problem, box, after)
    return items


def refined(problem: Problem, box: Box, most: int = MOST_RANGES) -> list[Box]:
    """Return the parts of a box, in order: one for each value of the first variable that is not fixed, or at most so many."""
    place = len(box) - 1 if box and box[-1][0] < box[-1][1] else len(box)
    if place == len(problem.variables):
        return [box]
    values = [value for value in problem.variables[place].domain if place == len(box) or _holds(box[place], value)]
    number = min(len(values), most, MOST_RANGES)
    edges = [len(values) * i // number for i in range(number + 1)] if number else []
    return [(*box[:place], (values[first], values[end - 1])) for first, end in pairwise(edges)]


def _holds(values: Range, value: int) -> bool:
    return values[0] <= value <= values[1]


def rest_of(problem: Problem, box: Box, last: tuple[int, ...]) -> list[Item]:
    """Return items for what comes after a solution in a box: what begins like it, and the rest of the box in parts."""
    parts = refined(problem, box)
    if parts == [box]:
        return []
    place = len(parts[0]) - 1
    return [
        (part, last if _holds(part[place], last[place]) else None) for part in parts if part[place][1] >= last[place]
    ]


def _problems(problem: Problem, box: Box, after: tuple[int, ...] | None) -> Iterator[Problem]:
    """Yield problems whose solutions, one after the other, are those of an item."""
    from nqueens_cp.listing.order import problems_after

    limits = [
        limit
        for variable, (low, high) in zip(problem.variables, box, strict=False)
        for limit in ([variable == low] if low == high else [variable >= low, variable <= high])
    ]
    if after is None:
        yield problem.with_constraints(*limits)
        return
    for length, part in problems_after(problem, after):
        if length >= len(box) or (length == len(box) - 1 and box[-1][1] > after[length]):
            yield part.with_constraints(*limits)


def list_boxes(
    pickled: bytes, key: str, backend: str, items: list[Item], seconds: float | None, most_bytes: int
) -> Reply:
    """Return the solutions of items, in batches; called on a worker.

    A search that is in order ends after so many seconds or bytes, if it has found something by then; one that is not hands over
    what it has found by then, and None to say that the rest of the box was cut off, or has the box split if there are too
    many bytes.
    """
    problem: Problem = kept(key, lambda: pickle.loads(pickled))
    solver = get_backend(backend)
    task = _Task(solver.capabilities.lexicographic, seconds, most_bytes)
    for place, (box, after) in enumerate(items):
        if place and task.is_over:
            return task.reply(place, items[place:])
        batches: list[Array] = []
        rest: list[Item] | None = None
        try:
            for part in _problems(problem, box, after):
                for batch in arrays(Choice(solver, solver.translate(part, task.control)), part, task.control):
                    batches.append(batch)
                    task.size += batch.nbytes
                    if task.ordered and task.is_over:
                        rest = rest_of(problem, box, tuple(batch[-1].tolist()))
                        break
                    if not task.ordered and sum(held.nbytes for held in batches) > most_bytes:
                        batches, rest = [], [(part, None) for part in refined(problem, box)]
                        break
                if rest is not None:
                    break
        except TimeLimitReached:
            task.found += [*batches, None]
            return task.reply(place, items[place + 1 :])
        if batches:
            task.found.append(np.concatenate(batches))
        if rest is not None:
            return task.reply(place, [*rest, *items[place + 1 :]])
    return task.reply(len(items), [])


class _Task:
    """What a task has found, and when it is over."""

    def __init__(self, ordered: bool, seconds: float | None, most_bytes: int) -> None:
        self.ordered = ordered
        self.found: list[Any] = []
        self.size = 0
        self.control = control_of_a_task(None if ordered else seconds)
        self._begun, self._seconds, self._most_bytes = perf_counter(), seconds, most_bytes

    @property
    def is_over(self) -> bool:
        took = perf_counter() - self._begun
        return self.size >= self._most_bytes or (self._seconds is not None and took >= self._seconds)

    def reply(self, done: int, rest: list[Item]) -> Reply:
        return Reply(self.found, done, perf_counter() - self._begun, rest, self.size)
