"""Queens that take or attack every square of an n x n board: as few as possible, or a given number.

Source: C. F. de Jaenisch, Traite des applications de l'analyse mathematique au jeu des echecs (1862). Optima: OEIS A075458.
Counts: OEIS A002564 (in how many ways the fewest do it).
"""

from itertools import product

from nqueens_cp import Model

OPTIMA = tuple(({"n": n}, fewest) for n, fewest in enumerate([1, 1, 1, 2, 3, 3, 4, 5, 5, 5, 5], start=1))
PUBLISHED = tuple(
    (parameters | {"number": fewest}, count)
    for (parameters, fewest), count in zip(OPTIMA, [1, 4, 1, 12, 186, 4, 86, 4860, 114, 8, 2], strict=True)
)


def build(n: int, number: int | None = None) -> Model:
    """Return the model for a board of size n and so many queens; without `number`, their number is minimised."""
    model = Model("queens_domination")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a queen stands
    model.board(square, piece="queen")
    squares = list(product(range(n), repeat=2))
    for r, c in squares:
        reaching = [square[s][d] for s, d in squares if r == s or c == d or abs(r - s) == abs(c - d)]
        model.add(sum(reaching) >= 1)
    queens = sum(square[r][c] for r, c in squares)
    if number is None:
        model.minimize(queens)
    else:
        model.add(queens == number)
    return model
