"""The command ``list``: solutions to the terminal, a pipe or a file."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nqueens_cp.background import Background
from nqueens_cp.cli.options import AsJson, BackendName, ClusterAddress, Exit, Parameters, Target, TimeLimit, Workers
from nqueens_cp.cli.terminal import load, number, print_json, progress_bar, remark, whole
from nqueens_cp.errors import ClusterError, InvalidValue, SearchInterrupted, SearchStopped

if TYPE_CHECKING:
    from nqueens_cp.listing.batches import Array, BatchIterator
    from nqueens_cp.listing.formats import Format
    from nqueens_cp.listing.metadata import Metadata

PIECE_BYTES = 1 << 16
"""About so much is written at once, so that Ctrl-C need not wait long for the end of a solution."""
STALLED_SECONDS = 1.0
"""After Ctrl-C, so long is waited for somebody who reads the last piece; then it stays torn."""

Symmetric = Annotated[
    bool,
    typer.Option(
        "--up-to-symmetry",
        help="Of boards that are turned or reflected into each other the first, and how many they are.",
    ),
]


def list_solutions(
    target: Target,
    parameters: Parameters = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to a file: .txt (boards), .lines, .csv, .jsonl or .npy (NumPy); all but .npy also with .gz after "
            "it. What it holds is told beside it, in FILE.meta.json.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", metavar="FORMAT", help="boards, lines, csv, jsonl or npy, if not by the ending."
        ),
    ] = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    limit: Annotated[
        str | None, typer.Option("--limit", "-l", metavar="NUMBER", help="Stop after so many solutions.")
    ] = None,
    skip: Annotated[str, typer.Option("--skip", metavar="NUMBER", help="Leave out so many at the beginning.")] = "0",
    workers: Workers = "1",
    cluster: ClusterAddress = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a FILE that was stopped.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Write over a FILE that was stopped.")] = False,
    up_to_symmetry: Symmetric = False,
    as_json: AsJson = False,
) -> int:
    """Print the solutions as they are found, or write them to a file.

    Examples:
      nqueens-cp list 6
      nqueens-cp list 8 --up-to-symmetry --format lines
      nqueens-cp list 10 --output ten.csv.gz
    """
    if resume and output is None:
        raise InvalidValue("--resume: name the file that is to be gone on with, --output FILE")
    if overwrite and output is None:
        raise InvalidValue("--overwrite: name the file that is to be written over, --output FILE")
    if output == "-":
        raise InvalidValue("--output -: leave --output out to print the list, and say --format FORMAT; or name a file")
    model = load(target, parameters)
    arguments: dict[str, Any] = {
        "backend": backend,
        "limit": None if limit is None else whole(limit, "--limit"),
        "skip": whole(skip, "--skip", 0),
        "up_to_symmetry": up_to_symmetry,
        "cluster": cluster,
    }
    told = Told(model.name, limit, time_limit, arguments["skip"], up_to_symmetry)
    with progress_bar(hidden=output is None and sys.stdout.isatty()) as progress:
        arguments |= {"time_limit": number(time_limit), "workers": whole(workers, "--workers"), "progress": progress}
        try:
            if output is None:
                status, found = _print(model, form, as_json, arguments)
            else:
                arguments |= {"resume": resume, "overwrite": overwrite}
                status, found = _write(model, target, parameters, output, form, as_json, arguments)
        except (SearchStopped, ClusterError) as error:
            if isinstance(error, ClusterError) and error.partial is None:
                raise
            remark(str(error))
            return Exit.STOPPED
    return told.end(status, found, "listed" if output is None else f"written to {output}")


class Told:
    """What is remarked at the end, and the exit status."""

    def __init__(self, model: str, limit: str | None, time_limit: str | None, skip: int, up_to_symmetry: bool) -> None:
        self.model, self.limit, self.time_limit = model, limit, time_limit
        self.skip, self.up_to_symmetry = skip, up_to_symmetry

    def end(self, status: str, found: int, done: str) -> Exit:
        """Remark how it ended, and return the exit status."""
        noun = ("solution" if found == 1 else "solutions") + " up to symmetry" * self.up_to_symmetry
        where = f" {done}" if done != "listed" else ""
        if status == "complete":
            after = f" after the first {self.skip}" if self.skip else ""
            if found:
                remark(f"{found} {noun}, all of them{after}{where}")
            else:
                remark(f"no solution{after}: model {self.model} has none" if not after else f"no solution{after}")
            return Exit.ANSWERED if found else Exit.NO
        if status == "interrupted":
            remark(f"interrupted (partial): {found} {noun} {done}, there may be more")
            return Exit.INTERRUPTED
        limit = f"limit of {self.limit}" if status == "limit" else f"time limit of {self.time_limit} s"
        remark(f"stopped by the {limit}: {found} {noun} {done}, there may be more")
        return Exit.STOPPED


def _write(
    model: Any,
    target: str,
    parameters: list[str] | None,
    output: str,
    form: str | None,
    as_json: bool,
    arguments: dict[str, Any],
) -> tuple[str, int]:
    """Write to a file; return the status and the number of solutions in it."""
    from dataclasses import asdict

    from nqueens_cp.listing.files import Request, write_solutions
    from nqueens_cp.listing.metadata import place_of

    called = str(len(model.variables)) if target == "-" else place_of(target, output)
    given = dict(word.split("=", 1) for word in parameters or [])
    about: Metadata
    try:
        with terminated_like_interrupted():
            about = write_solutions(model, output, format=form, request=Request(called, given), **arguments)
    except SearchInterrupted as interrupt:
        if interrupt.partial is None:
            raise
        about = interrupt.partial
    _remark_skipped(about.backend, about.skip)
    if as_json:
        print_json({"file": output} | asdict(about))
    return about.status, about.count or 0


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM end the list as Ctrl-C does, so that the file is brought to its end."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # called from Python in another thread than the main one
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print(model: Any, form: str | None, as_json: bool, arguments: dict[str, Any]) -> tuple[str, int]:
    """Print to standard output; return the status and the number of solutions printed."""
    from nqueens_cp.listing.batches import BatchIterator
    from nqueens_cp.listing.formats import make_format
    from nqueens_cp.search import make_control, without_objective

    if as_json and form is not None:
        raise InvalidValue("--json prints one object with all solutions; for an object a line say --format jsonl alone")
    name = "jsonl" if as_json else form or "boards"
    if name == "npy":
        raise InvalidValue(
            "--format npy: an array needs a file, whose header is written at the end; say --output FILE.npy"
        )
    orbits = arguments["up_to_symmetry"]
    problem = without_objective(model, "list")
    made = make_format(name, problem, orbits=orbits)
    control = make_control(arguments["time_limit"], arguments["workers"], progress=arguments["progress"])
    with BatchIterator(
        problem,
        arguments["backend"],
        control,
        arguments["limit"],
        verify=True,
        skip=arguments["skip"],
        up_to_symmetry=orbits,
        cluster=arguments["cluster"],
    ) as found:
        lost: ClusterError | None = None
        printed = _Printed(made, found, as_json)
        try:
            printed.all()
            status = str(found.status)
        except KeyboardInterrupt:
            found.close()
            status = "interrupted"
        except ClusterError as error:
            lost, status = error, "interrupted"
        printed.end(status)
        if lost is not None:
            if lost.partial is None:  # it cannot be used
                raise lost
            raise ClusterError(f"{lost}: {printed.rows} solutions were listed", printed.rows) from lost
    _remark_skipped(found.backend, arguments["skip"])
    return status, printed.rows


def _remark_skipped(backend: str, skip: int) -> None:
    from nqueens_cp.listing.resuming import has_order

    if skip and not has_order(backend):
        remark(f"note: {backend} lists in no fixed order, so it may skip other solutions each time; core has an order")


class _Printed:
    """The solutions on standard output."""

    def __init__(self, form: Format, found: BatchIterator, as_json: bool) -> None:
        self.form, self.found, self.as_json = form, found, as_json
        self.rows = 0
        begin = f'{{"model": {json.dumps(form.problem.name)}, "backend": "{found.backend}", "solutions": ['
        self._piece = 1
        print_bytes(begin.encode() if as_json else form.header)

    def all(self) -> None:
        """Print every batch, in pieces."""
        for batch in self.found:
            start = 0
            while start < len(batch):
                piece = batch[start : start + self._piece]
                start += len(piece)
                self._piece = max(1, len(piece) * PIECE_BYTES // max(1, self._print(piece)))

    def _print(self, piece: Array) -> int:
        text = self.form.encode(piece, self.rows == 0)
        if self.as_json:
            text = (b",\n" if self.rows else b"\n") + text[:-1].replace(b"\n", b",\n")
        interrupted = print_bytes(text)
        self.rows += len(piece)
        if interrupted:
            raise KeyboardInterrupt
        return len(text)

    def end(self, status: str) -> None:
        if self.as_json:
            print_bytes(f'\n], "found": {self.rows}, "status": "{status}"}}\n'.encode())


def print_bytes(data: bytes) -> bool:
    """Write to standard output, and return whether Ctrl-C came meanwhile; it is raised only if nobody reads any more."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:  # not a file: caught by whoever calls this program from Python
        sys.stdout.write(data.decode())
        return False
    sys.stdout.flush()

    def write() -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    writing, interrupted = Background(write), False
    writing.start()
    try:
        writing.wait_for_end()
    except KeyboardInterrupt:
        if not writing.wait(STALLED_SECONDS):
            raise
        interrupted = True
    if writing.error is not None:
        raise writing.error
    return interrupted
