"""A marked board: every square that a queen attacks is marked; the board is copied before a queen and put back after it."""

from collections.abc import Iterator

from nqueens_cp.textbook import Poll, Tally, Watch


def mark_below(marked: list[list[bool]], row: int, column: int) -> int:
    """Mark the squares of later rows that a queen attacks; return how many marks that takes."""
    n, marks = len(marked), 0
    for below in range(row + 1, n):
        for attacked in (column, column - (below - row), column + (below - row)):
            if 0 <= attacked < n:
                marked[below][attacked] = True
                marks += 1
    return marks


def solutions(n: int, tally: Tally, poll: Poll, watch: Watch | None = None) -> Iterator[tuple[int, ...]]:
    """Yield every solution; see the package."""
    marked = [[False] * n for _ in range(n)]
    position = [0] * n

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
                tally.writes += 1 + mark_below(marked, row, column)
                if watch is not None:
                    watch("place", row, column, [[i for i in range(n) if not line[i]] for line in marked[row + 1 :]])
                yield from place(row + 1)
                marked[:] = backup
                tally.writes += n * n
                tally.undone += 1
                if watch is not None:
                    watch("undo", row, column)
            elif watch is not None:
                watch("reject", row, column)

    return place(0)
