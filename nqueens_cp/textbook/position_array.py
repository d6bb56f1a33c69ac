"""A position array: the column of each row's queen; a square is free if no queen of a row above attacks it."""

from collections.abc import Callable, Iterator

from nqueens_cp.textbook import Tally


def solutions(n: int, tally: Tally, poll: Callable[[], object]) -> Iterator[tuple[int, ...]]:
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
                yield from place(row + 1)
                tally.undone += 1

    return place(0)
