"""The command ``export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nqueens_cp.cli.options import Exit, Parameters, Target
from nqueens_cp.cli.terminal import load, remark
from nqueens_cp.errors import InvalidValue
from nqueens_cp.files import require_writable, write_whole

DEFAULT_FORMAT = "minizinc"


def export(
    target: Target,
    parameters: Parameters = None,
    format_name: Annotated[
        str | None, typer.Option("--format", "-f", metavar="NAME", help="minizinc, xcsp3, dimacs, opb or lp.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write there; the ending tells the format: .mzn, .xml, .cnf, .opb, .lp.",
        ),
    ] = None,
) -> int:
    """Write a model for other tools.

    Examples:
      nqueens-cp export 8 --format minizinc
      nqueens-cp export toroidal_queens n=7 --output torus.cnf
    """
    import nqueens_cp

    chosen = _format_of(output) if format_name is None else format_name
    if output is not None:
        require_writable(output, "--output")
    text = nqueens_cp.export(load(target, parameters), chosen)
    if output is None:
        print(text, end="")
    else:
        write_whole(output, text)
        remark(f"written as {chosen}: {output}")
    return Exit.ANSWERED


def _format_of(output: str | None) -> str:
    """Return the format that the ending of a file's name tells."""
    from nqueens_cp.formats import WRITTEN_SUFFIXES

    if output is None:
        return DEFAULT_FORMAT
    suffix = Path(output).suffix.lower()
    if suffix not in WRITTEN_SUFFIXES:
        raise InvalidValue(
            f"--output {output}: its ending tells no format; add --format, or use one of {', '.join(WRITTEN_SUFFIXES)}"
        )
    return WRITTEN_SUFFIXES[suffix]
