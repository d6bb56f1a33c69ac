"""Exit statuses, and the arguments and options that several commands take."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import typer


class Exit(IntEnum):
    """Exit statuses."""

    ANSWERED = 0
    NO = 1
    USAGE = 2
    STOPPED = 3
    INTERRUPTED = 130


# A target like -1 must reach our own message, not be taken for an option.
LENIENT = {"ignore_unknown_options": True, "help_option_names": ["-h", "--help"]}

Target = Annotated[
    str,
    typer.Argument(
        help="A board size (8), a model's name, the path of a file (.py, .fzn, .xml, .cnf, .opb), or - to read a size."
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME=VALUE]...", help="What the model takes, or the rules of a board: n=11, torus=True."),
]
BackendName = Annotated[str, typer.Option("--backend", "-b", help="auto, or a name that `nqueens-cp backends` lists.")]
TimeLimit = Annotated[
    str | None, typer.Option("--time-limit", "-t", metavar="SECONDS", help="Stop so long after the model was read.")
]
Workers = Annotated[str, typer.Option("--workers", "-w", metavar="NUMBER", help="Threads or processes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
