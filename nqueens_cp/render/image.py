"""A drawing as PNG or PDF, by matplotlib."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from nqueens_cp.errors import BackendUnavailable, InvalidValue
from nqueens_cp.render.drawing import PAPER, Circle, Drawing, Group, Item, Path, Text, Use

FORMATS = ("png", "pdf")
SHARPNESS = 2
"""Pixels of a PNG for each pixel of the drawing, where that is not too large."""
LARGEST_SIDE, LARGEST_AREA = 60_000, 100_000_000
"""Of a PNG, in pixels; matplotlib draws 65,535 at most in each direction."""
FONT = "DejaVu Sans"
"""It comes with matplotlib, so that pictures look the same everywhere."""
NO_LETTER = "\u25a1"
"""What stands for a letter that the font lacks."""
TOKEN = re.compile(r"([a-zA-Z])|(-?(?:\d+\.?\d*|\.\d+))")
NUMBERS = {"m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "z": 0}
"""How many numbers follow a command of a path."""


def require_matplotlib(what: str) -> None:
    """Say how to install matplotlib where it is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise BackendUnavailable(f"{what} needs matplotlib; pip install matplotlib") from None


def image_bytes(drawing: Drawing, form: str) -> bytes:
    """Return a drawing as a file of a format, "png" or "pdf".

    Raises
    ------
    BackendUnavailable
        matplotlib is not installed.
    InvalidValue
        It is too large.
    """
    require_matplotlib(f"a picture as {form.upper()}")
    from matplotlib.figure import Figure

    sharpness = next((s for s in range(SHARPNESS, 0, -1) if _fits(drawing, s)), None)
    if sharpness is None:
        raise InvalidValue(
            f"a picture of {drawing.width:.0f} x {drawing.height:.0f} pixels is too large as {form.upper()}; draw fewer "
            "boards, smaller squares or more columns, or write it as SVG"
        )
    # At 72 dots an inch a point, in which matplotlib measures lines and letters, is a pixel of the drawing.
    figure = Figure(figsize=(drawing.width / 72, drawing.height / 72), dpi=72, facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.set_axis_off()
    painter = _Painter(axes)
    painter.paint(drawing.items, 0, 0, 1)
    if painter.lacking:
        warn_of(painter.lacking, "PNG and PDF pictures", "; an SVG picture has every letter")
    return figure_bytes(figure, form, 72 * sharpness)


def figure_bytes(figure: Any, form: str, dots_per_inch: float) -> bytes:
    """Return a figure of matplotlib as a file, the same each time."""
    import matplotlib

    out = io.BytesIO()
    dateless = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "nqueens-cp"}):
        figure.savefig(out, format=form, dpi=dots_per_inch, metadata=dateless)
    return out.getvalue()


def _fits(drawing: Drawing, sharpness: int) -> bool:
    width, height = drawing.width * sharpness, drawing.height * sharpness
    return max(width, height) <= LARGEST_SIDE and width * height <= LARGEST_AREA


