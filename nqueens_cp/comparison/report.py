"""Tables and records of comparisons and backends."""

from __future__ import annotations

import io
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from nqueens_cp.backends import backend_names, formulation_names, get_backend, textbook_names
from nqueens_cp.comparison.markup import range_text, seconds_text
from nqueens_cp.comparison.records import COUNTED, Comparison, Row, flat, solver_seconds
from nqueens_cp.comparison.saved import as_record
from nqueens_cp.errors import BackendUnavailable, InvalidValue
from nqueens_cp.files import write_whole
from nqueens_cp.tables import add_row, make_table, plain_text, printable

VERDICTS = {True: "agree", False: "DISAGREE", None: "nothing to compare: fewer than two backends completed"}
TIMES = {
    "import": "import_seconds",
    "build": "build_seconds",
    "first": "first_seconds",
    "task": "solve_seconds",
}
TINY = 1e-9  # seconds; no clock measures less
SUFFIXES = (".json", ".csv", ".md", ".html")


def table_text(comparison: Comparison, *, detailed: bool = False) -> str:
    """Return the verdict and, below it, the table: medians, and the range of repeated measurements."""
    cases = comparison.cases()
    title = f"model {comparison.rows[0].model if len(cases) == 1 and comparison.rows else comparison.model}"
    heads, rows = table_of(comparison, detailed=detailed)
    table = make_table(title, heads, numbers=heads[heads.index("status") + 1 :])
    last = None
    for row, cells in zip(comparison.rows, rows, strict=True):
        if last not in (None, row.model):
            table.add_section()
        last = row.model
        add_row(table, cells)
    return "\n\n".join([verdict_text(comparison), plain_text(table, *reasons_of(comparison))])


def verdict_text(comparison: Comparison) -> str:
    """Return whether they agree and, if not, the first difference or why none is shown."""
    lines = [VERDICTS[comparison.agree]]
    if comparison.difference is not None:
        lines.append(str(comparison.difference))
    elif comparison.agree is False and "remark" in comparison.setting:
        lines.append(str(comparison.setting["remark"]))
    return "\n".join(map(printable, lines))


def reasons_of(comparison: Comparison) -> list[str]:
    """Return why rows are without a full answer, each reason once, with the models where there are several."""
    on: dict[tuple[str, str], list[str]] = {}
    for row in comparison.rows:
        if row.reason:
            on.setdefault((row.backend, row.reason), []).append(row.model)
    several = len(comparison.cases()) > 1
    reasons = []
    for (backend, reason), models in on.items():
        where = f" ({', '.join(models)})" if several else ""
        reasons.append(printable(f"{backend}{where}: {reason}"))
    return reasons


def live_table(rows: list[Row]) -> Any:
    """Return a narrow table of rows as they come, for a terminal."""
    heads = ["model", "backend", "status", "solutions", "task", "MiB"]
    table = make_table(None, heads, numbers=heads[3:])
    for row in rows:
        cells = (row.model, row.backend, row.status, _solutions(row), _seconds(row.solve_seconds), _mib(row))
        add_row(table, cells)
    return table


