"""What the puzzle commands share: options, and printing and saving boards."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from nqueens_cp.cli.terminal import whole
from nqueens_cp.errors import InvalidValue

if TYPE_CHECKING:
    from nqueens_cp.puzzles.puzzle import Puzzle

Stars = Annotated[
    str | None, typer.Option("--stars", metavar="NUMBER", help="Queens in each row, column and region: 1, 2 or 3.")
]
Svg = Annotated[str | None, typer.Option("--svg", metavar="FILE", help="Write a picture; - to print it.")]

EIGHT_COLOURS = ("white", "yellow", "cyan", "green", "magenta", "red", "blue")
"""The backgrounds that all terminals with colours have, without black; those first on which black can be read best."""
SIXTEEN_COLOURS = (*EIGHT_COLOURS, "bright_yellow", "bright_cyan", "bright_green", "bright_magenta", "bright_red")
DARK = ("red", "blue")


def stars_of(text: str) -> int:
    """Return the number that ``--stars`` gives."""
    from nqueens_cp.puzzles.puzzle import MOST_STARS

    stars = whole(text, "--stars")
    if stars > MOST_STARS:
        raise InvalidValue(f"--stars: {stars} is not in 1..{MOST_STARS}")
    return stars


def standard_input() -> BinaryIO:
    """Return what is read for ``-``."""
    if sys.stdin is None:
        raise InvalidValue("standard input is closed; give a file")
    return sys.stdin.buffer


def require_output(file: str | None, option: str, source: str = "-") -> None:
    """Refuse a file, given by an option, that cannot be written, or that is the one that is read."""
    from nqueens_cp.files import require_writable

    if file is None or file == "-":
        return
    if source != "-" and Path(file).exists() and Path(source).exists() and Path(file).samefile(source):
        raise InvalidValue(f"{option}: {file} is the file that is read; write to another")
    require_writable(file, option)


def save(file: str, text: str) -> None:
    """Write to a file, or print."""
    from nqueens_cp.files import write_whole

    if file == "-":
        print(text, end="" if text.endswith("\n") else "\n")
    else:
        sys.stdout.flush()  # what was printed is not lost if the file cannot be written
        write_whole(file, text)


def print_board(puzzle: Puzzle, solutions: Sequence[Any] = ()) -> None:
    """Print a board: in colours on a terminal that has them, else as text that `puzzle` reads again."""
    print(board_text(puzzle, solutions), end="")


def board_text(puzzle: Puzzle, solutions: Sequence[Any] = ()) -> str:
    """Return a board as `print_board` prints it, to its last line's end."""
    from nqueens_cp.puzzles.writing import as_text

    coloured = _coloured(puzzle, solutions) if sys.stdout.isatty() else None
    return f"{as_text(puzzle, solutions)}\n" if coloured is None else coloured


def _coloured(puzzle: Puzzle, solutions: Sequence[Any]) -> str | None:
    """Return a board in colours, with the label of the region in each cell; None if the terminal has no colours."""
    from rich.console import Console
    from rich.text import Text

    from nqueens_cp.puzzles.writing import EMPTY, marks
    from nqueens_cp.render.colours import PALETTE, region_colours

    console = Console(highlight=False)
    if console.no_color or console.color_system is None:
        return None
    few = console.color_system in ("standard", "windows")
    sixteen = console.color_system == "windows" or os.environ.get("TERM", "").endswith("16color")
    fills = region_colours(puzzle.grid, PALETTE if not few else SIXTEEN_COLOURS if sixteen else EIGHT_COLOURS)
    names = puzzle.names
    width = max(map(len, names))
    with console.capture() as captured:
        for row, line in zip(puzzle.grid, marks(puzzle, solutions), strict=True):
            text = Text()
            for k, mark in zip(row, line, strict=True):
                ink = "bright_white" if fills[k] in DARK else "black" if few else "#000000"
                text.append(f" {names[k]:<{width}}", style=f"{ink} on {fills[k]}")
                weight = "" if few else "bold "  # bold black is grey on some of these terminals
                text.append(f"{' ' if mark == EMPTY else mark} ", style=f"{weight}{ink} on {fills[k]}")
            console.print(text, soft_wrap=True)
    return captured.get()
