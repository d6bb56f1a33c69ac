"""The command line: ``nqueens-cp COMMAND``, each kind of commands in a file of its own.

Answers go to standard output, remarks and progress to standard error. Exit status: 0 answered, 1 unsatisfiable or
disagreement, 2 usage, 3 stopped by a limit, 130 Ctrl-C.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from nqueens_cp.cli.about import backends, models, show
from nqueens_cp.cli.answers import count, solve
from nqueens_cp.cli.checking import check
from nqueens_cp.cli.comparing import compare
from nqueens_cp.cli.exporting import export
from nqueens_cp.cli.flatzinc import fzn
from nqueens_cp.cli.gallery import gallery
from nqueens_cp.cli.large import place
from nqueens_cp.cli.listing import list_solutions
from nqueens_cp.cli.options import LENIENT, Exit
from nqueens_cp.cli.puzzle import app as puzzle_commands
from nqueens_cp.cli.ranking import nth, rank, sample
from nqueens_cp.cli.rules import rules
from nqueens_cp.cli.squares import squares
from nqueens_cp.cli.terminal import give_up_output, prepare_streams, remark
from nqueens_cp.cli.trace import trace
from nqueens_cp.errors import NQueensError, VerificationError

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
    """Problems of the N-Queens family: put queens on a board so that none attacks another.

    State a problem once; solve it, count and list its solutions with several
    solvers (backends), and compare them.

    Examples:
      nqueens-cp solve 8               one solution of the 8 x 8 board
      nqueens-cp count 12              how many there are
      nqueens-cp compare 8             several solvers: do they agree? how fast?

    Examples of each command are in its own help: nqueens-cp count --help

    Exit status: 0 answered, 1 no solution or disagreement, 2 wrong usage,
    3 stopped by a limit, 130 stopped by Ctrl-C.
    """
    if version:
        from nqueens_cp.version import __version__

        print(f"nqueens-cp {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(Exit.USAGE)


COMMANDS: dict[str, dict[str, Callable[..., int]]] = {
    "Ask": {
        "solve": solve,
        "count": count,
        "list": list_solutions,
        "nth": nth,
        "rank": rank,
        "sample": sample,
        "squares": squares,
        "place": place,
    },
    "Compare and learn": {"compare": compare, "trace": trace, "rules": rules},
    "Pictures and puzzles": {"gallery": gallery},
    "Files": {"check": check, "export": export, "fzn": fzn},
    "What there is": {"models": models, "show": show, "backends": backends},
}
"""The commands, by what they are for."""
STRICT = (fzn, models, backends)
"""They take no parameters of a model, so that an option they do not know is one."""

for purpose, commands in COMMANDS.items():
    for name, command in commands.items():
        settings = None if command in STRICT else LENIENT
        app.command(name, context_settings=settings, rich_help_panel=purpose)(command)
app.add_typer(puzzle_commands, name="puzzle", rich_help_panel="Pictures and puzzles")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    prepare_streams()
    sys.set_int_max_str_digits(0)  # counts may have more than Python's 4300 digits
    try:
        status = app(arguments, prog_name="nqueens-cp", standalone_mode=False)
        sys.stdout.flush()  # here, where an error is caught
        if status == Exit.INTERRUPTED and not isinstance(status, Exit):
            raise KeyboardInterrupt  # Typer turned it into that number before a command could tell of it
        return int(status or 0)
    except _USAGE_ERRORS as error:
        text = error.format_message().rstrip(".")
        return _complain(f"{text}; see --help") if text else Exit.USAGE  # no text: the help has been printed
    except VerificationError as error:
        return _complain(str(error), Exit.NO)
    except NQueensError as error:
        return _complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        remark("interrupted: no answer yet")
        return Exit.INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, OSError):
            return _complain(f"the model ended the program itself (exit status {error.code})")
        give_up_output()  # Typer makes an exit of a broken pipe
        return Exit.ANSWERED
    except MemoryError as error:
        return _complain(f"out of memory: {error or 'the model is too large for this machine'}", Exit.STOPPED)
    except OSError as error:
        give_up_output()
        return _complain(f"cannot read or write: {error}")
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        if not frames or Path(frames[-1].filename).is_relative_to(Path(__file__).parents[1]):
            raise  # our own fault: the traceback is wanted
        return _complain(f"{frames[-1].filename}, line {frames[-1].lineno}: {type(error).__name__}: {error}")


# Typer carries the class that its usage errors share, but does not export it.
_USAGE_ERRORS: Any = typer.BadParameter.__mro__[1]


def _complain(text: str, status: Exit = Exit.USAGE) -> int:
    remark("error: " + " ".join(text.split()))
    return status
