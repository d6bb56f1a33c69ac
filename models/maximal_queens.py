"""Queens on an n x n board that do not attack each other and leave no square for one more: any number, or the fewest.

Source: these are the independent dominating sets of the queens' graph, and the fewest queens its independent domination
number. Counts: OEIS A146303 (any number of queens). Optima: OEIS A075324.
"""

from itertools import combinations, product

from nqueens_cp import Model

PUBLISHED = tuple(({"n": n}, count) for n, count in enumerate([1, 4, 9, 18, 58, 348, 1862, 10188], start=1))
OPTIMA = tuple(({"n": n, "fewest": True}, count) for n, count in enumerate([1, 1, 1, 3, 3, 4, 4, 5], start=1))


def build(n: int, number: int | None = None, fewest: bool = False) -> Model:
    """Return the model for so many queens on a board of size n, or for any number of them; `fewest` minimises it."""
    model = Model("maximal_queens")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a queen stands
    model.board(square, piece="queen")
    squares = list(product(range(n), repeat=2))
    reached_from = {(r, c): [square[r][c]] for r, c in squares}  # the squares whose queens attack or take (r, c)
    for (r, c), (s, d) in combinations(squares, 2):
        if r == s or c == d or abs(r - s) == abs(c - d):
            model.add(square[r][c] + square[s][d] <= 1)
            reached_from[r, c].append(square[s][d])
            reached_from[s, d].append(square[r][c])
    for reaching in reached_from.values():
        model.add(sum(reaching) >= 1)
    queens = sum(square[r][c] for r, c in squares)
    if number is not None:
        model.add(queens == number)
    if fewest:
        model.minimize(queens)
    return model
