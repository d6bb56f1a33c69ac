"""The command check, and check_file: spoilt files of every kind are found out, and right ones pass whoever wrote them."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nqueens_cp import InvalidValue, Model, all_different, check_file, load_model, queens, solutions, write_solutions
from nqueens_cp.listing.metadata import beside

ENDINGS = ["txt", "lines", "csv", "jsonl", "npy", "txt.gz", "lines.gz", "csv.gz", "jsonl.gz"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with the list of Q(8) in every format, with metadata."""
    folder = tmp_path_factory.mktemp("written")
    for ending in ENDINGS:
        write_solutions(8, folder / f"list.{ending}")
    return folder


@pytest.fixture
def copy(written, tmp_path):
    """A function of an ending: a copy of the list without metadata."""
    return lambda ending: Path(shutil.copy(written / f"list.{ending}", tmp_path))


def every_row():
    return [solution.values for solution in solutions(8)]


# From Python.


@pytest.mark.parametrize("ending", ENDINGS)
def test_right_files(written, ending):
    report = check_file(written / f"list.{ending}", 8, complete=True)
    assert (report.ok, report.fault, report.line, report.solutions) == (True, "", None, 92)
    assert (report.complete, report.expected, report.counted_by, report.ordered) == (True, 92, "cp-sat", True)
    assert (report.status, report.partial, report.notes) == ("complete", False, ())


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_dropped_one_is_found_by_counting(copy, ending):
    path = copy(ending)
    rng = random.Random(ending)
    place = rng.randrange(92)
    rows = every_row()
    if ending == "npy":
        np.save(path, np.delete(np.load(path), place, axis=0))
        line = place + 1
    else:
        opened = gzip.open if ending.endswith("gz") else open
        separator = "\n\n" if ending.startswith("txt") else "\n"
        with opened(path, "rt") as file:
            units = file.read().removesuffix("\n").split(separator)
        del units[place + (1 if ending.startswith("csv") else 0)]
        with opened(path, "wt") as file:
            file.write(separator.join(units) + "\n")
        line = 9 * place + 1 if ending.startswith("txt") else place + 1 + ending.startswith("csv")
    assert check_file(path, 8).ok, "each is right, and nobody has said how many there are"
    report = check_file(path, 8, complete=True)
    assert not report.ok
    assert (report.solutions, report.expected, report.complete) == (91, 92, False)
    assert (report.line, report.content) == (line, " ".join(map(str, rows[place])))


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (lambda lines: [*lines[:40], lines[39], *lines[40:]], 41, "repeats the one before"),
        (lambda lines: [*lines, lines[3]], 93, "there before"),
        (lambda lines: [*lines[:9], lines[50], *lines[9:]], 52, "there before"),
        (lambda lines: [*lines[50:], *lines[:51]], 93, "there before"),
        (lambda lines: [*lines[:70], lines[70].replace("3", "4"), *lines[71:]], 71, "all_different"),
        (lambda lines: [*lines[:70], lines[70].replace("3", "8"), *lines[71:]], 71, "not in its domain"),
        (lambda lines: [*lines[:70], lines[70].replace("3", "300"), *lines[71:]], 71, "not in its domain"),
        (lambda lines: [*lines[:70], lines[70].replace("3", "-3"), *lines[71:]], 71, "not in its domain"),
        (lambda lines: [*lines[:70], lines[70].replace("3", "1" * 30), *lines[71:]], 71, "not an integer"),
        (lambda lines: [*lines[:70], lines[70].replace("3", "9" * 19), *lines[71:]], 71, "64 bits"),
        (lambda lines: [*lines[:70], lines[70].replace("3", "x"), *lines[71:]], 71, "not an integer"),
        (lambda lines: [*lines[:70], lines[70][:-2], *lines[71:]], 71, "7 values for 8"),
        (lambda lines: [*lines[:70], lines[70] + " 0", *lines[71:]], 71, "9 values for 8"),
        (lambda lines: [*lines[:70], "", *lines[70:]], 71, "0 values for 8"),
        (lambda lines: [*lines[:5], lines[5][:-2], lines[6] + " 0", *lines[7:]], 6, "7 values for 8"),
    ],
)
def test_spoilt_lines(copy, change, line, words):
    path = copy("lines")
    lines = change(path.read_text().splitlines())
    path.write_text("".join(f"{text}\n" for text in lines))
    report = check_file(path, 8)
    assert not report.ok
    assert words in report.fault
    assert (report.line, report.content) == (line, lines[line - 1][:197])
    as_csv = path.with_suffix(".csv")
    first = ",".join(f"queen[{i}]" for i in range(8))
    as_csv.write_text("".join(f"{text.replace(' ', ',')}\n" for text in [first, *lines]))
    report = check_file(as_csv, 8)
    assert report.line == line + 1
    assert words in report.fault or (lines[line - 1] == "" and "1 values" in report.fault)


