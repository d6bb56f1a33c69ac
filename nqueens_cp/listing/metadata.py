"""What a file of solutions holds, written beside it: FILE.meta.json."""

from __future__ import annotations

import json
import os
from ast import literal_eval
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from nqueens_cp.errors import InvalidValue
from nqueens_cp.formats import reader_of
from nqueens_cp.loader import load_model
from nqueens_cp.model import Model
from nqueens_cp.relations import shorten
from nqueens_cp.result import Status
from nqueens_cp.version import __version__

FORMAT_VERSION = 1
RUNNING = "running"
"""The status while a file grows, and of one whose writer was killed."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a file of solutions holds.

    Attributes
    ----------
    format, dtype : str
        The format, and for .npy the type of its numbers.
    model : str
        The model's name.
    target : str or None
        What the command line called it: a size, a name, or the path of a file, from the folder of this one.
    parameters : mapping of str to str
        As they were given on the command line.
    statement : str
        A digest of the model as text, by which another one is told.
    columns : list of str
        What each row holds: the variables, and "orbit" where the sizes of orbits stand last.
    backend, backend_version, package_version : str
        What found the solutions.
    skip : int
        How many solutions were passed over.
    limit : int or None
        How many were asked for at most.
    up_to_symmetry : bool
        Whether there is one of each orbit only.
    status : str
        "running", or how the search ended: "complete", "limit", "timeout", "interrupted".
    complete : bool
        Whether all solutions are there.
    count : int or None
        How many are there; while the file grows, how many were there lately.
    digest : str or None
        Of the content of so many, not compressed; of .npy without its header.
    """

    format: str
    model: str
    statement: str
    columns: list[str]
    backend: str
    backend_version: str
    target: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    dtype: str | None = None
    skip: int = 0
    limit: int | None = None
    up_to_symmetry: bool = False
    status: str = RUNNING
    complete: bool = False
    count: int | None = None
    digest: str | None = None
    package_version: str = __version__
    format_version: int = FORMAT_VERSION

    @property
    def is_partial(self) -> bool:
        """Whether the search was stopped before it had found what was asked for."""
        return self.status not in (str(Status.COMPLETE), str(Status.LIMIT))

    @property
    def called(self) -> str:
        """What the model is called in messages."""
        words = [self.model if self.target is None else self.target]
        return " ".join([*words, *(f"{name}={value}" for name, value in self.parameters.items())])

    def write(self, path: Path) -> None:
        """Write this beside a file, in one step."""
        place = beside(path)
        new = place.with_name(place.name + ".new")
        new.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
        os.replace(new, place)


def load_described(path: Path, known: Metadata) -> Model:
    """Return the model whose solutions a file holds.

    Raises
    ------
    InvalidValue
        The metadata does not tell how to load it.
    """
    if known.target is None:
        raise InvalidValue(
            f"{path}: its metadata tells the name of the model, {known.model}, and not how to load it; name it"
        )
    target: int | str = int(known.target) if known.target.isdecimal() else known.target
    if is_path(known.target):
        found = path.parent / known.target
        if not found.is_file():
            raise InvalidValue(
                f"{path}: its metadata says that the model is in {found}, which is not there; name the model"
            )
        target = str(found)
    return load_model(target, **{name: _value(text) for name, text in known.parameters.items()})


def is_path(target: str) -> bool:
    """Say whether what the command line calls a model is the path of a file."""
    path = Path(target)
    return path.suffix == ".py" or len(path.parts) > 1 or reader_of(target) is not None


def place_of(target: str, data: str | Path) -> str:
    """Return what the metadata of a file calls a model: the path of a model's file is relative to the folder of the data."""
    if not is_path(target):
        return target
    try:
        return Path(os.path.relpath(target, Path(data).parent)).as_posix()
    except ValueError:  # on another drive
        return os.path.abspath(target)


def _value(text: str) -> Any:
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def beside(path: Path) -> Path:
    """Return where the metadata of a file stands."""
    return path.with_name(path.name + ".meta.json")


def statement_digest(model: Model) -> str:
    """Return a digest of a model as text, in whatever order its constraints are, and of the marks on its board."""
    first, *lines = str(model).splitlines()
    board = model.snapshot().board
    marks = "" if board is None else f"blocked {sorted(board.blocked)}, placed {sorted(board.placed)}"
    return f"sha256:{sha256(chr(10).join([first, *sorted(lines), marks]).encode()).hexdigest()}"


def read_metadata(path: Path) -> Metadata | None:
    """Return the metadata of a file, or None if there is none.

    Raises
    ------
    InvalidValue
        It is damaged, or of a later version.
    """
    place = beside(path)
    if not place.exists():
        return None
    try:
        record: Any = json.loads(place.read_text(encoding="utf-8"))
        version = record["format_version"]
        if version == FORMAT_VERSION:
            known = {entry.name: str(entry.type) for entry in fields(Metadata)}
            for name, value in record.items():
                if name in known and not _fits(value, known[name]):
                    raise TypeError(f"{name} is {shorten(repr(value))}, not {known[name]}")
            return Metadata(**{name: value for name, value in record.items() if name in known})
    except (ValueError, TypeError, KeyError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidValue(f"{place}: it is damaged ({type(error).__name__}: {error})") from None
    raise InvalidValue(f"{place}: its format version is {version}, and this program reads {FORMAT_VERSION}")


def _fits(value: Any, kind: str) -> bool:
    """Say whether a value from JSON is of the type that the annotation of a field names."""
    if kind.endswith(" | None"):
        return value is None or _fits(value, kind.removesuffix(" | None"))
    if kind == "list[str]":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if kind == "Mapping[str, str]":
        return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    kinds: dict[str, type] = {"str": str, "int": int, "bool": bool}
    return type(value) is kinds[kind]
