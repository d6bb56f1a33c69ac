"""Thousands of puzzles in one call: lines of JSON in, a line of JSON out for each, in the same order, by several processes."""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from nqueens_cp.backends.apart import Child, sendable
from nqueens_cp.background import despite_interrupts
from nqueens_cp.channel import Channel, ready
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import BackendUnavailable, InvalidType, InvalidValue
from nqueens_cp.puzzles import quick
from nqueens_cp.puzzles.answer import Squares
from nqueens_cp.puzzles.grading import grade
from nqueens_cp.puzzles.puzzle import MOST_STARS, Puzzle
from nqueens_cp.puzzles.reading import from_line, id_of_line, lines, require_one_a_line

if TYPE_CHECKING:
    from distributed import Client

PIECE = 64
"""So many lines are sent to a process at once."""
AHEAD = 3
"""So many pieces may wait for each process, or be done before an earlier one."""
POLL_SECONDS = 0.05

Line = tuple[int, bytes]


class Wanted(NamedTuple):
    """What is asked of each puzzle.

    Attributes
    ----------
    source : str
        Names the file in errors.
    stars : int, optional
        Instead of what the puzzles say.
    counted, graded : bool
        Whether the exact number of solutions, and the grade, are wanted as well.
    time_limit : float, optional
        Seconds for each puzzle.
    """

    source: str
    stars: int | None = None
    counted: bool = False
    graded: bool = False
    time_limit: float | None = None


class Piece(NamedTuple):
    """Some result lines, how many there are of each status, and of how many not all that was asked was found in time."""

    text: bytes
    statuses: Counter[str]
    incomplete: int = 0


def workers_here() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def answers(
    stream: BinaryIO, wanted: Wanted, workers: int, control: Control, cluster: str | Client | None = None
) -> Generator[Piece]:
    """Yield the result lines of a stream of JSON lines, in its order; ``control.found`` is how many there are.

    Each is an object: ``line``, ``id`` if it has one, and ``status`` ("unique", "several", "none", or "stopped" by the time
    limit), with ``solutions``, the cells of at most two, and with what else is wanted; or ``line``, ``id`` and ``error``.
    Where the time limit left out something, ``complete`` is false, and ``at_least`` says how many solutions there are.
    """
    numbered = require_one_a_line(lines(stream, wanted.source), wanted.source)
    pieces = iter(lambda: list(islice(numbered, PIECE)), [])
    found: Generator[Piece]
    if cluster is not None:
        from nqueens_cp.cluster.puzzles import answers_from_cluster

        control.workers = workers
        found = answers_from_cluster(numbered, wanted, cluster, control)
    elif workers == 1:
        found = (answered(piece, wanted) for piece in pieces)
    else:
        found = _by_processes(pieces, wanted, workers, control)
    with closing(found):
        for piece in found:
            control.poll()
            yield piece
            control.found += piece.statuses.total()


def _by_processes(pieces: Iterator[list[Line]], wanted: Wanted, workers: int, control: Control) -> Generator[Piece]:
    children: dict[Any, Child] = {}
    busy: dict[Any, deque[int]] = {}  # the numbers of the pieces that a process works on
    done: dict[int, Piece] = {}
    sent = handed_over = 0
    more = True

    def end() -> None:
        for child in children.values():
            child.stop()
        for child in children.values():
            child.join()

    try:
        while True:
            while more and sent - handed_over < AHEAD * workers:
                piece = next(pieces, None)
                if piece is None:
                    more = False
                    break
                idle = min(busy, key=lambda channel: len(busy[channel]), default=None)
                if idle is None or (busy[idle] and len(children) < workers):
                    child = Child("puzzle batch", _work, wanted, list(children))
                    children[child.channel] = child
                    child.start()
                    idle, busy[child.channel] = child.channel, deque()
                idle.send(piece)
                busy[idle].append(sent)
                sent += 1
            if handed_over == sent:
                return
            control.poll()
            channel: Any
            for channel in ready([c for c, numbers in busy.items() if numbers], POLL_SECONDS):
                try:
                    answer = channel.recv()
                except (EOFError, OSError):
                    fate = children[channel].fate()
                    raise BackendUnavailable(f"a process of puzzle batch died: {fate}") from None
                if isinstance(answer, BaseException):
                    raise answer
                done[busy[channel].popleft()] = answer
            while handed_over in done:
                yield done.pop(handed_over)
                handed_over += 1
    finally:
        despite_interrupts(end)


def _work(wanted: Wanted, channel: Channel) -> None:
    """Answer one piece after the other until the channel is closed."""
    with suppress(EOFError, OSError):
        while True:
            piece = channel.recv()
            try:
                answer: Any = answered(piece, wanted)
            except Exception as error:
                answer = sendable(error)
            channel.send(answer)


def joined(pieces: Iterable[Piece]) -> Piece:
    """Return pieces as one."""
    texts, statuses, incomplete = [], Counter[str](), 0
    for piece in pieces:
        texts.append(piece.text)
        statuses += piece.statuses
        incomplete += piece.incomplete
    return Piece(b"".join(texts), statuses, incomplete)


def answered(piece: Iterable[Line], wanted: Wanted, control_of: Callable[[float | None], Control] = Control) -> Piece:
    """Return the result lines of some numbered lines; `control_of` makes what each board's search polls."""
    records = [_record(number, line, wanted, control_of) for number, line in piece]
    texts = [json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records]
    statuses = Counter(record.get("status", "error") for record in records)
    return Piece(("\n".join(texts) + "\n").encode(), statuses, sum("complete" in record for record in records))


def _record(number: int, line: bytes, wanted: Wanted, control_of: Callable[[float | None], Control]) -> dict[str, Any]:
    record: dict[str, Any] = {"line": number}
    try:
        puzzle = from_line(line, f"{wanted.source}, line {number}")
    except (InvalidValue, InvalidType) as error:
        identity = id_of_line(line)
        return record | ({} if identity is None else {"id": identity}) | {"error": str(error)}
    if puzzle.id is not None:
        record["id"] = puzzle.id
    if wanted.stars is not None:
        puzzle = with_stars(puzzle, wanted.stars)
    control = control_of(wanted.time_limit)
    asked = (puzzle.grid, puzzle.stars, puzzle.given, puzzle.crossed)
    found: list[Squares] = []
    try:
        found.extend(islice(quick.each(*asked, control), 2))  # one that was found stays if the second is not
        record |= {"status": ("none", "unique", "several")[len(found)], "solutions": sorted(found)}
        if wanted.counted:
            record["count"] = len(found) if len(found) < 2 else quick.count(*asked, control)
        if wanted.graded:
            record["grade"] = str(grade(*asked, control)) if len(found) == 1 else None
    except TimeLimitReached:
        if "status" not in record:
            record |= {"status": "stopped", "solutions": found}
        if "count" not in record and record["status"] in ("several", "stopped"):
            record["at_least"] = max(len(found), control.found)
        record["complete"] = False
    return record


def with_stars(puzzle: Puzzle, stars: int) -> Puzzle:
    """Return the puzzle with another number of queens in each unit."""
    from dataclasses import replace

    if not 1 <= stars <= MOST_STARS:
        raise InvalidValue(f"stars: {stars} is not in 1..{MOST_STARS}")
    return replace(puzzle, stars=stars)
