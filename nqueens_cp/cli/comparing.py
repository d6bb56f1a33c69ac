"""The command ``compare``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nqueens_cp.cli.options import AsJson, ClusterAddress, Exit, Parameters, TimeLimit
from nqueens_cp.cli.terminal import located_range, number, print_json, remark, whole
from nqueens_cp.errors import ClusterError, InvalidValue, SearchInterrupted

if TYPE_CHECKING:
    from nqueens_cp.comparison import Comparison, Measurement

LINES_AROUND = 8
"""Of a terminal's lines so many are kept free of a live table's rows, for its head and what is below."""


def compare(
    target: Annotated[
        str,
        typer.Argument(
            metavar="MODEL...",
            help="Board sizes (8), ranges of sizes (4..12), names of models (see `nqueens-cp models`) or files.",
        ),
    ],
    parameters: Parameters = None,
    backends: Annotated[
        list[str] | None,
        typer.Option(
            "--backends",
            "--backend",
            "-b",
            metavar="NAMES",
            help="The solvers, with commas or repeated, your own (./mine.py) among them; all that are installed, if not "
            "given.",
        ),
    ] = None,
    time_limit: TimeLimit = None,
    task: Annotated[
        str, typer.Option("--task", metavar="WORD", help="count, enumerate, solve, or prove that there is none.")
    ] = "count",
    repeats: Annotated[
        str, typer.Option("--repeats", "-r", metavar="NUMBER", help="Measure each so often, in shuffled order.")
    ] = "1",
    memory: Annotated[
        str | None, typer.Option("--memory-limit", metavar="MIB", help="End what takes more memory.")
    ] = None,
    save: Annotated[
        list[str] | None,
        typer.Option("--save", metavar="FILE", help="Write to FILE.json, .csv, .md or .html; may be repeated."),
    ] = None,
    report: Annotated[
        str | None, typer.Option("--report", metavar="FILE", help="Write a page with charts to FILE.html.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="FILE", help="Show ratios to an earlier run, saved as FILE.json.")
    ] = None,
    pin: Annotated[
        bool, typer.Option("--pin/--no-pin", help="Keep each measurement on one processor, or let it use all.")
    ] = True,
    cluster: ClusterAddress = None,
    detailed: Annotated[
        bool, typer.Option("--details", help="Show processor time, the solver's own time and all that was counted.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Measure several solvers, each in a fresh process, and check that they agree.

    Examples:
      nqueens-cp compare 8
      nqueens-cp compare 4..12 --backends core,cp-sat --repeats 3
      nqueens-cp compare 7 -b core,bit-masks --task enumerate --report report.html
      nqueens-cp compare 8 -b core,./mine.py --task enumerate
    """
    from nqueens_cp.comparison import compare_target, load_comparison
    from nqueens_cp.comparison.report import (
        SUFFIXES,
        against_text,
        ratios,
        require_same_task,
        table_text,
    )
    from nqueens_cp.comparison.report import save as save_to
    from nqueens_cp.comparison.saved import as_record
    from nqueens_cp.files import require_writable

    names = None
    if backends:
        names = [name.strip() for word in backends for name in word.split(",") if name.strip()]
    files = [Path(file) for file in save or []]
    for file in files:
        if file.suffix.lower() not in SUFFIXES:
            raise InvalidValue(f"--save: {file} must end in one of {', '.join(SUFFIXES)}")
    if report is not None:
        files.append(Path(report))
        if files[-1].suffix.lower() != ".html":
            raise InvalidValue(f"--report: {report} must end in .html; --save writes other kinds of files")
    for file in files:
        require_writable(file)  # told before anything is measured
    before = None if against is None else load_comparison(against)
    if before is not None:
        require_same_task(task, before)
    words = parameters or []
    more = [word for word in words if "=" not in word and not word.startswith("-")]
    where, given = located_range(target, [word for word in words if word not in more])
    stopped: SearchInterrupted | ClusterError | None = None
    try:
        with growing_table() as on_row, redirect_stdout(sys.stderr):  # what a model file prints is a remark
            comparison = compare_target(
                [where, *(located_range(word, None)[0] for word in more)],
                given,
                names,
                number(time_limit),
                on_row,
                task=task,
                repeats=whole(repeats, "--repeats"),
                memory_limit=None if memory is None else whole(memory, "--memory-limit"),
                pinned=pin,
                cluster=cluster,
            )
    except (SearchInterrupted, ClusterError) as error:
        if error.partial is None or not error.partial.rows:
            raise
        comparison, stopped = error.partial, error
    if as_json:
        against_records = {} if before is None else {"against": [r._asdict() for r in ratios(comparison, before)]}
        print_json(as_record(comparison) | against_records)
    else:
        print(table_text(comparison, detailed=detailed))
        if before is not None:
            print(f"\n{against_text(comparison, before)}")
    sys.stdout.flush()
    unwritten = 0
    for file in files:
        try:
            save_to(comparison, file)
        except OSError as error:
            remark(f"error: {file} cannot be written: {error}")
            unwritten += 1
    if stopped is not None:
        remark(f"{comparison.setting['remark']} (partial)")
        return Exit.of(stopped)
    if comparison.agree is False:
        remark(_why_not(comparison))
        return Exit.NO
    if unwritten:
        return Exit.USAGE
    if any(row.status in ("timeout", "memory") for row in comparison.rows):
        remark("stopped by a limit: a count marked 'at least' is a lower bound")
        return Exit.STOPPED
    if not any(row.is_complete for row in comparison.rows):
        return Exit.NO if any(row.status in ("failed", "wrong") for row in comparison.rows) else Exit.USAGE
    return Exit.NO if any(row.status == "failed" for row in comparison.rows) else Exit.ANSWERED


@contextmanager
def growing_table() -> Iterator[Callable[[Measurement], object] | None]:
    """Show what was measured last on standard error, where that is a terminal; give what takes each measurement."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.spinner import Spinner

    from nqueens_cp.comparison.records import Row
    from nqueens_cp.comparison.report import live_table

    measured: dict[tuple[str, str], list[Measurement]] = {}
    spinner = Spinner("dots", "measuring")
    console = Console(stderr=True)
    with Live(spinner, console=console, transient=True, redirect_stdout=False) as live:

        def add(measurement: Measurement) -> None:
            key = (measurement.model, measurement.backend)
            measured[key] = [*measured.pop(key, []), measurement]
            latest = list(measured.items())[-max(1, console.height - LINES_AROUND) :]
            rows = [Row.of(model, None, measurements) for (model, _), measurements in latest]
            live.update(Group(live_table(rows), spinner))

        yield add


def _why_not(comparison: Comparison) -> str:
    if comparison.setting["task"] == "prove" and any(row.solutions for row in comparison.rows):
        return "the backends disagree: there is a solution, so that nothing can be proven"
    return "the backends disagree"
