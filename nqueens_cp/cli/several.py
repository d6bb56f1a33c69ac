"""Writing boards one after the other as they are found, to standard output or a file, whole ones only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TextIO, TypeVar

from nqueens_cp.errors import SearchStopped

T = TypeVar("T")


def opened(output: str | None) -> AbstractContextManager[TextIO]:
    """Open what boards are written to: a file, or standard output, which stays open."""
    return nullcontext(sys.stdout) if output is None else Path(output).open("w", encoding="utf-8")


def write_each(
    boards: Iterable[T], out: TextIO, text: Callable[[T], str], between: str
) -> tuple[int, SearchStopped | KeyboardInterrupt | None]:
    """Write boards; return how many, and what stopped that, if anything did. A file then holds whole boards only."""
    written, end = 0, out.tell() if out is not sys.stdout else None
    try:
        for board in boards:
            out.write((between if written else "") + text(board))
            written, end = written + 1, end if end is None else out.tell()
    except (SearchStopped, KeyboardInterrupt) as error:
        if end is not None:
            out.seek(end)
            out.truncate()
        return written, error
    return written, None
