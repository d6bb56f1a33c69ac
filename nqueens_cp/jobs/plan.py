"""A long count as a whole: its jobs, and the identity by which a stored result is known to belong to it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from nqueens_cp.backends import is_file_name
from nqueens_cp.backends.base import tabulated
from nqueens_cp.choosing import choose
from nqueens_cp.constraints import Predicate
from nqueens_cp.control import Control
from nqueens_cp.jobs.work import Inputs, Work, work_of
from nqueens_cp.model import Problem
from nqueens_cp.version import __version__

FORMAT_VERSION = 1
"""Of how counts are split into jobs and their results are stored."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells one long count from another.

    Attributes
    ----------
    model : str
        The model's name.
    variables : int
        How many it has; of a board with a queen in each row, its rows.
    statement : str
        A digest of everything that it states, and of the text of a backend that is named by its file.
    kind, backend : str
        Whether its jobs are "parts" or those of the "join", and who counts them.
    jobs : int
        How many there are.
    inputs : str
        A digest of their inputs.
    package, format : str, int
        The versions of the package and of the format of jobs.
    """

    model: str
    variables: int
    statement: str
    kind: str
    backend: str
    jobs: int
    inputs: str
    package: str = __version__
    format: int = FORMAT_VERSION

    @property
    def digest(self) -> str:
        """A digest of all of it."""
        return digest(asdict(self))

    def differences(self, other: Identity) -> list[str]:
        """Say in words what differs, of this one and of the other; nothing if they are the same."""
        plain = {"format": "job format", "package": "nqueens-cp", "model": "model", "variables": "variables"}
        told = {
            **{name: f"{words} {{}}" for name, words in plain.items()},
            "backend": "backend {}",
            "kind": "jobs of kind {}",
            "statement": "statement {:.12}",
            "jobs": "{} jobs",
            "inputs": "inputs {:.12}",
        }
        differing = [name for name in told if getattr(self, name) != getattr(other, name)]
        telling = [
            name for name in differing if name in (*plain, "backend")
        ] or differing  # the others follow from these
        return [
            f"{told[name].format(getattr(self, name))} there, {told[name].format(getattr(other, name))} here"
            for name in telling
        ]


class Result(NamedTuple):
    """What a job gave: the number of solutions that are its share, with a checksum over it, its inputs and the whole count."""

    job: int
    number: int
    checksum: str
    worker: str


class Again(NamedTuple):
    """How a job is counted again: in which of the `Work`'s other ways, and if possible not by the worker that did it."""

    way: int
    not_by: str


@dataclass(frozen=True, slots=True)
class Plan:
    """All jobs of a long count."""

    identity: Identity
    inputs: list[Inputs]
    work: Work

    def result(self, job: int, number: int, worker: str) -> Result:
        """Return a result with its checksum."""
        return Result(job, number, checksum(self.identity.digest, job, self.inputs[job], number), worker)


def plan_of(problem: Problem, backend: str, control: Control) -> Plan:
    """Return the jobs of counting a problem: always the same for the same problem, backend and version.

    Raises
    ------
    UnsupportedModel
        The backend does not take it, or it has a predicate that cannot be tabulated and so not be told from another.
    """
    work = work_of(problem, choose(problem, backend, control))
    inputs = work.inputs()
    stated = statement_of(problem, control)
    if is_file_name(work.backend):  # an edited program is another
        stated += f"\n{Path(work.backend).read_bytes()!r}"
    statement = sha256(stated.encode()).hexdigest()
    size = len(problem.variables)
    return Plan(
        Identity(problem.name, size, statement, work.kind, work.backend, len(inputs), digest(inputs)), inputs, work
    )


def statement_of(problem: Problem, control: Control) -> str:
    """Return all that a problem states as text; of a predicate the tuples that satisfy it."""
    lines = []
    for variable in problem.variables:
        domain = variable.domain
        lines.append(f"{variable.name} in {domain if isinstance(domain, range) else list(domain)}")
    for constraint in problem.constraints:
        lines.append(str(constraint))
        if isinstance(constraint, Predicate):
            lines.append(digest(tabulated(constraint, "a long count", control)))
    return "\n".join(lines)


def checksum(count: str, job: int, inputs: Inputs, number: int) -> str:
    """Return the checksum of a job's result, from the digest of the count's identity, the job and its inputs."""
    return digest([count, job, inputs, str(number)])


def digest(data: Any) -> str:
    """Return a digest of plain data."""
    return sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
