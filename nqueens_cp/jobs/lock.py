"""A lock on a file that says which process holds it, and that dies with that process."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

from nqueens_cp.errors import InvalidValue

LOCKED_BYTE = 1 << 20
"""Far behind the text, which others may read."""

_held: set[str] = set()
"""What this process holds: the system's locks do not keep a process from itself."""


class FileLock:
    """Held from when it is made until `release`, or until the process ends, however it ends.

    Beside the file stands FILE.lock while the lock is held.

    Raises
    ------
    InvalidValue
        Another process holds it; the message says which.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = path.with_name(path.name + ".lock")
        self._name = os.path.realpath(path)
        if self._name in _held:
            raise self._refused("this process")
        self._file = self._take()
        _held.add(self._name)
        os.ftruncate(self._file, 0)
        os.write(self._file, f"process {os.getpid()} on {socket.gethostname()}".encode())

    def _take(self) -> int:
        while True:
            file = os.open(self._place, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                _lock(file)
                if self._is_in_place(file):
                    return file
            except (PermissionError, BlockingIOError):
                holder = os.read(file, 200).decode(errors="replace") or "another process"
                os.close(file)
                raise self._refused(holder) from None
            except BaseException:
                os.close(file)
                raise
            os.close(file)  # whoever held it has just removed it

    def _is_in_place(self, file: int) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(file), os.stat(self._place))
        return False

    def _refused(self, holder: str) -> InvalidValue:
        return InvalidValue(
            f"{self.path}: {holder} is counting with this checkpoint; wait for it, end it, or name another file"
        )

    def release(self) -> None:
        """Let others have it."""
        if self._name in _held:
            if sys.platform != "win32":
                self._place.unlink(missing_ok=True)
            os.close(self._file)
            _held.discard(self._name)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(file, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
