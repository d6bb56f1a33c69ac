"""The commands ``puzzle FILE``, ``puzzle new`` and ``puzzle batch``: region puzzles.

Exit status of ``puzzle FILE``: 0 if there is exactly one solution (or what else was asked is answered), 1 if there are several
or none; of ``puzzle batch``: 0 if all boards have exactly one, 1 if not or if some could not be read.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from nqueens_cp.cli.options import LENIENT, AsJson, ClusterAddress, Exit, TimeLimit
from nqueens_cp.cli.terminal import number, print_json, progress_bar, remark, whole
from nqueens_cp.errors import ClusterError, InvalidValue, SearchInterrupted, SearchStopped

if TYPE_CHECKING:
    from nqueens_cp.puzzles.answer import Answer
    from nqueens_cp.puzzles.puzzle import Puzzle


class PuzzleCommands(TyperGroup):
    """Commands, of which ``solve`` need not be named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["solve", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=PuzzleCommands,
    no_args_is_help=True,
    help="Region puzzles: solve one (puzzle FILE), make one (puzzle new), solve thousands (puzzle batch).",
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[str, typer.Argument(metavar="FILE", help="Text, lists of cells or JSON, or - for standard input.")]
Stars = Annotated[
    str | None, typer.Option("--stars", metavar="NUMBER", help="Queens in each row, column and region: 1, 2 or 3.")
]
Svg = Annotated[str | None, typer.Option("--svg", metavar="FILE", help="Write a picture.")]
Format = Annotated[str | None, typer.Option("--format", "-f", metavar="FORMAT", help="text, cells or json.")]
Write = Annotated[
    str | None, typer.Option("--write", metavar="FILE", help="Write the puzzle itself, and don't solve; - to print it.")
]


@app.command(context_settings=LENIENT)
def solve(
    file: File,
    stars: Stars = None,
    board: Annotated[
        str | None, typer.Option("--board", metavar="ID", help="Of several boards that with this id or number from 1.")
    ] = None,
    hint: Annotated[bool, typer.Option("--hint", help="Tell the next step, with its reason.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Tell all steps to the solution.")] = False,
    grade: Annotated[bool, typer.Option("--grade", help="Tell how difficult it is.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Print the exact number of solutions.")] = False,
    svg: Svg = None,
    write: Write = None,
    form: Format = None,
    time_limit: TimeLimit = None,
    as_json: AsJson = False,
) -> int:
    """Solve a puzzle (exit status 1: several solutions or none). Example: nqueens-cp puzzle board.txt

    The command's name, solve, may be left out.
    """
    asked = {"--hint": hint, "--explain": explain, "--grade": grade, "--count": count, "--write": write is not None}
    chosen = [name for name, given in asked.items() if given]
    if len(chosen) > 1:
        raise InvalidValue(f"{' and '.join(chosen)}: ask one thing at a time")
    if chosen and svg is not None:
        raise InvalidValue(f"--svg draws the solution; leave out {chosen[0]}")
    if time_limit is not None and (hint or explain or grade or write is not None):
        raise InvalidValue(f"--time-limit is for solving and counting; leave it out with {chosen[0]}")
    if form is not None and write is None:
        raise InvalidValue("--format says how --write writes; add --write FILE, or --write - to print it")
    puzzles = [_with_stars(puzzle, stars) for puzzle in _read(file)]
    if board is not None:
        puzzles = [_chosen(puzzles, board)]
    if write is not None:
        return _write(puzzles, write, form)
    if len(puzzles) > 1:
        raise InvalidValue(
            f"{file} holds {len(puzzles)} boards; choose one with --board ID, or solve all with puzzle batch"
        )
    (puzzle,) = puzzles
    for note in puzzle.notes:
        remark(f"note: {note}")
    try:
        if count:
            return _count(puzzle, number(time_limit), as_json)
        if hint or explain or grade:
            return _deduce(puzzle, "hint" if hint else "explain" if explain else "grade", as_json)
        return _solve(puzzle, svg, number(time_limit), as_json)
    except SearchStopped as stopped:
        remark(str(stopped))
        return Exit.STOPPED


@app.command(context_settings=LENIENT)
def new(
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="NUMBER",
            help="Rows, columns and regions: 4 to 20; with 2 stars 8 to 14, with 3 stars 12 to 14.",
        ),
    ] = "8",
    seed: Annotated[str, typer.Option("--seed", metavar="NUMBER", help="The same seed makes the same board.")] = "0",
    stars: Stars = None,
    difficulty: Annotated[
        str | None, typer.Option("--difficulty", metavar="WORD", help="easy, medium or hard.")
    ] = None,
    svg: Svg = None,
    time_limit: TimeLimit = "60",
    as_json: AsJson = False,
) -> int:
    """Make a puzzle with exactly one solution. Example: nqueens-cp puzzle new --size 9 --seed 7"""
    import nqueens_cp

    try:
        made = nqueens_cp.puzzle.new(
            whole(size, "--size"),
            seed=whole(seed, "--seed", 0),
            stars=1 if stars is None else whole(stars, "--stars"),
            difficulty=difficulty,
            time_limit=number(time_limit),
        )
    except SearchStopped as stopped:
        remark(str(stopped))
        return Exit.STOPPED
    if svg is not None:
        _save(svg, made.svg())
    _print_board(made, (), as_json)
    return Exit.ANSWERED


