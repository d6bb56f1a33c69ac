"""MiniZinc as a backend: the model is written as MiniZinc, the program ``minizinc`` compiles it, and Gecode runs it.

Gecode is started here and not by ``minizinc``, which would put it into a process group of its own that outlives everybody.

Enumerating is sound because Gecode tries one value only of the variables that MiniZinc introduces, once the model's own
have theirs; so the program need not remember solutions to filter out repeated ones.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from shutil import which
from subprocess import TimeoutExpired, run
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from nqueens_cp.backends.base import Answer, Backend, Capabilities, Part, best_of
from nqueens_cp.backends.programs import Programs
from nqueens_cp.background import SHORTEST_WAIT, Background, Stream, despite_interrupts
from nqueens_cp.control import Control
from nqueens_cp.errors import BackendUnavailable
from nqueens_cp.formats.minizinc import RESERVED, minizinc_text
from nqueens_cp.formats.names import Names
from nqueens_cp.model import Problem

SOLVER = "org.gecode.gecode"
LARGEST = 2**31 - 2  # Gecode's integers go from minus this to this
PATIENCE = 10  # seconds in which the program says what it is
LINGER = 2  # seconds in which programs that have told their solution tell their statistics and end

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
        _gecode(_minizinc())

    def version(self) -> str:
        return _said(_minizinc(), "--version").partition("version ")[2].partition(",")[0].partition("\n")[0]

    def translate(self, problem: Problem, control: Control) -> Translation:
        text = minizinc_text(problem, control, LARGEST)
        names = Names(problem, RESERVED)
        identifiers = [array.identifier for array in names.arrays] + [identifier for identifier, _ in names.single]
        variables = [v for array in names.arrays for v in array.variables] + [v for _, v in names.single]
        places = sorted(range(len(variables)), key=lambda place: variables[place].index)
        return Translation(problem, text, identifiers, places)

    def solve(self, translated: Translation, control: Control) -> Answer:
        improving = [] if translated.problem.objective is None else ["-a"]
        with closing(_Run(translated, control, improving)) as search:
            answer = best_of(translated.problem, search.solutions(), control)
            left = control.remaining()
            search.background.wait(LINGER if left is None else min(LINGER, left))
            return answer

    def solutions(self, translated: Translation, control: Control) -> Iterator[Values]:
        with closing(_Run(translated, control, ["-a"])) as search:
            yield from search.solutions()

    def shares_out_count(self, translated: Translation) -> bool:
        return True  # by Gecode's threads: to start the programs for each part takes longer than most parts

    def parts(self, problem: Problem, translated: Translation, at_least: int, *, counting: bool) -> list[Part]:
        return super().parts(problem, translated, at_least, counting=counting) if counting else [Part(problem)]


class _Run:
    """One run of the programs; to be closed."""

    def __init__(self, translated: Translation, control: Control, arguments: list[str]) -> None:
        self.background = Background(self._run)
        self._translated = translated
        self._control = control
        self._arguments = [*arguments, "-p", str(control.workers), "-r", str(control.seed), "-s"]
        self._stream: Stream[Values] = Stream()
        self._complete = False
        self._error = ""
        self._solution: list[bytes] = []  # the lines of the one that is being read
        self._programs: Programs | None = None

    def close(self) -> None:
        """End the programs."""
        despite_interrupts(self._stop)

    def _stop(self) -> None:
        self._stream.stopping = True
        while self.background.begun and not self.background.wait(SHORTEST_WAIT):
            if self._programs is not None:
                self._programs.kill()  # again and again: one may just be starting

    def solutions(self) -> Iterator[Values]:
        """Start the programs, and yield the solutions; return when it is proven that there are no more."""
        self.background.start()
        yield from self._stream.taken(self.background, self._control.poll)
        if self.background.error is not None:
            raise self.background.error
        if not self._complete:
            raise BackendUnavailable(f"minizinc failed on model {self._translated.problem.name!r}: {self._error}")

    def _run(self) -> None:  # in the other thread
        minizinc = _minizinc()
        gecode = [_gecode(minizinc), *self._arguments, "model.fzn"]
        files = ["--fzn", "model.fzn", "--ozn", "model.ozn", "model.mzn"]
        with TemporaryDirectory(prefix="nqueens-cp-") as folder:
            Path(folder, "model.mzn").write_text(self._translated.text, encoding="utf-8")
            self._programs = Programs(folder)
            self._call([minizinc, "-c", "-s", "--solver", SOLVER, "--output-mode", "json", *files])
            self._complete = False  # whatever the compiler says
            if self._programs.status == 0:
                self._call(gecode, [minizinc, "--non-unique", "--ozn-file", "model.ozn"])
            self._error = self._error or f"it ended with status {self._programs.status}"

    def _call(self, *commands: list[str]) -> None:
        if self._programs is not None and not self._stream.stopping:
            for line in self._programs.lines(*commands):
                self._take(line)

    def _take(self, line: bytes) -> None:
        if line.startswith(b"-----"):
            self._stream.put(self._translated.values(json.loads(b"".join(self._solution))))
            self._solution = []
        elif self._solution or line.startswith(b"{"):
            self._solution.append(line)
        elif line.startswith((b"==========", b"=====UNSATISFIABLE")):
            self._complete = True
        else:
            self._remark(line.decode(errors="replace").strip())

    def _remark(self, text: str) -> None:
        if self._control.log is not None and text:
            self._control.log(text)
        if text.startswith("%%%mzn-stat: "):
            name, _, value = text.removeprefix("%%%mzn-stat: ").partition("=")
            self._control.statistics[name] = json.loads(value)
        elif not text.startswith(("%", "Warning")):
            self._error = self._error or text


def _flat(value: list[Any]) -> Iterator[int]:
    """Yield the numbers of nested lists."""
    for entry in value:
        if isinstance(entry, list):
            yield from _flat(entry)
        else:
            yield entry


def _minizinc() -> str:
    """Return the path of the program."""
    found = which("minizinc")
    if found is None:
        raise BackendUnavailable(
            "the program minizinc is not on the PATH; install it from www.minizinc.org or by apt install minizinc"
        )
    return os.path.abspath(found)


@cache  # of what is raised nothing is kept
def _gecode(minizinc: str) -> str:
    """Return the path of Gecode's program, as MiniZinc knows it."""
    for solver in json.loads(_said(minizinc, "--solvers-json") or "[]"):
        if solver["id"] == SOLVER:
            path: str | None = solver.get("extraInfo", {}).get("executable") or solver.get("executable")
            if path is not None:
                return path
    raise BackendUnavailable("minizinc does not find Gecode; `minizinc --solvers` lists what it finds")


def _said(minizinc: str, option: str) -> str:
    """Return what the program prints."""
    try:
        return run([minizinc, option], capture_output=True, text=True, check=False, timeout=PATIENCE).stdout
    except TimeoutExpired:
        raise BackendUnavailable(f"{minizinc} {option} does not answer in {PATIENCE} seconds") from None
