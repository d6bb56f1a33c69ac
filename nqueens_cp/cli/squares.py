"""The command ``squares``."""

from __future__ import annotations

from typing import Annotated

import typer

from nqueens_cp.cli.answers import who_counts
from nqueens_cp.cli.options import AsJson, BackendName, Exit, Parameters, Target, TimeLimit, Workers
from nqueens_cp.cli.terminal import ended, load, number, print_json, progress_bar, warnings_as_remarks, whole
from nqueens_cp.errors import InvalidValue, SearchInterrupted, SearchStopped


def squares(
    target: Target,
    parameters: Parameters = None,
    heat_map: Annotated[
        str | None, typer.Option("--heat-map", metavar="FILE", help="Write a picture to FILE.png or FILE.svg.")
    ] = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
    as_json: AsJson = False,
) -> int:
    """Print how many solutions use each square of the board.

    Examples:
      nqueens-cp squares 8
      nqueens-cp squares 8 --heat-map queens.png
    """
    from nqueens_cp.files import require_writable
    from nqueens_cp.render.heat_map import checked_kind, write_heat_map
    from nqueens_cp.render.image import require_matplotlib
    from nqueens_cp.squares import counts_text, square_counts

    if heat_map is not None:
        checked_kind(heat_map)  # before a long search
        require_writable(heat_map, "--heat-map")
        require_matplotlib(f"--heat-map {heat_map}: a heat map")
    model = load(target, parameters)
    if heat_map is not None:
        board = model.require_board("squares")
        if not board.height * board.columns:
            raise InvalidValue("--heat-map: the board has no squares to draw")
    stopped: SearchStopped | SearchInterrupted | None = None
    try:
        with progress_bar(note="counting") as progress:
            counts = square_counts(
                model,
                backend=backend,
                time_limit=number(time_limit),
                workers=whole(workers, "--workers"),
                progress=progress,
            )
    except (SearchStopped, SearchInterrupted) as error:
        counts, stopped = error.partial, error
    if as_json:
        print_json(
            {"model": model.name, "backend": who_counts(model, backend), "complete": stopped is None, "counts": counts}
        )
    else:
        print(counts_text(counts, stopped is None))
    if heat_map is not None:
        board = model.require_board("squares")
        words = " ".join([model.name, *(parameters or [])])
        title = f"{words}, {board.height} x {board.columns}{'' if stopped is None else ' (not complete: lower bounds)'}"
        with warnings_as_remarks():
            write_heat_map(counts, heat_map, title=title, blocked=board.blocked)
    return Exit.ANSWERED if stopped is None else ended(stopped)
