"""Hints, explanations and grades that are stopped, by their time limit or by Ctrl-C: what was found by then is kept."""

from __future__ import annotations

import pytest

from nqueens_cp import InvalidType, InvalidValue, SearchInterrupted, SearchStopped, Status, puzzle
from nqueens_cp.cli import main
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.puzzles import deduction
from nqueens_cp.puzzles.grading import EASY, HARD, MEDIUM, grade
from nqueens_cp.puzzles.puzzle import Puzzle

BOARD = puzzle(["BEEECC", "BBBECC", "BBDEAC", "BBDEAC", "BBBFFC", "BBBFFF"])
ASK = (Puzzle.hint, Puzzle.explain, Puzzle.grade)
ORDER = (EASY, MEDIUM, HARD)


@pytest.fixture
def stop_after(monkeypatch):
    """A function that makes the rules raise an error after so many steps."""

    def stop(steps, error):
        taken = []

        def rule(_):
            if len(taken) == steps:
                raise error
            taken.append(None)

        monkeypatch.setattr(deduction, "RULES", (rule, *deduction.RULES))

    return stop


@pytest.mark.parametrize("ask", ASK)
def test_a_time_limit_that_is_over_at_once(ask):
    with pytest.raises(SearchStopped, match="time limit of 1e-09 s") as caught:
        ask(BOARD, time_limit=1e-9)
    assert caught.value.status is Status.TIMEOUT
    assert ask(BOARD, time_limit=100) == ask(BOARD) or ask is Puzzle.explain


@pytest.mark.parametrize("value", [0, -1, "1", True, float("nan")])
@pytest.mark.parametrize("ask", ASK)
def test_bad_time_limits(ask, value):
    with pytest.raises((InvalidValue, InvalidType), match="time_limit"):
        ask(BOARD, time_limit=value)


@pytest.mark.parametrize(("error", "kind"), [(TimeLimitReached, SearchStopped), (KeyboardInterrupt, SearchInterrupted)])
def test_the_steps_so_far_are_kept(stop_after, error, kind):
    whole = BOARD.explain()
    assert whole.solved
    stop_after(4, error)
    with pytest.raises(kind, match="4 steps so far") as caught:
        BOARD.explain()
    partial = caught.value.partial
    assert (partial.stopped, partial.solved, partial.needs_a_try, partial.contradiction) == (True, False, False, False)
    assert partial.steps == whole.steps[:4]
    assert partial.boards == whole.boards[:5]
    assert set(partial.queens) <= set(whole.queens)
    assert str(partial).splitlines()[:5] == str(whole).splitlines()[:5]
    assert "(partial)" in partial.ending


@pytest.mark.parametrize(("error", "kind"), [(TimeLimitReached, SearchStopped), (KeyboardInterrupt, SearchInterrupted)])
def test_the_grade_so_far_is_a_lower_bound(stop_after, error, kind):
    whole = BOARD.grade()
    stop_after(8, error)
    with pytest.raises(kind, match=r"at least \w+ \(score \d+\)") as caught:
        BOARD.grade()
    partial = caught.value.partial
    assert ORDER.index(partial.difficulty) <= ORDER.index(whole.difficulty)
    assert 0 < partial.score < whole.score


@pytest.mark.parametrize(("error", "kind"), [(TimeLimitReached, SearchStopped), (KeyboardInterrupt, SearchInterrupted)])
def test_no_hint_so_far(stop_after, error, kind):
    stop_after(0, error)
    with pytest.raises(kind, match="no step was found") as caught:
        BOARD.hint()
    assert caught.value.partial is None


def test_grading_for_others_ends_with_their_control():
    with pytest.raises(TimeLimitReached):
        grade(BOARD.grid, control=Control(1e-9))


@pytest.mark.parametrize(("error", "status"), [(TimeLimitReached, 3), (KeyboardInterrupt, 130)])
@pytest.mark.parametrize(
    ("option", "printed", "remark"),
    [("--explain", "2. ", "2 steps so far"), ("--grade", "", "at least easy"), ("--hint", "", "no step was found")],
)
def test_the_command_prints_what_was_found(stop_after, error, status, option, printed, remark, tmp_path, capsys):
    file = tmp_path / "board.txt"
    file.write_text(str(BOARD))
    stop_after(0 if option == "--hint" else 2, error)
    assert main(["puzzle", str(file), option]) == status
    out, err = capsys.readouterr()
    assert printed in out
    assert ("(partial)" in out) == (option == "--explain")
    assert remark in err
    assert "3. " not in out
