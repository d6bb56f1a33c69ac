"""Comparing backends: right ones agree with the published counts, and each way of being wrong on purpose is found out."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from nqueens_cp import Model, NQueensError, SearchInterrupted, all_different, compare, queens
from nqueens_cp.backends import _entry_points
from nqueens_cp.comparison import load_comparison, processes
from nqueens_cp.comparison.page import html_text
from nqueens_cp.comparison.report import against_text, csv_text, markdown_text, ratios, save

COUNTS = {0: 1, 1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92, 9: 352, 10: 724}  # OEIS A000170
SIX = [[1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]]  # all solutions for n = 6
OPTIMUM = 21  # of `far`, below

WRONG = """
import os
import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path

from nqueens_cp import Status
from nqueens_cp.backends.base import Answer, Backend, Capabilities


class Honest(Backend):
    capabilities = Capabilities(optimises=True)

    def load(self):
        pass

    def version(self):
        return "1.2 (a test)"

    def translate(self, problem, control):
        return len(problem.variables)

    def boards(self, n):
        return [
            columns
            for columns in permutations(range(n))
            if all(abs(columns[i] - columns[j]) != j - i for j in range(n) for i in range(j))
        ]

    def call(self):
        "Which call of this backend this is, over all processes."
        path = Path(os.environ["CALLS_OF_WRONG_BACKENDS"], self.name)
        with path.open("a") as file:
            file.write(".")
        return path.stat().st_size

    def solutions(self, n, control):
        yield from self.boards(n)

    def solve(self, n, control):
        for board in self.boards(n):
            return Answer(Status.SATISFIED, board)
        return Answer(Status.UNSATISFIABLE)


class Reversed(Honest):
    name = "reversed"

    def boards(self, n):
        return super().boards(n)[::-1]


class Drops(Honest):
    name = "drops"

    def boards(self, n):
        boards = super().boards(n)
        return boards[:2] + boards[3:] if n == 6 else boards


class Repeats(Honest):
    name = "repeats"

    def boards(self, n):
        boards = super().boards(n)
        return boards + boards[-1:]


class Replaces(Honest):
    name = "replaces"

    def boards(self, n):
        return [*super().boards(n)[:-1], tuple(range(n))]


class Claims(Honest):
    "Stops at the end of the time and says that it has them all."

    name = "claims"

    def solutions(self, n, control):
        yield self.boards(min(n, 6))[0] + tuple(range(6, n))
        time.sleep(control.remaining() + 0.05)


class Late(Honest):
    "Is stopped by the time limit after the first solution, and admits it."

    name = "late"

    def solutions(self, n, control):
        yield self.boards(n)[0]
        while True:
            time.sleep(0.02)
            control.poll()

    def solve(self, n, control):
        time.sleep(control.remaining())
        return Answer(Status.TIMEOUT)


class Endless(Honest):
    "Looks at no clock where the board is larger than four rows."

    name = "endless"

    def solutions(self, n, control):
        yield from self.boards(n)
        while n > 4:
            time.sleep(0.01)


class EndlessImport(Honest):
    name = "endless-import"

    def load(self):
        while True:
            time.sleep(0.01)


class EndlessChild(Honest):
    name = "endless-child"

    def solutions(self, n, control):
        child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
        Path(os.environ["CALLS_OF_WRONG_BACKENDS"], "child").write_text(str(child.pid))
        yield from self.boards(n)
        child.wait()


class Hungry(Honest):
    "Takes up to 800 MiB where the board is larger than four rows."

    name = "hungry"

    def solutions(self, n, control):
        yield from self.boards(n)
        held = []
        while n > 4 and len(held) < 80:
            held.append(b"x" * (10 << 20))
            time.sleep(0.02)


class HungryChild(Honest):
    "Starts a process that takes 400 MiB."

    name = "hungry-child"

    def solutions(self, n, control):
        code = "import time; held = bytearray(400 << 20); held[::4096] = b'x' * len(held[::4096]); time.sleep(20)"
        subprocess.run([sys.executable, "-c", code])
        yield from self.boards(n)


