"""Any number of rooks on an n x n board that do not attack each other, or a given number of them.

Source: k rooks are a choice of k rows, k columns and a permutation: comb(n, k) ** 2 * k! ways. Counts: OEIS A002720 (any
number, the empty board included).
"""

from itertools import combinations, product
from math import comb, factorial

from nqueens_cp import Model

PUBLISHED = (
    *(({"n": n}, count) for n, count in enumerate([2, 7, 34, 209, 1546, 13327, 130922, 1441729], start=1)),
    *(({"n": n, "number": k}, comb(n, k) ** 2 * factorial(k)) for n in range(1, 6) for k in range(n + 1)),
)


def build(n: int, number: int | None = None) -> Model:
    """Return the model for a board of size n and so many rooks, or any number of them."""
    model = Model("some_rooks")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a rook stands
    model.board(square, piece="rook")
    squares = list(product(range(n), repeat=2))
    for (r, c), (s, d) in combinations(squares, 2):
        if r == s or c == d:
            model.add(square[r][c] + square[s][d] <= 1)
    if number is not None:
        model.add(sum(square[r][c] for r, c in squares) == number)
    return model
