"""N queens on an n x n torus: the diagonals go on at the opposite edge.

Source: G. Polya (1918); there are solutions just where neither 2 nor 3 divides n. Counts: OEIS A051906.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(
    ({"n": n}, count) for n, count in enumerate([1, 0, 0, 0, 10, 0, 28, 0, 0, 0, 88, 0, 4524, 0, 0, 0, 140692], start=1)
)


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("toroidal_queens")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different((queen[i] + i) % n for i in range(n)))
    model.add(all_different((queen[i] - i) % n for i in range(n)))
    model.board(queen)
    return model
