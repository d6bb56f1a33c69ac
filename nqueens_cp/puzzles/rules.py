"""The rules that a person applies to a region puzzle at a glance: each returns a `Move`, or None where it finds nothing.

A rule relies on those before it: it is tried only where they find nothing.
"""

from __future__ import annotations

from functools import partial

from nqueens_cp.puzzles.layout import bits, has_room
from nqueens_cp.puzzles.position import Kind, Move, Position


def conflict(position: Position) -> Move | None:
    """Find two queens that stand too close to each other, or more of them in a unit than it may have."""
    layout, queens = position.layout, position.queens
    for square in bits(queens):
        others = layout.excluded[square] & queens
        if others:
            return Move(Kind.CONTRADICTION, queens=(1 << square) | (others & -others))
    for unit, mask in enumerate(layout.masks):
        if (mask & queens).bit_count() > layout.stars:
            return Move(Kind.CONTRADICTION, queens=mask & queens, units=(unit,))
    return None


def only_squares(position: Position) -> Move | None:
    """Find a unit that has as many squares left as it needs queens, or not even those."""
    layout, maybe, fields = position.layout, position.maybe, position.fields
    lacking, exact = fields.short(position.queens_in_fields, position.maybe_in_fields)
    if lacking:
        return Move(Kind.CONTRADICTION, units=(fields.units_at(lacking)[0],))
    if not exact:
        return None
    unit = fields.units_at(exact)[0]
    placed = layout.masks[unit] & maybe
    if layout.stars > 1 and layout.put(position.queens, maybe, placed)[0] & placed != placed:
        return Move(Kind.CONTRADICTION, units=(unit,))
    return Move(Kind.ONLY, placed=placed, units=(unit,))


def crossed_by_queens(position: Position) -> Move | None:
    """Find the squares that the queens exclude: first those near one, then those of the units that have all of theirs."""
    layout, queens, maybe = position.layout, position.queens, position.maybe
    seen = 0
    crossing = 0
    for square in bits(queens):
        mask = layout.excluded[square] & maybe
        if mask:
            seen |= mask
            crossing |= 1 << square
    if seen:
        return Move(Kind.CROSSES, crossed=seen, queens=crossing)
    if layout.stars > 1:
        for unit, mask in enumerate(layout.masks):
            if mask & maybe and (mask & queens).bit_count() == layout.stars:
                return Move(Kind.CROSSES, crossed=mask & maybe, units=(unit,))
    return None


def confined(position: Position) -> Move | None:
    """Find a region whose queens must stand in one row or column, or the reverse, and the rest of that is not empty yet.

    Two lines of which one lies within the other do not happen, as each row crosses each column in a single square.
    """
    layout, maybe, needs = position.layout, position.maybe, position.needs
    for unit, _, other in position.fields.confined(position.maybe_in_fields):
        if needs[unit] > needs[other]:
            return Move(Kind.CONTRADICTION, units=(unit,), others=(other,))
        rest = layout.masks[other] & maybe & ~layout.masks[unit]
        if rest and needs[unit] == needs[other]:
            return Move(Kind.CONFINED, crossed=rest, units=(unit,), others=(other,))
    return None


def no_place(position: Position) -> Move | None:
    """Find squares whose queen would leave a unit without room for its own queens."""
    return _no_place_for_one(position) if position.layout.stars == 1 else _no_place_for_several(position)


def _no_place_for_one(position: Position) -> Move | None:
    """Of each unit, take the squares that each of its squares left excludes."""
    maybe, excluded = position.maybe, position.layout.excluded
    for unit, mask in enumerate(position.layout.masks):
        left = mask & maybe
        if not left:
            continue
        known, common = position.memory.excluding.get(unit, (0, 0))
        if left != known:
            common = maybe & ~left
            rest = left
            while rest and common:
                low = rest & -rest
                rest ^= low
                common &= excluded[low.bit_length() - 1]
            position.memory.excluding[unit] = left, common
        if common & maybe:
            return Move(Kind.NO_PLACE, crossed=common & maybe, units=(unit,))
    return None


