"""Reading and writing region puzzles: every format there and back, what malformed ones are told, and noise."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_cp import InvalidValue, NQueensError, puzzle
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.puzzles import batch, quick, reading, writing
from nqueens_cp.puzzles.puzzle import Puzzle

QUARTERS = "AABB\nAABB\nCCDD\nCCDD\n"
GRID = ((0, 0, 1, 1), (0, 0, 1, 1), (2, 2, 3, 3), (2, 2, 3, 3))


def one(text: str) -> Puzzle:
    (found,) = reading.read(text, "file")
    return found


@pytest.mark.parametrize(
    "text",
    [
        QUARTERS,
        QUARTERS.replace("\n", "\r\n"),
        "\n\n# a comment\n" + QUARTERS.rstrip() + "\n\n",
        "1 1 2 2\n1 1 2 2\n3 3 4 4\n3 3 4 4",
        "up up\tright right\nup  up right right\nl l d d\nl l d d\n",
        "🟥🟥🟦🟦\n🟥🟥🟦🟦\n🟩🟩⬛\ufe0f⬛\n🟩🟩⬛⬛",
        "xxQQ\nxxQQ\n..::\n..::",
        "\ufeff" + QUARTERS,
        '["AABB", "AABB", "CCDD", "CCDD"]',
        "[[0,0,1,1],\n [0,0,1,1],\n [2,2,3,3],\n [2,2,3,3]]",
        '{"regions": ["AABB", "AABB", "CCDD", "CCDD"], "source": "somebody"}',
        '[{"regions": [[7,7,"b","b"],[7,7,"b","b"],["c","c","d","d"],["c","c","d","d"]]}]',
        '{"regions": [[[0,0],[0,1],[1,0],[1,1]], [[0,2],[0,3],[1,2],[1,3]],'
        " [[2,0],[2,1],[3,0],[3,1]], [[2,2],[2,3],[3,2],[3,3]]]}",
        '{"regions": {"a": [[0,0],[0,1],[1,0],[1,1]], "b": [[0,2],[0,3],[1,2],[1,3]],'
        ' "c": [[2,0],[2,1],[3,0],[3,1]], "d": [[2,2],[2,3],[3,2],[3,3]]}}',
        "a: (0,0) (0,1) (1,0) (1,1)\nb: (0,2), (0,3), (1,2), (1,3)\nc: (2,0)(2,1)(3,0)(3,1)\nd: (2, 2) (2, 3) (3, 2) (3, 3)",
    ],
)
def test_which_format_it_is_is_found_out(text, tmp_path):
    file = tmp_path / "board"
    file.write_text(text, encoding="utf-8")
    (found,) = puzzle.read(file)
    assert found.grid == GRID
    assert (found.stars, found.given, found.crossed) == (1, frozenset(), frozenset())


@pytest.mark.parametrize(
    "text",
    [
        "id: first\nstars: 2\n" + QUARTERS + "\n.Qx.\n....\nx...\n....\n",
        "id: first\nstars: 2\n" + QUARTERS + "\n. Q x .\n. . . .\nx . . .\n. . . .\n",
        "id: first\nstars: 2\n" + QUARTERS + "given: (0,1)\ncrossed: (0,2) (2,0)\n",
        '{"id": "first", "stars": 2, "regions": ["AABB","AABB","CCDD","CCDD"], "given": [[0,1]], "crossed": [[0,2],[2,0]]}',
    ],
)
def test_what_else_a_puzzle_has(text):
    found = one(text)
    assert (found.grid, found.id, found.stars) == (GRID, "first", 2)
    assert found.given == {(0, 1)}
    assert found.crossed == {(0, 2), (2, 0)}


def test_several_puzzles_in_a_file():
    lines = '{"id": 1, "regions": ["AB", "AB"]}\n\n{"id": 2, "regions": ["CD", "CD"]}\n["EE", "FF"]\n'
    assert [found.id for found in reading.read(lines)] == [1, 2, None]
    assert [found.labels for found in reading.read(lines)] == [("A", "B"), ("C", "D"), ("E", "F")]
    assert len(reading.read('[{"regions": ["AB", "AB"]}, {"regions": ["CD", "CD"]}]')) == 2


labels = st.one_of(st.integers(), st.text(max_size=4), st.booleans(), st.none(), st.tuples(st.integers()))


@st.composite
def puzzles(draw) -> Puzzle:
    n = draw(st.integers(1, 6))
    names = draw(st.lists(labels, min_size=n, max_size=n, unique=True))
    cells = [*range(n), *draw(st.lists(st.integers(0, n - 1), min_size=n * n - n, max_size=n * n - n))]
    cell = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    # a cell cannot be marked twice in text
    given = draw(st.sets(cell, max_size=3))
    return puzzle(
        [[names[k] for k in cells[row * n : row * n + n]] for row in range(n)],
        given=given,
        crossed=draw(st.sets(cell, max_size=3)) - given,
        stars=draw(st.integers(1, 3)),
    )


@settings(max_examples=150, deadline=None)
@given(puzzles(), st.sampled_from(writing.FORMATS))
def test_there_and_back(made, form):
    text = writing.write(made, form)
    found = one(text)
    assert (found.grid, found.stars, found.given, found.crossed) == (made.grid, made.stars, made.given, made.crossed)
    assert writing.write(found, form) == text
    assert all(character.isprintable() or character == "\n" for character in text)


def test_labels_and_ids_are_kept():
    made = one('{"id": "no 5: hard", "regions": [["red", "red"], ["blue", "blue"]]}')
    for form in writing.FORMATS:
        found = one(writing.write(made, form))
        assert (found.labels, found.id) == (("red", "blue"), "no 5: hard"), form
    assert one(writing.as_json(puzzle([[10, 10], [-3, -3]]))).labels == (10, -3)
    with pytest.raises(InvalidValue, match="xml"):
        writing.write(made, "xml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["empty"]),
        ("\n  \n", ["empty"]),
        ("# only a comment\n", ["no regions"]),
        ("AABB\nAAB\nCCDD\nCCDD", ["line 2", "row 1", "3 cells"]),
        ("AABB\nAABB\nCCDD\n", ["line 1", "3 x 4 cells"]),
        ("AABB\nAABB\nCCCC\nCCCC", ["3 regions", "4"]),
        ("\nAABB\nAABB\nCCDD\nCCDE", ["line 2", "5 regions"]),
        (QUARTERS + "\n.Q..\n....\n", ["line 6", "2 rows of marks", "4"]),
        (QUARTERS + "\n.Q..\n....\n...\n....", ["line 8", "row 2", "3 marks"]),
        (QUARTERS + "\n.Q..\n....\n..a.\n....", ["line 8", "(2, 2)", "'a'"]),
        (QUARTERS + "\n....\n....\n....\n....\n\n....", ["line 11", "third"]),
        ("stars: 4\n" + QUARTERS, ["line 1", "stars", "4"]),
        ("stars: two\n" + QUARTERS, ["line 1", "stars", "two"]),
        ("stars: 1\nstars: 1\n" + QUARTERS, ["line 2", "twice", "line 1"]),
        ("given: (4,0)\n" + QUARTERS, ["line 1", "given", "(4, 0)"]),
        (QUARTERS + "\n\ncrossed: (0,1) (0,4)\n", ["line 7", "crossed", "(0, 4)"]),
        (QUARTERS + "stars: 4", ["line 5", "stars", "1 to 3", "4"]),
        (f"id: {'a' * 300}\n" + QUARTERS, ["line 1", "id", "200"]),
        ("author: me\n" + QUARTERS, ["line 1", "'author'", "stars, id, given, crossed", "comment"]),
        (QUARTERS + "star: 2\n", ["line 5", "'star'", "'stars'"]),
        ("author: me\nA: (0,0)", ["line 1", "'author'"]),
        ("AABB ....\nAABB .Q..\nCCDD ....\nCCDD ....", ["line 1", "below", "not beside"]),
        (QUARTERS + "\n" + QUARTERS, ["line 6", "'AABB'", "no row of marks", "JSON lines"]),
        (QUARTERS + "\n" + QUARTERS + "\n" + QUARTERS, ["line 6", "one grid", "JSON lines"]),
        ("AABB\nAABB\n\nCCDD\nCCDD", ["line 4", "empty line within the grid"]),
        ("AABB\n\nAABB\n\nCCDD\n\nCCDD", ["line 3", "empty line within the grid"]),
        ("#c\nAB\nAB", ["line 1", "'#c'", "comment"]),
        ("AB\nAB\n// a board", ["line 3", "comment"]),
        ("AB\nA", ["line 2", "1 cell,"]),
        ("A: 0,0\nB: 1,0", ["line 1", "like (0,1) (0,2)", "'0,0'"]),
        ("A,A,B,B\nA,A,B,B\nC,C,D,D\nC,C,D,D", ["line 1", "no ','"]),
        ("A;A;B;B;\nA;A;B;B;\nC;C;D;D;\nC;C;D;D;", ["line 1", "no ';'"]),
        ("AA, AA, B, B\nAA, AA, B, B\nC, C, D, D\nC, C, D", ["line 4", "row 3 has 3 cells"]),
        ("given: 4,0\n" + QUARTERS, ["line 1", "'4,0'"]),
        ("AA\x1b[31mBB\n" + QUARTERS, ["line 1", "character 3", "x1b"]),
        ("AABB\x00\n" + QUARTERS, ["line 1", "x00"]),
        ("A: (0,0) (0,1)\nB: (1,0) (0,1)", ["(0, 1)", "'A'", "'B'"]),
        ("A: (0,0) (0,1)\nB: (1,0)", ["(1, 1)", "no region"]),
        ("A: (0,0) (0,1)\nB: (1,0) (-1,1)", ["(-1, 1)", "not on the board"]),
        ("A: (0,0) (0,1)\nB: (1,0) (1,1)\nC: \n", ["'C'", "no cell"]),
        ("A: (0,0)\nBB\n", ["line 2", "BB"]),
        ('{"regions": [["A"]', ["JSON"]),
        ('{"region": ["A"]}', ["region"]),
        ('{"regions": ["A"], "givn": []}', ["givn", "given"]),
        ('{"regions": 5}', ["5"]),
        ('{"regions": [5]}', ["entry 0", "5"]),
        ('{"grid": ["A"]}', ["no key", '"regions"', '"grid"']),
        ('{"a": 5}', ['"regions"', '"a"']),
        ('{"regions": ["A"]\n}\n{"regions": ["A"]}', ["line 3", "several puzzles"]),
        ('{"regions": {"a": 5}}', ['"a"', "5"]),
        ('{"regions": ["A"], "stars": "1"}', ["stars", '"1"']),
        ('{"regions": ["A"], "stars": true}', ["stars", "true"]),
        ('{"regions": ["A"], "stars": 4}', ["stars", "4", "1..3"]),
        ('{"regions": ["A"], "stars": {}}', ["stars", "{}"]),
        ('{"regions": ["A"], "given": {"a": 1}}', ["given", '{"a": 1}']),
        ('{"regions": ["A"], "given": [[false, 0]]}', ["given", "[false, 0]"]),
        ('{"regions": ["A"], "id": true}', ["id", "true"]),
        ('{"regions": ["A"], "stars": 1, "stars": 2}', ['"stars"', "twice"]),
        ('{"regions": {"A": [[0, 0]], "A": [[0, 1]]}}', ['"A"', "twice"]),
        ('{"regions": ["A"]}\n{"id": 1, "id": 2, "regions": ["A"]}', ["line 2", '"id"', "twice"]),
        ('{"regions": ["A"], "stars": NaN}', ["NaN"]),
        ('{"regions": [[[0, 0], [0, 1]], "AB"]}', ["entry 1", '"AB"', "cells"]),
        ('{"regions": [[[0, 0], "A"], ["A", "B"]]}', ["(0, 0)", "[0, 0]"]),
        ('{"regions": [[[0, 0.5]], [[1, 1]]]}', ["entry 0", "[0, 0.5]"]),
        ('{"regions": {"A": [[0, null]]}}', ['"A"', "[0, null]"]),
        ('{"regions": ["A",\n\n"B" "C"]}', ["JSON", "line 3, character 5"]),
        ('{"regions": ["A"], "given": 5}', ["given", "5"]),
        ('{"regions": ["A"], "given": [[0]]}', ["given", "[0]"]),
        ('{"regions": ["A"], "given": [[0, 1]]}', ["given", "(0, 1)"]),
        ('{"regions": ["A"], "crossed": [[0.5, 1]]}', ["crossed", "0.5"]),
        ('{"regions": ["A"], "id": []}', ["id", "[]"]),
        ('{"regions": ["A"], "id": "a\\nb"}', ["id", "printable"]),
        ('{"regions": [["A", null], ["B", "B"]]}', ["(0, 1)", "null"]),
        ('{"regions": [["A", 1.5], ["B", "B"]]}', ["(0, 1)", "1.5"]),
        ('{"regions": [["A", true], ["B", "B"]]}', ["(0, 1)", "true"]),
        ('{"regions": [["A", "\\u001b"], ["B", "B"]]}', ["(0, 1)", "u001b"]),
        ('{"regions": [["A", ["x"]], ["B", "B"]]}', ["(0, 1)", '["x"]']),
        ('{"regions": ["A"]}\n{"regions": ["AB", "A"]}', ["line 2", "row 1"]),
        ('{"regions": ["A"]}\n{"regions"', ["line 2", "JSON"]),
        ('[{"regions": ["A"]}, {"regions": ["AB"]}]', ["puzzle 2"]),
        ("[" * 100_000, ["JSON", "deep"]),
        ('{"regions": ' + "[" * 100_000 + "]" * 100_000 + "}", ["deep"]),
        ('{"regions": [[' + "9" * 5000 + "]]}", ["JSON"]),
        ("\n".join("A" * 70 for _ in range(70)), ["70", "64"]),
    ],
)
def test_malformed_puzzles(text, words):
    with pytest.raises(NQueensError) as refused:
        reading.read(text, "file")
    message = str(refused.value)
    assert message.startswith("file"), message
    assert len(message) < 500
    assert not re.search(r"\bNone|hashable|iterable|\((str|list|dict|float|int|bool)\)|\bTrue\b", message), message
    assert all(word in message for word in words), message


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "missing", "a\0b"):
        with pytest.raises(InvalidValue, match="cannot be read"):
            puzzle.read(path)
    (tmp_path / "latin").write_bytes("AÄ\nAÄ".encode("latin-1"))
    with pytest.raises(InvalidValue, match=r"latin: not UTF-8 .*line 1"):
        puzzle.read(tmp_path / "latin")
    with pytest.raises(TypeError, match="path"):
        puzzle.read(5)


def test_a_file_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "MAX_FILE", 1 << 20)
    with pytest.raises(InvalidValue, match="more than 1 MiB"):
        reading.read_stream(io.BytesIO(b"A" * (1 << 21)), "file")


def made_or_told(read: Callable[[], Any]) -> Any:
    """Return what was read, or what an error of ours says."""
    try:
        return read()
    except NQueensError as error:
        return str(error)


pieces = st.sampled_from(
    ["A", "B", "1", " ", "\n", "\n\n", "Q", "x", ".", ":", "(0,1)", "stars: 2", "given:", "id: a", "# ", '{"regions":',
     "[", "]", "{", "}", ",", '"', "0", "-1", "null", "true", "1e9", "\t", "\r", "\x00", "\u202e", "é", "[0,0]", "AABB\n",
     '"given"', '"AB"', "\ufe0f", "NaN"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.lists(pieces, max_size=25).map("".join), st.text(max_size=60)))
def test_noise_is_a_puzzle_or_an_error_of_ours(text):
    found = made_or_told(lambda: reading.read(text, "noise"))
    assert found.startswith("noise") if isinstance(found, str) else all(isinstance(made, Puzzle) for made in found)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 9), st.floats(), st.text(max_size=3), st.just([0, 0])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ABC"), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["regions", "given", "crossed", "stars", "id", "n"]), json_values), st.booleans()
)
def test_any_json_is_a_puzzle_or_an_error_of_ours(record, right):
    value = {"regions": ["AB", "AB"]} | record if right else record
    line = json.dumps(value).encode()
    found = made_or_told(lambda: reading.from_line(line, "noise"))
    assert found.startswith("noise") if isinstance(found, str) else isinstance(found, Puzzle)


# Batches.

MIXED = [
    b'{"id": "a", "regions": ["AABB", "AABB", "CCDD", "CCDD"], "given": [[0, 1]]}',
    b'{"regions": ["AABB", "AABB", "CCDD", "CCDD"]}',
    b"",
    b'{"regions": ["AABB", "AABB", "CCDD", "CCDD"], "given": [[0, 0]]}',
    b"nonsense",
    b"\xff\xfe",
    b'{"regions": ["AB", "A"]}',
]


def answered(lines: list[bytes], workers: int, **wanted) -> list[dict]:
    pieces = batch.answers(io.BytesIO(b"\n".join(lines)), batch.Wanted("file", **wanted), workers, Control())
    return [json.loads(line) for piece in pieces for line in piece.text.decode().splitlines()]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_batch_has_a_line_for_each_in_order(workers):
    found = answered(MIXED * 40, workers)
    assert [record["line"] for record in found] == [k + 1 for k in range(280) if k % 7 != 2]
    for record in found:
        kind = (record["line"] - 1) % 7
        if kind < 4:
            status = {0: "unique", 1: "several", 3: "none"}[kind]
            assert (record["status"], len(record["solutions"])) == (
                status,
                {"none": 0, "unique": 1, "several": 2}[status],
            )
            assert record.get("id") == ("a" if kind == 0 else None)
        else:
            assert record["error"].startswith(f"file, line {record['line']}: ")
    assert found[0]["solutions"] == [[[0, 1], [1, 3], [2, 0], [3, 2]]]


def test_what_else_a_batch_tells():
    found = answered(MIXED[:4], 1, counted=True, graded=True)
    assert [record["count"] for record in found] == [1, 2, 0]
    assert found[0]["grade"] == str(one(MIXED[0].decode()).grade())
    assert found[1]["grade"] is None
    assert [record["status"] for record in answered(MIXED[:4], 1, stars=2)] == ["none"] * 3
    rows = json.dumps({"regions": [[k] * 40 for k in range(40)]}).encode()
    (record,) = answered([rows], 1, counted=True, time_limit=0.2)
    assert record["status"] == ("several" if len(record["solutions"]) == 2 else "stopped")
    assert record["at_least"] >= len(record["solutions"])
    assert record["complete"] is False
    assert "count" not in record


@pytest.mark.parametrize(("known", "status"), [(0, "stopped"), (1, "stopped"), (2, "several")])
def test_what_is_known_of_a_board_when_its_time_is_over(known, status, monkeypatch):
    two = quick.first_two(one(QUARTERS).grid)

    def each(*_):
        yield from two[:known]
        raise TimeLimitReached

    def count(*_):
        raise TimeLimitReached

    monkeypatch.setattr(quick, "each", each)
    monkeypatch.setattr(quick, "count", count)
    (record,) = answered([MIXED[1]], 1, counted=True, time_limit=5)
    solutions = [[list(cell) for cell in solution] for solution in two[:known]]
    assert sorted(record.pop("solutions")) == sorted(solutions)
    assert record == {"line": 1, "status": status, "at_least": known, "complete": False}


def test_a_grade_that_takes_too_long(monkeypatch):
    def grade(*_):
        raise TimeLimitReached

    monkeypatch.setattr(batch, "grade", grade)
    (record,) = answered(MIXED[:1], 1, graded=True)
    assert (record["status"], record["complete"], "grade" in record) == ("unique", False, False)


def test_lines_that_cannot_be_read_keep_their_names():
    lines = [
        b'{"id": "x", "regions": ["AB", "A"]}',
        b'{"id": 5, "regions": 1}',
        b'{"id": [], "regions": ["A"]}',
        b'{"id": "x", "id": "y", "regions": ["A"]}',
        b'[{"regions": ["A"]}, {"regions": ["A"]}]',
        b"AABB",
        b"[",
    ]
    found = answered(lines, 1)
    assert [record.get("id") for record in found] == ["x", 5, None, None, None, None, None]
    assert "a list of 2 puzzles" in found[4]["error"]
    assert "'AABB' is no JSON" in found[5]["error"]
    assert "character 2" in found[6]["error"]


def test_too_long_lines_of_a_batch(monkeypatch):
    monkeypatch.setattr(reading, "MAX_LINE", 100)
    long = b'{"regions": ["A"], "comment": "' + b"a" * 500 + b'"}'
    found = answered([b'{"regions": ["A"]}', long, b'{"regions": ["A"]}', long], 1)
    assert [record["line"] for record in found] == [1, 2, 3, 4]
    assert ["error" in record for record in found] == [False, True, False, True]
    assert re.search("line 2: .*longer", found[1]["error"])


def test_a_batch_that_is_left_ends_its_processes():
    import multiprocessing

    pieces = batch.answers(io.BytesIO(b"\n".join(MIXED * 200)), batch.Wanted("file"), 2, Control())
    next(pieces)
    assert multiprocessing.active_children()
    pieces.close()
    assert not multiprocessing.active_children()


def test_long_numbers_are_refused_whatever_python_would_read():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        with pytest.raises(NQueensError, match="a number in the JSON has 5000 digits"):
            reading.read('{"regions": [[' + "9" * 5000 + "]]}")
    finally:
        sys.set_int_max_str_digits(before)


def test_the_difficulty_that_a_file_tells_is_kept():
    (told,) = reading.read('{"regions": ["AABB", "AABB", "CCDD", "CCDD"], "difficulty": "hard"}')
    assert told.difficulty == "hard"
    assert told == puzzle(["AABB", "AABB", "CCDD", "CCDD"])
    assert reading.read(writing.write(told, "json"))[0].difficulty == "hard"
    for other in ("5", '""', '"a\\nb"', '["hard"]', f'"{"x" * 41}"'):
        (told,) = reading.read(f'{{"regions": ["A"], "difficulty": {other}}}')
        assert told.difficulty is None
