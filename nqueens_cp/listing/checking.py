"""Checking files of solutions, whoever wrote them: `check_file`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nqueens_cp.backends import get_backend
from nqueens_cp.checks import INT64_MAX, INT64_MIN
from nqueens_cp.choosing import Choice, choose
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import BackendUnavailable, InvalidValue, UnsupportedModel
from nqueens_cp.listing.batches import BatchIterator
from nqueens_cp.listing.checker import Checker
from nqueens_cp.listing.formats import Array, ArrayFile, Format, format_name, make_format
from nqueens_cp.listing.metadata import Metadata, beside, load_described, read_metadata, statement_digest
from nqueens_cp.listing.reading import Units
from nqueens_cp.listing.report import Report
from nqueens_cp.loader import existing_file
from nqueens_cp.model import Model, Problem
from nqueens_cp.relations import shorten
from nqueens_cp.search import ProgressCallback, count_chosen, make_control, without_objective
from nqueens_cp.symmetry import symmetry_group
from nqueens_cp.variants import queens

SHOWN = 200  # letters of an offending line


def check_file(
    path: str | Path,
    model: Model | int | None = None,
    *,
    format: str | None = None,  # noqa: A002
    up_to_symmetry: bool | None = None,
    complete: bool = False,
    backend: str | None = None,
    time_limit: float | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> Report:
    """Check every solution in a file, that none is there twice, and that the file is as its metadata says.

    Memory is bounded where the file is in lexicographic order; otherwise 8 bytes a solution are needed to find repeated ones.

    Parameters
    ----------
    path : str or Path
        A file as `write_solutions` writes it, or one of the same kind from elsewhere.
    model : Model or int, optional
        Whose solutions they are; left out, the metadata beside the file tells it.
    format : str, optional
        Left out, the metadata or the ending tells it.
    up_to_symmetry : bool, optional
        Whether it holds one solution of each orbit, with the orbit's size; left out, the metadata tells it.
    complete : bool
        Find out too whether all solutions are there, by counting them with another backend than the one that listed them.
    backend : str, optional
        Who counts.
    time_limit : int or float, optional
        Seconds for the count.
    workers : int
        For the count.
    progress : callable, optional
        Called now and then with a `Progress`.

    Returns
    -------
    Report
        Its ``fault`` says what is wrong first.

    Raises
    ------
    InvalidValue
        There is no such file, or nothing tells its model or format.
    """
    where = existing_file(path)
    control = make_control(time_limit, workers, progress=progress)
    known = read_metadata(where)
    if model is None:
        if known is None:
            raise InvalidValue(
                f"{where}: {beside(where).name} is not there to tell of which model these are the solutions; name the model"
            )
        model = load_described(where, known)
    stated = model if isinstance(model, Model) else queens(model)
    problem = without_objective(stated, "check")
    name = known.format if known is not None and format is None else format_name(where, format)
    if up_to_symmetry is None:
        up_to_symmetry = known is not None and known.up_to_symmetry
    form = make_format(name, problem, orbits=up_to_symmetry)
    checking = _Checking(where, form, known, Control(progress=progress))
    report = checking.run(problem)
    if known is not None and known.statement != statement_digest(stated):
        note = f"the metadata is of another statement of model {known.model}"
        report = replace(report, notes=(*report.notes, note))
    if (complete or backend is not None) and report.ok:
        report = _counted(report, form, known, backend, checking.orbits_hold, control)
    return report if report.fault else replace(report, fault=checking.unlike_metadata())


class _Place(NamedTuple):
    """Rows of a file: the bytes, what they hold, how many come before; and why what follows them cannot be read."""

    units: bytes
    batch: Array
    before: int
    fault: str = ""


@dataclass(slots=True)
class _Fault(Exception):
    what: str
    row: int | None = None
    """Which unit, from 0."""
    text: str = ""


class _Checking:
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
        fault: _Fault | None = None
        try:
            self._check_rows(problem)
        except _Fault as error:
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
                raise _Fault(checker.reason(row), place.before + wrong, self._text(place, wrong))
            if place.fault:
                raise _Fault(place.fault, place.before + len(own), self._text(place, len(own)))

    def _check_orbits(self, group: Any, place: _Place, good: Array) -> None:
        smallest, sizes = group.representatives(good)
        given = place.batch[: len(good), -1]
        wrong = ~smallest | (sizes != given)
        if wrong.any():
            row = int(wrong.argmax())
            what = f"its orbit has {sizes[row]} solutions" if smallest[row] else "it is not the smallest of its orbit"
            self.rows = place.before + row
            raise _Fault(what, self.rows, self._text(place, row))
        self.orbits_hold += int(sizes.sum())

    def _check_order(self, rows: Array, place: _Place, carried: int) -> None:
        """Note whether rows ascend; two equal neighbours are a fault."""
        order = ascents(rows)
        if (order == 0).any():
            row = int((order == 0).argmax()) + 1 - carried
            if (order[: row + carried - 1] < 0).any():
                self.ordered = False  # the first repeated one may have come before
                return
            self.rows = place.before + row
            raise _Fault("it repeats the one before", place.before + row, self._text(place, row))
        self.ordered = not (order < 0).any()

    def places(self) -> Iterator[_Place]:
        """Yield the rows of the file.

        Raises
        ------
        _Fault
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
            place = _Place(piece, batch, before) if batch is not None else self._one_by_one(units, piece, before)
            yield place
            before += len(place.batch)
        if not started:
            self._check_header(units)
            if units.rows is not None and not self.form.columns:  # an array without columns has rows all the same
                yield _Place(b"", np.empty((units.rows, 0), dtype=self.form.dtype), 0)
                before = units.rows
        if units.fault:
            raise _Fault(units.fault)
        if units.rest.strip():
            last = self._without_line_end(units, before)
            if last is None:
                text = "" if isinstance(self.form, ArrayFile) else units.rest.decode("utf-8", "replace")
                raise _Fault("it ends in the middle of a solution", before, text)
            yield last
        if units.rows is not None and units.rows != before:
            raise _Fault(f"its header says {units.rows} rows, and it holds {before}")

    def _without_line_end(self, units: Units, before: int) -> _Place | None:
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
            raise _Fault(units.fault)
        wanted = None if self.known is None else self.known.dtype
        if isinstance(self.form, ArrayFile):
            if wanted is not None and units.dtype != np.dtype(wanted):
                raise _Fault(f"its numbers are {units.dtype}, and the metadata says {wanted}")
            return
        self.digest.update(units.header)
        if units.header.replace(b"\r", b"") != self.form.header:
            first = (units.header or units.rest).decode("utf-8", "replace").split("\n")[0]
            expected = self.form.header.decode().rstrip("\n")
            raise _Fault(f"its first line is not {shorten(expected, SHOWN)}", -1, first)

    def _one_by_one(self, units: Units, piece: bytes, before: int) -> _Place:
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
        return _Place(piece, np.array(rows, dtype=np.int64).reshape(len(rows), len(self.form.columns)), before, fault)

    def _text(self, place: _Place, row: int) -> str:
        if isinstance(self.form, ArrayFile):
            return " ".join(map(str, place.batch[row].tolist()))
        lines = self.form.unit_lines
        own = place.units.split(b"\n")[row * lines : (row + 1) * lines]
        return b"\n".join(own).decode("utf-8", "replace").rstrip()

    def _repeated(self) -> _Fault | None:
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
                    return _Fault("it was there before", place.before + row, self._text(place, row))
                seen.add(values)
        return None

    def _checked_places(self) -> Iterator[_Place]:
        with suppress(_Fault):  # what is wrong behind them is known already
            for place in self.places():
                left = self.rows - place.before
                if left <= 0:
                    return
                yield place._replace(batch=place.batch[:left])

    @staticmethod
    def _hashes(place: _Place, weights: Array) -> Array:
        hashes: Array = place.batch.astype(np.int64).view(np.uint64) @ weights
        return hashes

    def unlike_metadata(self) -> str:
        """Say in what the file is not as its metadata says; "" if it is."""
        known = self.known
        if known is None or known.count is None:
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


