"""The command line: ``nqueens-cp solve|count|list|compare|backends|models|show``.

Answers go to standard output, remarks and progress to standard error. Exit status: 0 answered, 1 unsatisfiable or
disagreement, 2 usage, 3 stopped by a limit, 130 Ctrl-C.
"""

from __future__ import annotations

import json
import sys
import traceback
from enum import IntEnum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nqueens_cp.errors import InvalidValue, NQueensError, SearchInterrupted, SearchStopped, VerificationError
from nqueens_cp.terminal import (
    give_up_output,
    load,
    located_range,
    number,
    prepare_streams,
    print_json,
    progress_bar,
    remark,
    whole,
)

if TYPE_CHECKING:
    from nqueens_cp.comparison import Comparison


class Exit(IntEnum):
    """Exit statuses."""

    ANSWERED = 0
    NO = 1
    USAGE = 2
    STOPPED = 3
    INTERRUPTED = 130


SHORTEST_LIMIT = 0.001  # seconds, for explaining where solving has taken all the time

# A target like -1 must reach our own message, not be taken for an option.
LENIENT = {"ignore_unknown_options": True, "help_option_names": ["-h", "--help"]}

Target = Annotated[
    str,
    typer.Argument(help="A board size (8), a model's name, the path of a .py file, or - for a size on standard input."),
]
Parameters = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME=VALUE]...", help="What the model takes, or the rules of a board: n=11, torus=True."),
]
BackendName = Annotated[str, typer.Option("--backend", "-b", help="auto, or a name that `nqueens-cp backends` lists.")]
TimeLimit = Annotated[str | None, typer.Option("--time-limit", "-t", metavar="SECONDS", help="Stop after so long.")]
Workers = Annotated[str, typer.Option("--workers", "-w", metavar="NUMBER", help="Threads or processes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

app = typer.Typer(
    name="nqueens-cp",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def program(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    """State an N-Queens problem once; solve, count and list it with several solvers, and compare them."""
    if version:
        from nqueens_cp.version import __version__

        print(f"nqueens-cp {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(Exit.USAGE)


@app.command(context_settings=LENIENT)
def solve(
    target: Target,
    parameters: Parameters = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
    why: Annotated[bool, typer.Option("--why", help="If there is none: print what cannot hold together.")] = False,
    as_json: AsJson = False,
) -> int:
    """Find one solution, or say that there is none (exit status 1). Example: nqueens-cp solve 8"""
    import nqueens_cp

    model = load(target, parameters)
    begun = monotonic()
    interrupted = False
    try:
        with progress_bar() as progress:
            result = nqueens_cp.solve(
                model,
                backend=backend,
                time_limit=number(time_limit),
                workers=whole(workers, "--workers"),
                progress=progress,
            )
    except SearchInterrupted as interrupt:
        if interrupt.partial is None:
            raise
        result, interrupted = interrupt.partial, True
    solution = result.solution
    if result.status is nqueens_cp.Status.UNSATISFIABLE:
        remark(f"no solution: {result.backend} has proven that model {model.name} is unsatisfiable")
        if why:
            limit = number(time_limit)
            return _explain(model, None if limit is None else limit - (monotonic() - begun), as_json, result)
        remark("add --why to see which constraints cannot hold together")
    if as_json:
        print_json(_as_record(model, result))
    elif solution is not None:
        print(solution)
    if result.status is nqueens_cp.Status.UNSATISFIABLE:
        return Exit.NO
    if interrupted or result.status is nqueens_cp.Status.TIMEOUT:
        best = "no solution so far" if solution is None else f"the best so far is shown (objective {result.objective})"
        remark(f"{'interrupted (partial)' if interrupted else f'stopped by the time limit of {time_limit} s'}: {best}")
        return Exit.INTERRUPTED if interrupted else Exit.STOPPED
    if result.objective is not None:
        remark(f"objective {result.objective}, proven optimal")
    return Exit.ANSWERED


def _as_record(model: Any, result: Any) -> dict[str, Any]:
    return {
        "model": model.name,
        "status": result.status.value,
        "backend": result.backend,
        "solution": None if result.solution is None else result.solution.as_dict(),
        "objective": result.objective,
        "bound": result.bound,
    }


def _explain(model: Any, seconds_left: float | None, as_json: bool, result: Any) -> Exit:
    """Print which constraints of an unsatisfiable model cannot hold together, as far as that is found out in time."""
    import nqueens_cp

    stopped: SearchStopped | SearchInterrupted | None = None
    try:
        with progress_bar(note="explaining") as progress:
            limit = None if seconds_left is None else max(seconds_left, SHORTEST_LIMIT)
            conflict = nqueens_cp.explain_unsatisfiable(model, time_limit=limit, progress=progress, proven=True)
    except (SearchStopped, SearchInterrupted) as error:
        conflict, stopped = error.partial, error
    if as_json:
        why = None
        if conflict is not None:
            constraints = [str(constraint) for constraint in conflict.constraints]
            why = {"constraints": constraints, "sentences": conflict.sentences, "minimal": conflict.minimal}
        print_json(_as_record(model, result) | {"why": why})
    elif conflict is not None:
        print(conflict)
    if stopped is None:
        return Exit.NO
    interrupted = isinstance(stopped, SearchInterrupted)
    cause = "interrupted (partial)" if interrupted else "stopped by the time limit"
    remark(f"{cause}: {'not explained so far' if conflict is None else 'perhaps fewer constraints suffice'}")
    return Exit.INTERRUPTED if interrupted else Exit.NO


@app.command(context_settings=LENIENT)
def count(
    target: Target,
    parameters: Parameters = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
    as_json: AsJson = False,
) -> int:
    """Print the exact number of solutions. Example: nqueens-cp count toroidal_queens n=11"""
    import nqueens_cp

    model = load(target, parameters)
    found, stopped = 0, None
    try:
        with progress_bar() as progress:
            found = nqueens_cp.count(
                model,
                backend=backend,
                time_limit=number(time_limit),
                workers=whole(workers, "--workers"),
                progress=progress,
            )
    except (SearchStopped, SearchInterrupted) as error:
        stopped = error
    if as_json:
        complete = stopped is None
        answer = {"count": found} if stopped is None else {"count": None, "at_least": stopped.partial}
        print_json({"model": model.name, "backend": backend, "complete": complete, **answer})
    elif stopped is None:
        print(found)
    if stopped is None:
        return Exit.ANSWERED
    interrupted = isinstance(stopped, SearchInterrupted)
    why = "interrupted (partial)" if interrupted else f"stopped by the time limit of {time_limit} s"
    remark(f"{why}: at least {stopped.partial}")
    return Exit.INTERRUPTED if interrupted else Exit.STOPPED


@app.command("list", context_settings=LENIENT)
def list_solutions(
    target: Target,
    parameters: Parameters = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    limit: Annotated[str | None, typer.Option("--limit", "-l", metavar="NUMBER", help="Stop after so many.")] = None,
    workers: Workers = "1",
    as_json: AsJson = False,
) -> int:
    """Print the solutions as they are found. Example: nqueens-cp list 6"""
    import nqueens_cp

    model = load(target, parameters)
    most = None if limit is None else whole(limit, "--limit")
    with (
        progress_bar(hidden=sys.stdout.isatty()) as progress,
        nqueens_cp.solutions(
            model,
            backend=backend,
            time_limit=number(time_limit),
            workers=whole(workers, "--workers"),
            limit=most,
            progress=progress,
        ) as found,
    ):
        status: nqueens_cp.Status | None
        try:
            if as_json:
                print(f'{{"model": {json.dumps(model.name)}, "backend": "{found.backend}", "solutions": [', end="")
            for i, solution in enumerate(found):
                if as_json:
                    print(("," if i else "") + "\n" + json.dumps(solution.as_dict()), end="")
                else:
                    print(f"\n{solution}" if i else solution)
        except KeyboardInterrupt:
            found.close()
            status = nqueens_cp.Status.INTERRUPTED
        else:
            status = found.status
        if as_json:
            print(f'\n], "found": {found.found}, "status": "{status}"}}')
        sys.stdout.flush()
    if status is nqueens_cp.Status.INTERRUPTED:
        remark(f"interrupted (partial): {found.found} solutions listed, there may be more")
        return Exit.INTERRUPTED
    if status is nqueens_cp.Status.COMPLETE:
        noun = "solution" if found.found == 1 else "solutions"
        remark(f"{found.found} {noun}, all of them" if found.found else f"no solution: model {model.name} has none")
        return Exit.ANSWERED if found.found else Exit.NO
    limit_text = f"limit of {limit}" if status is nqueens_cp.Status.LIMIT else f"time limit of {time_limit} s"
    noun = "solution" if found.found == 1 else "solutions"
    remark(f"stopped by the {limit_text}: {found.found} {noun} listed, there may be more")
    return Exit.STOPPED


@app.command(context_settings=LENIENT)
def compare(
    target: Target,
    parameters: Parameters = None,
    backends: Annotated[
        list[str] | None,
        typer.Option(
            "--backends", "--backend", "-b", metavar="NAMES", help="Which, with commas or repeated; default all."
        ),
    ] = None,
    time_limit: TimeLimit = None,
    task: Annotated[str, typer.Option("--task", help="count, enumerate or solve.")] = "count",
    repeats: Annotated[
        str, typer.Option("--repeats", "-r", metavar="NUMBER", help="Measure so often, in shuffled order.")
    ] = "1",
    memory: Annotated[str | None, typer.Option("--memory-limit", metavar="MIB", help="Kill what holds more.")] = None,
    save: Annotated[
        list[str] | None,
        typer.Option("--save", metavar="FILE", help="Write to FILE.json, .csv, .md or .html; may be repeated."),
    ] = None,
    report: Annotated[
        str | None, typer.Option("--report", metavar="FILE", help="Write a page with charts to FILE.html.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="FILE", help="Show ratios to a saved FILE.json.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Measure several backends, each in a fresh process, and check that they agree. Example: nqueens-cp compare 4..10"""
    from nqueens_cp.comparison import compare_target, load_comparison
    from nqueens_cp.comparison.records import as_record
    from nqueens_cp.comparison.report import SUFFIXES, against_text
    from nqueens_cp.comparison.report import save as save_to

    names = None
    if backends:
        names = [name.strip() for word in backends for name in word.split(",") if name.strip()]
    files = [Path(file) for file in save or []]
    for file in files:
        if file.suffix.lower() not in SUFFIXES:
            raise InvalidValue(f"--save: {file} must end in one of {', '.join(SUFFIXES)}")
    if report is not None:
        files.append(Path(report))
        if files[-1].suffix.lower() != ".html":
            raise InvalidValue(f"--report: {report} must end in .html; --save writes other kinds of files")
    for file in files:
        if not file.parent.is_dir():  # told before anything is measured
            raise InvalidValue(f"the folder {file.parent} that {file.name} is to be written to is not there")
    before = None if against is None else load_comparison(against)
    where, given = located_range(target, parameters)
    interrupted = False
    try:
        with progress_bar(note="comparing") as progress:
            comparison = compare_target(
                where,
                given,
                names,
                number(time_limit),
                progress,
                task=task,
                repeats=whole(repeats, "--repeats"),
                memory_limit=None if memory is None else whole(memory, "--memory-limit"),
            )
    except SearchInterrupted as interrupt:
        comparison, interrupted = interrupt.partial, True
        if not comparison.rows:
            raise
    for file in files:
        save_to(comparison, file)
    if as_json:
        print_json(as_record(comparison))
    else:
        print(comparison)
        if before is not None:
            print(f"\n{against_text(comparison, before)}")
    if interrupted:
        remark("interrupted (partial): only the backends shown were measured")
        return Exit.INTERRUPTED
    if comparison.agree is False:
        remark(_why_not(comparison))
        return Exit.NO
    if any(row.status in ("timeout", "memory") for row in comparison.rows):
        remark("stopped by a limit: a count marked 'at least' is a lower bound")
        return Exit.STOPPED
    if comparison.agree is None and any(row.status == "unavailable" for row in comparison.rows):
        return Exit.USAGE
    return Exit.NO if any(row.status == "failed" for row in comparison.rows) else Exit.ANSWERED


def _why_not(comparison: Comparison) -> str:
    if comparison.difference is not None:
        return str(comparison.difference)
    if comparison.setting["task"] == "solve":
        return "the backends' answers contradict each other"
    return str(comparison.setting.get("remark", "see the table"))


@app.command()
def backends(as_json: AsJson = False) -> int:
    """List the backends: name, version, capabilities, and why one is not available."""
    from nqueens_cp.comparison.report import backend_records, backends_text

    records = backend_records()
    print_json(records) if as_json else print(backends_text(records))
    return Exit.ANSWERED


@app.command()
def models(as_json: AsJson = False) -> int:
    """List the models of the collection with their parameters."""
    from nqueens_cp.loader import load_module, model_names, parameters_of

    records = []
    for name in model_names():
        module = load_module(name)
        statement = (module.__doc__ or "").strip().partition("\n\n")[0]
        records.append({"name": name, "parameters": parameters_of(module), "statement": " ".join(statement.split())})
    if as_json:
        print_json(records)
    else:
        for record in records:
            print(f"{record['name']} ({record['parameters']})\n    {record['statement']}")
    return Exit.ANSWERED


@app.command(context_settings=LENIENT)
def show(target: Target, parameters: Parameters = None) -> int:
    """Print a model: its variables and constraints. Example: nqueens-cp show queens n=4"""
    print(load(target, parameters))
    return Exit.ANSWERED


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    prepare_streams()
    try:
        status = app(arguments, prog_name="nqueens-cp", standalone_mode=False)
        sys.stdout.flush()  # here, where an error is caught
        if status == Exit.INTERRUPTED and not isinstance(status, Exit):
            raise KeyboardInterrupt  # Typer turned it into that number before a command could tell of it
        return int(status or 0)
    except _USAGE_ERRORS as error:
        text = error.format_message()
        return _complain(text) if text else Exit.USAGE  # no text: the help has been printed
    except VerificationError as error:
        return _complain(str(error), Exit.NO)
    except NQueensError as error:
        return _complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        remark("interrupted: no answer yet")
        return Exit.INTERRUPTED
    except (BrokenPipeError, SystemExit):  # Typer makes an exit of a broken pipe
        give_up_output()
        return Exit.ANSWERED
    except MemoryError as error:
        return _complain(f"out of memory: {error or 'the model is too large for this machine'}", Exit.STOPPED)
    except OSError as error:
        give_up_output()
        return _complain(f"cannot read or write: {error}")
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        if not frames or Path(frames[-1].filename).is_relative_to(Path(__file__).parent):
            raise  # our own fault: the traceback is wanted
        return _complain(f"{frames[-1].filename}, line {frames[-1].lineno}: {type(error).__name__}: {error}")


# Typer carries the class that its usage errors share, but does not export it.
_USAGE_ERRORS: Any = typer.BadParameter.__mro__[1]


def _complain(text: str, status: Exit = Exit.USAGE) -> int:
    remark("error: " + " ".join(text.split()))
    return status
