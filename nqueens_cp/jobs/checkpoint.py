"""The results of a long count in a SQLite file: committed as they come, checked when they are read again."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from nqueens_cp.background import despite_interrupts
from nqueens_cp.errors import InvalidValue
from nqueens_cp.jobs.lock import FileLock
from nqueens_cp.jobs.plan import Identity, Plan, Result, checksum, digest
from nqueens_cp.jobs.work import Inputs
from nqueens_cp.version import __version__

APPLICATION = int.from_bytes(b"nqcp")
"""By this number in its header a checkpoint is told from other SQLite files."""
FILE_VERSION = 1
COMMIT_SECONDS = 1.0
"""Results of small jobs are committed together, but none waits longer than this."""
WAITING_SECONDS = 20
"""So long is waited for somebody who is reading the file."""

SURROUNDINGS = tuple(f"SQLITE_{name}" for name in ("BUSY", "CANTOPEN", "FULL", "IOERR", "LOCKED", "PERM", "READONLY"))
"""How SQLite's errors begin that do not come from what is in the file."""

TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE results (
    job INTEGER PRIMARY KEY, inputs TEXT NOT NULL, result TEXT NOT NULL, checksum TEXT NOT NULL, worker TEXT NOT NULL
);
CREATE TABLE rechecks (job INTEGER PRIMARY KEY, way TEXT NOT NULL, worker TEXT NOT NULL);
CREATE TABLE record (
    count TEXT NOT NULL, jobs INTEGER NOT NULL, digest TEXT NOT NULL, finished TEXT NOT NULL, package TEXT NOT NULL
);
"""


class Damaged(InvalidValue):
    """A file that is no checkpoint any more, or in which something does not fit together."""


class Row(NamedTuple):
    """A stored result."""

    job: int
    inputs: Inputs
    number: int
    checksum: str
    worker: str


@dataclass(frozen=True, slots=True)
class Content:
    """What a checkpoint holds.

    Attributes
    ----------
    identity : Identity
        Of which count.
    results : dict of int to Row
        The results so far, by job; each fits its checksum.
    rechecked : dict of int to str
        Jobs that were counted again, and how.
    count : int or None
        The final count; None before all jobs are done.
    """

    identity: Identity
    results: dict[int, Row]
    rechecked: dict[int, str]
    count: int | None

    @property
    def found(self) -> int:
        """The sum of all results."""
        return sum(row.number for row in self.results.values())


class Ledger:
    """The results of a count that is going on. This one keeps them in memory only."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.done: dict[int, int] = {}
        self.workers: dict[int, str] = {}
        self.found = 0

    def add(self, result: Result) -> None:
        """Keep a result."""
        if result.job not in self.done:
            self.done[result.job] = result.number
            self.workers[result.job] = result.worker
            self.found += result.number

    def flush(self, *, if_due: bool = False) -> None:
        """Store what is kept; with `if_due` only if that has not been done for a while."""

    def finish(self) -> None:
        """Store that all jobs are done."""

    def add_recheck(self, job: int, way: str, worker: str) -> None:
        """Store that a job was counted again, with the same result."""


class Checkpoint(Ledger):
    """A ledger in a file, which is locked; see `open_checkpoint`."""

    def __init__(self, path: Path, plan: Plan) -> None:
        super().__init__(plan)
        self.path = path
        self._waiting: list[Result] = []
        self._committed = monotonic()
        if not path.exists():
            _create(path, plan.identity)
        with _explained(path):
            self._file = _connect(path)
        try:
            content = _read(self._file, path)
            differences = content.identity.differences(plan.identity)
            if differences:
                raise InvalidValue(
                    f"{path} is the checkpoint of another count: {'; '.join(differences)}; name another file"
                )
        except BaseException:
            self._file.close()
            raise
        self.complete = content.count is not None
        for row in content.results.values():
            super().add(Result(row.job, row.number, row.checksum, row.worker))

    def add(self, result: Result) -> None:
        super().add(result)
        self._waiting.append(result)
        self.flush(if_due=True)

    def flush(self, *, if_due: bool = False) -> None:
        if not self._waiting or (if_due and monotonic() - self._committed < COMMIT_SECONDS):
            return
        inputs = self.plan.inputs
        rows = [(r.job, json.dumps(inputs[r.job]), str(r.number), r.checksum, r.worker) for r in self._waiting]
        with _explained(self.path), self._file:
            self._file.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", rows)
        del self._waiting[: len(rows)]
        self._committed = monotonic()

    def finish(self) -> None:
        self.flush()
        if self.complete:
            return
        with _explained(self.path), self._file:
            rows = self._file.execute("SELECT job, checksum FROM results ORDER BY job").fetchall()
            sums = _digest_of_results(self.plan.identity, self.found, [list(row) for row in rows])
            self._file.execute("DELETE FROM record")
            self._file.execute(
                "INSERT INTO record VALUES (?, ?, ?, ?, ?)", (str(self.found), len(rows), sums, _now(), __version__)
            )
        self.complete = True

    def add_recheck(self, job: int, way: str, worker: str) -> None:
        with _explained(self.path), self._file:
            self._file.execute("INSERT OR REPLACE INTO rechecks VALUES (?, ?, ?)", (job, way, worker))

    def close(self) -> None:
        """Store what is still kept, and close the file."""
        try:
            self.flush()
        finally:
            self._file.close()


