"""The command gallery: sheets of boards in files and pipes, limits, interrupts; and one look in a browser."""

from __future__ import annotations

import io
import itertools
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from plain_boards import MOVES, image
from svg_reading import boards, elements, words

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "images"
ONE_THEN_ENDLESS = """
from nqueens_cp import Model, all_different

def build():
    # One board at once; whether there is another, with 20 pigeons in 19 holes, takes for ever to find out.
    model = Model("one_then_endless")
    shown = model.int_vars("shown", 1, range(2))
    pigeons = [model.int_var(f"pigeon{i}", [*range(19), 100 + i]) for i in range(20)]
    model.add(all_different(pigeons))
    for i, pigeon in enumerate(pigeons):
        model.add((shown[0] == 0).implies(pigeon == 100 + i), (shown[0] == 1).implies(pigeon < 19))
    model.board(shown)
    return model
"""


# What is drawn.


def test_the_twelve_boards_of_eight_queens(cli, tmp_path, is_solution):
    ran = cli("gallery", "8", "--up-to-symmetry", "--output", str(tmp_path / "boards.svg"))
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "12 solutions up to symmetry" in ran.stderr
    drawn = boards(tmp_path / "boards.svg")
    orbits = [{image(move, tuple(board), 8) for move in MOVES} for board in drawn]
    assert len(set.union(*orbits)) == 92, "each of the 92 solutions (A000170) is an image of one of them"
    assert all(map(is_solution, drawn))
    assert words(tmp_path / "boards.svg", "caption") == [
        f"{i} (orbit of {len(orbit)})" for i, orbit in enumerate(orbits, 1)
    ]
    assert len(orbits) == 12
    assert (tmp_path / "boards.svg").read_bytes() == (PICTURES / "eight-queens.svg").read_bytes(), (
        "the picture in docs/ is drawn by the command"
    )


def test_all_solutions_of_a_backend(draw, is_solution):
    ran = draw("6", "--backend", "cp-sat", "--title", "", "--columns", "2")
    drawn = boards(ran.stdout)
    assert ran.returncode == 0
    assert len({tuple(board) for board in drawn}) == 4
    assert all(map(is_solution, drawn))
    assert words(ran.stdout, "title") == words(ran.stdout, "note") == []


def test_a_title_and_coordinates_of_chess(draw):
    ran = draw("4", "--title", "a <title>", "--coordinates", "chess")
    assert words(ran.stdout, "title") == ["a <title>"]
    assert words(ran.stdout, "row") == list("4321") * 2
    assert words(ran.stdout, "column") == list("abcd") * 2


@pytest.mark.parametrize("name", ["boards.png", "boards.pdf", "boards.PNG"])
def test_other_formats(draw, tmp_path, name):
    pytest.importorskip("matplotlib")
    ran = draw("4", "-o", name)
    assert ran.returncode == 0, ran.stderr
    beginning = {".png": b"\x89PNG\r\n", ".pdf": b"%PDF-"}[Path(name).suffix.lower()]
    assert (tmp_path / name).read_bytes().startswith(beginning)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_model_with_an_objective_is_drawn_at_its_best(draw):
    ran = draw("queens_domination", "n=5", "--attacked")
    assert (ran.returncode, "objective 3" in ran.stderr) == (0, True)  # A075458
    (board,) = elements(ran.stdout, "diagram")
    kinds = [element.get("class") for element in board]
    assert (kinds.count("queen"), kinds.count("attacked")) == (3, 22), "every square is attacked or holds a queen"


