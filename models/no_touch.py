"""N rooks on an n x n board that do not touch, not even at a corner: the rule of region puzzles, without the regions.

Source: Hertzsprung's problem, n kings in n rows and n columns (S. Hertzsprung, 1887). Counts: OEIS A002464.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(
    ({"n": n}, count)
    for n, count in enumerate([1, 0, 0, 2, 14, 90, 646, 5242, 47622, 479306, 5296790, 63779034], start=1)
)


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("no_touch")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    for i in range(n - 1):
        model.add(abs(queen[i] - queen[i + 1]) >= 2)
    model.board(queen)
    return model