def odd(kind):
    "Solutions of a kind of their own."

    def solutions(self, n, control):
        yield from map(kind, self.boards(n))

    return solutions


class Lists(Honest):
    name = "lists"
    solutions = odd(list)


class Floats(Honest):
    name = "floats"
    solutions = odd(lambda board: tuple(map(float, board)))


class Nones(Honest):
    name = "nones"
    solutions = odd(lambda board: (None,) * len(board))


class TooShort(Honest):
    name = "too-short"
    solutions = odd(lambda board: board[1:])


class CountsInWords(Honest):
    name = "counts-in-words"

    def count(self, n, control):
        return "10"


class NoSolutionToShow(Honest):
    name = "no-solution-to-show"

    def solve(self, n, control):
        return Answer(Status.SATISFIED)


class Killed(Honest):
    name = "killed"

    def solutions(self, n, control):
        os.kill(os.getpid(), 9)
        yield


class DropsTheLast(Honest):
    "Has one solution too few, and lists slowly."

    name = "drops-the-last"

    def solutions(self, n, control):
        for board in self.boards(n)[:-1]:
            yield board
            if n > 6:
                time.sleep(0.3)
                control.poll()

    def count(self, n, control):
        return len(self.boards(n)) - 1


class HoldsOn(Honest):
    "Leaves a process behind that holds on to its standard streams."

    name = "holds-on"

    def solutions(self, n, control):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        yield from self.boards(n)


class Crashes(Honest):
    name = "crashes"

    def solutions(self, n, control):
        raise RuntimeError("no licence left")
        yield


class Exits7(Honest):
    name = "exits-7"

    def solutions(self, n, control):
        os._exit(7)
        yield


class Exits0(Honest):
    name = "exits-0"

    def solutions(self, n, control):
        os._exit(0)
        yield


class Quits(Honest):
    name = "quits"

    def solutions(self, n, control):
        sys.exit(0)
        yield


class Aborts(Honest):
    name = "aborts"

    def solutions(self, n, control):
        os.abort()
        yield


class Noisy(Honest):
    name = "noisy"

    def solutions(self, n, control):
        print("noise" * 100_000)
        os.write(1, b"noise")
        yield from self.boards(n)


class Changes(Honest):
    name = "changes"

    def boards(self, n):
        return super().boards(n)[(self.call() + 1) % 2 :]


class ChangesSet(Honest):
    "Each time the same number of solutions, but not the same ones."

    name = "changes-set"

    def boards(self, n):
        return [*super().boards(n)[:-1], (self.call(),) * n]


class Counts(Honest):
    "Tells which call this is, and on how many processors it may run."

    name = "counts"

    def solutions(self, n, control):
        control.statistics["call"] = self.call()
        control.statistics["processors"] = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        yield from self.boards(n)


class Attacked(Honest):
    name = "attacked"

    def solve(self, n, control):
        return Answer(Status.SATISFIED, tuple(range(n)))


class Short(Honest):
    name = "short"

    def solve(self, n, control):
        return Answer(Status.SATISFIED, self.boards(n)[0][1:])


class Never(Honest):
    name = "never"

    def solve(self, n, control):
        return Answer(Status.UNSATISFIABLE)


def far(name, status, values, objective):
    def solve(self, n, control):
        return Answer(status, values, objective)

    return type(name, (Honest,), {"name": name, "solve": solve})


Best = far("best", Status.OPTIMAL, (9, 3), 21)
Low = far("low", Status.OPTIMAL, (9, 0), 18)
Boasts = far("boasts", Status.OPTIMAL, (9, 0), 21)
Stopped = far("stopped", Status.TIMEOUT, (9, 3), 21)
StoppedLow = far("stopped-low", Status.TIMEOUT, (9, 0), 18)
StoppedWithBoard = far("stopped-with-board", Status.TIMEOUT, (1, 3, 0, 2), None)


class Fickle(Honest):
    "Another optimum each time."

    name = "fickle"

    def solve(self, n, control):
        y = self.call() % 2
        return Answer(Status.OPTIMAL, (9, y), 18 + y)
