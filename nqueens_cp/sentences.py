"""Constraints as sentences in terms of the board: placed queens, blocked squares, lines that queens may not share.

Squares are (row, column), both 0-based. What says nothing that has a name on a board is printed as its own text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nqueens_cp.board import Board, Square
from nqueens_cp.constraints import AllDifferent, InDomain
from nqueens_cp.expressions import Expression
from nqueens_cp.functions import AbsoluteValue, Element, Modulo
from nqueens_cp.relations import Comparison, Constraint
from nqueens_cp.variables import IntVar

LONGEST_TEXT = 200
MAX_DOMAIN = 10_000
LISTED_SQUARES = 3
"""More blocked squares of one row are told by their columns."""

COLUMN, FALLING, RISING = "a column", "a falling diagonal", "a rising diagonal"
SLOPES = {0: COLUMN, -1: FALLING, 1: RISING}
"""What the queens share whose column + slope * row is the same."""


class Squares(NamedTuple):
    """Queens stand on all of some squares, or on none of them."""

    squares: tuple[Square, ...]
    occupied: bool


class Rule(NamedTuple):
    """A rule between queens, and what two queens do that break it."""

    sentence: str
    broken: str


class _Places:
    """Where the variables of a board stand."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.rows = {variable: row for row, variable in enumerate(board.rows)}
        self.cells = {cell: (r, c) for r, cells in enumerate(board.cells) for c, cell in enumerate(cells)}


def sentences(board: Board | None, constraints: Iterable[Constraint]) -> tuple[str, ...]:
    """Return what `constraints` say, each in a sentence that some may share; an attack of two queens is one sentence."""
    stated = tuple(constraints)
    if board is None:
        return tuple(_text(constraint) for constraint in stated)
    places = _Places(board)
    facts = [_squares(places, constraint) or _rule(places, constraint) for constraint in stated]
    queens = [square for fact in facts if isinstance(fact, Squares) and fact.occupied for square in fact.squares]
    others = [i for i, fact in enumerate(facts) if not (isinstance(fact, Squares) and fact.occupied)]
    if len(queens) == 2 and len(others) < 2:
        attack = _attack(board, queens, *(stated[i] for i in others), *(facts[i] for i in others))
        if attack is not None:
            return (f"the {board.piece}s at {queens[0]} and {queens[1]} attack each other: {attack}",)
    lines: dict[object, str] = {}  # the first of those that share a sentence tells its place
    for i, (constraint, fact) in enumerate(zip(stated, facts, strict=True)):
        if isinstance(fact, Squares) and fact.occupied:
            what = board.piece
            verb = f"a {what} stands" if len(queens) == 1 else f"{what}s stand"
            lines["queens"] = f"{verb} at {_listed(queens)}"
        elif isinstance(fact, Squares):
            row = fact.squares[0][0]
            lines["row", row] = _blocked(board, row, facts)
        else:
            lines[i] = fact.sentence if isinstance(fact, Rule) else _text(constraint)
    return tuple(lines.values())


def _text(constraint: Constraint) -> str:
    """Return a constraint's own text, cut in the middle, so that the relation at its end can be read."""
    text = str(constraint)
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 30]} ... {text[-24:]}"


