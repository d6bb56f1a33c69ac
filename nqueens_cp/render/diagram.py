"""What a picture shows of one board: `Diagram`, made from solutions, models, puzzles, or columns of queens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, runtime_checkable

from nqueens_cp.board import Board, Regions, Square
from nqueens_cp.checks import integer, integer_at_least, items, shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.model import Model, Problem
from nqueens_cp.render.attacks import attacked_by_moves, attacked_by_rules


@dataclass(frozen=True, slots=True)
class Diagram:
    """What a picture shows of one board.

    Attributes
    ----------
    rows, columns : int
        Its size.
    pieces : frozenset of (row, column)
        Where pieces stand.
    piece : str
        What they are: "queen", "rook", "bishop", "knight", "king", "star"; others are drawn as points.
    placed, blocked, crossed : frozenset of (row, column)
        Given pieces, which stand on a ring; closed squares; squares with a small cross.
    regions : tuple of rows of labels
        The label of each square's region, or nothing.
    names : mapping of label to str
        What is written into a region.
    numbers : mapping of (row, column) to str
        What is written into the corner of squares in a frame, as where two solutions differ.
    caption : str
        What stands below the board on a sheet if nothing else is asked for.
    rules : callable, optional
        Gives the squares attacked from those with pieces; without it, they are those that the pieces' moves reach.
    """

    rows: int
    columns: int
    pieces: frozenset[Square] = frozenset()
    piece: str = "queen"
    placed: frozenset[Square] = frozenset()
    blocked: frozenset[Square] = frozenset()
    crossed: frozenset[Square] = frozenset()
    regions: Regions = ()
    names: Mapping[Hashable, str] = field(default_factory=dict)
    numbers: Mapping[Square, str] = field(default_factory=dict)
    caption: str = ""
    rules: Callable[[Collection[Square]], Collection[Square]] | None = None

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            integer_at_least(getattr(self, name), 0, f"Diagram: {name}")
        for name in ("pieces", "placed", "blocked", "crossed", "numbers"):
            for row, column in getattr(self, name):
                if not (0 <= row < self.rows and 0 <= column < self.columns):
                    raise InvalidValue(
                        f"Diagram: {name}: ({row}, {column}) is not on a board of {self.rows} rows and {self.columns} columns"
                    )

    def attacked(self) -> set[Square]:
        """Return the open squares without a piece that pieces attack."""
        rules = self.rules or partial(attacked_by_moves, self.piece, rows=self.rows, columns=self.columns)
        return set(rules(self.pieces)) - self.pieces - self.blocked


@runtime_checkable
class HasDiagram(Protocol):
    """Something that is drawn as a board: a solution, a puzzle, its answer."""

    def diagram(self) -> Diagram:
        """Return what a picture shows."""
        ...


def of_board(board: Board, pieces: Iterable[Square], problem: Problem) -> Diagram:
    """Return a model's board with pieces on some squares."""
    return Diagram(
        board.height,
        board.columns,
        frozenset(pieces),
        board.piece,
        board.placed,
        board.blocked,
        regions=board.regions,
        rules=partial(attacked_by_rules, problem),
    )


def of_model(model: Model) -> Diagram:
    """Return the board of a model as it is posed: with the pieces that are placed, and no others."""
    board = model.require_board("sheet")
    return of_board(board, board.placed, model.snapshot())


def of_columns(columns: Iterable[Any]) -> Diagram:
    """Return a square board with a queen in each row, given by their columns; None leaves a row empty."""
    given = [None if value is None else integer(value, "sheet: the column of a queen") for value in columns]
    for row, column in enumerate(given):
        if column is not None and not 0 <= column < len(given):
            raise InvalidValue(
                f"sheet: row {row} has its queen in column {column}; {len(given)} columns make a board of as many rows, whose "
                f"columns are 0 to {len(given) - 1}"
            )
    return Diagram(
        len(given), len(given), frozenset((row, column) for row, column in enumerate(given) if column is not None)
    )


def diagrams_of(boards: Any) -> tuple[Iterable[Diagram], bool]:
    """Return what is to be drawn, lazily, and whether it is one board by itself."""
    single = _diagram_of(boards)
    if single is not None:
        return [single], True
    entries = list(boards) if hasattr(boards, "__len__") and not isinstance(boards, str) else items(boards, "sheet")
    if isinstance(entries, list) and entries and all(map(_is_column, entries)):
        return [of_columns(entries)], True
    return map(_required, entries), False


def _is_column(entry: Any) -> bool:
    return entry is None or (hasattr(entry, "__index__") and not hasattr(entry, "__len__"))  # arrays of NumPy have both


def _diagram_of(value: Any) -> Diagram | None:
    if isinstance(value, Diagram):
        return value
    if isinstance(value, Model):
        return of_model(value)
    return value.diagram() if isinstance(value, HasDiagram) else None


def _required(value: Any) -> Diagram:
    found = _diagram_of(value)
    if found is not None:
        return found
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InvalidType(
            f"sheet: expected a solution, a puzzle, a model or the columns of queens, got {shown(value)} "
            f"({type(value).__name__})"
        )
    return of_columns(value)
