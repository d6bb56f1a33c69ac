"""Exit statuses, and the arguments and options that several commands take."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

import typer

from nqueens_cp.errors import ClusterError, SearchInterrupted, SearchStopped


class Exit(IntEnum):
    """Exit statuses."""

    ANSWERED = 0
    NO = 1
    USAGE = 2
    STOPPED = 3
    INTERRUPTED = 130

    @classmethod
    def of(cls, stopped: SearchStopped | SearchInterrupted | ClusterError) -> Exit:
        """Return the status for a search that was stopped."""
        return cls.INTERRUPTED if isinstance(stopped, SearchInterrupted) else cls.STOPPED


# A target like -1 must reach our own message, not be taken for an option.
LENIENT = {"ignore_unknown_options": True, "help_option_names": ["-h", "--help"]}

OF_A_MODEL = "A board size (8), the name of a model (see `nqueens-cp models`), a file (.py, .fzn, .xml, .cnf, .opb),"
OF_PARAMETERS = 'Rules of the board (torus=True, "placed=[(0, 3)]") or what the model takes (n=11)'

Target = Annotated[str, typer.Argument(metavar="MODEL", help=f"{OF_A_MODEL} or - for a size from standard input.")]
Parameters = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=VALUE]...",
        help=f"{OF_PARAMETERS}.",
    ),
]
BackendName = Annotated[
    str,
    typer.Option(
        "--backend",
        "-b",
        metavar="NAME",
        help="The solver: auto, one that `nqueens-cp backends` lists, or a program of your own (./mine.py).",
    ),
]
TimeLimit = Annotated[
    str | None, typer.Option("--time-limit", "-t", metavar="SECONDS", help="Stop after so long (exit status 3).")
]
Workers = Annotated[str, typer.Option("--workers", "-w", metavar="NUMBER", help="So many threads or processes search.")]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a Dask cluster: tcp://HOST:PORT, or local:2 for two processes here.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
