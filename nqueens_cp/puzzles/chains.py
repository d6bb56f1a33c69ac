"""Squares that a person rules out by looking ahead: what a queen there would lead to, step by step, without branching."""

from __future__ import annotations

from typing import NamedTuple

from nqueens_cp.puzzles.fields import Fields
from nqueens_cp.puzzles.layout import bits
from nqueens_cp.puzzles.position import Kind, Link, Move, Position

Known = tuple[int, int]
"""Where queens stand, and which squares may still hold one, in fields."""
Followed = tuple[int, int, int, list[Link]]
"""A square, what is known with a queen there, and the links that led to that."""


def shared(position: Position) -> Move | None:
    """Find squares whose queen would leave two units to a single line, or two lines to a region; for one queen in each."""
    layout, maybe = position.layout, position.maybe
    if layout.stars > 1:
        return None
    for meeting, narrowed in zip(position.meetings(), position.memory.narrowed, strict=True):
        position.poll()
        found: dict[int, list[tuple[int, int]]] = {}  # for each line the units that squares leave only to it
        for unit, others in meeting:
            left = layout.masks[unit] & maybe
            known = narrowed.get(unit)
            if known is None or known[0] != left:
                known = narrowed[unit] = left, _leaving_one(position, left, others)
            for other, squares in known[1]:
                common = squares & maybe
                for earlier, theirs in found.get(other, ()):
                    if common & theirs:
                        return Move(Kind.SHARED, crossed=common & theirs, units=(earlier, unit), others=(other,))
                found.setdefault(other, []).append((unit, common))
    return None


def _leaving_one(position: Position, left: int, others: int) -> list[tuple[int, int]]:
    """Return each unit of `others` to which some squares would leave all of `left`, with the mask of those squares.

    `left` are the squares left of a unit, `others` the units that they are in.
    """
    masks, excluded = position.layout.masks, position.layout.excluded
    all_of, all_but_one = (
        position.maybe & ~left,
        0,
    )  # squares that exclude what is left in the units of `others` seen so far
    while_of = {}
    for other in bits(others):
        common = all_of | all_but_one
        inside = left & masks[other]
        while inside and common:
            low = inside & -inside
            inside ^= low
            common &= excluded[low.bit_length() - 1]
        all_but_one = (all_but_one & common) | (all_of & ~common)
        all_of &= common
        if not (all_of or all_but_one):
            return []
        while_of[other] = common
    return [(other, squares) for other, common in while_of.items() if (squares := all_of | (all_but_one & ~common))]


def chain(position: Position, longest: int, *, lines: bool) -> Move | None:
    """Find a square with the shortest chain from a queen there to a unit without a place.

    Parameters
    ----------
    position : Position
    longest : int
        How many links it may have.
    lines : bool
        Whether links also say that the queens of a unit must stand in one line, where no queen is forced.
    """
    if position.memory.chains is None or position.memory.chains.lines != lines:
        position.memory.chains = Chains(position, lines)
    found = position.memory.chains.shortest(longest)
    if found is None:
        return None
    squares = position.fields.squares
    links = tuple([link._replace(squares=squares(link.squares)) for link in found.links])
    return Move(Kind.CHAIN, crossed=1 << found.square, units=(found.end,), chain=links)


class Found(NamedTuple):
    """A chain from a queen on a square to unit `end`, which has no place left; the squares of links are in fields."""

    square: int
    end: int
    links: list[Link]


class Chains:
    """The chains from all squares of a position, one round of links after the other."""

    def __init__(self, position: Position, lines: bool) -> None:
        self.lines = lines
        self._position = position
        self._fields = position.fields
        self._rounds = 0
        self._best: Found | None = None
        self._open: list[Followed] = [(square, *self._assumed(square), []) for square in _suspects(position, lines)]

    def shortest(self, longest: int) -> Found | None:
        """Return the shortest chain of at most `longest` links; of several that with the fewest rounds, then the first.

        A chain that comes up in a round later has at least as many links as rounds, or nearly so where links name lines.
        """
        while self._rounds < longest and not self._is_best(self._rounds + 1):
            self._rounds += 1
            known = self._open
            self._open = []
            for one in known:
                more = self._next_round(*one)
                if more is not None:
                    self._open.append(more)
                elif self._is_best(self._rounds):
                    break
        return self._best if self._best is not None and len(self._best.links) <= longest else None

    def _is_best(self, links: int) -> bool:
        """Say whether a chain of at most so many links is known."""
        return self._best is not None and len(self._best.links) <= links

    def _assumed(self, square: int) -> tuple[int, int]:
        return self._fields.put(self._position.queens_in_fields, self._position.maybe_in_fields, square)

    def _next_round(self, square: int, queens: int, maybe: int, links: list[Link]) -> Followed | None:
        """Add the links of one round; return what is known then, or None where it is over."""
        self._position.poll()
        fields = self._fields
        _, exact = fields.short(queens, maybe)
        found = [Link(unit, fields.field[unit] & maybe) for unit in fields.units_at(exact)]
        if self.lines and not found:
            found = _only_lines_left(fields, queens, maybe)
        if not found:
            return None
        links = links.copy()
        for link in found:
            if fields.field[link.unit] & maybe == link.squares:  # else another link of this round has changed it
                links.append(link)
                queens, maybe = _followed(fields, queens, maybe, link)
        lacking, _ = fields.short(queens, maybe)
        if not lacking:
            return square, queens, maybe, links
        end = fields.units_at(lacking)[0]
        links = _shortened(fields, self._assumed(square), links, end)
        if self._best is None or len(links) < len(self._best.links):
            self._best = Found(square, end, links)
        return None