@app.command(context_settings=LENIENT)
def batch(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON, a board a line, or - for standard input.")],
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")] = None,
    stars: Stars = None,
    count: Annotated[bool, typer.Option("--count", help="Add the exact number of solutions.")] = False,
    grade: Annotated[bool, typer.Option("--grade", help="Add how difficult each board is.")] = False,
    time_limit: Annotated[
        str | None, typer.Option("--time-limit", "-t", metavar="SECONDS", help="For each board.")
    ] = None,
    workers: Annotated[
        str | None, typer.Option("--workers", "-w", metavar="NUMBER", help="Processes; as many as processors.")
    ] = None,
    cluster: ClusterAddress = None,
) -> int:
    """Solve many puzzles, a line of JSON for each (exit status 1: not all have exactly one solution).

    Example: nqueens-cp puzzle batch boards.jsonl -o answers.jsonl
    """
    from contextlib import ExitStack

    from nqueens_cp.puzzles.batch import Wanted, workers_here

    default = workers_here() if cluster is None else 1
    processes = default if workers is None else whole(workers, "--workers")
    number_of_stars = None if stars is None else _stars(stars)
    wanted = Wanted("standard input" if file == "-" else file, number_of_stars, count, grade, number(time_limit))
    with ExitStack() as stack:
        source = sys.stdin.buffer if file == "-" else stack.enter_context(_opened(file))
        if output is not None and file != "-" and Path(output).exists() and Path(output).samefile(file):
            raise InvalidValue(f"--output: {output} is the file that is read; write to another")
        target = sys.stdout.buffer if output is None else stack.enter_context(Path(output).open("wb"))
        return _batch(source, target, wanted, processes, cluster, hidden=output is None and sys.stdout.isatty())


def _batch(source: Any, target: Any, wanted: Any, workers: int, cluster: str | None, *, hidden: bool) -> int:
    from collections import Counter

    from nqueens_cp.control import Control
    from nqueens_cp.puzzles.batch import answers

    statuses: Counter[str] = Counter()
    size = _size(source)
    interrupted = False
    lost: ClusterError | None = None
    with progress_bar(note="boards", hidden=hidden) as progress:
        control = Control(progress=progress)
        control.share = None if size is None else lambda: min(1.0, source.tell() / size)
        try:
            for piece in answers(source, wanted, workers, control, cluster):
                target.write(piece.text)
                target.flush()
                statuses += piece.statuses
        except KeyboardInterrupt:
            interrupted = True
        except ClusterError as error:
            if error.partial is None:
                raise
            lost = error
    told = ", ".join(f"{n} {status}" for status, n in statuses.most_common())
    total = statuses.total()
    end = "interrupted (partial): " if interrupted else ""
    if lost is not None:
        end = f"{lost} (partial): "
    remark(f"{end}{total} board{'' if total == 1 else 's'}{f': {told}' if told else ''}")
    if interrupted:
        return Exit.INTERRUPTED
    if lost is not None:
        return Exit.STOPPED
    if not total:
        raise InvalidValue(f"{wanted.source}: there is no board")
    if statuses["stopped"]:
        return Exit.STOPPED
    return Exit.ANSWERED if statuses["unique"] == total else Exit.NO


