"""Traces as one HTML page that plays them: the boards, the search trees and the counters of several programs at once.

The page fetches nothing. What it shows is made by the scripts in player/ from the packed traces; headings, the final
figures and the text of the programs are in it as they are, so that they can be read and printed without a script.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from math import factorial
from pathlib import Path
from string import Template
from typing import Any

from nqueens_cp.checks import items, shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.files import write_whole
from nqueens_cp.tracing.record import Trace
from nqueens_cp.tracing.source import source_of
from nqueens_cp.tracing.words import COUNTERS, counts, ending
from nqueens_cp.webpage import cell, document, number_cell, table_of, text_of

KINDS = ("reject", "place", "wipeout", "undo", "solution")
FIGURES = {**COUNTERS, "solutions": ("Solutions", "solutions that it found")}
SCRIPTS = ("trace.js", "board.js", "tree.js", "moments.js", "player.js")
LONG_NUMBER = 1_000_000_000_000


def write(traces: Iterable[Trace], path: str | Path) -> None:
    """Write the page to a file, whole or not at all; see `page`."""
    write_whole(path, page(traces))


def page(traces: Iterable[Trace]) -> str:
    """Return a self-contained HTML page that plays traces of one board, of different programs, side by side.

    Raises
    ------
    InvalidValue, InvalidType
        There is no trace, or something else, the boards differ in size, or a program comes twice.

    Examples
    --------
    >>> from nqueens_cp.tracing import page, record
    >>> text = page.page([record("flag-arrays", 4), record("forward-checking", 4)])
    >>> text.count("<canvas")
    2
    """
    kept = [_checked(trace) for trace in items(traces, "the traces of a page")]
    if not kept:
        raise InvalidValue("a page needs at least one trace")
    n = kept[0].n
    for i, trace in enumerate(kept):
        if trace.n != n:
            raise InvalidValue(f"the traces of a page must be of one board; there are some of size {n} and {trace.n}")
        if any(trace.program == other.program for other in kept[:i]):
            raise InvalidValue(f"there are two traces of {trace.program}; a page shows each program once")
    packed = json.dumps({"n": n, "traces": [_packed(trace) for trace in kept]}, separators=(",", ":"))
    title = f"Backtracking step by step: {n} queens" if n != 1 else "Backtracking step by step: 1 queen"
    body = Template(_file("page.html")).substitute(
        title=text_of(title),
        size=n,
        ways=_ways(n),
        choices="".join(_choice(i, trace) for i, trace in enumerate(kept)),
        bands="".join(_band(i, trace) for i, trace in enumerate(kept)),
        watch="".join(f"<li>{text}</li>" for text in _watch_for(kept)),
        figures=_figures(kept),
        words="".join(f"<dt>{name}</dt><dd>{meaning}</dd>" for name, meaning in FIGURES.values()),
        traces=packed.replace("<", "\\u003c"),
    )
    script = "".join(_file(name) for name in SCRIPTS)
    return document(title, body, style=_file("page.css"), script=f'"use strict";\n{{\n{script}}}\n')


def _checked(value: object) -> Trace:
    if not isinstance(value, Trace):
        raise InvalidType(f"the traces of a page: expected a Trace, got {shown(value)} ({type(value).__name__})")
    return value


def _file(name: str) -> str:
    return files(__package__).joinpath("player", name).read_text(encoding="utf-8")


def _packed(trace: Trace) -> dict[str, Any]:
    """Return a trace as numbers: each different step once, with what it adds to the counters, and the steps by its index.

    Squares are row * n + column; `lists` holds each different list of them once.
    """
    lists: dict[tuple[int, ...], int] = {(): 0}
    events: dict[tuple[int, ...], int] = {}
    steps = []
    before: Sequence[int] = (0,) * len(COUNTERS)
    for step in trace.steps:
        attackers, removed = (
            lists.setdefault(tuple(row * trace.n + column for row, column in squares), len(lists))
            for squares in (step.attackers, step.removed)
        )
        after = counts(step)
        more = (now - then for now, then in zip(after, before, strict=True))
        event = (KINDS.index(step.kind), step.row, step.column, attackers, removed, *more)
        steps.append(events.setdefault(event, len(events)))
        before = after
    return {
        "program": trace.program,
        "title": trace.title,
        "complete": trace.complete,
        "lists": list(lists),
        "events": list(events),
        "steps": steps,
    }


def _choice(i: int, trace: Trace) -> str:
    return f"<label><input type='checkbox' name='program' value='{i}' checked> {text_of(trace.title)}</label>"


def _band(i: int, trace: Trace) -> str:
    stats = "".join(
        f"<div class='stat' data-counter='{counter}' title='{meaning}'><span class='name'>{name}</span> "
        "<span class='bar'><span class='fill'></span></span> <span class='value'>0</span></div>"
        for counter, (name, meaning) in FIGURES.items()
    )
    code = "".join(
        f"<span class='line{' quiet' * line.quiet}' data-kinds='{' '.join(sorted(line.kinds))}'>{text_of(line.text)}\n</span>"
        for line in source_of(trace.program)
    )
    return Template(_file("band.html")).substitute(
        i=i, program=text_of(trace.program), title=text_of(trace.title), stats=stats, code=code
    )


def _figures(traces: list[Trace]) -> str:
    """Return the table of what each program had done in the end."""
    lines = []
    for trace in traces:
        figures = (len(trace.steps), *counts(trace.steps[-1]), len(trace.solutions))
        name = trace.title if trace.complete else f"{trace.title} ({ending(trace)})"
        lines.append([cell(name, head=True), *(number_cell(f"{figure:,}") for figure in figures)])
    heads = ["program", "#steps", *(f"#{name.lower()}" for name, _ in FIGURES.values())]
    table = table_of("", heads, [(None, lines)], label="What each program did in the end", pinned=True)
    return table + _note_on(traces)


def _note_on(traces: list[Trace]) -> str:
    """Return a remark on the traces that do not show the whole search."""
    cut = ", ".join(trace.title for trace in traces if trace.is_cut_off)
    stopped = ", ".join(trace.title for trace in traces if not trace.complete and not trace.is_cut_off)
    note = ""
    if cut:
        note += f"Recorded only in part, so that these are not the final figures: {text_of(cut)}. "
    if stopped:
        note += f"Stopped at the number of solutions asked for, with more of the search to come: {text_of(stopped)}."
    return f"<p class='soft'>{note.strip()}</p>" if note else ""


def _watch_for(traces: list[Trace]) -> list[str]:
    """Return what there is to see, as far as the programs are there, as HTML."""
    programs = {trace.program for trace in traces}
    said = [
        "<b>Choose, explore, undo.</b> A queen goes on the first free square of a row, and the search goes on in the next row. "
        "When that comes to nothing the queen is taken back, and the next square of its row is tried. So every possibility "
        "is met exactly once, and all that has to be remembered is where the queens stand.",
        "<b>Pruning.</b> An attacked square near the top saves most: with it goes everything that could have been built on "
        "it. In the tree these are the short stubs, and there is nothing below them.",
        "<b>Dead ends</b> (crosses) are placements that nothing attacks and that still lead nowhere, because the next row "
        "has no free square. The more of them and the deeper they lie, the more work is wasted.",
    ]
    alike = programs - {"forward-checking"}
    if len(alike) > 1:
        who = "All programs" if alike == programs else "All but forward checking"
        said.append(
            f"<b>The same tree, another price.</b> {who} go through the same placements in the same order. They differ in "
            "what one look costs (checks) and in what a queen costs (writes), never in what they find."
        )
    if "position-array" in programs:
        said.append("<b>Position array</b> asks every queen above, so its checks grow with the row that it is in.")
    if "flag-arrays" in programs:
        said.append("<b>Flag arrays</b> answer with three looks, whatever the row: column, one diagonal, the other.")
    if "marked-board" in programs:
        said.append(
            "<b>Marked board</b> needs a single look, for which it pays when it places a queen: it writes marks, and "
            "copies the board so that they can be taken back."
        )
    if "bit-masks" in programs:
        said.append(
            "<b>Bit masks</b> never look at an attacked square at all: three integers give the free squares of a row at once. "
            "While the others try square after square, it waits."
        )
    if "forward-checking" in programs:
        said.append(
            "<b>Forward checking</b> looks ahead: every queen strikes squares out of the rows below, and a row that has none "
            "left turns the search back at once (the empty square in the tree). It visits fewer placements and does more "
            "at each: whether that pays is seen in the checks and writes, and the larger the board, the more is spared."
        )
    said.append(
        "<b>Counts are no times.</b> They say what has to be done, not how fast a language or a machine does it."
    )
    return said


def _ways(n: int) -> str:
    """Return how many ways there are to put a queen on each row, and on different columns as well."""
    rows, columns = n**n, factorial(n)
    if rows < LONG_NUMBER:
        return f"{n}<sup>{n}</sup> = {rows:,}, and {n}! = {columns:,} with all columns different"
    return f"{n}<sup>{n}</sup>, a number of {len(str(rows))} digits"