"""


@pytest.fixture(scope="module", autouse=True)
def _wrong_backends(tmp_path_factory) -> Iterator[None]:
    """Install a distribution that registers all classes above as backends, here and in the processes that measure."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "wrong_backends.py").write_text(WRONG)
    names = dict(
        [
            (name, kind)
            for kind, name in re.findall(r'^class (\w+)\(Honest\):\n(?:    ".*"\n\n)?    name = "(.*)"', WRONG, re.M)
        ]
        + [(name, kind) for kind, name in re.findall(r'^(\w+) = far\("([\w-]+)"', WRONG, re.M)]
    )
    info = folder / "wrong_backends-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong-backends\nVersion: 1.2\n")
    lines = [f"{name} = wrong_backends:{kind}\n" for name, kind in names.items()]
    (info / "entry_points.txt").write_text("[nqueens_cp.backends]\n" + "".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
        patch.syspath_prepend(str(folder))
        _entry_points.cache_clear()
        yield
    _entry_points.cache_clear()


@pytest.fixture(autouse=True)
def calls(tmp_path, monkeypatch) -> Path:
    """The folder in which the wrong backends keep how often they were called."""
    folder = tmp_path / "calls"
    folder.mkdir()
    monkeypatch.setenv("CALLS_OF_WRONG_BACKENDS", str(folder))
    return folder


@pytest.fixture
def short_grace(monkeypatch) -> float:
    """What ignores its time limit is killed sooner than in earnest; the seconds."""
    monkeypatch.setattr(processes, "GRACE_SECONDS", 1.5)
    return 1.5


@pytest.fixture
def far() -> Model:
    """A model with an objective, of which 21 is the best value, reached at (9, 3) alone."""
    model = Model("far")
    x, y = model.int_vars("x", 2, domain=range(10))
    model.add(x + y <= 12)
    model.maximize(2 * x + y)
    return model


def row_of(comparison, backend, model=None):
    (row,) = (row for row in comparison.rows if row.backend == backend and model in (None, row.model))
    return row


# Backends that are right.


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


def test_what_a_backend_prints_does_not_spoil_its_answer():
    assert row_of(compare(4, backends=["noisy"]), "noisy").solutions == 2


def test_as_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = compare([4, 5], backends=["core"]).to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["solutions"]) == [2, 10]
    assert {"model", "size", "backend", "status", "solve_seconds"} <= set(frame.columns)


# Backends that are wrong.


@pytest.mark.parametrize("task", ["count", "enumerate"])
def test_a_dropped_solution(task):
    comparison = compare(range(5, 7), backends=["drops", "core"], task=task)
    assert comparison.agree is False
    assert row_of(comparison, "drops", "queens n=6").solutions == 3
    difference = comparison.difference
    assert difference is not None
    assert (difference.missed_by, difference.model) == ("drops", "queens n=6")
    assert difference.found_by == "core"
    assert difference.solution["queen"] == SIX[2]
    assert "DISAGREE" in str(comparison)


@pytest.mark.parametrize("task", ["count", "enumerate"])
def test_a_repeated_solution(task):
    comparison = compare(6, backends=["core", "repeats"], task=task)
    assert comparison.agree is False
    assert [row.solutions for row in comparison.rows] == [4, 5]
    assert comparison.difference is None, "there is no solution that only one of them found"
    assert "DISAGREE" in str(comparison)


@pytest.mark.parametrize("order", [["core", "replaces"], ["replaces", "core", "reversed"]])
def test_as_many_solutions_but_another_one(order):
    comparison = compare(6, backends=order, task="enumerate")
    assert {row.solutions for row in comparison.rows} == {4}
    assert row_of(comparison, "core").digest != row_of(comparison, "replaces").digest
    assert comparison.agree is False
    assert comparison.difference.solution["queen"] == list(range(6)), "the first in order"
    assert comparison.difference.found_by == "replaces"
    assert comparison.difference.missed_by in ("core", "reversed")
    assert "replaces" in str(comparison.difference)
    assert "Q . . . . ." in str(comparison.difference)


