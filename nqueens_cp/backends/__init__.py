"""The registry of backends: those of the package, and those that others register as entry points.

A third party registers a subclass of `nqueens_cp.backends.base.Backend` in the entry-point group ``nqueens_cp.backends``. One
that is not registered is named by the path of its file, which ends in ``.py``. Nothing is imported before it is asked for.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, NamedTuple

from nqueens_cp.background import call_apart
from nqueens_cp.errors import BackendUnavailable, InvalidType, NQueensError, UnknownBackend

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from nqueens_cp.backends.base import Backend

ENTRY_POINT_GROUP = "nqueens_cp.backends"

BUILT_IN = {  # in the order in which "auto" asks them
    "core": "nqueens_cp.backends.core:CoreBackend",
    "cp-sat": "nqueens_cp.backends.cp_sat:CpSatBackend",
    "python-constraint": "nqueens_cp.backends.python_constraint:PythonConstraintBackend",
}


class Extra(NamedTuple):
    """A backend whose solver is installed only where it is asked for."""

    where: str
    module: str = ""  # by which it is seen whether the solver is there, without importing it
    program: str = ""
    package: str = ""  # as pip knows the solver

    @property
    def is_installed(self) -> bool:
        """Whether its solver seems to be installed."""
        if self.program:
            return which(self.program) is not None
        return find_spec(self.module) is not None


EXTRAS = {  # "auto" asks them last
    "choco": Extra("nqueens_cp.backends.choco:ChocoBackend", module="pychoco", package="pychoco"),
    "clingo": Extra("nqueens_cp.backends.clingo:ClingoBackend", module="clingo", package="clingo"),
    "exact-cover": Extra("nqueens_cp.backends.exact_cover:ExactCoverBackend", module="miniexact", package="miniexact"),
    "minizinc": Extra("nqueens_cp.backends.minizinc:MiniZincBackend", program="minizinc"),
    "pysat": Extra("nqueens_cp.backends.pysat:PySatBackend", module="pysat", package="python-sat"),
}

TEXTBOOK = {  # only when they are named
    "flag-arrays": "nqueens_cp.backends.textbook:FlagArrays",
    "position-array": "nqueens_cp.backends.textbook:PositionArray",
    "marked-board": "nqueens_cp.backends.textbook:MarkedBoard",
    "bit-masks": "nqueens_cp.backends.textbook:BitMasks",
    "forward-checking": "nqueens_cp.backends.textbook:ForwardChecking",
}
FORMULATIONS = {  # of the same solver; only when they are named
    "cp-sat:boolean": "nqueens_cp.backends.formulations:Boolean",
    "cp-sat:affine": "nqueens_cp.backends.formulations:Affine",
    "cp-sat:auxiliary": "nqueens_cp.backends.formulations:Auxiliary",
    "cp-sat:default-search": "nqueens_cp.backends.formulations:DefaultSearch",
    "python-constraint:pairwise": "nqueens_cp.backends.formulations:Pairwise",
    "python-constraint:all-different": "nqueens_cp.backends.formulations:AllDifferentWherePossible",
    "python-constraint:no-forward-check": "nqueens_cp.backends.formulations:NoForwardCheck",
}


def backend_names() -> list[str]:
    """Return the names of all registered backends, whether they can run here or not, the package's own first."""
    return [*BUILT_IN, *EXTRAS, *sorted(_entry_points())]


def installed_names() -> list[str]:
    """Return the names of the registered backends but for the extras whose solver is not installed."""
    return [name for name in backend_names() if name not in EXTRAS or EXTRAS[name].is_installed]


def textbook_names() -> list[str]:
    """Return the names of the textbook backtrackers: backends for the classic board, used only where they are named."""
    return list(TEXTBOOK)


def formulation_names() -> list[str]:
    """Return the names of other formulations for the same solvers: backends used only where they are named."""
    return list(FORMULATIONS)


def get_backend(name: str) -> Backend:
    """Return the backend of that name, or in the file of that path, ready to work.

    Raises
    ------
    UnknownBackend
        No backend is registered under that name.
    BackendUnavailable
        It is registered, but cannot run here; the message says why.
    InvalidValue
        There is no such file, or no backend in it.
    """
    require_known(name)
    return _loaded(name, os.stat(name).st_mtime_ns if is_file_name(name) else 0)


def is_file_name(name: str) -> bool:
    """Say whether that is the path of a file with a backend, and not the name of a registered one."""
    return name.endswith(".py")


def require_known(name: str) -> None:
    """Refuse what is neither the name of a registered backend nor the path of a file; nothing is imported.

    Raises
    ------
    UnknownBackend
        The message lists the names.
    InvalidValue
        There is no such file.
    """
    if not isinstance(name, str):
        raise InvalidType(f"backend: expected a name, got {name!r} ({type(name).__name__})")
    if is_file_name(name):
        from nqueens_cp.loader import existing_file

        existing_file(name)
        return
    known = [*backend_names(), *TEXTBOOK, *FORMULATIONS]
    if name not in known:
        from difflib import get_close_matches

        a_file = [f"./{name}.py"] if Path(f"{name}.py").is_file() else []
        near = a_file or get_close_matches(name.lower().replace("_", "-"), known, 1)
        hint = f"do you mean {near[0]!r}? There" if near else "there"
        raise UnknownBackend(
            f"backend: {name!r} is not the name of one; {hint} are {', '.join(known)}, and files of your own, like ./mine.py"
        )


@cache  # what is raised is not kept, so the next call tries again
def _loaded(name: str, changed: int) -> Backend:
    """Return the backend; `changed` tells a file that was edited from what it was before."""
    made: list[Backend] = []

    def make_and_load() -> None:
        try:
            made.append(_made(name))
            made[0].load()
        except NQueensError:
            raise
        except (Exception, SystemExit) as error:  # a broken package may raise anything; it breaks its own backend alone
            raise BackendUnavailable(_why_not(name, error)) from error

    call_apart(make_and_load)
    return made[0]


def _why_not(name: str, error: BaseException) -> str:
    """Return the message for a backend that cannot be loaded, with the way out."""
    if name in EXTRAS and EXTRAS[name].package:
        package = EXTRAS[name].package
        if not EXTRAS[name].is_installed:
            return f"{package} is not installed; pip install {package}"
        return f"{package} is broken or too old ({error!r}); pip install --force-reinstall {package}"
    if is_file_name(name):
        return f"{name}: cannot be loaded: {error!r}"
    where = _own().get(name) or _entry_points()[name].value
    return f"backend {name!r} ({where}) cannot be loaded: {error!r}"


def _made(name: str) -> Backend:
    from nqueens_cp.backends.base import Backend

    if is_file_name(name):
        from nqueens_cp.backends.from_file import backend_in

        return backend_in(name)
    own = _own()
    if name in own:
        module, _, attribute = own[name].partition(":")
        built_in: Backend = getattr(importlib.import_module(module), attribute)()
        return built_in
    entry = _entry_points()[name]
    kind = entry.load()
    if not (isinstance(kind, type) and issubclass(kind, Backend)):
        raise TypeError(f"{entry.value} is no subclass of nqueens_cp.backends.base.Backend")
    return kind()


def _own() -> dict[str, str]:
    """Return where each of the package's own backends is."""
    return BUILT_IN | {name: extra.where for name, extra in EXTRAS.items()} | TEXTBOOK | FORMULATIONS


@cache
def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    own = _own()
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP) if entry.name not in own}