def _counted(
    report: Report, form: Format, known: Metadata | None, backend: str | None, orbits_hold: int, control: Control
) -> Report:
    """Say whether all solutions are there, by counting them."""
    listed_by = None if known is None else known.backend
    there = orbits_hold if form.orbits else report.solutions
    try:
        choice = _counter(form.problem, backend, listed_by, control)
        report = replace(report, counted_by=choice.backend.name)
        expected = count_chosen(form.problem, choice, control)
    except TimeLimitReached:
        note = f"not decided in time whether all are there: at least {control.found} were counted"
        return replace(report, at_least=control.found, notes=(*report.notes, note))
    report = replace(report, expected=expected, complete=there == expected)
    if there == expected:
        return report
    whose = f"{there} of the {expected} solutions that {report.counted_by} counts"
    how = "stand for" if form.orbits else "are"
    fault = f"not complete: there {how} {whose}"
    if known is not None and known.skip:
        fault += f"; {known.skip} were skipped when it was written"
    elif known is not None and not known.complete:
        fault += f"; its writing ended with status {known.status}"
    elif report.ordered and not form.orbits and there < expected:
        place = _first_missing(Path(report.file), form, control)
        if place is not None:
            report = replace(report, line=place[0], content=" ".join(map(str, place[1])))
            fault += "; the first that is missing would stand here"
    return replace(report, fault=fault)


def _counter(problem: Problem, backend: str | None, listed_by: str | None, control: Control) -> Choice:
    """Return who counts: the one asked for, otherwise another one than has listed the solutions."""
    if backend is not None:
        return choose(problem, backend, control)
    with suppress(UnsupportedModel, BackendUnavailable):
        return choose(problem, "cp-sat" if listed_by == "core" else "core", control)
    return choose(problem, "auto", control)


def _first_missing(path: Path, form: Format, control: Control) -> tuple[int, tuple[int, ...]] | None:
    """Return the first solution that a file in lexicographic order lacks, and the line where it would stand."""
    columns = len(form.problem.variables)
    with BatchIterator(form.problem, "auto", control, None, verify=False) as found:
        if not get_backend(found.backend).capabilities.lexicographic:
            return None
        checking = _Checking(path, form, None, control)
        wanted = np.empty((0, columns), dtype=form.dtype)
        for place in checking.places():
            rows = place.batch[:, :columns]
            while len(wanted) < len(rows):
                more = next(found, None)
                if more is None:
                    return None
                wanted = np.concatenate([wanted, more])
            unlike = (wanted[: len(rows)] != rows).any(axis=1)
            if unlike.any():
                row = int(unlike.argmax())
                return checking.line(place.before + row), tuple(wanted[row].tolist())
            checking.rows = place.before + len(rows)
            wanted = wanted[len(rows) :]
        rest = wanted if len(wanted) else next(found, None)
    return None if rest is None else (checking.line(checking.rows), tuple(rest[0].tolist()))