def _size(source: Any) -> int | None:
    """Return the size of a file in bytes; None for a pipe."""
    from io import UnsupportedOperation
    from os import fstat

    try:
        return fstat(source.fileno()).st_size or None if source.seekable() else None
    except (OSError, UnsupportedOperation):
        return None


def _read(file: str) -> list[Puzzle]:
    from nqueens_cp.puzzles.reading import read_file, read_stream

    if file == "-":
        return read_stream(sys.stdin.buffer, "standard input")
    if file.startswith("-"):
        raise InvalidValue(f"unknown option {file!r}; see --help")
    return read_file(file)


def _opened(file: str) -> Any:
    if file.startswith("-"):
        raise InvalidValue(f"unknown option {file!r}; see --help")
    return Path(file).open("rb")


def _stars(text: str) -> int:
    from nqueens_cp.puzzles.puzzle import MOST_STARS

    stars = whole(text, "--stars")
    if stars > MOST_STARS:
        raise InvalidValue(f"--stars: {stars} is not in 1..{MOST_STARS}")
    return stars


def _with_stars(puzzle: Puzzle, stars: str | None) -> Puzzle:
    from dataclasses import replace

    return puzzle if stars is None else replace(puzzle, stars=_stars(stars))


def _chosen(puzzles: list[Puzzle], board: str) -> Puzzle:
    for puzzle in puzzles:
        if str(puzzle.id) == board:
            return puzzle
    if board.isdecimal() and 1 <= int(board[:9]) <= len(puzzles):
        return puzzles[int(board) - 1]
    raise InvalidValue(f"--board: no board has the id {board!r}, and they are numbered from 1 to {len(puzzles)}")


def _write(puzzles: list[Puzzle], file: str, form: str | None) -> int:
    from nqueens_cp.puzzles.writing import write

    name = form or ("json" if file.endswith((".json", ".jsonl")) else "text")
    if len(puzzles) > 1 and name != "json":
        raise InvalidValue(f"--format {name} holds one board, and there are {len(puzzles)}; choose one with --board ID")
    _save(file, "".join(f"{write(puzzle, name)}\n" for puzzle in puzzles))
    return Exit.ANSWERED


def _save(file: str, text: str) -> None:
    if file == "-":
        print(text, end="" if text.endswith("\n") else "\n")
    else:
        Path(file).write_text(text, encoding="utf-8")


def _solve(puzzle: Puzzle, svg: str | None, time_limit: float | None, as_json: bool) -> int:
    stopped: SearchStopped | SearchInterrupted | None = None
    try:
        answer = puzzle.solve(time_limit=time_limit)
    except (SearchStopped, SearchInterrupted) as error:
        if error.partial is None:
            raise
        answer, stopped = error.partial, error
    if svg is not None:
        _save(svg, answer.svg())
    if svg != "-":
        _print_answer(answer, as_json)
    if stopped is not None:
        remark(str(stopped))
        if isinstance(stopped, SearchInterrupted):
            return Exit.INTERRUPTED
    return Exit.ANSWERED if answer.status == "unique" else Exit.NO


