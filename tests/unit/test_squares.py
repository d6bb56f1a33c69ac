"""How many solutions use each square: exact counts, and their picture."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET

import pytest

from nqueens_cp import (
    InvalidValue,
    Model,
    SearchInterrupted,
    SearchStopped,
    VerificationError,
    queens,
    solutions,
    square_counts,
    squares,
)
from nqueens_cp.render.heat_map import write_heat_map
from nqueens_cp.squares import counts_text


def by_brute_force(rows: int, columns: int, closed: set[tuple[int, int]] = frozenset()) -> list[list[int]]:  # type: ignore[assignment]
    counts = [[0] * columns for _ in range(rows)]
    for chosen in itertools.permutations(range(columns), rows):
        placed = list(enumerate(chosen))
        if all(len({c + s * r for r, c in placed}) == rows for s in (-1, 1)) and not closed.intersection(placed):
            for row, column in placed:
                counts[row][column] += 1
    return counts


@pytest.mark.parametrize("backend", ["auto", "cp-sat", "python-constraint"])
@pytest.mark.parametrize(
    ("rows", "columns", "closed"),
    [(6, 6, set()), (4, 6, set()), (5, 5, {(0, 0), (3, 1)}), (0, 0, set()), (3, 3, set())],
)
def test_boards_of_rows(backend, rows, columns, closed):
    model = queens(columns, rows=rows, blocked=closed)
    assert square_counts(model, backend=backend) == by_brute_force(rows, columns, closed)


def test_eight_queens_with_workers():
    assert square_counts(8, workers=2) == by_brute_force(8, 8)


def test_a_variable_for_each_square():
    model = queens(4, pieces=2)
    expected = [[0] * 4 for _ in range(4)]
    for a, b in itertools.combinations(itertools.product(range(4), range(4)), 2):
        down, across = abs(a[0] - b[0]), abs(a[1] - b[1])
        if down and across and down != across:
            for row, column in (a, b):
                expected[row][column] += 1
    assert square_counts(model) == expected


def test_a_board_with_further_variables():
    """Each solution is counted once for each value of a variable that nothing constrains."""
    model = queens(5)
    model.int_var("more", range(3))
    assert square_counts(model) == [[6] * 5] * 5


def test_a_model_without_a_board_is_refused():
    model = Model("plain")
    model.int_var("x", range(3))
    with pytest.raises(InvalidValue, match="no board"):
        square_counts(model)


def test_a_wrong_count_is_noticed(monkeypatch):
    def wrong(problem, choice, control):
        number = counted(problem, choice, control)
        return number + (len(problem.constraints) > constraints and number > 0)

    counted, constraints = squares.count_chosen, len(queens(6).constraints)
    monkeypatch.setattr(squares, "count_chosen", wrong)
    with pytest.raises(VerificationError, match="row 0"):
        square_counts(6)


def interrupt(progress):
    if progress.found:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("stopped_by", "error"), [({"time_limit": 1}, SearchStopped), ({"progress": interrupt}, SearchInterrupted)]
)
def test_what_is_known_of_a_board_with_too_many_solutions(stopped_by, error):
    """Of 17 rooks, 16! solutions have one in a corner; the four corners are counted together."""
    with pytest.raises(error, match="4 squares") as stopped:
        square_counts(queens(17, diagonals="none"), **stopped_by)
    counts = stopped.value.partial
    assert 0 < counts[0][0] == counts[0][16] == counts[16][0] == counts[16][16] < math.factorial(16)
    assert sum(map(sum, counts)) == 4 * counts[0][0]


def test_what_is_known_after_an_interrupt_of_listing():
    with pytest.raises(SearchInterrupted) as stopped:
        square_counts(12, backend="python-constraint", progress=interrupt)
    counts = stopped.value.partial
    found = sum(counts[0])
    assert found > 0
    assert all(sum(row) == found for row in counts)


def test_the_text_stands_in_columns():
    assert counts_text([[1, 20], [300, 4]]) == "  1  20\n300   4"
    assert counts_text([]) == ""


def test_a_heat_map_as_svg_has_the_numbers(tmp_path):
    pytest.importorskip("matplotlib")
    model = queens(6, blocked=[(0, 0)])
    counts = square_counts(model)
    path = tmp_path / "squares.svg"
    write_heat_map(counts, path, title="six <queens>", blocked=[(0, 0)])
    texts = [node.text for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]
    assert "six <queens>" in texts
    numbers = [int(text) for text in texts if text and text.isdigit()]
    assert sum(numbers) >= sum(map(sum, counts)), "each number stands in its square; others are at the sides"


def test_a_heat_map_as_png_is_the_same_each_time_and_small_print_is_left_out(tmp_path):
    pytest.importorskip("matplotlib")
    small, large = [[5, 5], [5, 5]], [[10**12] * 40 for _ in range(40)]
    for name, counts in (("a", small), ("b", small), ("c", large)):
        write_heat_map(counts, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    write_heat_map(large, tmp_path / "c.svg")
    assert str(10**12) not in (tmp_path / "c.svg").read_text()


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_any_title_of_a_heat_map_is_only_text(kind, tmp_path, recwarn):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"squares.{kind}"
    write_heat_map([[0, 1], [1, 0]], path, title="$x^{ <b> 八皇后\nline")
    assert [str(warning.message) for warning in recwarn] == [
        "the font of heat maps (DejaVu Sans) lacks '八', '后', '皇', boxes stand there"
    ]
    if kind == "svg":
        texts = [node.text for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        assert "$x^{ <b> \u25a1\u25a1\u25a1 line" in texts


def test_heat_maps_that_cannot_be_drawn(tmp_path):
    with pytest.raises(InvalidValue, match=r"neither \.png nor \.svg"):
        write_heat_map([[1]], tmp_path / "squares.pdf")
    with pytest.raises(InvalidValue, match="no squares"):
        write_heat_map([], tmp_path / "squares.png")


def test_listing_agrees_with_placing():
    model = queens(7, torus=True)
    expected = [[0] * 7 for _ in range(7)]
    for solution in solutions(model):
        for row, column in enumerate(solution["queen"]):
            expected[row][column] += 1
    assert square_counts(model) == expected
