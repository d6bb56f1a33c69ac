"""Long counts in jobs: the same numbers, checkpoints that go on, are refused, or are found to be damaged."""

from __future__ import annotations

import itertools
import os
import random
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing

import pytest

from fresh_python import run_python
from half_boards import PUBLISHED
from nqueens_cp import (
    InvalidValue,
    Model,
    SearchStopped,
    UnsupportedModel,
    VerificationError,
    check_checkpoint,
    count,
    count_in_jobs,
    load_model,
    predicate,
    queens,
)
from nqueens_cp.control import Control
from nqueens_cp.core import join, kernel
from nqueens_cp.core.compile import DiagonalForm
from nqueens_cp.jobs import checkpoint as files
from nqueens_cp.jobs.backtracking import backtracked, column_sets
from nqueens_cp.jobs.plan import checksum, plan_of
from nqueens_cp.model import Problem

COMPILED = pytest.mark.skipif(kernel.load()[0] is None, reason=f"the kernel is not in use: {kernel.load()[1]}")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "count.sqlite"


@pytest.fixture
def told_often(monkeypatch):
    """Progress is told at every poll, however fast the machine is."""
    monkeypatch.setattr("nqueens_cp.control.PROGRESS_INTERVAL", 0.0)


class Enough(Exception):
    pass


def stop_after(jobs):
    """Return a progress callback that ends a count when so many jobs are done."""

    def stop(progress):
        if progress.done >= jobs:
            raise Enough

    return stop


def changed(path, statement, *values):
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(statement, values)


def rows(path, table="results"):
    with closing(sqlite3.connect(path)) as file:
        return file.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()


def never(*arguments, **options):
    raise AssertionError("nothing is left to be counted")


# The same number.


@pytest.mark.parametrize("n", [4, 5, 9, 12, 14])
@pytest.mark.parametrize("workers", [1, 2])
def test_published_counts(n, workers, path):
    assert count_in_jobs(n, checkpoint=path, workers=workers, recheck=0.1) == PUBLISHED[n]
    stored = rows(path)
    assert sum(int(row[2]) for row in stored) == PUBLISHED[n]
    assert not path.with_name("count.sqlite.lock").exists()


@pytest.mark.parametrize(("n", "expected"), [(0, 1), (1, 1), (2, 0), (3, 0)])
def test_tiny_boards(n, expected, path):
    assert count_in_jobs(n, checkpoint=path) == count_in_jobs(n, checkpoint=path, recheck=1) == expected


@pytest.mark.parametrize(("backend", "workers"), [("core", 2), ("cp-sat", 1), ("python-constraint", 2)])
def test_parts_as_brute_force(backend, workers, path, monkeypatch):
    if backend != "core":
        monkeypatch.setattr("nqueens_cp.jobs.work.PARTS", 40)  # which take less long

    def attacks(placed):
        return any(
            abs(one - other) in (0, further - row)
            for (row, one), (further, other) in itertools.combinations(enumerate(placed), 2)
        )

    expected = sum(not attacks(placed) for placed in itertools.product(range(5), repeat=4))
    model = queens(5, rows=4)
    assert count_in_jobs(model, checkpoint=path, backend=backend, workers=workers, recheck=0.01) == expected
    assert {row[0] for row in rows(path)} == set(range(len(rows(path)))), "every job is there"
    assert len(rows(path)) >= (300 if backend == "core" else 40)


def test_a_model_that_the_table_of_conflicts_takes():
    assert count_in_jobs(load_model("amazons", n=8), workers=2) == 0  # A051223