def test_what_comes_first_is_told_first(copy):
    path = copy("lines")
    lines = path.read_text().splitlines()
    mixed = [lines[5], lines[1], lines[7], lines[1], lines[2], lines[2].replace("0", "9")]
    path.write_text("\n".join(mixed) + "\n")
    assert check_file(path, 8).line == 4
    mixed[3] = lines[60]
    path.write_text("\n".join(mixed) + "\n")
    assert check_file(path, 8).line == 6


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_torn_end(copy, ending):
    path = copy(ending)
    data = path.read_bytes()
    for cut in (len(data) - 1, len(data) - 9, len(data) - 100, 150):
        path.write_bytes(data[:cut])
        report = check_file(path, 8)
        if cut == len(data) - 1 and ending in ("txt", "lines", "csv", "jsonl"):
            assert (report.ok, report.solutions) == (True, 92), "only the end of the last line is missing"
            continue
        assert not report.ok, (cut, report)
        assert "ends" in report.fault or "header" in report.fault
        assert report.solutions < 92 or ending.endswith("gz")


def test_boards(copy):
    path = copy("txt")
    text = path.read_text()
    for old, new, line, words in (
        ("Q", ".", 1, "row 0 has 0 queens"),
        (". . . . Q . . .", ". Q . . Q . . .", 1, "row 1 has 2 queens"),
        (". . . . Q . . .", ". . . . Q . .", 1, "row 1 is not 8 of"),
        ("Q . . . . . . .", ". Q . . . . . .", 1, "breaks 'all_different"),
    ):
        path.write_text(text.replace(old, new, 1))
        report = check_file(path, 8)
        assert words in report.fault
        assert report.line == line
        assert len(report.content.splitlines()) == 8
    path.write_text(text.replace(" ", "  ").replace("\n", "\r\n") + "\n")
    assert check_file(path, 8).ok, "from elsewhere, with other spaces"
    given = queens(8, placed=[(0, 3)], blocked=[(1, 0)])
    write_solutions(given, path)
    assert "P" in path.read_text()
    assert check_file(path, given, complete=True).ok


def test_arrays(copy):
    path = copy("npy")
    rows = np.load(path)
    for array, words in (
        (rows.astype(float), "float64"),
        (rows[:, :7], "shape is (92, 7)"),
        (rows.ravel(), "shape is (736,)"),
        (rows.reshape(92, 2, 4), "shape is (92, 2, 4)"),
        (np.asfortranarray(rows), "by columns"),
        (rows + 1, "not in its domain"),
    ):
        np.save(path, array)
        assert words in check_file(path, 8).fault
    for kind in (np.int64, np.int16, ">i4", np.uint16):
        np.save(path, rows.astype(kind))
        assert check_file(path, 8).ok
    rows[33, 4] ^= 1
    np.save(path, rows)
    report = check_file(path, 8)
    assert (report.line, report.content) == (34, " ".join(map(str, rows[33].tolist())))
    path.write_bytes(b"no array")
    assert "header" in check_file(path, 8).fault


def test_metadata_is_compared(written, tmp_path):
    for ending in ("lines", "npy"):
        path = tmp_path / f"list.{ending}"
        for source in (written / path.name, beside(written / path.name)):
            shutil.copy(source, tmp_path)
        if ending == "npy":
            np.save(path, np.load(path).astype(np.int64))
            assert "int64, and the metadata says uint8" in check_file(path, 8).fault
            np.save(path, np.load(path)[:-1].astype(np.uint8))
            assert "91 solutions, and the metadata says 92" in check_file(path, 8).fault
        else:
            path.write_text(path.read_text().replace(" ", "  "))
            assert "digest" in check_file(path, 8).fault
        assert check_file(path, 9).notes, "it was written of another model"
    assert check_file(written / "list.lines").ok, "a size tells the model"
    write_solutions(queens(8), path)
    with pytest.raises(InvalidValue, match="name it"):
        check_file(path)


