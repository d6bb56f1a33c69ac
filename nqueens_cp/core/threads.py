"""Counting with several threads: the kernel releases the GIL, so they run side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nqueens_cp.background import Background, Flag, despite_interrupts
from nqueens_cp.control import Cancelled, Control
from nqueens_cp.core import kernel

POLL_SECONDS = 0.01

Part = tuple[Callable[[], Any], int]
"""What makes the search of an independent part, and how often the part's solutions count."""


def count(parts: Sequence[Part], control: Control) -> int:
    """Return the number of solutions of all parts; ``control.workers`` threads each take the next part until none is left."""
    waiting = list(reversed(parts))
    total = len(waiting)
    cancelled = Flag()
    controls = [Control(cancelled=cancelled) for _ in range(min(control.workers, total))]

    def work(own: Control) -> None:
        while True:
            try:
                search_of, weight = waiting.pop()
            except IndexError:
                return
            kernel.count(search_of(), own, weight)

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
                control.poll()
    finally:
        despite_interrupts(end_threads)
        control.found = sum(own.found for own in controls)
        control.statistics["nodes"] = sum(own.statistics.get("nodes", 0) for own in controls)
    for thread in threads:
        if thread.error is not None and not isinstance(thread.error, Cancelled):
            raise thread.error
    return control.found
