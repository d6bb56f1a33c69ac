"""Checking the file of a long count: `check_checkpoint`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from nqueens_cp.control import Control
from nqueens_cp.jobs.checkpoint import Damaged, is_checkpoint, read_checkpoint
from nqueens_cp.jobs.plan import plan_of
from nqueens_cp.loader import existing_file
from nqueens_cp.model import Model
from nqueens_cp.search import without_objective

SUFFIXES = (".sqlite", ".sqlite3", ".db")


@dataclass(frozen=True, slots=True)
class CheckpointReport:
    """What was found out about the file of a long count.

    Attributes
    ----------
    file : str
        The file.
    fault : str
        What is wrong first; "" if nothing is.
    model : str
        The model's name.
    variables : int
        How many it has; of a board with a queen in each row, its rows.
    backend, package : str
        Who counted, and which version of this package.
    jobs, done, rechecked : int
        How many jobs there are, how many of them are done, and how many were counted again with the same result.
    found : int
        The sum of the jobs that are done: how many solutions there are at least.
    count : int or None
        The count, if all jobs are done.
    """

    file: str
    fault: str = ""
    model: str = ""
    variables: int = 0
    backend: str = ""
    package: str = ""
    jobs: int = 0
    done: int = 0
    rechecked: int = 0
    found: int = 0
    count: int | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.fault

    def __str__(self) -> str:
        if self.fault:
            return self.fault
        again = f"; {self.rechecked} counted again" if self.rechecked else ""
        whose = f"of {self.model} ({self.variables} variables, counted by {self.backend})"
        if self.count is None:
            text = f"{self.file}: partial, at least {self.found} solutions {whose}: {self.done} of {self.jobs} jobs are done"
        else:
            text = f"{self.file}: {self.count} solutions {whose}, the sum of {self.jobs} jobs"
        return f"{text}, each fits its checksum{again}"


def looks_like_checkpoint(path: str | Path) -> bool:
    """Say whether a file is meant to be the checkpoint of a count, by its content or its name."""
    return is_checkpoint(Path(path)) or Path(path).suffix in SUFFIXES


def check_checkpoint(path: str | Path, model: Model | int | None = None) -> CheckpointReport:
    """Check the file of a long count: that every result fits its checksum and, where all are there, that they are all jobs.

    Parameters
    ----------
    path : str or Path
        A file that `count_in_jobs` wrote.
    model : Model or int, optional
        Whose count it must be; the inputs of the jobs are then made anew and compared.

    Returns
    -------
    CheckpointReport
        Its ``fault`` says what is wrong first.

    Raises
    ------
    InvalidValue
        There is no such file.
    """
    where = existing_file(path)
    try:
        content = read_checkpoint(where)
    except Damaged as error:
        return CheckpointReport(str(where), str(error))
    identity, fault = content.identity, ""
    if model is not None:
        plan = plan_of(without_objective(model, "check"), identity.backend, Control())
        differences = identity.differences(replace(plan.identity, package=identity.package))
        if differences:
            fault = f"{where} is of another count: {'; '.join(differences)}"
        strange = [
            row.job for row in content.results.values() if not differences and row.inputs != plan.inputs[row.job]
        ]
        if strange:
            fault = f"{where}: job {strange[0]} has other inputs than it should have"
    return CheckpointReport(
        str(where),
        fault,
        identity.model,
        identity.variables,
        identity.backend,
        identity.package,
        identity.jobs,
        len(content.results),
        len(content.rechecked),
        content.found,
        content.count,
    )
