"""A comparison as one HTML page: nothing is fetched and no script runs, so that it can be sent, archived and printed.

Agreement comes first, because times of answers that differ mean nothing; then the figures, and last how they were taken.
The charts are drawn by chart.py. Models and backends name themselves, so everything that comes from them is escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.resources import files
from math import isfinite
from typing import Any, NamedTuple

from nqueens_cp.comparison.chart import Point, Series, dot_chart, line_chart, swatch, text_of
from nqueens_cp.comparison.measure import SOLVE
from nqueens_cp.comparison.records import Comparison, Difference, Row, Spread, verdict
from nqueens_cp.errors import InvalidValue

TASK_WORDS = {
    "count": "count all solutions",
    "enumerate": "take all solutions one by one",
    "solve": "find one solution (a best one, where there is an objective), or prove that there is none",
}
STOPPED = ("timeout", "memory")
NOTHING = "\N{EN DASH}"
LARGEST_PICTURE = 400_000  # characters of SVG; a larger board is shown as text
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Group(NamedTuple):
    """What is drawn in one set of charts: the sizes of one model, or one model without sizes."""

    title: str
    size_name: str
    rows: list[Row]

    @property
    def sizes(self) -> list[int]:
        return sorted({row.size for row in self.rows if row.size is not None})


class Figure(NamedTuple):
    """One kind of chart: its title, how a row's spread is read, how it is scaled and written."""

    title: str
    spread: Callable[[Row], Spread | None]
    logarithmic: bool
    written: Callable[[float], str]
    bound: str
    note: str


