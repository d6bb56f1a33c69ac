"""A pipe between two processes or threads.

`multiprocessing.Pipe` is not used for this because a Connection runs Python code when it is forgotten, and Ctrl-C that arrives
just then is lost. A socket has no such place.
"""

from __future__ import annotations

import pickle
import socket
from collections.abc import Iterable
from multiprocessing.connection import wait
from struct import Struct
from typing import Any, Self

LENGTH = Struct("!Q")
AT_ONCE = 2**20  # bytes


class Channel:
    """One end of a pipe. It can be handed to a process that is being started."""

    __slots__ = ("_socket",)

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected

    def fileno(self) -> int:
        """Return the system's number of it."""
        return self._socket.fileno()

    def send(self, item: object) -> None:
        """Send what survives pickle, waiting while the pipe is full.

        Raises
        ------
        OSError
            The other end, or this one, is closed.
        """
        data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
        self._socket.sendall(LENGTH.pack(len(data)) + data)

    def recv(self) -> Any:
        """Return what arrives next, waiting for it.

        Raises
        ------
        EOFError
            The other end is closed, and everything that was sent has been received.
        OSError
            This end is closed.
        """
        (length,) = LENGTH.unpack(self._read(LENGTH.size))
        return pickle.loads(self._read(length))

    def _read(self, length: int) -> bytes:
        parts = []
        while length:
            try:
                part = self._socket.recv(min(length, AT_ONCE))
            except ConnectionResetError:  # the other end was closed before it had received everything
                part = b""
            if not part:
                raise EOFError
            parts.append(part)
            length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Close this end; may be called again."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def pipe() -> tuple[Channel, Channel]:
    """Return the two ends of a new pipe."""
    ends = socket.socketpair()
    for end in ends:
        end.setblocking(True)  # whatever the default timeout of sockets is
    return Channel(ends[0]), Channel(ends[1])


def ready(channels: Iterable[Channel], seconds: float) -> list[Channel]:
    """Return those of which `recv` need not wait, waiting for the first of them, at most so long."""
    ends: list[Any] = list(channels)
    found: list[Any] = wait(ends, seconds)
    return found