def test_completeness_claimed_after_a_limit():
    comparison = compare(8, backends=["claims", "core"], time_limit=0.5, task="enumerate")
    assert row_of(comparison, "core").solutions == 92
    assert comparison.agree is False
    alone = row_of(compare(8, backends=["claims"], time_limit=0.5, task="enumerate"), "claims")
    assert (alone.status, alone.is_complete) == ("timeout", False)
    assert "past the time limit" in alone.reason


def test_completeness_claimed_below_a_bound_of_another_one():
    """Nobody completes but the liar, and the other one has found more until it is stopped."""
    comparison = compare(17, backends=["claims", "bit-masks"], time_limit=0.5, task="count")
    assert row_of(comparison, "bit-masks").status == "timeout"
    assert row_of(comparison, "bit-masks").solutions > 1
    assert comparison.agree is False


def test_what_was_stopped_is_a_lower_bound_and_no_disagreement():
    comparison = compare(6, backends=["core", "late", "reversed"], time_limit=0.3, task="enumerate")
    late = row_of(comparison, "late")
    assert (late.status, late.solutions, late.is_complete) == ("timeout", 1, False)
    assert comparison.agree is True
    assert "at least 1" in str(comparison)


def test_the_difference_is_saved_and_read(tmp_path):
    comparison = compare(6, backends=["core", "drops"])
    save(comparison, tmp_path / "a.json")
    read = load_comparison(tmp_path / "a.json")
    assert str(read.difference) == str(comparison.difference)
    assert read.difference.solution.as_dict() == comparison.difference.solution.as_dict()
    assert html_text(read) == html_text(comparison)
    save(read, tmp_path / "b.json")
    assert (tmp_path / "b.json").read_text() == (tmp_path / "a.json").read_text()


def test_the_difference_does_not_blame_who_was_stopped():
    comparison = compare(6, backends=["core", "late", "drops"], time_limit=0.3, task="count")
    assert comparison.agree is False
    assert (comparison.difference.found_by, comparison.difference.missed_by) == ("core", "drops")
    assert comparison.difference.solution["queen"] == SIX[2]


def test_the_difference_does_not_blame_who_failed():
    """One that answers differently each time is a failure, and no party to the disagreement of the others."""
    comparison = compare(6, backends=["core", "changes", "drops"], repeats=2)
    assert comparison.agree is False
    assert (comparison.difference.found_by, comparison.difference.missed_by) == ("core", "drops")


def test_the_difference_does_not_blame_who_was_right():
    comparison = compare(6, backends=["core", "repeats", "drops"], task="enumerate")
    assert comparison.agree is False
    assert comparison.difference.missed_by == "drops"
    assert comparison.difference.solution["queen"] == SIX[2]


@pytest.mark.parametrize("backend", ["endless", "endless-import"])
def test_what_never_stops_is_killed(backend, short_grace):
    begun = time.monotonic()
    comparison = compare(5, backends=[backend], time_limit=0.5)
    assert time.monotonic() - begun < 0.5 + short_grace + 20
    row = row_of(comparison, backend)
    assert (row.status, row.is_complete) == ("timeout", False)
    assert row.reason
    assert comparison.agree is None


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="reads /proc")
def test_nothing_is_left_running_of_what_was_killed(short_grace, calls):
    row = row_of(compare(5, backends=["endless-child"], time_limit=0.5), "endless-child")
    assert row.status == "timeout"
    pid = int((calls / "child").read_text())
    time.sleep(0.3)
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        command = b""
    if b"time.sleep(60)" in command:
        os.kill(pid, 9)
        pytest.fail("the process that the backend had started is still there")


def test_larger_sizes_are_not_tried_after_a_stop(short_grace):
    seen = []
    comparison = compare(range(4, 8), backends=["endless", "core"], time_limit=0.5, on_row=seen.append)
    statuses = [row.status for row in comparison.rows if row.backend == "endless"]
    assert statuses == ["complete", "timeout", "skipped", "skipped"]
    assert [row.solutions for row in comparison.rows if row.backend == "core"] == [2, 10, 4, 40]
    skipped = row_of(comparison, "endless", "queens n=7")
    assert (skipped.solutions, skipped.is_complete) == (None, False)
    assert skipped.reason
    assert comparison.agree is True, "on n = 4 both completed"