def html_text(comparison: Comparison) -> str:
    """Return the page."""
    styles = {name: i for i, name in enumerate(dict.fromkeys(row.backend for row in comparison.rows))}
    task = str(comparison.setting.get("task", "count"))
    title = f"Comparison: {comparison.model}"
    made = comparison.setting.get("made")
    lead = f"Task: {TASK_WORDS.get(task, task)}." + (f" Measured {_moment(made)}." if made else "")
    parts = [
        f"<header><h1>{text_of(title)}</h1><p class='soft'>{text_of(lead)}</p></header>",
        _section("Do they agree?", _agreement(comparison, task)),
    ]
    if comparison.rows:
        parts += [
            _section("Time, solutions per second, memory", _charts(comparison, styles, task)),
            _section("Who wins", _winners(comparison, task)),
            _section("All figures", _full_table(comparison, task)),
        ]
    else:
        parts.append(_section("Figures", "<p>Nothing was measured.</p>"))
    parts += [
        _section("Machine and versions", _machine(comparison)),
        _section("How each figure was taken", _method(comparison, task)),
    ]
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{text_of(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


# Agreement


def _agreement(comparison: Comparison, task: str) -> str:
    cases = comparison.cases()
    verdicts = {label: verdict(rows, task) for label, rows in cases.items()}
    complete = len({row.backend for row in comparison.rows if row.is_complete})
    wrong = [label for label, agree in verdicts.items() if agree is False]
    single = [label for label, agree in verdicts.items() if agree is None]
    what = {"solve": "answers", "enumerate": "counts and sets of solutions"}.get(task, "counts")
    if comparison.agree:
        where = "" if len(cases) == 1 else f" on {len(cases) - len(single)} of {len(cases)} models or sizes"
        kind, head = "yes", "✓ They agree"
        text = f"The {what} of {complete} backends are equal{where}."
    elif comparison.agree is False:
        kind, head = "no", "✗ They DISAGREE"
        text = f"On {_listed(wrong)}. The times below compare answers that cannot all be right."
    else:
        kind, head, text = "open", "Nothing to compare", "Nowhere did two backends answer in full."
    lines = [f"<p><strong>{head}</strong></p>", f"<p>{text_of(text)}</p>"]
    if single and comparison.agree is not None:
        lines.append(f"<p>Fewer than two backends answered in full on {text_of(_listed(single))}.</p>")
    parts = [f"<div class='verdict {kind}'>{''.join(lines)}</div>"]
    parts += [_answers(label, cases[label], task) for label in wrong]
    if comparison.difference is not None:
        parts.append(_difference(comparison.difference))
    elif wrong and task != SOLVE:
        parts.append(
            "<p>No single solution is shown: the sets are equal and one repeats solutions, or none was kept.</p>"
        )
    return "".join(parts)


def _answers(label: str, rows: list[Row], task: str) -> str:
    """Return who answered what, for a model on which they disagree."""
    given: dict[str, list[str]] = {}
    for row in rows:
        if row.solutions is not None or row.is_complete:
            answer = _answer(row, task) + (f", set {row.digest[:8]}" if row.digest else "")
            given.setdefault(answer, []).append(row.backend + (" (wrong)" if row.status == "wrong" else ""))
    lines = [[_cell(answer), _cell(", ".join(names))] for answer, names in given.items()]
    return _table(f"Answers on {label}", ["answer", "given by"], [(None, lines)], label=f"Answers on {label}")


def _difference(difference: Difference) -> str:
    try:
        picture = difference.solution.svg().replace(' xmlns="http://www.w3.org/2000/svg"', "")  # needless inside HTML
    except InvalidValue:  # no board
        picture = ""
    if not picture or len(picture) > LARGEST_PICTURE:
        picture = f"<pre tabindex='0'>{text_of(difference.solution)}</pre>"
    found, missed = text_of(difference.found_by), text_of(difference.missed_by)
    return (
        f"<h3>The first difference, on {text_of(difference.model)}</h3><div class='boards'>"
        f"<figure>{picture}<figcaption>Found by <b>{found}</b>, missed by <b>{missed}</b>.</figcaption></figure></div>"
        "<p class='soft'>The first solution, in the order of the values, that only one of the two backends has.</p>"
    )


# Charts


def _charts(comparison: Comparison, styles: dict[str, int], task: str) -> str:
    groups = _groups(comparison.rows)
    kinds = [figure for figure in _figures(task) if any(figure.spread(row) for row in comparison.rows)]
    if not kinds:
        return "<p>No backend came far enough to be timed.</p>"
    parts, repeated = [], any(len(row.measurements) > 1 for row in comparison.rows)
    parts.append(
        "<p class='soft'>Marks are medians"
        + ("; the pale bands and bars reach from the least to the most of the repeats" if repeated else "")
        + ". A hollow mark was stopped by a limit. Each backend has the same mark and colour everywhere.</p>"
    )
    for i, group in enumerate(groups):
        drawn = [_chart(group, figure, styles, f"chart-{i}-{j}") for j, figure in enumerate(kinds)]
        if len(groups) > 1:
            parts.append(f"<h3>{text_of(group.title)}</h3>")
        charts = "".join(drawn)
        parts.append(f"<div class='charts'>{charts}</div>" if charts else "<p>Nothing could be timed here.</p>")
    return "".join(parts)


def _figures(task: str) -> list[Figure]:
    def figure_of(name: str) -> Callable[[Row], Spread | None]:
        return lambda row: _drawable(row, row.spreads.get(name))

    stopped = "at least "
    time_note = "Wall clock for the task itself; importing and building are in the table of all figures."
    memory_note = "Of the whole process, Python and the solver's library included."
    rate_note = "Solutions divided by that time. Counting need not visit each solution, so the rate may be very high."
    figures = [Figure("Time", figure_of("solve_seconds"), True, _seconds, stopped, time_note)]
    if task != SOLVE:
        figures.append(Figure("Solutions per second", _rate, True, _short, "until stopped ", rate_note))
    figures.append(Figure("Peak memory", figure_of("peak_mib"), False, _mib, stopped, memory_note))
    return figures


def _drawable(row: Row, spread: Spread | None) -> Spread | None:
    drawn = row.is_complete or row.status in STOPPED
    return spread if drawn and spread is not None and all(isfinite(v) and v >= 0 for v in spread) else None


def _rate(row: Row) -> Spread | None:
    times = _drawable(row, row.spreads.get("solve_seconds"))
    if times is None or not row.solutions or times.least <= 0:
        return None
    return Spread(row.solutions / times.median, row.solutions / times.most, row.solutions / times.least)


def _chart(group: Group, figure: Figure, styles: dict[str, int], identity: str) -> str:
    """Return one chart with its legend, or nothing where no row has the figure."""
    points: dict[str, list[Point]] = {}
    for row in sorted(group.rows, key=lambda row: row.size or 0):
        spread = figure.spread(row)
        if spread is not None:
            points.setdefault(row.backend, []).append(Point(row.size or 0, *spread, bound=not row.is_complete))
    if not points:
        return ""
    series = [Series(name, styles[name], points[name]) for name in points]
    series.sort(key=lambda one: (one.points[-1].size, one.points[-1].median), reverse=True)
    several = len(group.sizes) > 1

    def value(point: Point) -> str:
        return (figure.bound if point.bound else "") + figure.written(point.median)

    told = [f"{one.name} {value(one.points[-1])}" for one in series]
    scale = "log scale" if figure.logarithmic else "scale from 0"
    if several:
        at = [f" at {group.size_name} = {one.points[-1].size:g}" for one in series]
        text = f"Lines over {group.size_name}, {scale}. The last of each: {'; '.join(map(str.__add__, told, at))}."
        title = f"{figure.title} against {group.size_name}, {scale}"
        picture = line_chart(
            series,
            identity=identity,
            title=f"{group.title}: {title}",
            description=text,
            size_name=group.size_name,
            logarithmic=figure.logarithmic,
            tick=lambda number: _round(figure.written(number)),
        )
        items = [
            f"<li>{swatch(one.style)}<span class='label'>{text_of(one.name)}</span>"
            f"<span class='figure'>{text_of(value(one.points[-1]))}{text_of(_elsewhere(one, group))}</span></li>"
            for one in series
        ]
        head = f"<p>At {text_of(group.size_name)} = {group.sizes[-1]}, highest line first:</p>"
        legend = f"{head}<ul class='legend'>{''.join(items)}</ul>"
    else:
        title = f"{figure.title}, {scale}"
        series.reverse()
        picture = dot_chart(
            series,
            identity=identity,
            title=f"{group.title}: {title}",
            description=f"Dots, {scale}: {'; '.join(reversed(told))}.",
            logarithmic=figure.logarithmic,
            tick=lambda number: _round(figure.written(number)),
            value=value,
        )
        legend = ""
    caption = f"<figcaption>{legend}<p>{text_of(figure.note)}</p></figcaption>"
    return f"<figure><h4>{text_of(title)}</h4>{picture}{caption}</figure>"


def _elsewhere(one: Series, group: Group) -> str:
    """Return at which size the last point is, if that is not the largest size of all."""
    last = one.points[-1].size
    return "" if last == group.sizes[-1] else f" at {last:g}"


def _groups(rows: Iterable[Row]) -> list[Group]:
    """Return the rows by what they have in common besides the size."""
    listed = list(rows)
    choices: dict[str, list[tuple[str, str]]] = {}
    for row in listed:
        words = re.finditer(rf" (\w+)={row.size}(?=\s|$)", row.model) if row.size is not None else ()
        choices[row.model] = [(row.model[: m.start()] + row.model[m.end() :], m[1]) for m in words]
    # Where another parameter has the value of the size too, the right one is that which more models share.
    shared = Counter(choice for made in choices.values() for choice in made)
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in listed:
        best = max(choices[row.model], key=lambda choice: shared[choice], default=(row.model, "size"))
        groups.setdefault(best, []).append(row)
    made = []
    for (title, size_name), members in groups.items():
        sizes = {row.size for row in members}
        made.append(Group(members[0].model if len(sizes) == 1 else title, size_name, members))
    return made


# Tables


def _winners(comparison: Comparison, task: str) -> str:
    wins: Counter[str] = Counter()
    dashes = [_number_cell(NOTHING), _cell(NOTHING), _number_cell(NOTHING)]
    lines = []
    for label, rows in comparison.cases().items():
        timed = [(row.solve_seconds, row) for row in rows if row.is_complete and row.solve_seconds is not None]
        timed.sort(key=lambda pair: pair[0] or 0.0)
        if verdict(rows, task) is False:
            wrong = any(row.status == "wrong" for row in rows)
            cells = [
                _cell(f"none: {'an answer is wrong' if wrong else 'the answers disagree'}"),
                _cell(NOTHING),
                *dashes,
            ]
        elif not timed:
            cells = [_cell("none answered in full"), _cell(NOTHING), *dashes]
        else:
            first = timed[0][1]
            wins[first.backend] += 1
            cells = [_cell(first.backend, strong=True), _cell(_answer(first, task))]
            cells.append(_cell(_seconds(first.solve_seconds), number=True))
            cells += _runner_up(first, [row for _, row in timed[1:]])
        lines.append([_cell(label, head=True), *cells])
    heads = ["model", "fastest", "answer", "#time", "the next", "#times as long"]
    said = [f"{name} ({number})" for name, number in wins.most_common()]
    total = len(comparison.cases())
    lead = f"Fastest how often, of {total}: {', '.join(said)}." if said and total > 1 else ""
    note = "By the median time for the task, among those that answered in full. ≈ means that the ranges of the two overlap."
    table = _table("", heads, [(None, lines)], label="Who wins", pinned=True)
    return (f"<p>{text_of(lead)}</p>" if lead else "") + table + f"<p class='soft'>{text_of(note)}</p>"


def _runner_up(first: Row, others: list[Row]) -> list[str]:
    if not others:
        return [_cell("no other answered"), _cell(NOTHING, number=True)]
    second = others[0]
    ours, theirs = first.spreads["solve_seconds"], second.spreads["solve_seconds"]
    near = "≈ " if theirs.least <= ours.most else ""
    factor = f"{near}{_three(theirs.median / ours.median)}" if ours.median > 0 else NOTHING
    return [_cell(second.backend), _cell(factor, number=True)]


def _full_table(comparison: Comparison, task: str) -> str:
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
        "#answer": lambda row: _number_cell(_answer(row, task)),
    }
    for head, name in times.items():
        columns[f"#{head}"] = lambda row, name=name: _spread_cell(row.spreads.get(name), _seconds)  # type: ignore[misc]
    if task != SOLVE:
        columns["#solutions / s"] = lambda row: _spread_cell(_rate(row), _short)
    columns["#peak memory"] = lambda row: _spread_cell(row.spreads.get("peak_mib"), _mib)
    for name in ("nodes", "conflicts"):
        columns[f"#{name}"] = lambda row, name=name: _number_cell(_count(row.statistics.get(name)))  # type: ignore[misc]
    if repeats > 1:
        columns["#runs"] = lambda row: _number_cell("0" if row.status == "skipped" else str(len(row.measurements)))
    made = {head: [cell_of(row) for row in comparison.rows] for head, cell_of in columns.items()}
    empty = _number_cell(NOTHING)
    kept = {head: cells for head, cells in made.items() if any(cell != empty for cell in cells)}
    lines: dict[str, list[list[str]]] = {}
    for i, row in enumerate(comparison.rows):
        lines.setdefault(row.model, []).append([_cell(row.backend, head=True), *(cells[i] for cells in kept.values())])
    table = _table("", ["backend", *kept], list(lines.items()), label="All figures", pinned=True)
    reasons = dict.fromkeys(f"{row.backend} on {row.model}: {row.reason}" for row in comparison.rows if row.reason)
    listed = "".join(f"<li>{text_of(reason)}</li>" for reason in reasons)
    return table + (f"<h3>Why some have no full answer</h3><ul>{listed}</ul>" if listed else "")


def _status(row: Row) -> str:
    kind = "" if row.is_complete else " class='fault'" if row.status in ("failed", "wrong") else " class='stopped'"
    return f"<td{kind}>{text_of(row.status)}</td>"


def _spread_cell(spread: Spread | None, written: Callable[[float], str]) -> str:
    if spread is None:
        return _number_cell(NOTHING)
    least, median, most = written(spread.least), written(spread.median), written(spread.most)
    around = "" if least == most else f"<span class='least'>{text_of(least)} to {text_of(most)}</span>"
    return f"<td class='number'>{text_of(median)}{around}</td>"


def _table(
    caption: str,
    heads: list[str],
    bodies: list[tuple[str | None, list[list[str]]]],
    *,
    label: str,
    pinned: bool = False,
) -> str:
    """Return a table in a box that it scrolls in; a head with # is one of numbers, a body may have a title."""
    top = "".join(
        f"<th scope='col'{' class=number' * head.startswith('#')}>{text_of(head.lstrip('#'))}</th>" for head in heads
    )
    made = []
    for title, lines in bodies:
        if title is not None and len(bodies) + len(lines) > 2:
            made.append(
                f"<tbody><tr class='group'><th colspan='{len(heads)}' scope='rowgroup'><span>{text_of(title)}</span></th></tr>"
            )
        else:
            made.append("<tbody>")
        made += [f"<tr>{''.join(cells)}</tr>" for cells in lines]
        made.append("</tbody>")
    kind = " class='pinned'" if pinned else ""
    above = f"<caption>{text_of(caption)}</caption>" if caption else ""
    return (
        f"<div class='scroll' role='region' tabindex='0' aria-label='{text_of(label)}'><table{kind}>{above}"
        f"<thead><tr>{top}</tr></thead>{''.join(made)}</table></div>"
    )


def _cell(text: object, *, head: bool = False, number: bool = False, strong: bool = False) -> str:
    inside = f"<b>{text_of(text)}</b>" if strong else text_of(text)
    if head:
        return f"<th scope='row'>{inside}</th>"
    return f"<td class='number'>{inside}</td>" if number else f"<td>{inside}</td>"


def _number_cell(text: str) -> str:
    return _cell(text, number=True)


# How it was made


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
        said.append(f"Each was given {time:g} s; a process that goes on past that is killed from outside.")
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
        "shown on their own; processor time adds up all threads. Peak memory is of the whole process, Python included."
    )
    backends = {row.backend for row in comparison.rows}
    if len(comparison.rows) < len(backends) * len(comparison.cases()):
        said.append(
            "Some backends are missing on some models: the comparison was interrupted, and this is what was measured."
        )
    elif any(
        0 < len(row.measurements) < repeats and row.status not in (*STOPPED, "skipped") for row in comparison.rows
    ):
        said.append("Some were measured fewer times: the comparison was interrupted.")
    return f"<ul>{''.join(f'<li>{text_of(line)}</li>' for line in said)}</ul>"


