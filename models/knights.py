"""Knights on an n x n board that do not attack each other: any number, a given number, or as many as possible.

Source and counts: OEIS A201540 (n knights), A141243 (any number, the empty board included). Optima: OEIS A030978: all squares
of one colour, or all four where n = 2.
"""

from itertools import combinations, product

from nqueens_cp import Model

PUBLISHED = (
    *(({"n": n}, count) for n, count in enumerate([2, 16, 94, 1365, 55213, 3368146, 394631712], start=1)),
    *(({"n": n, "number": n}, count) for n, count in enumerate([1, 6, 36, 412, 9386, 257318, 8891854], start=1)),
)
OPTIMA = tuple(({"n": n, "most": True}, count) for n, count in enumerate([1, 4, 5, 8, 13, 18, 25], start=1))


def build(n: int, number: int | None = None, most: bool = False) -> Model:
    """Return the model for so many knights on a board of size n, or for any number of them; `most` maximises it."""
    model = Model("knights")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a knight stands
    model.board(square, piece="knight")
    squares = list(product(range(n), repeat=2))
    for (r, c), (s, d) in combinations(squares, 2):
        if {abs(r - s), abs(c - d)} == {1, 2}:
            model.add(square[r][c] + square[s][d] <= 1)
    knights = sum(square[r][c] for r, c in squares)
    if number is not None:
        model.add(knights == number)
    if most:
        model.maximize(knights)
    return model
