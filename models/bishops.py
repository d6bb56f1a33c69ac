"""Bishops on an n x n board that do not attack each other: any number, a given number, or as many as possible.

Source: H. E. Dudeney, Amusements in Mathematics (1917), Bishops in Convocation. Counts: OEIS A002465 (n bishops),
A201862 (any number, the empty board included), and 2**n for 2 n - 2 bishops. Optima: 2 n - 2 (n > 1).
"""

from itertools import combinations, product

from nqueens_cp import Model

PUBLISHED = (
    *(({"n": n}, count) for n, count in enumerate([2, 9, 70, 729, 9918, 167281, 3423362], start=1)),
    *(({"n": n, "number": n}, count) for n, count in enumerate([1, 4, 26, 260, 3368, 53744, 1022320], start=1)),
    *(({"n": n, "number": 2 * n - 2}, 2**n) for n in range(3, 8)),
)
OPTIMA = tuple(({"n": n, "most": True}, 2 * n - 2) for n in range(2, 8))


def build(n: int, number: int | None = None, most: bool = False) -> Model:
    """Return the model for so many bishops on a board of size n, or for any number of them; `most` maximises it."""
    model = Model("bishops")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a bishop stands
    model.board(square, piece="bishop")
    squares = list(product(range(n), repeat=2))
    for (r, c), (s, d) in combinations(squares, 2):
        if abs(r - s) == abs(c - d):
            model.add(square[r][c] + square[s][d] <= 1)
    bishops = sum(square[r][c] for r, c in squares)
    if number is not None:
        model.add(bishops == number)
    if most:
        model.maximize(bishops)
    return model
