"""A drawing as SVG text, self-contained and always the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from zlib import crc32

from nqueens_cp.render.drawing import INK, PAPER, SOFT, Circle, Drawing, Group, Item, Path, Symbol, Text, Use, plain
from nqueens_cp.webpage import text_of

FONT = "system-ui, sans-serif"
DARK = {PAPER: "#0d1117", INK: "#e6edf3", SOFT: "#9da7b1"}
"""What takes the place of the ground and of writing where the reader has chosen dark pages."""
NAMES = {PAPER: "paper", INK: "ink", SOFT: "soft"}


def svg_text(drawing: Drawing) -> str:
    """Return a drawing as SVG."""
    width, height = plain(drawing.width), plain(drawing.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="nqueens-cp" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="{FONT}">',
        f"<title>{text_of(drawing.title)}</title>",
    ]
    if drawing.paper:
        rules = "".join(f".nqueens-cp .{NAMES[colour]}{{fill:{dark}}}" for colour, dark in DARK.items())
        parts.append(f"<style>@media screen and (prefers-color-scheme:dark){{{rules}}}</style>")
    symbols = list(dict.fromkeys(_symbols(drawing.items)))
    if symbols:
        parts.append("<defs>")
        parts += [f'<g id="{_identity(symbol)}">{_written(symbol.items)}</g>' for symbol in symbols]
        parts.append("</defs>")
    if drawing.paper:
        parts.append(f'<rect class="paper" width="{width}" height="{height}" fill="{PAPER}"/>')
    return "\n".join([*parts, *map(_element, drawing.items), "</svg>\n"])


def _symbols(items: Iterable[Item]) -> Iterator[Symbol]:
    """Yield the symbols that are used, those that others use before them."""
    for item in items:
        if isinstance(item, Use):
            yield from _symbols(item.symbol.items)
            yield item.symbol
        elif isinstance(item, Group):
            yield from _symbols(item.items)


def _identity(symbol: Symbol) -> str:
    """Return a name for a symbol that other pictures on the same page use only for the same shape."""
    return f"{symbol.name}-{crc32(_written(symbol.items).encode()):08x}"


def _written(items: Iterable[Item]) -> str:
    return "".join(map(_element, items))


def _element(item: Item) -> str:
    if isinstance(item, Path):
        dash = f' stroke-dasharray="{" ".join(map(plain, item.dash))}"' if item.dash else ""
        return f'<path{_kind(item.kind)} d="{item.data}"{_paint(item)}{dash}/>'
    if isinstance(item, Circle):
        place = f'cx="{plain(item.x)}" cy="{plain(item.y)}" r="{plain(item.radius)}"'
        return f"<circle{_kind(item.kind)} {place}{_paint(item)}/>"
    if isinstance(item, Text):
        classes = " ".join(filter(None, (item.kind, NAMES.get(item.fill, ""))))
        anchor = "" if item.anchor == "start" else f' text-anchor="{item.anchor}"'
        weight = ' font-weight="600"' if item.bold else ""
        return (
            f'<text{_kind(classes)} x="{plain(item.x)}" y="{plain(item.y)}" font-size="{plain(item.size)}"{anchor}'
            f'{weight} fill="{item.fill}">{text_of(item.text)}</text>'
        )
    if isinstance(item, Use):
        return f'<use{_kind(item.kind)} href="#{_identity(item.symbol)}"{_place(item.x, item.y)}/>'
    title = f"<title>{text_of(item.title)}</title>" if item.title else ""
    moves = f"translate({plain(item.x)} {plain(item.y)})" if item.x or item.y else ""
    scales = f"scale({item.scale:.6g})" if item.scale != 1 else ""
    transform = f' transform="{moves}{scales}"' if moves or scales else ""
    return f"<g{_kind(item.kind)}{transform}>{title}{_written(item.items)}</g>"


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _place(x: float, y: float) -> str:
    return (f' x="{plain(x)}"' if x else "") + (f' y="{plain(y)}"' if y else "")


def _paint(item: Path | Circle) -> str:
    paint = f' fill="{item.fill}"'
    if item.stroke != "none":
        paint += f' stroke="{item.stroke}" stroke-width="{plain(item.width)}"'
        paint += ' stroke-linecap="square"' if isinstance(item, Path) and not item.dash else ""
    return paint + (f' opacity="{plain(item.opacity)}"' if item.opacity != 1 else "")
