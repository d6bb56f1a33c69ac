"""The search of both forms, and solutions as text, in plain Python: the specification of the core.

All searches are loops over explicit stacks, so no recursion limit is met, and all poll their control every
`POLL_EVERY` nodes. A node is a partial assignment that the search looks at.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import islice
from math import prod
from typing import TYPE_CHECKING

from nqueens_cp.control import Control
from nqueens_cp.core.compile import ConflictForm, DiagonalForm

if TYPE_CHECKING:
    from typing_extensions import Buffer

POLL_EVERY = 2_000
SHARE_ROWS = 3  # the done share of the search space is read off the first rows


class _Clock:
    """Counts nodes in blocks and polls the control after each block."""

    __slots__ = ("block", "control", "nodes")

    def __init__(self, control: Control, block: int = POLL_EVERY) -> None:
        self.control = control
        self.block = block
        self.nodes = 0

    def tick(self) -> int:
        """Poll, and return how many nodes to look at until the next poll."""
        self.nodes += self.block
        self.control.poll()
        return self.block

    def stop(self, left: int) -> None:
        """Tell the control how many nodes there were, `left` of the last block unused."""
        nodes = self.nodes + self.block - left
        self.control.statistics["nodes"] = self.control.statistics.get("nodes", 0) + nodes


def _share(entered: Sequence[int], rest: Sequence[int], depth: int) -> float:
    """Return the share of the search space that is done, from the choices of the first rows and those left of them."""
    share, width = 0.0, 1.0
    for row in range(min(depth + 1, SHARE_ROWS)):
        choices = entered[row].bit_count()
        if not choices:
            break
        done = choices - rest[row].bit_count() - (row < depth)  # a higher row is still inside its last choice
        share += width * max(0, done) / choices
        width /= choices
    return share


# The diagonal form.


def _shifts(form: DiagonalForm) -> tuple[int, int, int]:
    """Return by how much taken columns, diagonals and antidiagonals move to the next row.

    Lines that are not watched are shifted off the board at once.
    """
    off = form.width
    return (0 if form.columns else off, 1 if form.diagonals else off, 1 if form.antidiagonals else off)


def diagonal_solutions(form: DiagonalForm, control: Control) -> Generator[tuple[int, ...]]:
    """Yield the columns of every solution, in lexicographic order."""
    rows = len(form.allowed)
    if rows == 0:
        yield ()
        return
    allowed, full = form.allowed, (1 << form.width) - 1
    column_shift, diagonal_shift, antidiagonal_shift = _shifts(form)
    columns, diagonals, antidiagonals, rest, entered = ([0] * rows for _ in range(5))
    chosen = [0] * rows
    last = rows - 1
    entered[0] = rest[0] = allowed[0]
    row = 0
    control.share = lambda: _share(entered, rest, row)
    clock = _Clock(control)
    left = POLL_EVERY
    try:
        while row >= 0:
            free = rest[row]
            if not free:
                row -= 1
                continue
            left -= 1
            if not left:
                left = clock.tick()
            bit = free & -free
            rest[row] = free ^ bit
            chosen[row] = bit.bit_length() - 1
            if row == last:
                yield tuple(chosen)
                continue
            taken = (columns[row] | bit) >> column_shift
            falling = ((diagonals[row] | bit) << diagonal_shift) & full
            rising = (antidiagonals[row] | bit) >> antidiagonal_shift
            free = allowed[row + 1] & ~(taken | falling | rising)
            if free:
                row += 1
                columns[row] = taken
                diagonals[row] = falling
                antidiagonals[row] = rising
                entered[row] = rest[row] = free
    finally:
        clock.stop(left)


def diagonal_count(form: DiagonalForm, control: Control) -> int:
    """Return the number of solutions.

    Where the board is its own mirror image, only the left half of the first row is searched and counts twice.
    """
    if not form.allowed:
        return 1
    parts = form.weighted_first_rows()
    for number, (mask, weight) in enumerate(parts):
        control.found += weight * _diagonal_count(form, mask, control, weight, number / len(parts))
    return control.found


def _diagonal_count(form: DiagonalForm, first: int, control: Control, weight: int, share_before: float) -> int:
    """Return the number of solutions whose first row takes a column of the mask `first`."""
    rows, allowed, full = len(form.allowed), form.allowed, (1 << form.width) - 1
    if rows == 1:
        return first.bit_count()
    column_shift, diagonal_shift, antidiagonal_shift = _shifts(form)
    columns, diagonals, antidiagonals, rest, entered = ([0] * rows for _ in range(5))
    before_last = rows - 2
    entered[0] = rest[0] = first
    row = total = 0
    counted_before = control.found
    control.share = lambda: share_before + _share(entered, rest, row) * (1 if weight == 2 else 1 - share_before)
    clock = _Clock(control)
    left = POLL_EVERY
    try:
        while row >= 0:
            free = rest[row]
            if not free:
                row -= 1
                continue
            left -= 1
            if not left:
                control.found = counted_before + weight * total
                left = clock.tick()
            bit = free & -free
            rest[row] = free ^ bit
            taken = (columns[row] | bit) >> column_shift
            falling = ((diagonals[row] | bit) << diagonal_shift) & full
            rising = (antidiagonals[row] | bit) >> antidiagonal_shift
            free = allowed[row + 1] & ~(taken | falling | rising)
            if row == before_last:
                total += free.bit_count()
            elif free:
                row += 1
                columns[row] = taken
                diagonals[row] = falling
                antidiagonals[row] = rising
                entered[row] = rest[row] = free
    except BaseException:
        control.found = counted_before + weight * total
        raise
    finally:
        clock.stop(left)
    return total


def diagonal_first(form: DiagonalForm, control: Control) -> tuple[int, ...] | None:
    """Return the columns of one solution, or None if there is none; the row with the fewest free squares goes first."""
    rows, width = len(form.allowed), form.width
    full = (1 << width) - 1
    # A line's bit stands at column + row for antidiagonals and at column - row + rows - 1 for diagonals.
    chosen: dict[int, int] = {}
    path: list[tuple[int, int, int, int, int]] = []  # row, its squares not yet tried, and the lines taken before it
    columns = diagonals = antidiagonals = 0
    clock = _Clock(control)
    left = POLL_EVERY
    try:
        while len(chosen) < rows:
            best_row, best_free, fewest = -1, 0, width + 1
            for row in range(rows):
                if row in chosen:
                    continue
                left -= 1
                if not left:
                    left = clock.tick()
                free = form.allowed[row] & ~(columns | diagonals >> (rows - 1 - row) | antidiagonals >> row) & full
                if free.bit_count() < fewest:
                    best_row, best_free, fewest = row, free, free.bit_count()
                    if fewest < 2:
                        break
            while not best_free:
                if not path:
                    return None
                best_row, best_free, columns, diagonals, antidiagonals = path.pop()
                del chosen[best_row]
            bit = best_free & -best_free
            path.append((best_row, best_free ^ bit, columns, diagonals, antidiagonals))
            chosen[best_row] = bit.bit_length() - 1
            columns |= bit if form.columns else 0
            diagonals |= bit << (rows - 1 - best_row) if form.diagonals else 0
            antidiagonals |= bit << best_row if form.antidiagonals else 0
    finally:
        clock.stop(left)
    return tuple(chosen[row] for row in range(rows))


# The conflict form.


class _Table:
    """A conflict form as the search reads it: for each (variable, value), what it excludes; and the exact groups."""

    def __init__(self, form: ConflictForm) -> None:
        self.exact = [entries for entries, exact in form.groups if exact]
        self.excluded: list[dict[int, list[tuple[int, int]]]] = [{} for _ in form.domains]
        for variable, other, masks in form.pairs:
            for k, mask in enumerate(masks):
                self.excluded[variable].setdefault(k, []).append((other, mask))
        for entries, _ in form.groups:
            for variable, mask in entries:
                others = [(other, its_mask) for other, its_mask in entries if other != variable]
                while mask:
                    self.excluded[variable].setdefault((mask & -mask).bit_length() - 1, []).extend(others)
                    mask &= mask - 1

    def propagate(self, domains: list[int], settled: list[bool], waiting: list[int]) -> bool:
        """Propagate the single-valued variables that wait, until nothing changes; return False at a contradiction.

        A single value excludes what it excludes; a group of which exactly one must hold and only one can, does hold.
        """
        while True:
            while waiting:
                variable = waiting.pop()
                if settled[variable]:
                    continue
                settled[variable] = True
                for other, mask in self.excluded[variable].get(domains[variable].bit_length() - 1, ()):
                    if domains[other] & mask and not self._narrow(domains, settled, waiting, other, mask):
                        return False
            changed = False
            for entries in self.exact:
                able = [(variable, mask) for variable, mask in entries if domains[variable] & mask]
                if not able:
                    return False
                if len(able) == 1:
                    ((variable, mask),) = able
                    if domains[variable] & ~mask:
                        self._narrow(domains, settled, waiting, variable, ~mask)
                        changed = True
            if not changed:
                return True

    @staticmethod
    def _narrow(domains: list[int], settled: list[bool], waiting: list[int], variable: int, mask: int) -> bool:
        left = domains[variable] & ~mask
        domains[variable] = left
        if left and not left & (left - 1) and not settled[variable]:
            waiting.append(variable)
        return left != 0


def conflict_masks(
    form: ConflictForm, control: Control, *, lexicographic: bool, counting: bool = False
) -> Iterator[list[int]]:
    """Yield the domains of all variables as masks: of one bit each at a solution.

    The first variable with several values left (`lexicographic`), or the one with the fewest, is decided next. If `counting`,
    the last such variable is not decided: all its values complete the others to a solution.
    """
    count = len(form.domains)
    start = [(1 << len(domain)) - 1 for domain in form.domains]
    settled = [False] * count
    table = _Table(form)
    singles = [variable for variable in range(count) if start[variable].bit_count() == 1]
    if not all(start) or not table.propagate(start, settled, singles):
        return

    def choose(domains: list[int]) -> tuple[int, int]:
        """Return how many variables have several values left, and which of them is next."""
        several = [variable for variable, mask in enumerate(domains) if mask & (mask - 1)]
        if lexicographic or not several:
            return len(several), several[0] if several else -1
        return len(several), min(several, key=lambda variable: domains[variable].bit_count())

    several, chosen = choose(start)
    if not several:
        yield start
        return
    levels = [(start, settled)]  # one for each decision
    decided = [chosen]
    entered = [start[chosen]]
    rest = entered.copy()
    control.share = lambda: _share(entered, rest, len(rest) - 1)
    left = block = max(1, min(POLL_EVERY, 20 * POLL_EVERY // count))  # a node takes time in proportion to the variables
    clock = _Clock(control, block)
    try:
        while levels:
            if not rest[-1]:
                for stack in (levels, decided, entered, rest):
                    stack.pop()
                continue
            left -= 1
            if not left:
                left = clock.tick()
            bit = rest[-1] & -rest[-1]
            rest[-1] ^= bit
            domains, settled = levels[-1][0].copy(), levels[-1][1].copy()
            domains[decided[-1]] = bit
            if not table.propagate(domains, settled, [decided[-1]]):
                continue
            several, chosen = choose(domains)
            if several == 0 or (counting and several == 1):
                yield domains
            else:
                levels.append((domains, settled))
                decided.append(chosen)
                entered.append(domains[chosen])
                rest.append(domains[chosen])
    finally:
        clock.stop(left)


def conflict_solutions(form: ConflictForm, control: Control) -> Iterator[tuple[int, ...]]:
    """Yield the values of every solution, in lexicographic order."""
    for masks in conflict_masks(form, control, lexicographic=True):
        yield form.values([mask.bit_length() - 1 for mask in masks])


def conflict_count(form: ConflictForm, control: Control) -> int:
    """Return the number of solutions."""
    factor, bound = form.without_free_variables()
    if factor:
        for masks in conflict_masks(bound, control, lexicographic=False, counting=True):
            control.found += factor * prod(mask.bit_count() for mask in masks)
    return control.found


def conflict_first(form: ConflictForm, control: Control) -> tuple[int, ...] | None:
    """Return the values of one solution, or None if there is none."""
    for masks in islice(conflict_masks(form, control, lexicographic=False), 1):
        return form.values([mask.bit_length() - 1 for mask in masks])
    return None


# Solutions as text.


def format_lines(batch: Buffer, columns: int, separator: bytes) -> bytes:
    """Return rows of `columns` bytes as lines of decimal numbers with one byte between them, each ended by a newline."""
    if columns < 1:
        raise ValueError(f"columns: {columns} is not at least 1")
    if len(separator) != 1:
        raise ValueError(f"separator: expected one byte, got {len(separator)}")
    view = memoryview(batch).cast("B")
    if len(view) % columns:
        raise ValueError(f"batch: {len(view)} bytes are no whole number of items of {columns} bytes")
    texts = [b"%d" % value for value in range(256)]
    rows = (view[start : start + columns] for start in range(0, len(view), columns))
    return b"".join(separator.join([texts[value] for value in row]) + b"\n" for row in rows)
