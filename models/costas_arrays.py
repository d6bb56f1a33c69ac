"""A Costas array: n points, one in each row and column, no two pairs of them in the same distance and direction.

Source: J. P. Costas (1965), for sonar; CSPLib prob076. Counts: OEIS A008404.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(({"n": n}, count) for n, count in enumerate([1, 2, 4, 12, 40, 116, 200, 444, 760, 2160], start=1))


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("costas_arrays")
    point = model.int_vars("point", n, domain=range(n))  # point[row] = column
    model.add(all_different(point))
    for rows in range(1, n - 1):
        model.add(all_different(point[i + rows] - point[i] for i in range(n - rows)))
    model.board(point, piece="point")
    return model