def _no_place_for_several(position: Position) -> Move | None:
    """Try each square: the queens that its units and the others still need must have room without touching."""
    layout = position.layout
    needs = position.needs
    for unit, mask in enumerate(layout.masks):
        if needs[unit] > 0 and not has_room(layout, mask & position.maybe, needs[unit]):
            return Move(Kind.CONTRADICTION, units=(unit,))
    crossed = 0
    units = [unit for unit, need in enumerate(needs) if need > 0]
    for square in bits(position.maybe):
        position.poll()
        _, maybe = layout.put(position.queens, position.maybe, 1 << square)
        for unit in units:
            mask = layout.masks[unit]
            if not has_room(layout, mask & maybe, needs[unit] - (mask >> square & 1)):
                crossed |= 1 << square
                units = [unit]  # the other squares are tried for this unit only: the step names one reason
                break
    return Move(Kind.NO_PLACE, crossed=crossed, units=(units[0],)) if crossed else None


def needed(position: Position) -> Move | None:
    """Find a square without which a unit that needs several queens has no room for them."""
    layout, maybe = position.layout, position.maybe
    for unit, need in enumerate(position.needs):
        if need < 2:
            continue
        left = layout.masks[unit] & maybe
        for square in bits(left):
            position.poll()
            if not has_room(layout, left & ~(1 << square), need):
                return Move(Kind.NEEDED, placed=1 << square, units=(unit,))
    return None


def sets(position: Position, size: int) -> Move | None:
    """Find `size` units of one family whose queens fill units of another family; the rest of these is empty.

    With rows and columns, with regions and rows, with regions and columns, in both directions.
    """
    needs = position.needs
    for number, meeting in enumerate(position.meetings()):
        if position.memory.exhausted.get((size, number)) == meeting and position.layout.stars == 1:
            continue
        move = _sets(position, needs, size, meeting)
        if move is not None:
            return move
        position.memory.exhausted[size, number] = meeting
    return None


def _sets(position: Position, needs: list[int], size: int, meeting: list[tuple[int, int]]) -> Move | None:
    stars = position.layout.stars
    room = int.bit_count if stars == 1 else partial(_need, needs)
    most = size * stars
    narrow = [(unit, others) for unit, others in meeting if room(others) <= most]

    def extended(candidates: list[tuple[int, int]], chosen: tuple[int, ...], union: int) -> Move | None:
        position.poll()
        lacking = size - len(chosen)
        for i, (unit, others) in enumerate(candidates[: len(candidates) - lacking + 1], 1):
            both = union | others
            if lacking == 1:
                move = _filled(position, needs, (*chosen, unit), both)
            else:
                rest = [(unit, others) for unit, others in candidates[i:] if room(both | others) <= most]
                move = extended(rest, (*chosen, unit), both) if len(rest) >= lacking - 1 else None
            if move is not None:
                return move
        return None

    return extended(narrow, (), 0) if len(narrow) >= size else None


def _need(needs: list[int], units: int) -> int:
    """Return how many queens the units of a mask over their numbers need."""
    return sum(needs[unit] for unit in bits(units))


def _filled(position: Position, needs: list[int], chosen: tuple[int, ...], union: int) -> Move | None:
    """Return what follows from the fact that the queens of the chosen units stand in the units of `union`."""
    others = tuple(bits(union))
    queens = sum(needs[unit] for unit in chosen)
    room = sum(needs[unit] for unit in others)
    if queens > room:
        return Move(Kind.CONTRADICTION, units=chosen, others=others)
    if queens < room:
        return None
    layout = position.layout
    rest = 0
    for unit in others:
        rest |= layout.masks[unit]
    for unit in chosen:
        rest &= ~layout.masks[unit]
    rest &= position.maybe
    return Move(Kind.SETS, crossed=rest, units=chosen, others=others) if rest else None
