"""Bit masks: three integers say which columns and diagonals are taken, as seen from the row at hand."""

from collections.abc import Iterator

from nqueens_cp.textbook import Poll, Tally, Watch


def solutions(n: int, tally: Tally, poll: Poll, watch: Watch | None = None) -> Iterator[tuple[int, ...]]:
    """Yield every solution; see the package."""
    full = (1 << n) - 1
    position = [0] * n

    def place(row: int, columns: int, falling: int, rising: int) -> Iterator[tuple[int, ...]]:
        tally.nodes += 1
        poll()
        if row == n:
            yield tuple(position)
            return
        free = full & ~(columns | falling | rising)
        tally.checks += 3
        while free:
            bit = free & -free
            free ^= bit
            tally.candidates += 1
            position[row] = bit.bit_length() - 1
            tally.writes += 1
            if watch is not None:
                watch("place", row, position[row])
            yield from place(row + 1, columns | bit, (falling | bit) << 1, (rising | bit) >> 1)
            tally.undone += 1
            if watch is not None:
                watch("undo", row, position[row])

    return place(0, 0, 0, 0)
