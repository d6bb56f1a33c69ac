"""Files are written whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import threading
from pathlib import Path

import pytest

from nqueens_cp import sheet
from nqueens_cp.files import require_writable, write_whole

FOUR = [[1, 3, 0, 2], [2, 0, 3, 1]]


def test_what_was_there_stays_if_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "boards.svg"
    path.write_text("what was there")

    def full(self, data):
        with self.open("wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        sheet(FOUR).save(path)
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


def test_links_and_modes_are_kept(tmp_path):
    target, link = tmp_path / "target.svg", tmp_path / "link.svg"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    fresh = tmp_path / "fresh.svg"
    write_whole(fresh, b"new")
    (tmp_path / "plain.svg").touch()
    assert fresh.stat().st_mode == (tmp_path / "plain.svg").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe.svg"
    os.mkfifo(pipe)
    require_writable(pipe)
    read = io.BytesIO()
    reader = threading.Thread(target=lambda: read.write(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "through the pipe")
    reader.join(timeout=60)
    assert read.getvalue() == b"through the pipe"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
