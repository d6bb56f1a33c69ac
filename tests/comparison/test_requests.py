"""Comparing: Ctrl-C keeps what was measured, bad input is refused, callbacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from nqueens_cp import Model, NQueensError, SearchInterrupted, all_different, compare

COUNTS = {0: 1, 1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92, 9: 352, 10: 724}  # OEIS A000170


@pytest.mark.parametrize(("repeats", "after"), [(1, 1), (1, 3), (2, 1), (2, 5)])
def test_an_interrupt_loses_nothing(repeats, after):
    seen = []

    def interrupt(measurement):
        seen.append(measurement)
        if len(seen) == after:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted) as caught:
        compare(range(4, 6), backends=["core", "reversed"], repeats=repeats, on_row=interrupt)
    partial = caught.value.partial
    assert len(seen) == after
    latest = {(m.model, m.backend): m for m in seen}  # one of the round for warming up only where there is no other
    assert {(row.model, row.backend): row.measurements[0] for row in partial.rows} == latest
    assert all(len(row.measurements) == 1 for row in partial.rows)
    assert ("warming up" in partial.setting["remark"]) is (repeats > 1)
    assert all(row.solutions == COUNTS[row.size] for row in partial.rows)
    assert partial.agree in (True, None)
    assert partial.setting["repeats"] == repeats
    assert isinstance(str(partial), str)
    assert partial.rows == () or "core" in str(partial) or "reversed" in str(partial)


def test_an_interrupt_after_a_disagreement_says_so():
    seen = []

    def interrupt(measurement):
        seen.append(measurement)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted) as caught:
        compare([6, 4], backends=["core", "drops"], on_row=interrupt)
    assert caught.value.partial.agree is False


@pytest.mark.parametrize(
    ("target", "options", "named"),
    [
        (range(0), {}, "empty"),
        ([], {}, "empty"),
        ("queens", {"n": range(5, 5)}, "empty"),
        ("rectangular_queens", {"rows": range(4, 6), "columns": range(4, 6)}, "range"),
        (range(4, 6), {"rows": range(4, 6)}, "range"),
        (4, {"task": "disprove"}, "disprove"),
        (4, {"task": None}, "task"),
        (4, {"task": ["count"]}, "task"),
        (4, {"repeats": 0}, "repeats"),
        (4, {"repeats": 1.5}, "repeats"),
        (4, {"repeats": True}, "repeats"),
        (4, {"memory_limit": "x"}, "memory_limit"),
        (4, {"memory_limit": 0}, "memory_limit"),
        (4, {"memory_limit": -5}, "memory_limit"),
        (4, {"time_limit": 0}, "time_limit"),
        (4, {"time_limit": "x"}, "time_limit"),
        (4, {"pinned": "yes"}, "pinned"),
        (4, {"backends": []}, "backends"),
        (4, {"backends": ["core", "nobody"]}, "nobody"),
        (None, {}, "None"),
        (4.5, {}, "4.5"),
        ([4, "nope"], {}, "nope"),
    ],
)
def test_bad_input(target, options, named):
    measured = []
    with pytest.raises(NQueensError) as caught:
        compare(target, **({"backends": ["core"]} | options), on_row=measured.append)
    assert named in str(caught.value)
    assert measured == []


def test_too_many_models_are_refused_before_they_are_built(tmp_path):
    path = tmp_path / "tiny.py"
    path.write_text(
        "from pathlib import Path\n\nfrom nqueens_cp import Model\n\n"
        "def build(n):\n    Path(__file__ + '.built').touch()\n    return Model('tiny')\n"
    )
    with pytest.raises(NQueensError, match="1000"):
        compare(path, n=range(2_000), backends=["core"])
    assert not Path(f"{path}.built").exists(), "a thousand boards of up to a thousand rows take half a minute"


@pytest.mark.parametrize("task", ["count", "enumerate"])
def test_an_objective_is_for_solve(far, task):
    with pytest.raises(NQueensError, match="solve") as caught:
        compare(far, backends=["core"], task=task)
    assert "far" in str(caught.value)
    assert "objective" in str(caught.value)


def test_measurements_say_on_which_model():
    seen = []
    comparison = compare([4, 5], backends=["core"], on_row=seen.append)
    assert [m.model for m in seen] == ["queens n=4", "queens n=5"] == [row.model for row in comparison.rows]


def test_an_exception_of_the_callback_passes():
    class Enough(Exception):
        pass

    def callback(measurement):
        raise Enough

    with pytest.raises(Enough):
        compare(4, backends=["core"], on_row=callback)


def test_a_model_that_cannot_be_taken_is_no_disagreement(row_of):
    model = Model("three")
    a, b, c = model.int_vars("v", 3, domain=range(3))
    model.add(all_different([a, b, c]), a + b + c == 3)
    comparison = compare(model, backends=["core", "python-constraint", "flag-arrays"])
    assert [row.status for row in comparison.rows] == ["unsupported", "complete", "unsupported"]
    assert comparison.agree is None
    assert row_of(comparison, "python-constraint").solutions == 6
