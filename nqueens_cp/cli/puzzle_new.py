"""The command ``puzzle new``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nqueens_cp.cli.options import AsJson, Exit
from nqueens_cp.cli.puzzle_boards import Stars, Svg, ended, print_board, require_output, save, stars_of
from nqueens_cp.cli.terminal import number, progress_bar, whole
from nqueens_cp.errors import InvalidType, InvalidValue, SearchInterrupted, SearchStopped

if TYPE_CHECKING:
    from nqueens_cp.puzzles.puzzle import Puzzle

MAX_SEED = 2**31 - 1
TIME_LIMIT = "60"


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
    stars: Stars = None,
    difficulty: Annotated[
        str | None, typer.Option("--difficulty", metavar="WORD", help="easy, medium or hard; if not given, any.")
    ] = None,
    svg: Svg = None,
    time_limit: Annotated[
        str, typer.Option("--time-limit", "-t", metavar="SECONDS", help="Give up after so long (exit status 3).")
    ] = TIME_LIMIT,
    as_json: AsJson = False,
) -> int:
    """Make a puzzle with exactly one solution.

    Examples:
      nqueens-cp puzzle new --size 9 --seed 7
      nqueens-cp puzzle new --size 7 --difficulty easy --svg board.svg
    """
    import nqueens_cp

    if as_json and svg == "-":
        raise InvalidValue("--json: --svg - prints something else; leave it out")
    require_output(svg, "--svg")
    number_of_seed = whole(seed, "--seed", -MAX_SEED)
    if not 0 <= number_of_seed <= MAX_SEED:
        raise InvalidValue(f"--seed: {number_of_seed} is not in 0..{MAX_SEED}")
    try:
        with progress_bar(note="making") as progress:
            made = nqueens_cp.puzzle.new(
                whole(size, "--size"),
                seed=number_of_seed,
                stars=1 if stars is None else stars_of(stars),
                difficulty=difficulty,
                time_limit=_limit(time_limit),
                progress=progress,
            )
    except (SearchStopped, SearchInterrupted) as stopped:
        return ended(stopped)
    if as_json:
        print(json.dumps(_record(made, number_of_seed), separators=(",", ":")))  # a line, as batch reads them
    elif svg != "-":
        print_board(made)
    if svg is not None:
        save(svg, made.svg())
    return Exit.ANSWERED


def _limit(text: str) -> float | None:
    try:
        return number(text)
    except (InvalidValue, InvalidType):
        raise InvalidValue(
            f"--time-limit: {text[:60]!r} is not a positive number of seconds; if it is left out, it is {TIME_LIMIT}"
        ) from None


def _record(made: Puzzle, seed: int) -> dict[str, Any]:
    from nqueens_cp.puzzles.writing import as_record

    grade = made.grade()
    return as_record(made) | {
        "seed": seed,
        "difficulty": grade.difficulty,
        "score": grade.score,
        "solution": made.solve().solution,
    }
