"""The command ``check``: files of solutions and checkpoints of counts, read back and judged."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from nqueens_cp.cli.options import AsJson, Exit, Parameters, Workers
from nqueens_cp.cli.terminal import load, number, print_json, progress_bar, remark, whole
from nqueens_cp.errors import InvalidValue


def check(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A file as `list --output` writes it, or a checkpoint of `count`."),
    ],
    target: Annotated[
        str | None, typer.Argument(metavar="[MODEL]", help="What is solved, if no FILE.meta.json tells.")
    ] = None,
    parameters: Parameters = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", metavar="FORMAT", help="boards, lines, csv, jsonl or npy, if not by the ending."
        ),
    ] = None,
    up_to_symmetry: Annotated[
        bool,
        typer.Option(
            "--up-to-symmetry", help="The file was written with --up-to-symmetry; FILE.meta.json tells this too."
        ),
    ] = False,
    complete: Annotated[
        bool, typer.Option("--complete", help="Count the solutions with another solver: are all there?")
    ] = False,
    backend: Annotated[
        str | None, typer.Option("--backend", "-b", metavar="NAME", help="The solver for --complete; core is fastest.")
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time-limit", "-t", metavar="SECONDS", help="Stop counting for --complete after so long (exit status 3)."
        ),
    ] = None,
    workers: Workers = "1",
    as_json: AsJson = False,
) -> int:
    """Check a file of solutions, or of a count (exit status 1: a fault).

    Examples:
      nqueens-cp check eight.csv
      nqueens-cp check eight.csv --complete
      nqueens-cp check mine.lines queens n=8
    """
    from nqueens_cp.jobs.checking import looks_like_checkpoint

    if looks_like_checkpoint(file):
        for option, given in (("--format", form), ("--up-to-symmetry", up_to_symmetry), ("--complete", complete)):
            if given:
                raise InvalidValue(f"{option}: that is for files of solutions, and {file} is the checkpoint of a count")
        return _check_checkpoint(file, None if target is None else load(target, parameters), as_json)
    from nqueens_cp.listing.checking import check_file

    with progress_bar(note="checking") as progress:
        report = check_file(
            file,
            None if target is None else load(target, parameters),
            format=form,
            up_to_symmetry=up_to_symmetry or None,
            complete=complete,
            backend=backend,
            time_limit=number(time_limit),
            workers=whole(workers, "--workers"),
            progress=progress,
        )
    for note in report.notes:
        remark(f"note: {note}")
    if as_json:
        from dataclasses import asdict

        print_json({"ok": report.ok, **asdict(report)})
    else:
        print(_in_words(report))
    if not report.ok:
        return Exit.NO
    return Exit.ANSWERED if report.at_least is None else Exit.STOPPED


def _check_checkpoint(file: str, model: Any, as_json: bool) -> int:
    from dataclasses import asdict

    from nqueens_cp.jobs.checking import check_checkpoint

    report = check_checkpoint(file, model)
    if as_json:
        print_json({"ok": report.ok, **asdict(report)})
    else:
        print(report)
    return Exit.ANSWERED if report.ok else Exit.NO


def _in_words(report: Any) -> str:
    if report.fault:
        where = "" if report.line is None else f", {'row' if report.format == 'npy' else 'line'} {report.line}"
        content = f":\n{report.content}" if report.content else ""
        return f"{report.file}{where}: {report.fault}{content}"
    noun = "solution" if report.solutions == 1 else "solutions"
    text = f"{report.file}: {report.solutions} {noun} of {report.model}, all right"
    if report.solutions > 1:
        text += f" and different, {'in' if report.ordered else 'not in'} lexicographic order"
    if report.complete:
        text += f"\ncomplete: {report.counted_by} counts as many"
    elif report.partial:
        from nqueens_cp.listing.checking import how_it_ended

        why = "some were skipped" if report.status == "complete" else how_it_ended(report.status)
        text += f"\npartial: {why}"
    return text
