"""N semi-queens on an n x n torus: no two in one row, column or diagonal of one direction.

Source: these are the transversals of the addition table modulo n; there are none where n is even (L. Euler, 1782). Counts:
OEIS A006717, whose entry k is the board of size 2 k + 1.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(({"n": n}, count) for n, count in enumerate([1, 0, 3, 0, 15, 0, 133, 0, 2025, 0, 37851], start=1))


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("semi_queens")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different((queen[i] + i) % n for i in range(n)))
    model.board(queen)
    return model