def test_another_model_is_tried_after_a_stop():
    """The core is stopped on the endless torus of 20 rows; rooks of 21 rows are another matter."""
    comparison = compare(["toroidal_queens", "rooks"], backends=["core"], time_limit=0.3, task="solve", n=range(20, 22))
    statuses = {row.model: row.status for row in comparison.rows}
    assert statuses["toroidal_queens n=20"] == "timeout"
    assert statuses["rooks n=20"] == "satisfied"
    assert statuses["rooks n=21"] == "satisfied"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is watched on Linux")
def test_what_eats_memory_is_killed():
    comparison = compare(range(4, 7), backends=["hungry", "core"], memory_limit=200)
    hungry = [row for row in comparison.rows if row.backend == "hungry"]
    assert [row.status for row in hungry] == ["complete", "memory", "skipped"]
    assert 200 < hungry[1].figure("peak_mib") < 800
    assert "200" in hungry[1].reason
    assert comparison.agree is True
    assert all(row.is_complete for row in comparison.rows if row.backend == "core")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is watched on Linux")
def test_what_its_processes_hold_counts():
    comparison = compare(4, backends=["hungry-child", "core"], memory_limit=300)
    hungry = row_of(comparison, "hungry-child")
    assert hungry.status == "memory"
    assert hungry.figure("peak_mib") > 300


@pytest.mark.parametrize("backend", ["crashes", "exits-7", "exits-0", "quits", "aborts"])
def test_a_crash_is_a_failure_and_the_others_are_measured(backend):
    comparison = compare(6, backends=[backend, "core", "reversed"])
    row = row_of(comparison, backend)
    assert (row.status, row.solutions, row.is_complete) == ("failed", None, False)
    assert row.reason
    assert backend != "crashes" or "no licence left" in row.reason
    assert comparison.agree is True


def test_another_answer_each_time():
    comparison = compare(6, backends=["changes"], repeats=2)
    row = row_of(comparison, "changes")
    assert (row.status, row.is_complete) == ("failed", False)
    assert "and then" in row.reason
    assert {"3", "4"} <= set(re.findall(r"\d+", row.reason))


def test_another_set_each_time():
    row = row_of(compare(6, backends=["changes-set"], repeats=2, task="enumerate"), "changes-set")
    assert len({measurement.digest for measurement in row.measurements}) == 2
    assert (row.status, row.is_complete) == ("failed", False)


def test_another_optimum_each_time(far):
    row = row_of(compare(far, backends=["fickle"], repeats=2, task="solve"), "fickle")
    assert (row.status, row.is_complete) == ("failed", False)


@pytest.mark.parametrize("backend", ["attacked", "short"])
def test_a_wrong_solution(backend):
    comparison = compare(6, backends=[backend, "core"], task="solve")
    row = row_of(comparison, backend)
    assert (row.status, row.is_complete) == ("wrong", False)
    assert row.reason
    assert comparison.agree is False
    assert compare(6, backends=[backend], task="solve").agree is False, "it takes nobody else to see that"


def test_no_solution_claimed_where_there_is_one():
    comparison = compare(6, backends=["core", "never"], task="solve")
    assert [row.status for row in comparison.rows] == ["satisfied", "unsatisfiable"]
    assert comparison.agree is False
    assert "DISAGREE" in str(comparison)


def test_no_solution_claimed_where_one_that_was_stopped_has_one():
    comparison = compare(4, backends=["stopped-with-board", "never"], task="solve")
    assert row_of(comparison, "stopped-with-board").status == "timeout"
    assert comparison.agree is False


def test_stopped_before_it_found_one_is_no_disagreement():
    comparison = compare(4, backends=["late", "core", "reversed"], task="solve", time_limit=0.2)
    assert row_of(comparison, "late").status == "timeout"
    assert comparison.agree is True


