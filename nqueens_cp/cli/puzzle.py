"""The command ``puzzle FILE``, and the group that ``puzzle new`` and ``puzzle batch`` are in.

Exit status of ``puzzle FILE``: 0 if there is exactly one solution, 1 if there are several or none; 0 for ``--count`` and
``--write`` whatever it is; with ``--grade`` and ``--explain`` 1 if there are several or none, with ``--hint`` 1 if the step is
that there is none.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from nqueens_cp.cli.options import LENIENT, AsJson, Exit, TimeLimit
from nqueens_cp.cli.puzzle_batch import batch
from nqueens_cp.cli.puzzle_boards import Stars, Svg, print_board, require_output, save, standard_input, stars_of
from nqueens_cp.cli.puzzle_new import new
from nqueens_cp.cli.terminal import ended, number, print_json, remark
from nqueens_cp.control import Control
from nqueens_cp.errors import InvalidValue, SearchInterrupted, SearchStopped

if TYPE_CHECKING:
    from nqueens_cp.puzzles.answer import Answer
    from nqueens_cp.puzzles.puzzle import Puzzle


class PuzzleCommands(TyperGroup):
    """Commands, of which ``solve`` need not be named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["solve", *args]
        return super().parse_args(ctx, args)


HELP = """Region puzzles: solve one (puzzle FILE), make some (puzzle new), solve thousands (puzzle batch).

A board is divided into regions; each row, column and region gets one queen,
and no two touch, not even at a corner.

Examples:
  nqueens-cp puzzle board.txt
  nqueens-cp puzzle board.txt --hint
  nqueens-cp puzzle new --size 7 --seed 3

What can be asked of a board (--hint, --explain, --grade, --count and more) is
told by nqueens-cp puzzle solve --help.

In board.txt each row of the board is a line, with a letter for each cell that
says to which region it belongs: AABB.
"""

app = typer.Typer(
    cls=PuzzleCommands,
    no_args_is_help=True,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[str, typer.Argument(metavar="FILE", help="Text, lists of cells or JSON, or - for standard input.")]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", metavar="FORMAT", help="How --write writes: text, cells or json (by the name)."),
]
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
    """Solve a puzzle (exit status 1: several solutions or none). The command's name, solve, may be left out.

    Examples:
      nqueens-cp puzzle board.txt
      nqueens-cp puzzle solve board.txt --explain
      nqueens-cp puzzle board.txt --write board.json
    """
    asked = {"--hint": hint, "--explain": explain, "--grade": grade, "--count": count, "--write": write is not None}
    chosen = [name for name, given in asked.items() if given]
    if len(chosen) > 1:
        raise InvalidValue(f"{' and '.join(chosen)}: ask one thing at a time")
    if chosen and svg is not None:
        raise InvalidValue(f"--svg draws the solution; leave out {chosen[0]}")
    if time_limit is not None and write is not None:
        raise InvalidValue("--time-limit: nothing is solved with --write; leave it out")
    if form is not None and write is None:
        raise InvalidValue("--format says how --write writes; add --write FILE, or --write - to print it")
    if as_json and (write is not None or svg == "-"):
        raise InvalidValue(f"--json: {'--svg -' if write is None else '--write'} prints something else; leave it out")
    limit = number(time_limit)
    require_output(write, "--write", file)
    require_output(svg, "--svg", file)
    puzzles = _read(file)
    if stars is not None:
        puzzles = [replace(puzzle, stars=stars_of(stars), difficulty=None) for puzzle in puzzles]
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
    if chosen and not count and (both := sorted(puzzle.given & puzzle.crossed)):
        remark(f"no solution: a queen is given at {both[0]}, which is crossed out")
        return Exit.NO
    questions = {"--count": _count, "--hint": _hint, "--explain": _explain, "--grade": _grade}
    try:
        return questions[chosen[0]](puzzle, limit, as_json) if chosen else _solve(puzzle, svg, limit, as_json)
    except (SearchStopped, SearchInterrupted) as stopped:
        return ended(stopped)


app.command(context_settings=LENIENT)(new)
app.command(context_settings=LENIENT)(batch)


def _read(file: str) -> list[Puzzle]:
    from nqueens_cp.puzzles.reading import read_file, read_stream

    if file == "-":
        return read_stream(standard_input(), "standard input")
    if file.startswith("-"):
        raise InvalidValue(f"unknown option {file!r}; see --help")
    return read_file(file)


