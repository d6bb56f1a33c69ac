"""Programs that run in a process group of their own, which ends when this process does."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from subprocess import PIPE, Popen
from typing import Any


class Programs:
    """Programs that are run in a folder, where they also put their own temporary files.

    Attributes
    ----------
    status : int
        How the last ones ended: 0, or what the first of them that failed returned.
    """

    def __init__(self, folder: str) -> None:
        self.status = 0
        self._folder = folder
        self._running: list[Popen[bytes]] = []

    def lines(self, *commands: list[str]) -> Iterator[bytes]:
        """Run commands, each reading what the one before it prints; yield what the last one prints, and all complaints.

        The generator is to be read to its end; `kill`, from another thread, brings that about.
        """
        end, lifeline = os.pipe()  # the input of the first command: nothing is written there
        output, others_output = os.pipe()
        with open(output, "rb") as printed:
            try:
                with open(lifeline, "wb"), open(end, "rb") as silence:
                    with open(others_output, "wb") as complaints:
                        self._start(commands, silence, complaints)
                    yield from printed
            finally:
                self.kill()  # what they have started belongs to their group, until its leader is waited for
                ended = [process.wait() for process in reversed(self._running)]
                self.status = next((status for status in ended if status), 0)

    def _start(self, commands: tuple[list[str], ...], silence: Any, complaints: Any) -> None:
        surroundings = {**os.environ, "TMPDIR": self._folder}
        self._running, target, group = [], complaints, 0
        for command in reversed(commands):  # the last one first: it leads the group, and ends when its input does
            process = Popen(
                command,
                stdin=silence if command is commands[0] else PIPE,
                stdout=target,
                stderr=complaints,
                cwd=self._folder,
                env=surroundings,
                process_group=group,
            )
            self._running.append(process)
            if not group:
                group = process.pid
                _end_together(silence.fileno(), group)
            if target is not complaints:
                target.close()
            target = process.stdin

    def kill(self) -> None:
        """End the programs that are running, and what they have started."""
        if self._running and self._running[0].returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                if hasattr(os, "killpg"):
                    os.killpg(self._running[0].pid, signal.SIGKILL)
                else:
                    for process in self._running:
                        process.kill()


def _end_together(silence: int, group: int) -> None:
    """Have the system end a process group when the other end of this pipe closes, because this process was killed."""
    with suppress(ImportError):  # Windows
        import fcntl

        fcntl.fcntl(silence, fcntl.F_SETOWN, -group)
        fcntl.fcntl(silence, fcntl.F_SETFL, fcntl.fcntl(silence, fcntl.F_GETFL) | os.O_ASYNC)
