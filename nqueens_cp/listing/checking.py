"""Checking files of solutions, whoever wrote them: `check_file`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from nqueens_cp.backends import get_backend
from nqueens_cp.choosing import Choice, choose
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import BackendUnavailable, InvalidValue, UnsupportedModel
from nqueens_cp.listing.batches import BatchIterator
from nqueens_cp.listing.formats import Format, format_name, make_format
from nqueens_cp.listing.metadata import RUNNING, Metadata, beside, load_described, read_metadata, statement_digest
from nqueens_cp.listing.report import Report
from nqueens_cp.listing.rows import RowCheck
from nqueens_cp.loader import existing_file
from nqueens_cp.model import Model, Problem
from nqueens_cp.search import ProgressCallback, count_chosen, make_control, without_objective
from nqueens_cp.variants import queens


def check_file(
    path: str | Path,
    model: Model | int | None = None,
    *,
    format: str | None = None,  # noqa: A002
    up_to_symmetry: bool | None = None,
    complete: bool = False,
    backend: str | None = None,
    time_limit: float | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> Report:
    """Check every solution in a file, that none is there twice, and that the file is as its metadata says.

    Memory is bounded where the file is in lexicographic order; otherwise 8 bytes a solution are needed to find repeated ones.

    Parameters
    ----------
    path : str or Path
        A file as `write_solutions` writes it, or one of the same kind from elsewhere.
    model : Model or int, optional
        Whose solutions they are; left out, the metadata beside the file tells it.
    format : str, optional
        Left out, the metadata or the ending tells it.
    up_to_symmetry : bool, optional
        Whether it holds one solution of each orbit, with the orbit's size; left out, the metadata tells it.
    complete : bool
        Find out too whether all solutions are there, by counting them with another backend than the one that listed them.
    backend : str, optional
        Who counts.
    time_limit : int or float, optional
        Seconds for the count; the reading takes as long as it takes.
    workers : int
        For the count.
    progress : callable, optional
        Called now and then with a `Progress`.

    Returns
    -------
    Report
        Its ``fault`` says what is wrong first.

    Raises
    ------
    InvalidValue
        There is no such file, or nothing tells its model or format.
    """
    where = _regular_file(path)
    control = make_control(time_limit, workers, progress=progress)
    known = read_metadata(where)
    if model is None:
        if known is None:
            raise InvalidValue(
                f"{where}: {beside(where).name} is not there to tell of which model these are the solutions; name the model"
            )
        model = load_described(where, known)
    stated = model if isinstance(model, Model) else queens(model)
    problem = without_objective(stated, "check")
    name = known.format if known is not None and format is None else format_name(where, format)
    if up_to_symmetry is None:
        up_to_symmetry = known is not None and known.up_to_symmetry
    form = make_format(name, problem, orbits=up_to_symmetry)
    checking = RowCheck(where, form, known, Control(progress=progress))
    report = checking.run(problem)
    if known is not None and known.statement != statement_digest(stated):
        note = f"the metadata is of another statement of model {known.model}"
        report = replace(report, notes=(*report.notes, note))
    if known is not None and known.status == RUNNING and report.fault:
        report = replace(report, notes=(*report.notes, how_it_ended(RUNNING)))
    if (complete or backend is not None) and report.ok:
        report = _counted(report, form, known, backend, checking.orbits_hold, control)
    return report if report.fault else replace(report, fault=checking.unlike_metadata())


def how_it_ended(status: str | None) -> str:
    """Say in words how the writing of a file ended that is not complete."""
    if status == RUNNING:
        return "it is still being written, or its writer was killed (go on with it: list --resume)"
    return f"its writing ended with status {status}"


def _regular_file(path: str | Path) -> Path:
    """Return the path of a file that can be read more than once."""
    where = Path(path)
    if str(path) == "-":
        raise InvalidValue("-: what is checked is read more than once; save it to a file first")
    try:
        special = where.exists() and not where.is_file() and not where.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        special = False
    if special:
        raise InvalidValue(
            f"{where}: it is a pipe or a device, and what is checked is read more than once; save it first"
        )
    return existing_file(path)


def _counted(
    report: Report, form: Format, known: Metadata | None, backend: str | None, orbits_hold: int, control: Control
) -> Report:
    """Say whether all solutions are there, by counting them."""
    listed_by = None if known is None else known.backend
    there = orbits_hold if form.orbits else report.solutions
    try:
        choice = _counter(form.problem, backend, listed_by, control)
        report = replace(report, counted_by=choice.backend.name)
        expected = count_chosen(form.problem, choice, control)
    except TimeLimitReached:
        note = f"not decided in time whether all are there: at least {control.found} were counted"
        return replace(report, at_least=control.found, notes=(*report.notes, note))
    report = replace(report, expected=expected, complete=there == expected)
    if there == expected:
        return report
    whose = f"{there} of the {expected} solutions that {report.counted_by} counts"
    how = "its orbits hold" if form.orbits else "there are"
    fault = f"not complete: {how} {whose}"
    if known is not None and known.skip:
        fault += f"; {known.skip} were skipped when it was written"
    elif known is not None and not known.complete:
        fault += f"; {how_it_ended(known.status)}"
    elif report.ordered and not form.orbits and there < expected:
        place = _first_missing(Path(report.file), form, control)
        if place is not None:
            report = replace(report, line=place[0], content=" ".join(map(str, place[1])))
            fault += "; the first that is missing would stand here"
    return replace(report, fault=fault)


def _counter(problem: Problem, backend: str | None, listed_by: str | None, control: Control) -> Choice:
    """Return who counts: the one asked for, otherwise another one than has listed the solutions."""
    if backend is not None:
        return choose(problem, backend, control)
    with suppress(UnsupportedModel, BackendUnavailable):
        return choose(problem, "cp-sat" if listed_by == "core" else "core", control)
    return choose(problem, "auto", control)


def _first_missing(path: Path, form: Format, control: Control) -> tuple[int, tuple[int, ...]] | None:
    """Return the first solution that a file in lexicographic order lacks, and the line where it would stand."""
    columns = len(form.problem.variables)
    with BatchIterator(form.problem, "auto", control, None, verify=False) as found:
        if not get_backend(found.backend).capabilities.lexicographic:
            return None
        checking = RowCheck(path, form, None, control)
        wanted = np.empty((0, columns), dtype=form.dtype)
        for place in checking.places():
            rows = place.batch[:, :columns]
            while len(wanted) < len(rows):
                more = next(found, None)
                if more is None:
                    return None
                wanted = np.concatenate([wanted, more])
            unlike = (wanted[: len(rows)] != rows).any(axis=1)
            if unlike.any():
                row = int(unlike.argmax())
                return checking.line(place.before + row), tuple(wanted[row].tolist())
            checking.rows = place.before + len(rows)
            wanted = wanted[len(rows) :]
        rest = wanted if len(wanted) else next(found, None)
    return None if rest is None else (checking.line(checking.rows), tuple(rest[0].tolist()))
