"""The command ``puzzle batch``.

Exit status: 0 if all boards have exactly one solution, 3 if a time limit left out something or a cluster was lost, otherwise 1.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack
from io import UnsupportedOperation
from os import fstat
from pathlib import Path
from typing import Annotated, Any

import typer

from nqueens_cp.checks import counted
from nqueens_cp.cli.options import ClusterAddress, Exit
from nqueens_cp.cli.puzzle_boards import Stars, require_output, standard_input, stars_of
from nqueens_cp.cli.terminal import number, progress_bar, remark, whole
from nqueens_cp.errors import ClusterError, InvalidValue

WORDS = {"error": "that could not be read", "stopped": "stopped by the time limit"}
"""How a status is told in the summary."""


def batch(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON, a board a line, or - for standard input.")],
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")] = None,
    stars: Stars = None,
    count: Annotated[bool, typer.Option("--count", help="Add the exact number of solutions.")] = False,
    grade: Annotated[bool, typer.Option("--grade", help="Add how difficult each board is.")] = False,
    time_limit: Annotated[
        str | None, typer.Option("--time-limit", "-t", metavar="SECONDS", help="For each board.")
    ] = None,
    workers: Annotated[
        str | None, typer.Option("--workers", "-w", metavar="NUMBER", help="Processes; as many as processors.")
    ] = None,
    cluster: ClusterAddress = None,
) -> int:
    """Solve many puzzles, a line of JSON for each (exit status 1: not all have exactly one solution).

    Examples:
      nqueens-cp puzzle batch boards.jsonl -o answers.jsonl
      nqueens-cp puzzle batch boards.jsonl --grade
    """
    from nqueens_cp.puzzles.batch import Wanted, workers_here
    from nqueens_cp.puzzles.reading import opened

    if file.startswith("-") and file != "-":
        raise InvalidValue(f"unknown option {file!r}; see --help")
    default = workers_here() if cluster is None else 1
    processes = default if workers is None else whole(workers, "--workers")
    number_of_stars = None if stars is None else stars_of(stars)
    wanted = Wanted("standard input" if file == "-" else file, number_of_stars, count, grade, number(time_limit))
    with ExitStack() as stack:
        source = standard_input() if file == "-" else stack.enter_context(opened(file))
        to_terminal = output in (None, "-")
        if output is None or output == "-":
            target: Any = sys.stdout.buffer
        else:
            require_output(output, "--output", file)
            target = stack.enter_context(Path(output).open("wb"))
        return _batch(source, target, wanted, processes, cluster, hidden=to_terminal and sys.stdout.isatty())


def _batch(source: Any, target: Any, wanted: Any, workers: int, cluster: str | None, *, hidden: bool) -> int:
    from nqueens_cp.control import Control
    from nqueens_cp.puzzles.batch import answers

    statuses: Counter[str] = Counter()
    incomplete = 0
    size = _size(source)
    interrupted = False
    lost: ClusterError | None = None
    with progress_bar(note="boards", hidden=hidden, counted="done") as progress:
        control = Control(progress=progress)
        control.share = None if size is None else lambda: min(1.0, source.tell() / size)
        try:
            for piece in answers(source, wanted, workers, control, cluster):
                target.write(piece.text)
                target.flush()
                statuses += piece.statuses
                incomplete += piece.incomplete
        except KeyboardInterrupt:
            interrupted = True
        except ClusterError as error:
            if error.partial is None:
                raise
            lost = error
    total = statuses.total()
    if not total and not interrupted and lost is None:
        raise InvalidValue(f"{wanted.source}: there is no board")
    end = f"{lost} (partial): " if lost is not None else "interrupted (partial): " if interrupted else ""
    remark(f"{end}{_told(statuses, incomplete)}")
    if total and statuses["error"] == total:
        remark(
            f"no board could be read; each line of {wanted.source} must be one as JSON, which puzzle FILE --write "
            "BOARDS.jsonl makes of other formats"
        )
    if interrupted:
        return Exit.INTERRUPTED
    if lost is not None:
        return Exit.STOPPED
    if incomplete:
        return Exit.STOPPED
    return Exit.ANSWERED if statuses["unique"] == total else Exit.NO


def _told(statuses: Counter[str], incomplete: int) -> str:
    total = statuses.total()
    told = ", ".join(f"{n} {WORDS.get(status, status)}" for status, n in statuses.most_common())
    text = f"{counted(total, 'board')}{f': {told}' if told else ''}"
    more = incomplete - statuses["stopped"]
    return f"{text}; {more} with something left out by the time limit" if more else text


def _size(source: Any) -> int | None:
    """Return the size of a file in bytes; None for a pipe."""
    try:
        return fstat(source.fileno()).st_size or None if source.seekable() else None
    except (OSError, UnsupportedOperation):
        return None