# Words and numbers


def _answer(row: Row, task: str) -> str:
    if task == SOLVE:
        if row.status not in ("satisfied", "optimal", "unsatisfiable", *STOPPED):
            return NOTHING
        objective = "" if row.objective is None else f", objective {row.objective}"
        return ("none yet" if row.status in STOPPED and not row.solutions else row.status) + objective
    if row.solutions is None:
        return NOTHING
    return f"{'' if row.is_complete else 'at least '}{row.solutions:,}"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return NOTHING
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * factor:
            return f"{_three(seconds / factor)} {unit}"
    return f"{_three(seconds / 1e-9)} ns" if seconds else "0 s"


def _short(number: float) -> str:
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= 0.9995 * factor:
            return f"{_three(number / factor)}{unit}"
    return _three(number)


def _mib(number: float) -> str:
    return f"{_three(number)} MiB"


def _three(number: float) -> str:
    """Return three significant digits, or all digits of a larger number."""
    return f"{number:,.0f}" if number >= 99.95 else f"{number:#.3g}"


def _round(figure: str) -> str:
    """Return a round figure without the zeros behind its point."""
    return re.sub(r"\.0+(?!\d)", "", figure)


def _count(number: object) -> str:
    return NOTHING if number is None else f"{number:,}" if isinstance(number, int) else str(number)


def _moment(made: object) -> str:
    return str(made).replace("T", " ").replace("+00:00", " UTC")


def _listed(words: list[str], most: int = 8) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def _section(title: str, inside: str) -> str:
    return f"<section>\n<h2>{title}</h2>\n{inside}\n</section>"
