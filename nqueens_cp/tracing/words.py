"""Traces in words: a sentence for each step, and a table of what the programs did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nqueens_cp.board import Square
from nqueens_cp.checks import counted
from nqueens_cp.tables import add_row, make_table
from nqueens_cp.tracing.record import Step, Trace

COUNTERS = {
    "nodes": (
        "Nodes",
        "partial placements that it looked at, the empty board included; forward checking does not count those that it gives "
        "up at once",
    ),
    "candidates": ("Squares", "squares that it considered for a queen"),
    "checks": ("Checks", "array elements, queens, masks or squares that it looked at to find out what is free"),
    "writes": ("Writes", "cells and variables that it wrote when it placed a queen"),
    "undone": ("Taken back", "queens that it took off the board again"),
}
"""The counters of a step: what each is called in headings, and what it counts."""
COMPARED = ("nodes", "checks", "writes", "undone")

EMPTY_BOARD = "(the empty board)"
"""What stands where the board of size 0 has no digits."""


def sentences(trace: Trace) -> Iterator[str]:
    """Yield a line for each step: ``row 2, column 3: attacked by the queen at (0, 1)``."""
    solutions = iter(trace.solutions)
    for step in trace.steps:
        if step.kind == "solution":
            yield f"solution: {digits(next(solutions)) or EMPTY_BOARD}"
        else:
            yield sentence(step) + (f": {_listed(step.removed)}" if step.removed else "")


def sentence(step: Step) -> str:
    """Say what a step did; of the squares that it struck out, only how many."""
    where = f"row {step.row}, column {step.column}"
    if step.kind == "reject":
        return f"{where}: attacked by the queen{'s' * (len(step.attackers) > 1)} at {_listed(step.attackers)}"
    if step.kind == "place":
        struck = f", {counted(len(step.removed), 'square')} struck out" if step.removed else ""
        return f"{where}: a queen is placed{struck}"
    if step.kind == "undo":
        return f"{where}: the queen is taken off"
    if step.kind == "wipeout":
        return f"row {step.row}: no square is left"
    return "every row has its queen: a solution"


def counts(step: Step) -> tuple[int, ...]:
    """Return the counters of a step, in the order of `COUNTERS`."""
    return tuple(getattr(step, name) for name in COUNTERS)


def digits(columns: Sequence[int]) -> str:
    """Return the columns of a solution as the tutorials write it, 1302; with blanks where some have two digits."""
    return ("" if len(columns) <= 10 else " ").join(map(str, columns))


def ending(trace: Trace) -> str:
    """Say how the trace ends: "complete", "stopped" at the number of solutions asked for, or "cut off" by that of steps."""
    return "cut off" if trace.is_cut_off else "complete" if trace.complete else "stopped"


def counters_table(traces: Iterable[Trace]) -> Any:
    """Return a table of rich: what each program had done at the end of its trace."""
    rows = list(traces)
    heads = ["program", "steps", *COMPARED, "solutions"]
    ends = [] if all(trace.complete for trace in rows) else ["end"]
    table = make_table(None, heads + ends, numbers=heads[1:])
    for trace in rows:
        figures = (len(trace.steps), *(getattr(trace.steps[-1], name) for name in COMPARED), len(trace.solutions))
        add_row(table, (trace.program, *map(str, figures), *([ending(trace)] if ends else [])))
    return table


def _listed(squares: Iterable[Square]) -> str:
    *before, last = [f"({row}, {column})" for row, column in squares]
    return f"{', '.join(before)} and {last}" if before else last
