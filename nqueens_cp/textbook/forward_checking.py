"""Forward checking: the free squares of the later rows are kept; a queen that leaves a row without any is taken off at once."""

from collections.abc import Iterator

from nqueens_cp.textbook import Poll, Tally, Watch


def solutions(n: int, tally: Tally, poll: Poll, watch: Watch | None = None) -> Iterator[tuple[int, ...]]:
    """Yield every solution; see the package."""
    position = [0] * n

    def place(row: int, domains: list[list[int]]) -> Iterator[tuple[int, ...]]:
        tally.nodes += 1
        poll()
        if row == n:
            yield tuple(position)
            return
        for column in domains[0]:
            tally.candidates += 1
            position[row] = column
            tally.writes += 1
            free = []
            for below, domain in enumerate(domains[1:], 1):
                attacked = (column, column - below, column + below)
                free.append([square for square in domain if square not in attacked])
                tally.checks += len(domain)
                tally.writes += len(free[-1])
            if watch is not None:
                watch("place", row, column, free)
            if all(free):
                yield from place(row + 1, free)
            elif watch is not None:
                watch("wipeout", row + 1 + free.index([]), -1)
            tally.undone += 1
            if watch is not None:
                watch("undo", row, column)

    return place(0, [list(range(n)) for _ in range(n)])