def _suspects(position: Position, lines: bool) -> list[int]:
    """Return the squares from which a chain of whatever length leads to a unit without a place."""
    tried = position.memory.tried_by_lines if lines else position.memory.tried
    if lines and position.layout.stars > 1:
        tried = {}  # whether a unit says more of a line may depend on what was found first
    fields, queens, maybe = position.fields, position.queens_in_fields, position.maybe_in_fields
    gone = ~maybe
    found = []
    for square in bits(position.maybe):
        known: Known | None
        if square not in tried:
            known = fields.put(queens, maybe, square)
        else:
            earlier = tried[square]
            if earlier is None:
                found.append(square)
                continue
            if not (earlier[1] & gone or queens & ~earlier[0]):
                continue
            known = _with_more(fields, earlier, queens, maybe)
        position.poll()
        tried[square] = None if known is None else _fixed_point(fields, *known, lines)
        if tried[square] is None:
            found.append(square)
    return found


def _with_more(fields: Fields, earlier: Known, queens: int, maybe: int) -> Known | None:
    """Add to what followed from a queen earlier what is known now; None where that is a contradiction. All is in fields."""
    more = queens & ~earlier[0]
    if more & ~earlier[1]:
        return None
    queens, left = fields.put_all(*earlier, more)
    return queens, left & maybe


def _fixed_point(fields: Fields, queens: int, maybe: int, lines: bool) -> tuple[int, int] | None:
    """Return what follows in the end from what is known, all in fields, or None where a unit has no place left."""
    while True:
        lacking, exact = fields.short(queens, maybe)
        if lacking:
            return None
        before = maybe
        if exact:
            queens, maybe = fields.filled(queens, maybe, exact)
        elif lines:
            for link in _only_lines_left(fields, queens, maybe):
                queens, maybe = _followed(fields, queens, maybe, link)
        if maybe == before:
            return queens, maybe


def _only_lines_left(fields: Fields, queens: int, maybe: int) -> list[Link]:
    """Find the regions that have squares left in one line only, and the reverse, if that says more of the line."""
    found = []
    for unit, left, line in fields.confined(maybe):
        around = fields.field[line]
        says_more = (around & maybe).bit_count() > left.bit_count()
        if says_more and (around & queens).bit_count() == (fields.field[unit] & queens).bit_count():
            found.append(Link(unit, left, line))
    return found


def _followed(fields: Fields, queens: int, maybe: int, link: Link) -> tuple[int, int]:
    if link.line is None:
        return fields.put_all(queens, maybe, link.squares)
    return queens, maybe & (~fields.units[link.line] | fields.units[link.unit])


def _shortened(fields: Fields, assumed: tuple[int, int], links: list[Link], end: int) -> list[Link]:
    """Leave out the links without which the chain still leads to unit `end` having too few squares, the last ones first."""
    for i in reversed(range(len(links))):
        shorter = links[:i] + links[i + 1 :]
        if _leads(fields, assumed, shorter, end):
            links = shorter
    return links


def _leads(fields: Fields, assumed: tuple[int, int], links: list[Link], end: int) -> bool:
    field, stars = fields.field, fields.layout.stars
    queens, maybe = assumed
    for link in links:
        if field[link.unit] & maybe != link.squares:
            return False
        need = stars - (field[link.unit] & queens).bit_count()
        if link.line is None and need != link.squares.bit_count():
            return False
        if link.line is not None and need != stars - (field[link.line] & queens).bit_count():
            return False
        queens, maybe = _followed(fields, queens, maybe, link)
    return (field[end] & maybe).bit_count() < stars - (field[end] & queens).bit_count()
