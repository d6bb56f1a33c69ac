"""The shapes of the pieces, black on a square of 40 by 40: drawn, so that they look the same whatever fonts a reader has."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin

from nqueens_cp.render.drawing import Group, Item, Path, Symbol, plain, rectangle

BLACK, LIGHT = "#1b1b1b", "#ffffff"
BASE = rectangle(9.5, 31.5, 21, 3.6)


def _disc(x: float, y: float, radius: float) -> str:
    """Return a circle as four curves, clockwise as all outlines here, so that what overlaps is filled."""
    bend = radius * 0.5523
    corners = [(0, -radius), (radius, 0), (0, radius), (-radius, 0), (0, -radius)]
    parts = [f"M{plain(x)} {plain(y - radius)}"]
    for (a, b), (c, d) in pairwise(corners):
        # A circle leaves the corner (a, b) towards (-b, a), and comes to (c, d) from (d, -c).
        points = (
            (a - b * bend / radius, b + a * bend / radius),
            (c + d * bend / radius, d - c * bend / radius),
            (c, d),
        )
        parts.append("C" + " ".join(f"{plain(x + u)} {plain(y + v)}" for u, v in points))
    return "".join(parts) + "z"


def _star() -> str:
    corners = []
    for k in range(10):
        radius, angle = (14.5 if k % 2 == 0 else 6.2), pi * k / 5
        corners.append(f"{plain(20 + radius * sin(angle))} {plain(21 - radius * cos(angle))}")
    return f"M{'L'.join(corners)}z"


def _shape(*outlines: str) -> Path:
    return Path("".join(outlines), BLACK)


QUEEN = _shape(
    "M11.5 29.6L7.2 14.8L13.6 20.6L13.9 10.6L18 19.6L20 9L22 19.6L26.1 10.6L26.4 20.6L32.8 14.8L28.5 29.6z",
    *(_disc(x, y, 2.1) for x, y in ((6.8, 13.2), (13.6, 9), (20, 7.2), (26.4, 9), (33.2, 13.2))),
    BASE,
)
SHAPES: dict[str, tuple[Item, ...]] = {
    "queen": (QUEEN,),
    "amazon": (QUEEN,),
    "rook": (
        _shape("M10 8h4.6v3.4h3.2v-3.4h4.4v3.4h3.2v-3.4h4.6v8.2l-3.4 2.6v7.6l2 3.2h-17.2l2-3.2v-7.6l-3.4-2.6z", BASE),
    ),
    "bishop": (
        _shape(
            "M20 9.4C25.6 13 28.6 17.6 27.6 22C27 24.6 25 26.6 24.4 29.6H15.6C15 26.6 13 24.6 "
            "12.4 22C11.4 17.6 14.4 13 20 9.4z",
            _disc(20, 7.6, 2.4),
            BASE,
        ),
        Path("M20 16.6v7.6M16.6 20h6.8", stroke=LIGHT, width=1.5),
    ),
    "knight": (
        _shape(
            "M12.6 29.6C13 24.6 17.6 22.6 18.4 18.6C16.6 20.4 14.6 20.2 13.2 21.6C11.8 23 9.6 23.6 8.4 22.2C7.4 21 8.2 19.2 "
            "9.2 17.6C10.8 15.2 11 12.6 13.6 10.6L13 6.8L17 9.2C25 8.8 30.4 14.4 30.2 23C30.1 25.6 29.4 27.8 28.8 29.6z",
            BASE,
        ),
        Path(_disc(15, 14.4, 1.2), LIGHT),
    ),
    "king": (
        _shape(
            "M18.7 4.6h2.6v2.9h2.9v2.6h-2.9v3.4h-2.6v-3.4h-2.9v-2.6h2.9z",
            "M11.6 29.6C4.4 24 6.4 15.6 13 15.6C16.6 15.6 18.6 17.6 20 20.6C21.4 17.6 23.4 15.6 27 15.6C33.6 15.6 "
            "35.6 24 28.4 29.6z",
            "M20 12.4C22.4 12.4 23.2 14.2 22.4 16L20 20L17.6 16C16.8 14.2 17.6 12.4 20 12.4z",
            BASE,
        ),
    ),
    "star": (_shape(_star()),),
    "point": (_shape(_disc(20, 20, 10)),),
}


def symbol_of(piece: str, *, small: bool = False) -> Symbol:
    """Return the shape of a piece, or a smaller one that leaves room for writing; of a piece without one that of a point."""
    name = piece if piece in SHAPES else "point"
    return Symbol(name, (Group(SHAPES[name], 4.4, 5.4, 0.78),) if small else SHAPES[name])
