"""A marked board: every square that a queen attacks is marked; the board is copied before a queen and put back after it."""

from collections.abc import Callable, Iterator

from nqueens_cp.textbook import Tally


def solutions(n: int, tally: Tally, poll: Callable[[], object]) -> Iterator[tuple[int, ...]]:
    """Yield every solution; see the package."""
    marked = [[False] * n for _ in range(n)]
    position = [0] * n

    def mark_below(row: int, column: int) -> None:
        for below in range(row + 1, n):
            for attacked in (column, column - (below - row), column + (below - row)):
                if 0 <= attacked < n:
                    marked[below][attacked] = True
                    tally.writes += 1

    def place(row: int) -> Iterator[tuple[int, ...]]:
        tally.nodes += 1
        poll()
        if row == n:
            yield tuple(position)
            return
        for column in range(n):
            tally.candidates += 1
            tally.checks += 1
            if not marked[row][column]:
                position[row] = column
                backup = [line.copy() for line in marked]
                mark_below(row, column)
                yield from place(row + 1)
                marked[:] = backup
                tally.writes += 1 + n * n
                tally.undone += 1

    return place(0)