def _print_answer(answer: Answer, as_json: bool) -> None:
    if as_json:
        from nqueens_cp.puzzles.writing import as_record

        print_json(
            {
                "status": answer.status,
                "solutions": answer.solutions,
                "differing": answer.differing,
                "reasons": answer.reasons,
                "notes": answer.puzzle.notes,
                "puzzle": as_record(answer.puzzle),
            }
        )
        return
    _print_board(answer.puzzle, answer.solutions, as_json=False)
    print(f"\n{answer.sentence}")


def _print_board(puzzle: Puzzle, solutions: Any, as_json: bool) -> None:
    """Print a board: in colours on a terminal that has them, else as text that `puzzle` reads again."""
    from nqueens_cp.puzzles.writing import as_json as line
    from nqueens_cp.puzzles.writing import as_text

    if as_json:
        print(line(puzzle))
    elif not (sys.stdout.isatty() and _print_coloured(puzzle, solutions)):
        print(as_text(puzzle, solutions))


def _print_coloured(puzzle: Puzzle, solutions: Any) -> bool:
    """Print a board in colours, with the label of the region in each cell; say whether the terminal has colours."""
    from rich.console import Console
    from rich.text import Text

    from nqueens_cp.puzzles.picture import colours
    from nqueens_cp.puzzles.writing import EMPTY, marks, text_labels

    console = Console(highlight=False)
    if console.no_color or console.color_system is None:
        return False
    names, fills = text_labels(puzzle), colours(puzzle)
    width = max(map(len, names))
    for row, line in zip(puzzle.grid, marks(puzzle, solutions), strict=True):
        text = Text()
        for k, mark in zip(row, line, strict=True):
            shown = " " if mark == EMPTY else mark
            text.append(f" {names[k]:<{width}}", style=f"#000000 on {fills[k]}")
            text.append(f"{shown} ", style=f"bold #000000 on {fills[k]}")
        console.print(text, soft_wrap=True)
    return True


def _count(puzzle: Puzzle, time_limit: float | None, as_json: bool) -> int:
    stopped = None
    try:
        found = puzzle.count(time_limit=time_limit)
    except (SearchStopped, SearchInterrupted) as error:
        stopped, found = error, error.partial
    if as_json:
        print_json({"complete": stopped is None, "count" if stopped is None else "at_least": found})
    elif stopped is None:
        print(found)
    if stopped is None:
        return Exit.ANSWERED
    remark(str(stopped))
    return Exit.INTERRUPTED if isinstance(stopped, SearchInterrupted) else Exit.STOPPED


def _deduce(puzzle: Puzzle, what: str, as_json: bool) -> int:
    """Tell the next step, all steps or the grade."""
    from dataclasses import asdict

    from nqueens_cp.puzzles.position import Kind

    both = sorted(puzzle.given & puzzle.crossed)
    if both:
        remark(f"no solution: a queen is given at {both[0]}, which is crossed out")
        return Exit.NO
    if what == "grade":
        if not puzzle.is_unique():
            remark("not graded: it has no solution, or several; without --grade it is told which")
            return Exit.NO
        grade = puzzle.grade()
        if as_json:
            print_json(grade._asdict())
        else:
            print(f"{grade} (score {grade.score})")
        return Exit.ANSWERED
    if what == "explain":
        explanation = puzzle.explain()
        if as_json:
            steps = [asdict(step) for step in explanation.steps]
            print_json({"solved": explanation.solved, "needs_a_try": explanation.needs_a_try, "steps": steps})
        else:
            print(explanation)
        if explanation.needs_a_try and not puzzle.is_unique():
            remark("it has several solutions or none, so that no try leads to the one")
            return Exit.NO
        return Exit.NO if explanation.contradiction else Exit.ANSWERED
    step = puzzle.hint()
    if as_json:
        print_json(None if step is None else asdict(step))
    else:
        stuck = "no step follows from the rules known here: a try is needed"
        if len(puzzle.given) == puzzle.size * puzzle.stars:
            stuck = "nothing is left to do: the board is solved"
        print(stuck if step is None else step)
    return Exit.NO if step is not None and step.kind is Kind.CONTRADICTION else Exit.ANSWERED
