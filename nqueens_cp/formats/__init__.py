"""Files of other tools: models written for them, and theirs read."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nqueens_cp.model import Model

SUFFIXES = {
    ".fzn": "read_flatzinc",
    ".cnf": "read_dimacs",
    ".dimacs": "read_dimacs",
    ".opb": "read_opb",
    ".xml": "read_xcsp3",
}
"""How the names of files end that can be read, each with the module of this package that reads it."""
FORMATS = ("minizinc", "xcsp3", "dimacs", "opb", "lp")
"""What models can be written as."""
WRITTEN_SUFFIXES = {
    ".mzn": "minizinc",
    ".xml": "xcsp3",
    ".cnf": "dimacs",
    ".dimacs": "dimacs",
    ".opb": "opb",
    ".lp": "lp",
}
"""How the names of files end that can be written, each with its format."""
PACKED_SUFFIXES = (".gz", ".lzma", ".xz")
"""These may follow."""


def reader_of(target: str | Path) -> Callable[[Path], Model] | None:
    """Return the function that reads a file of another tool, judged by how its name ends; None for other targets."""
    path = Path(target)
    if path.suffix.lower() in PACKED_SUFFIXES:
        path = path.with_suffix("")
    module = SUFFIXES.get(path.suffix.lower())
    if module is None:
        return None
    read: Callable[[Path], Model] = import_module(f"nqueens_cp.formats.{module}").read
    return read


def export(model: Model | int, format: str) -> str:  # noqa: A002 (the word that everybody looks for)
    """Return a model as the text of another tool's file.

    Parameters
    ----------
    model : Model or int
        A model, or the size of a classic N-Queens board.
    format : str
        "minizinc", "xcsp3", "dimacs", "opb" or "lp". The first two keep the model's constraints as they are stated; in the
        others, comments say what the variables mean.

    Raises
    ------
    UnsupportedModel
        The format cannot carry the model; the message names the constraint and says why.

    Examples
    --------
    >>> from nqueens_cp import export
    >>> print(export(8, "minizinc"))  # doctest: +ELLIPSIS
    % queens
    ...
    array[0..7] of var 0..7: queen;
    <BLANKLINE>
    constraint all_different(queen);
    constraint all_different([queen[i] - i | i in 0..7]);
    constraint all_different([queen[i] + i | i in 0..7]);
    <BLANKLINE>
    solve satisfy;
    ...
    """
    from nqueens_cp.checks import shown
    from nqueens_cp.choosing import as_problem
    from nqueens_cp.control import Control
    from nqueens_cp.errors import InvalidType, InvalidValue

    if not isinstance(format, str):
        raise InvalidType(f"format: expected a name, got {shown(format)} ({type(format).__name__})")
    if format not in FORMATS:
        raise InvalidValue(f"format: {shown(format)} is not known; there are {', '.join(FORMATS)}")
    problem = as_problem(model)
    text: str = getattr(import_module(f"nqueens_cp.formats.{format}"), f"{format}_text")(problem, Control())
    return text
