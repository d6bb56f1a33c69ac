"""Flag arrays: one flag for each column and for each diagonal of both directions says whether it is free."""

from collections.abc import Callable, Iterator

from nqueens_cp.textbook import Tally


def solutions(n: int, tally: Tally, poll: Callable[[], object]) -> Iterator[tuple[int, ...]]:
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
                yield from place(row + 1)
                column_free[column] = falling_free[row - column + n] = rising_free[row + column] = True
                tally.undone += 1

    return place(0)
