"""One solution of the classic board of any size, at once, by an explicit construction.

Source: E. Pauls, Das Maximalproblem der Damen auf dem Schachbrete, Deutsche Schachzeitung 29 (1874), in the form that lists
the even columns before the odd ones.
"""

from __future__ import annotations

from array import array


def explicit_queens(n: int) -> array[int] | None:
    """Return the column of the queen in each row of an n x n board, 0-based; None for n = 2 and 3, which have no solution.

    Examples
    --------
    >>> list(explicit_queens(4))
    [1, 3, 0, 2]
    """
    if n in (2, 3):
        return None
    even = array("I", range(1, n, 2))  # even and odd as the source counts columns, from 1
    odd = array("I", range(0, n, 2))
    if n % 6 == 2:
        odd[0], odd[1] = odd[1], odd[0]
        odd.append(odd.pop(2))
    elif n % 6 == 3:
        even.append(even.pop(0))
        odd.extend((odd.pop(0), odd.pop(0)))
    return even + odd