def table_of(comparison: Comparison, *, detailed: bool = False) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the cells of the table; columns that would be empty are left out."""
    repeated = any(len(row.measurements) > 1 for row in comparison.rows)
    columns: dict[str, list[str]] = {}
    if len(comparison.cases()) > 1:
        columns["model"] = [row.model for row in comparison.rows]
    columns["backend"] = [row.backend for row in comparison.rows]
    columns["status"] = [row.status for row in comparison.rows]
    columns["solutions"] = [_solutions(row) for row in comparison.rows]
    columns["objective"] = ["-" if row.objective is None else str(row.objective) for row in comparison.rows]
    for head, name in TIMES.items():
        columns[head] = [_seconds(row.figure(name)) for row in comparison.rows]
    columns["task, range"] = [_range(row) if repeated else "-" for row in comparison.rows]
    if detailed:
        columns["processor"] = [_seconds(row.figure("cpu_seconds")) for row in comparison.rows]
        columns["solver's own"] = [_seconds(solver_seconds(row)) for row in comparison.rows]
    columns["MiB"] = [_mib(row) for row in comparison.rows]
    for figure in COUNTED if detailed else COUNTED[:2]:
        columns[figure] = [str(row.statistics.get(figure, "-")) for row in comparison.rows]
    always = ("model", "backend", "status", "solutions", "import", "build", "task")
    kept = {head: cells for head, cells in columns.items() if head in always or any(cell != "-" for cell in cells)}
    return list(kept), [list(cells) for cells in zip(*kept.values(), strict=True)]


def _solutions(row: Row) -> str:
    if row.solutions is None or row.status in ("failed", "wrong"):
        return "-"
    return f"{'' if row.is_complete else 'at least '}{row.solutions}"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else seconds_text(seconds)


def _mib(row: Row) -> str:
    peak = row.figure("peak_mib")
    return "-" if peak is None else f"{peak:.0f}"


def _range(row: Row) -> str:
    spread = row.spreads.get("solve_seconds")
    return "-" if spread is None else range_text(spread, seconds_text) or "-"


def markdown_text(comparison: Comparison) -> str:
    """Return the verdict, a comparison as a Markdown table, and how it was made."""
    heads, rows = table_of(comparison, detailed=True)
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
    versions = dict.fromkeys(f"{row.backend} {row.version}" for row in comparison.rows if row.version)
    verdict, *boards = verdict_text(comparison).split("\n")
    parts = [f"{verdict}."]
    if boards:
        parts.append("\n".join(["```text", *boards, "```"]))
    parts.append("\n".join("| " + " | ".join(map(_markdown, line)) + " |" for line in lines))
    parts += ["\n".join(f"- {_markdown(reason)}" for reason in reasons_of(comparison)), _markdown(made)]
    parts.append(_markdown(", ".join(versions)))
    return "\n\n".join(filter(None, parts)) + "\n"


def _markdown(text: str) -> str:
    """Return a text so that Markdown shows it as it is."""
    return re.sub(r"([\\|<>`*_\[\]])", r"\\\1", printable(text))


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
    write_whole(path, kinds[path.suffix.lower()](comparison))


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
        if old is None or not row.is_complete or _answer(row) != _answer(old):
            continue
        new_times, old_times = row.spreads["solve_seconds"], old.spreads["solve_seconds"]
        least, most = new_times.least / max(old_times.most, TINY), new_times.most / max(old_times.least, TINY)
        ratio = new_times.median / max(old_times.median, TINY)
        related.append(Ratio(row.model, row.backend, new_times.median, old_times.median, ratio, least, most))
    return related


def _answer(row: Row) -> tuple[object, ...]:
    return row.solutions, row.objective, row.digest, row.status


def against_text(now: Comparison, before: Comparison) -> str:
    """Return how the times of one comparison relate to those of an earlier one: medians, and the range of the ratio."""
    related = ratios(now, before)
    table = make_table(
        "now against before",
        ["model", "backend", "task", "before", "ratio", "range"],
        numbers=["task", "before", "ratio"],
    )
    for one in related:
        spread = "-" if one.least == one.most else f"{one.least:.2f} to {one.most:.2f}"
        add_row(
            table,
            (one.model, one.backend, _seconds(one.seconds), _seconds(one.before), f"{one.ratio:.2f}", spread),
        )
    left = len(now.rows) - len(related)
    remarks = [f"{left} of {len(now.rows)} rows have no counterpart with the same full answer"] if left else []
    remarks += [
        f"the {what.replace('_', ' ')} was another then: {_said(before.setting.get(what))}"
        for what in ("machine", "time_limit", "memory_limit", "pinned")
        if now.setting.get(what) != before.setting.get(what)
    ]
    versions = {row.backend: row.version for row in before.rows if row.version}
    remarks += [
        f"{name} was another version then: {versions[name]}"
        for name, version in {row.backend: row.version for row in now.rows if row.version}.items()
        if versions.get(name, version) != version
    ]
    return plain_text(table, *map(printable, remarks))


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
    table = make_table(None, ["backend", "version", "capabilities"])
    for record in records:
        able = [word.replace("_", " ") for word, can in (record["capabilities"] or {}).items() if can]
        words = ", ".join(["solve", "count", "list", *able]) if record["available"] else "not available"
        if record["only_when_named"]:
            words = "for comparison; used only where it is named"
            if record["name"] in textbook_names():
                words = f"the classic board, {words}"
        add_row(table, (record["name"], record["version"] or "-", words))
    return plain_text(
        table, *(f"{record['name']} is not available: {record['reason']}" for record in records if record["reason"])
    )
