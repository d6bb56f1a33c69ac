"""Langford's problem: 1, 1, 2, 2, ..., n, n in a row so that there are k numbers between the two k, for each k.

Source: C. D. Langford, Mathematical Gazette 42 (1958), p. 228; CSPLib prob024; there are solutions just where n or n + 1 is a
multiple of 4. Counts: OEIS A176127; A014552 has half of them, for a row read backwards is the same there.
"""

from nqueens_cp import Model, all_different

PUBLISHED = tuple(({"n": n}, count) for n, count in enumerate([0, 0, 2, 2, 0, 0, 52, 300, 0, 0, 35584], start=1))


def build(n: int) -> Model:
    """Return the model for the numbers 1 to n."""
    model = Model("langford")
    first = model.int_vars("first", n, domain=range(2 * n))  # first[k - 1] = place of the first k
    second = [place + k + 1 for k, place in enumerate(first, start=1)]
    model.add(all_different([*first, *second]), *(place < 2 * n for place in second))
    return model
