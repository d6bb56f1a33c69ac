"""A magic square: the numbers 1 to n * n, each row, column and main diagonal with the same sum.

Source: CSPLib prob019; B. Frenicle de Bessy (1693) found the 880 squares of size 4. Counts: 8 times those of
OEIS A006052 (n > 1), which takes turned and mirrored squares for one.
"""

from nqueens_cp import Model, all_different

PUBLISHED = (({"n": 1}, 1), ({"n": 2}, 0), ({"n": 3}, 8), ({"n": 4}, 8 * 880))


def build(n: int) -> Model:
    """Return the model for a square of size n >= 1."""
    model = Model("magic_square")
    number = model.int_vars("number", n * n, domain=range(1, n * n + 1))  # number[row * n + column]
    model.add(all_different(number))
    constant = n * (n * n + 1) // 2
    for i in range(n):
        model.add(sum(number[i * n : i * n + n]) == constant)
        model.add(sum(number[i::n]) == constant)
    model.add(sum(number[i * n + i] for i in range(n)) == constant)
    model.add(sum(number[i * n + n - 1 - i] for i in range(n)) == constant)
    return model