def _listed(things: Iterable[object]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    words = [str(thing) for thing in things]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


# Squares.


def _squares(places: _Places, constraint: Constraint) -> Squares | None:
    """Read ``queen[0] == 1``, ``queen[0] != 1``, ``queen[0] in {...}``, and the same of a variable that is a square."""
    variables = constraint.variables
    if (
        len(variables) != 1
        or not isinstance(constraint, Comparison | InDomain)
        or len(variables[0].domain) > MAX_DOMAIN
    ):
        return None
    (variable,) = variables
    kept = [value for value in variable.domain if constraint.check({variable: value})]
    if variable in places.cells:
        return Squares((places.cells[variable],), kept == [1]) if len(kept) == 1 else None
    if variable not in places.rows:
        return None
    row = places.rows[variable]
    if isinstance(constraint, Comparison) and constraint.operator == "==":
        return Squares(((row, kept[0]),), True) if len(kept) == 1 else None
    closed = [(row, value) for value in variable.domain if value not in set(kept)]
    is_listed = isinstance(constraint, InDomain) or constraint.operator == "!="
    return Squares(tuple(closed), False) if closed and is_listed else None


def _blocked(board: Board, row: int, facts: Iterable[object]) -> str:
    """Return which squares of a row are blocked by all the facts together."""
    squares = {square for fact in facts if isinstance(fact, Squares) and not fact.occupied for square in fact.squares}
    columns = sorted(column for its_row, column in squares if its_row == row)
    if len(columns) == board.columns:
        return f"all squares of row {row} are blocked"
    if len(columns) <= LISTED_SQUARES:
        return f"{_listed((row, column) for column in columns)} {'is' if len(columns) == 1 else 'are'} blocked"
    runs: list[list[int]] = []
    for column in columns:
        if runs and runs[-1][-1] == column - 1:
            runs[-1].append(column)
        else:
            runs.append([column])
    parts = [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    return f"row {row} is blocked at columns {_listed(parts)}"


# Rules between queens.


def _attack(
    board: Board, queens: Sequence[Square], constraint: Constraint | None = None, fact: object = None
) -> str | None:
    """Return how two queens attack each other if a constraint (or none but that a row has one queen) is all they break."""
    if constraint is None:
        return "they share a row" if queens[0][0] == queens[1][0] and not board.cells else None
    if isinstance(fact, Rule):
        return f"they {fact.broken}" if _break_alone(board, queens, constraint) else None
    if fact is None and not board.cells and set(constraint.variables) == {board.rows[row] for row, _ in queens}:
        return f"'{_text(constraint)}' does not hold"
    return None


def _break_alone(board: Board, queens: Sequence[Square], constraint: Constraint) -> bool:
    """Say whether two queens break a rule by themselves, whatever the others do."""
    if board.cells:
        both = {board.cells[row][column] for row, column in queens}
        return isinstance(constraint, Comparison) and constraint.operator == "<=" and both <= set(constraint.variables)
    stand = {board.rows[row]: column for row, column in queens}
    if isinstance(constraint, AllDifferent):
        values = [e.value(stand) for e in constraint.expressions if set(e.variables) <= set(stand)]
        return len(set(values)) < len(values)
    return set(constraint.variables) <= set(stand) and not constraint.check(stand)


def _rule(places: _Places, constraint: Constraint) -> Rule | None:
    if isinstance(constraint, AllDifferent):
        return _different(places, constraint)
    if isinstance(constraint, Comparison):
        return _at_most_one(places, constraint) if places.cells else _no_touch(places, constraint)
    return None


def _different(places: _Places, constraint: AllDifferent) -> Rule | None:
    """Read an all-different of columns, of column + row, of column - row, of either modulo the width, or of regions."""
    seen = [_seen(places, expression) for expression in constraint.expressions]
    terms = [term for term in seen if term is not None]
    rows = [term.row for term in terms]
    kinds = {(term.kind, term.factor) for term in terms}
    if len(terms) < len(seen) or len(set(rows)) < len(seen) or len(seen) < 2 or len(kinds) > 1:
        return None
    ((kind, _),) = kinds
    shared: str | None = "a region"
    if kind != "region":
        shared = _shared(terms, places.board.columns if kind == "torus" else None)
    if shared is None:
        return None
    which = "" if len(rows) == len(places.rows) else f" in rows {_listed(sorted(rows))}"
    return Rule(f"no two queens{which} share {shared}", f"share {shared}")


class _Term(NamedTuple):
    """What a term of an all-different says of the queen of a row: its column + offset, that modulo the width, or its region."""

    kind: str
    row: int
    offset: int
    factor: int  # 1, or -1 for all terms alike


def _seen(places: _Places, expression: Expression) -> _Term | None:
    affine = expression.as_affine()
    if affine is None:
        return None
    atom, factor, constant = affine
    kind = "line"
    if isinstance(atom, Element) and atom.numbers and (factor, constant) == (1, 0):
        kind, atom = "region", atom.index
    elif isinstance(atom, Modulo) and atom.modulus == places.board.columns and (factor, constant) == (1, 0):
        inner = atom.inner.as_affine()
        if inner is None:
            return None
        kind, (atom, factor, constant) = "torus", inner
    if not isinstance(atom, IntVar) or atom not in places.rows or abs(factor) != 1:
        return None
    return _Term(kind, places.rows[atom], constant * factor, factor)


def _shared(terms: Sequence[_Term], width: int | None) -> str | None:
    """Return which line queens share for which column + offset is the same."""
    first = terms[0]
    for slope, line in SLOPES.items():
        rests = [term.offset - first.offset - slope * (term.row - first.row) for term in terms]
        if not any(rests if width is None else [rest % width for rest in rests]):
            return line if width is None or not slope else f"{line} of the torus"
    return None


def _no_touch(places: _Places, constraint: Comparison) -> Rule | None:
    """Read ``abs(queen[0] - queen[1]) >= 2``."""
    affine = constraint.difference.as_affine()
    if (
        constraint.operator != ">="
        or affine is None
        or affine[1:] != (1, -2)
        or not isinstance(affine[0], AbsoluteValue)
    ):
        return None
    inner = affine[0].inner
    rows = sorted(places.rows[atom] for atom, _ in inner.terms if isinstance(atom, IntVar) and atom in places.rows)
    opposite = sorted(factor for _, factor in inner.terms) == [-1, 1] and inner.constant == 0
    if not opposite or len(rows) != 2 or rows[1] - rows[0] != 1:
        return None
    return Rule(f"the queens in rows {rows[0]} and {rows[1]} do not touch", "touch")


def _at_most_one(places: _Places, constraint: Comparison) -> Rule | None:
    """Read ``square + square + ... <= 1`` and ``square + square + ... == pieces`` over all squares."""
    cells = places.cells
    terms = constraint.difference.terms
    squares = sorted(
        cells[atom] for atom, factor in terms if factor == 1 and isinstance(atom, IntVar) and atom in cells
    )
    if len(squares) < max(2, len(terms)):
        return None
    bound = -constraint.difference.constant
    if constraint.operator == "==" and len(squares) == len(cells):
        return Rule(f"the number of {places.board.piece}s is {bound}", "are too many or too few")
    if constraint.operator != "<=" or bound != 1:
        return None
    lines = {
        "a row": {row for row, _ in squares},
        **{line: {column + slope * row for row, column in squares} for slope, line in SLOPES.items()},
    }
    shared = next((line for line, values in lines.items() if len(values) == 1), None)
    gapless = len(squares) - 1 == max(abs(a - b) for a, b in zip(squares[0], squares[-1], strict=True))
    where = f"{squares[0]} to {squares[-1]}" if shared and gapless and len(squares) > 2 else _listed(squares)
    return Rule(
        f"at most one {places.board.piece} stands on {where}",
        f"share {shared}" if shared else "may not both stand there",
    )
