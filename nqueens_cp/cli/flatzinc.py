"""The command ``fzn``: a solver of FlatZinc, as MiniZinc calls it, and the setting up of that."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nqueens_cp.cli.options import BackendName, Exit
from nqueens_cp.cli.terminal import remark, whole
from nqueens_cp.errors import InvalidValue, NQueensError, SearchInterrupted

if TYPE_CHECKING:
    from nqueens_cp.control import Progress
    from nqueens_cp.formats.read_flatzinc import FlatZinc, Output
    from nqueens_cp.result import Result

SEPARATOR, COMPLETE = "----------", "=========="
UNSATISFIABLE, UNKNOWN, ERROR = "=====UNSATISFIABLE=====", "=====UNKNOWN=====", "=====ERROR====="


def fzn(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="A .fzn file, - for standard input; with --install a folder for MiniZinc's settings."
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("-a", "--all-solutions", help="Print every solution; of models that minimise or maximise, as -i."),
    ] = False,
    improving: Annotated[bool, typer.Option("-i", help="Print better and better solutions as they come.")] = False,
    most: Annotated[str | None, typer.Option("-n", metavar="NUMBER", help="Print at most so many solutions.")] = None,
    free: Annotated[bool, typer.Option("-f", help="Ignore the file's search advice; it always is.")] = False,
    statistics: Annotated[bool, typer.Option("-s", help="Print statistics.")] = False,
    verbose: Annotated[bool, typer.Option("-v", help="Tell on standard error what is going on.")] = False,
    workers: Annotated[str, typer.Option("-p", metavar="NUMBER", help="So many threads or processes search.")] = "1",
    seed: Annotated[str, typer.Option("-r", metavar="NUMBER", help="Seed of random choices.")] = "0",
    time_limit: Annotated[
        str | None, typer.Option("-t", metavar="MILLISECONDS", help="Stop after so long (exit status 3).")
    ] = None,
    backend: BackendName = "auto",
    install: Annotated[bool, typer.Option("--install", help="Make this a solver of MiniZinc's.")] = False,
) -> int:
    """Solve a FlatZinc file (what MiniZinc gives to solvers), as MiniZinc's solvers do.

    Examples:
      nqueens-cp fzn -a queens.fzn
      nqueens-cp fzn --install
    """
    if install:
        return _install(file)
    if file is None:
        raise InvalidValue("fzn: name a .fzn file, or say --install to make MiniZinc know this solver")
    limit = None if every and most is None else 1 if most is None else whole(most, "-n")
    chosen = backend, whole(workers, "-p"), _seed(seed), _seconds(time_limit)
    try:
        run = _Run(file, *chosen, statistics, verbose)
        if run.program.model.objective is not None:
            return run.optimise(every or improving)
        return run.enumerate(limit)
    except SearchInterrupted as interrupt:
        if interrupt.partial is not None and not isinstance(interrupt.partial, int):
            run.print_best(interrupt.partial)
        return Exit.INTERRUPTED
    except NQueensError:
        print(ERROR, flush=True)
        raise


def _seed(text: str) -> int:
    try:
        return int(text) % 2**31  # MiniZinc passes any integer
    except ValueError:
        raise InvalidValue(f"-r: expected a whole number, got {text[:60]!r}") from None


def _seconds(text: str | None) -> float | None:
    return None if text is None else whole(text, "-t") / 1000


class _Run:
    def __init__(
        self,
        file: str,
        backend: str,
        workers: int,
        seed: int,
        limit: float | None,
        statistics: bool,
        verbose: bool,
    ) -> None:
        from nqueens_cp.formats.read_flatzinc import read_program
        from nqueens_cp.formats.source import STANDARD_INPUT
        from nqueens_cp.loader import existing_file

        self.begun = monotonic()
        self.program: FlatZinc = read_program(STANDARD_INPUT if file == "-" else existing_file(file))
        self.read = monotonic()
        self.verbose = verbose
        self.statistics = statistics
        self.backend = backend
        self.printed: int | None = None  # the objective of the solution that was printed last
        left = None if limit is None else max(limit - (self.read - self.begun), 0.001)
        self.arguments: dict[str, Any] = {"workers": workers, "seed": seed, "time_limit": left}
        if verbose:
            self.arguments["log"] = remark
            remark(f"nqueens-cp: read {self.program.model!r} in {self.read - self.begun:.3f} s")

    def enumerate(self, limit: int | None) -> int:
        import nqueens_cp

        # Solutions that differ only in what is not printed are one solution to MiniZinc.
        over = self.program.printed() if self.program.hidden else None
        if over is not None and not over:
            limit = 1
            over = None
        asked = {"backend": self.backend, "progress": _end_unread, **self.arguments}
        found = nqueens_cp.solutions(self.program.model, limit=limit, over=over, **asked)
        with found:
            if self.verbose:
                remark(f"nqueens-cp: {found.backend} searches")
            for solution in found:
                self.print_solution(solution)
        status, only = found.status, not self.program.printed()
        if status is nqueens_cp.Status.COMPLETE or (status is nqueens_cp.Status.LIMIT and only and found.found):
            print(COMPLETE if found.found else UNSATISFIABLE)
        elif not found.found:
            print(UNKNOWN)
        self._print_statistics(found.backend, found.found)
        return Exit.ANSWERED

    def optimise(self, improving: bool) -> int:
        import nqueens_cp
        from nqueens_cp.search import make_control, result_of, solved

        def progress(_: Progress) -> None:
            _end_unread(_)
            if improving and control.best is not None and control.best.objective != self.printed:
                self.print_best(result_of(problem, control.best, self.backend, control))

        problem = self.program.model.snapshot()
        control = make_control(**self.arguments, progress=progress)
        result = solved(problem, self.backend, control)
        if self.verbose:
            remark(f"nqueens-cp: {result.backend} has searched")
        self.print_best(result)
        if result.status is nqueens_cp.Status.OPTIMAL:
            print(COMPLETE)
        elif result.status is nqueens_cp.Status.UNSATISFIABLE:
            print(UNSATISFIABLE)
        elif result.solution is None:
            print(UNKNOWN)
        more = {"objective": result.objective, "objectiveBound": result.bound}
        self._print_statistics(result.backend, int(result.solution is not None), **more)
        return Exit.ANSWERED

    def print_best(self, result: Result) -> None:
        """Print the best solution so far, unless it has been."""
        if result.solution is not None and result.objective != self.printed:
            self.printed = result.objective
            self.print_solution(result.solution)

    def print_solution(self, solution: Any) -> None:
        """Print one solution as FlatZinc does."""
        for output in self.program.outputs:
            print(f"{output.name} = {_text(output, solution)};")
        print(SEPARATOR, flush=True)

    def _print_statistics(self, backend: str, found: int, **more: int | None) -> None:
        if not self.statistics:
            return
        model = self.program.model
        figures: dict[str, Any] = {
            "backend": f'"{backend}"',
            "variables": len(model.variables),
            "constraints": len(model.constraints),
            "nSolutions": found,
            "initTime": f"{self.read - self.begun:.6f}",
            "solveTime": f"{monotonic() - self.read:.6f}",
            **more,
        }
        for name, value in figures.items():
            if value is not None:
                print(f"%%%mzn-stat: {name}={value}")
        print("%%%mzn-stat-end")


def _end_unread(_: Progress) -> None:
    """End the search where what reads the output, as MiniZinc does, has gone."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        if poll.poll(0):
            raise BrokenPipeError


