"""An all-interval series: the numbers 0 to n - 1 in a row so that the distances of neighbours are all different.

Source: CSPLib prob007, after the twelve-tone rows of serial music; they are the graceful permutations, the graceful labellings
of a path. Counts: OEIS A006967.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(
    ({"n": n}, count) for n, count in enumerate([1, 2, 4, 4, 8, 24, 32, 40, 120, 296, 648, 1328], start=1)
)


def build(n: int) -> Model:
    """Return the model for the numbers 0 to n - 1."""
    model = Model("all_interval_series")
    note = model.int_vars("note", n, domain=range(n))
    model.add(all_different(note))
    model.add(all_different(abs(note[i + 1] - note[i]) for i in range(n - 1)))
    return model
