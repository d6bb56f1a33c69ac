"""Charts as inline SVG: lines over sizes, and dots for a single size.

They are written by hand rather than by matplotlib: a plain install has no matplotlib, and one picture has to serve a light
page, a dark one and print, which takes colours that are CSS variables (``--s0`` to ``--s7``, ``--ink``, ``--grid``; webpage.css
sets them). Series differ by the shape of their marks as well as by colour, so that nobody needs to tell colours apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count, pairwise
from math import floor, log10
from typing import NamedTuple

from nqueens_cp.webpage import text_of

COLOURS = 8
MARKS = (
    "M-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0Z",  # circle
    "M-3.8-3.8h7.6v7.6h-7.6Z",  # square
    "M0-5.2L4.9 3.6H-4.9Z",  # triangle
    "M0-5.4L5.4 0L0 5.4L-5.4 0Z",  # diamond
    "M0 5.2L4.9-3.6H-4.9Z",  # triangle on its tip
    "M-1.7-5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3Z",  # plus
    "M0-5.8L1.6-1.8L5.7-1.8L2.4 .9L3.6 5L0 2.5L-3.6 5L-2.4 .9L-5.7-1.8L-1.6-1.8Z",  # star
    "M-5-2.8L-2.8-5L0-2.2L2.8-5L5-2.8L2.2 0L5 2.8L2.8 5L0 2.2L-2.8 5L-5 2.8L-2.2 0Z",  # cross
)
DASHES = ("", "6 3", "2 3")  # for the 9th series and on, where the colours begin again
WIDTH, HEIGHT = 420, 320  # units of the drawing, which is scaled to the width of its box
LEFT, RIGHT, TOP, BOTTOM = 66, 12, 12, 44
ROW_HEIGHT = 40  # of a dot chart
SMALLEST = 1e-7  # what is drawn at the least on a logarithmic scale, which has no place for 0
MOST_TICKS = 7


class Point(NamedTuple):
    """A median with the least and the most; `bound` says that a limit stopped it, so that the true value is not known."""

    size: float
    median: float
    least: float
    most: float
    bound: bool = False


class Series(NamedTuple):
    """The points of one backend, in the order of their sizes; `style` picks colour and mark."""

    name: str
    style: int
    points: list[Point]


class Scale:
    """From values to places between `start` and `end`, logarithmic or linear from 0, ending on round numbers."""

    def __init__(self, values: Iterable[float], start: float, end: float, *, logarithmic: bool) -> None:
        self.start, self.end, self.logarithmic = start, end, logarithmic
        known = [max(value, SMALLEST) if logarithmic else value for value in values]
        self.ticks = _powers(min(known), max(known)) if logarithmic else _multiples(max(known))
        self.first, self.last = self._measure(self.ticks[0]), self._measure(self.ticks[-1])

    def _measure(self, value: float) -> float:
        return log10(max(value, SMALLEST)) if self.logarithmic else value

    def __call__(self, value: float) -> float:
        share = (self._measure(value) - self.first) / (self.last - self.first)
        return self.start + share * (self.end - self.start)


def _powers(least: float, most: float) -> list[float]:
    """Return round numbers from one that is not above `least` to one that is not below `most`: 1, 10, 100 or 1, 2, 5, 10."""
    wide = most > 30 * least
    steps = (1,) if wide else (1, 2, 5)
    lowest = floor(log10(least))
    ticks: list[float] = []
    for power in count(lowest):
        for step in steps:
            tick = step * 10.0**power
            if tick <= least * (1 + 1e-9):
                ticks = [tick]
            else:
                ticks.append(tick)
                if tick >= most * (1 - 1e-9):
                    every = -(-(len(ticks) - 1) // MOST_TICKS)
                    return ticks if every == 1 else _thinned(ticks, every)
    raise AssertionError


def _thinned(ticks: list[float], every: int) -> list[float]:
    """Return every so manieth tick, going on until the last one is not below the last of `ticks`."""
    kept = ticks[::every]
    if kept[-1] < ticks[-1]:
        kept.append(kept[-1] * 10**every)
    return kept


def _multiples(most: float) -> list[float]:
    """Return multiples of a round number from 0 to one that is not below `most`."""
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** floor(log10(most))
    step = next(s for s in (power / 5, power / 2, power, power * 2) if most <= s * (MOST_TICKS - 1))
    ticks = [0.0]
    while ticks[-1] < most:
        ticks.append(len(ticks) * step)
    return ticks


def mark(style: int, x: float = 0, y: float = 0, *, hollow: bool = False) -> str:
    """Return the mark of a series."""
    shape = MARKS[(style + style // COLOURS) % len(MARKS)]
    kind = "mark hollow" if hollow else "mark"
    return f'<path class="{kind} s{style % COLOURS}" d="{shape}" transform="translate({x:.1f} {y:.1f})"/>'


def swatch(style: int) -> str:
    """Return a line with its mark, for a legend."""
    return (
        f'<svg class="swatch" viewBox="-14 -7 28 14" width="28" height="14" aria-hidden="true">'
        f'<path class="line s{style % COLOURS}"{_dash(style)} d="M-14 0H14"/>{mark(style)}</svg>'
    )


def line_chart(
    series: Sequence[Series],
    *,
    identity: str,
    title: str,
    description: str,
    size_name: str,
    logarithmic: bool,
    tick: Callable[[float], str],
) -> str:
    """Return a chart of the series over the sizes: a line of medians with marks, and a band from the least to the most.

    Points where a limit stopped the backend are hollow and hang on a thin dotted line.
    """
    points = [point for one in series for point in one.points]
    sizes = sorted({point.size for point in points})
    across = _between(sizes[0], sizes[-1], LEFT + 10, WIDTH - RIGHT - 8)
    up = Scale(_extent(points), HEIGHT - BOTTOM, TOP, logarithmic=logarithmic)
    parts = []
    for value in up.ticks:
        y = up(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text_of(tick(value))}</text>')
    for size in sizes[:: -(-len(sizes) // 9)]:
        x = across(size)
        parts.append(f'<path class="grid" d="M{x:.1f} {HEIGHT - BOTTOM}v4"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{size:g}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 5}" text-anchor="middle">{text_of(size_name)}</text>')
    placed = [(one, [(across(p.size), up(p.median), p) for p in one.points]) for one in series]
    parts += [_band(one, across, up) for one in series]
    for one, spots in placed:
        colour = f"s{one.style % COLOURS}"
        for (x, y, _), (next_x, next_y, p) in pairwise(spots):
            kind = "line bound" if p.bound else "line"
            dash = "" if p.bound else _dash(one.style)
            parts.append(f'<path class="{kind} {colour}"{dash} d="M{x:.1f} {y:.1f}L{next_x:.1f} {next_y:.1f}"/>')
    parts += [mark(one.style, x, y, hollow=p.bound) for one, spots in placed for x, y, p in spots]
    return _svg("".join(parts), HEIGHT, identity, title, description)


def dot_chart(
    series: Sequence[Series],
    *,
    identity: str,
    title: str,
    description: str,
    logarithmic: bool,
    tick: Callable[[float], str],
    value: Callable[[Point], str],
) -> str:
    """Return a chart of one point for each series, one below the other: its name, its value, a mark and its range."""
    drawn = [one for one in series if one.points]
    left, right = 34, WIDTH - 34
    bottom = ROW_HEIGHT * len(drawn) + 8
    across = Scale(_extent([one.points[0] for one in drawn]), left, right, logarithmic=logarithmic)
    parts = []
    for number in across.ticks:
        x = across(number)
        parts.append(f'<path class="grid" d="M{x:.1f} 4V{bottom + 4}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{text_of(tick(number))}</text>')
    for i, one in enumerate(drawn):
        point, y = one.points[0], ROW_HEIGHT * i + 28
        name = one.name if len(one.name) <= 36 else one.name[:35] + "…"
        colour = f"s{one.style % COLOURS}"
        parts.append(f'<path class="track" d="M{left} {y}H{right}"/>')
        parts.append(f'<text class="name" x="{left}" y="{y - 10}">{text_of(name)}</text>')
        parts.append(f'<text class="name" x="{right}" y="{y - 10}" text-anchor="end">{text_of(value(point))}</text>')
        if point.most > point.least:
            ends = f"M{across(point.least):.1f} {y}H{across(point.most):.1f}"
            parts.append(f'<path class="range {colour}" d="{ends}"/>')
        parts.append(mark(one.style, across(point.median), y, hollow=point.bound))
    return _svg("".join(parts), bottom + 26, identity, title, description)


def _extent(points: Iterable[Point]) -> list[float]:
    return [value for point in points for value in (point.median, point.least, point.most)]


def _between(first: float, last: float, start: float, end: float) -> Callable[[float], float]:
    if first == last:
        return lambda _: (start + end) / 2
    return lambda value: start + (value - first) / (last - first) * (end - start)


def _band(one: Series, across: Callable[[float], float], up: Scale) -> str:
    known = [point for point in one.points if not point.bound]
    if not any(point.most > point.least for point in known):
        return ""
    corners = [(across(p.size), up(p.most)) for p in known] + [(across(p.size), up(p.least)) for p in reversed(known)]
    kind = f"s{one.style % COLOURS}"
    if len(known) == 1:
        return f'<path class="range {kind}" d="M{corners[0][0]:.1f} {corners[0][1]:.1f}V{corners[1][1]:.1f}"/>'
    return f'<path class="band {kind}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in corners)}Z"/>'


def _dash(style: int) -> str:
    dash = DASHES[style // COLOURS % len(DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _svg(inside: str, height: float, identity: str, title: str, description: str) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-labelledby="{identity}-t {identity}-d">'
        f'<title id="{identity}-t">{text_of(title)}</title><desc id="{identity}-d">{text_of(description)}</desc>{inside}</svg>'
    )
