"""Checking the rows of a file of solutions, one after the other: `RowCheck`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nqueens_cp.checks import INT64_MAX, INT64_MIN
from nqueens_cp.control import Control
from nqueens_cp.listing.checker import Checker
from nqueens_cp.listing.formats import Array, ArrayFile, Format
from nqueens_cp.listing.metadata import RUNNING, Metadata
from nqueens_cp.listing.reading import Units
from nqueens_cp.listing.report import Report
from nqueens_cp.model import Problem
from nqueens_cp.relations import shorten
from nqueens_cp.symmetry import symmetry_group

SHOWN = 200  # letters of an offending line


class Place(NamedTuple):
    """Rows of a file: the bytes, what they hold, how many come before; and why what follows them cannot be read."""

    units: bytes
    batch: Array
    before: int
    fault: str = ""


@dataclass(slots=True)
class Fault(Exception):
    what: str
    row: int | None = None
    """Which unit, from 0."""
    text: str = ""


class RowCheck:
    """The check of one file."""

    def __init__(self, path: Path, form: Format, known: Metadata | None, control: Control) -> None:
        self.path, self.form, self.known, self.control = path, form, known, control
        self.rows = 0
        self.orbits_hold = 0
        self.ordered = True
        self.digest = sha256()

    def run(self, problem: Problem) -> Report:
        """Return what is found out; what is wrong first comes first."""
        report = Report(
            str(self.path), problem.name, self.form.name, status=None if self.known is None else self.known.status
        )
        if self.known is not None:
            report = replace(report, partial=not self.known.complete)
        fault: Fault | None = None
        try:
            self._check_rows(problem)
        except Fault as error:
            fault = error
        if not self.ordered and self.rows:
            fault = self._repeated() or fault
        report = replace(report, solutions=self.rows, ordered=self.ordered)
        if fault is not None:
            report = replace(
                report,
                fault=fault.what,
                line=None if fault.row is None else self.line(fault.row),
                content=shorten(fault.text, SHOWN),
            )
        return report

    def line(self, row: int) -> int:
        """Return in which line, counted from 1, a row stands."""
        return row * max(1, self.form.unit_lines) + self.form.header.count(b"\n") + 1

    def _check_rows(self, problem: Problem) -> None:
        checker, last = Checker(problem), None
        group = symmetry_group(problem, self.control) if self.form.orbits else None
        for place in self.places():
            own = place.batch[:, : len(problem.variables)]
            wrong = checker.first_fault(own)
            good = own if wrong is None else own[:wrong]
            if group is not None:
                self._check_orbits(group, place, good)
            if self.ordered:
                joined = good if last is None else np.concatenate([last, good])
                self._check_order(joined, place, 0 if last is None else 1)
                last = joined[-1:]
            self.rows = place.before + len(good)
            if wrong is not None:
                row = tuple(own[wrong].tolist())
                raise Fault(checker.reason(row), place.before + wrong, self._text(place, wrong))
            if place.fault:
                raise Fault(place.fault, place.before + len(own), self._text(place, len(own)))

    def _check_orbits(self, group: Any, place: Place, good: Array) -> None:
        smallest, sizes = group.representatives(good)
        given = place.batch[: len(good), -1]
        wrong = ~smallest | (sizes != given)
        if wrong.any():
            row = int(wrong.argmax())
            what = f"its orbit has {sizes[row]} solutions" if smallest[row] else "it is not the smallest of its orbit"
            self.rows = place.before + row
            raise Fault(what, self.rows, self._text(place, row))
        self.orbits_hold += int(sizes.sum())

    def _check_order(self, rows: Array, place: Place, carried: int) -> None:
        """Note whether rows ascend; two equal neighbours are a fault."""
        order = ascents(rows)
        if (order == 0).any():
            row = int((order == 0).argmax()) + 1 - carried
            if (order[: row + carried - 1] < 0).any():
                self.ordered = False  # the first repeated one may have come before
                return
            self.rows = place.before + row
            raise Fault("it repeats the one before", place.before + row, self._text(place, row))
        self.ordered = not (order < 0).any()

    def places(self) -> Iterator[Place]:
        """Yield the rows of the file.

        Raises
        ------
        Fault
            The file as a whole is not what it should be.
        """
        units, before = Units(self.path, self.form), 0
        started = False
        self.digest = sha256()
        for piece in units:
            self.control.found = before
            self.control.poll()
            if not started:
                self._check_header(units)
            self.digest.update(self.form.joined(piece, not started))
            started = True
            batch = units.batch(piece)
            place = Place(piece, batch, before) if batch is not None else self._one_by_one(units, piece, before)
            yield place
            before += len(place.batch)
        if not started:
            self._check_header(units)
            if units.rows is not None and not self.form.columns:  # an array without columns has rows all the same
                yield Place(b"", np.empty((units.rows, 0), dtype=self.form.dtype), 0)
                before = units.rows
        if units.fault:
            raise Fault(units.fault)
        if units.rest.strip():
            last = self._without_line_end(units, before)
            if last is None:
                text = "" if isinstance(self.form, ArrayFile) else units.rest.decode("utf-8", "replace")
                raise Fault("it ends in the middle of a solution", before, text)
            yield last
        if units.rows is not None and units.rows != before:
            raise Fault(f"its header says {units.rows} rows, and it holds {before}")

    def _without_line_end(self, units: Units, before: int) -> Place | None:
        """Return the last solution of a file whose last line has no end, if it is whole; editors leave it so."""
        lines = self.form.unit_lines
        whole = units.rest.rstrip(b"\r\n") + b"\n" * min(lines, 2)
        if lines == 0 or whole.count(b"\n") != lines:
            return None
        place = self._one_by_one(units, whole, before)
        self.digest.update(self.form.joined(whole, before == 0))
        return None if place.fault else place

    def _check_header(self, units: Units) -> None:
        if units.fault:
            raise Fault(units.fault)
        wanted = None if self.known is None else self.known.dtype
        if isinstance(self.form, ArrayFile):
            if wanted is not None and units.dtype != np.dtype(wanted):
                raise Fault(f"its numbers are {units.dtype}, and the metadata says {wanted}")
            return
        self.digest.update(units.header)
        if not self.form.accepts_header(units.header):
            first = (units.header or units.rest).decode("utf-8", "replace").split("\n")[0]
            expected = self.form.header.decode().rstrip("\n")
            raise Fault(f"its first line is not {shorten(expected, SHOWN)}", -1, first)

    def _one_by_one(self, units: Units, piece: bytes, before: int) -> Place:
        rows: list[tuple[int, ...]] = []
        fault = ""
        for _, _, row in units.rows_one_by_one(piece):
            if isinstance(row, str):
                fault = row
                break
            if any(not INT64_MIN <= value <= INT64_MAX for value in row):
                fault = "it holds a number that does not fit into 64 bits"
                break
            rows.append(row)
        return Place(piece, np.array(rows, dtype=np.int64).reshape(len(rows), len(self.form.columns)), before, fault)

    def _text(self, place: Place, row: int) -> str:
        if isinstance(self.form, ArrayFile):
            return " ".join(map(str, place.batch[row].tolist()))
        lines = self.form.unit_lines
        own = place.units.split(b"\n")[row * lines : (row + 1) * lines]
        return b"\n".join(own).decode("utf-8", "replace").rstrip()

    def _repeated(self) -> Fault | None:
        """Find the first row that was there before, among those that were checked; for files in no order."""
        weights = np.random.default_rng().integers(0, 1 << 63, size=len(self.form.columns), dtype=np.uint64) * 2 + 1
        hashes = [self._hashes(place, weights) for place in self._checked_places()]
        together = np.sort(np.concatenate(hashes))
        twice = np.unique(together[1:][together[1:] == together[:-1]])
        if not len(twice):
            return None
        seen: set[tuple[int, ...]] = set()
        for place in self._checked_places():
            for row in np.flatnonzero(np.isin(self._hashes(place, weights), twice)).tolist():
                values = tuple(place.batch[row].tolist())
                if values in seen:
                    return Fault("it was there before", place.before + row, self._text(place, row))
                seen.add(values)
        return None

    def _checked_places(self) -> Iterator[Place]:
        with suppress(Fault):  # what is wrong behind them is known already
            for place in self.places():
                left = self.rows - place.before
                if left <= 0:
                    return
                yield place._replace(batch=place.batch[:left])

    @staticmethod
    def _hashes(place: Place, weights: Array) -> Array:
        hashes: Array = place.batch.astype(np.int64).view(np.uint64) @ weights
        return hashes

    def unlike_metadata(self) -> str:
        """Say in what the file is not as its metadata says; "" if it is."""
        known = self.known
        if known is None or known.count is None or known.status == RUNNING:
            return ""
        if known.count != self.rows:
            return f"it holds {self.rows} solutions, and the metadata says {known.count}"
        if known.digest != f"sha256:{self.digest.hexdigest()}":
            return "its digest is not that of the metadata, though the solutions are right: it was written anew"
        return ""


def ascents(rows: Array) -> Array:
    """Say for each two neighbouring rows whether the second is lexicographically greater (1), equal (0) or smaller (-1)."""
    if len(rows) < 2 or not rows.shape[1]:
        return np.zeros(max(0, len(rows) - 1), dtype=np.int8)
    first, second = rows[:-1], rows[1:]
    place = (first != second).argmax(axis=1)
    every = np.arange(len(place))
    a, b = first[every, place], second[every, place]
    signs: Array = (b > a).astype(np.int8) - (b < a).astype(np.int8)
    return signs
