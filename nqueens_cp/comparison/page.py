"""A comparison as one HTML page: nothing is fetched and no script runs, so that it can be sent, archived and printed.

Agreement comes first, because times of answers that differ mean nothing; then the figures, and last how they were taken.
The charts are drawn by page_charts.py and chart.py (which says why by hand), the tables by page_tables.py.
Models and backends name themselves, so everything that comes from them is escaped.
"""

from __future__ import annotations

from base64 import b64encode
from importlib.resources import files
from typing import Any

from nqueens_cp.comparison.markup import NOTHING, answer_of
from nqueens_cp.comparison.measure import SOLVING
from nqueens_cp.comparison.page_charts import charts_of
from nqueens_cp.comparison.page_tables import full_table, winners_table
from nqueens_cp.comparison.processes import GRACE_SECONDS
from nqueens_cp.comparison.records import Comparison, Difference, Row
from nqueens_cp.comparison.saved import SavedSolution
from nqueens_cp.errors import InvalidValue
from nqueens_cp.result import Solution
from nqueens_cp.webpage import cell, document, section, table_of, text_of

TASK_WORDS = {
    "count": "count all solutions",
    "enumerate": "take all solutions one by one",
    "solve": "find one solution (a best one, where there is an objective), or prove that there is none",
    "prove": "prove that there is no solution",
}
LARGEST_PICTURE = 400_000  # characters of SVG; a larger board is shown as text


def html_text(comparison: Comparison) -> str:
    """Return the page."""
    styles = {name: i for i, name in enumerate(dict.fromkeys(row.backend for row in comparison.rows))}
    task = str(comparison.setting.get("task", "count"))
    title = f"Comparison: {comparison.model}"
    made = comparison.setting.get("made")
    lead = f"Task: {TASK_WORDS.get(task, task)}." + (f" Measured {_moment(made)}." if made else "")
    if comparison.setting.get("interrupted"):
        lead = f"Interrupted, so that this is only a part. {lead}"
    parts = [
        f"<header><h1>{text_of(title)}</h1><p class='soft'>{text_of(lead)}</p></header>",
        section("Do they agree?", _agreement(comparison, task)),
    ]
    if comparison.rows:
        parts += [
            section(
                "Time and memory" if task in SOLVING else "Time, solutions per second, memory",
                charts_of(comparison, styles, task),
            ),
            section("Who wins", winners_table(comparison, task)),
            section("All figures", full_table(comparison, task)),
        ]
    else:
        parts.append(section("Figures", "<p>Nothing was measured.</p>"))
    parts += [
        section("Machine and versions", _machine(comparison)),
        section("How each figure was taken", _method(comparison, task)),
    ]
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    return document(title, "\n".join(parts), style=style)


def _agreement(comparison: Comparison, task: str) -> str:
    cases = comparison.cases()
    verdicts = {label: comparison.verdict_on(label) for label in cases}
    complete = len({row.backend for row in comparison.rows if row.is_complete})
    wrong = [label for label, agree in verdicts.items() if agree is False]
    single = [label for label, agree in verdicts.items() if agree is None]
    what = {"solve": "answers", "prove": "answers", "enumerate": "counts and sets of solutions"}.get(task, "counts")
    if comparison.agree:
        full = all(row.is_complete for row in comparison.rows)
        where = "" if len(cases) == 1 else f" on {len(cases) - len(single)} of {len(cases)} models or sizes"
        kind, head = "yes", "✓ They agree"
        text = (
            f"The {what} of {complete} backends are equal{where}{'' if full else ', wherever they answered in full'}."
        )
    elif comparison.agree is False:
        kind, head = "no", "✗ They DISAGREE"
        where = f"On {_listed(wrong)}" if wrong else "What one holds contradicts what another claims"
        text = f"{where}. The times below compare answers that cannot all be right."
    else:
        kind, head, text = "open", "Nothing to compare", "Nowhere did two backends answer in full."
    lines = [f"<p><strong>{head}</strong></p>", f"<p>{text_of(text)}</p>"]
    if single and comparison.agree is not None:
        lines.append(f"<p>Fewer than two backends answered in full on {text_of(_listed(single))}.</p>")
    parts = [f"<div class='verdict {kind}'>{''.join(lines)}</div>"]
    parts += [_answers(label, cases[label], task) for label in wrong]
    if comparison.difference is not None:
        parts.append(_difference(comparison.difference))
    elif wrong and "remark" in comparison.setting:
        parts.append(f"<p>{text_of(comparison.setting['remark'])}</p>")
    return "".join(parts)


