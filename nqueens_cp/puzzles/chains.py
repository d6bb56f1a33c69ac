"""Squares that a person rules out by looking ahead: what a queen there would lead to, step by step, without branching."""

from __future__ import annotations

from nqueens_cp.puzzles.position import Kind, Layout, Link, Move, Position, bits


def shared(position: Position) -> Move | None:
    """Find squares whose queen would leave two units to a single line, or two lines to a region; for one queen in each."""
    layout, maybe = position.layout, position.maybe
    if layout.stars > 1:
        return None
    masks, excluded = layout.masks, layout.excluded
    for meeting in position.meetings():
        found: dict[
            int, list[tuple[int, int]]
        ] = {}  # for each line the units that squares leave only to it, with those
        for unit, others in meeting:
            left = masks[unit] & maybe
            for other in bits(others):
                outside = left & ~masks[other]
                common = maybe & ~left
                while outside and common:
                    low = outside & -outside
                    outside ^= low
                    common &= excluded[low.bit_length() - 1]
                if common:
                    for earlier, squares in found.get(other, ()):
                        if common & squares:
                            return Move(Kind.SHARED, crossed=common & squares, units=(earlier, unit), others=(other,))
                    found.setdefault(other, []).append((unit, common))
    return None


def chain(position: Position, shortest: int, longest: int, *, lines: bool) -> Move | None:
    """Find a square with the shortest chain from a queen there to a unit without a place.

    Parameters
    ----------
    position : Position
    shortest, longest : int
        How many links it may have; that there is none shorter is known.
    lines : bool
        Whether links also say that the queens of a unit must stand in one line, where no queen is forced.
    """
    best: Move | None = None
    needs = position.needs()
    units = [(unit, mask) for unit, mask in enumerate(position.layout.masks) if needs[unit] > 0]
    for square in bits(position.maybe):
        move = _contradiction(position, units, square, longest, lines)
        if move is not None:
            best = move
            longest = len(best.chain) - 1
            if longest < shortest:
                break
    return best


def _contradiction(
    position: Position, units: list[tuple[int, int]], square: int, longest: int, lines: bool
) -> Move | None:
    """Put a queen on a square, follow all links for at most `longest` rounds, then leave out those that were not needed."""
    layout = position.layout
    queens, maybe = layout.put(position.queens, position.maybe, 1 << square)
    links: list[Link] = []
    for round_number in range(longest + 1):
        end, found = _only_squares_left(units, layout.stars, queens, maybe)
        if end is not None:
            links = _shortened(position, square, links, end)
            if len(links) > longest:
                return None
            return Move(Kind.CHAIN, crossed=1 << square, units=(end,), chain=tuple(links))
        if lines and not found:
            found = _only_lines_left(layout, units, queens, maybe)
        if not found or round_number == longest:
            return None
        for link in found:
            if layout.masks[link.unit] & maybe == link.squares:  # else another link of this round has changed it
                links.append(link)
                queens, maybe = _followed(layout, queens, maybe, link)
    return None


def _only_squares_left(
    units: list[tuple[int, int]], stars: int, queens: int, maybe: int
) -> tuple[int | None, list[Link]]:
    """Find a unit that has too few squares left; failing that, those that have just enough."""
    found = []
    for unit, mask in units:
        left = mask & maybe
        number = left.bit_count()
        if number <= stars:
            need = stars - (mask & queens).bit_count()
            if number < need:
                return unit, []
            if number == need > 0:
                found.append(Link(unit, left))
    return None, found


def _only_lines_left(layout: Layout, units: list[tuple[int, int]], queens: int, maybe: int) -> list[Link]:
    """Find the regions that have squares left in one line only, and the reverse, if that says more of the line."""
    found = []
    for unit, mask in units:
        left = mask & maybe
        need = layout.stars - (mask & queens).bit_count()
        if need > 0:
            region, row, column = layout.units_of[left.bit_length() - 1]
            for line in (row, column) if unit < layout.regions else (region,):
                around = layout.masks[line]
                says_more = left & ~around == 0 and around & maybe != left
                if says_more and need == layout.stars - (around & queens).bit_count():
                    found.append(Link(unit, left, line))
    return found


def _followed(layout: Layout, queens: int, maybe: int, link: Link) -> tuple[int, int]:
    if link.line is None:
        return layout.put(queens, maybe, link.squares)
    return queens, maybe & (~layout.masks[link.line] | link.squares)


def _shortened(position: Position, square: int, links: list[Link], end: int) -> list[Link]:
    """Leave out the links without which the chain still leads to unit `end` having too few squares, the last ones first."""
    for i in reversed(range(len(links))):
        shorter = links[:i] + links[i + 1 :]
        if _leads(position, square, shorter, end):
            links = shorter
    return links


def _leads(position: Position, square: int, links: list[Link], end: int) -> bool:
    layout = position.layout
    masks, stars = layout.masks, layout.stars
    queens, maybe = layout.put(position.queens, position.maybe, 1 << square)
    for link in links:
        need = stars - (masks[link.unit] & queens).bit_count()
        if masks[link.unit] & maybe != link.squares:
            return False
        if link.line is None and need != link.squares.bit_count():
            return False
        if link.line is not None and need != stars - (masks[link.line] & queens).bit_count():
            return False
        queens, maybe = _followed(layout, queens, maybe, link)
    return (masks[end] & maybe).bit_count() < stars - (masks[end] & queens).bit_count()
