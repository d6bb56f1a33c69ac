"""The command ``gallery``: solutions as boards on one sheet."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from nqueens_cp.cli.gallery_drawn import MOST, Drawn, Search
from nqueens_cp.cli.gallery_puzzles import of_puzzles, read_named
from nqueens_cp.cli.listing import Symmetric, Told
from nqueens_cp.cli.options import OF_A_MODEL, OF_PARAMETERS, BackendName, Exit, TimeLimit, Workers
from nqueens_cp.cli.terminal import load, number, progress_bar, remark, warnings_as_remarks, whole
from nqueens_cp.errors import InvalidValue, SearchInterrupted

Pictured = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help=f"{OF_A_MODEL} a file of region puzzles, or - for a size from standard input.",
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=VALUE|FILE]...",
        help=f"{OF_PARAMETERS}; more files of puzzles.",
    ),
]


def gallery(
    target: Pictured,
    parameters: Words = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to FILE.svg, .png or .pdf; without it, SVG to a pipe."
        ),
    ] = None,
    limit: Annotated[
        str | None, typer.Option("--limit", "-l", metavar="NUMBER", help=f"Draw so many boards at most ({MOST}).")
    ] = None,
    up_to_symmetry: Symmetric = False,
    unsolved: Annotated[
        bool,
        typer.Option("--unsolved", help="Draw the board, or the puzzles of a file, as posed; nothing is searched."),
    ] = False,
    grade: Annotated[
        bool, typer.Option("--grade", help="Grade puzzles; else it is told what their files say of that.")
    ] = False,
    attacked: Annotated[
        bool,
        typer.Option(
            "--attacked",
            help="Mark the squares that pieces attack; where every row has its queen, these are all that are empty.",
        ),
    ] = False,
    coordinates: Annotated[
        str | None,
        typer.Option(
            "--coordinates", metavar="KIND", help="chess (a1 at the bottom left) or row-column (0, 0 at the top left)."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="What stands above the boards.")] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="NUMBER", help="So many boards side by side.")
    ] = None,
    square: Annotated[
        str | None, typer.Option("--square", metavar="PIXELS", help="The side of a square, 4 to 200.")
    ] = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
) -> int:
    """Draw solutions as boards on one sheet.

    Examples:
      nqueens-cp gallery 8 --up-to-symmetry --output boards.svg
      nqueens-cp gallery bishops n=3 number=4 --attacked --output bishops.svg
      nqueens-cp gallery board.txt --unsolved --output worksheet.svg
    """
    from nqueens_cp.render.diagram import Diagram
    from nqueens_cp.render.sheet import sheet

    style: dict[str, Any] = {
        "attacked": attacked,
        "coordinates": coordinates,
        "columns": None if columns is None else whole(columns, "--columns"),
        "square": None if square is None else whole(square, "--square"),
    }
    sheet([Diagram(1, 1)], **style)  # what is wrong is refused before a long search
    _check(output)
    most = None if limit is None else whole(limit, "--limit")
    puzzles = read_named([target, *(parameters or [])]) if _holds_puzzles(target) else None
    if grade and puzzles is None:
        raise InvalidValue(f"--grade: puzzles are graded, and {target} is no file of them; leave it out")
    seconds, its_workers = number(time_limit), whole(workers, "--workers")
    with progress_bar() as progress:
        search = Search(backend, its_workers, seconds, up_to_symmetry, progress)
        if puzzles is not None:
            drawn = of_puzzles(puzzles, search, most or MOST, unsolved=unsolved, graded=grade)
        else:
            drawn = _of_model(load(target, parameters), parameters or [], search, most, time_limit, unsolved)
    if not drawn.boards:
        status = drawn.end("drawn")
        if output is not None and output != "-":
            remark(f"{output}: not written, there is no board to draw")
        return status
    made = sheet(
        drawn.boards,
        title=drawn.title if title is None else title,
        note=drawn.note if title is None or drawn.partial else "",
        **style,
    )
    if output is None or output == "-":
        print(made.svg(), end="")
        return drawn.end("drawn")
    with warnings_as_remarks():
        made.save(output)
    return drawn.end(f"drawn in {output}")


def _check(output: str | None) -> None:
    """Refuse a file that cannot be written."""
    from nqueens_cp.files import require_writable
    from nqueens_cp.render.image import require_matplotlib
    from nqueens_cp.render.sheet import format_of

    if output is None or output == "-":
        if sys.stdout.isatty():
            raise InvalidValue("--output: name the file to write, as --output boards.svg, or send the SVG to a pipe")
        return
    form = format_of(output)
    require_writable(output, "--output")
    if form != "svg":
        require_matplotlib(f"--output {output}: {form.upper()}")


def _holds_puzzles(target: str) -> bool:
    """Say whether a target is a file, and not one of a model; a size is one even if there is a file of that name."""
    from nqueens_cp.formats import reader_of
    from nqueens_cp.loader import model_names

    if target == "-" or target.lstrip("+-").isdigit():
        return False
    path = Path(target)
    return path.is_file() and path.suffix != ".py" and reader_of(path) is None and target not in model_names()


def _of_model(
    model: Any, words: list[str], search: Search, limit: int | None, time_limit: str | None, unsolved: bool
) -> Drawn:
    from nqueens_cp.relations import shorten
    from nqueens_cp.render.diagram import of_model
    from nqueens_cp.render.sheet import require_few_squares
    from nqueens_cp.result import MAX_DRAWN_SQUARES

    board = model.require_board("gallery")
    size = max(1, board.height * board.columns)
    require_few_squares(size * (limit or 1), f"{limit or 1} x {board.height} x {board.columns} is")
    title = f"{shorten(' '.join([model.name, *words]))}, {board.height} x {board.columns}"
    if unsolved:
        if limit is not None:
            raise InvalidValue("--limit: with --unsolved a model's board is drawn once; leave out --limit")
        return Drawn([of_model(model)], title, "", False, _answered)
    if model.objective is not None and not search.up_to_symmetry:
        return _best(model, search, title, time_limit)
    most = limit or min(MOST, MAX_DRAWN_SQUARES // size)
    boards, status = search.boards(model, most)
    told = Told(model.name, str(most), time_limit, 0, search.up_to_symmetry)

    def end(done: str) -> Exit:
        result = told.end(status, len(boards), done)
        if status == "limit" and limit is None:
            remark("--limit NUMBER draws more")
        return result

    noun = ("solution" if len(boards) == 1 else "solutions") + " up to symmetry" * search.up_to_symmetry
    note = {
        "complete": f"{len(boards)} {noun}",
        "limit": f"the first {len(boards)} {noun}, there may be more",
        "timeout": f"partial: {len(boards)} {noun} found before the time limit, there may be more",
        "interrupted": f"partial: {len(boards)} {noun} found before it was interrupted, there may be more",
    }
    return Drawn(boards, title, note[status], status != "complete", end)


def _answered(done: str) -> Exit:
    remark(f"the board as it is posed, {done}")
    return Exit.ANSWERED


def _best(model: Any, search: Search, title: str, time_limit: str | None) -> Drawn:
    """Return the best solution of a model with an objective."""
    import nqueens_cp

    interrupted = False
    try:
        result = nqueens_cp.solve(
            model,
            backend=search.backend,
            time_limit=search.seconds,
            workers=search.workers,
            progress=search.progress,
        )
    except SearchInterrupted as interrupt:
        if interrupt.partial is None:
            raise
        result, interrupted = interrupt.partial, True
    optimal = result.status is nqueens_cp.Status.OPTIMAL

    def end(done: str) -> Exit:
        if result.status is nqueens_cp.Status.UNSATISFIABLE:
            remark(f"no solution: model {model.name} has none")
            return Exit.NO
        if optimal:
            remark(f"objective {result.objective}, proven optimal, {done}")
            return Exit.ANSWERED
        why = "interrupted (partial)" if interrupted else f"stopped by the time limit of {time_limit} s"
        best = f"the best so far, objective {result.objective}, {done}" if result else "no solution so far"
        remark(f"{why}: {best}")
        return Exit.INTERRUPTED if interrupted else Exit.STOPPED

    note = f"{'the best' if optimal else 'partial: the best so far'}, objective {result.objective}"
    return Drawn([result.diagram()] if result else [], title, note, not optimal, end)
