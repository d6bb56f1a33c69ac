"""Random combinations of the keywords of `queens`, against brute force."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nqueens_cp import Model, count, queens
from variant_rules import (
    Attack,
    Rule,
    Square,
    Squares,
    falling,
    falling_on_the_torus,
    half_turned,
    leaper,
    one_in_each,
    quarter_turned,
    reflected,
    regions_of,
    rising,
    rising_on_the_torus,
    same_line,
    touch,
)

EXAMPLES = os.environ.get("NQUEENS_CP_EXAMPLES")


# The same examples every time, as in tests/property.
def examples(number: int) -> settings:
    return settings(
        max_examples=int(EXAMPLES or number),
        derandomize=EXAMPLES is None,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


DIRECTIONS: dict[str | None, list[Attack]] = {
    "both": [falling, rising],
    "falling": [falling],
    "rising": [rising],
    "none": [],
}


class Posed(NamedTuple):
    """The same problem twice: as arguments of queens(), and as the boards that the plain rules let pass."""

    n: int
    options: dict[str, Any]
    boards: set[Squares]

    @property
    def model(self) -> Model:
        return queens(self.n, **self.options)


def peaceful_boards(rows: int, n: int, pieces: int | None, attacks: list[Attack]) -> set[Squares]:
    """Return the boards on which nothing attacks; without a number of pieces there is one in each row."""
    squares = list(itertools.product(range(rows), range(n)))
    attacked = {
        frozenset((one, other))
        for one, other in itertools.permutations(squares, 2)
        if same_line(one, other) or any(attack(one, other) for attack in attacks)
    }
    boards: Iterable[Iterable[Square]]
    if pieces is None:  # only a shorter way than through all combinations: two in one column attack each other
        boards = (enumerate(columns) for columns in itertools.permutations(range(n), rows))
    else:
        boards = itertools.combinations(squares, pieces)
    return {
        board
        for board in map(frozenset, boards)
        if not any(frozenset(pair) in attacked for pair in itertools.combinations(board, 2))
    }


def a_few(values: Iterable[Any], most: int) -> st.SearchStrategy[list[Any]]:
    """Some of the values, none of them in half of the cases, so that not every keyword is there at once."""
    values = list(values)
    return st.just([]) | (st.lists(st.sampled_from(values), max_size=most, unique=True) if values else st.just([]))


@st.composite
def diagonal_rules(draw: st.DrawFn, n: int, kind: str) -> tuple[dict[str, Any], list[Attack]]:
    """The keywords that say which diagonals there are."""
    if kind == "reflecting":
        return {"reflecting": True}, [reflected]
    options: dict[str, Any] = {}
    if draw(st.integers(0, 3)):
        options["diagonals"] = draw(st.sampled_from(["none", "rising", "falling", "both"]))
    if kind == "torus":
        if options.get("diagonals") == "none":  # a torus without directions
            del options["diagonals"]
        wrapped = {falling: falling_on_the_torus(n), rising: rising_on_the_torus(n)}
        attacks = [wrapped[attack] for attack in DIRECTIONS[options.get("diagonals", "both")]]
        return {**options, "torus": True}, attacks
    if kind == "touching":
        return {**options, "touching": False}, [touch, *DIRECTIONS[options.get("diagonals", "none")]]
    return options, DIRECTIONS[options.get("diagonals", "both")]


@st.composite
def moves(draw: st.DrawFn) -> tuple[dict[str, Any], list[Attack]]:
    """The keywords that let the pieces move in further ways."""
    options: dict[str, Any] = {}
    attacks: list[Attack] = []
    if draw(st.integers(0, 4)) == 4:
        options["amazons"] = True
        attacks.append(leaper(1, 2))
    if leapers := draw(st.just([]) | a_few([(1, 2), (2, 1), (3, 1), (2, 2), (0, 2), (3, 0), (1, 1), (3, 3)], 2)):
        options["leapers"] = leapers
        attacks += [leaper(a, b) for a, b in leapers]
    if steps := draw(st.just([]) | a_few(itertools.product([-3, -2, -1, 1, 2, 3], range(-3, 4)), 3)):

        def attack(one: Square, other: Square) -> bool:  # one way only, so that both orders must be asked for
            return (other[0] - one[0], other[1] - one[1]) in steps

        options["attack"] = attack
        attacks.append(attack)
    return options, attacks


@st.composite
def marks(draw: st.DrawFn, rows: int, n: int, known: Squares) -> tuple[dict[str, Any], list[Rule]]:
    """The keywords that open and close squares; most of them let the known board pass."""
    kept = known if draw(st.integers(0, 5)) else frozenset()
    squares = list(itertools.product(range(rows), range(n)))
    placed = draw(a_few(sorted(known), 2))
    if not kept:
        placed = [(row, draw(st.integers(0, n - 1))) for row in draw(a_few(range(rows), 2))]
    blocked = draw(a_few(sorted({*squares} - kept), 4))
    differences = draw(a_few(sorted({c - r for r, c in squares} - {c - r for r, c in kept}), 2))
    sums = draw(a_few(sorted({c + r for r, c in squares} - {c + r for r, c in kept}), 2))
    options = {
        "placed": placed,
        "blocked": blocked,
        "excluded_diagonals": differences,
        "excluded_antidiagonals": sums,
    }
    rules: list[Rule] = [
        lambda board: board.issuperset(placed),
        lambda board: board.isdisjoint(blocked),
        lambda board: not any(column - row in differences or column + row in sums for row, column in board),
    ]
    return {name: values for name, values in options.items() if values}, rules


@st.composite
def region_rules(draw: st.DrawFn, n: int, known: Squares) -> tuple[dict[str, Any], Rule]:
    """Regions in one of the ways of writing them, often such that the known board has a queen in each."""
    labels = draw(st.lists(st.integers(0, n - 1), min_size=n * n, max_size=n * n))
    grid = [labels[row * n : row * n + n] for row in range(n)]
    for row, column in known or enumerate(draw(st.permutations(range(n)))):
        grid[row][column] = row
    cells = regions_of(grid)
    written: Any = draw(
        st.sampled_from(
            [
                grid,
                tuple("".join("abcdef"[label] for label in row) for row in grid),
                [[(None, 2.5, frozenset("c"), "d", -7, b"f")[label] for label in row] for row in grid],
                list(cells.values()),
                {str(label): set(region) for label, region in cells.items()},
            ]
        )
    )
    return {"regions": written}, one_in_each(cells.values())


@st.composite
def posed(draw: st.DrawFn, with_pieces: bool = False) -> Posed:
    n = draw(st.sampled_from([4, 3, 2, 1] if with_pieces else [5, 4, 6, 5, 6, 3, 2, 1]))
    kind = draw(st.sampled_from(["plain", "torus", "plain" if with_pieces else "touching", "reflecting"]))
    if with_pieces and kind == "reflecting":
        kind = "plain"
    rows = n if kind in ("torus", "reflecting") or draw(st.booleans()) else draw(st.integers(1, n + 1))
    pieces = draw(st.integers(0, 4)) if with_pieces else None
    options, attacks = draw(diagonal_rules(n, kind))
    more, further = draw(moves())
    options |= more
    if rows != n or draw(st.integers(0, 3)) == 0:
        options["rows"] = rows
    if pieces is not None:
        options["pieces"] = pieces
    boards = peaceful_boards(rows, n, pieces, attacks + further)
    if rows == n and pieces is None and kind != "reflecting" and draw(st.integers(0, 3)) == 0:
        options["symmetric"] = draw(st.sampled_from(["half turn", "quarter turn"]))
        turned = half_turned if options["symmetric"] == "half turn" else quarter_turned
        boards = {board for board in boards if board == turned(board, n)}
    known = frozenset(draw(st.sampled_from(sorted(map(sorted, boards))))) if boards else frozenset()
    more, rules = draw(marks(rows, n, known))
    options |= more
    if rows == n and pieces is None and kind != "reflecting" and draw(st.integers(0, 2)) == 0:
        more, rule = draw(region_rules(n, known))
        options |= more
        rules.append(rule)
    return Posed(n, options, {board for board in boards if all(rule(board) for rule in rules)})


def test_any_keywords_together_on_the_core(boards_of):
    @examples(300)
    @given(posed())
    def agree(drawn):
        assert boards_of(drawn.model, "core") == drawn.boards
        assert count(drawn.model, backend="core") == len(drawn.boards)

    agree()


def test_any_keywords_together_on_every_backend(backend, boards_of):
    @examples(25)
    @given(posed())
    def agree(drawn):
        assert boards_of(drawn.model, backend) == drawn.boards
        assert count(drawn.model, backend=backend) == len(drawn.boards)

    agree()


def test_any_keywords_together_with_pieces(general_backend, boards_of):
    @examples(60 if general_backend == "cp-sat" else 10)
    @given(posed(with_pieces=True))
    def agree(drawn):
        assert boards_of(drawn.model, general_backend) == drawn.boards
        assert count(drawn.model, backend=general_backend) == len(drawn.boards)

    agree()
