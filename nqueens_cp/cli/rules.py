"""The command ``rules``: the problem with one rule more each time."""

from __future__ import annotations

import shutil
import sys
from textwrap import fill
from typing import Annotated, Any

import typer

from nqueens_cp.cli.options import AsJson, BackendName, Exit, TimeLimit
from nqueens_cp.cli.terminal import number, print_json, progress_bar, remark, whole
from nqueens_cp.errors import InvalidValue, SearchInterrupted, SearchStopped

LISTED = 40  # placements; where there are more, none is listed
WIDTH = 100
LARGEST_BOARD = 1000  # where n^n has some 3,000 digits; Python writes 4,300
LONGEST_NUMBER = 60  # digits


def rules(
    size: Annotated[str, typer.Argument(metavar="N", help="The size of the board, 0 to 1000.")],
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    as_json: AsJson = False,
) -> int:
    """State the problem with one rule more each time, and count the placements that are left.

    Where these are few, they are listed: the columns of the queens, row by
    row. The time limit is for each of the counts.

    Examples:
      nqueens-cp rules 4
      nqueens-cp rules 8
      nqueens-cp rules 6 --backend cp-sat
    """
    import nqueens_cp
    from nqueens_cp.tracing import as_digits
    from nqueens_cp.tracing import rules as rules_of

    n, limit = whole(size, "N", 0), number(time_limit)
    if n > LARGEST_BOARD:
        raise InvalidValue(f"N: {n} is too large; it must be at most {LARGEST_BOARD}")
    records: list[dict[str, Any]] = []
    status = Exit.ANSWERED
    for rule in rules_of(n):
        found, placements, is_complete = 0, None, False
        try:
            with progress_bar(note=f"counting {rule.name}") as progress:
                found = nqueens_cp.count(rule.model, backend=backend, time_limit=limit, progress=progress)
            is_complete = True
            if found <= LISTED:
                placements = as_digits(rule.model, backend=backend)
        except (SearchStopped, SearchInterrupted) as error:
            status = Exit.of(error)
            if not is_complete:
                found = error.partial or 0
            remark(f"{rule.name}: {error}")
        records.append(
            {
                "rule": rule.name,
                "sentence": rule.sentence,
                "statement": rule.statement,
                "complete": is_complete,
                **({"count": found} if is_complete else {"count": None, "at_least": found}),
                "placements": placements,
            }
        )
        if not as_json:
            _print(len(records), records[-1], rule.formula)
        if status is Exit.INTERRUPTED:
            break
    if as_json:
        print_json({"n": n, "rules": records})
    return status


def _print(place: int, record: dict[str, Any], formula: str) -> None:
    """Print a rule, what states it, and how many placements obey it."""
    from nqueens_cp.tracing.words import EMPTY_BOARD

    above = "" if place == 1 else "\n"
    print(f"{above}{place}. {record['sentence']}")
    print(f"       {record['statement']}")
    number_of = _written(record["count"]) if record["complete"] else f"at least {_written(record['at_least'])}"
    term = f" ({formula})" if formula else ""
    print(f"   {number_of} placement{'s' * (number_of != '1')}{term}{':' if record['placements'] else ''}")
    if record["placements"]:
        indent = " " * 7
        listed = " ".join(record["placements"]) or EMPTY_BOARD
        print(fill(listed, _width(), initial_indent=indent, subsequent_indent=indent))


def _written(number: int) -> str:
    """Return a number of placements, or how long it is."""
    digits = len(str(number))
    return f"{number:,}" if digits <= LONGEST_NUMBER else f"(a number of {digits:,} digits)"


def _width() -> int:
    """Return how long a line may be."""
    return max(40, min(WIDTH, shutil.get_terminal_size().columns)) if sys.stdout.isatty() else WIDTH
