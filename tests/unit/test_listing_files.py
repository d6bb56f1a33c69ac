"""Files of solutions: what stands in them, and that a stopped one can be gone on with to the last byte."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import itertools
import json
import random
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from nqueens_cp import (
    InvalidValue,
    Model,
    SearchInterrupted,
    all_different,
    load_model,
    queens,
    solutions,
    write_solutions,
)
from nqueens_cp.listing.metadata import beside, read_metadata

ENDINGS = ["txt", "lines", "csv", "jsonl", "npy", "txt.gz", "lines.gz", "csv.gz", "jsonl.gz"]


def odd_model():
    model = Model("odd")
    x = model.int_vars("x", 3, [-5, 0, 30, 2**40])
    y = model.int_var('y, "100%"', range(-3, 5))
    model.add(all_different([*x, y]), x[0] < x[1], y != 0)
    return model


def brute_force_odd():
    domains = [[-5, 0, 30, 2**40]] * 3 + [range(-3, 5)]
    return sorted(v for v in itertools.product(*domains) if len(set(v)) == 4 and v[0] < v[1] and v[3] != 0)


def lone_model():
    """Variables outside arrays before and after an array, so that JSON has another order than the columns."""
    model = Model("lone")
    first = model.int_var("first", range(3))
    model.int_vars("list", 2, range(9, 12))
    last = model.bool_var("last")
    model.add(first != last)
    return model


def no_solution():
    model = Model("none")
    x = model.int_var("x", range(3))
    model.add(x > 5)
    return model


def squares_board():
    """At most one rook in each line, with a variable for each square."""
    model = Model("rooks")
    cells = [[model.bool_var(f"s{r}{c}") for c in range(3)] for r in range(3)]
    for line in (*cells, *zip(*cells, strict=True)):
        model.add(*(a + b <= 1 for a, b in itertools.combinations(line, 2)))
    model.board(cells)
    model.mark(blocked=[(0, 0)])
    model.add(cells[0][0] == 0)
    return model


MODELS = {
    "queens": lambda: queens(7),
    "torus": lambda: queens(7, torus=True),
    "blocked": lambda: queens(8, blocked=[(0, 1), (2, 2)], placed=[(3, 3)]),
    "rectangle": lambda: queens(6, rows=4),
    "regions": lambda: load_model("region_queens", regions=("aaab", "cabb", "ccdb", "cddd")),
    "odd": odd_model,
    "lone": lone_model,
    "squares": squares_board,
    "empty": lambda: Model("empty"),
    "none": no_solution,
    "no-rows": lambda: queens(0),
}


@pytest.fixture(params=sorted(MODELS))
def model(request):
    return MODELS[request.param]()


def content(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def rows_in(path, model):
    """Read a file with other tools than the package's."""
    names = [variable.name for variable in model.variables]
    data = content(path)
    ending = path.name.removesuffix(".gz").rpartition(".")[2]
    if ending == "npy":
        return [tuple(row) for row in np.load(path).tolist()]
    text = data.decode()
    if ending == "lines":
        return [tuple(map(int, line.split())) for line in text.splitlines()]
    if ending == "csv":
        first, *rest = csv.reader(io.StringIO(text)) if names else text.split("\n")[:-1]
        assert list(first) == names
        return [tuple(map(int, row)) for row in rest]
    if ending == "jsonl":
        found = []
        for line in text.splitlines():
            record, values = json.loads(line), {}
            for name, value in record.items():
                if isinstance(value, list):
                    values |= {f"{name}[{i}]": v for i, v in enumerate(value)}
                else:
                    values[name] = value
            assert sorted(values) == sorted(names)
            found.append(tuple(values[name] for name in names))
        return found
    return text.removesuffix("\n").split("\n\n") if text else []


def expected_rows(model, ending):
    found = list(solutions(model))
    return [str(solution) for solution in found] if ending.startswith("txt") else [s.values for s in found]


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_stands_in_a_file(model, ending, tmp_path):
    path = tmp_path / f"list.{ending}"
    written = write_solutions(model, path)
    rows = rows_in(path, model)
    expected = expected_rows(model, ending)
    if model.name != "queens" or model.variables:  # a board without rows is an empty text
        assert rows == expected
    assert (written.count, written.status, written.complete) == (len(expected), "complete", True)
    data = content(path)
    if ending == "npy":
        data = np.load(path).tobytes()
    assert written.digest == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert json.loads(beside(path).read_text()) == asdict(written)
    assert list(written.columns) == [variable.name for variable in model.variables]
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, f"{path.name}.meta.json"]


