"""Lists of solutions in files: `write_solutions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from nqueens_cp.backends import get_backend
from nqueens_cp.background import despite_interrupts
from nqueens_cp.checks import integer_at_least
from nqueens_cp.control import Control
from nqueens_cp.errors import InvalidValue, SearchInterrupted
from nqueens_cp.listing.batches import BatchIterator
from nqueens_cp.listing.boards import Boards
from nqueens_cp.listing.formats import ArrayFile, Format, format_name, is_compressed, make_format
from nqueens_cp.listing.metadata import RUNNING, Metadata, beside, read_metadata, statement_digest
from nqueens_cp.listing.reading import Units
from nqueens_cp.listing.sink import Sink, opened_alone
from nqueens_cp.model import Model
from nqueens_cp.result import Status
from nqueens_cp.search import LogCallback, ProgressCallback, make_control, without_objective
from nqueens_cp.variants import queens


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line was asked, for the metadata: what it called the model, and the parameters as given."""

    target: str | None = None
    parameters: Mapping[str, str] | None = None


def write_solutions(
    model: Model | int,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    backend: str = "auto",
    limit: int | None = None,
    skip: int = 0,
    time_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    verify: bool = True,
    progress: ProgressCallback | None = None,
    log: LogCallback | None = None,
    up_to_symmetry: bool = False,
    resume: bool = False,
    request: Request | None = None,
) -> Metadata:
    """Write the solutions to a file, and beside it, to ``FILE.meta.json``, what it holds.

    The file grows under its own name. Memory is bounded. However it ends, the file is valid; the metadata says whether it is
    complete.

    Parameters
    ----------
    model : Model or int
        A model, or the size of a classic N-Queens board.
    path : str or Path
        Its ending tells the format: ``.txt`` boards, ``.lines``, ``.csv``, ``.jsonl``, ``.npy``; with ``.gz`` after it
        the file is compressed.
    format : str, optional
        "boards", "lines", "csv", "jsonl" or "npy", whatever the ending.
    backend, time_limit, workers, seed, verify, progress, log
        Those of `batches`.
    limit : int, optional
        Write at most so many solutions; with `resume`, those that are there count.
    skip : int
        Begin after so many.
    up_to_symmetry : bool
        Only the lexicographically smallest of each orbit, with the size of the orbit as a last column, or in a line of its own
        below a board.
    resume : bool
        Go on with a file that was stopped: the result is byte for byte the file that is written without a stop. It must be of
        the same model and format, from a backend with a fixed order (the core).

    Returns
    -------
    Metadata
        What the file holds.

    Raises
    ------
    InvalidValue
        The file cannot be written so, or cannot be gone on with; the message says why.
    SearchInterrupted
        Ctrl-C; the file is valid, and ``partial`` is its metadata; None if nothing was written yet.

    Examples
    --------
    >>> import tempfile
    >>> from nqueens_cp.listing.files import write_solutions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = write_solutions(8, f"{folder}/queens.lines.gz")
    >>> written.count, written.complete
    (92, True)
    """
    control = make_control(time_limit, workers, seed, verify=verify, progress=progress, log=log)
    asked_model = model if isinstance(model, Model) else queens(model)
    problem = without_objective(asked_model, "write_solutions")
    where = Path(path)
    if where.exists() and not where.is_file():
        raise InvalidValue(
            f"{where}: it is no regular file; to write to a pipe or a device, print the list and redirect it"
        )
    name = format_name(where, format)
    form = make_format(name, problem, orbits=up_to_symmetry)
    if isinstance(form, Boards) and (hidden := form.left_out()):
        raise InvalidValue(
            f"boards: a board of model {problem.name!r} leaves out {', '.join(hidden[:5])}, so it cannot be read back; "
            "use lines, csv, jsonl or npy, or print the boards and redirect them"
        )
    request = request or Request()
    about = Metadata(
        format=name,
        model=problem.name,
        statement=statement_digest(asked_model),
        columns=list(form.columns),
        backend=backend,
        backend_version="",
        target=request.target,
        parameters=dict(request.parameters or {}),
        dtype=str(form.dtype) if name == "npy" else None,
        skip=integer_at_least(skip, 0, "skip"),
        limit=None if limit is None else integer_at_least(limit, 1, "limit"),
        up_to_symmetry=up_to_symmetry,
    )
    known = read_metadata(where)
    start = _Start()
    if resume:
        if known is None:
            raise InvalidValue(
                f"{where}: {beside(where).name}, which says what it holds, is not there, so it cannot be gone on with"
            )
        _require_same(where, known, about)
        if not where.exists():
            raise InvalidValue(f"{where}: there is no such file to go on with")
        if _is_finished(known, about):
            return known
        start = _kept(where, form, known)
        if about.limit is not None and start.count > about.limit:
            raise InvalidValue(
                f"{where}: it holds {start.count} solutions already, more than the limit of {about.limit}"
            )
        about = replace(about, backend=known.backend)
    elif known is not None and known.is_partial and where.exists():
        raise InvalidValue(
            f"{where}: it holds a list that was stopped ({known.status}); go on with it (--resume), or remove it first"
        )
    return _Writing(where, form, about, control, verify, start).run()


