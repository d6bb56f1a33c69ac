"""N queens on an n x n board that looks the same after a quarter of a turn.

Source: W. Ahrens, Mathematische Unterhaltungen und Spiele, volume 1 (1910), p. 249: unless n or n - 1 is a multiple of 4 there
are none. Counts: OEIS A033148.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(({"n": n}, count) for n, count in enumerate([1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 8, 8, 0], start=1))


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("quarter_turn_queens")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different(queen[i] + i for i in range(n)))
    model.add(all_different(queen[i] - i for i in range(n)))
    for i in range(n):
        for j in range(n):
            model.add((queen[i] == j).implies(queen[j] == n - 1 - i))  # a quarter turn takes (i, j) to (j, n - 1 - i)
    model.board(queen)
    return model