def test_an_optimum(far):
    comparison = compare(far, backends=["best", "cp-sat", "stopped-low"], task="solve")
    assert comparison.agree is True, "the one that was stopped has a worse solution, which is no contradiction"
    assert [row.objective for row in comparison.rows] == [OPTIMUM, OPTIMUM, 18]
    assert row_of(comparison, "cp-sat").status == "optimal"
    assert not row_of(comparison, "stopped-low").is_complete


def test_an_optimum_that_is_too_low(far):
    comparison = compare(far, backends=["low", "cp-sat"], task="solve")
    assert [row.objective for row in comparison.rows] == [18, OPTIMUM]
    assert comparison.agree is False


def test_an_optimum_below_what_one_that_was_stopped_has(far):
    comparison = compare(far, backends=["low", "stopped"], task="solve")
    assert comparison.agree is False


def test_an_objective_that_the_solution_does_not_have(far):
    comparison = compare(far, backends=["best", "boasts"], task="solve")
    assert row_of(comparison, "boasts").status == "wrong"
    assert comparison.agree is False


# Repeats.


def test_repeats():
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


def test_measured_once_is_measured_once():
    row = row_of(compare(5, backends=["counts"]), "counts")
    assert [measurement.statistics["call"] for measurement in row.measurements] == [1]
    spread = row.spreads["solve_seconds"]
    assert spread.least == spread.median == spread.most == row.solve_seconds


def test_repeats_of_what_is_stopped():
    comparison = compare(range(19, 21), backends=["bit-masks"], repeats=2, time_limit=0.1)
    first, second = comparison.rows
    assert (first.status, second.status) == ("timeout", "skipped")
    assert 1 <= len(first.measurements) <= 2, "no more than asked"


# Records.


