"""N queens on an n x n board where some squares may hold none.

Source: CSPLib prob080; I. P. Gent, C. Jefferson, P. Nightingale, Complexity of n-Queens Completion, JAIR 59 (2017). Counts:
found by trying all permutations, as the tests do again.
"""

from collections.abc import Iterable

from nqueens_cp import Model, all_different

PUBLISHED = (
    ({"n": 4, "blocked": ((0, 1),)}, 1),
    ({"n": 5, "blocked": ((2, 2),)}, 8),
    ({"n": 8, "blocked": ((0, 0),)}, 88),
)


def build(n: int, blocked: Iterable[tuple[int, int]] = ((0, 0),)) -> Model:
    """Return the model for a board of size n; `blocked` are the closed squares (row, column), both from 0."""
    blocked = tuple(blocked)
    model = Model("blocked_queens")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different(queen[i] + i for i in range(n)))
    model.add(all_different(queen[i] - i for i in range(n)))
    model.board(queen)
    model.mark(blocked=blocked)
    for row, column in blocked:
        model.add(queen[row] != column)
    return model
