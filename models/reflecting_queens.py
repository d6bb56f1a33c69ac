"""N reflecting queens on an n x n board: a mirror along the row before the first throws the diagonals back.

Source: M. Slater, Bull. Amer. Math. Soc. 69 (1963), p. 333; D. A. Klarner, The problem of reflecting queens, Amer. Math.
Monthly 74 (1967), p. 953. Counts: OEIS A007631.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(
    ({"n": n}, count) for n, count in enumerate([1, 1, 0, 0, 2, 4, 0, 2, 10, 32, 38, 140, 496, 1186, 3178, 16792])
)


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("reflecting_queens")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    rising = [queen[i] + (i + 1) for i in range(n)]  # row i is i + 1 rows from the mirror
    falling = [queen[i] - (i + 1) for i in range(n)]
    model.add(all_different(rising + falling))  # where the diagonals of the queens meet the mirror
    model.board(queen)
    return model
