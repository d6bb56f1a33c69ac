"""Counting a diagonal form with several threads: the kernel releases the GIL, so they run side by side.

A job is a column of the first row together with one of the second; each thread takes the next job until there is none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nqueens_cp.background import Background, Flag, despite_interrupts
from nqueens_cp.control import Cancelled, Control
from nqueens_cp.core import kernel
from nqueens_cp.core.compile import DiagonalForm, columns_of

POLL_SECONDS = 0.01


def jobs(form: DiagonalForm) -> list[tuple[DiagonalForm, int]]:
    """Return independent parts of a form with at least two rows, and how often the solutions of each count."""
    return [
        (replace(form, allowed=(1 << first, 1 << second, *form.allowed[2:])), weight)
        for mask, weight in form.weighted_first_rows()
        for first in columns_of(mask)
        for second in columns_of(form.allowed[1])
    ]


def count(form: DiagonalForm, control: Control) -> int:
    """Return the number of solutions, counted by ``control.workers`` threads of the kernel."""
    waiting: list[tuple[DiagonalForm, int]] = jobs(form)[::-1]
    total = len(waiting)
    cancelled = Flag()
    controls = [Control(cancelled=cancelled) for _ in range(min(control.workers, total))]

    def work(own: Control) -> None:
        while True:
            try:
                part, weight = waiting.pop()
            except IndexError:
                return
            search: Any = kernel.for_rows(part)
            kernel.count(search, own, weight)

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
