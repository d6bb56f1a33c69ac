"""N-queens completion: some queens are placed already, find places for the others.

Source: F. Nauck (1850); CSPLib prob079; I. P. Gent, C. Jefferson, P. Nightingale, Complexity of n-Queens Completion, JAIR
59 (2017). Counts: found by trying all permutations, as the tests do again.
"""

from collections.abc import Iterable

from nqueens_cp import Model, all_different

PUBLISHED = (
    ({"n": 8, "placed": ((0, 0),)}, 4),
    ({"n": 8, "placed": ((0, 3),)}, 18),
    ({"n": 8, "placed": ((0, 0), (1, 1))}, 0),
)


def build(n: int, placed: Iterable[tuple[int, int]] = (), blocked: Iterable[tuple[int, int]] = ()) -> Model:
    """Return the model for a board of size n; `placed` queens and `blocked` squares are (row, column), both from 0."""
    placed, blocked = tuple(placed), tuple(blocked)
    model = Model("completion")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different(queen[i] + i for i in range(n)))
    model.add(all_different(queen[i] - i for i in range(n)))
    model.board(queen)
    model.mark(placed=placed, blocked=blocked)
    for row, column in placed:
        model.add(queen[row] == column)
    for row, column in blocked:
        model.add(queen[row] != column)
    return model
