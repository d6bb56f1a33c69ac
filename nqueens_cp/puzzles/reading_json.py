"""Puzzles as JSON. What is wrong is told in JSON's own words, with the key or the cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.puzzles.maker import checked_id, puzzle
from nqueens_cp.puzzles.puzzle import MOST_STARS, Puzzle

KEYS = ("regions", "given", "crossed", "stars", "id")
MAX_DIGITS = 1000
LONGEST_DIFFICULTY = 40


def loads(text: str, where: str) -> Any:
    """Return the JSON value of a text; `where` names it in errors."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        place = f"at {line}character {error.colno}"
        if error.msg == "Extra data":
            raise InvalidValue(f"{where}: more JSON, {place}; several puzzles are one a line, or a list") from None
        raise InvalidValue(f"{where}: no JSON: {error.msg}, {place}") from None
    except RecursionError:
        raise InvalidValue(f"{where}: the JSON is nested too deeply") from None
    except InvalidValue as error:
        raise InvalidValue(f"{where}: {error}") from None


def from_json(value: Any, where: str) -> Puzzle:
    """Return the puzzle that a JSON value describes: an object with "regions", or the regions alone."""
    try:
        return _puzzle(value)
    except (InvalidValue, InvalidType) as error:
        raise type(error)(f"{where}: {error}") from None


def id_in(value: Any) -> str | int | None:
    """Return the id of a JSON object, if it has one that may be one."""
    try:
        return checked_id(value.get("id")) if isinstance(value, Mapping) else None
    except (InvalidValue, InvalidType):
        return None


def _puzzle(value: Any) -> Puzzle:
    has_keys = isinstance(value, Mapping) and "regions" in value
    record = value if has_keys else {"regions": value}
    for key in value if isinstance(value, Mapping) else ():
        if key not in KEYS and (has_keys or not _is_cells(value[key])):  # else it may be the label of a region
            _refuse_misspelt(key)
    if record is not value and isinstance(value, Mapping):
        for key, cells in value.items():
            if not _is_cells(cells):
                raise InvalidValue(f'there is no key "regions", and {written(key)} is no list of cells like [[0, 1]]')
    regions = record["regions"]
    _check_regions(regions)
    others = {key: record[key] for key in ("given", "crossed", "stars") if record.get(key) is not None}
    if "stars" in others and not _is_integer(others["stars"]):
        raise InvalidType(f"stars: expected a whole number from 1 to {MOST_STARS}, got {written(others['stars'])}")
    for key in ("given", "crossed"):
        _check_cells(others.get(key, []), key)
    identity = record.get("id")
    if not (identity is None or isinstance(identity, str) or _is_integer(identity)):
        raise InvalidType(f"id: expected a string or an integer, got {written(identity)}")
    return replace(puzzle(regions, **others), id=checked_id(identity), difficulty=_difficulty(record))


def _difficulty(record: Mapping[Any, Any]) -> str | None:
    """Return the key "difficulty" as `puzzle new --json` writes it; anything else is somebody else's key."""
    value = record.get("difficulty")
    return value if isinstance(value, str) and value.isprintable() and 0 < len(value) <= LONGEST_DIFFICULTY else None


def _check_regions(regions: Any) -> None:
    if isinstance(regions, Mapping):
        for name, cells in regions.items():
            _check_cells(cells, f"regions: {written(name)}")
        return
    if not isinstance(regions, list):
        raise InvalidType(f"regions: expected rows of labels or lists of cells, got {written(regions)}")
    as_cells = any(map(_is_cells, filter(None, regions)))
    for number, entry in enumerate(regions):
        if as_cells:
            _check_cells(entry, f"regions: entry {number}")
        elif not isinstance(entry, list | str):
            raise InvalidType(f"regions: entry {number} is {written(entry)}, no row and no list of cells")
        elif set(map(type, entry)) != {int}:
            _check_labels(number, entry)


def _check_labels(row: int, labels: Iterable[Any]) -> None:
    """Refuse labels that are no strings that can be printed and no integers."""
    for column, label in enumerate(labels):
        if isinstance(label, str):
            if not (label and label.isprintable()):
                raise InvalidValue(f"regions: the label of ({row}, {column}) is {written(label)}, not printable")
        elif not _is_integer(label):
            raise InvalidType(
                f"regions: the label of ({row}, {column}) is {written(label)}; labels are strings or integers"
            )


def _check_cells(cells: Any, what: str) -> None:
    if not isinstance(cells, list):
        raise InvalidType(f"{what}: expected a list of cells like [[0, 1], [2, 0]], got {written(cells)}")
    for cell in cells:
        if not _is_cell(cell):
            raise InvalidType(f"{what}: {written(cell)} is no cell; [0, 1] is row 0, column 1")


def _is_cells(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_cell, value))


def _is_cell(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_integer, value))


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def written(value: Any) -> str:
    """Return a value as JSON, cut short where it would flood a message."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        text = text if text.isprintable() else json.dumps(value)
    except (ValueError, RecursionError):
        return "a value too large to show"
    return text if len(text) <= 60 else text[:50] + "..."


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidValue(f"the key {written(twice)} is given twice")
    return record


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise InvalidValue(f"a number in the JSON has {len(text)} digits")
    return int(text)


def _no_constant(name: str) -> None:
    raise InvalidValue(f"no JSON: {name} is no number")


def _refuse_misspelt(key: str) -> None:
    near = _near_key(key[:20])
    if near:
        raise InvalidValue(f"unknown key {written(key)}; it is written {written(near)}")


@lru_cache(maxsize=1000)
def _near_key(key: str) -> str:
    return next(iter(get_close_matches(key.lower(), KEYS, cutoff=0.75)), "")