@COMPILED
@pytest.mark.parametrize("n", range(4, 11))
@pytest.mark.parametrize("symmetry", join.SYMMETRIES)
def test_every_job_of_the_join_by_backtracking(n, symmetry):
    form = DiagonalForm(((1 << n) - 1,) * n, (0,) * n, n, True, True, True)
    jobs = join.jobs(form, symmetry, 40)
    assert len(column_sets(n, form.allowed[n // 2], symmetry)) == jobs[-1].last
    expected = dict(join.numbers(jobs, Control()))
    assert dict(backtracked(jobs, Control(workers=2))) == expected
    assert sum(expected.values()) == PUBLISHED[n]


@COMPILED
def test_boards_with_blocked_squares_by_backtracking():
    chance = random.Random(1)
    for n in (6, 7, 8, 9):
        for _ in range(10):
            blocked = [square for square in itertools.product(range(n), repeat=2) if chance.random() < 0.15]
            model = queens(n, blocked=blocked)
            assert count_in_jobs(model, recheck=1) == count(model, backend="cp-sat")


# It goes on.


@pytest.mark.parametrize("backend", ["auto", "python-constraint"])
def test_it_goes_on_where_it_was(backend, path, told_often):
    n, done = (17 if backend == "auto" and kernel.load()[0] is not None else 8), 0
    for _ in range(4):
        with pytest.raises(Enough):
            count_in_jobs(n, checkpoint=path, backend=backend, progress=stop_after(done + 1))
        more = len(rows(path))
        assert more > done
        done = more
        assert sum(int(row[2]) for row in rows(path)) <= PUBLISHED[n]
        if done > 300:
            break
    assert count_in_jobs(n, checkpoint=path, backend=backend) == PUBLISHED[n]


def test_what_is_done_is_not_counted_again(path, monkeypatch):
    count_in_jobs(10, checkpoint=path)
    monkeypatch.setattr("nqueens_cp.jobs.work.JoinWork.numbers", never)
    monkeypatch.setattr("nqueens_cp.jobs.work.PartsWork.numbers", never)
    assert count_in_jobs(10, checkpoint=path) == 724


@COMPILED
def test_a_time_limit(path):
    with pytest.raises(
        SearchStopped, match=r"at least \d+ solutions .* jobs are done; the same call goes on"
    ) as stopped:
        count_in_jobs(18, checkpoint=path, time_limit=0.4)
    assert 0 <= stopped.value.partial == sum(int(row[2]) for row in rows(path)) < 666_090_624


def test_progress(path, told_often):
    told = []
    with pytest.raises(Enough):
        count_in_jobs(7, checkpoint=path, backend="python-constraint", progress=stop_after(100))
    count_in_jobs(7, checkpoint=path, backend="python-constraint", progress=told.append)
    jobs = len(rows(path))
    assert told
    for progress in told:
        assert progress.jobs == jobs
        assert progress.share == progress.done / progress.jobs
        assert progress.done >= 100
        assert progress.rate == 0 or progress.left == pytest.approx((progress.jobs - progress.done) / progress.rate)
    assert [progress.found for progress in told] == sorted(progress.found for progress in told)


# It is refused.


def test_another_size(path):
    count_in_jobs(8, checkpoint=path)
    with pytest.raises(InvalidValue, match=r"another count: variables 8 there, variables 9 here"):
        count_in_jobs(9, checkpoint=path)


def test_another_statement(path):
    count_in_jobs(8, checkpoint=path)
    with pytest.raises(InvalidValue, match=r"another count: statement \w{12} there, statement \w{12} here"):
        count_in_jobs(queens(8, blocked=[(0, 0)]), checkpoint=path)


def test_another_backend(path):
    count_in_jobs(6, checkpoint=path)
    with pytest.raises(InvalidValue, match="backend core there, backend cp-sat here"):
        count_in_jobs(6, checkpoint=path, backend="cp-sat")


def test_another_version(path, monkeypatch):
    count_in_jobs(6, checkpoint=path)

    def later(problem: Problem, backend: str, control: Control):
        plan = plan_of(problem, backend, control)
        object.__setattr__(plan.identity, "package", "99.0")
        return plan

    monkeypatch.setattr("nqueens_cp.jobs.counting.plan_of", later)
    with pytest.raises(InvalidValue, match=r"nqueens-cp \S+ there, nqueens-cp 99\.0 here"):
        count_in_jobs(6, checkpoint=path)


@pytest.mark.parametrize("backend", ["core", "python-constraint"])
def test_predicates_are_told_by_what_they_say(path, backend):
    """Functions that only this process knows are no hindrance, but for counting again in another process."""

    def model(distance, size=5):
        made = Model("pairs")
        x, y = made.int_vars("x", 2, domain=range(size))
        made.add(predicate(lambda a, b: abs(a - b) == distance, [x, y]))
        return made

    assert count_in_jobs(model(1), checkpoint=path, backend=backend) == 8
    assert count_in_jobs(model(1), checkpoint=path, backend=backend) == 8
    with pytest.raises(InvalidValue, match="another count"):
        count_in_jobs(model(2), checkpoint=path, backend=backend)
    with pytest.raises(
        UnsupportedModel, match=r"recheck: .* cannot be sent to another process .*; .* or leave that out"
    ):
        count_in_jobs(model(1), checkpoint=path, backend=backend, recheck=0.5)
    with pytest.raises(UnsupportedModel, match="a long count"):
        count_in_jobs(model(1, 400), backend="python-constraint")


def test_two_at_once_in_one_process(path, told_often):
    def second(progress):
        with pytest.raises(InvalidValue, match="this process is counting with this checkpoint"):
            count_in_jobs(8, checkpoint=path, backend="python-constraint")
        raise Enough

    with pytest.raises(Enough):
        count_in_jobs(8, checkpoint=path, backend="python-constraint", progress=second)
    assert count_in_jobs(8, checkpoint=path, backend="python-constraint", workers=2) == 92


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"recheck": 2}, "from 0 to 1"),
        ({"recheck": "2%"}, "from 0 to 1"),
        ({"workers": 0}, "workers"),
        ({"cluster": "somewhere"}, "tcp://host:8786"),
        ({"cluster": "local:2", "workers": 2}, "the cluster has its own workers"),
        ({"cluster": 3}, "a Client or an address"),
    ],
)
def test_bad_arguments(options, expected):
    if options.get("cluster") in ("somewhere", 3):
        pytest.importorskip("distributed")
    with pytest.raises((ValueError, TypeError), match=expected):
        count_in_jobs(6, **options)


