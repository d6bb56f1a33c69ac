"""Tables and records of comparisons and backends."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from nqueens_cp.backends import backend_names, formulation_names, get_backend, textbook_names
from nqueens_cp.comparison.records import Comparison, Row, as_record, flat
from nqueens_cp.errors import BackendUnavailable, InvalidValue

VERDICTS = {True: "agree", False: "DISAGREE", None: "nothing to compare: fewer than two backends completed"}
SECONDS = {
    "import s": "import_seconds",
    "build s": "build_seconds",
    "first s": "first_seconds",
    "solve s": "solve_seconds",
}
TINY = 1e-9  # seconds; no clock measures less
SUFFIXES = (".json", ".csv", ".md", ".html")


def table_text(comparison: Comparison) -> str:
    """Return a comparison as a table: medians, and the range of repeated measurements."""
    reasons = dict.fromkeys(f"{row.backend}: {row.reason}" for row in comparison.rows if row.reason)
    return _text(rich_table(comparison), VERDICTS[comparison.agree], *reasons)


def rich_table(comparison: Comparison) -> Any:
    """Return the table for a terminal."""
    cases = comparison.cases()
    title = f"model {comparison.rows[0].model if len(cases) == 1 and comparison.rows else comparison.model}"
    heads, rows = table_of(comparison)
    table = _table(title, heads, numbers=heads[heads.index("status") + 1 :])
    last = None
    for row, cells in zip(comparison.rows, rows, strict=True):
        if last not in (None, row.model):
            table.add_section()
        last = row.model
        table.add_row(*cells)
    return table


def live_table(rows: list[Row]) -> Any:
    """Return a narrow table of rows as they come, for a terminal."""
    heads = ["model", "backend", "status", "solutions", "solve s", "MiB"]
    table = _table(None, heads, numbers=heads[3:])
    for row in rows:
        peak = row.figure("peak_mib")
        cells = (_solutions(row), _seconds(row.solve_seconds), "-" if peak is None else f"{peak:.0f}")
        table.add_row(row.model, row.backend, row.status, *cells)
    return table


def table_of(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the cells of the table; columns that would be empty are left out."""
    repeated = any(len(row.measurements) > 1 for row in comparison.rows)
    columns: dict[str, list[str]] = {}
    if len(comparison.cases()) > 1:
        columns["model"] = [row.model for row in comparison.rows]
    columns["backend"] = [row.backend for row in comparison.rows]
    columns["status"] = [row.status for row in comparison.rows]
    columns["solutions"] = [_solutions(row) for row in comparison.rows]
    columns["objective"] = ["-" if row.objective is None else str(row.objective) for row in comparison.rows]
    for head, name in SECONDS.items():
        columns[head] = [_seconds(row.figure(name)) for row in comparison.rows]
    columns["solve s, range"] = [_range(row) if repeated else "-" for row in comparison.rows]
    columns["MiB"] = ["-" if (peak := row.figure("peak_mib")) is None else f"{peak:.0f}" for row in comparison.rows]
    for figure in ("nodes", "conflicts"):
        columns[figure] = [str(row.statistics.get(figure, "-")) for row in comparison.rows]
    always = ("model", "backend", "status", "solutions", "import s", "build s", "solve s")
    kept = {head: cells for head, cells in columns.items() if head in always or any(cell != "-" for cell in cells)}
    return list(kept), [list(cells) for cells in zip(*kept.values(), strict=True)]


def _solutions(row: Row) -> str:
    if row.solutions is None:
        return "-"
    return f"{'' if row.is_complete else 'at least '}{row.solutions}"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.4f}"


def _range(row: Row) -> str:
    spread = row.spreads.get("solve_seconds")
    return "-" if spread is None else f"{spread.least:.4f} to {spread.most:.4f}"


def markdown_text(comparison: Comparison) -> str:
    """Return a comparison as a Markdown table, with the verdict and how it was made."""
    heads, rows = table_of(comparison)
    lines = [heads, ["---"] * len(heads), *rows]
    setting = comparison.setting
    machine = setting.get("machine", {})
    made = (
        f"Task: {setting.get('task')}. Medians of {setting.get('repeats')}, each in a fresh process"
        f"{', pinned to one processor' if setting.get('pinned') else ''}; {machine.get('processor')}, "
        f"{machine.get('python')}, {machine.get('system')}; "
        f"load {setting.get('load_before')} to {setting.get('load_after')}; {setting.get('made')}."
    )
    if setting.get("interrupted"):
        made = f"Interrupted: partial. {made}"
    versions = ", ".join(dict.fromkeys(f"{row.backend} {row.version}" for row in comparison.rows if row.version))
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return f"{table}\n\n{VERDICTS[comparison.agree]}. {made}\n\n{versions}\n"