def test_a_board_as_it_is_posed(draw):
    ran = draw("8", "placed=[(0, 3)]", "blocked=[(1, 0), (1, 1)]", "--unsolved", "--attacked")
    assert (ran.returncode, ran.stderr) == (0, "the board as it is posed, drawn\n")
    assert len(elements(ran.stdout, "queen")) == len(elements(ran.stdout, "given")) == 1
    attacked = {(int(e.get("cy")) // 40, int(e.get("cx")) // 40) for e in elements(ran.stdout, "attacked")}
    squares = itertools.product(range(8), repeat=2)
    assert attacked == {(r, c) for r, c in squares if r == 0 or c == 3 or r == abs(c - 3)} - {(0, 3)}


def test_no_solution_no_picture(draw, tmp_path):
    ran = draw("3", "-o", "boards.svg")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.splitlines()[1:] == ["boards.svg: not written, there is no board to draw"]
    assert "no solution" in ran.stderr
    assert not list(tmp_path.iterdir())


def test_letters_that_the_font_lacks_are_remarked_once(draw):
    pytest.importorskip("matplotlib")
    ran = draw("4", "--title", "八皇后", "-o", "boards.png")
    assert ran.returncode == 0
    assert [line[:30] for line in ran.stderr.splitlines()] == [
        "note: the font of PNG and PDF ",
        "2 solutions, all of them drawn",
    ]


# Limits and interrupts.


def test_by_default_a_hundred_boards_are_drawn_and_it_is_said_that_there_are_more(draw):
    ran = draw("9")
    assert ran.returncode == 3
    assert len(elements(ran.stdout, "diagram")) == 100
    assert "there may be more" in ran.stderr
    assert "--limit" in ran.stderr
    assert words(ran.stdout, "note") == ["the first 100 solutions, there may be more"]


def test_a_limit(draw):
    ran = draw("6", "--limit", "3", "--title", "three")
    assert (ran.returncode, len(elements(ran.stdout, "diagram"))) == (3, 3)
    assert words(ran.stdout, "note") == ["the first 3 solutions, there may be more"], "a title does not hide it"
    ran = draw("6", "--limit", "4", "--title", "all")
    assert (ran.returncode, words(ran.stdout, "note")) == (0, [])


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    (tmp_path / "endless.py").write_text(ONE_THEN_ENDLESS)
    return tmp_path


def test_what_was_found_in_time_is_drawn_and_marked_as_partial(draw, endless):
    for seconds in ("0.5", "5", "50"):  # however busy the machine is
        ran = draw("endless.py", "--time-limit", seconds, "-o", "boards.svg")
        assert ran.returncode == 3
        assert f"time limit of {seconds} s" in ran.stderr
        if (endless / "boards.svg").exists():
            break
    assert len(elements(endless / "boards.svg", "diagram")) == 1
    note = " ".join(words(endless / "boards.svg", "note"))
    assert note.startswith("partial: 1 solution found before the time limit")


def test_what_was_found_before_an_interrupt_is_drawn_and_marked_as_partial(start, work, endless):
    process = start("gallery", str(endless / "endless.py"), "-o", str(endless / "boards.svg"))
    work(process, 1.5)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert "interrupted (partial): 1 solution" in errors
    assert len(elements(endless / "boards.svg", "diagram")) == 1
    assert words(endless / "boards.svg", "note")[0].startswith("partial: 1 solution")
    assert sorted(path.suffix for path in endless.iterdir() if path.is_file()) == [".py", ".svg"]


# What is refused.


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["magic_square", "n=3"], ["magic_square", "no board"]),
        (["8", "--output", "boards.gif"], ["boards.gif", ".svg"]),
        (["8", "--output", "none/boards.svg"], ["none/boards.svg", "no folder"]),
        (["8", "--output", "folder.svg"], ["folder.svg", "folder"]),
        (["8", "--limit", "0"], ["--limit", "0"]),
        (["8", "--limit", "many"], ["--limit", "many"]),
        (["8", "--limit", "4000"], ["4000 x 8 x 8", "250,000"]),
        (["501"], ["501 x 501", "250,000"]),
        (["8", "--columns", "0"], ["--columns", "0"]),
        (["8", "--square", "1"], ["square", "1"]),
        (["8", "--coordinates", "a1"], ["coordinates", "'a1'", "chess"]),
        (["8", "--backend", "nobody"], ["nobody"]),
        (["8", "--colour", "blue"], ["--colour"]),
        (["no_three_in_line", "n=3", "--attacked"], ["point"]),
        (["kings", "n=3", "--up-to-symmetry"], ["kings", "square"]),
        (["no_such_file.txt"], ["no_such_file.txt"]),
        (["words.txt"], ["words.txt", "line 1"]),
        (["puzzle.txt", "n=8"], ["n=8", "puzzle.txt"]),
        (["puzzle.txt", "words.txt"], ["words.txt", "line 1"]),
        (["puzzle.txt", "missing.txt"], ["missing.txt", "only more files"]),
        (["8", "--unsolved", "--limit", "6"], ["--limit", "--unsolved", "once"]),
        (["8", "--grade"], ["--grade", "8"]),
    ],
    ids=" ".join,
)
def test_what_cannot_be_drawn(draw, tmp_path, arguments, told):
    (tmp_path / "words.txt").write_text("these are words\n")
    (tmp_path / "puzzle.txt").write_text("AABB\nAABB\nCCDD\nCCDD\n")
    (tmp_path / "folder.svg").mkdir()
    before = sorted(tmp_path.iterdir())
    ran = draw(*arguments)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert all(word in ran.stderr for word in told), ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