def _chosen(puzzles: list[Puzzle], board: str) -> Puzzle:
    for puzzle in puzzles:
        if str(puzzle.id) == board:
            return puzzle
    if board.isdecimal() and 1 <= int(board[:9]) <= len(puzzles):
        return puzzles[int(board) - 1]
    numbers = "there is one board" if len(puzzles) == 1 else f"they are numbered from 1 to {len(puzzles)}"
    raise InvalidValue(f"--board: no board has the id {board!r}, and {numbers}")


def _write(puzzles: list[Puzzle], file: str, form: str | None) -> int:
    from nqueens_cp.puzzles.writing import write

    name = form or ("json" if file.endswith((".json", ".jsonl")) else "text")
    if len(puzzles) > 1 and name != "json":
        raise InvalidValue(f"--format {name} holds one board, and there are {len(puzzles)}; choose one with --board ID")
    save(file, "".join(f"{write(puzzle, name)}\n" for puzzle in puzzles))
    return Exit.ANSWERED


def _solve(puzzle: Puzzle, svg: str | None, time_limit: float | None, as_json: bool) -> int:
    stopped: SearchStopped | SearchInterrupted | None = None
    try:
        answer = puzzle.solve(time_limit=time_limit)
    except (SearchStopped, SearchInterrupted) as error:
        if error.partial is None:
            raise
        answer, stopped = error.partial, error
    if svg != "-":
        _print_answer(answer, as_json, complete=stopped is None)
    if svg is not None:
        save(svg, answer.svg())
    if stopped is not None and ended(stopped) is Exit.INTERRUPTED:
        return Exit.INTERRUPTED
    return Exit.ANSWERED if answer.status == "unique" else Exit.NO


def _print_answer(answer: Answer, as_json: bool, *, complete: bool) -> None:
    if as_json:
        from nqueens_cp.puzzles.writing import as_record

        print_json(
            {
                "status": answer.status,
                "complete": complete,
                "solutions": answer.solutions,
                "differing": answer.differing,
                "reasons": answer.reasons,
                "notes": answer.puzzle.notes,
                "puzzle": as_record(answer.puzzle),
            }
        )
        return
    print_board(answer.puzzle, answer.solutions)
    print(f"\n{answer.sentence}")


def _count(puzzle: Puzzle, time_limit: float | None, as_json: bool) -> int:
    try:
        found = puzzle.count(time_limit=time_limit)
    except (SearchStopped, SearchInterrupted) as stopped:
        if as_json:
            print_json({"complete": False, "at_least": stopped.partial})
        return ended(stopped)
    if as_json:
        print_json({"complete": True, "count": found})
    else:
        print(found)
    return Exit.ANSWERED


def _hint(puzzle: Puzzle, time_limit: float | None, as_json: bool) -> int:
    from nqueens_cp.puzzles.position import Kind

    step = puzzle.hint(time_limit=time_limit)
    if as_json:
        print_json(None if step is None else asdict(step))
    elif step is not None:
        print(step)
    elif len(puzzle.given) == puzzle.size * puzzle.stars:
        print("nothing is left to do: the board is solved")
    else:
        print("no step follows from the rules known here: a try is needed")
    return Exit.NO if step is not None and step.kind is Kind.CONTRADICTION else Exit.ANSWERED


def _explain(puzzle: Puzzle, time_limit: float | None, as_json: bool) -> int:
    control = Control(time_limit)
    stopped: SearchStopped | SearchInterrupted | None = None
    try:
        explanation = puzzle.explain(time_limit=time_limit)
    except (SearchStopped, SearchInterrupted) as error:
        explanation, stopped = error.partial, error
    if as_json:
        steps = [asdict(step) for step in explanation.steps]
        ending = {"solved": explanation.solved, "needs_a_try": explanation.needs_a_try}
        print_json({"complete": stopped is None, **ending, "steps": steps})
    else:
        print(explanation)
    if stopped is not None:
        return ended(stopped)
    if explanation.needs_a_try and not puzzle.is_unique(time_limit=control.limit_left()):
        remark("it has several solutions or none, so that no try leads to the one")
        return Exit.NO
    return Exit.NO if explanation.contradiction else Exit.ANSWERED


def _grade(puzzle: Puzzle, time_limit: float | None, as_json: bool) -> int:
    control = Control(time_limit)
    if not puzzle.is_unique(time_limit=time_limit):
        remark("not graded: it has no solution, or several; without --grade it is told which")
        return Exit.NO
    try:
        grade = puzzle.grade(time_limit=control.limit_left())
    except (SearchStopped, SearchInterrupted) as stopped:
        if as_json:
            print_json({"complete": False, "at_least": stopped.partial._asdict()})
        return ended(stopped)
    if as_json:
        print_json({"complete": True, **grade._asdict()})
    else:
        print(f"{grade} (score {grade.score})")
    return Exit.ANSWERED
