"""The command gallery with files of puzzles: solved or as they are posed, named and graded."""

from __future__ import annotations

import pytest

from nqueens_cp.errors import SearchStopped
from nqueens_cp.result import Status
from svg_reading import boards, elements, words

PUZZLES = '{"id": "one", "regions": ["AABB", "AABB", "CCDD", "CCDD"], "given": [[0, 1]]}\n'
TWO_SOLUTIONS = '{"regions": ["AABB", "AABB", "CCDD", "CCDD"]}\n'
NO_SOLUTION = '{"id": "none", "regions": ["ABB", "ACB", "CCC"]}\n'


def test_puzzles_and_their_solutions(draw, tmp_path):
    (tmp_path / "puzzles.jsonl").write_text(PUZZLES + TWO_SOLUTIONS)
    ran = draw("puzzles.jsonl", "-o", "boards.svg")
    assert ran.returncode == 0, ran.stderr
    assert boards(tmp_path / "boards.svg") == [[1, 3, 0, 2], [1, 3, 0, 2], [2, 0, 3, 1]] or boards(
        tmp_path / "boards.svg"
    ) == [[1, 3, 0, 2], [2, 0, 3, 1], [1, 3, 0, 2]]
    assert words(tmp_path / "boards.svg", "caption") == ["one", "2, solution 1", "2, solution 2"]
    assert {element.get("fill") for element in elements(tmp_path / "boards.svg", "region")} >= {"#85a1c7"}
    assert len(elements(tmp_path / "boards.svg", "given")) == 1


def test_puzzles_for_a_worksheet(draw, tmp_path):
    (tmp_path / "puzzles.jsonl").write_text(PUZZLES + TWO_SOLUTIONS + NO_SOLUTION)
    ran = draw("puzzles.jsonl", "--unsolved", "--title", "Worksheet")
    assert ran.returncode == 0
    assert words(ran.stdout, "caption") == ["one", "2", "none"]
    assert len(elements(ran.stdout, "queen")) == 1, "the one that is given"
    ran = draw("puzzles.jsonl", "--unsolved", "--limit", "2")
    assert (ran.returncode, len(elements(ran.stdout, "diagram"))) == (3, 2)


def test_puzzles_without_a_solution(draw, tmp_path):
    (tmp_path / "puzzles.jsonl").write_text(NO_SOLUTION + PUZZLES)
    ran = draw("puzzles.jsonl")
    assert ran.returncode == 1
    assert words(ran.stdout, "caption") == ["none, no solution", "one"]


def test_a_size_is_no_file_of_puzzles(draw, tmp_path):
    (tmp_path / "4").write_text("ABB\nACB\nCCC\n")
    assert boards(draw("4").stdout) == [[1, 3, 0, 2], [2, 0, 3, 1]]


def test_a_limit_of_puzzles(draw, tmp_path):
    (tmp_path / "puzzles.jsonl").write_text(TWO_SOLUTIONS * 2)
    ran = draw("puzzles.jsonl", "--limit", "3")
    assert (ran.returncode, len(elements(ran.stdout, "diagram"))) == (3, 3)
    assert "limit of 3" in ran.stderr
    assert "partial" in words(ran.stdout, "note")[0]


def test_several_files_of_puzzles_with_what_they_say_of_difficulty(draw, tmp_path):
    graded = PUZZLES.replace('"id": "one"', '"id": 7, "difficulty": "medium"')  # it is easy, whatever is said
    (tmp_path / "many.jsonl").write_text(graded + TWO_SOLUTIONS + NO_SOLUTION)
    (tmp_path / "alone.txt").write_text("AABB\nAABB\nCCDD\nCCDD\n\n.Q..\n....\n....\n....\n")
    ran = draw("many.jsonl", "alone.txt", "--unsolved")
    assert (ran.returncode, ran.stderr) == (0, "4 boards drawn\n")
    assert words(ran.stdout, "caption") == ["7, medium", "many 2", "none", "alone"]
    ran = draw("many.jsonl", "alone.txt", "--unsolved", "--grade")
    assert words(ran.stdout, "caption") == ["7, easy", "many 2", "none", "alone, easy"]
    ran = draw("many.jsonl", "many.jsonl", "--unsolved")
    assert words(ran.stdout, "caption") == ["many 7, medium", "many 2", "many none"] * 2
    ran = draw("alone.txt", "many.jsonl", "--grade")
    assert ran.returncode == 1
    expected = ["alone, easy", "7, easy", "many 2, solution 1", "many 2, solution 2", "none, no solution"]
    assert words(ran.stdout, "caption") == expected


@pytest.mark.parametrize(
    ("stopped", "status", "words_of_it"),
    [
        (SearchStopped("no time", partial=None, status=Status.TIMEOUT), 3, "stopped by the time limit (partial): "),
        (KeyboardInterrupt(), 130, "interrupted (partial): "),
    ],
)
def test_grades_that_are_stopped(draw, tmp_path, monkeypatch, stopped, status, words_of_it):
    def grade(puzzle, **_):
        if puzzle.id == "one":
            return "easy"
        raise stopped

    (tmp_path / "puzzles.jsonl").write_text(PUZZLES + PUZZLES.replace("one", "two"))
    monkeypatch.setattr("nqueens_cp.puzzles.puzzle.Puzzle.grade", grade)
    ran = draw("puzzles.jsonl", "--unsolved", "--grade")
    assert (ran.returncode, ran.stderr) == (status, f"{words_of_it}1 board drawn\n")
    assert words(ran.stdout, "caption") == ["one, easy"]


def test_a_size_in_a_title_is_not_broken(draw):
    for name in ("q" * length for length in range(1, 40)):
        (title,) = [
            one for one in words(draw("4", "--title", f"{name}, 8 x 8", "--unsolved").stdout, "title") if "x" in one
        ]
        assert "8 x 8" in title
