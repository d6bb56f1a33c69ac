"""2 n points on an n x n grid, no three of them on one straight line of whatever slope.

Source: H. E. Dudeney, Amusements in Mathematics (1917), A Puzzle with Pawns. Counts: OEIS A000755.
"""

from itertools import combinations, product

from nqueens_cp import Model

PUBLISHED = tuple(({"n": n}, count) for n, count in enumerate([1, 2, 11, 32, 50, 132, 380], start=2))


def build(n: int) -> Model:
    """Return the model for a grid of size n >= 0."""
    model = Model("no_three_in_line")
    square = [[model.bool_var(f"square[{r},{c}]") for c in range(n)] for r in range(n)]  # 1 where a point is
    model.board(square, piece="point")
    squares = list(product(range(n), repeat=2))
    lines = {
        tuple((u, v) for u, v in squares if (s - r) * (v - c) == (d - c) * (u - r))
        for (r, c), (s, d) in combinations(squares, 2)
    }
    for i in range(n):
        model.add(sum(square[i]) == 2, sum(square[r][i] for r in range(n)) == 2)
    for line in sorted(lines):
        if len(line) > 2:
            model.add(sum(square[r][c] for r, c in line) <= 2)
    return model
