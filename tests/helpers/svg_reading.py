"""What is drawn in an SVG picture of boards."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree


def elements(picture: str | Path, kind: str) -> list[ElementTree.Element]:
    """Return the elements of a class, in a picture as text or in a file."""
    text = picture.read_text(encoding="utf-8") if isinstance(picture, Path) else picture
    return [one for one in ElementTree.fromstring(text).iter() if kind in (one.get("class") or "").split()]


def words(picture: str | Path, kind: str) -> list[str | None]:
    """Return the texts of the elements of a class."""
    return [element.text for element in elements(picture, kind)]


def squares_of(picture: str | Path, kind: str) -> list[set[tuple[int, int]]]:
    """Return for each board the squares, (row, column), with a shape of a kind; squares measure 40 within a board."""
    found = []
    for board in elements(picture, "diagram"):
        shapes = [element for element in board if element.get("class") == kind]
        places = [(shape.get("x") or shape.get("cx") or 0, shape.get("y") or shape.get("cy") or 0) for shape in shapes]
        found.append({(int(float(y)) // 40, int(float(x)) // 40) for x, y in places})
    return found


def boards(picture: str | Path) -> list[list[int]]:
    """Return the columns of the queens of each board, row by row."""
    found = []
    for board in elements(picture, "diagram"):
        pieces = [one for one in board if one.get("class") == "queen"]
        places = {int(piece.get("y", 0)) // 40: int(piece.get("x", 0)) // 40 for piece in pieces}
        assert sorted(places) == list(range(len(pieces))), "one in each row"
        found.append([places[row] for row in sorted(places)])
    return found
