"""Boards for the tests of the join, what makes random ones of a symmetry, and what counts them.

Boards are sets of squares (row, column), and moves of the board are functions of its size and a square.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import islice

from hypothesis import strategies as st

from nqueens_cp.control import Control
from nqueens_cp.core import join, kernel, pure
from nqueens_cp.core.compile import DiagonalForm

SMALL = (4, 5, 6, 6, 7, 7, 8, 8, 9, 9)  # rows of the random boards that plain Python counts
WIDTHS = ("avx512", "avx2", "plain")
PUBLISHED = {  # OEIS A000170
    4: 2,
    5: 10,
    6: 4,
    7: 40,
    8: 92,
    9: 352,
    10: 724,
    11: 2_680,
    12: 14_200,
    13: 73_712,
    14: 365_596,
    15: 2_279_184,
    16: 14_772_512,
    17: 95_815_104,
    18: 666_090_624,
    19: 4_968_057_848,
    20: 39_029_188_884,
}


def mirror(n, square):
    return square[0], n - 1 - square[1]


def turning_over(n, square):
    return n - 1 - square[0], square[1]


def transpose(n, square):
    return square[1], square[0]


def half_turn(n, square):
    return n - 1 - square[0], n - 1 - square[1]


def quarter_turn(n, square):
    return square[1], n - 1 - square[0]


CLASSES = {  # from the largest to the smallest, and the moves that make each
    "mirror and turning over": (mirror, turning_over),
    "mirror": (mirror,),
    "none": (),
}


BOTH = "mirror and turning over"
MOVES_OF_NO_USE = ((), (turning_over,), (transpose,), (half_turn,), (quarter_turn,), (transpose, half_turn))


def moved(n, squares, move):
    return frozenset(move(n, square) for square in squares)


def spread(n, squares, moves):
    """Return the squares together with all that the moves, one after the other in any order, make of them."""
    reached, waiting = set(squares), list(squares)
    while waiting:
        square = waiting.pop()
        new = {move(n, square) for move in moves} - reached
        reached |= new
        waiting += new
    return frozenset(reached)


def whole(n):
    return frozenset((row, column) for row in range(n) for column in range(n))


def class_of(n, squares):
    return next(name for name, moves in CLASSES.items() if all(moved(n, squares, move) == squares for move in moves))


def smaller_or_equal(symmetry):
    return list(CLASSES)[list(CLASSES).index(symmetry) :]


def larger(symmetry):
    return list(CLASSES)[: list(CLASSES).index(symmetry)]


def form_of(n, squares, firsts=None):
    allowed = tuple(sum(1 << column for column in range(n) if (row, column) in squares) for row in range(n))
    return DiagonalForm(allowed, firsts or (0,) * n, n, True, True, True)


def full(n):
    return form_of(n, whole(n))


def counted(form, symmetry=None, at_least=1, **how):
    return join.combine([join.run(job, **how) for job in join.jobs(form, symmetry, at_least)])


def backtracked(form):
    return kernel.count(kernel.for_rows(form), Control())


@cache
def some_solutions(n):
    """Return solutions of the unblocked board as sets of squares: all up to 10 rows, the first thousand of larger boards."""
    if n <= 10:
        found = pure.diagonal_solutions(full(n), Control())
    else:
        found = islice(kernel.solutions(kernel.for_rows(full(n)), Control(), n), 1000)
    return [frozenset(enumerate(columns)) for columns in found]


def random_board(symmetry, sizes, chance):
    """Return the size and the squares of a board whose largest symmetry class is the given one.

    Most boards keep some solutions of the unblocked board, so that there is something to count; few have an empty row.
    """
    while True:
        n = chance.choice(sizes)
        moves = CLASSES[symmetry] or chance.choice(MOVES_OF_NO_USE)
        if symmetry == BOTH and chance.random() < 0.5:
            moves = (*moves, transpose)  # all eight, of which the join uses four
        some, move = chance.choices(some_solutions(n), k=6), chance.choice((mirror, half_turn, transpose, quarter_turn))
        solutions = [spread(n, moved(n, solution, move), moves) for solution in some]
        squares = spread(n, chance.sample(sorted(whole(n)), chance.randint(0, 2 * n)), moves)
        if chance.random() < 0.5:
            left = squares.union(*solutions[: chance.randint(0, 6)])
        else:
            left = whole(n) - squares.difference(*solutions[: chance.randint(0, 6)])
        placed = chance.sample(range(n), chance.choice((0, 0, 0, 1, 1, 2, 3)))  # as far as the moves let them
        left -= spread(n, {(row, column) for row in placed for column in range(n)} - solutions[0], moves)
        if chance.random() < 0.05:
            row = chance.randrange(n)
            left -= spread(n, {(row, column) for column in range(n)}, moves)
        if class_of(n, left) == symmetry:
            return n, left


def boards(symmetry, sizes):
    return st.integers(0, 2**64 - 1).map(lambda seed: random_board(symmetry, sizes, random.Random(seed)))


def boards_of_any_class(sizes):
    return st.sampled_from(list(CLASSES)).flatmap(lambda symmetry: boards(symmetry, sizes))
