"""One solution of the classic board of any size, at once, by an explicit construction.

Source: E. Pauls, Das Maximalproblem der Damen auf dem Schachbrete, Deutsche Schachzeitung 29 (1874), in the form that lists
the even columns before the odd ones.
"""

from __future__ import annotations


def explicit_queens(n: int) -> tuple[int, ...] | None:
    """Return the column of the queen in each row of an n x n board, 0-based; None for n = 2 and 3, which have no solution.

    Examples
    --------
    >>> explicit_queens(4)
    (1, 3, 0, 2)
    """
    if n in (2, 3):
        return None
    even = list(range(2, n + 1, 2))  # numbered from 1, as in the source
    odd = list(range(1, n + 1, 2))
    if n % 6 == 2:
        odd[0], odd[1] = odd[1], odd[0]
        odd.append(odd.pop(2))
    elif n % 6 == 3:
        even.append(even.pop(0))
        odd.extend((odd.pop(0), odd.pop(0)))
    return tuple(column - 1 for column in even + odd)
