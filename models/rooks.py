"""N rooks on an n x n board, no two in one row or column: the permutations of n.

Source and counts: n! (OEIS A000142).
"""

from math import factorial

from nqueens_cp import Model, all_different

PUBLISHED = tuple(({"n": n}, factorial(n)) for n in range(13))


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("rooks")
    rook = model.int_vars("rook", n, domain=range(n))  # rook[row] = column
    model.add(all_different(rook))
    model.board(rook, piece="rook")
    return model
