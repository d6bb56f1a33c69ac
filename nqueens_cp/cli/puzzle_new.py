"""The command ``puzzle new``.

Exit status: 0 if all boards were made, 3 if a time limit or the lack of new ones ended it earlier, 130 after Ctrl-C.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from nqueens_cp.checks import MAX_SEED
from nqueens_cp.cli.options import AsJson, Exit
from nqueens_cp.cli.puzzle_boards import (
    Stars,
    Svg,
    board_text,
    print_board,
    require_output,
    save,
    stars_of,
)
from nqueens_cp.cli.several import opened, write_each
from nqueens_cp.cli.terminal import ended, number, progress_bar, remark, whole
from nqueens_cp.errors import InvalidType, InvalidValue, SearchInterrupted, SearchStopped

if TYPE_CHECKING:
    from nqueens_cp.control import Progress
    from nqueens_cp.puzzles.puzzle import Puzzle

TIME_LIMIT = 60
JSON_ENDINGS = (".json", ".jsonl")


class Asked(NamedTuple):
    """What the boards shall be; the time limit is for all of them."""

    size: int
    number: int
    seed: int
    stars: int
    difficulty: str | None
    time_limit: float | None


def new(
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="NUMBER",
            help="Rows, columns and regions: 4 to 20; with 2 stars 8 to 14, with 3 stars 12 to 14.",
        ),
    ] = "8",
    seed: Annotated[
        str,
        typer.Option("--seed", metavar="NUMBER", help=f"0 to {MAX_SEED}; the same seed makes the same board."),
    ] = "0",
    boards: Annotated[
        str,
        typer.Option(
            "--number", "-k", metavar="NUMBER", help="So many different boards, of this seed and those after it."
        ),
    ] = "1",
    stars: Stars = None,
    difficulty: Annotated[
        str | None, typer.Option("--difficulty", metavar="WORD", help="easy, medium or hard; if not given, any.")
    ] = None,
    svg: Svg = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to a file; to .jsonl a line of JSON for each board."
        ),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time-limit",
            "-t",
            metavar="SECONDS",
            help=f"Give up after so long (exit status 3); if not given, {TIME_LIMIT} for each board.",
        ),
    ] = None,
    as_json: AsJson = False,
    count: Annotated[str | None, typer.Option("--count", hidden=True)] = None,
) -> int:
    """Make puzzles with exactly one solution.

    Examples:
      nqueens-cp puzzle new --size 9 --seed 7
      nqueens-cp puzzle new --size 9 --number 20 --output boards.jsonl
      nqueens-cp puzzle new --size 7 --difficulty easy --svg board.svg
    """
    from nqueens_cp.puzzles.making import require_makeable

    if count is not None:
        raise InvalidValue("--count: the number of boards is given by --number")
    if as_json and svg == "-":
        raise InvalidValue("--json: --svg - prints something else; leave it out")
    its_seed = whole(seed, "--seed", -MAX_SEED)
    if not 0 <= its_seed <= MAX_SEED:
        raise InvalidValue(f"--seed: {its_seed} is not in 0..{MAX_SEED}")
    most = whole(boards, "--number")
    if most > 1 and svg is not None:
        raise InvalidValue(
            "--svg draws one board; write several with --output boards.jsonl, and draw them with "
            "nqueens-cp gallery boards.jsonl --unsolved"
        )
    limit = TIME_LIMIT * most if time_limit is None else _limit(time_limit)
    asked = Asked(whole(size, "--size"), most, its_seed, 1 if stars is None else stars_of(stars), difficulty, limit)
    require_makeable(asked.size, asked.stars, difficulty)
    file = None if output == "-" else output
    if file is not None and svg is not None and file == svg:
        raise InvalidValue(f"--svg and --output both name {svg}; write to two files")
    require_output(svg, "--svg")
    require_output(file, "--output")
    to_json = as_json or (file is not None and file.lower().endswith(JSON_ENDINGS))
    return _one(asked, svg, file, to_json) if most == 1 else _several(asked, file, to_json)


def _one(asked: Asked, svg: str | None, file: str | None, to_json: bool) -> int:
    import nqueens_cp

    try:
        with progress_bar(note="making") as progress:
            made = nqueens_cp.puzzle.new(
                asked.size,
                seed=asked.seed,
                stars=asked.stars,
                difficulty=asked.difficulty,
                time_limit=asked.time_limit,
                progress=progress,
            )
        record = _line(made, asked.seed) if to_json else ""
    except (SearchStopped, SearchInterrupted) as stopped:
        return ended(stopped)
    if file is not None:
        save(file, record or f"{made}\n")
    elif to_json:
        print(record, end="")
    elif svg != "-":
        print_board(made)
    if svg is not None:
        save(svg, made.svg())
    return Exit.ANSWERED


def _several(asked: Asked, file: str | None, to_json: bool) -> int:
    def text(made: tuple[int, int, Puzzle]) -> str:
        i, seed, board = made
        if to_json:
            return _line(replace(board, id=i), seed)
        return board_text(board) if file is None else f"{board}\n"

    with opened(file) as out, closing(_made(asked, apart=file is None and sys.stdout.isatty())) as found:
        written, stopped = write_each(found, out, text, "" if to_json else "\n")
        out.flush()
    told = f"{written} of {asked.number} boards"
    if isinstance(stopped, KeyboardInterrupt):
        remark(f"interrupted (partial): {told}")
        return Exit.INTERRUPTED
    if stopped is not None:
        remark(f"{stopped} (partial): {told}")
        return Exit.STOPPED
    return Exit.ANSWERED


def _made(asked: Asked, *, apart: bool) -> Generator[tuple[int, int, Puzzle]]:
    """Yield boards, numbered from 1 and with their seeds; with `apart`, no progress is shown while they are printed."""
    from nqueens_cp.puzzles.series import series

    report: Callable[[Progress], object] | None = None

    def tell(progress: Progress) -> None:
        if report is not None:
            report(progress)

    size, number_of_boards, *_ = asked
    found = enumerate(
        series(
            size,
            number_of_boards,
            seed=asked.seed,
            stars=asked.stars,
            difficulty=asked.difficulty,
            time_limit=asked.time_limit,
            progress=tell,
        ),
        1,
    )
    counted = f"of {number_of_boards} boards"
    with progress_bar(note="making", hidden=apart, counted=counted) as for_all:
        while True:
            with progress_bar(note="making", hidden=not apart, counted=counted) as for_one:
                report = for_all or for_one
                made = next(found, None)
            if made is None:
                return
            i, (seed, board) = made
            yield i, seed, board


def _limit(text: str) -> float | None:
    try:
        return number(text)
    except (InvalidValue, InvalidType):
        raise InvalidValue(
            f"--time-limit: {text[:60]!r} is not a positive number of seconds; if it is left out, it is {TIME_LIMIT} "
            "for each board"
        ) from None


def _line(made: Puzzle, seed: int) -> str:
    """Return a board as a line of JSON, as `puzzle batch` reads it, with its seed, grade and solution."""
    from nqueens_cp.puzzles.writing import as_record

    grade = made.grade()
    record = as_record(made) | {
        "seed": seed,
        "difficulty": grade.difficulty,
        "score": grade.score,
        "solution": made.solve().solution,
    }
    return json.dumps(record, separators=(",", ":")) + "\n"
