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
