"""Two equal armies of queens, white and black, none attacking one of the other colour: as large as possible.

Source: R. A. Bosch, Peaceably coexisting armies of queens, Optima 62 (1999); CSPLib prob110. Optima: OEIS A250000.
"""

from itertools import product

from nqueens_cp import Model

OPTIMA = tuple(({"n": n}, size) for n, size in enumerate([0, 0, 1, 2, 4, 5, 7, 9], start=1))


def build(n: int, size: int | None = None) -> Model:
    """Return the model for a board of size n and armies of `size` queens each; without `size`, it is maximised."""
    model = Model("peaceable_armies")
    white = [[model.bool_var(f"white[{r},{c}]") for c in range(n)] for r in range(n)]
    black = [[model.bool_var(f"black[{r},{c}]") for c in range(n)] for r in range(n)]
    squares = list(product(range(n), repeat=2))
    for (r, c), (s, d) in product(squares, repeat=2):
        if r == s or c == d or abs(r - s) == abs(c - d):
            model.add(white[r][c] + black[s][d] <= 1)
    whites = sum(white[r][c] for r, c in squares)
    blacks = sum(black[r][c] for r, c in squares)
    model.add(whites == blacks)
    if size is None:
        model.maximize(whites)
    else:
        model.add(whites == size)
    return model
