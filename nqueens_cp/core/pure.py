"""The search of both forms in plain Python: the specification of the core.

All searches are loops over explicit stacks, so no recursion limit is met, and all poll their control every
`POLL_EVERY` nodes. A node is a partial assignment that the search looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod

from nqueens_cp.control import Control
from nqueens_cp.core.compile import ConflictForm, DiagonalForm

POLL_EVERY = 2_000
SHARE_ROWS = 3  # the done share of the search space is read off the first rows


class _Clock:
    """Counts nodes in blocks of `POLL_EVERY` and polls the control after each block."""

    __slots__ = ("control", "nodes")

    def __init__(self, control: Control) -> None:
        self.control = control
        self.nodes = 0

    def tick(self) -> int:
        """Poll, and return how many nodes to look at until the next poll."""
        self.nodes += POLL_EVERY
        self.control.poll()
        return POLL_EVERY

    def stop(self, left: int) -> None:
        """Tell the control how many nodes there were, `left` of the last block unused."""
        nodes = self.nodes + POLL_EVERY - left
        self.control.statistics["nodes"] = self.control.statistics.get("nodes", 0) + nodes


def _share(entered: Sequence[int], rest: Sequence[int], depth: int) -> float:
    """Return the share of the search space that is done, from the choices of the first rows and those left of them."""
    share, width = 0.0, 1.0
    for row in range(min(depth + 1, SHARE_ROWS)):
        choices = entered[row].bit_count()
        if not choices:
            break
        done = choices - rest[row].bit_count()
        share += width * max(0, done - 1) / choices
        width /= choices
    return share


# The diagonal form.


def _shifts(form: DiagonalForm) -> tuple[int, int, int]:
    """Return by how much taken columns, diagonals and antidiagonals move to the next row.

    Lines that are not watched are shifted off the board at once.
    """
    off = form.width
    return (0 if form.columns else off, 1 if form.diagonals else off, 1 if form.antidiagonals else off)


def diagonal_solutions(form: DiagonalForm, control: Control) -> Iterator[tuple[int, ...]]:
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
    first = form.allowed[0]
    parts = [(first, 1)]
    if form.has_mirror:
        half = form.width // 2
        middle = first & (form.width % 2 << half)
        parts = [(first & ((1 << half) - 1), 2), (middle, 1)]
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


def conflict_masks(form: ConflictForm, control: Control, *, lexicographic: bool) -> Iterator[tuple[int, list[int]]]:
    """Yield the variable assigned last, and the domains of all variables as masks: of one bit each but for that one.

    Its mask holds all the values that complete the others to a solution. Forward checking on bit-set domains; the variables
    go in their order (`lexicographic`), or the one with the smallest domain first. There must be a variable.
    """
    count = len(form.domains)
    start = [(1 << len(domain)) - 1 for domain in form.domains]
    if not all(start):
        return
    order = list(range(count))  # order[: depth] are assigned, order[depth] is being assigned
    domains = [start] * count
    rest = [0] * count
    entered = [0] * count
    last = count - 1
    depth = 0
    control.share = lambda: _share(entered, rest, depth)
    clock = _Clock(control)
    left = POLL_EVERY

    def enter() -> None:
        current = domains[depth]
        if not lexicographic:
            place = min(range(depth, count), key=lambda i: current[order[i]].bit_count())
            order[depth], order[place] = order[place], order[depth]
        entered[depth] = rest[depth] = current[order[depth]]

    enter()
    try:
        while depth >= 0:
            if depth == last:
                left -= 1
                if not left:
                    left = clock.tick()
                yield order[last], domains[depth]
                depth -= 1
                continue
            free = rest[depth]
            if not free:
                depth -= 1
                continue
            left -= 1
            if not left:
                left = clock.tick()
            bit = free & -free
            rest[depth] = free ^ bit
            variable = order[depth]
            narrowed = domains[depth].copy()
            narrowed[variable] = bit
            for other, mask in form.excluded[variable][bit.bit_length() - 1]:
                remaining = narrowed[other] & ~mask
                if not remaining:
                    break
                narrowed[other] = remaining
            else:
                depth += 1
                domains[depth] = narrowed
                enter()
    finally:
        clock.stop(left)


def conflict_solutions(form: ConflictForm, control: Control) -> Iterator[tuple[int, ...]]:
    """Yield the values of every solution, in lexicographic order."""
    for last, masks in conflict_masks(form, control, lexicographic=True):
        free = masks[last]
        while free:
            bit = free & -free
            free ^= bit
            yield form.values([*masks[:-1], bit])


def conflict_count(form: ConflictForm, control: Control) -> int:
    """Return the number of solutions. Variables without conflicts only multiply it."""
    bound = [i for i, rows in enumerate(form.excluded) if any(rows)]
    factor = prod(len(domain) for i, domain in enumerate(form.domains) if i not in set(bound))
    if not factor or not bound:
        control.found = factor
        return factor
    place = {variable: i for i, variable in enumerate(bound)}
    reduced = ConflictForm(
        tuple(form.domains[i] for i in bound),
        tuple(tuple(tuple((place[w], m) for w, m in row) for row in form.excluded[i]) for i in bound),
    )
    for last, masks in conflict_masks(reduced, control, lexicographic=False):
        control.found += factor * masks[last].bit_count()
    return control.found


def conflict_first(form: ConflictForm, control: Control) -> tuple[int, ...] | None:
    """Return the values of one solution, or None if there is none."""
    for _, masks in islice(conflict_masks(form, control, lexicographic=False), 1):
        return form.values(masks)
    return None