class _Painter:
    """Adds items to axes as patches and texts, the later ones above the earlier ones."""

    def __init__(self, axes: Any) -> None:
        self.axes = axes
        self.layer = 0
        self.lacking: set[str] = set()

    def paint(self, items: Iterable[Item], x: float, y: float, scale: float) -> None:
        """Add items that are scaled and then moved to (x, y)."""
        for item in items:
            if isinstance(item, Group):
                self.paint(item.items, x + scale * item.x, y + scale * item.y, scale * item.scale)
            elif isinstance(item, Use):
                self.paint(item.symbol.items, x + scale * item.x, y + scale * item.y, scale)
            elif isinstance(item, Text):
                self._write(item, x + scale * item.x, y + scale * item.y, scale)
            else:
                self._draw(item, x, y, scale)

    def _draw(self, item: Path | Circle, x: float, y: float, scale: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path as Outline
        from matplotlib.transforms import Affine2D

        if isinstance(item, Circle):
            outline = Outline.unit_circle()
            place = Affine2D().scale(item.radius).translate(item.x, item.y)
        else:
            outline, place = outline_of(item.data), Affine2D()
        dash = item.dash if isinstance(item, Path) else ()
        place = place.scale(scale).translate(x, y)
        self.layer += 1
        patch = PathPatch(
            outline,
            facecolor=item.fill,
            edgecolor=item.stroke,
            linewidth=item.width * scale if item.stroke != "none" else 0,
            linestyle=(0, [length / item.width for length in dash]) if dash else "-",
            capstyle="butt" if dash else "projecting",
            joinstyle="miter",
            alpha=item.opacity,
            zorder=self.layer,
        )
        patch.set_transform(place + self.axes.transData)
        patch.set_clip_on(False)
        self.axes.add_artist(patch)

    def _write(self, item: Text, x: float, y: float, scale: float) -> None:
        self.layer += 1
        weight = "bold" if item.bold else "normal"
        text, lacking = with_known_letters(item.text, weight)
        self.lacking |= lacking
        self.axes.text(
            x,
            y,
            text,
            size=item.size * scale,
            color=item.fill,
            weight=weight,
            family=FONT,
            horizontalalignment={"start": "left", "middle": "center", "end": "right"}[item.anchor],
            verticalalignment="baseline",
            parse_math=False,
            zorder=self.layer,
        )


def with_known_letters(text: str, weight: str = "normal") -> tuple[str, set[str]]:
    """Return a text with boxes for the letters that the font lacks, and these letters."""
    lacking = {letter for letter in text if not _has_letter(weight, letter)}
    return "".join(NO_LETTER if letter in lacking else letter for letter in text), lacking


def warn_of(lacking: set[str], pictures: str, way_out: str = "") -> None:
    """Warn, once for a picture, of letters that the font lacks."""
    listed = ", ".join(map(repr, sorted(lacking)[:5])) + " and more" * (len(lacking) > 5)
    warnings.warn(f"the font of {pictures} ({FONT}) lacks {listed}, boxes stand there{way_out}", stacklevel=4)


@lru_cache(maxsize=1024)
def _has_letter(weight: str, letter: str) -> bool:
    """Say whether the font of this weight has a letter."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family=FONT, weight=weight))).get_char_index(ord(letter)) != 0


@lru_cache(maxsize=256)
def outline_of(data: str) -> Any:
    """Return a path's data as a path of matplotlib."""
    from matplotlib.path import Path as Outline

    points: list[tuple[float, float]] = []
    codes: list[Any] = []
    x = y = 0.0
    start = (0.0, 0.0)
    for command, numbers in _commands(data):
        kind = command.lower()
        across, down = (x, y) if command.islower() else (0.0, 0.0)  # what relative coordinates count from
        if kind == "z":
            points.append(start)
            codes.append(Outline.CLOSEPOLY)
            x, y = start
            continue
        if kind == "h":
            x = numbers[0] + across
        elif kind == "v":
            y = numbers[0] + down
        else:
            corners = [(a + across, b + down) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
            points += corners[:-1]
            codes += [Outline.CURVE4] * len(corners[:-1])
            x, y = corners[-1]
        points.append((x, y))
        codes.append({"m": Outline.MOVETO, "c": Outline.CURVE4}.get(kind, Outline.LINETO))
        start = (x, y) if kind == "m" else start
    return Outline(points, codes)


def _commands(data: str) -> Iterable[tuple[str, list[float]]]:
    """Yield the commands of a path with their numbers; one that is given once for several sets of numbers, for each."""
    tokens = [(letter, number) for letter, number in TOKEN.findall(data)]
    at, command = 0, ""
    while at < len(tokens):
        if tokens[at][0]:
            command = tokens[at][0]
            at += 1
        size = NUMBERS[command.lower()]
        yield command, [float(number) for _, number in tokens[at : at + size]]
        at += size
        command = {"m": "l", "M": "L"}.get(command, command)
