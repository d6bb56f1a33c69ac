"""A backend from somebody's own Python file, named by the path of the file, so that any process can load it again.

The file holds one subclass of `Backend`, or a plain function ``solutions(n)`` for the classic board.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, redirect_stdout
from datetime import datetime
from operator import index
from types import GeneratorType, ModuleType
from typing import Any, Protocol

from nqueens_cp.backends.base import Backend, Capabilities
from nqueens_cp.backends.textbook import ClassicBoardBackend
from nqueens_cp.checks import shown
from nqueens_cp.control import Control
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.loader import existing_file, load_python

MODULE_PREFIX = "nqueens_cp_backend_"
"""The names of loaded backend files, as modules, begin with this."""


class Program(Protocol):
    """What a file's function ``solutions`` does: return or yield the column of the queen in each row, for each solution."""

    def __call__(self, n: int, /) -> Iterable[Sequence[int]]:
        """Return all solutions of the board of size `n`."""


def backend_in(name: str) -> Backend:
    """Return the backend in the file of that name, not loaded yet.

    Raises
    ------
    InvalidValue
        There is no such file, it has errors, or holds no backend, or more than one.
    """
    path = existing_file(name)
    with redirect_stdout(sys.stderr):  # what a program prints while it is loaded is no answer
        module = load_python(path.resolve(), MODULE_PREFIX)
    kinds = [kind for kind in vars(module).values() if _is_backend_of(module, kind)]
    if len(kinds) > 1:
        raise InvalidValue(
            f"{name}: holds {len(kinds)} backends, {', '.join(k.__name__ for k in kinds)}; one is expected"
        )
    if kinds:
        kind = kinds[0]
        own = {"name": name, "capabilities": getattr(kind, "capabilities", Capabilities())}
        made: Backend = type(kind.__name__, (kind,), own)()
        return made
    program = getattr(module, "solutions", None)
    if not callable(program):
        hint = "; as it has a function build, give it as the model" if hasattr(module, "build") else ""
        raise InvalidValue(f"{name}: has neither a function solutions(n) nor a subclass of Backend{hint}")
    _require_one_argument(name, program)
    changed = datetime.fromtimestamp(path.stat().st_mtime)
    named: type[ProgramBackend] = type("ProgramBackend", (ProgramBackend,), {"name": name})
    return named(program, f"of {changed:%Y-%m-%d %H:%M}")


class ProgramBackend(ClassicBoardBackend):
    """A plain function of the size of the board."""

    capabilities = Capabilities()

    def __init__(self, program: Program, version: str) -> None:
        self._program = program
        self._version = version

    def load(self) -> None:
        """There is nothing to import but the file itself."""

    def version(self) -> str:
        return self._version

    def solutions(self, translated: int, control: Control) -> Iterator[tuple[int, ...]]:
        found = self._program(translated)
        if not isinstance(found, Iterable):
            raise InvalidType(
                f"{self.name}: solutions({translated}) must yield solutions, or return a list of them, not {_told(found)}"
            )
        if not isinstance(found, GeneratorType):
            yield from self._each(found, translated, control)
            return
        with closing(found):
            yield from self._each(found, translated, control)

    def _each(self, found: Iterable[Sequence[int]], size: int, control: Control) -> Iterator[tuple[int, ...]]:
        control.poll()
        for columns in found:
            control.poll()
            try:
                values = tuple(map(index, columns))
            except TypeError:
                values = ()
            if len(values) != size or (size and not (min(values) >= 0 and max(values) < size)):
                wanted = f"{size} integers from 0 to {size - 1}" if size else "no integers"
                raise InvalidType(
                    f"{self.name}: a solution for n={size} is the column of the queen in each row, {wanted}, not "
                    f"{_told(columns)}"
                )
            yield values


def _is_backend_of(module: ModuleType, kind: Any) -> bool:
    return (
        isinstance(kind, type)
        and issubclass(kind, Backend)
        and kind.__module__ == module.__name__
        and not inspect.isabstract(kind)
    )


def _require_one_argument(name: str, program: Any) -> None:
    try:
        signature = inspect.signature(program)
    except (TypeError, ValueError):  # some that are written in C do not tell
        return
    try:
        signature.bind(8)
    except TypeError:
        raise InvalidType(f"{name}: solutions{signature} must take one argument, the size of the board") from None


def _told(thing: Any) -> str:
    return f"{shown(thing)} ({type(thing).__name__})"
