"""The command ``trace``: a search as it goes, step by step."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nqueens_cp.cli.options import AsJson, Exit
from nqueens_cp.cli.terminal import remark, whole
from nqueens_cp.errors import InvalidValue

if TYPE_CHECKING:
    from nqueens_cp.tracing import Trace
    from nqueens_cp.tracing.position import Position

SLOWEST, DEFAULT_SPEED, FASTEST = 0.1, 10.0, 1000  # steps a second
ONLY_STOP = "Ctrl-C: stop"


def trace(
    size: Annotated[str, typer.Argument(metavar="N", help="The size of the board, 0 to 32.")],
    programs: Annotated[
        list[str] | None,
        typer.Option(
            "--program",
            "-p",
            metavar="NAME",
            help="flag-arrays, position-array, marked-board, bit-masks or forward-checking; several are shown side by side.",
        ),
    ] = None,
    speed: Annotated[
        str | None, typer.Option("--speed", metavar="NUMBER", help="Steps a second; 10 if not given.")
    ] = None,
    by_step: Annotated[bool, typer.Option("--step", help="Wait for Enter before each step.")] = False,
    first: Annotated[bool, typer.Option("--first", help="Stop at the first solution.")] = False,
    limit: Annotated[
        str | None, typer.Option("--limit", metavar="NUMBER", help="Stop after so many solutions.")
    ] = None,
    steps: Annotated[
        str, typer.Option("--steps", metavar="NUMBER", help="Record so many steps of each program at most.")
    ] = ("20000"),
    plain: Annotated[bool, typer.Option("--plain", help="Print a line for each step, as in a pipe.")] = False,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write a page that plays the searches to FILE.html.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show how the programs of the tutorials search, step by step, and what each did in all.

    On a terminal the boards are shown as the searches go on; in a pipe each
    step is a line. If no program is named, the steps are those of the flag
    arrays, and the table at the end is of all five.

    Examples:
      nqueens-cp trace 6
      nqueens-cp trace 6 -p marked-board -p forward-checking --step
      nqueens-cp trace 5 --first --plain
      nqueens-cp trace 6 --html trace.html
    """
    from nqueens_cp.files import require_writable
    from nqueens_cp.tables import plain_text
    from nqueens_cp.tracing import MOST_STEPS, PROGRAMS, record
    from nqueens_cp.tracing.picture import PlayInterrupted
    from nqueens_cp.tracing.words import counters_table

    n, at_most = whole(size, "N", 0), whole(steps, "--steps")
    if at_most > MOST_STEPS:
        raise InvalidValue(f"--steps: {at_most} are too many to keep; it must be at most {MOST_STEPS}")
    if first and limit is not None:
        raise InvalidValue(f"--first and --limit {limit} both say where to stop; leave one out")
    most = 1 if first else None if limit is None else whole(limit, "--limit")
    pace = _pace(speed, by_step)
    if html is not None:
        if Path(html).suffix.lower() != ".html":
            raise InvalidValue(f"--html: {html or 'the name'} must end in .html")
        require_writable(html, "--html")
    traces = [record(name, n, limit=most, at_most=at_most) for name in dict.fromkeys(programs or PROGRAMS)]
    if html is not None:
        from nqueens_cp.tracing.page import write

        write(traces, html)
        remark(f"written: {html}")
    if as_json:
        print(json.dumps({"n": n, "traces": [one.to_dict() for one in traces]}))
    else:
        if html is None:
            try:
                _show(traces if programs else traces[:1], plain, *pace)
            except PlayInterrupted as interrupt:
                remark(f"interrupted: {'; '.join(map(_where, interrupt.positions))}")
                return Exit.INTERRUPTED
        print(plain_text(counters_table(traces)))
    cut_off = [one.program for one in traces if one.is_cut_off]
    if cut_off:
        earlier = ", --first stops earlier" if most is None else ""
        remark(f"cut off after {at_most} steps: {', '.join(cut_off)}; --steps NUMBER keeps more{earlier}")
        return Exit.STOPPED
    return Exit.ANSWERED


def _pace(speed: str | None, by_step: bool) -> tuple[Callable[[], bool], str]:
    """Return what waits before a step, saying whether to go on, and what is told of that."""
    if by_step:
        if speed is not None:
            raise InvalidValue(f"--step waits for Enter, and --speed {speed} for time to pass; leave one out")
        return (lambda: bool(sys.stdin.readline())), "Enter: next step   Ctrl-D: end   Ctrl-C: stop"
    rate = DEFAULT_SPEED if speed is None else _rate(speed)

    def wait() -> bool:
        time.sleep(1 / rate)
        return True

    return wait, ONLY_STOP


def _rate(text: str) -> float:
    """Return a number of steps a second."""
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not SLOWEST <= rate <= FASTEST:
        raise InvalidValue(f"--speed: expected steps a second, {SLOWEST} to {FASTEST}, got {text[:60]!r}")
    return rate


def _show(traces: list[Trace], plain: bool, wait: Callable[[], bool], hint: str) -> None:
    """Play the traces on a terminal; print their steps elsewhere."""
    from rich.console import Console

    from nqueens_cp.tracing.picture import frame, play
    from nqueens_cp.tracing.words import sentences

    console = Console()
    if plain or not sys.stdout.isatty() or console.is_dumb_terminal:
        for one in traces:
            print(f"{one.title}, board of size {one.n}:")
            for sentence in sentences(one):
                print(sentence)
            print()
        return
    if hint != ONLY_STOP and (sys.stdin is None or not sys.stdin.isatty()):
        raise InvalidValue("--step waits for Enter, and standard input is no terminal; give --speed instead")
    console.print(frame(play(traces, console, wait, hint)))


def _where(position: Position) -> str:
    """Say where a search stands."""
    taken, done = position.taken, position.step
    figures = (
        ""
        if done is None
        else f" ({done.nodes} nodes, {done.checks} checks, {done.undone} undone, {position.solutions} solutions)"
    )
    return f"{position.trace.program} at step {taken} of {len(position.trace.steps)}{figures}"