def test_the_oracle_of_the_odd_model(tmp_path):
    write_solutions(odd_model(), tmp_path / "odd.csv")
    assert rows_in(tmp_path / "odd.csv", odd_model()) == brute_force_odd()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_cut_anywhere_is_gone_on_with(model, ending, tmp_path):
    path = tmp_path / f"list.{ending}"
    whole = write_solutions(model, path)
    data = path.read_bytes()
    rng = random.Random(f"{model.name} {ending}")
    for cut in {0, 1, len(data) // 2, len(data) - 1, len(data)} | {rng.randrange(len(data) + 1) for _ in range(3)}:
        if cut < 0:
            continue
        path.write_bytes(data[:cut])
        replace(whole, status="running", count=None, digest=None, complete=False).write(path)
        assert write_solutions(model, path, resume=True) == whole
        assert path.read_bytes() == data
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, f"{path.name}.meta.json"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_stopped_by_ctrl_c_is_valid_and_gone_on_with(ending, tmp_path):
    whole = write_solutions(11, tmp_path / f"whole.{ending}")
    path = tmp_path / f"list.{ending}"

    def stop(progress):
        if progress.found > 100:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nqueens_cp.control.PROGRESS_INTERVAL", 0)
        with pytest.raises(SearchInterrupted) as interrupted:
            write_solutions(11, path, progress=stop)
    part = interrupted.value.partial
    assert (part.status, part.complete) == ("interrupted", False)
    assert 0 < part.count < 2680  # A000170
    rows = rows_in(path, queens(11))
    assert len(rows) == part.count
    assert rows == rows_in(tmp_path / f"whole.{ending}", queens(11))[: part.count]
    assert write_solutions(11, path, resume=True) == whole
    assert path.read_bytes() == (tmp_path / f"whole.{ending}").read_bytes()


def test_ctrl_c_before_anything_was_found_writes_nothing(tmp_path):
    def stop(progress):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nqueens_cp.control.PROGRESS_INTERVAL", 0)
        with pytest.raises(SearchInterrupted) as interrupted:
            write_solutions(11, tmp_path / "a.csv", progress=stop)
    assert interrupted.value.partial is None
    assert list(tmp_path.iterdir()) == []


def test_limit_and_skip(tmp_path):
    model = queens(8)
    path = tmp_path / "a.lines"
    every = expected_rows(model, "lines")
    for limit, skip in ((1, 0), (10, 0), (None, 5), (7, 80), (20, 80), (5, 92), (None, 91)):
        written = write_solutions(model, path, limit=limit, skip=skip)
        rest = every[skip:]
        assert rows_in(path, model) == rest[:limit]
        cut = limit is not None and limit < len(rest)
        assert written.status == ("limit" if cut else "complete")
        assert written.complete == (not cut and skip == 0)
    for limit in (1, 17, 92):
        write_solutions(model, path, limit=limit)
        assert write_solutions(model, path, limit=50 if limit < 50 else 92, resume=True).count == (
            50 if limit < 50 else 92
        )
        assert write_solutions(model, path, resume=True).count == 92
        assert rows_in(path, model) == every
    write_solutions(model, path, limit=10, skip=30)
    write_solutions(model, path, skip=30, resume=True)
    assert rows_in(path, model) == every[30:]


def test_up_to_symmetry(tmp_path):
    model = queens(8)
    for ending in ENDINGS:
        path = tmp_path / f"a.{ending}"
        written = write_solutions(model, path, up_to_symmetry=True)
        assert (written.count, written.columns[-1]) == (12, "orbit")  # A002562
    for name, sizes in (
        ("lines", [row[-1] for row in rows_in(tmp_path / "a.lines", model)]),
        ("npy", np.load(tmp_path / "a.npy")[:, -1].tolist()),
        ("jsonl", [json.loads(line)["orbit"] for line in (tmp_path / "a.jsonl").read_text().splitlines()]),
        ("csv", [int(row["orbit"]) for row in csv.DictReader((tmp_path / "a.csv").open())]),
        ("txt", [int(line[6:]) for line in (tmp_path / "a.txt").read_text().splitlines() if line.startswith("orbit ")]),
    ):
        assert sorted(sizes) == [4] + [8] * 11, name
    data = (tmp_path / "a.txt").read_bytes()
    write_solutions(model, tmp_path / "b.txt", up_to_symmetry=True, limit=5)
    write_solutions(model, tmp_path / "b.txt", up_to_symmetry=True, resume=True)
    assert (tmp_path / "b.txt").read_bytes() == data


def test_other_backends_write_too_but_cannot_go_on(tmp_path):
    path = tmp_path / "a.lines"
    written = write_solutions(8, path, backend="cp-sat", limit=9)
    assert (written.backend, written.count) == ("cp-sat", 9)
    with pytest.raises(InvalidValue, match="order is not fixed"):
        write_solutions(8, path, resume=True)


def test_what_is_refused(tmp_path):
    path = tmp_path / "a.lines"
    for name, why in (
        ("a.npy.gz", "says at its beginning how many"),
        ("a", "ending tells no format"),
        ("a.gz", "ending"),
    ):
        with pytest.raises(InvalidValue, match=why):
            write_solutions(8, tmp_path / name)
    with pytest.raises(InvalidValue, match="none of boards, csv"):
        write_solutions(8, path, format="xml")
    with pytest.raises(InvalidValue, match="no regular file"):
        write_solutions(8, tmp_path, format="lines")
    with pytest.raises(InvalidValue, match="not there"):
        write_solutions(8, path, resume=True)
    assert list(tmp_path.iterdir()) == []
    hidden = queens(4)
    hidden.bool_var("hidden")
    with pytest.raises(InvalidValue, match="leaves out hidden"):
        write_solutions(hidden, tmp_path / "a.txt")
    named = Model()
    named.int_var("orbit", range(2))
    assert write_solutions(named, tmp_path / "named.jsonl").count == 2


def test_what_cannot_be_gone_on_with(tmp_path):
    path = tmp_path / "a.csv"
    write_solutions(8, path, limit=10)
    data = path.read_bytes()
    for model, arguments, why in (
        (queens(9), {}, "statement of the model"),
        (queens(8, torus=True), {}, "statement of the model"),
        (queens(8), {"format": "lines"}, "format is csv, not lines"),
        (queens(8), {"skip": 3}, "skip is 0, not 3"),
        (queens(8), {"up_to_symmetry": True}, "up to symmetry"),
        (queens(8), {"backend": "cp-sat"}, "from core, not cp-sat"),
        (queens(8), {"limit": 3}, "more than the limit"),
    ):
        with pytest.raises(InvalidValue, match=why):
            write_solutions(model, path, resume=True, **arguments)
        assert path.read_bytes() == data
    path.write_bytes(data.replace(b"0,4,7", b"0,4,6", 1))
    with pytest.raises(InvalidValue, match="its content is not what"):
        write_solutions(8, path, resume=True)
    path.write_bytes(data)
    beside(path).write_text("{")
    with pytest.raises(InvalidValue, match="damaged"):
        write_solutions(8, path, resume=True)
    beside(path).unlink()
    with pytest.raises(InvalidValue, match="not there"):
        write_solutions(8, path, resume=True)


def test_a_stopped_list_is_not_overwritten(tmp_path):
    path = tmp_path / "a.lines"
    stopped = write_solutions(18, path, time_limit=0.1)
    assert (stopped.status, stopped.is_partial) == ("timeout", True)
    with pytest.raises(InvalidValue, match="go on with it"):
        write_solutions(18, path)
    assert read_metadata(path) == stopped
    beside(path).unlink()
    assert write_solutions(8, path).count == 92


def test_the_compressed_file_does_not_depend_on_the_time_or_its_name(tmp_path):
    write_solutions(8, tmp_path / "a.lines.gz")
    write_solutions(8, tmp_path / "b.lines.gz")
    data = (tmp_path / "a.lines.gz").read_bytes()
    assert data == (tmp_path / "b.lines.gz").read_bytes()
    assert data[4:8] == b"\0\0\0\0", "no time"
    assert data[3] == 0, "no name"


MEMORY = """
import resource, sys
from nqueens_cp import write_solutions
write_solutions(8, sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(write_solutions({n}, sys.argv[1]).count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured in the units of Linux")
@pytest.mark.parametrize(("ending", "n"), [("npy", 14), ("lines", 14), ("txt", 12)])
def test_memory_is_bounded(ending, n, tmp_path):
    path = tmp_path / f"a.{ending}"
    code = MEMORY.format(n=n)
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=120, check=True)
    count, kilobytes = map(int, done.stdout.split())
    assert count == {14: 365_596, 12: 14_200}[n]  # A000170
    assert kilobytes < 40_000, "Q(14) has 5 MB as .npy and 12 MB as lines; the kernel keeps half of it for the mirror"
    if ending == "npy":
        found = np.load(path, mmap_mode="r")
        assert found.shape == (365_596, 14)
        assert (np.sort(found, axis=1) == np.arange(14)).all()


def test_two_programs_do_not_write_to_one_file(tmp_path):
    pytest.importorskip("fcntl")
    from nqueens_cp.listing.sink import Sink, opened_alone

    path = Path(tmp_path / "a.lines")
    write_solutions(8, path, limit=3)
    sink = Sink(path, opened_alone(path), compress=False, kept=path.stat().st_size)
    with pytest.raises(InvalidValue, match="another program"):
        write_solutions(8, path, resume=True)
    sink.close()
    assert write_solutions(8, path, resume=True).count == 92
