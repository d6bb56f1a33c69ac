"""Queens in an n x n x n cube that do not attack each other along any of the 13 directions: as many as possible.

Source and optima: OEIS A068940. A queen moves along a row or a diagonal of a plane or of space: the coordinates that change all
change by the same amount.
"""

from itertools import combinations, product

from nqueens_cp import Model

OPTIMA = tuple(({"n": n}, most) for n, most in enumerate([1, 1, 4, 7, 13], start=1))


def build(n: int, number: int | None = None) -> Model:
    """Return the model for a cube of size n and so many queens; without `number`, their number is maximised."""
    model = Model("queens_3d")
    cells = list(product(range(n), repeat=3))
    cell = {place: model.bool_var(f"cell[{','.join(map(str, place))}]") for place in cells}  # 1 where a queen is
    for a, b in combinations(cells, 2):
        distances = {abs(i - j) for i, j in zip(a, b, strict=True)}
        if len(distances - {0}) == 1:
            model.add(cell[a] + cell[b] <= 1)
    queens = sum(cell.values())
    if number is None:
        model.maximize(queens)
    else:
        model.add(queens == number)
    return model
