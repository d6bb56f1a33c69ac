"""Tables as plain text, and as what rich shows on a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from nqueens_cp.relations import shorten

WIDEST_CELL = 60  # characters


def make_table(title: str | None, heads: list[str], numbers: list[str] | None = None) -> Any:
    """Return a table of rich without rows; the columns under the heads in `numbers` are of numbers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=None if title is None else Text(printable(title)), box=box.SIMPLE, title_justify="left")
    for head in heads:
        table.add_column(head, justify="right" if numbers and head in numbers else "left", no_wrap=head == "backend")
    return table


def add_row(table: Any, cells: Iterable[str]) -> None:
    """Add cells as they are: without markup, control characters shown, and not too long."""
    from rich.text import Text

    table.add_row(*(Text(shorten(printable(cell), WIDEST_CELL)) for cell in cells))


def printable(text: str) -> str:
    """Return a text with whatever a terminal could take for a command shown by its escape; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def plain_text(table: Any, *lines: str) -> str:
    """Return a table and lines below it as plain text, as wide as it needs to be."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=200, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(table)
    shown = "\n".join(line.rstrip() for line in captured.get().split("\n")).strip("\n")
    return "\n".join([shown, *(["", *lines] if lines else [])])
