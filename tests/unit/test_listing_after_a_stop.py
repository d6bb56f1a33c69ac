"""Files of solutions that were stopped, killed, or whose disk was full: what is kept is right, and nothing is lost."""

from __future__ import annotations

import errno
import gzip
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from nqueens_cp import InvalidValue, SearchStopped, check_file, load_model, queens, to_numpy, write_solutions
from nqueens_cp.listing.metadata import beside, read_metadata


def rows_in(path, model):
    """Read a file with other tools than the package's; of text boards only how many they are."""
    if path.suffix == ".npy":
        return np.load(path).tolist()
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    if ".txt" in path.name:
        return text.split("\n\n")
    rows = [list(map(int, line.replace(",", " ").split())) for line in text.splitlines()[".csv" in path.name :]]
    assert all(len(row) == len(model.variables) for row in rows)
    return rows


def test_the_time_is_over_before_anything_was_found(tmp_path):
    for ending in ("npy", "lines", "csv.gz"):
        path = tmp_path / f"a.{ending}"
        written = write_solutions(10, path, time_limit=1e-6)
        assert (written.status, written.complete, written.count) == ("timeout", False, 0)
        assert check_file(path, 10).ok
        assert rows_in(path, queens(10)) == []
        assert write_solutions(10, path, resume=True, up_to_symmetry=False).count == 724  # A000170
    assert write_solutions(10, tmp_path / "b.lines", up_to_symmetry=True, time_limit=1e-6).status == "timeout"
    assert to_numpy(8, limit=1).shape == (1, 8)


def killed(whole, path, data):
    """Put content into a file as if its writer had been killed."""
    path.write_bytes(data)
    replace(whole, status="running", count=None, digest=None, complete=False).write(path)


def spoilt_lines(lines):
    return {
        "zeros": [*lines[:50], b"0 0 0 0 0 0 0 0\n"],
        "nines": [*lines[:50], b"9 9 9 9 9 9 9 9\n"],
        "empty line in front": [b"\n", *lines[:50]],
        "garbage": [*lines[:20], b"what is this?\n", *lines[21:50]],
        "NULs": [*lines[:50], b"\0" * 4096],
        "out of order": [*lines[:20], lines[5], *lines[20:30]],
        "repeated": [*lines[:20], lines[19], *lines[20:30]],
        "two spaces": [*lines[:20], lines[20].replace(b" ", b"  "), *lines[21:]],
        "zeros in front": [*lines[:20], b"0" + lines[20], *lines[21:]],
        "more than 64 bits": [*lines[:20], b"9999999999999999999 0 0 0 0 0 0 0\n", *lines[21:]],
    }


def test_what_a_killed_writer_left_is_checked(tmp_path):
    path = tmp_path / "a.lines"
    whole = write_solutions(8, path)
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    for what, spoilt in spoilt_lines(lines).items():
        killed(whole, path, b"".join(spoilt))
        assert write_solutions(8, path, resume=True) == whole, what
        assert path.read_bytes() == data, what
    packed = tmp_path / "a.lines.gz"
    whole = write_solutions(8, packed)
    rest = packed.read_bytes()
    for spoilt in spoilt_lines(lines).values():
        killed(whole, packed, gzip.compress(b"".join(spoilt)))
        assert write_solutions(8, packed, resume=True) == whole
        assert packed.read_bytes() == rest
    for missing in (0, 17):
        killed(write_solutions(8, path), path, b"".join(lines[:missing] + lines[missing + 1 : 40]))
        before = path.read_bytes()
        with pytest.raises(InvalidValue, match="it holds 39 solutions, and there are 40"):
            write_solutions(8, path, resume=True)
        assert path.read_bytes() == before
        assert write_solutions(8, path, overwrite=True).count == 92
    array = tmp_path / "a.npy"
    whole = write_solutions(8, array, skip=5)
    data = array.read_bytes()
    for kept in (0, 8, 320):
        killed(whole, array, data[: 256 + kept] + bytes(4096))
        assert write_solutions(8, array, skip=5, resume=True) == whole
        assert array.read_bytes() == data


