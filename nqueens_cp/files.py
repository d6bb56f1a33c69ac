"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from nqueens_cp.errors import InvalidValue


def write_whole(path: str | Path, data: str | bytes) -> None:
    """Write a file; what was there before stays until all is written, and if that fails.

    A link stays a link, and a device or a pipe is written to as it is. Text is encoded as UTF-8.
    """
    content = data.encode() if isinstance(data, str) else data
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        place.write_bytes(content)
        return
    if not place.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    beside = place.with_name(f".{place.name[:200]}.{os.getpid()}.part")
    try:
        beside.write_bytes(content)
        if place.exists():
            shutil.copymode(place, beside)
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def require_writable(path: str | Path, option: str = "") -> None:
    """Refuse a file, given by an option of the command line, that can be seen not to be writable."""
    place = Path(path)
    name, folder = f"{option} {place}".strip(), place.absolute().parent
    if place.is_dir():
        raise InvalidValue(f"{name}: it is a folder")
    if not folder.is_dir():
        raise InvalidValue(f"{name}: there is no folder {folder}")
    if place.exists() and not place.is_file():
        folder = place  # a device or a pipe
    if not os.access(folder, os.W_OK) or (place.exists() and not os.access(place, os.W_OK)):
        raise InvalidValue(f"{name}: it cannot be written there (no permission)")
