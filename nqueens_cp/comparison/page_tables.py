"""The tables of the HTML page: who wins, and all figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from nqueens_cp.comparison.markup import (
    NOTHING,
    answer_of,
    count_text,
    mib_text,
    seconds_text,
    short_text,
    spread_cell,
    three_digits,
)
from nqueens_cp.comparison.measure import SOLVING
from nqueens_cp.comparison.page_charts import rate_of
from nqueens_cp.comparison.records import COUNTED, Comparison, Row, solver_seconds
from nqueens_cp.webpage import cell, number_cell, table_of, text_of


def winners_table(comparison: Comparison, task: str) -> str:
    """Return the table of the fastest backend on each model, and by how much."""
    wins: Counter[str] = Counter()
    dashes = [number_cell(NOTHING), cell(NOTHING), number_cell(NOTHING)]
    lines = []
    for label, rows in comparison.cases().items():
        timed = [(row.solve_seconds, row) for row in rows if row.is_complete and row.solve_seconds is not None]
        timed.sort(key=lambda pair: pair[0] or 0.0)
        if comparison.verdict_on(label) is False:
            wrong = any(row.status == "wrong" for row in rows)
            cells = [
                cell(f"none: {'an answer is wrong' if wrong else 'the answers disagree'}"),
                cell(NOTHING),
                *dashes,
            ]
        elif not timed:
            cells = [cell("none answered in full"), cell(NOTHING), *dashes]
        else:
            first = timed[0][1]
            wins[first.backend] += 1
            cells = [cell(first.backend, strong=True), cell(answer_of(first, task))]
            cells.append(cell(seconds_text(first.solve_seconds), number=True))
            cells += _runner_up(first, [row for _, row in timed[1:]])
        lines.append([cell(label, head=True), *cells])
    heads = ["model", "fastest", "answer", "#time", "the next", "#times as long"]
    said = [f"{name} ({number})" for name, number in wins.most_common()]
    total = len(comparison.cases())
    lead = f"Fastest how often, of {total}: {', '.join(said)}." if said and total > 1 else ""
    note = "By the median time for the task, among those that answered in full. ≈ means that the ranges of the two overlap."
    table = table_of("", heads, [(None, lines)], label="Who wins", pinned=True)
    return (f"<p>{text_of(lead)}</p>" if lead else "") + table + f"<p class='soft'>{text_of(note)}</p>"


def _runner_up(first: Row, others: list[Row]) -> list[str]:
    if not others:
        return [cell("no other answered"), cell(NOTHING, number=True)]
    second = others[0]
    ours, theirs = first.spreads["solve_seconds"], second.spreads["solve_seconds"]
    near = "≈ " if theirs.least <= ours.most else ""
    factor = f"{near}{three_digits(theirs.median / ours.median)}" if ours.median > 0 else NOTHING
    return [cell(second.backend), cell(factor, number=True)]


def full_table(comparison: Comparison, task: str) -> str:
    """Return the table of all rows, and the reasons of those without a full answer."""
    repeats = max(len(row.measurements) for row in comparison.rows)
    times = {
        "import": "import_seconds",
        "build": "build_seconds",
        "first solution": "first_seconds",
        "task": "solve_seconds",
        "processor": "cpu_seconds",
    }
    columns: dict[str, Callable[[Row], str]] = {
        "status": _status,
        "#answer": lambda row: number_cell(answer_of(row, task)),
    }
    for head, name in times.items():
        columns[f"#{head}"] = lambda row, name=name: spread_cell(row.spreads.get(name), seconds_text)  # type: ignore[misc]
    if task not in SOLVING:
        columns["#solutions / s"] = lambda row: spread_cell(rate_of(row), short_text)
    columns["#peak memory"] = lambda row: spread_cell(row.spreads.get("peak_mib"), mib_text)
    columns["#solver's own time"] = lambda row: number_cell(seconds_text(solver_seconds(row)))
    for name in COUNTED:
        columns[f"#{name}"] = lambda row, name=name: number_cell(count_text(row.statistics.get(name)))  # type: ignore[misc]
    if repeats > 1:
        columns["#runs"] = lambda row: number_cell("0" if row.status == "skipped" else str(len(row.measurements)))
    made = {head: [cell_of(row) for row in comparison.rows] for head, cell_of in columns.items()}
    empty = number_cell(NOTHING)
    kept = {head: cells for head, cells in made.items() if any(cell != empty for cell in cells)}
    lines: dict[str, list[list[str]]] = {}
    for i, row in enumerate(comparison.rows):
        lines.setdefault(row.model, []).append([cell(row.backend, head=True), *(cells[i] for cells in kept.values())])
    table = table_of("", ["backend", *kept], list(lines.items()), label="All figures", pinned=True)
    reasons = dict.fromkeys(f"{row.backend} on {row.model}: {row.reason}" for row in comparison.rows if row.reason)
    listed = "".join(f"<li>{text_of(reason)}</li>" for reason in reasons)
    return table + (f"<h3>Why some have no full answer</h3><ul>{listed}</ul>" if listed else "")


def _status(row: Row) -> str:
    kind = "" if row.is_complete else " class='fault'" if row.status in ("failed", "wrong") else " class='stopped'"
    return f"<td{kind}>{text_of(row.status)}</td>"
