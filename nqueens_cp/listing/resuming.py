"""What is kept of a file of solutions that is gone on with."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from nqueens_cp.backends import get_backend
from nqueens_cp.checks import INT64_MAX, INT64_MIN
from nqueens_cp.control import Control
from nqueens_cp.errors import InvalidValue
from nqueens_cp.listing.checker import Checker
from nqueens_cp.listing.formats import Array, ArrayFile, Format
from nqueens_cp.listing.metadata import RUNNING, Metadata, beside
from nqueens_cp.listing.order import number_between
from nqueens_cp.listing.reading import Units
from nqueens_cp.listing.rows import ascents
from nqueens_cp.result import Status


@dataclass(frozen=True, slots=True)
class Start:
    """Where writing begins: what is kept of the file, how many solutions that holds, and the values of the last one."""

    kept: int = 0
    count: int = 0
    digest: Any = None
    last: tuple[int, ...] | None = None


def require_same(where: Path, known: Metadata, asked: Metadata) -> None:
    """Refuse to go on with a file of something else."""
    for what, of_file, wanted in (
        ("format", known.format, asked.format),
        ("skip", known.skip, asked.skip),
        ("up to symmetry", known.up_to_symmetry, asked.up_to_symmetry),
    ):
        if of_file != wanted:
            raise InvalidValue(f"{where}: its {what} is {of_file}, not {wanted}, so it cannot be gone on with")
    if (known.statement, known.columns) != (asked.statement, asked.columns):
        raise InvalidValue(
            f"{where}: it is of model {known.called}, and the statement of the model {asked.called} is another one, so it "
            "cannot be gone on with"
        )


def require_order(where: Path, known: Metadata, asked: Metadata) -> None:
    """Refuse to go on with a file where nobody can say what comes next."""
    if known.backend == "auto":  # it was stopped before one was chosen
        return
    if asked.backend not in ("auto", known.backend):
        raise InvalidValue(f"{where}: it is from {known.backend}, not {asked.backend}, so it cannot be gone on with")
    if not has_order(known.backend):
        raise InvalidValue(
            f"{where}: it is from {known.backend}, whose order is not fixed, so nobody can say what comes next; "
            "list it anew with --overwrite"
        )


def has_order(backend: str) -> bool:
    """Say whether a backend lists solutions in lexicographic order; one that was not chosen yet may."""
    return backend == "auto" or get_backend(backend).capabilities.lexicographic


def is_finished(known: Metadata, asked: Metadata) -> bool:
    """Say whether there is nothing left to do."""
    if known.status == str(Status.COMPLETE):
        return True
    return known.status == str(Status.LIMIT) and known.count == asked.limit


def kept(where: Path, form: Format, known: Metadata, control: Control) -> Start:
    """Read what is there, to where the last whole solution ends.

    The digest tells whether a file that was ended is as it was left. While a file grows, the metadata has the digest of what
    was there lately; what a killed writer has left behind that is checked: of the solutions there the first are kept, as far
    as they are right and in order, and none may be missing among them.
    """
    marked = _marked(where, form, known, control)
    if known.status != RUNNING:
        if marked is None:
            raise InvalidValue(
                f"{where}: its content is not what {beside(where).name} says, so it cannot be gone on with; list it anew with "
                "--overwrite"
            )
        return marked
    start = marked or Start()
    if form.orbits:  # behind the mark nothing but the search itself tells whether one is missing
        return start
    units = Units(where, form)
    judge = _Judge(form, units, start.last)
    digest, size = start.digest or sha256(form.header), start.kept or len(form.header)
    count = passed = 0
    for piece in units:
        control.poll()
        if not _begins_right(form, units):
            return Start()
        rows = form.number_of(piece)
        behind = piece[len(form.first_of(piece, min(rows, start.count - passed))) :]
        passed += rows - form.number_of(behind)
        content, good = judge.good_part(behind, start.count + count == 0)
        digest.update(content)
        size, count = size + len(content), count + good
        if good < form.number_of(behind):
            break
    if count == 0:
        return start
    last = judge.last_values()
    expected = number_between(form.problem, known.backend, start.last, last, control) + 1
    expected -= known.skip if start.last is None else 0
    if expected != count:
        raise InvalidValue(
            f"{where}: it holds {start.count + count} solutions, and there are {start.count + expected} up to the last of "
            "them, so some are missing; list it anew with --overwrite"
        )
    if isinstance(form, ArrayFile) and not start.kept:
        size += form.HEADER_SIZE
    return Start(size, start.count + count, digest, last)


def _marked(where: Path, form: Format, known: Metadata, control: Control) -> Start | None:
    """Return where the solutions end that the metadata tells the number and the digest of; None if they are not there."""
    units = Units(where, form)
    digest, size, count, last = sha256(form.header), len(form.header), 0, b""
    for piece in units:
        control.poll()
        if not _begins_right(form, units):
            return None
        rows = form.number_of(piece)
        wanted = rows if known.status != RUNNING else min(rows, (known.count or 0) - count)
        if not wanted:
            break
        own = piece if wanted == rows else form.first_of(piece, wanted)
        content = form.joined(own, count == 0)
        digest.update(content)
        size, count, last = size + len(content), count + wanted, own
    if known.digest != f"sha256:{digest.hexdigest()}":
        return None
    if count == 0:
        return Start()
    if isinstance(form, ArrayFile):
        size += form.HEADER_SIZE
    return Start(size, count, digest, _last_row(where, form, units, last)[: len(form.problem.variables)])


def _begins_right(form: Format, units: Units) -> bool:
    return units.header == (form.array_header(units.rows or 0) if isinstance(form, ArrayFile) else form.header)


def _last_row(where: Path, form: Format, units: Units, piece: bytes) -> tuple[int, ...]:
    if isinstance(form, ArrayFile):
        batch = units.batch(piece[-form.row_bytes :])
        assert batch is not None
        return tuple(batch[-1].tolist())
    *_, (_, text, row) = units.rows_one_by_one(piece)
    if isinstance(row, str):
        raise InvalidValue(f"{where}: its last solution cannot be read ({row}): {text[:60]}")
    return row


class _Judge:
    """Says how many of the first solutions of a file are right, in order, and written as this program does it."""

    def __init__(self, form: Format, units: Units, last: tuple[int, ...] | None) -> None:
        self._form, self._units = form, units
        self._checker = Checker(form.problem)
        self._last: Array | None = None if last is None else np.array([last], dtype=np.int64)

    def last_values(self) -> tuple[int, ...]:
        """Return the values of the last good one."""
        assert self._last is not None
        return tuple(self._last[0].tolist())

    def good_part(self, piece: bytes, first: bool) -> tuple[bytes, int]:
        """Return the beginning of a piece's content that is good, and how many solutions that holds."""
        if not piece:
            return b"", 0
        batch = self._read(piece)
        batch = batch[: self._checker.first_fault(batch)]
        carried = 0 if self._last is None else 1
        rising = ascents(batch if self._last is None else np.concatenate([self._last, batch])) > 0
        if not rising.all():
            batch = batch[: int(rising.argmin()) + 1 - carried]
        written = self._form.encode(batch.astype(self._form.dtype), first) if len(batch) else b""
        if not self._form.joined(piece, first).startswith(written):
            return b"", 0
        if len(batch):
            self._last = batch[-1:]
        return written, len(batch)

    def _read(self, piece: bytes) -> Array:
        batch = self._units.batch(piece)
        if batch is not None:
            return batch
        rows: list[tuple[int, ...]] = []
        for _, _, row in self._units.rows_one_by_one(piece):
            if isinstance(row, str) or any(not INT64_MIN <= value <= INT64_MAX for value in row):
                break
            rows.append(row)
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self._form.columns))
