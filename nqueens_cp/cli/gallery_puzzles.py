"""Puzzles of files for the command ``gallery``: their names, and what is drawn of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nqueens_cp.checks import counted
from nqueens_cp.cli.gallery_drawn import Drawn, Search
from nqueens_cp.cli.options import Exit
from nqueens_cp.cli.terminal import remark
from nqueens_cp.control import Control
from nqueens_cp.errors import InvalidValue, SearchStopped

if TYPE_CHECKING:
    from nqueens_cp.board import Square
    from nqueens_cp.puzzles.puzzle import Puzzle
    from nqueens_cp.render.diagram import Diagram


def read_named(files: list[str]) -> list[tuple[str, Puzzle]]:
    """Return the puzzles of files with their names: ids, or what tells them apart."""
    from nqueens_cp.puzzles.reading import read_file

    for file in files:
        if not Path(file).is_file():
            raise InvalidValue(
                f"unexpected argument {file!r}: {files[0]} holds puzzles, and only more files of them may follow"
            )
    found = [(Path(file).stem, i, puzzle) for file in files for i, puzzle in enumerate(read_file(file), 1)]
    alone = {file for file, i, _ in found if i == 1} - {file for file, i, _ in found if i > 1}

    def name(file: str, i: int, puzzle: Puzzle) -> str:
        if puzzle.id is not None:
            return str(puzzle.id)
        if len(files) == 1:
            return str(i) if file not in alone else ""
        return file if file in alone else f"{file} {i}"

    names = [name(*one) for one in found]
    if len(set(names)) < len(names) and len(files) > 1:
        names = [f"{file} {i if puzzle.id is None else puzzle.id}" for file, i, puzzle in found]
    return [(its_name, puzzle) for its_name, (_, _, puzzle) in zip(names, found, strict=True)]


def of_puzzles(puzzles: list[tuple[str, Puzzle]], search: Search, limit: int, *, unsolved: bool, graded: bool) -> Drawn:
    """Return puzzles with their solutions, or as they are posed; named, and with how difficult they are said to be.

    With `graded` it is found out how difficult those with one solution are.
    """
    control = Control(search.seconds)
    boards: list[Diagram] = []
    solved, status = 0, "complete"

    def draw(puzzle: Puzzle, queens: Collection[Square], *words: str | None) -> None:
        boards.append(replace(puzzle.diagram(queens), caption=", ".join(filter(None, words))))

    for name, puzzle in puzzles:
        room = limit - len(boards)
        if not room:
            status = "limit"
            break
        difficulty = puzzle.difficulty
        if graded:
            difficulty, status = _graded(puzzle, control)
            if status != "complete":
                break
        if unsolved:
            draw(puzzle, (), name, difficulty)
            continue
        found, status = replace(search, seconds=control.limit_left()).boards(puzzle.model(), room)
        solved += bool(found)
        several = len(found) > 1 or (found and status != "complete")
        for solution in found:
            draw(puzzle, solution.pieces, name, difficulty, f"solution {solution.caption}" if several else "")
        if status != "complete":
            break
        if not found:
            draw(puzzle, (), name, "no solution")
    why = {
        "complete": "",
        "limit": f"stopped by the limit of {limit}",
        "timeout": "stopped by the time limit",
        "interrupted": "interrupted",
    }[status]

    def end(done: str) -> Exit:
        remark(f"{why}{' (partial): ' if why else ''}{counted(len(boards), 'board')} {done}")
        if status == "complete":
            return Exit.ANSWERED if unsolved or solved == len(puzzles) else Exit.NO
        return Exit.INTERRUPTED if status == "interrupted" else Exit.STOPPED

    return Drawn(boards, "", f"partial: {why}" if why else "", bool(why), end)


def _graded(puzzle: Puzzle, control: Control) -> tuple[str | None, str]:
    """Return how difficult a puzzle is, None if it has several solutions or none, and how finding that out ended."""
    try:
        unique = puzzle.is_unique(time_limit=control.limit_left())
        grade = str(puzzle.grade(time_limit=control.limit_left())) if unique else None
    except SearchStopped:
        return None, "timeout"
    except KeyboardInterrupt:
        return None, "interrupted"
    return grade, "complete"
