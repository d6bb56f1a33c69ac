"""What the jobs of a long count do: column sets of the join, or parts of the search space for any backend.

Work is plain data that survives pickle: other processes and machines get it. The inputs of a job are data for JSON: of the
join the first and the last column set (exclusive), of a part its weight and the constraints that set it apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from nqueens_cp.backends import get_backend
from nqueens_cp.backends.base import Part
from nqueens_cp.choosing import Choice
from nqueens_cp.control import Control
from nqueens_cp.core import join
from nqueens_cp.core.compile import DiagonalForm
from nqueens_cp.errors import InvalidValue
from nqueens_cp.jobs.backtracking import backtracked
from nqueens_cp.model import Problem
from nqueens_cp.parallel import require_picklable

LEAST_JOBS = 1024
"""So many jobs of the join at least, where there are as many column sets."""
JOBS_OF_LARGE_BOARDS = {20: 4096, 21: 8192, 22: 16384}
"""By rows; so that a thousand workers end together."""
SECONDS_OF_A_JOB = {18: 0.0015, 19: 0.01, 20: 0.02, 21: 0.15, 22: 0.6}
"""By rows, about; a first guess."""
PARTS = 300
"""The search space of another model is split into so many parts at least, where the domains allow it."""

Inputs = list[Any]


class Work(ABC):
    """What is to be done for all jobs of a count."""

    kind: ClassVar[str]
    backend: str

    @property
    def expected_seconds(self) -> float | None:
        """About how long a job takes, where that is known beforehand."""
        return None

    @abstractmethod
    def inputs(self) -> list[Inputs]:
        """Return the inputs of all jobs."""

    @abstractmethod
    def numbers(self, jobs: Sequence[int], control: Control) -> Iterator[tuple[int, int]]:
        """Yield the place of each job among `jobs` and its result, as ``control.workers`` threads or processes count them."""

    @abstractmethod
    def number(self, job: int, control: Control) -> int:
        """Return the result of one job, counted in this thread."""

    @abstractmethod
    def numbers_again(self, jobs: Sequence[int], way: int, control: Control) -> Iterator[tuple[int, int]]:
        """Do what `numbers` does in another way, one of `other_ways`."""

    @abstractmethod
    def number_again(self, job: int, way: int, control: Control) -> int:
        """Return the result of one job, counted in this thread, but as `numbers_again` does as far as that goes."""

    @abstractmethod
    def prepare(self, control: Control) -> None:
        """Make what all jobs need, before several threads call `number`."""

    @property
    @abstractmethod
    def other_ways(self) -> list[str]:
        """Say in which ways `numbers_again` can count; the first may take much longer than the last."""


@dataclass(frozen=True)
class JoinWork(Work):
    """Ranges of column sets of a board, counted by joining half boards."""

    form: DiagonalForm
    symmetry: str
    kind: ClassVar[str] = "join"
    backend = "core"

    @property
    def expected_seconds(self) -> float | None:
        return SECONDS_OF_A_JOB.get(self.form.width)

    @cached_property
    def pieces(self) -> list[join.Job]:
        """All jobs, as the join knows them."""
        if not join.takes(self.form):
            raise InvalidValue("these jobs need the compiled kernel; `nqueens-cp backends` says why it is not in use")
        return join.jobs(self.form, self.symmetry, JOBS_OF_LARGE_BOARDS.get(self.form.width, LEAST_JOBS))

    def inputs(self) -> list[Inputs]:
        return [[piece.first, piece.last] for piece in self.pieces]

    def numbers(self, jobs: Sequence[int], control: Control) -> Iterator[tuple[int, int]]:
        return join.numbers([self.pieces[job] for job in jobs], control)

    def number(self, job: int, control: Control) -> int:
        return join.run(self.pieces[job], control)

    def numbers_again(self, jobs: Sequence[int], way: int, control: Control) -> Iterator[tuple[int, int]]:
        pieces = [self.pieces[job] for job in jobs]
        return join.numbers(pieces, control, self._other_vectors) if way else backtracked(pieces, control)

    def number_again(self, job: int, way: int, control: Control) -> int:
        piece = self.pieces[job]
        return join.run(piece, control, self._other_vectors) if way else next(backtracked([piece], control))[1]

    def prepare(self, control: Control) -> None:
        join.prepare(self.pieces[0], control)

    @property
    def other_ways(self) -> list[str]:
        return ["by backtracking", "by the join with other vectors"]

    @property
    def _other_vectors(self) -> str:
        """The widest vectors that are not in use."""
        used = join.vectors()
        return next((width for width in join.available_vectors() if width != used), used)


@dataclass(frozen=True)
class PartsWork(Work):
    """Parts of the search space of a problem, each an ordinary problem for a backend."""

    problem: Problem
    backend: str
    kind: ClassVar[str] = "parts"

    @cached_property
    def parts(self) -> list[Part]:
        """All parts."""
        backend = get_backend(self.backend)
        translated = backend.translate(self.problem, Control())
        return backend.parts(self.problem, translated, PARTS, counting=True)

    def inputs(self) -> list[Inputs]:
        stated = len(self.problem.constraints)
        return [[part.weight, *map(str, part.problem.constraints[stated:])] for part in self.parts]

    def numbers(self, jobs: Sequence[int], control: Control) -> Iterator[tuple[int, int]]:
        if control.workers == 1:  # here, where functions need not be found by another process
            return self._one_by_one(jobs, control)
        return self._numbers(jobs, control, in_threads=None)

    def _one_by_one(self, jobs: Sequence[int], control: Control) -> Iterator[tuple[int, int]]:
        for place, job in enumerate(jobs):
            control.poll()
            yield place, self.number(job, control)

    def _numbers(self, jobs: Sequence[int], control: Control, *, in_threads: bool | None) -> Iterator[tuple[int, int]]:
        from nqueens_cp.parallel import numbers

        parts = [self.parts[job] for job in jobs]
        return numbers(self.problem, get_backend(self.backend), parts, control, in_threads=in_threads)

    def number(self, job: int, control: Control) -> int:
        backend, part = get_backend(self.backend), self.parts[job]
        control.found = 0  # backends add to it
        return part.weight * backend.count(backend.translate(part.problem, control), control)

    def numbers_again(self, jobs: Sequence[int], way: int, control: Control) -> Iterator[tuple[int, int]]:
        require_picklable(self.problem, "recheck", "use a function defined at the top of a module, or leave that out")
        return self._numbers(jobs, control, in_threads=False)

    def number_again(self, job: int, way: int, control: Control) -> int:
        return self.number(job, control)

    def prepare(self, control: Control) -> None:
        assert self.parts  # splits

    @property
    def other_ways(self) -> list[str]:
        return [f"by {self.backend} in another process"]


def work_of(problem: Problem, choice: Choice) -> Work:
    """Return the work of counting a problem with the backend that was chosen for it."""
    form = choice.translated
    if choice.backend.name == "core" and isinstance(form, DiagonalForm) and join.takes(form):
        return JoinWork(form, join.symmetry_of(form))
    return PartsWork(problem, choice.backend.name)