def _require_same(where: Path, known: Metadata, asked: Metadata) -> None:
    """Refuse to go on with a file of something else."""
    for what, of_file, wanted in (
        ("format", known.format, asked.format),
        ("model", (known.model, known.target), (asked.model, asked.target)),
        ("parameters", dict(known.parameters), dict(asked.parameters)),
        ("statement of the model", known.statement, asked.statement),
        ("skip", known.skip, asked.skip),
        ("up to symmetry", known.up_to_symmetry, asked.up_to_symmetry),
    ):
        if of_file != wanted:
            shown = [" ".join(map(str, x)) if isinstance(x, tuple) else str(x) for x in (of_file, wanted)]
            raise InvalidValue(f"{where}: its {what} is {shown[0]}, not {shown[1]}, so it cannot be gone on with")
    lexicographic = get_backend(known.backend).capabilities.lexicographic
    if asked.backend not in ("auto", known.backend):
        raise InvalidValue(f"{where}: it is from {known.backend}, not {asked.backend}, so it cannot be gone on with")
    if not lexicographic:
        raise InvalidValue(
            f"{where}: it is from {known.backend}, whose order is not fixed, so nobody can say what comes next; list it anew"
        )


def _is_finished(known: Metadata, asked: Metadata) -> bool:
    return known.status == str(Status.COMPLETE) or (known.status == str(Status.LIMIT) and known.count == asked.limit)


@dataclass(frozen=True, slots=True)
class _Start:
    """Where writing begins: what is kept of the file, how many solutions that holds, and the values of the last one."""

    kept: int = 0
    count: int = 0
    digest: Any = None
    last: tuple[int, ...] | None = None


def _kept(where: Path, form: Format, known: Metadata) -> _Start:
    """Read what is there, to where the last whole solution ends."""
    units = Units(where, form)
    digest, kept, count, last = sha256(form.header), len(form.header), 0, b""
    for piece in units:
        if count == 0:
            _check_header(where, form, units)
        content = form.joined(piece, count == 0)
        digest.update(content)
        kept += len(content)
        count += form.number_of(piece)
        last = piece
    if count == 0:
        return _Start()
    if known.status != RUNNING and known.digest != f"sha256:{digest.hexdigest()}":
        raise InvalidValue(f"{where}: its content is not what {beside(where).name} says, so it cannot be gone on with")
    values = _last_row(where, form, units, last)
    if isinstance(form, ArrayFile):
        kept += form.HEADER_SIZE
    return _Start(kept, count, digest, values[: len(form.problem.variables)])


def _check_header(where: Path, form: Format, units: Units) -> None:
    expected = form.array_header(units.rows or 0) if isinstance(form, ArrayFile) else form.header
    if units.header != expected:
        raise InvalidValue(f"{where}: it does not begin as a file of this model, so it cannot be gone on with")


