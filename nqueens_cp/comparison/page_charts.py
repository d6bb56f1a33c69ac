"""The charts of the HTML page: what is drawn together, with which legend."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from math import isfinite
from typing import NamedTuple

from nqueens_cp.comparison.chart import Point, Series, dot_chart, line_chart, swatch
from nqueens_cp.comparison.markup import STOPPED, mib_text, round_text, seconds_text, short_text
from nqueens_cp.comparison.measure import SOLVING
from nqueens_cp.comparison.records import Comparison, Row, Spread
from nqueens_cp.webpage import text_of


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


def charts_of(comparison: Comparison, styles: dict[str, int], task: str) -> str:
    """Return all charts, a set for each model."""
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
    figures = [Figure("Time", figure_of("solve_seconds"), True, seconds_text, stopped, time_note)]
    if task not in SOLVING:
        figures.append(Figure("Solutions per second", rate_of, True, short_text, "until stopped ", rate_note))
    figures.append(Figure("Peak memory", figure_of("peak_mib"), False, mib_text, stopped, memory_note))
    return figures


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
        beside = f"against {group.size_name}, {scale}"
        picture = line_chart(
            series,
            identity=identity,
            title=f"{group.title}: {figure.title}, {beside}",
            description=text,
            size_name=group.size_name,
            logarithmic=figure.logarithmic,
            tick=lambda number: round_text(figure.written(number)),
        )
        items = [
            f"<li>{swatch(one.style)}<span class='label'>{text_of(one.name)}</span>"
            f"<span class='figure'>{text_of(value(one.points[-1]))}{text_of(_elsewhere(one, group))}</span></li>"
            for one in series
        ]
        head = f"<p>The last of each, at {text_of(group.size_name)} = {group.sizes[-1]} where nothing else is said:</p>"
        legend = f"{head}<ul class='legend'>{''.join(items)}</ul>"
    else:
        beside = scale
        series.reverse()
        picture = dot_chart(
            series,
            identity=identity,
            title=f"{group.title}: {figure.title}, {beside}",
            description=f"Dots, {scale}: {'; '.join(reversed(told))}.",
            logarithmic=figure.logarithmic,
            tick=lambda number: round_text(figure.written(number)),
            value=value,
        )
        legend = ""
    caption = f"<figcaption>{legend}<p>{text_of(figure.note)}</p></figcaption>"
    return f"<figure><h4>{text_of(figure.title)} <span>{text_of(beside)}</span></h4>{picture}{caption}</figure>"


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


def _drawable(row: Row, spread: Spread | None) -> Spread | None:
    drawn = row.is_complete or row.status in STOPPED
    return spread if drawn and spread is not None and all(isfinite(v) and v >= 0 for v in spread) else None


def rate_of(row: Row) -> Spread | None:
    """Return the solutions per second, where there are any."""
    times = _drawable(row, row.spreads.get("solve_seconds"))
    if times is None or not row.solutions or times.least <= 0:
        return None
    return Spread(row.solutions / times.median, row.solutions / times.most, row.solutions / times.least)
