"""Random variants of boards: symmetries, orbits, places in the order and uses of squares, against lists by brute force.

Each rule is drawn twice: as a keyword of `queens`, and as a plain function of two squares or of one.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_cp import (
    InvalidValue,
    Model,
    count_up_to_symmetry,
    nth_solution,
    queens,
    rank,
    ranking,
    square_counts,
    symmetry_group,
)
from plain_boards import MOVES, OF_RECTANGLES, image

np = pytest.importorskip("numpy")

Columns = tuple[int, ...]


class Drawn(NamedTuple):
    keywords: dict[str, Any]
    rows: int
    columns: int
    found: set[Columns]

    @property
    def model(self) -> Model:
        return queens(self.columns, **self.keywords)


PAIR_RULES: dict[str, tuple[dict[str, Any], Callable[..., bool]]] = {
    "both": ({"diagonals": "both"}, lambda a, b, n: abs(a[0] - b[0]) == abs(a[1] - b[1])),
    "falling": ({"diagonals": "falling"}, lambda a, b, n: a[0] - b[0] == a[1] - b[1]),
    "rising": ({"diagonals": "rising"}, lambda a, b, n: a[0] - b[0] == b[1] - a[1]),
    "none": ({"diagonals": "none"}, lambda a, b, n: False),
    "touching": ({"touching": False}, lambda a, b, n: max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1),
    "amazons": (
        {"diagonals": "none", "amazons": True},
        lambda a, b, n: sorted((abs(a[0] - b[0]), abs(a[1] - b[1]))) == [1, 2],
    ),
    "leapers": (
        {"diagonals": "none", "leapers": [(0, 2), (2, 2)]},
        lambda a, b, n: sorted((abs(a[0] - b[0]), abs(a[1] - b[1]))) in ([0, 2], [2, 2]),
    ),
    "attack": (
        {"diagonals": "none", "attack": lambda a, b: b[0] - a[0] == 1 and b[1] - a[1] == 1},
        lambda a, b, n: b[0] - a[0] == b[1] - a[1] == 1 or a[0] - b[0] == a[1] - b[1] == 1,
    ),
    "torus": (
        {"torus": True},
        lambda a, b, n: (a[0] - b[0] - a[1] + b[1]) % n == 0 or (a[0] - b[0] + a[1] - b[1]) % n == 0,
    ),
}


@st.composite
def boards(draw: st.DrawFn) -> Drawn:
    """A board of up to six rows and columns with a rule, perhaps regions, and blocked and placed squares."""
    columns = draw(st.integers(1, 6))
    rows = draw(st.just(columns) | st.integers(1, columns))
    rule = draw(st.sampled_from(sorted(PAIR_RULES) if rows == columns else sorted(set(PAIR_RULES) - {"torus"})))
    keywords, attacks = dict(PAIR_RULES[rule][0]), PAIR_RULES[rule][1]
    if rows != columns:
        keywords["rows"] = rows
    squares = list(itertools.product(range(rows), range(columns)))
    corners = st.sampled_from([(0, 0), (rows - 1, columns - 1), (rows // 2, columns // 2)])
    blocked = draw(st.just(set()) | st.sets(corners | st.sampled_from(squares), max_size=3))
    placed = dict(draw(st.just(set()) | st.sets(corners | st.sampled_from(squares), min_size=1, max_size=1)))
    keywords |= {"blocked": sorted(blocked), "placed": sorted(placed.items())}
    grid = None
    if rows == columns and draw(st.integers(0, 3)) == 0:
        grid = [[draw(st.sampled_from([r, c])) for c in range(columns)] for r in range(rows)]
        if len({label for row in grid for label in row}) == columns:
            keywords["regions"] = grid
        else:
            grid = None

    def holds(chosen: Columns) -> bool:
        pieces = list(enumerate(chosen))
        return (
            not any(attacks(a, b, columns) for a, b in itertools.combinations(pieces, 2))
            and blocked.isdisjoint(pieces)
            and set(placed.items()) <= set(pieces)
            and (grid is None or len({grid[r][c] for r, c in pieces}) == rows)
        )

    found = set(filter(holds, itertools.permutations(range(columns), rows)))
    return Drawn(keywords, rows, columns, found)


@given(boards())
def test_orbits_are_those_of_the_list_folded(drawn):
    group = symmetry_group(drawn.model)
    names = [element.name for element in group.elements]
    orbits = {frozenset(image(name, columns, drawn.columns) for name in names) for columns in drawn.found}
    assert set().union(*orbits) == drawn.found, "each symmetry maps solutions to solutions"
    sizes = Counter(map(len, orbits))
    counted = count_up_to_symmetry(drawn.model)
    assert (counted.orbits, counted.solutions, counted.sizes) == (len(orbits), len(drawn.found), dict(sizes))
    batch = np.array(sorted(drawn.found), dtype=np.uint8).reshape(-1, drawn.rows)
    mask, of_size = group.representatives(batch)
    chosen = {tuple(map(int, row)): int(size) for row, size in zip(batch[mask], of_size[mask], strict=True)}
    assert chosen == {min(orbit): len(orbit) for orbit in orbits}


@given(boards())
def test_symmetries_of_the_squares_and_the_rule_are_found(drawn):
    """What maps blocked and placed squares, regions and attacks to the same must be among the symmetries."""
    group = {element.name for element in symmetry_group(drawn.model).elements}
    keywords = drawn.keywords
    squares = list(itertools.product(range(drawn.rows), range(drawn.columns)))
    rule = next(
        rule
        for stated, rule in PAIR_RULES.values()
        if all(keywords.get(name) is value or keywords.get(name) == value for name, value in stated.items())
        and set(keywords) - {"rows", "blocked", "placed", "regions"} == set(stated)
    )
    regions = keywords.get("regions")

    def excluded(a: tuple[int, int], b: tuple[int, int]) -> bool:
        return (
            a[0] == b[0]
            or a[1] == b[1]
            or rule(a, b, drawn.columns)
            or (regions is not None and regions[a[0]][a[1]] == regions[b[0]][b[1]])
        )

    for name, moved in MOVES.items():
        if drawn.rows != drawn.columns and name not in OF_RECTANGLES:
            continue
        there = {square: moved(*square, drawn.rows, drawn.columns) for square in squares}
        same_marks = all(
            {there[tuple(square)] for square in keywords[marked]} == set(keywords[marked])
            for marked in ("blocked", "placed")
        )
        if same_marks and all(
            excluded(a, b) == excluded(there[a], there[b]) for a, b in itertools.combinations(squares, 2)
        ):
            assert name in group


@given(boards(), st.integers(0, 12))
def test_places_and_ranks_are_inverse(drawn, few):
    kept, ranking.FEW = ranking.FEW, few
    try:
        expected = sorted(drawn.found)
        for k in range(len(expected)) if len(expected) < 30 else range(0, len(expected), 31):
            assert nth_solution(drawn.model, k).values == expected[k]
            assert rank(drawn.model, expected[k]) == k
        with pytest.raises((InvalidValue, LookupError)):
            nth_solution(drawn.model, len(expected))
    finally:
        ranking.FEW = kept


@given(boards())
def test_uses_of_squares_are_those_of_the_list(drawn):
    uses = Counter(square for columns in drawn.found for square in enumerate(columns))
    assert square_counts(drawn.model) == [[uses[r, c] for c in range(drawn.columns)] for r in range(drawn.rows)]
