"""Flag arrays: one flag for each column and for each diagonal of both directions says whether it is free."""

from collections.abc import Iterator

from nqueens_cp.textbook import Poll, Tally, Watch


def solutions(n: int, tally: Tally, poll: Poll, watch: Watch | None = None) -> Iterator[tuple[int, ...]]:
    """Yield every solution; see the package."""
    column_free = [True] * n
    falling_free = [True] * (2 * n)  # by row - column + n
    rising_free = [True] * (2 * n)  # by row + column
    position = [0] * n

    def place(row: int) -> Iterator[tuple[int, ...]]:
        tally.nodes += 1
        poll()
        if row == n:
            yield tuple(position)
            return
        for column in range(n):
            tally.candidates += 1
            tally.checks += 3
            if column_free[column] and falling_free[row - column + n] and rising_free[row + column]:
                position[row] = column
                column_free[column] = falling_free[row - column + n] = rising_free[row + column] = False
                tally.writes += 4
                if watch is not None:
                    watch("place", row, column)
                yield from place(row + 1)
                column_free[column] = falling_free[row - column + n] = rising_free[row + column] = True
                tally.undone += 1
                if watch is not None:
                    watch("undo", row, column)
            elif watch is not None:
                watch("reject", row, column)

    return place(0)