def test_without_matplotlib_svg_is_drawn_and_png_refused_before_the_search(cli, tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    (tmp_path / "boards.png").write_text("what was there")
    ran = cli("gallery", "endless", "-o", str(tmp_path / "boards.png"), path=tmp_path)
    assert ran.returncode == 2
    assert "pip install matplotlib" in ran.stderr
    assert (tmp_path / "boards.png").read_text() == "what was there"
    ran = cli("gallery", "4", path=tmp_path)
    assert (ran.returncode, len(boards(ran.stdout))) == (0, 2)


def test_a_terminal_is_not_flooded(program):
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    leader, follower = pty.openpty()
    ran = subprocess.run([program, "gallery", "4"], stdout=follower, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(follower)
    os.close(leader)
    assert ran.returncode == 2
    assert "--output boards.svg" in ran.stderr


# In a browser.


def test_a_sheet_in_a_browser(draw, tmp_path, browser, open_page, complaints):
    picture = tmp_path / "boards.svg"
    assert draw("8", "--limit", "12", "--coordinates", "chess", "-o", str(picture)).returncode == 3
    open_page(picture)
    complaints()
    inks = {}
    for scheme in ("light", "dark"):
        open_page(picture, scheme=scheme)
        inks[scheme] = browser.execute_script(
            "return ['.paper', '.title'].map(kind => getComputedStyle(document.querySelector(kind)).fill)"
        )
    assert complaints() == []
    assert inks["light"] == ["rgb(255, 255, 255)", "rgb(31, 35, 40)"]
    assert inks["dark"] == ["rgb(13, 17, 23)", "rgb(230, 237, 243)"]
    seen = browser.execute_script(
        """
        const box = e => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom] };
        const page = box(document.documentElement);
        return {page, boards: [...document.querySelectorAll('.diagram')].map(board => ({
            box: box(board),
            queens: [...board.querySelectorAll('.queen')].map(queen => {
                const [left, top, right, bottom] = box(queen);
                const [x, y] = [(left + right) / 2, (top + bottom) / 2 + 1];
                scrollTo(0, y - 300);
                const above = document.elementFromPoint(x - scrollX, y - scrollY);
                scrollTo(0, 0);
                return [x, y, above !== null && above.closest('.queen') === queen] }) })),
          texts: [...document.querySelectorAll('text')].map(t => [t.textContent, ...box(t)]) };
        """
    )
    left, top, right, bottom = seen["page"]
    assert len(seen["boards"]) == 12
    expected = boards(picture)
    for board, columns in zip(seen["boards"], expected, strict=True):
        west, north, east, south = board["box"]
        assert left <= west < east <= right
        assert top <= north < south <= bottom
        square = (east - west) / 8
        assert square > 15
        places = {(int((y - north) // square), int((x - west) // square)) for x, y, _ in board["queens"]}
        assert places == set(enumerate(columns))
        assert all(visible for _, _, visible in board["queens"]), "nothing covers a queen"
    for first, second in itertools.combinations([board["box"] for board in seen["boards"]], 2):
        assert first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]
    texts = seen["texts"]
    assert [text for text, *_ in texts].count("12") == 1
    for text, west, north, east, south in texts:
        assert left <= west < east <= right, text
        assert south - north >= 6, text
        for board in seen["boards"]:
            outside = east <= board["box"][0] + 1 or west >= board["box"][2] - 1
            assert outside or south <= board["box"][1] + 1 or north >= board["box"][3] - 1, f"{text} covers a board"


def test_a_browser_and_matplotlib_draw_the_same(draw, tmp_path, browser, open_page):
    image = pytest.importorskip("matplotlib.image")
    model = ["6", "placed=[(0, 1)]", "blocked=[(3, 1)]", "--title", ""]
    for name in ("board.svg", "board.png"):
        assert draw(*model, "-o", str(tmp_path / name)).returncode == 0
    open_page(tmp_path / "board.svg")
    shot = image.imread(io.BytesIO(browser.get_screenshot_as_png()))[..., :3]
    drawn = image.imread(tmp_path / "board.png")[..., :3]
    height, width = (side // 2 for side in drawn.shape[:2])
    drawn = drawn[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3).mean(axis=(1, 3))
    difference = abs(shot[:height, :width] - drawn)
    assert difference.mean() < 0.01
    assert (difference.max(axis=2) > 0.25).mean() < 0.01, "lines and curves differ at their edges only"


# The pictures of docs/pictures.md are what its examples draw.


def test_the_pictures_of_the_page_are_drawn_by_its_examples(draw, tmp_path):
    page = (PICTURES.parent / "pictures.md").read_text(encoding="utf-8")
    rows = "BEEECC\nBBBECC\nBBDEAC\nBBDEAC\nBBBFFC\nBBBFFF\n"
    assert rows.replace("\n", "\\n") in page
    (tmp_path / "board.txt").write_text(rows)
    assert draw("board.txt", "--coordinates", "row-column", "--output", "solved.svg").returncode == 0
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    exec(compile(code, "pictures.md", "exec"), {})
    for name, drawn in (("regions.svg", "solved.svg"), ("steps.svg", "steps.svg")):
        assert (tmp_path / drawn).read_bytes() == (PICTURES / name).read_bytes()
