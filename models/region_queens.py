"""The region puzzle: one queen in each row, column and region of an n x n board, no two of them touching.

Source: Queens, a daily puzzle of LinkedIn; Star Battle with one star. The boards were made for this file. Counts: found by
trying all permutations, as the tests do again.
"""

from collections.abc import Hashable, Iterable

from nqueens_cp import InvalidValue, Model, all_different, element

PUBLISHED = (
    ({"regions": ("abbbb", "cbcbb", "cccbd", "ceebd", "eeeed")}, 1),
    ({"regions": ("aaaaabb", "aaabbbb", "ccdbeeb", "ceeeeeb", "ccceeef", "gceeeef", "cccceff")}, 1),
    ({"regions": ("abbbbccd", "abbeccdd", "bbfecccc", "bbfeeccc", "gffeecch", "gfgeehhh", "gggeeehh", "gggggghh")}, 2),
)


def build(regions: Iterable[Iterable[Hashable]]) -> Model:
    """Return the model for a board given row by row; squares with equal labels, of any kind, form a region.

    ``["aab", "abb", "ccc"]`` is a board, and so is ``[[0, 0, 1], [0, 1, 1], [2, 2, 2]]``.
    """
    labels = [list(row) for row in regions]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(label for row in labels for label in row))}
    n = len(labels)
    lengths = [len(row) for row in labels]
    if lengths != [n] * n:
        raise InvalidValue(f"regions: a board of {n} rows needs {n} squares in each; those given have {lengths}")
    if len(numbers) != n:
        raise InvalidValue(f"regions: a board of {n} rows needs {n} regions, but there are {len(numbers)}")
    model = Model("region_queens")
    queen = model.int_vars("queen", n, domain=range(n))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different(element([numbers[label] for label in labels[i]], queen[i]) for i in range(n)))
    for i in range(n - 1):
        model.add(abs(queen[i] - queen[i + 1]) >= 2)
    model.board(queen)
    model.mark(regions=labels)
    return model