@pytest.fixture(scope="module")
def mixed(_wrong_backends, tmp_path_factory):
    """A comparison with repeats, statistics, a failure and a disagreement."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CALLS_OF_WRONG_BACKENDS", str(tmp_path_factory.mktemp("calls")))
        return compare(6, backends=["core", "bit-masks", "crashes", "drops"], repeats=2)


def test_a_saved_comparison_is_read_again(mixed, tmp_path):
    path = tmp_path / "saved.json"
    save(mixed, path)
    again = load_comparison(path)
    assert again.rows == mixed.rows
    assert (again.model, again.agree, again.setting) == (mixed.model, mixed.agree, mixed.setting)
    assert list(again.cases()) == list(mixed.cases())
    save(again, tmp_path / "twice.json")
    once, twice = (json.loads(file.read_text()) for file in (path, tmp_path / "twice.json"))
    assert once["rows"] == twice["rows"]
    assert (once["agree"], twice["agree"]) == (False, False)
    assert once["difference"]["model"] == "queens n=6"


def test_csv_and_markdown_have_a_line_for_each_row(mixed):
    read = list(csv.DictReader(io.StringIO(csv_text(mixed))))
    assert len(read) == len(mixed.rows)
    for line, row in zip(read, mixed.rows, strict=True):
        assert (line["model"], line["backend"], line["status"]) == (row.model, row.backend, row.status)
        assert line["size"] == str(row.size)
        assert line["solutions"] == ("" if row.solutions is None else str(row.solutions))
        if row.solve_seconds is not None:
            assert math.isclose(float(line["solve_seconds"]), row.solve_seconds)
    table = [line for line in markdown_text(mixed).splitlines() if line.startswith("|")]
    assert len(table) == len(mixed.rows) + 2
    assert len({line.count("|") for line in table}) == 1
    for line, row in zip(table[2:], mixed.rows, strict=True):
        assert row.backend in line
        assert row.status in line


def test_names_that_tables_could_stumble_over():
    model = Model('a|b, "c"')
    model.int_var("x", range(3))
    other = Model("d")
    other.int_var("x", range(3))
    comparison = compare([model, other], backends=["core"])
    table = [line for line in markdown_text(comparison).splitlines() if line.startswith("|")]
    assert len(table) == 4
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    assert [line["model"] for line in csv.DictReader(io.StringIO(csv_text(comparison)))] == ['a|b, "c"', "d"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        '{"format": 99, "model": "m", "agree": null, "setting": {}, "rows": []}',
        '{"format": 2, "model": "m", "agree": null, "setting": {}, "rows": 3}',
        '{"format": 2, "model": "m", "agree": null, "setting": {}, "rows": [{"model": "m", "size": 4, "measurements": []}]}',
        '{"format": 2, "model": "m", "agree": null, "setting": {}, "rows": [{"model": "m", "size": 4, "measurements": [7]}]}',
        "model,size,backend\n",
        "\udcff",
    ],
)
def test_no_saved_comparison(tmp_path, text):
    path = tmp_path / "saved.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(NQueensError, match=r"saved\.json"):
        load_comparison(path)


def test_figures_that_are_none(tmp_path):
    """A record with the right keys and a word for a time is refused where it is read, not where it is used."""
    path = tmp_path / "saved.json"
    measurement = {"backend": "core", "status": "complete", "solutions": 4, "solve_seconds": "fast"}
    row = {"model": "queens n=6", "size": 6, "measurements": [measurement]}
    path.write_text(json.dumps({"format": 2, "model": "queens", "agree": None, "setting": {}, "rows": [row]}))
    with pytest.raises(NQueensError, match=r"saved\.json"):
        load_comparison(path)


def test_a_file_that_is_not_there(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(NQueensError, match=re.escape(str(path))):
            load_comparison(path)


# Ctrl-C and bad input.


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


def test_integers_of_whatever_kind_are_the_same_solutions():
    comparison = compare(5, backends=["lists", "core"], task="enumerate")
    assert comparison.agree is True


@pytest.mark.parametrize("backend", ["floats", "nones", "too-short"])
def test_what_is_no_solution_fails(backend):
    row = row_of(compare(5, backends=[backend, "core"], task="enumerate"), backend)
    assert (row.status, row.solutions, row.is_complete) == ("failed", None, False)
    assert "TypeError" in row.reason


def test_what_is_no_number_fails():
    row = row_of(compare(5, backends=["counts-in-words", "core"]), "counts-in-words")
    assert row.status == "failed"
    assert "'10'" in row.reason


def test_satisfied_without_a_solution_fails():
    row = row_of(compare(5, backends=["no-solution-to-show", "core"], task="solve"), "no-solution-to-show")
    assert row.status == "failed"
    assert "no solution" in row.reason


def test_how_a_process_ended_is_told():
    assert "SIGKILL" in row_of(compare(5, backends=["killed"], task="enumerate"), "killed").reason
    assert "ended with 7" in row_of(compare(5, backends=["exits-7"], task="enumerate"), "exits-7").reason


def test_an_unfinished_list_accuses_nobody():
    """Listing is stopped by the limit before the one that is missing is reached."""
    comparison = compare(8, backends=["core", "drops-the-last"], time_limit=1)
    assert comparison.agree is False
    assert comparison.difference is None
    assert "drops-the-last's was not finished" in comparison.setting["remark"]


def test_an_answer_is_had_though_a_process_is_left_behind():
    begun = time.monotonic()
    comparison = compare(5, backends=["holds-on", "core"], task="enumerate")
    assert comparison.agree is True
    assert time.monotonic() - begun < 45


def test_the_memory_of_the_caller_is_not_counted():
    held = bytearray(400 << 20)
    held[::4096] = b"x" * len(held[::4096])
    row = row_of(compare(5, backends=["core"]), "core")
    assert row.figure("peak_mib") < 200
    del held


def test_ratios_only_of_the_same_answers(tmp_path):
    path = tmp_path / "letters.py"
    text = "from nqueens_cp import Model\n\ndef build():\n    m = Model('m')\n    m.int_var('x', range({}))\n    return m\n"
    path.write_text(text.format(4))
    before = compare(path, backends=["core"])
    assert len(ratios(compare(path, backends=["core"]), before)) == 1
    path.write_text(text.format(7))
    after = compare(path, backends=["core"])
    assert ratios(after, before) == []
    assert "1 of 1 rows have no counterpart" in against_text(after, before)


def test_what_a_terminal_could_take_for_a_command_is_shown():
    model = Model("red \x1b[31m\u202e [bold]")
    model.int_var("x", range(2))
    text = str(compare(model, backends=["core", "python-constraint"]))
    assert "\x1b" not in text
    assert "\\x1b[31m" in text
    assert "\u202e" not in text
    assert "[bold]" in text


def test_markdown_shows_text_as_it_is():
    model = Model("a|b <script>\n* x")
    model.int_var("x", range(2))
    text = markdown_text(compare([model, 4], backends=["core"]))
    (line,) = (line for line in text.splitlines() if "script" in line)
    assert "a\\|b \\<script\\>" in line


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agree", "maybe"),
        ("model", 7),
        ("setting", None),
        ("setting", []),
        ("setting", {"task": "count", "repeats": "x", "machine": {}, "maximize": {}}),
        ("setting", {"task": "count", "repeats": 1, "machine": "fast", "maximize": {}}),
        ("difference", {"model": "m"}),
        ("difference", 5),
    ],
)
def test_a_saved_comparison_changed_by_hand(tmp_path, name, value):
    path = tmp_path / "a.json"
    save(compare(4, backends=["core"]), path)
    load_comparison(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(NQueensError, match=re.escape(str(path))):
        load_comparison(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("backend", []), ("solve_seconds", None), ("solve_seconds", "x"), ("statistics", None), ("solutions", "x")],
)
def test_a_saved_measurement_changed_by_hand(tmp_path, name, value):
    path = tmp_path / "a.json"
    save(compare(4, backends=["core"]), path)
    record = json.loads(path.read_text())
    record["rows"][0]["measurements"][0][name] = value
    path.write_text(json.dumps(record))
    with pytest.raises(NQueensError, match=re.escape(str(path))):
        load_comparison(path)


def test_plot(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    comparison = compare(range(4, 7), backends=["core", "bit-masks"], repeats=2)
    axes = comparison.plot()
    assert axes.get_yscale() == "log"
    drawn = {line.get_label(): line for line in axes.get_lines()} | {
        container.get_label(): container.lines[0] for container in axes.containers
    }
    for backend in ("core", "bit-masks"):
        assert list(drawn[backend].get_xdata()) == [4, 5, 6]
        rows = [row for row in comparison.rows if row.backend == backend]
        assert list(drawn[backend].get_ydata()) == [row.solve_seconds for row in rows]
    assert comparison.plot("peak_mib", axes) is axes
    axes.figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1_000
    several = compare(["queens", "toroidal_queens"], backends=["core"], n=5)
    labels = [label.get_text() for label in several.plot("build_seconds").get_xticklabels()]
    assert labels == [row.model for row in several.rows]
    with pytest.raises(NQueensError, match="colour"):
        comparison.plot("colour")
    with pytest.raises(NQueensError, match="first_seconds"):
        comparison.plot("first_seconds")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(NQueensError, match="pip install"):
        comparison.plot()


def test_to_prove_that_there_is_none():
    comparison = compare(3, backends=["core", "python-constraint"], task="prove")
    assert comparison.agree is True
    assert [row.status for row in comparison.rows] == ["unsatisfiable", "unsatisfiable"]
    comparison = compare(4, backends=["core", "python-constraint"], task="prove")
    assert comparison.agree is False, "both find a solution"
    assert [row.solutions for row in comparison.rows] == [1, 1]


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


def test_a_model_that_cannot_be_taken_is_no_disagreement():
    model = Model("three")
    a, b, c = model.int_vars("v", 3, domain=range(3))
    model.add(all_different([a, b, c]), a + b + c == 3)
    comparison = compare(model, backends=["core", "python-constraint", "flag-arrays"])
    assert [row.status for row in comparison.rows] == ["unsupported", "complete", "unsupported"]
    assert comparison.agree is None
    assert row_of(comparison, "python-constraint").solutions == 6
