"""N amazons (queens that are knights as well, superqueens) on an n x n board.

Source and counts: OEIS A051223.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(
    ({"n": n}, count)
    for n, count in enumerate([1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 44, 156, 1876, 5180, 32516, 202900], start=1)
)


def build(n: int) -> Model:
    """Return the model for a board of size n >= 0."""
    model = Model("amazons")
    amazon = model.int_vars("amazon", n, domain=range(n))  # amazon[row] = column
    model.add(all_different(amazon))
    model.add(all_different(amazon[i] + i for i in range(n)))
    model.add(all_different(amazon[i] - i for i in range(n)))
    for i in range(n - 1):
        model.add(abs(amazon[i] - amazon[i + 1]) != 2)
    for i in range(n - 2):
        model.add(abs(amazon[i] - amazon[i + 2]) != 1)
    model.board(amazon, piece="amazon")
    return model
