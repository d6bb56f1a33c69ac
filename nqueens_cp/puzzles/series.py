"""Several made puzzles, all different: from a seed and those that follow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

from nqueens_cp.checks import MAX_SEED
from nqueens_cp.control import Control, Progress
from nqueens_cp.errors import SearchStopped
from nqueens_cp.puzzles.maker import puzzle
from nqueens_cp.puzzles.puzzle import Puzzle
from nqueens_cp.result import Status

MAX_SKIPPED = 5
"""After so many seeds in a row that give no new board there is no more."""


def series(
    size: int,
    number: int,
    *,
    seed: int = 0,
    stars: int = 1,
    difficulty: str | None = None,
    time_limit: float | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Iterator[tuple[int, Puzzle]]:
    """Yield so many different puzzles with their seeds: seed, seed + 1, ...; those that give none that is new are skipped.

    Parameters
    ----------
    number : int
        How many puzzles.
    time_limit : int or float, optional
        Seconds of wall clock for all of them.
    progress : callable, optional
        Called now and then with a `Progress`: how many of these puzzles there are, and which share of all that is.

    Other parameters are those of `puzzle.new`.

    Raises
    ------
    SearchStopped, SearchInterrupted
        The time is over, some seeds in a row gave nothing new, or Ctrl-C.
    """
    control = Control(time_limit)
    known: set[tuple[tuple[int, ...], ...]] = set()

    def report(of_one: Progress) -> None:
        if progress is not None:
            progress(Progress(len(known), len(known) / number, monotonic() - control.started))

    its_seed, last_new = seed, seed - 1
    while len(known) < number:
        if its_seed > min(MAX_SEED, last_new + MAX_SKIPPED):
            tried = f"the seeds {last_new + 1} to {its_seed - 1} gave no new board"
            text = tried if its_seed <= MAX_SEED else f"there is no seed after {MAX_SEED}"
            raise SearchStopped(text, partial=None, status=Status.LIMIT)
        left, made = control.limit_left(), None
        try:
            made = puzzle.new(size, seed=its_seed, stars=stars, difficulty=difficulty, time_limit=left, progress=report)
        except SearchStopped as stopped:
            if stopped.status is not Status.LIMIT:
                text = f"stopped by the time limit of {time_limit:g} s"
                raise SearchStopped(text, partial=None, status=stopped.status) from None
        if made is not None and made.grid not in known:
            known.add(made.grid)
            last_new = its_seed
            yield its_seed, made
        its_seed += 1
