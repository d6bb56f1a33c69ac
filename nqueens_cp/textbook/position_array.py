"""A position array: the column of each row's queen; a square is free if no queen of a row above attacks it."""

from collections.abc import Iterator

from nqueens_cp.textbook import Poll, Tally, Watch


def solutions(n: int, tally: Tally, poll: Poll, watch: Watch | None = None) -> Iterator[tuple[int, ...]]:
    """Yield every solution; see the package."""
    position = [0] * n

    def is_free(row: int, column: int) -> bool:
        for above in range(row):
            tally.checks += 1
            if position[above] == column or abs(position[above] - column) == row - above:
                return False
        return True

    def place(row: int) -> Iterator[tuple[int, ...]]:
        tally.nodes += 1
        poll()
        if row == n:
            yield tuple(position)
            return
        for column in range(n):
            tally.candidates += 1
            if is_free(row, column):
                position[row] = column
                tally.writes += 1
                if watch is not None:
                    watch("place", row, column)
                yield from place(row + 1)
                tally.undone += 1
                if watch is not None:
                    watch("undo", row, column)
            elif watch is not None:
                watch("reject", row, column)

    return place(0)
