"""Writing puzzles: text with a grid of regions and one of marks, lists of cells, JSON. `reading` reads it all back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Any

from nqueens_cp.board import Square
from nqueens_cp.errors import InvalidValue

if TYPE_CHECKING:
    from nqueens_cp.puzzles.puzzle import Puzzle

QUEEN, CROSSED, EMPTY = "Q", "x", "."
FIRST_ONLY, SECOND_ONLY = "1", "2"
FORMATS = ("text", "cells", "json")
LONGEST_NAME = 20
HEADERS = ("stars", "id", "given", "crossed")
"""Names before a colon that are no region's."""


def write(puzzle: Puzzle, form: str) -> str:
    """Return a puzzle in one of `FORMATS`, without a newline at its end; "json" is one line."""
    if form not in FORMATS:
        raise InvalidValue(f"format: {form!r} is none of {', '.join(FORMATS)}")
    return {"text": as_text, "cells": as_cells, "json": as_json}[form](puzzle)


def as_text(puzzle: Puzzle, solutions: Sequence[Sequence[Square]] = ()) -> str:
    """Return a puzzle as text; its queens are those given, or those of a solution, or of two that differ."""
    names = text_labels(puzzle) if puzzle.size > 1 else [ascii_uppercase[0]]  # alone, a long label would be several
    between = "" if all(len(name) == 1 for name in names) else " "
    width = max(map(len, names))
    lines = [*_headers(puzzle)]
    lines += [between.join(names[k].ljust(width) for k in row).rstrip() for row in puzzle.grid]
    if solutions or puzzle.given or puzzle.crossed:
        lines.append("")
        lines += [between.join(mark.ljust(width) for mark in row).rstrip() for row in marks(puzzle, solutions)]
    both = sorted(puzzle.given & puzzle.crossed)
    if both and not solutions:  # one mark cannot say both
        lines.append(f"crossed: {_cells(both)}")
    return "\n".join(lines)


def marks(puzzle: Puzzle, solutions: Sequence[Sequence[Square]] = ()) -> list[list[str]]:
    """Return what is written for each cell: a queen, a cross, nothing, or in which of two solutions a queen is there."""
    first = set(solutions[0]) if solutions else puzzle.given
    second = set(solutions[1]) if len(solutions) > 1 else first

    def mark(cell: Square) -> str:
        if cell in first or cell in second:
            return QUEEN if cell in first and cell in second else FIRST_ONLY if cell in first else SECOND_ONLY
        return CROSSED if cell in puzzle.crossed else EMPTY

    return [[mark((row, column)) for column in range(puzzle.size)] for row in range(puzzle.size)]


def as_cells(puzzle: Puzzle) -> str:
    """Return a puzzle as lines of text, one for each region: its label, a colon, its cells."""
    lists: list[list[Square]] = [[] for _ in puzzle.labels]
    for r, row in enumerate(puzzle.grid):
        for c, k in enumerate(row):
            lists[k].append((r, c))
    lines = [*_headers(puzzle)]
    lines += [f"{name}: {_cells(cells)}" for name, cells in zip(text_labels(puzzle), lists, strict=True)]
    lines += [
        f"{what}: {_cells(sorted(cells))}"
        for what, cells in (("given", puzzle.given), ("crossed", puzzle.crossed))
        if cells
    ]
    return "\n".join(lines)


def as_json(puzzle: Puzzle) -> str:
    """Return a puzzle as one line of JSON."""
    return json.dumps(as_record(puzzle), ensure_ascii=False, separators=(",", ":"))


def as_record(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as what is written to JSON; labels that JSON does not keep apart become strings or letters."""
    labels: Sequence[Any] = puzzle.labels
    if not (all(type(label) is int for label in labels) or all(_plain_string(label) for label in labels)):
        labels = text_labels(puzzle)
    record: dict[str, Any] = {} if puzzle.id is None else {"id": puzzle.id}
    rows = [[labels[k] for k in row] for row in puzzle.grid]
    short = all(isinstance(label, str) and len(label) == 1 for label in labels)
    record["regions"] = list(map("".join, rows)) if short else rows
    if puzzle.stars != 1:
        record["stars"] = puzzle.stars
    for what, cells in (("given", puzzle.given), ("crossed", puzzle.crossed)):
        if cells:
            record[what] = sorted(map(list, cells))
    if puzzle.difficulty is not None:
        record["difficulty"] = puzzle.difficulty
    return record


def text_labels(puzzle: Puzzle) -> list[str]:
    """Return the labels as strings that text can hold, all different; if some cannot be, all are replaced by letters."""
    names = [_name(label) for label in puzzle.labels]
    if len(set(names)) == len(names) and all(map(_fits_text, names)):
        return names
    letters = ascii_uppercase + ascii_lowercase
    if len(names) <= len(letters):
        return list(letters[: len(names)])
    return [f"{ascii_uppercase[k // 26]}{ascii_uppercase[k % 26]}" for k in range(len(names))]


def _name(label: Any) -> str:
    """Return a label as a string, or an empty one where it is too long or no string and no integer."""
    short = isinstance(label, int) and abs(label) < 10 ** (LONGEST_NAME - 1)
    return str(label) if short or (isinstance(label, str) and len(label) <= LONGEST_NAME) else ""


def _fits_text(name: str) -> bool:
    return bool(re.fullmatch(r"[^\s:#\[{]+", name)) and name.isprintable() and name not in HEADERS


def _plain_string(label: Any) -> bool:
    return type(label) is str and label != "" and label.isprintable()


def _headers(puzzle: Puzzle) -> list[str]:
    lines = [] if puzzle.id is None else [f"id: {puzzle.id}"]
    return lines if puzzle.stars == 1 else [*lines, f"stars: {puzzle.stars}"]


def _cells(cells: Sequence[Square]) -> str:
    return " ".join(f"({row},{column})" for row, column in cells)