def _text(output: Output, solution: Any) -> str:
    values = [entry if isinstance(entry, int) else entry.value(solution) for entry in output.entries]
    words = [("false", "true")[value] if output.is_boolean else str(value) for value in values]
    if output.index_sets is None:
        return words[0]
    sets = [f"{entry.start}..{entry.stop - 1}" for entry in output.index_sets]
    return f"array{len(sets)}d({', '.join(sets)}, [{', '.join(words)}])"


# Setting up.

WRAPPERS = {
    "posix": ("fzn-nqueens-cp", '#!/bin/sh\nexec {python} -P -m nqueens_cp fzn "$@"\n'),
    "nt": ("fzn-nqueens-cp.bat", "@echo off\r\n{python} -P -m nqueens_cp fzn %*\r\n"),
}


def _install(folder: str | None) -> int:
    """Write the solver configuration, and the program that it names, where MiniZinc looks for solvers."""
    import json
    import shlex
    from importlib.resources import files

    from nqueens_cp.version import __version__

    share = Path(str(files("nqueens_cp.formats"))) / "share"
    target = Path(folder) if folder is not None else Path.home() / ".minizinc" / "solvers"
    name, text = WRAPPERS["nt" if os.name == "nt" else "posix"]
    quoted = f'"{sys.executable}"' if os.name == "nt" else shlex.quote(sys.executable)
    configuration = json.loads((share / "nqueens-cp.msc").read_text(encoding="utf-8"))
    program, described = target.resolve() / name, target.resolve() / "nqueens-cp.msc"
    configuration |= {
        "version": __version__,
        "mznlib": str((share / "nqueens_cp").resolve()),
        "executable": str(program),
    }
    try:
        target.mkdir(parents=True, exist_ok=True)
        program.write_text(text.format(python=quoted), encoding="utf-8", newline="")
        program.chmod(0o755)
        described.write_text(json.dumps(configuration, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidValue(f"fzn --install: {error.filename} cannot be written: {error.strerror}") from error
    print(f"wrote {program}\nwrote {described}")
    remark("now try: minizinc --solver nqueens-cp MODEL.mzn -a")
    if folder is not None:
        remark(f"MiniZinc finds it where MZN_SOLVER_PATH={target.resolve()} is set")
    return Exit.ANSWERED
