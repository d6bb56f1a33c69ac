"""The commands about the order of solutions: ``nth``, ``rank`` and ``sample``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from nqueens_cp.cli.options import AsJson, BackendName, Exit, Parameters, Target, TimeLimit, Workers
from nqueens_cp.cli.terminal import ended, load, number, print_json, progress_bar, remark, whole
from nqueens_cp.errors import InvalidValue, NoSolution, SearchInterrupted, SearchStopped

PARAMETER = re.compile(r"[^\W\d]\w*=")
BOARD_LINE = re.compile(r"[QP.x](\s+[QP.x])*")
SEPARATORS = re.compile(r"[\s,;\[\]()]+")

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NUMBER... [NAME=VALUE]...", help="Numbers, and rules of the board or what the model takes."
    ),
]


def nth(
    target: Target,
    words: Words = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
    as_json: AsJson = False,
) -> int:
    """Print the k-th solution in dictionary order, without listing; 0 is the first.

    Examples:
      nqueens-cp nth 8 91
      nqueens-cp nth 14 0 50000
    """
    from nqueens_cp.ranking import Ranking
    from nqueens_cp.search import told_when_stopped

    given, parameters = _sorted_words(words)
    if not given:
        raise InvalidValue("which solution? give one number or more, counted from 0, like: nqueens-cp nth 8 91")
    places = [integer(word, "a place in the order") for word in given]
    model = load(target, parameters)
    seconds = number(time_limit)
    records: list[dict[str, Any]] = []
    status = Exit.ANSWERED
    try:
        with progress_bar(note="counting") as progress:
            control = _control(seconds, workers, progress)
            ranking = Ranking(model, backend, control, "nth")
            for place in places:
                with told_when_stopped(seconds, ranking.so_far):
                    solution = ranking.nth(place)
                if not as_json:
                    print(f"\n{solution}" if records else solution)
                records.append({"k": place, "solution": solution.as_dict()})
    except NoSolution as error:
        remark(str(error))
        status = Exit.NO
    except (SearchStopped, SearchInterrupted) as error:
        status = ended(error)
    if as_json:
        print_json({"model": model.name, "complete": len(records) == len(places), "solutions": records})
    return status


def rank(
    target: Target,
    words: Words = None,
    source: Annotated[
        str | None,
        typer.Option("--input", "-i", metavar="FILE", help="Read solutions from a file; - is standard input."),
    ] = None,
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
    as_json: AsJson = False,
) -> int:
    """Print the place of a solution in dictionary order; the first has 0.

    The solution is given as the columns of the queens, from 0. Without it,
    solutions are read from standard input, as the other commands print them,
    and a place is printed for each.

    Examples:
      nqueens-cp rank 8 7 3 0 2 5 1 6 4
      nqueens-cp list 6 | nqueens-cp rank 6
    """
    from nqueens_cp.ranking import Ranking
    from nqueens_cp.search import told_when_stopped

    given, parameters = _sorted_words(words)
    if given and source is not None:
        raise InvalidValue("the solution is given twice: as numbers and with --input; leave one out")
    model = load(target, parameters)
    numbers = [word for words in given for word in SEPARATORS.split(words) if word]
    solutions = (
        iter([("", [integer(word, "solution") for word in numbers])]) if numbers else _read(source or "-", model)
    )
    seconds = number(time_limit)
    ranks: list[int] = []
    status, complete = Exit.ANSWERED, False
    try:
        with progress_bar(note="counting") as progress:
            ranking = Ranking(model, backend, _control(seconds, workers, progress), "rank")
            for where, columns in solutions:
                try:
                    values = ranking.checked(columns)
                except InvalidValue as error:
                    raise InvalidValue(f"{where}{error}") from None
                with told_when_stopped(seconds, ranking.so_far):
                    ranks.append(ranking.rank(values))
                if not as_json:
                    print(ranks[-1])
        complete = True
    except (SearchStopped, SearchInterrupted) as error:
        status = ended(error)
    if complete and not ranks:
        raise InvalidValue("no solution was given: write its columns after the model, or to standard input")
    if as_json:
        print_json({"model": model.name, "complete": complete, "ranks": ranks})
    return status


def sample(
    target: Target,
    parameters: Parameters = None,
    wanted: Annotated[str, typer.Option("--number", "-k", metavar="NUMBER", help="So many solutions.")] = "1",
    seed: Annotated[
        str, typer.Option("--seed", "-s", metavar="NUMBER", help="The same seed draws the same solutions.")
    ] = "0",
    backend: BackendName = "auto",
    time_limit: TimeLimit = None,
    workers: Workers = "1",
    as_json: AsJson = False,
) -> int:
    """Print random solutions, each exactly as likely as any other.

    Examples:
      nqueens-cp sample 8
      nqueens-cp sample 14 --number 3 --seed 5
    """
    from nqueens_cp.ranking import sample as drawn

    model = load(target, parameters)
    number_of_seed = integer(seed, "--seed")
    records: list[dict[str, Any]] = []
    status, handed_over = Exit.ANSWERED, 0
    try:
        with progress_bar(note="counting", hidden=sys.stdout.isatty()) as progress:
            found = drawn(
                model,
                whole(wanted, "--number"),
                number_of_seed,
                backend=backend,
                time_limit=number(time_limit),
                workers=whole(workers, "--workers"),
                progress=progress,
            )
            for handed_over, solution in enumerate(found, 1):
                if as_json:
                    records.append(solution.as_dict())
                else:
                    print(f"\n{solution}" if handed_over > 1 else solution)
    except NoSolution as error:
        remark(str(error))
        status = Exit.NO
    except (SearchStopped, SearchInterrupted) as error:
        status = ended(error)
    if as_json:
        complete = handed_over == whole(wanted, "--number")
        print_json({"model": model.name, "seed": number_of_seed, "complete": complete, "solutions": records})
    return status


def integer(word: str, what: str) -> int:
    """Return a word of the command line as an integer."""
    if not re.fullmatch(r"[+-]?\d{1,1000}", word):
        kind = "unknown option" if re.match(r"-\D", word) else f"{what}: expected a whole number, got"
        raise InvalidValue(f"{kind} {word[:60]!r}")
    return int(word)


def _control(seconds: float | None, workers: str, progress: Any) -> Any:
    from nqueens_cp.search import make_control

    return make_control(seconds, whole(workers, "--workers"), progress=progress)


def _sorted_words(words: Iterable[str] | None) -> tuple[list[str], list[str]]:
    """Return the words that are numbers and those that are parameters, NAME=VALUE."""
    given: list[str] = []
    parameters: list[str] = []
    for word in words or []:
        (parameters if PARAMETER.match(word) else given).append(word)
    return given, parameters


def _read(source: str, model: Any) -> Iterator[tuple[str, list[int]]]:
    """Yield where each solution stands and its numbers."""
    if source == "-":
        if sys.stdin is not None and not sys.stdin.isatty():
            yield from _parsed(sys.stdin, "standard input", model)
        return
    with Path(source).open(encoding="utf-8-sig") as file:
        yield from _parsed(file, source, model)


def _parsed(lines: Iterable[str], name: str, model: Any) -> Iterator[tuple[str, list[int]]]:
    board: list[int] = []
    first = 0
    for place, line in enumerate(map(str.strip, lines), 1):
        if BOARD_LINE.fullmatch(line):
            first = first if board else place
            squares = line.split()
            columns = [column for column, square in enumerate(squares) if square in "QP"]
            if len(columns) != 1:
                raise InvalidValue(
                    f"{name}, line {place}: {len(columns)} queens, and each row of a board must have one"
                )
            board += columns
            continue
        if board:
            yield f"{name}, line {first}: ", board
            board = []
        named = _values_by_name(line, model, f"{name}, line {place}: ")
        if named is not None:
            yield from named
        elif line:
            words = [word for word in SEPARATORS.split(line) if word]
            yield f"{name}, line {place}: ", [integer(word, f"{name}, line {place}") for word in words]
    if board:
        yield f"{name}, line {first}: ", board


def _values_by_name(line: str, model: Any, where: str) -> list[tuple[str, list[int]]] | None:
    """Return what a line with names of variables gives: a solution, or nothing if it is the first of CSV; None of others."""
    if not any(letter.isalpha() or letter == "{" for letter in line):
        return None
    from nqueens_cp.listing.formats import make_format

    problem = model.snapshot()
    if make_format("csv", problem).accepts_header(line.encode() + b"\n"):
        return []
    name = "jsonl" if line.startswith("{") else "boards"
    if name == "boards" and "=" not in line:
        return None
    made = make_format(name, problem)
    try:
        return [(where, list(made.parse([line] if name == "jsonl" else [line, ""])))]
    except ValueError as error:
        raise InvalidValue(f"{where}{error}") from None