def csv_text(comparison: Comparison) -> str:
    """Return a comparison as CSV, a line for each row."""
    import csv

    out = io.StringIO()
    records = [flat(row) for row in comparison.rows]
    writer = csv.DictWriter(out, list(records[0]) if records else ["model"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def save(comparison: Comparison, path: Path) -> None:
    """Write a comparison to a file: JSON, CSV, Markdown or HTML, as the file's name ends."""
    from nqueens_cp.comparison.page import html_text

    kinds = {
        ".json": lambda c: json.dumps(as_record(c), indent=2) + "\n",
        ".csv": csv_text,
        ".md": markdown_text,
        ".html": html_text,
    }
    path.write_text(kinds[path.suffix.lower()](comparison), encoding="utf-8")


def require_same_task(task: str, before: Comparison) -> None:
    """Refuse to relate times to those of another task."""
    earlier = before.setting.get("task")
    if task != earlier:
        raise InvalidValue(f"the saved comparison is of the task {earlier!r}; its times say nothing about {task!r}")


class Ratio(NamedTuple):
    """How the time of one row relates to that of an earlier comparison: the ratio of the medians, and its range."""

    model: str
    backend: str
    seconds: float
    before: float
    ratio: float
    least: float
    most: float


def ratios(now: Comparison, before: Comparison) -> list[Ratio]:
    """Return the ratios for all rows that answered in full in both comparisons.

    Raises
    ------
    InvalidValue
        The comparisons are of different tasks.
    """
    tasks = [comparison.setting.get("task") for comparison in (now, before)]
    if tasks[0] != tasks[1]:
        raise InvalidValue(
            f"the tasks {tasks[0]!r} and, before, {tasks[1]!r} are different, so their times say nothing"
        )
    earlier = {(row.model, row.backend): row for row in before.rows if row.is_complete}
    related = []
    for row in now.rows:
        old = earlier.get((row.model, row.backend))
        if old is None or not row.is_complete:
            continue
        new_times, old_times = row.spreads["solve_seconds"], old.spreads["solve_seconds"]
        least, most = new_times.least / max(old_times.most, TINY), new_times.most / max(old_times.least, TINY)
        ratio = new_times.median / max(old_times.median, TINY)
        related.append(Ratio(row.model, row.backend, new_times.median, old_times.median, ratio, least, most))
    return related


def against_text(now: Comparison, before: Comparison) -> str:
    """Return how the times of one comparison relate to those of an earlier one: medians, and the range of the ratio."""
    related = ratios(now, before)
    table = _table("now against before", ["model", "backend", "solve s", "before", "ratio", "range"], numbers=["ratio"])
    for one in related:
        spread = f"{one.least:.2f} to {one.most:.2f}"
        table.add_row(one.model, one.backend, _seconds(one.seconds), _seconds(one.before), f"{one.ratio:.2f}", spread)
    left = len(now.rows) - len(related)
    remarks = [f"{left} of {len(now.rows)} rows have no counterpart that answered in full"] if left else []
    remarks += [
        f"the {what.replace('_', ' ')} was another then: {_said(before.setting.get(what))}"
        for what in ("machine", "time_limit", "pinned")
        if now.setting.get(what) != before.setting.get(what)
    ]
    return _text(table, *remarks)


def _said(value: Any) -> str:
    return ", ".join(map(str, value.values())) if isinstance(value, dict) else str(value)


def backend_records() -> list[dict[str, Any]]:
    """Return name, version, capabilities and, where one is not available, the reason, for every backend."""
    records = []
    for name in (*backend_names(), *textbook_names(), *formulation_names()):
        record: dict[str, Any] = {
            "name": name,
            "available": True,
            "version": None,
            "capabilities": None,
            "reason": None,
            "only_when_named": name not in backend_names(),
        }
        try:
            backend = get_backend(name)
            record.update(version=backend.version(), capabilities=asdict(backend.capabilities))
        except (BackendUnavailable, InvalidValue) as error:  # not there, or its environment asks for what is not
            record.update(available=False, reason=str(error))
        records.append(record)
    return records


def backends_text(records: list[dict[str, Any]]) -> str:
    """Return the backends as a table."""
    table = _table(None, ["backend", "version", "capabilities"])
    for record in records:
        able = [word.replace("_", " ") for word, can in (record["capabilities"] or {}).items() if can]
        words = ", ".join(["solve", "count", "list", *able]) if record["available"] else "not available"
        if record["only_when_named"]:
            words = "for comparison; used only where it is named"
            if record["name"] in textbook_names():
                words = f"the classic board, {words}"
        table.add_row(record["name"], record["version"] or "-", words)
    return _text(
        table, *(f"{record['name']} is not available: {record['reason']}" for record in records if record["reason"])
    )


def _table(title: str | None, heads: list[str], numbers: list[str] | None = None) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=None if title is None else Text(title), box=box.SIMPLE, title_justify="left")
    for head in heads:
        table.add_column(head, justify="right" if numbers and head in numbers else "left", no_wrap=head == "backend")
    return table


def _text(table: Any, *lines: str) -> str:
    """Return a table and lines below it as plain text, as wide as it needs to be."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=200, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(table)
    shown = "\n".join(line.rstrip() for line in captured.get().splitlines()).strip("\n")
    return "\n".join([shown, *(["", *lines] if lines else [])])
