"""Lists of solutions in files: `write_solutions`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from shutil import copymode
from time import monotonic
from typing import TYPE_CHECKING, Any

from nqueens_cp.backends import get_backend
from nqueens_cp.background import despite_interrupts
from nqueens_cp.checks import integer_at_least
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import ClusterError, InvalidValue, SearchInterrupted, SearchStopped
from nqueens_cp.listing.batches import BatchIterator
from nqueens_cp.listing.boards import Boards
from nqueens_cp.listing.formats import ArrayFile, Format, format_name, is_compressed, make_format
from nqueens_cp.listing.metadata import RUNNING, Metadata, beside, read_metadata, statement_digest
from nqueens_cp.listing.reading import Units
from nqueens_cp.listing.resuming import Start, has_order, is_finished, kept, require_order, require_same
from nqueens_cp.listing.sink import Sink, opened_alone
from nqueens_cp.model import Model
from nqueens_cp.result import Status
from nqueens_cp.search import LogCallback, ProgressCallback, make_control, without_objective
from nqueens_cp.variants import queens

if TYPE_CHECKING:
    from distributed import Client

MARK_SECONDS = 2.0
"""While a file grows, the metadata is told so often how many solutions are there; what follows is checked after a kill."""


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
    overwrite: bool = False,
    cluster: str | Client | None = None,
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
    backend, time_limit, workers, seed, verify, progress, log, cluster
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
        the same model and format, from a backend with a fixed order (the core). What a writer that was killed has left is
        checked first.
    overwrite : bool
        Write over a list that was stopped; without it or `resume` that is refused.

    Returns
    -------
    Metadata
        What the file holds.

    Raises
    ------
    InvalidValue
        The file cannot be written so, or cannot be gone on with; the message says why.
    SearchStopped
        The time limit was reached while what a killed writer has left was checked; the file is as it was.
    OSError
        The disk is full, for instance; the message says how many solutions the file holds, and it can be gone on with.
    SearchInterrupted
        Ctrl-C; the file is valid, and ``partial`` is its metadata; None if nothing was written yet.
    ClusterError
        The cluster was lost; the same.

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
    request = request or Request(None if isinstance(model, Model) else str(len(problem.variables)))
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
    if resume and overwrite:
        raise InvalidValue("resume and overwrite: a list is either gone on with or written over")
    there = where.exists()
    if resume and not there:
        raise InvalidValue(f"{where}: it is not there, so it cannot be gone on with")
    writing = None
    with opened_alone(where) as file:  # before anything is read: nobody else writes to it from now on
        try:
            known = read_metadata(where) if there else None
            start = Start()
            if resume:
                if known is None:
                    raise InvalidValue(f"{where}: {_NO_METADATA.format(beside(where).name)}")
                require_same(where, known, about)
                there_are = 0 if known.status == RUNNING else known.count or 0
                if about.limit is not None and there_are > about.limit:
                    raise _too_many(where, there_are, about.limit)
                if is_finished(known, about):
                    return known
                require_order(where, known, about)
                start = _start(where, form, known, control)
                if about.limit is not None and start.count > about.limit:
                    raise _too_many(where, start.count, about.limit)
                if known.backend != "auto":
                    about = replace(about, backend=known.backend)
                if known.target is not None:
                    about = replace(about, target=known.target, parameters=known.parameters)
            elif known is not None and known.is_partial and not overwrite:
                way = "go on with it (--resume), or list it anew (--overwrite)"
                if not has_order(known.backend):
                    way = f"{known.backend} lists in no fixed order, so it can only be listed anew (--overwrite)"
                raise InvalidValue(f"{where}: it holds a list that was stopped ({known.status}); {way}")
            writing = _Writing(where, file, form, about, control, verify, start, cluster)
            return writing.run()
        finally:
            if not there and (writing is None or not writing.begun):
                where.unlink(missing_ok=True)


_NO_METADATA = "{}, which says what it holds, is not there, so it cannot be gone on with"


def _too_many(where: Path, count: int, limit: int) -> InvalidValue:
    return InvalidValue(f"{where}: it holds {count} solutions already, more than the limit of {limit}")


def _start(where: Path, form: Format, known: Metadata, control: Control) -> Start:
    """Return what is kept of a file; it stays as it is when this is stopped."""
    try:
        return kept(where, form, known, control)
    except TimeLimitReached:
        raise SearchStopped(
            f"{where}: stopped by the time limit while what is there was checked; it is as it was",
            partial=None,
            status=Status.TIMEOUT,
        ) from None
    except KeyboardInterrupt as interrupt:
        raise SearchInterrupted("interrupted: nothing was written", partial=None) from interrupt


class _NotWritten(Exception):
    """The file cannot grow; its cause says why."""


class _Writing:
    """The writing of one file."""

    def __init__(
        self,
        path: Path,
        file: FileIO,
        form: Format,
        about: Metadata,
        control: Control,
        verify: bool,
        start: Start,
        cluster: Any,
    ) -> None:
        self.path, self.form, self.about = path, form, about
        self.begun = False
        self._file = file
        self._control, self._verify, self._start, self._cluster = control, verify, start, cluster

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
                cluster=self._cluster,
            )
        except SearchInterrupted as interrupted:
            raise SearchInterrupted("interrupted: nothing was written", partial=None) from interrupted
        with found:
            if found.backend != "auto":  # it is if the time is over before one was chosen
                backend = get_backend(found.backend)
                self.about = about = replace(about, backend=backend.name, backend_version=backend.version())
            self.begun = True
            sink = self._opened()
            status = Status.INTERRUPTED
            interrupt: KeyboardInterrupt | None = None
            failure: BaseException | None = None
            try:
                self._write(sink, found)
                if found.status is not None and found.status is not Status.CLOSED:
                    status = found.status
            except KeyboardInterrupt as error:
                interrupt = error
            except (_NotWritten, ClusterError) as error:
                failure = error.__cause__ if isinstance(error, _NotWritten) else error
            finally:
                try:
                    despite_interrupts(lambda: self._finish(sink, status))
                except OSError as error:
                    failure = failure or error
                failure = failure or sink.failure
                sink.close()
        if isinstance(failure, OSError):
            raise OSError(
                failure.errno,
                f"{failure.strerror}: {self.path} holds the first {sink.count} solutions; go on with it (--resume) when it "
                "can grow",
            ) from failure
        if isinstance(failure, ClusterError):
            if failure.partial is None:  # it cannot be used
                raise failure
            way = "go on with it (--resume)" if has_order(self.about.backend) else "there may be more"
            raise ClusterError(
                f"{failure}: {self.path} holds {self.about.count} solutions; {way}", self.about
            ) from failure
        if interrupt is not None:
            raise SearchInterrupted(
                f"interrupted: {self.about.count} solutions were written", partial=self.about
            ) from interrupt
        return self.about

    def _opened(self) -> Sink:
        """Begin the file with what is kept of it; while it grows, the metadata says so."""
        start, compress = self._start, is_compressed(self.path)
        if start.count == 0:
            beside(self.path).unlink(missing_ok=True)
            sink = Sink(self.path, self._file, compress=compress)
            header = self.form.array_header(0) if isinstance(self.form, ArrayFile) else self.form.header
            sink.write(header, digested=not isinstance(self.form, ArrayFile))
        elif not compress:
            sink = Sink(self.path, self._file, compress=False, kept=start.kept, digest=start.digest, count=start.count)
        else:
            sink = self._compressed_anew()
        self.about.write(self.path)
        return sink

    def _compressed_anew(self) -> Sink:
        """Write what is kept of a compressed file once more: how its end is compressed depends on what follows."""
        target = self.path.resolve()  # where links lead to
        new = target.with_name(f".{target.name}.going-on")
        start, header = self._start, self.form.header
        left = start.kept - len(header)
        try:
            sink = Sink(new, opened_alone(new), compress=True)
            copymode(target, new)
            sink.write(header)
            for piece in Units(self.path, self.form):
                content, rows = self.form.joined(piece, sink.count == 0), self.form.number_of(piece)
                if len(content) > left:
                    content, rows = content[:left], start.count - sink.count
                sink.write(content, rows)
                left -= len(content)
                if not left:
                    break
            self.about.write(self.path)
            if os.name == "nt":  # there a file that is open cannot be replaced
                self._file.close()
            sink.moved_to(target)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        return sink

    def _write(self, sink: Sink, found: BatchIterator) -> None:
        next_mark = monotonic() + MARK_SECONDS
        for batch in found:
            for start in range(0, len(batch), self.form.at_once):
                piece = batch[start : start + self.form.at_once]
                content = self.form.encode(piece, sink.count == 0)
                try:
                    sink.write(content, len(piece))
                    if isinstance(self.form, ArrayFile):
                        sink.put(0, self.form.array_header(sink.count))
                    if monotonic() >= next_mark:
                        count, digest = sink.mark()
                        replace(self.about, count=count, digest=digest).write(self.path)
                        next_mark = monotonic() + MARK_SECONDS
                except OSError as error:
                    raise _NotWritten from error

    def _finish(self, sink: Sink, status: Status) -> None:
        if isinstance(self.form, ArrayFile):
            sink.put(0, self.form.array_header(sink.count))
        digest = sink.finish()
        if sink.failure is not None:
            status = Status.INTERRUPTED
        complete = status is Status.COMPLETE and self.about.skip == 0
        self.about = replace(self.about, status=str(status), complete=complete, count=sink.count, digest=digest)
        self.about.write(self.path)
