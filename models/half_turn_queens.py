"""N queens on an n x n board that looks the same after half a turn.

Source: W. Ahrens, Mathematische Unterhaltungen und Spiele, volume 1 (1910), p. 249. Counts: OEIS A032522; the boards of
quarter_turn_queens are among them.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(
    ({"n": n}, count) for n, count in enumerate([1, 0, 0, 2, 2, 4, 8, 4, 16, 12, 48, 80, 136, 420], start=1)
)


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("half_turn_queens")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different(queen[i] + i for i in range(n)))
    model.add(all_different(queen[i] - i for i in range(n)))
    for i in range((n + 1) // 2):
        model.add(queen[n - 1 - i] == n - 1 - queen[i])
    model.board(queen)
    return model
