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
        typer.Argument(metavar="FILE", help="A file that `list --output` wrote, or one of that kind, or a checkpoint."),
    ],
    target: Annotated[
        str | None, typer.Argument(metavar="[MODEL]", help="Whose solutions they are, if no metadata beside it tells.")
    ] = None,
    parameters: Parameters = None,
    form: Annotated[
        str | None,
        typer.Option("--format", "-f", metavar="FORMAT", help="boards, lines, csv, jsonl or npy, whatever the ending."),
    ] = None,
    up_to_symmetry: Annotated[
        bool,
        typer.Option("--up-to-symmetry", help="There is one of each orbit, with its size; metadata tells this too."),
    ] = False,
    complete: Annotated[
        bool, typer.Option("--complete", help="Count the solutions with another backend: are all there?")
    ] = False,
    backend: Annotated[
        str | None, typer.Option("--backend", "-b", help="Who counts for --complete; core counts fast.")
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option("--time-limit", "-t", metavar="SECONDS", help="Stop counting for --complete after so long."),
    ] = None,
    workers: Workers = "1",
    as_json: AsJson = False,
) -> int:
    """Check a file of solutions (exit status 1: a fault). Example: nqueens-cp check queens.lines --complete"""
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
