"""What the commands share: reading words of the command line, and writing to the terminal."""

from __future__ import annotations

import ast
import codecs
import json
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import timedelta
from typing import Any

from nqueens_cp.cli.options import Exit
from nqueens_cp.errors import InvalidValue, SearchInterrupted, SearchStopped

RANGE = re.compile(r"\d+\.\.\d+")


def located(target: str, parameters: list[str] | None) -> tuple[int | str, dict[str, Any]]:
    """Return what to load and its parameters, from the words of the command line."""
    given: dict[str, Any] = {}
    for word in parameters or []:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            if word.startswith("-"):
                raise InvalidValue(f"unknown option {word!r}; see --help")
            raise InvalidValue(f"unexpected argument {word!r}; parameters are given as NAME=VALUE, like n=8")
        if name in given:
            raise InvalidValue(f"the parameter {name!r} is given twice")
        try:
            given[name] = ast.literal_eval(text)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            if text.startswith(("(", "[", "{", "'", '"')):
                raise InvalidValue(f"{name}={text[:60]}: not a Python literal; check brackets and quotes") from None
            given[name] = text
    if target == "-":
        words = [] if sys.stdin is None else sys.stdin.read(10_000).split()
        if len(words) != 1 or not re.fullmatch(r"[+-]?\d+", words[0]):
            raise InvalidValue(
                f"standard input: expected one integer, the size of the board, got {' '.join(words)[:60]!r}"
            )
        target = words[0]
    if re.fullmatch(r"[+-]?\d+", target):
        return size_of(target), given
    if target.startswith("-"):
        raise InvalidValue(f"unknown option {target!r}; see --help")
    return target, given


def located_range(target: str, parameters: list[str] | None) -> tuple[Any, dict[str, Any]]:
    """Return what `located` does, with ``4..12`` as a range of sizes, also as the value of a parameter."""
    if re.fullmatch(r"\d*\.{2,}\d*", target) and not RANGE.fullmatch(target):
        raise InvalidValue(f"{target!r} is no range; a range of sizes is written 4..12")
    where, given = (target, located("0", parameters)[1]) if RANGE.fullmatch(target) else located(target, parameters)
    for name, value in given.items():
        if isinstance(value, str) and RANGE.fullmatch(value):
            given[name] = _range(value)
    return (_range(target) if isinstance(where, str) and RANGE.fullmatch(where) else where), given


def _range(text: str) -> range:
    first, last = map(size_of, text.split(".."))
    if last < first:
        raise InvalidValue(f"{text}: the range is empty; write the smaller number first")
    return range(first, last + 1)


def size_of(text: str) -> int:
    if len(text) > 30:  # Python refuses to read integers of some thousand digits
        raise InvalidValue(f"the size of the board: {text[:20]}... is too large for a model")
    return int(text)


def load(target: str, parameters: list[str] | None) -> Any:
    """Return the model."""
    from nqueens_cp.loader import load_model

    where, given = located(target, parameters)
    with redirect_stdout(sys.stderr):  # what a model file prints is a remark
        model = load_model(where, **given)
        for note in model.notes:
            print(f"note: {note}")
    return model


def number(text: str | None) -> float | None:
    """Return a time limit in seconds."""
    from nqueens_cp.checks import seconds

    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        raise InvalidValue(f"--time-limit: expected seconds, like 2 or 0.5, got {text!r}") from None
    return seconds(value, "--time-limit")


def whole(text: str, option: str, least: int = 1) -> int:
    """Return a number of at least `least`."""
    from nqueens_cp.checks import integer_at_least

    try:
        value = int(text)
    except ValueError:
        raise InvalidValue(f"{option}: expected a whole number, got {text[:60]!r}") from None
    return integer_at_least(value, least, option)


def percentage(text: str | None, option: str) -> float:
    """Return a share, given as ``2%``, as a number from 0 to 1."""
    if text is None:
        return 0.0
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not (text.endswith("%") and 0 <= share <= 1):
        raise InvalidValue(f"{option}: expected a percentage, like 2%, got {text[:60]!r}")
    return share


def remark(text: str) -> None:
    """Print a remark to standard error."""
    print(text, file=sys.stderr)


@contextmanager
def warnings_as_remarks() -> Iterator[None]:
    """Make remarks of the warnings that come up."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield
    for one in told:
        remark(f"note: {one.message}")


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


@contextmanager
def progress_bar(note: str = "searching", hidden: bool = False, counted: str = "found") -> Iterator[Any]:
    """Show progress on standard error where that is a terminal; give a progress callback, or None."""
    if hidden or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        task = bars.add_task(note, total=None)

        def report(progress: Any) -> None:
            found = getattr(progress, "found", None)
            share = getattr(progress, "share", None)
            text = f"{note}: {progress.backend} done" if found is None else f"{note}: {found:,} {counted}"
            if hasattr(progress, "jobs"):
                text += _of_jobs(progress)
            bars.update(task, description=text, total=None if share is None else 1.0, completed=share or 0.0)

        yield report


def _of_jobs(progress: Any) -> str:
    """Say how far a count in jobs is, how fast it goes, and how long it may take."""
    text = f", {progress.done:,} of {progress.jobs:,} jobs ({100 * progress.share:.1f} %)"
    if progress.left is not None:
        text += f", {progress.rate:.3g} a second, {timedelta(seconds=round(progress.left))} left"
    return text


def prepare_streams() -> None:
    """Write to nowhere where the caller has closed a stream, and never fail for a letter that it cannot encode."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="nqueens-cp")


def _encode_otherwise(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write the lines of tables as hyphens where there is nothing better, and other letters by their escapes."""
    if isinstance(error, UnicodeEncodeError) and set(error.object[error.start : error.end]) == {"─"}:
        return "-" * (error.end - error.start), error.end
    return codecs.backslashreplace_errors(error)


codecs.register_error("nqueens-cp", _encode_otherwise)


def ended(stopped: SearchStopped | SearchInterrupted) -> Exit:
    """Tell why a search was stopped, and return the exit status for that."""
    remark(str(stopped))
    return Exit.of(stopped)


def give_up_output() -> None:
    """Send what is still to be written nowhere, or Python complains when it flushes at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
