"""The fields of all units in one integer, against counting the squares of each unit one by one."""

from __future__ import annotations

import random

import pytest

from nqueens_cp.puzzles.fields import Fields
from nqueens_cp.puzzles.layout import layout_of


def random_layout(draw, stars):
    n = draw.randint(1, 8)
    labels = [*range(n), *(draw.randrange(n) for _ in range(n * n - n))]
    draw.shuffle(labels)
    return layout_of(tuple(tuple(labels[row * n : row * n + n]) for row in range(n)), stars)


def random_position(draw, layout):
    """Return queens put on random squares, and the squares left of which some are crossed out."""
    queens, maybe = 0, layout.all_squares
    for _ in range(draw.randint(0, 4)):
        free = [square for square in range(len(layout.units_of)) if maybe >> square & 1]
        if free:
            queens, maybe = layout.put(queens, maybe, 1 << draw.choice(free))
    for square in range(len(layout.units_of)):
        if draw.random() < 0.4:
            maybe &= ~(1 << square)
    return queens, maybe


@pytest.mark.parametrize("stars", [1, 2, 3])
def test_fields_say_what_counting_says(stars):
    draw = random.Random(stars)
    for _ in range(150):
        layout = random_layout(draw, stars)
        fields = Fields(layout)
        queens, maybe = random_position(draw, layout)
        in_fields = fields.spread(queens), fields.spread(maybe)
        assert (fields.squares(in_fields[0]), fields.squares(in_fields[1])) == (queens, maybe)

        lacking, exact, confined = [], [], set()
        for unit, mask in enumerate(layout.masks):
            need, left = stars - (mask & queens).bit_count(), mask & maybe
            lacking += [unit] * (left.bit_count() < need)
            exact += [unit] * (0 < need == left.bit_count())
            for other, squares in enumerate(layout.masks):
                families = {i for i, numbers in enumerate(layout.families) for u in (unit, other) if u in numbers}
                if left and not left & ~squares and len(families) == 2 and 0 in families:
                    confined.add((unit, left, other))
        found = fields.short(*in_fields)
        assert [fields.units_at(guards) for guards in found] == [lacking, exact]
        told = [(unit, fields.squares(left), other) for unit, left, other in fields.confined(in_fields[1])]
        assert len(told) == len(set(told))
        assert set(told) == confined

        for square in range(len(layout.units_of)):
            if maybe >> square & 1:
                put = fields.put(*in_fields, square)
                assert put == tuple(map(fields.spread, layout.put(queens, maybe, 1 << square)))
            else:
                assert fields.put(*in_fields, square) == in_fields
        for unit, mask in enumerate(layout.masks):
            filled = fields.put_all(*in_fields, in_fields[1] & fields.field[unit])
            assert filled == tuple(map(fields.spread, layout.put(queens, maybe, mask & maybe)))
