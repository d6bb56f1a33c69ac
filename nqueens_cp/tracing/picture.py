"""Traces on a terminal: boards side by side, each with its counters and the path of its search tree, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from nqueens_cp.board import Square
from nqueens_cp.errors import InvalidValue
from nqueens_cp.tracing.position import Position
from nqueens_cp.tracing.record import Trace
from nqueens_cp.tracing.words import COUNTERS, counts, ending, sentence

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

LEGEND = "Q queen  x looked at: attacked  o taken off  - attacked below  . other"
SIGNS = {"place": "Q", "reject": "x", "undo": "o"}
STYLES = {"Q": "bold", "x": "bold red", "o": "yellow", "-": "dim", ".": ""}
GAP = 2  # columns between two things side by side
NARROWEST = 38  # columns, so that what is said of a step takes two lines at most


def play(traces: Sequence[Trace], console: Console, wait: Callable[[], bool], hint: str) -> list[Position]:
    """Show the traces side by side, one step of each after every call of `wait`, until that returns False or all have ended.

    Returns
    -------
    list[Position]
        Where they stand at the end.

    Raises
    ------
    InvalidValue
        They do not fit on the terminal; the message says how large it must be.
    """
    from rich.live import Live

    with_path = _fits(traces, console)
    positions = [Position(trace) for trace in traces]
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while True:
                live.update(frame(positions, hint, with_path=with_path), refresh=True)
                if not wait():
                    return positions
                moved = [position.advance() for position in positions]
                if not any(moved):
                    return positions
    except KeyboardInterrupt as interrupt:
        raise PlayInterrupted(positions) from interrupt


class PlayInterrupted(KeyboardInterrupt):
    """Ctrl-C while traces were shown; `positions` says where they stood."""

    def __init__(self, positions: list[Position]) -> None:
        super().__init__()
        self.positions = positions


def frame(positions: Sequence[Position], hint: str = "", *, with_path: bool = True) -> RenderableType:
    """Return the picture of searches side by side, with or without the paths of their search trees."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, GAP, 0, 0))
    for position in positions:
        grid.add_column(width=_width(position.trace.n))
    grid.add_row(*(_panel(position, with_path) for position in positions))
    return Group(grid, *(Text(line, style="dim", no_wrap=True) for line in (LEGEND, hint)))


def _panel(position: Position, with_path: bool) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    trace, step = position.trace, position.step
    title = Text(f"{trace.title}: step {position.taken} of {len(trace.steps)}", style="bold", no_wrap=True)
    beside = Table.grid(padding=(0, GAP, 0, 0))
    beside.add_row(_board(position), _counters(position))
    said = "the empty board" if step is None else sentence(step)
    if position.taken == len(trace.steps):
        said += f" ({ending(trace)})"
    lines = wrap(said, _width(trace.n))
    below = Text("\n".join([*lines, ""][:2]))
    return Group(title, beside, below, *([_path(position)] if with_path else []))


def _board(position: Position) -> Text:
    from rich.text import Text

    n, step = position.trace.n, position.step
    signs = dict.fromkeys(position.attacked(), "-") | dict.fromkeys(position.queens, "Q")
    styles: dict[Square, str] = {}
    if step is not None and step.column >= 0:
        looked_at = (step.row, step.column)
        signs[looked_at] = SIGNS[step.kind]
        styles = dict.fromkeys(step.attackers, "bold reverse")
        if step.kind == "place":
            styles[looked_at] = "bold green"
    text = Text("   " + "".join(str(column).rjust(_cell(n)) for column in range(n)), style="")
    for row in range(n):
        text.append(f"\n{row:>3}")
        for square in ((row, column) for column in range(n)):
            sign = signs.get(square, ".")
            text.append(" " * (_cell(n) - 1))
            text.append(sign, style=styles.get(square, STYLES[sign]))
    return text


def _counters(position: Position) -> Text:
    from rich.text import Text

    figures = (0,) * len(COUNTERS) if position.step is None else counts(position.step)
    named = [*zip(COUNTERS, figures, strict=True), ("solutions", position.solutions)]
    return Text("\n".join(f"{name:<10} {figure:>8,}" for name, figure in named))


def _path(position: Position) -> Text:
    """Return the path to where the search is: a line for each row, with the columns that were tried in it."""
    from rich.text import Text

    n = position.trace.n
    text = Text()
    for row in range(n):
        tried = position.tried[row] if row < len(position.tried) else {}
        if tried:
            text.append(f"{' ' * row}\u2514 row {row}:")
        for column, outcome in tried.items():
            text.append(f" {column}{SIGNS[outcome]}", style=STYLES[SIGNS[outcome]])
        text.append("\n")
    text.rstrip_end(len(text))
    return text


def _cell(n: int) -> int:
    """Return how many characters a square takes."""
    return 1 + len(str(max(n - 1, 0)))


def _width(n: int) -> int:
    """Return the width of one search's picture."""
    board = 3 + n * _cell(n) + GAP + len("candidates 99,999,999")
    path = n + len(f"- row {n}:") + n * (_cell(n) + 1)
    return max(NARROWEST, board, path)


def _fits(traces: Sequence[Trace], console: Console) -> bool:
    """Say whether the paths fit on the terminal too.

    Raises
    ------
    InvalidValue
        Not even the boards fit.
    """
    n = traces[0].n
    width = len(traces) * (_width(n) + GAP)
    height = 1 + max(n, len(COUNTERS) + 1) + 1 + 2 + 2  # title, board with its columns, sentence, legend
    if width > console.width or height > console.height:
        raise InvalidValue(
            f"a terminal of {console.width} x {console.height} characters is too small for {len(traces)} x the board "
            f"of size {n}: that takes {width} x {height}; add --plain for words, or show fewer programs"
        )
    return height + n <= console.height
