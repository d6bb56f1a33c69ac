"""Sheets of boards: what is drawn where, in SVG and in PNG; what cannot be drawn."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

import nqueens_cp
from nqueens_cp import (
    BackendUnavailable,
    InvalidType,
    InvalidValue,
    Model,
    NoSolution,
    Solution,
    load_model,
    puzzle,
    queens,
    sheet,
    solutions,
    solve,
)
from nqueens_cp.render.diagram import Diagram
from nqueens_cp.render.image import outline_of
from svg_reading import elements, squares_of, words

SVG = "{http://www.w3.org/2000/svg}"
GOLDEN = Path(__file__).with_name("golden")
RENEW = os.environ.get("NQUEENS_CP_RENEW_GOLDEN") == "1"
"""With NQUEENS_CP_RENEW_GOLDEN=1 the pictures in golden/ are drawn anew; look at them before you commit them."""
LIGHT, DARK, CLOSED = (0xF3, 0xE0, 0xC2), (0xC7, 0x9F, 0x72), (0x5F, 0x63, 0x68)
FOUR = [[1, 3, 0, 2], [2, 0, 3, 1]]
REGIONS = ["EEADD", "EEAED", "EEEED", "EECBB", "ECCBB"]


# Golden pictures.

PICTURES = {
    "four": lambda: sheet(solutions(4), title="Four queens", note="both solutions", coordinates="chess"),
    "marks": lambda: sheet(solve(queens(6, placed=[(0, 1)], blocked=[(3, 1), (5, 5)])), coordinates="row-column"),
    "regions": lambda: sheet([puzzle(REGIONS, crossed=[(4, 4)], given=[(4, 1)]), puzzle(REGIONS).solve()]),
    "attacked": lambda: sheet([[0, None, None, None, None]], attacked=True, captions=["one queen"]),
    "pieces": lambda: sheet([Diagram(2, 3, frozenset({(0, 0), (1, 2)}), piece) for piece in (
        "queen", "rook", "bishop", "knight", "king", "star", "point", "amazon")], columns=4),
}  # fmt: skip


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_byte_for_byte_what_they_were(name):
    made, kept = PICTURES[name]().svg().encode(), GOLDEN / f"{name}.svg"
    if RENEW:
        kept.write_bytes(made)
    assert made == kept.read_bytes()


def test_no_golden_picture_is_left_over():
    assert {path.stem for path in GOLDEN.glob("*")} == set(PICTURES)


# What is drawn where.


def test_the_pieces_stand_where_the_solutions_say():
    every = list(solutions(6))
    picture = sheet(every).svg()
    assert squares_of(picture, "queen") == [set(enumerate(solution["queen"])) for solution in every]
    assert words(picture, "caption") == ["1", "2", "3", "4"]


@pytest.mark.parametrize("piece", ["rook", "bishop", "knight", "king", "star", "queen"])
def test_each_piece_has_a_shape_of_its_own(piece):
    picture = sheet(Diagram(2, 2, frozenset({(0, 1)}), piece)).svg()
    assert squares_of(picture, piece) == [{(0, 1)}]
    other = sheet(Diagram(2, 2, frozenset({(0, 1)}), "point")).svg()
    assert picture != other.replace("point", piece)


def test_rectangular_boards_and_boards_of_squares():
    rectangle = solve(queens(5, rows=3)).solution
    kings = solve(load_model("kings", n=4, number=3)).solution
    picture = sheet([rectangle, kings]).svg()
    assert squares_of(picture, "queen")[0] == set(enumerate(rectangle["queen"]))
    on = {(r, c) for r, c in itertools.product(range(4), repeat=2) if kings[f"square[{r},{c}]"]}
    assert squares_of(picture, "king")[1] == on
    (light, _) = elements(picture, "light")
    assert light.get("d") == "M0 0h200v120h-200z", "3 rows of 5 squares"


def test_blocked_and_placed_squares():
    model = queens(6, placed=[(0, 1)], blocked=[(3, 1), (5, 5)])
    for drawn in (sheet(solve(model)), sheet(model)):
        picture = drawn.svg()
        assert squares_of(picture, "given") == [{(0, 1)}]
        (blocked,) = elements(picture, "blocked")
        assert blocked.get("d") == "M40 120h40v40h-40zM200 200h40v40h-40z"
    assert squares_of(sheet(model).svg(), "queen") == [{(0, 1)}], "as it is posed"


def test_regions_of_models_and_puzzles():
    rows = ["AABB", "AABB", "CCDD", "CCDD"]
    by_hand = queens(4, touching=False)
    by_hand.mark(regions=[list(row) for row in rows])
    models = [queens(4, regions=rows, touching=False), load_model("region_queens", regions=rows), by_hand]
    for drawn in ([solve(model) for model in models], puzzle(rows), puzzle(rows).solve()):
        picture = sheet(drawn).svg()
        fills = [element.get("fill") for element in elements(picture, "region")]
        assert len(set(fills)) == 4
        assert len(elements(picture, "borders")) >= 1
    labels = words(sheet(puzzle(["ABAB", "BABA", "CDCD", "DCDC"])).svg(), "label")
    assert sorted(labels) == sorted("ABAB" + "BABA" + "CDCD" + "DCDC"), "each piece of a region is named"
    assert words(sheet(puzzle(rows)).svg(), "label") == ["A", "B", "C", "D"]


def test_chess_coordinates_have_a1_at_the_bottom_left():
    picture = sheet([[1, 3, 0, 2]], coordinates="chess").svg()
    columns, rows = elements(picture, "column"), elements(picture, "row")
    assert [one.text for one in sorted(columns, key=lambda one: float(one.get("x")))] == list("abcd")
    assert [one.text for one in sorted(rows, key=lambda one: float(one.get("y")))] == list("4321")
    assert min(float(one.get("y")) for one in columns) > max(float(one.get("y")) for one in rows), "letters below"


def test_row_column_coordinates_count_from_the_top_left():
    picture = sheet(queens(6, rows=3), coordinates="row-column").svg()
    columns, rows = elements(picture, "column"), elements(picture, "row")
    assert [one.text for one in sorted(columns, key=lambda one: float(one.get("x")))] == list("012345")
    assert [one.text for one in sorted(rows, key=lambda one: float(one.get("y")))] == list("012")
    assert max(float(one.get("y")) for one in columns) < min(float(one.get("y")) for one in rows), "numbers above"


def test_many_columns_have_letters_that_go_on_and_small_squares_fewer_labels():
    picture = sheet(Diagram(2, 30), coordinates="chess", square=40).svg()
    assert words(picture, "column")[24:] == ["y", "z", "aa", "ab", "ac", "ad"]
    sparse = words(sheet(Diagram(50, 50), coordinates="row-column", square=5).svg(), "row")
    assert sparse == [str(row) for row in range(0, 50, 2)]


def test_the_square_at_the_bottom_left_is_dark():
    for n in (4, 5):
        (dark,) = elements(sheet(Diagram(n, n)).svg(), "dark")
        assert f"M0 {40 * (n - 1)}h40" in dark.get("d")
        assert f"M40 {40 * (n - 1)}h40" not in dark.get("d")


def test_numbers_of_boards_side_by_side():
    def places(number: int, **options) -> list[tuple[float, float]]:
        picture = sheet([Diagram(8, 8)] * number, **options).svg()
        words = [board.get("transform").partition("(")[2].partition(")")[0] for board in elements(picture, "diagram")]
        return [tuple(map(float, place.split())) for place in words]

    for number, columns in ((1, 1), (2, 2), (3, 3), (12, 4), (92, 12)):
        assert len({x for x, _ in places(number)}) == columns
    three = places(7, columns=3)
    assert [len(list(row)) for _, row in itertools.groupby(three, key=lambda place: place[1])] == [3, 3, 1]
    assert len({y for _, y in places(5, columns=99)}) == 1


@pytest.mark.filterwarnings("ignore:the font of PNG")  # it has no Japanese letters
@pytest.mark.parametrize(
    "text", ["<b> & \"c\" 'd'", "\x00\x0b\ud800\ufffe", "$x^2$ $", "日本語の題", "a" * 500, "\n\t "]
)
def test_any_text_can_be_a_title_or_a_caption(text, tmp_path):
    drawn = sheet([Diagram(2, 2)], title=text, note=text, captions=[text])
    root = ElementTree.fromstring(drawn.svg().encode())
    if text.startswith("<b>"):
        assert root.find(f"{SVG}title").text == f"{text}: {text}"
        assert words(drawn.svg(), "caption")[0].startswith("<b>")
    pytest.importorskip("matplotlib")
    drawn.save(tmp_path / "text.png")


def test_letters_that_the_font_lacks_are_told_once(tmp_path, recwarn):
    pytest.importorskip("matplotlib")
    drawn = sheet(FOUR, title="八皇后 (八皇后)", captions=["一", "β"])
    drawn.save(tmp_path / "title.png")
    told = [str(warning.message) for warning in recwarn]
    assert len(told) == 1, told
    assert "lacks '一', '八', '后', '皇', boxes stand there" in told[0]
    assert "八皇后" in drawn.svg()


def test_boards_as_arrays():
    numpy = pytest.importorskip("numpy")
    assert sheet(numpy.array(FOUR)).svg() == sheet(FOUR).svg()
    assert sheet(list(numpy.array(FOUR))).svg() == sheet(FOUR).svg()
    assert sheet(numpy.array(FOUR[0])).svg() == sheet(FOUR[0]).svg()


def test_long_titles_and_captions_are_wrapped():
    picture = sheet([[1, 3, 0, 2]], title="queens on a board " * 9, captions=["0 1 2 3 4 5 6 7 8 9 " * 4]).svg()
    root = ElementTree.fromstring(picture)
    width = float(root.get("width"))
    for kind, size in (("title", 20), ("caption", 13)):
        lines = [text for text in words(picture, kind) if text]
        assert len(lines) > 2
        assert all(0.5 * size * len(line) < width for line in lines)


def test_solutions_show_themselves_in_notebooks():
    solution = solve(4).solution
    assert solution._repr_svg_() == solution.svg() == sheet(solution)._repr_svg_()
    large = queens(501, rows=1)
    assert solve(queens(501)).solution._repr_svg_() is None, "too large for a picture"
    assert solve(large).solution._repr_svg_() is not None


# PNG, read back by another reader.


def pixels(drawn, tmp_path):
    """A function from a place on the picture, in its own pixels, to red, green and blue."""
    image = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed")
    drawn.save(tmp_path / "read-back.png")
    found = image.imread(tmp_path / "read-back.png")
    height, width = found.shape[:2]
    assert (width, height) == (int(2 * drawn.drawing.width), int(2 * drawn.drawing.height))
    return lambda x, y: tuple(round(255 * float(part)) for part in found[int(2 * y), int(2 * x)][:3])


def test_a_png_has_the_colours_of_its_squares_and_pieces(tmp_path):
    model = queens(6, placed=[(0, 1)], blocked=[(3, 1)])
    solution = solve(model).solution
    colour = pixels(sheet(solution), tmp_path)
    for row, column in itertools.product(range(6), repeat=2):
        corner = colour(3 + 40 * column + 3, 3 + 40 * row + 3)
        expected = CLOSED if (row, column) == (3, 1) else LIGHT if (row + column) % 2 == 0 else DARK
        assert corner == expected, (row, column)
        body = colour(3 + 40 * column + 20, 3 + 40 * row + 25)
        assert (sum(body) < 150) == (solution["queen"][row] == column), (row, column)


def test_lines_between_regions_are_dark_and_only_these_in_shades_of_grey(tmp_path):
    board = puzzle.new(11, seed=5)
    colour = pixels(sheet(board, captions=()), tmp_path)

    def grey(x: float, y: float) -> float:
        red, green, blue = colour(3 + x, 3 + y)
        return 0.299 * red + 0.587 * green + 0.114 * blue

    for row, column in itertools.product(range(11), repeat=2):
        assert grey(40 * column + 20, 40 * row + 28) > 110, "the square itself is light"
        for down, across in ((0, 1), (1, 0)):
            if row + down < 11 and column + across < 11:
                edge = grey(40 * (column + across) + 20 * down, 40 * (row + down) + 20 * across)
                between = board.grid[row][column] != board.grid[row + down][column + across]
                assert (edge < 60) == between, (row, column, down, across)


def test_a_png_is_the_same_each_time_and_a_pdf_is_one(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("a.png", "b.png", "a.pdf", "b.pdf"):
        sheet(FOUR, title="twice").save(tmp_path / name)
    for form, beginning in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        first, second = ((tmp_path / f"{name}.{form}").read_bytes() for name in "ab")
        assert first == second
        assert first.startswith(beginning)


def test_paths_are_read_as_svg_means_them():
    pytest.importorskip("matplotlib")
    path = outline_of("M1 2h3v-4l-.5-1.5zm10 0L5 6C1 2 3 4 5 6c1 1 2 2 3 3 1 0 1 0 2 0z")
    assert path.vertices.tolist() == [
        [1, 2], [4, 2], [4, -2], [3.5, -3.5], [1, 2], [11, 2], [5, 6], [1, 2], [3, 4], [5, 6], [6, 7], [7, 8], [8, 9],
        [9, 9], [9, 9], [10, 9], [11, 2],
    ]  # fmt: skip
    move, line, curve, close = 1, 2, 4, 79
    assert path.codes.tolist() == [move, line, line, line, close, move, line, *[curve] * 9, close]


# What is refused.


def no_board() -> Solution:
    model = Model("plain")
    model.int_var("x", [3])
    return solve(model).solution


REFUSED = {
    "nothing": (lambda: sheet([]), "no board"),
    "a text": (lambda: sheet("Q..."), "Q..."),
    "a number": (lambda: sheet(8), "8"),
    "texts": (lambda: sheet(["Q", "."]), "Q"),
    "a model without a board": (lambda: sheet(Model("plain")), "no board"),
    "a solution without a board": (lambda: sheet([no_board()]), "no board"),
    "a column that is not there": (lambda: sheet([[0, 4, 1]]), "row 1"),
    "a column below 0": (lambda: sheet([-1, 0]), "-1"),
    "a column that is no integer": (lambda: sheet([[0.5, 1]]), "0.5"),
    "no columns": (lambda: sheet(FOUR, columns=0), "columns: 0"),
    "half a column": (lambda: sheet(FOUR, columns=1.5), "1.5"),
    "unknown coordinates": (lambda: sheet(FOUR, coordinates="a1"), "'a1'"),
    "small squares": (lambda: sheet(FOUR, square=3), "3"),
    "large squares": (lambda: sheet(FOUR, square=1000), "1000"),
    "captions that do not fit": (lambda: sheet(FOUR, captions=["one"]), "2 boards"),
    "captions as a text": (lambda: sheet(FOUR, captions="ab"), "captions"),
    "a title that is no text": (lambda: sheet(FOUR, title=None), "title"),
    "attacked that is no truth": (lambda: sheet(FOUR, attacked="yes"), "yes"),
    "too many squares": (lambda: sheet(queens(501)), "250,000"),
    "too many boards": (lambda: sheet(itertools.repeat([0] * 100)), "250,000"),
    "another kind of file": (lambda: sheet(FOUR).save("boards.gif"), ".svg"),
    "regions that cannot be told apart": (lambda: queens(1).mark(regions=[[[1]]]), "hashable"),
    "a piece beside the board": (lambda: Diagram(2, 3, frozenset({(2, 0)})), "(2, 0) is not on a board of 2 rows"),
    "less than no rows": (lambda: Diagram(-1, 3), "rows: -1"),
    "rows as a text": (lambda: Diagram("2", 3), "'2'"),
    "no name of a file": (lambda: sheet(FOUR).save(""), "''"),
    "regions that do not fit": (lambda: queens(3).mark(regions=["AB", "AB"]), "3 rows"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_drawn(name):
    call, word = REFUSED[name]
    with pytest.raises((InvalidValue, InvalidType)) as refused:
        call()
    assert word in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_result_without_a_solution():
    with pytest.raises(NoSolution, match="unsatisfiable"):
        sheet(solve(3))


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_boards(n, tmp_path):
    drawn = sheet([solve(n), solve(n)], coordinates="chess", attacked=True, title="small")
    assert ElementTree.fromstring(drawn.svg()) is not None
    pytest.importorskip("matplotlib")
    drawn.save(tmp_path / "small.png")


def test_a_picture_too_large_for_png_is_refused_and_svg_is_not(tmp_path):
    pytest.importorskip("matplotlib")
    drawn = sheet([Diagram(8, 8)] * 200, columns=1, square=60)
    with pytest.raises(InvalidValue, match="too large as PNG"):
        drawn.save(tmp_path / "tower.png")
    drawn.save(tmp_path / "tower.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["tower.svg"]


def test_without_matplotlib_it_is_told_how_to_get_it(tmp_path, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    sheet(FOUR).save(tmp_path / "four.svg")
    with pytest.raises(BackendUnavailable, match="pip install matplotlib"):
        sheet(FOUR).save(tmp_path / "four.png")


def test_it_is_a_public_name():
    assert nqueens_cp.sheet is sheet
