"""Any number of queens on an n x n board that do not attack each other, or a given number of them.

Source: E. Landau, Naturwissenschaftliche Wochenschrift (1896), for three queens. Counts: OEIS A287227 (any number, the empty
board included), A036464, A047659 and A061994 (2, 3 and 4 queens).
"""

from itertools import combinations, product

from nqueens_cp import Model

PUBLISHED = (
    *(({"n": n}, count) for n, count in enumerate([2, 5, 18, 87, 462, 2635, 16870, 118969], start=1)),
    *(({"n": n, "number": 2}, count) for n, count in enumerate([0, 0, 8, 44, 140, 340, 700, 1288], start=1)),
    *(({"n": n, "number": 3}, count) for n, count in enumerate([0, 0, 0, 24, 204, 1024, 3628, 10320], start=1)),
    *(({"n": n, "number": 4}, count) for n, count in enumerate([0, 0, 0, 2, 82, 982, 7002, 34568], start=1)),
)


def build(n: int, number: int | None = None) -> Model:
    """Return the model for a board of size n and so many queens, or any number of them."""
    model = Model("some_queens")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a queen stands
    model.board(square, piece="queen")
    squares = list(product(range(n), repeat=2))
    for (r, c), (s, d) in combinations(squares, 2):
        if r == s or c == d or abs(r - s) == abs(c - d):
            model.add(square[r][c] + square[s][d] <= 1)
    if number is not None:
        model.add(sum(square[r][c] for r, c in squares) == number)
    return model