def odd_model():
    model = Model("odd")
    x = model.int_vars("x", 3, [-5, 0, 30, 2**40])
    y = model.int_var("y", range(-3, 5))
    model.add(all_different([*x, y]), x[0] < x[1])
    return model


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "model",
    [
        odd_model(),
        queens(7, torus=True),
        queens(6, rows=4),
        load_model("region_queens", regions=("aaab", "cabb", "ccdb", "cddd")),
        Model("empty"),
        queens(3),
    ],
    ids=["odd", "torus", "rectangle", "regions", "empty", "none"],
)
def test_files_of_other_models(model, ending, tmp_path):
    path = tmp_path / f"a.{ending}"
    count = write_solutions(model, path).count
    report = check_file(path, model, complete=True, backend="python-constraint")
    assert (report.ok, report.solutions, report.expected) == (True, count, count)


@pytest.mark.parametrize("ending", ["txt", "lines", "csv", "jsonl", "npy"])
def test_one_of_each_orbit(ending, tmp_path):
    path = tmp_path / f"a.{ending}"
    write_solutions(8, path, up_to_symmetry=True)
    report = check_file(path, 8, complete=True)
    assert (report.ok, report.solutions, report.expected) == (True, 12, 92)
    beside(path).unlink()
    assert check_file(path, 8, up_to_symmetry=True).ok
    if ending == "lines":
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines[:4], lines[4][:-1] + "4", *lines[5:]]) + "\n")
        report = check_file(path, 8, up_to_symmetry=True)
        assert (report.line, "orbit has 8" in report.fault) == (5, True)
        path.write_text("\n".join([*lines[:4], " ".join(map(str, [*every_row()[-1], 8])), *lines[5:]]) + "\n")
        report = check_file(path, 8, up_to_symmetry=True)
        assert (report.line, "not the smallest" in report.fault) == (5, True)
        path.write_text("\n".join([*lines[:4], *lines[5:]]) + "\n")
        assert "84 of the 92" in check_file(path, 8, up_to_symmetry=True, complete=True).fault