# It is damaged.


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"hello, world\n" * 100])
def test_other_files(path, content):
    path.write_bytes(content)
    with pytest.raises(InvalidValue, match=r"so it is no checkpoint; restore|is damaged: .*; restore a copy"):
        count_in_jobs(6, checkpoint=path)
    assert path.read_bytes() == content, "it is left alone"


def test_the_database_of_another_program(path):
    changed(path, "CREATE TABLE results (job)")
    with pytest.raises(InvalidValue, match="of another program"):
        count_in_jobs(6, checkpoint=path)


def test_a_file_cut_off_anywhere(path):
    count_in_jobs(8, checkpoint=path)
    whole = path.read_bytes()
    chance = random.Random(2)
    for length in [*chance.sample(range(1, len(whole)), 25), *range(4096, len(whole), 4096), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(InvalidValue, match="restore a copy"):
            count_in_jobs(8, checkpoint=path)
        assert not check_checkpoint(path).ok


@pytest.mark.parametrize("journal", ["there", "gone"])
def test_killed_in_the_middle_of_a_write(path, journal):
    """Some pages are written, but not all: SQLite's journal takes them back; where that is gone it is found out."""
    count_in_jobs(12, checkpoint=path)
    before = path.read_bytes()
    program = (
        "import os, signal, sqlite3, sys\n"
        "file = sqlite3.connect(sys.argv[1])\n"
        "file.execute('PRAGMA cache_size = 1')\n"
        "file.execute('UPDATE results SET result = 1000')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], timeout=120)
    assert path.read_bytes() != before, "nothing was written"
    beside = path.with_name("count.sqlite-journal")
    assert beside.exists()
    if journal == "gone":
        beside.unlink()
        assert not check_checkpoint(path).ok
        with pytest.raises(InvalidValue, match="is damaged"):
            count_in_jobs(12, checkpoint=path)
    else:
        assert check_checkpoint(path, 12).count == PUBLISHED[12]
        assert count_in_jobs(12, checkpoint=path) == PUBLISHED[12]


def test_bytes_changed_anywhere_lead_to_no_other_count(path):
    count_in_jobs(8, checkpoint=path)
    whole = path.read_bytes()
    chance, found_out = random.Random(3), 0
    places = [place for place, byte in enumerate(whole) if byte]  # much of the file is unused
    for place in chance.sample(places, 150):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert count_in_jobs(8, checkpoint=path) == 92, place
        except (InvalidValue, OSError):
            found_out += 1
    assert found_out > 100


def test_a_changed_result(path):
    count_in_jobs(8, checkpoint=path)
    job, _, result, *_ = next(row for row in rows(path) if row[2] != "0")
    changed(path, "UPDATE results SET result = ? WHERE job = ?", str(int(result) + 1), job)
    message = rf"the result of job {job} does not fit its checksum.*DELETE FROM results WHERE job = {job}"
    with pytest.raises(InvalidValue, match=message):
        count_in_jobs(8, checkpoint=path)
    assert f"job {job}" in check_checkpoint(path).fault
    changed(path, "DELETE FROM results WHERE job = ?", job)  # as the message says
    changed(path, "DELETE FROM record")
    assert check_checkpoint(path).count is None
    assert count_in_jobs(8, checkpoint=path) == 92


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM results WHERE job = 3",
        "UPDATE record SET count = '93'",
        "UPDATE about SET value = replace(value, '\"variables\": 8', '\"variables\": 9') WHERE name = 'identity'",
        "UPDATE results SET job = 100000 WHERE job = 3",
        "UPDATE results SET inputs = '[0, 1]' WHERE job = 3",
        "DROP TABLE results",
        "DELETE FROM about",
    ],
)
def test_what_does_not_fit_together(path, statement):
    count_in_jobs(8, checkpoint=path)
    changed(path, statement)
    with pytest.raises(InvalidValue, match="is damaged"):
        count_in_jobs(8, checkpoint=path)
    assert "is damaged" in check_checkpoint(path, 8).fault


