"""Comparing backends that are right: they agree with the published counts, and what is measured is recorded."""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import datetime

import pytest

from nqueens_cp import compare, queens

COUNTS = {0: 1, 1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92, 9: 352, 10: 724}  # OEIS A000170


def test_counts_are_the_published_ones():
    comparison = compare(range(3, 9), backends=["core", "bit-masks"])
    assert comparison.agree is True
    assert comparison.difference is None
    assert all(row.solutions == COUNTS[row.size] for row in comparison.rows)
    assert [(row.size, row.backend) for row in comparison.rows] == [
        (n, name) for n in range(3, 9) for name in ("core", "bit-masks")
    ]
    assert all(row.is_complete and row.status == "complete" for row in comparison.rows)
    cases = comparison.cases()
    assert list(cases) == [f"queens n={n}" for n in range(3, 9)]
    assert all([row.backend for row in rows] == ["core", "bit-masks"] for rows in cases.values())


def test_all_backends_enumerate_the_same_sets_in_whatever_order():
    names = ["core", "cp-sat", "python-constraint", "bit-masks", "reversed"]
    comparison = compare(6, backends=names, task="enumerate")
    assert comparison.agree is True
    assert [row.backend for row in comparison.rows] == names
    assert len({row.digest for row in comparison.rows}) == 1
    assert {row.solutions for row in comparison.rows} == {COUNTS[6]}
    assert all(row.figure("first_seconds") <= row.solve_seconds for row in comparison.rows)


def test_solve_agrees_on_what_has_no_solution_and_what_has():
    comparison = compare([3, 4], backends=["core", "reversed"], task="solve")
    assert comparison.agree is True
    assert [row.status for row in comparison.rows] == ["unsatisfiable"] * 2 + ["satisfied"] * 2
    assert all(row.is_complete for row in comparison.rows)


def test_what_may_be_compared(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("from nqueens_cp import queens\n\ndef build(n=4):\n    return queens(n)\n")
    backends = ["core"]
    assert compare(queens(5), backends=backends).rows[0].solutions == 10
    assert compare("queens", backends=backends, n=6).rows[0].size == 6
    assert [row.solutions for row in compare(path, backends=backends, n=range(4, 6)).rows] == [2, 10]
    assert compare(str(path), backends=backends).rows[0].solutions == 2
    several = compare(["queens", path], backends=backends, n=5)
    assert [row.solutions for row in several.rows] == [10, 10]


def test_a_range_within_a_list():
    comparison = compare([range(4, 6), 7], backends=["core"])
    assert [row.solutions for row in comparison.rows] == [2, 10, 40]


def test_models_of_the_same_name_are_not_mixed_up():
    comparison = compare([queens(5), queens(6)], backends=["core", "bit-masks"], task="enumerate")
    assert [row.solutions for row in comparison.rows] == [10, 10, 4, 4]
    assert comparison.agree is True
    assert sorted(len(rows) for rows in comparison.cases().values()) == [2, 2]


def test_one_backend_alone_agrees_with_nobody():
    comparison = compare(4, backends=["core"])
    assert comparison.agree is None
    assert comparison.rows[0].is_complete


def test_the_setting_is_recorded():
    before = time.time()
    comparison = compare(4, backends=["core", "core"], time_limit=5, memory_limit=900, task="enumerate")
    setting = comparison.setting
    assert len(comparison.rows) == 1, "named twice, measured once"
    assert (setting["task"], setting["time_limit"], setting["memory_limit"], setting["repeats"]) == (
        "enumerate",
        5,
        900,
        1,
    )
    assert before - 2 <= datetime.fromisoformat(setting["made"]).timestamp() <= time.time() + 2
    assert setting["machine"]
    assert ".".join(map(str, sys.version_info[:3])) in json.dumps(setting["machine"])
    assert {"load_before", "load_after", "pinned"} <= set(setting)
    assert comparison.rows[0].version
    assert all(comparison.rows[0].figure(name) >= 0 for name in ("import_seconds", "build_seconds", "solve_seconds"))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="processes cannot be pinned here")
def test_pinned_to_one_processor_unless_asked():
    pinned, free = (compare(4, backends=["counts"], pinned=pinned) for pinned in (True, False))
    assert (pinned.setting["pinned"], free.setting["pinned"]) == (True, False)
    assert pinned.rows[0].statistics["processors"] == 1
    assert free.rows[0].statistics["processors"] == len(os.sched_getaffinity(0))


def test_what_a_backend_prints_does_not_spoil_its_answer(row_of):
    assert row_of(compare(4, backends=["noisy"]), "noisy").solutions == 2


def test_as_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = compare([4, 5], backends=["core"]).to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["solutions"]) == [2, 10]
    assert {"model", "size", "backend", "status", "solve_seconds"} <= set(frame.columns)


def test_repeats(row_of):
    seen = []
    backends = ["counts", "core", "reversed"]
    comparison = compare(5, backends=backends, repeats=3, on_row=seen.append)
    assert comparison.agree is True
    assert comparison.setting["repeats"] == 3
    for row in comparison.rows:
        assert len(row.measurements) == 3
        assert {"import_seconds", "build_seconds", "solve_seconds"} <= set(row.spreads)
        for name, spread in row.spreads.items():
            assert spread.least <= spread.median <= spread.most
            values = sorted(getattr(measurement, name) for measurement in row.measurements)
            assert (spread.least, spread.median, spread.most) == tuple(values)
            assert row.figure(name) == spread.median
        assert row.solve_seconds == row.spreads["solve_seconds"].median
    calls = [measurement.statistics["call"] for measurement in row_of(comparison, "counts").measurements]
    assert calls == [2, 3, 4], "the first round is for warming up"
    rounds = [[m.backend for m in seen[i : i + 3]] for i in range(0, len(seen), 3)]
    assert len(rounds) == 4
    assert all(sorted(order) == sorted(backends) for order in rounds)
    assert len(set(map(tuple, rounds))) > 1, "in another order each time"


def test_measured_once_is_measured_once(row_of):
    row = row_of(compare(5, backends=["counts"]), "counts")
    assert [measurement.statistics["call"] for measurement in row.measurements] == [1]
    spread = row.spreads["solve_seconds"]
    assert spread.least == spread.median == spread.most == row.solve_seconds


def test_repeats_of_what_is_stopped():
    comparison = compare(range(19, 21), backends=["bit-masks"], repeats=2, time_limit=0.1)
    first, second = comparison.rows
    assert (first.status, second.status) == ("timeout", "skipped")
    assert 1 <= len(first.measurements) <= 2, "no more than asked"


def test_to_prove_that_there_is_none():
    comparison = compare(3, backends=["core", "python-constraint"], task="prove")
    assert comparison.agree is True
    assert [row.status for row in comparison.rows] == ["unsatisfiable", "unsatisfiable"]
    comparison = compare(4, backends=["core", "python-constraint"], task="prove")
    assert comparison.agree is False, "both find a solution"
    assert [row.solutions for row in comparison.rows] == [1, 1]
