"""The growing file: what was written whole is known at any moment, so that Ctrl-C leaves nothing torn."""

from __future__ import annotations

import os
import zlib
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import Any

from nqueens_cp.errors import InvalidValue

try:
    import fcntl
except ImportError:  # Windows: there, nothing keeps two programs from writing to one file
    fcntl = None  # type: ignore[assignment]

COMPRESSED_AT_ONCE = 1 << 20
"""The compressor is given so many bytes at a time, however they come, so that the same content gives the same file."""
LEVEL = 6
EARLIER = 3
"""So many states of a compressed file are kept, to go back to where there is no room for its end."""


@dataclass(frozen=True, slots=True)
class _State:
    """What is in the file: its size, the digest of the content, the solutions, and what is still to be compressed."""

    size: int
    digest: Any
    count: int
    compressor: Any = None
    waiting: bytes = b""


def opened_alone(path: Path) -> FileIO:
    """Open a file to read and write, and keep other programs of this kind from it until it is closed."""
    while True:
        file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+")
        if fcntl is None:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise InvalidValue(f"{path}: another program is writing to it") from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        file.close()  # who had it before has put another in its place, or removed it


class Sink:
    """A file that content is added to, perhaps compressed."""

    def __init__(
        self, path: Path, file: FileIO, *, compress: bool, kept: int = 0, digest: Any = None, count: int = 0
    ) -> None:
        """Cut an open file off after `kept` bytes, `count` solutions, whose content has the digest so far `digest`."""
        self.path = path
        self._file = file
        self.failure: OSError | None = None
        self._file.truncate(kept)
        compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, 31) if compress else None  # 31: with the header of gzip
        self._state = _State(kept, digest or sha256(), count, compressor)
        self._earlier = deque([self._state] if compress else [], maxlen=EARLIER)

    @property
    def count(self) -> int:
        """How many solutions are in the file."""
        return self._state.count

    def mark(self) -> tuple[int, str]:
        """Return how many solutions can be read from the file even if nothing more is written, and the digest of these."""
        state = self._state if self._state.compressor is None else self._earlier[0]
        return state.count, f"sha256:{state.digest.hexdigest()}"

    def write(self, data: bytes, rows: int = 0, *, digested: bool = True) -> None:
        """Add content, so many solutions. If it is interrupted, it is as if it had not been called."""
        state = self._state
        count = state.count + rows
        digest = state.digest
        if digested:
            digest = digest.copy()
            digest.update(data)
        if state.compressor is None:
            self._write_at(state.size, data)
            self._state = _State(state.size + len(data), digest, count)
            return
        waiting, compressor, out = state.waiting + data, state.compressor, list[bytes]()
        if len(waiting) >= COMPRESSED_AT_ONCE:
            compressor = compressor.copy()
            whole = len(waiting) - len(waiting) % COMPRESSED_AT_ONCE
            starts = range(0, whole, COMPRESSED_AT_ONCE)
            out = [compressor.compress(waiting[start : start + COMPRESSED_AT_ONCE]) for start in starts]
            waiting = waiting[whole:]
        compressed = b"".join(out)
        self._write_at(state.size, compressed)
        if out:
            self._earlier.append(state)
        self._state = _State(state.size + len(compressed), digest, count, compressor, waiting)

    def put(self, offset: int, data: bytes) -> None:
        """Write over what stands at an offset; it is no part of the digest."""
        self._write_at(offset, data)

    def _write_at(self, offset: int, data: bytes) -> None:
        self._file.seek(offset)
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) or 0 :]

    def finish(self) -> str:
        """Bring the file to its end, cut off what is torn, and return the digest; may be called again after Ctrl-C.

        Where there is no room for the end of what is compressed, it ends a little earlier, and `failure` says why.
        """
        while True:
            try:
                return self._finish()
            except OSError as error:
                if not self._earlier:
                    raise
                self.failure = error
                self._state = self._earlier.pop()

    def _finish(self) -> str:
        state = self._state
        size = state.size
        if state.compressor is not None:
            compressor = state.compressor.copy()
            rest = compressor.compress(state.waiting) + compressor.flush()
            self._write_at(size, rest)
            size += len(rest)
        self._file.truncate(size)
        return f"sha256:{state.digest.hexdigest()}"

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def moved_to(self, path: Path) -> None:
        """Give the file another name, in the place of what has it, and go on writing to it."""
        if os.name == "nt":  # there an open file cannot be renamed
            self._file.close()
            os.replace(self.path, path)
            self._file = FileIO(path, "r+")
        else:
            os.replace(self.path, path)
        self.path = path
