"""Tables and records of comparisons and backends."""

from __future__ import annotations

import io
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from nqueens_cp.backends import backend_names, get_backend, textbook_names
from nqueens_cp.errors import BackendUnavailable, InvalidValue

if TYPE_CHECKING:
    from nqueens_cp.comparison import Comparison

VERDICTS = {True: "agree", False: "DISAGREE", None: "nothing to compare: fewer than two backends completed"}


def as_records(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as what JSON can hold."""
    rows = []
    for row in comparison.rows:
        record = asdict(row)
        del record["listed"]
        record["complete"] = row.is_complete  # otherwise "solutions" is a lower bound
        rows.append(record)
    difference = comparison.difference
    return {
        "model": comparison.model,
        "agree": comparison.agree,
        "rows": rows,
        "difference": None
        if difference is None
        else {
            "found_by": difference.found_by,
            "missed_by": difference.missed_by,
            "solution": difference.solution.as_dict(),
        },
    }


def table_text(comparison: Comparison) -> str:
    """Return a comparison as a table."""
    heads = ["backend", "status", "solutions", "import s", "build s", "solve s"]
    table = _table(f"model {comparison.model}", heads, numbers=heads[2:])
    for row in comparison.rows:
        found = "-" if row.solutions is None else f"{'' if row.is_complete else 'at least '}{row.solutions}"
        times = (row.import_seconds, row.build_seconds, row.solve_seconds)
        table.add_row(row.backend, row.status, found, *("-" if t is None else f"{t:.4f}" for t in times))
    reasons = (f"{row.backend}: {row.reason}" for row in comparison.rows if row.reason)
    return _text(table, VERDICTS[comparison.agree], *reasons)


def backend_records() -> list[dict[str, Any]]:
    """Return name, version, capabilities and, where one is not available, the reason, for every backend."""
    records = []
    for name in (*backend_names(), *textbook_names()):
        record: dict[str, Any] = {
            "name": name,
            "available": True,
            "version": None,
            "capabilities": None,
            "reason": None,
            "only_when_named": name in textbook_names(),
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
            words = "the classic board, for comparison; used only where it is named"
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
