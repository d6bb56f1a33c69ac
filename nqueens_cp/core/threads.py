"""Counting with several threads: the kernel releases the GIL, so they run side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from nqueens_cp.background import Background, Flag, despite_interrupts
from nqueens_cp.control import Cancelled, Control
from nqueens_cp.core import kernel

POLL_SECONDS = 0.01

Part = tuple[Callable[[], Any], int]
"""What makes the search of an independent part, and how often the part's solutions count."""


def count(parts: Sequence[Part], control: Control) -> int:
    """Return the number of solutions of all parts; ``control.workers`` threads each take the next part until none is left."""
    for _ in numbers(parts, control):
        pass
    return control.found


def numbers(parts: Sequence[Part], control: Control) -> Generator[tuple[int, int]]:
    """Yield the place of each part among `parts` and its number of solutions, as they are found by the threads."""
    waiting = list(enumerate(parts))[::-1]
    total = len(waiting)
    counted: deque[tuple[int, int]] = deque()
    cancelled = Flag()
    controls = [Control(cancelled=cancelled) for _ in range(min(control.workers, total))]

    def work(own: Control) -> None:
        while True:
            try:
                place, (search_of, weight) = waiting.pop()
            except IndexError:
                return
            earlier = own.found
            kernel.count(search_of(), own, weight)
            counted.append((place, own.found - earlier))

    control.share = lambda: 1 - len(waiting) / total
    threads = [Background(lambda own=own: work(own)) for own in controls]  # type: ignore[misc]

    def end_threads() -> None:
        cancelled.raised = True
        for thread in threads:
            if thread.begun:
                thread.wait_for_end()

    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while not thread.wait(POLL_SECONDS):
                control.found = sum(own.found for own in controls)
                yield from _taken(counted)
                control.poll()
        yield from _taken(counted)
    finally:
        despite_interrupts(end_threads)
        control.found = sum(own.found for own in controls)
        control.statistics["nodes"] = sum(own.statistics.get("nodes", 0) for own in controls)
    for thread in threads:
        if thread.error is not None and not isinstance(thread.error, Cancelled):
            raise thread.error


def _taken(counted: deque[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    while counted:
        yield counted.popleft()
