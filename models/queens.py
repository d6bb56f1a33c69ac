"""N queens on an n x n board, no two in one row, column or diagonal.

Source: M. Bezzel, Schachzeitung 3 (1848), p. 363. Counts: OEIS A000170.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(
    ({"n": n}, count)
    for n, count in enumerate([1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512])
)


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("queens")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different(queen[i] + i for i in range(n)))
    model.add(all_different(queen[i] - i for i in range(n)))
    model.board(queen)
    return model