def test_large_files_in_no_order(tmp_path):
    model = Model("free")
    model.int_vars("x", 3, range(60))
    grid = np.stack(np.meshgrid(*[np.arange(60)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    grid = np.random.default_rng(1).permutation(grid).astype(np.uint8)
    np.save(tmp_path / "a.npy", grid)
    report = check_file(tmp_path / "a.npy", model, complete=True, backend="core")
    assert (report.ok, report.ordered, report.solutions) == (True, False, 216_000)
    grid[200_000] = grid[11]
    np.save(tmp_path / "a.npy", grid)
    report = check_file(tmp_path / "a.npy", model)
    assert (report.line, "there before" in report.fault) == (200_001, True)


def test_text_from_other_programs(copy, tmp_path):
    path = copy("csv")
    header, *lines = path.read_text().splitlines()
    quoted = ",".join(f'"{name}"' for name in header.split(","))
    for first, end, bom in (
        (header, "\r\n", ""),
        (quoted, "\n", ""),
        (quoted, "\r\n", "\ufeff"),
        (header, "\n", "\ufeff"),
    ):
        path.write_bytes((bom + end.join([first, *lines, ""])).encode())
        report = check_file(path, 8, complete=True, backend="core")
        assert (report.fault, report.solutions) == ("", 92)
        path.write_bytes((bom + end.join([first, *lines[:9], lines[8], ""])).encode())
        assert check_file(path, 8).line == 11
    path.write_bytes("\n".join([header.replace("[3]", "[4]"), *lines]).encode())
    assert "its first line is not queen[0]" in check_file(path, 8).fault
    as_lines = tmp_path / "other.lines"
    as_lines.write_bytes(("\ufeff" + "\r\n".join(line.replace(",", " ") for line in lines)).encode())
    assert check_file(as_lines, 8).solutions == 92


def test_what_is_no_list_at_all(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"queen":[1,3,0,2]}\n' + "[" * 100_000 + "\n")
    report = check_file(path, 4)
    assert (report.line, "nested" in report.fault) == (2, True)
    (tmp_path / "a.lines.gz").touch()
    assert "empty" in check_file(tmp_path / "a.lines.gz", 3).fault
    (tmp_path / "a.lines").touch()
    assert check_file(tmp_path / "a.lines", 3).ok
    with pytest.raises(InvalidValue, match="save it"):
        check_file("-", 8)
    np.save(tmp_path / "a.npy", np.asfortranarray(np.array([[1, 3, 0, 2], [2, 0, 3, 1]])))
    assert "ascontiguousarray" in check_file(tmp_path / "a.npy", 4).fault
    header = b"{'descr': open('x'), 'fortran_order': False, 'shape': (2, 4), }\n"
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    assert "<ast" not in check_file(tmp_path / "a.npy", 4).fault


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices here")
def test_a_device_is_no_file():
    with pytest.raises(InvalidValue, match="a pipe or a device"):
        check_file("/dev/null", 8, format="lines")


# The command.


def test_the_command(cli, tmp_path):
    run = lambda *arguments: cli("check", *arguments, cwd=tmp_path)  # noqa: E731
    assert cli("list", "toroidal_queens", "n=7", "-o", "torus.csv", cwd=tmp_path).returncode == 0
    ran = run("torus.csv", "--complete")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == (
        "torus.csv: 28 solutions of toroidal_queens, all right and different, in lexicographic order\n"
        "complete: cp-sat counts as many\n"
    )
    path = tmp_path / "torus.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:9], *lines[10:]]) + "\n")
    ran = run("torus.csv")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "27 solutions, and the metadata says 28" in ran.stdout
    ran = run("torus.csv", "--complete")
    assert ran.returncode == 1
    assert ran.stdout.startswith(
        "torus.csv, line 10: not complete: there are 27 of the 28 solutions that cp-sat counts"
    )
    assert ran.stdout.splitlines()[-1] == lines[9].replace(",", " ")
    beside(path).unlink()
    ran = run("torus.csv")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "name the model" in ran.stderr
    assert run("torus.csv", "toroidal_queens", "n=7").returncode == 0
    path.write_text("\n".join([*lines[:9], lines[9].replace("3", "2"), *lines[10:]]) + "\n")
    ran = run("torus.csv", "7", "torus=True", "--json")
    answer = json.loads(ran.stdout)
    assert (ran.returncode, answer["ok"], answer["line"]) == (1, False, 10)
    assert answer["content"] == lines[9].replace("3", "2")
    ran = run("torus.csv", "8")
    assert (ran.returncode, "line 1" in ran.stdout) == (1, True)


def test_a_writer_that_was_killed(cli, tmp_path):
    whole = write_solutions(8, tmp_path / "a.lines")
    replace(whole, status="running", count=None, digest=None, complete=False).write(tmp_path / "a.lines")
    ran = cli("check", "a.lines", cwd=tmp_path)
    assert ran.returncode == 0
    assert "its writer was killed (go on with it: list --resume)" in ran.stdout
    (tmp_path / "a.lines").write_text("0 4 7 5 2 6 1 3\n1 3")
    report = check_file(tmp_path / "a.lines")
    assert (report.ok, "its writer was killed" in report.notes[0]) == (False, True)


def test_partial_and_undecided(cli, tmp_path):
    assert cli("list", "12", "-o", "a.npy", "--limit", "50", cwd=tmp_path).returncode == 3
    ran = cli("check", "a.npy", cwd=tmp_path)
    assert ran.returncode == 0
    assert ran.stdout.endswith("partial: its writing ended with status limit\n")
    ran = cli("check", "a.npy", "--complete", "--backend", "core", cwd=tmp_path)
    assert ran.returncode == 1
    assert "50 of the 14200" in ran.stdout
    assert cli("list", "16", "-o", "b.npy", "--limit", "50", cwd=tmp_path).returncode == 3
    ran = cli("check", "b.npy", "--complete", "--time-limit", "0.2", cwd=tmp_path)
    assert ran.returncode == 3
    assert "not decided in time" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.lines", "8"], "nowhere.lines"),
        ([".", "8"], "directory"),
        (["list.pdf", "8"], "list.pdf"),
        (["list.lines", "no_such_model"], "no_such_model"),
        (["list.lines", "8", "--backend", "gurobi"], "gurobi"),
        (["list.lines", "8", "--format", "xml"], "xml"),
        (["list.lines", "queens_domination", "n=3"], "objective"),
    ],
    ids=" ".join,
)
def test_what_is_refused(cli, tmp_path, arguments, told):
    for name in ("list.lines", "list.pdf"):
        (tmp_path / name).write_text("0 4 7 5 2 6 1 3\n")
    ran = cli("check", *arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: ")
    assert told in ran.stderr
