"""The command ``place``: boards too large for a model."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Annotated

import typer

from nqueens_cp.cli.options import AsJson, Exit, TimeLimit
from nqueens_cp.cli.several import opened, write_each
from nqueens_cp.cli.terminal import number, progress_bar, remark, whole
from nqueens_cp.errors import InvalidValue, NoSolution

LARGEST_PICTURE = 40  # rows of a board that is drawn on a terminal
OTHER_ENDINGS = (".npy", ".npz", ".csv", ".jsonl", ".gz")
"""Names that end so promise something else than text with blanks."""
AT_ONCE = 100_000  # columns that are turned into text together


def place(
    size: Annotated[str, typer.Argument(metavar="N", help="Rows and columns: 0, 1, or 4 to 100,000,000.")],
    at_random: Annotated[
        bool, typer.Option("--random", "-r", help="Random boards, by local search; some come more often.")
    ] = False,
    boards: Annotated[
        str, typer.Option("--number", "-k", metavar="NUMBER", help="So many different boards, with --random.")
    ] = "1",
    seed: Annotated[
        str, typer.Option("--seed", "-s", metavar="NUMBER", help="The same seed gives the same boards.")
    ] = "0",
    time_limit: TimeLimit = None,
    as_json: AsJson = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE.lines, .txt or .json.")
    ] = None,
) -> int:
    """Print the column of the queen in each row, for boards of up to 100 million rows.

    Examples:
      nqueens-cp place 8
      nqueens-cp place 1000 --random --seed 3
    """
    n, most, its_seed = whole(size, "N", 0), whole(boards, "--number"), whole(seed, "--seed", 0)
    if most > 1 and not at_random:
        raise InvalidValue("--number: the explicit construction gives one board; add --random for different ones")
    if output is not None and output.lower().endswith(OTHER_ENDINGS):
        raise InvalidValue(
            f"--output {output}: boards are written as text, a line of columns for each, or as JSON (--json); end the name in "
            ".lines, .txt or .json"
        )
    with progress_bar(note="placing", hidden=output is None and sys.stdout.isatty()) as progress:
        try:
            found = _boards(n, at_random, its_seed, number(time_limit), progress)
        except NoSolution as error:
            remark(str(error).removeprefix("n: "))
            return Exit.NO
        with opened(output) as out:
            if as_json:
                out.write(f'{{"size": {n}, "random": {"true" if at_random else "false"}, "boards": [\n')
                written, stopped = write_each(islice(found, most), out, lambda board: f"[{_text(board, ', ')}]", ",\n")
                out.write(f'\n], "complete": {"false" if stopped else "true"}}}\n')
            elif out.isatty() and n <= LARGEST_PICTURE:
                written, stopped = write_each(islice(found, most), out, _picture, "\n")
            else:
                written, stopped = write_each(islice(found, most), out, lambda board: _text(board, " ") + "\n", "")
            out.flush()
    if isinstance(stopped, KeyboardInterrupt):
        remark(f"interrupted (partial): {written} of {most} boards")
        return Exit.INTERRUPTED
    if stopped is not None:
        remark(f"stopped by the time limit of {time_limit} s: {written} of {most} boards")
        return Exit.STOPPED
    if written < most:
        remark(f"there are no more than {written} boards of {n} queens")
    return Exit.ANSWERED


def _boards(
    n: int, at_random: bool, seed: int, time_limit: float | None, progress: Callable[..., object] | None
) -> Iterable[array[int]]:
    import nqueens_cp

    if not at_random:
        return [nqueens_cp.place_queens(n)]
    found = nqueens_cp.random_placements(n, seed=seed, time_limit=time_limit, progress=progress)
    remark("random boards are not uniformly distributed: some come more often than others")
    return found


def _text(board: array[int], separator: str) -> str:
    parts = (board[start : start + AT_ONCE] for start in range(0, len(board), AT_ONCE))
    return separator.join(separator.join(map(str, part)) for part in parts)


def _picture(board: array[int]) -> str:
    return "".join(
        " ".join("Q" if column == its_column else "." for column in range(len(board))) + "\n" for its_column in board
    )
