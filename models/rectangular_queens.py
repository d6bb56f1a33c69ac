"""M queens on a board of m rows and n columns, one in each row, no two in one column or diagonal.

Source and counts: OEIS A269133, a triangle whose row n holds the boards of 1 to n rows and n columns.
"""

from nqueens_cp import Model, all_different

TRIANGLE = (
    (1,),
    (2, 0),
    (3, 2, 0),
    (4, 6, 4, 2),
    (5, 12, 14, 12, 10),
    (6, 20, 36, 46, 40, 4),
    (7, 30, 76, 140, 164, 94, 40),
    (8, 42, 140, 344, 568, 550, 312, 92),
)
PUBLISHED = tuple(
    ({"rows": rows, "columns": columns}, count)
    for columns, counts in enumerate(TRIANGLE, start=1)
    for rows, count in enumerate(counts, start=1)
)


def build(rows: int, columns: int) -> Model:
    """Return the model for a board of so many rows and columns, both >= 1."""
    model = Model("rectangular_queens")
    queen = model.int_vars("queen", rows, domain=range(columns))  # queen[row] = column
    model.add(all_different(queen))
    model.add(all_different(queen[i] + i for i in range(rows)))
    model.add(all_different(queen[i] - i for i in range(rows)))
    model.board(queen, columns=columns)
    return model
