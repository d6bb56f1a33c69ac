"""Kings on an n x n board that do not attack each other: any number, a given number, or as many as possible.

Source: H. S. Wilf, The problem of the kings, Electronic J. Combin. 2 (1995). Counts: OEIS A201513 (n kings), A063443 (any
number, the empty board included; its entry n + 1), A018807 (k * k kings, n = 2 k). Optima: one for each 2 x 2 block.
"""

from itertools import combinations, product

from nqueens_cp import Model

PUBLISHED = (
    *(({"n": n}, count) for n, count in enumerate([2, 5, 35, 314, 6427, 202841, 12727570], start=1)),
    *(({"n": n, "number": n}, count) for n, count in enumerate([1, 0, 8, 79, 1974, 62266, 2484382], start=1)),
    *(({"n": 2 * k, "number": k * k}, count) for k, count in enumerate([4, 79, 3600], start=1)),
)
OPTIMA = tuple(({"n": n, "most": True}, ((n + 1) // 2) ** 2) for n in range(1, 9))


def build(n: int, number: int | None = None, most: bool = False) -> Model:
    """Return the model for so many kings on a board of size n, or for any number of them; `most` maximises it."""
    model = Model("kings")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a king stands
    model.board(square, piece="king")
    squares = list(product(range(n), repeat=2))
    for (r, c), (s, d) in combinations(squares, 2):
        if max(abs(r - s), abs(c - d)) == 1:
            model.add(square[r][c] + square[s][d] <= 1)
    kings = sum(square[r][c] for r, c in squares)
    if number is not None:
        model.add(kings == number)
    if most:
        model.maximize(kings)
    return model
