"""The description of a drawing: a few shapes, which svg.py and image.py write.

x goes to the right, y down, in pixels; `kind` becomes the class of an SVG element.
"""

from __future__ import annotations

from dataclasses import dataclass

PAPER, INK, SOFT = "#ffffff", "#1f2328", "#57606a"
"""The ground, writing, and writing of less weight; an SVG picture turns them round on dark pages."""


@dataclass(frozen=True, slots=True)
class Path:
    """Lines and Bézier curves: `data` is that of an SVG path of the commands M, L, H, V, C and Z, absolute or relative."""

    data: str
    fill: str = "none"
    stroke: str = "none"
    width: float = 1.0
    opacity: float = 1.0
    dash: tuple[float, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around (x, y)."""

    x: float
    y: float
    radius: float
    fill: str = "none"
    stroke: str = "none"
    width: float = 1.0
    opacity: float = 1.0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; `x` is its start, middle or end, as `anchor` says, and `y` what the letters stand on."""

    text: str
    x: float
    y: float
    size: float
    anchor: str = "start"
    fill: str = INK
    bold: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Symbol:
    """What is drawn in several places and written to an SVG file once."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """A symbol, moved to (x, y)."""

    symbol: Symbol
    x: float = 0.0
    y: float = 0.0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Items that are scaled, then moved to (x, y); `title` says what they are."""

    items: tuple[Item, ...]
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    kind: str = ""
    title: str = ""


Item = Path | Circle | Text | Use | Group


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole picture; with `paper` it has a ground of its own, which writing needs on pages of any colour."""

    width: float
    height: float
    items: tuple[Item, ...]
    title: str = ""
    paper: bool = False


def rectangle(x: float, y: float, width: float, height: float) -> str:
    """Return a rectangle as the data of a path."""
    return f"M{plain(x)} {plain(y)}h{plain(width)}v{plain(height)}h{plain(-width)}z"


def plain(number: float) -> str:
    """Return a number with at most two digits after the point, and none that say nothing."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
