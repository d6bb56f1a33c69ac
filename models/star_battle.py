"""Star Battle: two stars (or another number) in each row, column and region of an n x n board, no two of them touching.

Source: a puzzle of the World Puzzle Championships. Counts: OEIS A389766 (two stars, no regions). The board with regions was
made for this file; its one solution was found by trying all placements without regions, as the tests do again.
"""

from collections.abc import Hashable, Iterable
from itertools import combinations, product

from nqueens_cp import InvalidValue, Model

REGIONS = (
    "aabcccccb",
    "aabccdcbb",
    "aabbdddbb",
    "aabbbbbbb",
    "aaeeeebbb",
    "ffeeeeggg",
    "ffhhiiiig",
    "ffhhiiiii",
    "fffhhiiii",
)
PUBLISHED = (
    *(({"n": n}, 0) for n in range(1, 8)),
    ({"n": 8}, 2),
    ({"n": 9}, 664),
    ({"n": 10}, 146510),
    ({"n": 9, "regions": REGIONS}, 1),
)


def build(n: int, stars: int = 2, regions: Iterable[Iterable[Hashable]] = ()) -> Model:
    """Return the model for a board of size n; `regions` gives it row by row, equal labels of any kind forming a region."""
    labels = [list(row) for row in regions]
    names = list(dict.fromkeys(label for row in labels for label in row))
    lengths = [len(row) for row in labels]
    if labels and lengths != [n] * n:
        raise InvalidValue(f"regions: a board of size {n} needs {n} rows of {n} squares; those given have {lengths}")
    if labels and len(names) != n:
        raise InvalidValue(f"regions: a board of size {n} needs {n} regions, but there are {len(names)}")
    model = Model("star_battle")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a star is
    model.board(square, piece="star")
    model.mark(regions=labels or None)
    squares = list(product(range(n), repeat=2))
    for i in range(n):
        model.add(sum(square[i]) == stars, sum(square[r][i] for r in range(n)) == stars)
    for name in names:
        model.add(sum(square[r][c] for r, c in squares if labels[r][c] == name) == stars)
    for (r, c), (s, d) in combinations(squares, 2):
        if max(abs(r - s), abs(c - d)) == 1:
            model.add(square[r][c] + square[s][d] <= 1)
    return model
