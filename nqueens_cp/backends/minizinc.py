"""MiniZinc as a backend: the model is written as MiniZinc, and the program ``minizinc`` runs it with Gecode.

Enumerating is sound because Gecode tries one value only of the variables that MiniZinc introduces, once the model's own
have theirs; so the program need not remember solutions to filter out repeated ones.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from shutil import which
from subprocess import PIPE, STDOUT, Popen, run
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from nqueens_cp.backends.base import Answer, Backend, Capabilities, best_of
from nqueens_cp.background import SHORTEST_WAIT, Background, Stream, despite_interrupts
from nqueens_cp.control import Control
from nqueens_cp.errors import BackendUnavailable, UnsupportedModel
from nqueens_cp.formats.minizinc import RESERVED, minizinc_text
from nqueens_cp.formats.names import Names
from nqueens_cp.model import Problem

SOLVER = "org.gecode.gecode"
LARGEST = 2**31 - 2  # Gecode's integers go from minus this to this

Values = tuple[int, ...]


class Translation(NamedTuple):
    """A problem as MiniZinc: the names of what is in a solution, and where in that the variables' values are found."""

    problem: Problem
    text: str
    identifiers: list[str]
    places: list[int]

    def values(self, found: dict[str, Any]) -> Values:
        """Return the values of the problem's variables from what the program says of a solution."""
        values = list(_flat([found[identifier] for identifier in self.identifiers]))
        return tuple([int(values[place]) for place in self.places])


class MiniZincBackend(Backend):
    """The `minizinc` program with Gecode."""

    name = "minizinc"
    capabilities = Capabilities(optimises=True, releases_gil=True, parallel_solve=True)

    def load(self) -> None:
        if which("minizinc") is None:
            raise BackendUnavailable(
                "the program minizinc is not on the PATH; install it from www.minizinc.org or by apt install minizinc"
            )
        if SOLVER not in _said("--solvers-json"):
            raise BackendUnavailable("minizinc does not find Gecode; `minizinc --solvers` lists what it finds")

    def version(self) -> str:
        return _said("--version").partition("version ")[2].partition(",")[0].partition("\n")[0]

    def translate(self, problem: Problem, control: Control) -> Translation:
        text = minizinc_text(problem, control, LARGEST)
        names = Names(problem, RESERVED)
        identifiers = [array.identifier for array in names.arrays] + [identifier for identifier, _ in names.single]
        variables = [v for array in names.arrays for v in array.variables] + [v for _, v in names.single]
        places = sorted(range(len(variables)), key=lambda place: variables[place].index)
        return Translation(problem, text, identifiers, places)

    def solve(self, translated: Translation, control: Control) -> Answer:
        improving = [] if translated.problem.objective is None else ["-i"]
        with closing(_Run(translated, control, ["-p", str(control.workers), *improving])) as search:
            return best_of(translated.problem, search.solutions(), control)

    def solutions(self, translated: Translation, control: Control) -> Iterator[Values]:
        with closing(_Run(translated, control, ["-a", "--non-unique"])) as search:
            yield from search.solutions()


class _Run:
    """One run of the program, in a process group of its own; to be closed."""

    def __init__(self, translated: Translation, control: Control, arguments: list[str]) -> None:
        self._background = Background(self._run)
        self._translated = translated
        self._control = control
        self._arguments = [*arguments, "-r", str(control.seed), "-s"]
        self._stream: Stream[Values] = Stream()
        self._status = self._error = ""
        self._process: Popen[bytes] | None = None

    def close(self) -> None:
        """End the program."""
        despite_interrupts(self._stop)

    def _stop(self) -> None:
        self._stream.stopping = True
        while self._background.begun and not self._background.wait(SHORTEST_WAIT):
            self._kill()  # again and again: it may just be starting

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self._process.kill()

    def solutions(self) -> Iterator[Values]:
        """Start the program, and yield its solutions; return when it has proven that there are no more."""
        self._background.start()
        yield from self._stream.taken(self._background, self._control.poll)
        if self._background.error is not None:
            raise self._background.error
        if self._status not in ("ALL_SOLUTIONS", "OPTIMAL_SOLUTION", "UNSATISFIABLE"):
            raise UnsupportedModel(f"minizinc failed on model {self._translated.problem.name!r}: {self._error}")

    def _run(self) -> None:  # in the other thread
        if self._stream.stopping:
            return
        with TemporaryDirectory(prefix="nqueens-cp-") as folder:
            Path(folder, "model.mzn").write_text(self._translated.text, encoding="utf-8")
            command = ["minizinc", "--solver", SOLVER, "--json-stream", "--output-mode", "json", *self._arguments]
            surroundings = {**os.environ, "TMPDIR": folder}  # the program's own files go with the folder too
            end, other_end = os.pipe()  # of its input: nothing is written there
            with open(other_end, "wb"), open(end, "rb") as silence:
                streams: Any = {"stdin": silence, "stdout": PIPE, "stderr": STDOUT}
                self._process = Popen([*command, "model.mzn"], cwd=folder, env=surroundings, process_group=0, **streams)
                _end_together(silence.fileno(), self._process.pid)
                with self._process as process:
                    for line in process.stdout or ():
                        self._take(line)
                    self._kill()  # what it has started belongs to its group, until it is waited for
            self._error = self._error or f"it ended with status {process.returncode}"

    def _take(self, line: bytes) -> None:
        if not (line.startswith(b"{") and line.endswith(b"\n")):  # an error of the solver's, or nothing
            self._error = self._error or line.decode(errors="replace").strip()
            return
        message = json.loads(line)
        if (kind := message["type"]) == "solution":
            self._stream.put(self._translated.values(message["output"]["json"]))
        elif kind == "status":
            self._status = message["status"]
        elif kind == "statistics":
            self._control.statistics.update(message["statistics"])
        elif kind == "error":
            self._error = message["message"]


def _flat(value: list[Any]) -> Iterator[int]:
    """Yield the numbers of nested lists."""
    for entry in value:
        if isinstance(entry, list):
            yield from _flat(entry)
        else:
            yield entry


def _end_together(silence: int, group: int) -> None:
    """Have the system end a process group when the other end of its input closes, because this process was killed."""
    with suppress(ImportError):  # Windows
        import fcntl

        fcntl.fcntl(silence, fcntl.F_SETOWN, -group)
        fcntl.fcntl(silence, fcntl.F_SETFL, fcntl.fcntl(silence, fcntl.F_GETFL) | os.O_ASYNC)


def _said(option: str) -> str:
    """Return what the program prints."""
    return run(["minizinc", option], capture_output=True, text=True, check=False).stdout