def test_a_wrong_result_is_found_when_it_is_counted_again(path):
    count_in_jobs(8, checkpoint=path)
    content = files.read_checkpoint(path)
    row = next(row for row in content.results.values() if row.number)
    forged = checksum(content.identity.digest, row.job, row.inputs, row.number + 1)
    changed(path, "UPDATE results SET result = ?, checksum = ? WHERE job = ?", str(row.number + 1), forged, row.job)
    assert "final record" in check_checkpoint(path).fault
    changed(path, "DELETE FROM record")
    with pytest.raises(VerificationError, match=rf"job {row.job} .* gave {row.number + 1} .* and {row.number} when"):
        count_in_jobs(8, checkpoint=path, recheck=1)


# It is checked.


def test_check_tells_what_is_there(path, told_often):
    with pytest.raises(Enough):
        count_in_jobs(8, checkpoint=path, backend="python-constraint", progress=stop_after(1))
    report = check_checkpoint(path)
    assert (report.ok, report.count) == (True, None)
    assert 0 < report.done < report.jobs
    assert f"partial, at least {report.found} solutions" in str(report)
    count_in_jobs(8, checkpoint=path, backend="python-constraint", recheck=0.02)
    report = check_checkpoint(path, 8)
    assert (report.ok, report.count, report.found, report.model) == (True, 92, 92, "queens")
    assert report.done == report.jobs
    assert report.rechecked >= report.jobs * 0.02
    assert "another count" in check_checkpoint(path, 9).fault


def test_a_file_that_is_not_there(path):
    with pytest.raises(InvalidValue, match="no such file"):
        check_checkpoint(path)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", "it is a folder"),
        (".", "it is a folder"),
        ("nowhere/count.sqlite", "there is no folder .*nowhere"),
        (3, "expected a path, got 3"),
        (b"count.sqlite", "expected a path"),
    ],
)
def test_no_place_for_a_file(given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError), match=f"checkpoint.*{expected}"):
        count_in_jobs(6, checkpoint=given)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InvalidValue, match="no permission"):
        count_in_jobs(6, checkpoint=tmp_path / "count.sqlite")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the limit holds for a whole process")
@pytest.mark.parametrize("most", [10_000, 40_000, 50_000])
def test_a_disk_that_is_full(path, most):
    """Of a file that may have only so many bytes: when there is room it goes on."""
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))\n"
        "from nqueens_cp import count_in_jobs\n"
        "try:\n"
        "    count_in_jobs(12, checkpoint=sys.argv[1])\n"
        "except OSError as error:\n"
        "    print(error)\n"
    )
    ran = run_python(program, str(path))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"{path}: "), ran.stdout
    assert path.exists() == (most > 30_000)
    assert not path.with_name("count.sqlite.new").exists()
    assert not path.with_name("count.sqlite.lock").exists()
    if path.exists():
        assert check_checkpoint(path).ok
    assert count_in_jobs(12, checkpoint=path) == PUBLISHED[12]
