"""Comparisons as records that can be saved as JSON and read again; what others may have changed is checked."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from nqueens_cp.checks import shown
from nqueens_cp.comparison.measure import Measurement
from nqueens_cp.comparison.records import FIGURES, Comparison, Difference, Row, flat
from nqueens_cp.errors import InvalidValue
from nqueens_cp.result import Solution

FORMAT = 2


class SavedSolution(NamedTuple):
    """A solution as a saved comparison holds it: its values, and how it looks."""

    values: dict[str, Any]
    text: str
    picture: str = ""

    @classmethod
    def of(cls, solution: Solution | SavedSolution) -> SavedSolution:
        """Return what is to be saved of a solution."""
        try:
            picture = solution.svg()
        except InvalidValue:  # no board
            picture = ""
        return cls(solution.as_dict(), str(solution), picture)

    def as_dict(self) -> dict[str, Any]:
        """Return the values of the variables, by name."""
        return self.values

    def svg(self) -> str:
        """Return the board as SVG."""
        if not self.picture:
            raise InvalidValue("this solution has no board")
        return self.picture

    def __str__(self) -> str:
        return self.text


def as_record(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as what JSON can hold; `from_record` reads it again."""
    rows = []
    for row in comparison.rows:
        record = flat(row)
        record["statistics"] = row.statistics
        measurements = [asdict(measurement) for measurement in row.measurements]
        for measurement in measurements:
            del measurement["listed"]
        record["measurements"] = measurements
        rows.append(record)
    difference = comparison.difference
    return {
        "format": FORMAT,
        "model": comparison.model,
        "agree": comparison.agree,
        "setting": comparison.setting,
        "rows": rows,
        "difference": None
        if difference is None
        else {
            "model": difference.model,
            "found_by": difference.found_by,
            "missed_by": difference.missed_by,
            "solution": SavedSolution.of(difference.solution)._asdict(),
            "other": None if difference.other is None else SavedSolution.of(difference.other)._asdict(),
            "breaks": difference.breaks,
        },
    }


def from_record(record: Any, where: str) -> Comparison:
    """Return the comparison that `as_record` made a record of.

    Raises
    ------
    InvalidValue
        It is no such record; `where` names it in the message.
    """
    try:
        if record["format"] != FORMAT:
            raise InvalidValue(f"{where}: the format {record['format']!r} is not the one known here, {FORMAT}")
        rows = tuple(
            Row.of(
                _a(row["model"], str, "model"),
                _a(row["size"], int | None, "size"),
                [_measurement(measurement) for measurement in row["measurements"]],
            )
            for row in record["rows"]
        )
        setting = _a(record["setting"], dict, "setting")
        for name, kind in SETTING.items():
            _a(setting.get(name), kind, name)
        difference = record["difference"]
        if difference is not None:
            solution, other = (
                None if difference[name] is None else _solution(difference[name]) for name in ("solution", "other")
            )
            if solution is None:
                raise TypeError("the difference has no solution")
            texts = {name: _a(difference[name], str, name) for name in ("model", "found_by", "missed_by", "breaks")}
            difference = Difference(solution=solution, other=other, **texts)
        agree = _a(record["agree"], bool | None, "agree")
        return Comparison(_a(record["model"], str, "model"), rows, agree, difference, setting)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise InvalidValue(f"{where}: this is no saved comparison ({type(error).__name__}: {error})") from None


SETTING: dict[str, Any] = {
    "made": str | None,
    "task": str,
    "time_limit": int | float | None,
    "memory_limit": int | float | None,
    "repeats": int,
    "pinned": bool | None,
    "machine": dict,
    "load_before": int | float | None,
    "load_after": int | float | None,
    "maximize": dict,
    "interrupted": bool | None,
    "remark": str | None,
}
"""What the setting of a saved comparison holds, and of which type."""


def _a(value: Any, kind: Any, name: str) -> Any:
    """Return a value of a record, if it is of the right type."""
    whole = kind in (int, int | None)
    if not isinstance(value, kind) or (whole and isinstance(value, bool)):
        raise TypeError(f"{name} is {shown(value)}")
    return value


def _measurement(record: Any) -> Measurement:
    measurement = Measurement(**record)
    for name in ("backend", "status", "digest", "version", "reason", "model"):
        _a(getattr(measurement, name), str, name)
    for name in ("solutions", "objective"):
        _a(getattr(measurement, name), int | None, name)
    for name in FIGURES:
        _a(getattr(measurement, name), int | float | None, name)
    if measurement.is_complete:
        _a(measurement.solve_seconds, int | float, "solve_seconds")
    for name, value in _a(measurement.statistics, dict, "statistics").items():
        _a(value, int | float | str, name)
    return measurement


def _solution(record: Any) -> SavedSolution:
    solution = SavedSolution(**record)
    for name, kind in (("values", dict), ("text", str), ("picture", str)):
        _a(getattr(solution, name), kind, name)
    return solution


def load_comparison(path: str | Path) -> Comparison:
    """Read a comparison that was saved as JSON."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidValue(f"{path}: cannot be read as a saved comparison: {error}") from None
    return from_record(record, str(path))
