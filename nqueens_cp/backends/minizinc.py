"""MiniZinc as a backend: the model is written as MiniZinc, and the program ``minizinc`` runs it with Gecode.

Enumerating is sound because Gecode tries one value only of the variables that MiniZinc introduces, once the model's own
have theirs; so the program need not remember solutions to filter out repeated ones.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from time import sleep
from typing import Any, NamedTuple

from nqueens_cp.backends.base import Answer, Backend, Capabilities
from nqueens_cp.background import Background, despite_interrupts
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import BackendUnavailable, UnsupportedModel
from nqueens_cp.formats.minizinc import RESERVED, minizinc_text
from nqueens_cp.formats.names import Names
from nqueens_cp.model import Problem
from nqueens_cp.result import Status

SOLVER = "org.gecode.gecode"
LARGEST = 2**31 - 2
"""Gecode's integers go from minus this to this."""
POLL_SECONDS, SHORTEST_WAIT = 0.02, 0.0005
WAITING_SOLUTIONS = 1_000  # the program waits when so many solutions have not been taken yet
GRACE_SECONDS, LONGEST_LIMIT = (
    1,
    1e6,
)  # the program ends itself so long after the time limit, should this process be killed

Values = tuple[int, ...]


class Translation(NamedTuple):
    """A problem as MiniZinc, and for each identifier the variables that it holds."""

    problem: Problem
    text: str
    members: list[tuple[str, Values]]

    def values(self, found: dict[str, Any]) -> Values:
        """Return the values of the problem's variables from what the program says of a solution."""
        values = [0] * len(self.problem.variables)
        for identifier, indices in self.members:
            for index, value in zip(indices, _flat(found[identifier]), strict=True):
                values[index] = int(value)
        return tuple(values)


class MiniZincBackend(Backend):
    """The `minizinc` program with Gecode."""

    name = "minizinc"
    capabilities = Capabilities(optimises=True, releases_gil=True, parallel_solve=True)

    def load(self) -> None:
        if which("minizinc") is None:
            raise BackendUnavailable(
                "the program minizinc is not on the PATH; install it from www.minizinc.org or, on Debian, with "
                "apt install minizinc"
            )
        if SOLVER not in _said("--solvers-json"):
            raise BackendUnavailable("minizinc does not find Gecode; `minizinc --solvers` lists what it finds")

    def version(self) -> str:
        words = _said("--version").replace(",", " ").split()
        return words[words.index("version") + 1] if "version" in words else "unknown"

    def translate(self, problem: Problem, control: Control) -> Translation:
        text = minizinc_text(problem, control, LARGEST)
        names = Names(problem, RESERVED)
        members = [(array.identifier, tuple(v.index for v in array.variables)) for array in names.arrays]
        members += [(identifier, (variable.index,)) for identifier, variable in names.single]
        return Translation(problem, text, members)

    def solve(self, translated: Translation, control: Control) -> Answer:
        goal = translated.problem.objective
        search = [] if goal is None else ["-i"]
        with _Run(translated, control, [*search, "-p", str(control.workers)]) as run:
            for values in run.solutions():
                if goal is None:
                    return Answer(Status.SATISFIED, values)
                value = goal.expression.value(dict(zip(translated.problem.variables, values, strict=True)))
                control.best = Answer(Status.TIMEOUT, values, value)
        best: Answer | None = control.best
        if best is None:
            return Answer(Status.UNSATISFIABLE)
        return best._replace(status=Status.OPTIMAL, bound=best.objective)

    def solutions(self, translated: Translation, control: Control) -> Iterator[Values]:
        with _Run(translated, control, ["-a", "--non-unique"]) as run:
            yield from run.solutions()


class _Run:
    """One run of the program in a process group of its own. A context manager; leaving it ends the program."""

    def __init__(self, translated: Translation, control: Control, arguments: list[str]) -> None:
        self.background = Background(self._run)
        self._translated = translated
        self._control = control
        self._arguments = [*arguments, "-r", str(control.seed), "-s"]
        left = control.remaining()
        if left is not None and left < LONGEST_LIMIT:
            self._arguments += ["--time-limit", str(int(1000 * (left + GRACE_SECONDS)))]
        self._found: deque[Values] = deque()
        self._status = ""
        self._error = ""
        self._stopping = False
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *error: object) -> None:
        despite_interrupts(self._stop)

    def _stop(self) -> None:
        self._stopping = True
        while self.background.begun and not self.background.wait(SHORTEST_WAIT):
            self._kill()  # again and again: it may just be starting

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self._process.kill()

    def solutions(self) -> Iterator[Values]:
        """Start the program, and yield its solutions; return when it has proven that there are no more.

        Raises
        ------
        TimeLimitReached, UnsupportedModel
            It ended before; in the second case with an error.
        """
        self.background.start()
        wait = SHORTEST_WAIT
        while True:
            ended = self.background.wait(0 if self._found else wait)
            wait = SHORTEST_WAIT if self._found else min(2 * wait, POLL_SECONDS)
            while self._found:
                yield self._found.popleft()
            self._control.poll()
            if ended and not self._found:
                break
        if self.background.error is not None:
            raise self.background.error
        if self._error:
            raise UnsupportedModel(f"minizinc failed on model {self._translated.problem.name!r}: {self._error}")
        if self._status not in ("ALL_SOLUTIONS", "OPTIMAL_SOLUTION", "UNSATISFIABLE"):
            raise TimeLimitReached

    # In the other thread.

    def _run(self) -> None:
        if self._stopping:
            return
        with tempfile.TemporaryDirectory(prefix="nqueens-cp-") as folder:
            model, complaints = Path(folder, "model.mzn"), Path(folder, "errors.txt")
            model.write_text(self._translated.text, encoding="utf-8")
            command = ["minizinc", "--solver", SOLVER, "--json-stream", "--output-mode", "json", *self._arguments]
            surroundings = {**os.environ, "TMPDIR": folder}  # the program's own files go with the folder too
            pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
            with complaints.open("w") as errors:
                self._process = subprocess.Popen(
                    [*command, str(model)], stdin=nothing, stdout=pipe, stderr=errors, env=surroundings, process_group=0
                )
            with self._process as process:
                assert process.stdout is not None
                try:
                    for line in process.stdout:
                        if line.startswith(b"{"):  # warnings are followed by empty lines
                            self._take(json.loads(line))
                finally:
                    self._kill()  # while it is not reaped: what it has started belongs to its group
            if self._status == "ERROR" or process.returncode:
                said = complaints.read_text(errors="replace").partition("\n")[0]
                self._error = self._error or said or f"it ended with status {process.returncode}"

    def _take(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "solution":
            self._found.append(self._translated.values(message["output"]["json"]))
            while len(self._found) >= WAITING_SOLUTIONS and not self._stopping:
                sleep(SHORTEST_WAIT)
        elif kind == "status":
            self._status = message["status"]
        elif kind == "statistics":
            self._control.statistics.update(message["statistics"])
        elif kind == "error":
            self._error = message["message"]


def _flat(value: Any) -> Iterator[int]:
    """Yield the numbers of a number or of nested lists."""
    if isinstance(value, list):
        for entry in value:
            yield from _flat(entry)
    else:
        yield value


def _said(option: str) -> str:
    """Return what the program prints."""
    return subprocess.run(["minizinc", option], capture_output=True, text=True, check=False).stdout