@contextmanager
def open_checkpoint(path: Path, plan: Plan) -> Iterator[Checkpoint]:
    """Give the checkpoint of a count, new if there is no file.

    Raises
    ------
    InvalidValue
        The file is of another count, or another process is using it.
    Damaged
        The file is damaged.
    """
    lock = FileLock(path)
    try:
        checkpoint = Checkpoint(path, plan)
        try:
            yield checkpoint
        finally:
            despite_interrupts(checkpoint.close)
    finally:
        despite_interrupts(lock.release)


def read_checkpoint(path: Path) -> Content:
    """Return what a checkpoint holds, everything checked.

    Raises
    ------
    Damaged
        Something does not fit together.
    """
    with _explained(path), closing(_connect(path)) as file:
        return _read(file, path)


def is_checkpoint(path: Path) -> bool:
    """Say whether a file is one for SQLite, damaged or not."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"
    return False


def _create(path: Path, identity: Identity) -> None:
    """Make a file without results; it is not there before it is whole."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    try:
        with _explained(path), closing(sqlite3.connect(new)) as file:
            file.executescript(TABLES)
            file.execute(f"PRAGMA application_id = {APPLICATION}")
            file.execute(f"PRAGMA user_version = {FILE_VERSION}")
            about = {"identity": json.dumps(asdict(identity)), "digest": identity.digest, "begun": _now()}
            with file:
                file.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _connect(path: Path) -> sqlite3.Connection:
    if not is_checkpoint(path):
        what = "is empty" if path.exists() and not path.stat().st_size else "is not a SQLite file"
        raise Damaged(f"{path} {what}, so it is no checkpoint; restore a copy, delete it, or name another file")
    file = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=WAITING_SECONDS)
    try:
        file.execute("PRAGMA synchronous = EXTRA")  # what was committed survives a power cut
        (application,) = file.execute("PRAGMA application_id").fetchone()
        (version,) = file.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise Damaged(f"{path} is a SQLite file of another program; name another file")
        if version != FILE_VERSION:
            raise Damaged(f"{path} is a checkpoint of version {version}, and this program reads version {FILE_VERSION}")
    except BaseException:
        file.close()
        raise
    return file


def _read(file: sqlite3.Connection, path: Path) -> Content:
    with _explained(path):
        faults = [text for (text,) in file.execute("PRAGMA integrity_check")]
        if faults != ["ok"]:
            raise _damaged(path, f"SQLite says: {faults[0]}")
        (pages,), (size,) = file.execute("PRAGMA page_count").fetchone(), file.execute("PRAGMA page_size").fetchone()
        if path.stat().st_size < pages * size:
            raise _damaged(path, f"it was cut off at {path.stat().st_size} of {pages * size} bytes")
        about = dict(file.execute("SELECT name, value FROM about").fetchall())
        rows = file.execute("SELECT job, inputs, result, checksum, worker FROM results ORDER BY job").fetchall()
        rechecked = dict(file.execute("SELECT job, way FROM rechecks ORDER BY job").fetchall())
        records = file.execute("SELECT count, jobs, digest FROM record").fetchall()
    try:
        identity = Identity(**json.loads(about["identity"]))
    except (ValueError, TypeError, KeyError):
        raise _damaged(path, "it does not say of which count it is") from None
    if identity.digest != about.get("digest"):
        raise _damaged(path, "what it says of its count does not fit the checksum")
    results = {row[0]: _checked(path, identity, row) for row in rows}
    if not records:
        return Content(identity, results, rechecked, None)
    sums = [[row.job, row.checksum] for row in results.values()]
    content = Content(identity, results, rechecked, sum(row.number for row in results.values()))
    if records != [(str(content.count), identity.jobs, _digest_of_results(identity, content.found, sums))]:
        raise _damaged(path, "its final record does not fit the results")
    if digest([row.inputs for row in results.values()]) != identity.inputs:
        raise _damaged(path, "the inputs of its jobs are not those of the count")
    return content


def _checked(path: Path, identity: Identity, row: tuple[Any, ...]) -> Row:
    """Return a stored result that fits its checksum."""
    job = row[0]
    try:
        stored = Row(job, json.loads(row[1]), int(row[2]), *row[3:])
        fits = checksum(identity.digest, job, stored.inputs, stored.number) == stored.checksum
    except (ValueError, TypeError):
        fits = False
    if fits and 0 <= job < identity.jobs:
        return stored
    raise Damaged(
        f"{path} is damaged: the result of job {job} does not fit its checksum; restore a copy, or delete that row and the "
        f'job is counted again: sqlite3 {path} "DELETE FROM results WHERE job = {job}; DELETE FROM record"'
    )


def _digest_of_results(identity: Identity, found: int, sums: list[list[Any]]) -> str:
    return digest([identity.digest, str(found), sums])


def _damaged(path: Path, what: str) -> Damaged:
    return Damaged(f"{path} is damaged: {what}; restore a copy, or delete the file and begin again")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the errors of SQLite into our own."""
    try:
        yield
    except UnicodeDecodeError as error:  # in a message of SQLite's
        raise _damaged(path, "SQLite finds no text where text should be") from error
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(SURROUNDINGS):
            way_out = "; the same call goes on with what is there when there is room" if name == "SQLITE_FULL" else ""
            raise OSError(f"{path}: {error}{way_out}") from error
        raise _damaged(path, f"SQLite says: {error}") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