@pytest.mark.parametrize("ending", ["lines", "txt", "csv", "npy", "jsonl.gz"])
@pytest.mark.parametrize("orbits", [False, True])
def test_what_a_killed_writer_has_marked_is_known(tmp_path, monkeypatch, ending, orbits):
    from nqueens_cp.listing import files
    from nqueens_cp.listing.metadata import Metadata

    monkeypatch.setattr(files, "MARK_SECONDS", 0)
    monkeypatch.setattr("nqueens_cp.listing.sink.COMPRESSED_AT_ONCE", 1 << 10)
    written, write = [], Metadata.write
    monkeypatch.setattr(Metadata, "write", lambda self, place: (written.append(self), write(self, place))[1])
    path = tmp_path / f"a.{ending}"
    whole = write_solutions(10, path, up_to_symmetry=orbits)
    data = path.read_bytes()
    marks = [about for about in written if about.status == "running" and about.count]
    mark = marks[len(marks) // 2]
    assert 0 < mark.count < whole.count
    for end in (len(data), len(data) * 4 // 5, len(data) // 5):
        path.write_bytes(data[:end])
        mark.write(path)
        assert check_file(path, 10).fault in ("", "it ends in the middle of a solution") or end < len(data)
        assert write_solutions(10, path, up_to_symmetry=orbits, resume=True) == whole
        assert path.read_bytes() == data
    if ending == "lines" and not orbits:
        lines = data.splitlines(keepends=True)
        path.write_bytes(b"".join(lines[: mark.count] + lines[mark.count + 1 : mark.count + 9]))
        mark.write(path)
        with pytest.raises(InvalidValue, match=f"there are {mark.count + 9} up to the last"):
            write_solutions(10, path, resume=True)


def test_a_killed_list_of_orbits_is_checked_too(tmp_path):
    path = tmp_path / "a.lines"
    whole = write_solutions(8, path, up_to_symmetry=True)
    data = path.read_bytes()
    killed(whole, path, b"".join(data.splitlines(keepends=True)[1:7]))
    assert write_solutions(8, path, up_to_symmetry=True, resume=True) == whole
    assert path.read_bytes() == data


def test_the_time_is_over_while_what_is_there_is_checked(tmp_path):
    path = tmp_path / "a.lines"
    whole = write_solutions(8, path)
    killed(whole, path, path.read_bytes()[:500])
    with pytest.raises(SearchStopped, match="as it was"):
        write_solutions(8, path, resume=True, time_limit=1e-9)
    assert path.stat().st_size == 500
    assert read_metadata(path).status == "running"


@pytest.mark.parametrize("ending", ["lines.gz", "npy"])
def test_a_file_is_read_when_nobody_else_writes_to_it(ending, tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    from nqueens_cp.listing import files

    path = tmp_path / f"a.{ending}"
    write_solutions(8, path, limit=3)
    data, about = path.read_bytes(), beside(path).read_bytes()

    def meanwhile(*arguments):
        for given in ({"resume": True}, {}, {"overwrite": True}):
            with pytest.raises(InvalidValue, match="another program"):
                write_solutions(8, path, **given)
        assert (path.read_bytes(), beside(path).read_bytes()) == (data, about)
        return kept(*arguments)

    kept = files.kept
    monkeypatch.setattr(files, "kept", meanwhile)
    assert write_solutions(8, path, resume=True).count == 92
    assert len(rows_in(path, queens(8))) == 92


def test_a_lock_on_a_file_that_was_replaced_is_worth_nothing(tmp_path):
    pytest.importorskip("fcntl")
    from nqueens_cp.listing.sink import opened_alone

    path = tmp_path / "a.lines"
    file = opened_alone(path)
    path.unlink()
    with opened_alone(path) as other:
        assert other.name != file.name
        file.close()
        with pytest.raises(InvalidValue, match="another program"):
            opened_alone(path)
    assert path.exists()


def test_the_same_board_by_another_name(tmp_path):
    path = tmp_path / "a.lines"
    written = write_solutions(8, path, limit=10)
    assert (written.target, check_file(path).ok) == ("8", True)
    assert write_solutions(load_model("queens", n=8), path, resume=True).target == "8"
    report = check_file(path, load_model("queens", n=8))
    assert (report.ok, report.solutions, report.notes) == (True, 92, ())
    write_solutions(queens(8, blocked=[(7, 7)]), path)
    for model in (8, queens(8, placed=[(0, 3)])):
        with pytest.raises(InvalidValue, match="statement of the model"):
            write_solutions(model, path, resume=True)


def test_every_refusal_tells_a_way_out_that_works(tmp_path):
    path = tmp_path / "a.lines"
    write_solutions(9, path, backend="python-constraint", time_limit=1e-4)
    if read_metadata(path).backend == "auto" or read_metadata(path).status == "complete":
        pytest.skip("the machine was too fast or too slow")
    with pytest.raises(InvalidValue, match="no fixed order, so it can only be listed anew"):
        write_solutions(9, path)
    with pytest.raises(InvalidValue, match="--overwrite"):
        write_solutions(9, path, resume=True)
    with pytest.raises(InvalidValue, match="either"):
        write_solutions(9, path, resume=True, overwrite=True)
    assert write_solutions(9, path, overwrite=True).count == 352  # A000170
    assert write_solutions(9, path, resume=True, backend="cp-sat").count == 352, "nothing is left to do"
    with pytest.raises(InvalidValue, match="352 solutions already"):
        write_solutions(9, path, resume=True, limit=2)


def test_a_full_disk(tmp_path, monkeypatch):
    from nqueens_cp.listing.sink import Sink

    most = 0

    def written_at(self, offset, data):
        if self.path.name.startswith("a.") and offset + len(data) > most:
            room = max(0, most - offset)
            write(self, offset, data[:room])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, offset, data)

    write = Sink._write_at
    monkeypatch.setattr(Sink, "_write_at", written_at)
    monkeypatch.setattr("nqueens_cp.listing.sink.COMPRESSED_AT_ONCE", 1 << 14)
    for ending, room in (("lines", 30_000), ("npy", 20_000), ("lines.gz", 6_000), ("txt.gz", 9_001)):
        path, most, n = tmp_path / f"a.{ending}", room, 11
        with pytest.raises(OSError, match=rf"a.{ending} holds the first \d+ solutions; .*--resume"):
            write_solutions(n, path)
        about = read_metadata(path)
        rows = rows_in(path, queens(n))
        assert (about.status, about.count, about.complete) == ("interrupted", len(rows), False)
        assert len(rows) > 0
        most = 1 << 40
        whole = write_solutions(n, tmp_path / f"whole.{ending}")
        assert write_solutions(n, path, resume=True) == whole
        assert path.read_bytes() == (tmp_path / f"whole.{ending}").read_bytes()
    path, most = tmp_path / "a.csv.gz", 100
    with pytest.raises(OSError, match="the first 0 solutions"):
        write_solutions(8, path)
    assert gzip.decompress(path.read_bytes()) == b""


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes are those of Unix")
def test_a_compressed_file_stays_where_it_is(tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    real, link, own = other / "real.gz", tmp_path / "a.lines.gz", other / "real.gz.new"
    own.write_text("mine")
    real.touch()
    real.chmod(0o640)
    link.symlink_to(real)
    write_solutions(8, link, limit=9)
    write_solutions(8, link, resume=True)
    assert link.is_symlink()
    assert (gzip.decompress(real.read_bytes()).count(b"\n"), real.stat().st_mode & 0o777) == (92, 0o640)
    assert sorted(p.name for p in other.iterdir()) == ["real.gz", "real.gz.new"]
    assert own.read_text() == "mine"


def test_the_file_of_a_model_is_found_from_elsewhere(tmp_path, monkeypatch):
    from nqueens_cp.listing.files import Request
    from nqueens_cp.listing.metadata import place_of

    (tmp_path / "models").mkdir()
    (tmp_path / "lists").mkdir()
    text = "import nqueens_cp\n\ndef build(n):\n    return nqueens_cp.queens(n)\n"
    (tmp_path / "models" / "mine.py").write_text(text)
    monkeypatch.chdir(tmp_path / "models")
    called = place_of("mine.py", "../lists/a.lines")
    assert (called, place_of("queens", "../lists/a.lines"), place_of("8", "a.lines")) == (
        "../models/mine.py",
        "queens",
        "8",
    )
    write_solutions(load_model("mine.py", n=6), "../lists/a.lines", request=Request(called, {"n": "6"}))
    monkeypatch.chdir(tmp_path)
    assert check_file("lists/a.lines").solutions == 4
    (tmp_path / "models" / "mine.py").unlink()
    with pytest.raises(InvalidValue, match=r"mine.py, which is not there; name the model"):
        check_file("lists/a.lines")


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("target", 4),
        ("up_to_symmetry", "no"),
        ("count", "abc"),
        ("count", True),
        ("columns", [1]),
        ("parameters", {"n": 8}),
        ("skip", None),
        ("format_version", "1"),
        ("dtype", []),
    ],
)
def test_edited_metadata(tmp_path, entry, value):
    path = tmp_path / "a.lines"
    write_solutions(4, path)
    record = json.loads(beside(path).read_text()) | {entry: value}
    beside(path).write_text(json.dumps(record))
    with pytest.raises(InvalidValue, match=entry.replace("_", "[_ ]")):
        check_file(path, 4)


def test_nested_metadata(tmp_path):
    path = tmp_path / "a.lines"
    write_solutions(4, path)
    beside(path).write_text("[" * 100_000)
    with pytest.raises(InvalidValue, match="damaged"):
        check_file(path, 4)
