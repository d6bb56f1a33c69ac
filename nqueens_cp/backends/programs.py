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

    The thread that reads `lines` alone holds the objects of `subprocess`: Python code runs when one is forgotten, and Ctrl-C
    would be lost in it.

    Attributes
    ----------
    status : int
        How the last ones ended: 0, or what the first of them that failed returned.
    """

    def __init__(self, folder: str) -> None:
        self.status = 0
        self._folder = folder
        self._numbers: list[int] = []  # of those that are running

    def lines(self, *commands: list[str]) -> Iterator[bytes]:
        """Run commands, each reading what the one before it prints; yield what the last one prints, and all complaints.

        The generator is to be read to its end; `kill`, from another thread, brings that about.
        """
        end, lifeline = os.pipe()  # the input of the first command: nothing is written there
        output, others_output = os.pipe()
        running: list[Popen[bytes]] = []
        with open(output, "rb") as printed:
            try:
                with open(lifeline, "wb"), open(end, "rb") as silence:
                    with open(others_output, "wb") as complaints:
                        self._start(commands, silence, complaints, running)
                    yield from printed
            finally:
                self.kill()  # what they have started belongs to their group, until its leader is waited for
                self._numbers = []
                ended = [process.wait() for process in reversed(running)]
                self.status = next((status for status in ended if status), 0)

    def _start(
        self, commands: tuple[list[str], ...], silence: Any, complaints: Any, running: list[Popen[bytes]]
    ) -> None:
        surroundings = {**os.environ, "TMPDIR": self._folder}
        target = complaints
        for command in reversed(commands):  # the last one first: it leads the group, and ends when its input does
            process = Popen(
                command,
                stdin=silence if command is commands[0] else PIPE,
                stdout=target,
                stderr=complaints,
                cwd=self._folder,
                env=surroundings,
                process_group=self._numbers[0] if running else 0,
            )
            running.append(process)
            self._numbers.append(process.pid)
            if process is running[0]:
                _end_together(silence.fileno(), process.pid)
            if target is not complaints:
                target.close()
            target = process.stdin

    def kill(self) -> None:
        """End the programs that are running, and what they have started."""
        numbers = self._numbers.copy()
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                for leader in numbers[:1]:
                    os.killpg(leader, signal.SIGKILL)
            else:
                for number in numbers:
                    os.kill(number, signal.SIGTERM)


def _end_together(silence: int, group: int) -> None:
    """Have the system end a process group when the other end of this pipe closes, because this process was killed."""
    with suppress(ImportError):  # Windows
        import fcntl

        fcntl.fcntl(silence, fcntl.F_SETOWN, -group)
        fcntl.fcntl(silence, fcntl.F_SETFL, fcntl.fcntl(silence, fcntl.F_GETFL) | os.O_ASYNC)