def _last_row(where: Path, form: Format, units: Units, piece: bytes) -> tuple[int, ...]:
    if isinstance(form, ArrayFile):
        batch = units.batch(piece[-form.row_bytes :])
        assert batch is not None
        return tuple(batch[-1].tolist())
    *_, (_, text, row) = units.rows_one_by_one(piece)
    if isinstance(row, str):
        raise InvalidValue(f"{where}: its last solution cannot be read ({row}): {text[:60]}")
    return row


class _Writing:
    """The writing of one file."""

    def __init__(
        self, path: Path, form: Format, about: Metadata, control: Control, verify: bool, start: _Start
    ) -> None:
        self.path, self.form, self.about = path, form, about
        self._control, self._verify, self._start = control, verify, start

    def run(self) -> Metadata:
        """Write the file to its end, and return what it holds."""
        about, start = self.about, self._start
        try:
            found = BatchIterator(
                self.form.problem,
                about.backend,
                self._control,
                None if about.limit is None else about.limit - start.count,
                self._verify,
                after=start.last,
                skip=about.skip if start.last is None else 0,
                up_to_symmetry=about.up_to_symmetry,
            )
        except SearchInterrupted as interrupted:
            raise SearchInterrupted("interrupted: nothing was written", partial=None) from interrupted
        with found:
            backend = get_backend(found.backend)
            self.about = about = replace(about, backend=backend.name, backend_version=backend.version())
            sink = self._opened()
            status = Status.INTERRUPTED
            interrupt: KeyboardInterrupt | None = None
            try:
                self._write(sink, found)
                if found.status is not None and found.status is not Status.CLOSED:
                    status = found.status
            except KeyboardInterrupt as error:
                interrupt = error
            finally:
                despite_interrupts(lambda: self._finish(sink, status))
                sink.close()
        if interrupt is not None:
            raise SearchInterrupted(
                f"interrupted: {self.about.count} solutions were written", partial=self.about
            ) from interrupt
        return self.about

    def _opened(self) -> Sink:
        """Open the file with what is kept of it; while it grows, the metadata says so."""
        start, compress = self._start, is_compressed(self.path)
        if start.count == 0:
            beside(self.path).unlink(missing_ok=True)
            sink = Sink(self.path, compress=compress)
            header = self.form.array_header(0) if isinstance(self.form, ArrayFile) else self.form.header
            sink.write(header, digested=not isinstance(self.form, ArrayFile))
        elif not compress:
            sink = Sink(self.path, compress=False, kept=start.kept, digest=start.digest, count=start.count)
        else:
            sink = self._compressed_anew()
        self.about.write(self.path)
        return sink

    def _compressed_anew(self) -> Sink:
        """Write what is kept of a compressed file once more: how its end is compressed depends on what follows."""
        new = self.path.with_name(self.path.name + ".new")
        try:
            with opened_alone(self.path):
                sink = Sink(new, compress=True)
                sink.write(self.form.header)
                for piece in Units(self.path, self.form):
                    sink.write(self.form.joined(piece, sink.count == 0), self.form.number_of(piece))
                self.about.write(self.path)
                sink.moved_to(self.path)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        return sink

    def _write(self, sink: Sink, found: BatchIterator) -> None:
        for batch in found:
            for start in range(0, len(batch), self.form.at_once):
                piece = batch[start : start + self.form.at_once]
                sink.write(self.form.encode(piece, sink.count == 0), len(piece))
            if isinstance(self.form, ArrayFile):
                sink.put(0, self.form.array_header(sink.count))

    def _finish(self, sink: Sink, status: Status) -> None:
        if isinstance(self.form, ArrayFile):
            sink.put(0, self.form.array_header(sink.count))
        digest = sink.finish()
        complete = status is Status.COMPLETE and self.about.skip == 0
        self.about = replace(self.about, status=str(status), complete=complete, count=sink.count, digest=digest)
        self.about.write(self.path)