def _answers(label: str, rows: list[Row], task: str) -> str:
    """Return who answered what, for a model on which they disagree."""
    given: dict[str, list[str]] = {}
    for row in rows:
        if row.solutions is not None or row.is_complete:
            answer = answer_of(row, task) + (f", set {row.digest[:8]}" if row.digest else "")
            given.setdefault(answer, []).append(row.backend + (" (wrong)" if row.status == "wrong" else ""))
    lines = [[cell(answer), cell(", ".join(names))] for answer, names in given.items()]
    return table_of(f"Answers on {label}", ["answer", "given by"], [(None, lines)], label=f"Answers on {label}")


def _difference(difference: Difference) -> str:
    found, missed = text_of(difference.found_by), text_of(difference.missed_by)
    caption = f"Found by <b>{found}</b>, missed by <b>{missed}</b>. {text_of(difference.breaks)}"
    figures = f"<figure>{_picture(difference.solution)}<figcaption>{caption}</figcaption></figure>"
    if difference.other is not None:
        figures += (
            f"<figure>{_picture(difference.other)}<figcaption><b>{missed}</b> goes on with this.</figcaption></figure>"
        )
    return (
        f"<h3>The first difference, on {text_of(difference.model)}</h3><div class='boards'>{figures}</div>"
        "<p class='soft'>The first place, in the order of the values, where the solutions of the two backends differ.</p>"
    )


def _picture(solution: Solution | SavedSolution) -> str:
    """Return the board as an image, in which nothing can run or be sent: a saved record may hold anything."""
    text = str(solution)
    try:
        picture = solution.svg()
    except InvalidValue:  # no board
        picture = ""
    if not 0 < len(picture) <= LARGEST_PICTURE:
        return f"<pre tabindex='0'>{text_of(text)}</pre>"
    data = b64encode(picture.encode()).decode()
    return f"<img alt='{text_of(text)}' src='data:image/svg+xml;base64,{data}'>"


def _machine(comparison: Comparison) -> str:
    machine = comparison.setting.get("machine") or {}
    memory = machine.get("memory_mib")
    facts = {
        "Processor": machine.get("processor"),
        "Processors": machine.get("processors"),
        "Memory": None if memory is None else f"{memory / 1024:.1f} GiB",
        "System": machine.get("system"),
        "Python": machine.get("python"),
        "Load before and after": _load(comparison.setting),
    }
    versions: dict[str, dict[str, None]] = {}
    for row in comparison.rows:
        versions.setdefault(row.backend, {})
        if row.version:
            versions[row.backend][row.version] = None
    for name, known in versions.items():
        facts[name] = ", ".join(known) or "not available"
    listed = "".join(
        f"<dt>{text_of(name)}</dt><dd>{text_of(fact)}</dd>" for name, fact in facts.items() if fact is not None
    )
    return f"<dl>{listed}</dl>"


def _load(setting: dict[str, Any]) -> str | None:
    before, after = setting.get("load_before"), setting.get("load_after")
    if before is None and after is None:
        return None
    return (
        f"{NOTHING if before is None else before}, {NOTHING if after is None else after} (processes in the last minute)"
    )


def _method(comparison: Comparison, task: str) -> str:
    setting = comparison.setting
    repeats, time, memory = setting.get("repeats", 1), setting.get("time_limit"), setting.get("memory_limit")
    said = [f"Task: {TASK_WORDS.get(task, task)}.", "Every measurement ran in a fresh process."]
    pinned = setting.get("pinned")
    said.append("Each was pinned to one processor." if pinned else "None was pinned to one processor.")
    if repeats > 1:
        said.append(
            f"Each was measured {repeats} times, in rounds of shuffled order so that a drift of the machine hits all alike, "
            f"after one round for warming up that was thrown away. Figures are medians, with the least and the most."
        )
    else:
        said.append("Each was measured once, without warming up, in the order of the table; chance is not told apart.")
    if time is not None:
        said.append(
            f"Each was given {time:g} s; an answer that comes later does not count, and a process that goes on for another "
            f"{GRACE_SECONDS:g} s is killed from outside."
        )
    if memory is not None:
        said.append(f"A process that held more than {memory:g} MiB was killed from outside.")
    if time is None and memory is None:
        said.append("No limits were set.")
    said.append(
        "A result stopped by a limit is “at least”: its count and its time are lower bounds. A backend stopped at one size is "
        "not tried on larger ones."
    )
    said.append(
        "Task time is wall clock, without importing the solver and without building and translating the model, which are "
        "shown on their own; processor time adds up all threads. Peak memory is of the whole process, Python included, or of "
        "one that it started, if that held more."
    )
    backends = {row.backend for row in comparison.rows}
    if setting.get("interrupted") or len(comparison.rows) < len(backends) * len(comparison.cases()):
        said.append("The comparison was interrupted: this is what was measured until then.")
    return f"<ul>{''.join(f'<li>{text_of(line)}</li>' for line in said)}</ul>"


def _moment(made: object) -> str:
    return str(made).replace("T", " ").replace("+00:00", " UTC")


def _listed(words: list[str], most: int = 8) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")
