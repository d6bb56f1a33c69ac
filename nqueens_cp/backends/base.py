"""The contract between a search and a backend.

A backend is a subclass of `Backend` with a name, a record of capabilities and four methods: `load`, `version`, `translate` and
`solutions`; `solve`, `count` and `parts` have defaults. It knows nothing of other backends, and judges nothing: what it
hands over is checked by the constraints themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from pkgutil import resolve_name
from typing import Any, ClassVar, NamedTuple

from nqueens_cp.constraints import Predicate
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import UnsupportedModel
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint, shorten
from nqueens_cp.result import Status

MAX_PREDICATE_TUPLES = 100_000
"""A predicate is tabulated over the product of its variables' domains up to this many tuples."""
MAX_SLICES = 64
"""A variable's values are split into at most this many slices."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can do.

    Attributes
    ----------
    optimises : bool
        It takes models with an objective.
    lexicographic : bool
        Its solutions come in lexicographic order of the variables.
    releases_gil : bool
        It searches outside Python, so that several searches run side by side in threads.
    parallel_solve : bool
        `solve` can use several workers by itself.
    """

    optimises: bool = False
    lexicographic: bool = False
    releases_gil: bool = False
    parallel_solve: bool = False

    def __str__(self) -> str:
        words = [name.replace("_", " ") for name in self.__slots__ if getattr(self, name)]
        return ", ".join(words)


class Answer(NamedTuple):
    """What a backend's `solve` says: SATISFIED, OPTIMAL, UNSATISFIABLE or TIMEOUT, and the values of all variables."""

    status: Status
    values: tuple[int, ...] | None = None
    objective: int | None = None
    bound: int | None = None


class Part(NamedTuple):
    """One of the independent parts of a problem; its solutions count `weight` times."""

    problem: Problem
    weight: int = 1


class Backend(ABC):
    """Base class of backends."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]

    @abstractmethod
    def load(self) -> None:
        """Import the solver; called before any other method.

        Raises
        ------
        BackendUnavailable
            It cannot run here; the message says why and what to install.
        Exception
            Whatever a missing or broken package raises; the registry makes a `BackendUnavailable` of it.
        """

    @abstractmethod
    def version(self) -> str:
        """Return the version of the solver."""

    @abstractmethod
    def translate(self, problem: Problem, control: Control) -> Any:
        """Return the problem in the solver's own terms, for one search.

        Raises
        ------
        UnsupportedModel
            The solver cannot take it; the message names the constraint and says why.
        """

    def solve(self, translated: Any, control: Control) -> Answer:
        """Return one solution (the best one, if there is an objective), or that there is none.

        The default takes the first of `solutions`, for backends that take no objective. At the end of the time either return an
        answer with TIMEOUT or let `TimeLimitReached` pass. Before any other exception passes, ``control.best`` holds the best
        answer so far.
        """
        found = self.solutions(translated, control)
        try:
            values = next(found, None)
        finally:
            if isinstance(found, Generator):
                found.close()
        return Answer(Status.UNSATISFIABLE if values is None else Status.SATISFIED, values)

    @abstractmethod
    def solutions(self, translated: Any, control: Control) -> Iterator[tuple[int, ...]]:
        """Yield every solution once, lazily: the values of all variables in their order. Return when all were found."""

    def count(self, translated: Any, control: Control) -> int:
        """Return the exact number of solutions, keeping ``control.found`` true on the way."""
        for _ in self.solutions(translated, control):
            control.found += 1
        return control.found

    def shares_out_count(self, translated: Any) -> bool:
        """Whether `count` itself uses ``control.workers`` workers for this problem; otherwise its parts are shared out."""
        return False

    def parts(self, problem: Problem, translated: Any, at_least: int, *, counting: bool) -> list[Part]:
        """Split a problem into independent parts, `at_least` so many where the domains allow it.

        The parts' solutions together, each counted `weight` times, are those of the whole. Weights other than 1 are for
        counting only.
        """
        return [Part(part) for part in split_by_values(problem, at_least)]


def best_of(problem: Problem, found: Iterator[tuple[int, ...]], control: Control) -> Answer:
    """Return the first of the solutions found or, where there is an objective, the last: each is better than the one before.

    Where there is an objective, the end of `found` is the proof that there is no better one. The best so far is kept in
    ``control.best``, and returned with TIMEOUT at the end of the time.
    """
    goal = problem.objective
    best: Answer | None = None
    try:
        for values in found:
            if goal is None:
                return Answer(Status.SATISFIED, values)
            objective = goal.expression.value(dict(zip(problem.variables, values, strict=True)))
            best = control.best = Answer(Status.TIMEOUT, values, objective)
    except TimeLimitReached:
        if best is None:
            raise
        return best
    if best is None:
        return Answer(Status.UNSATISFIABLE)
    return best._replace(status=Status.OPTIMAL, bound=best.objective)


def split_by_values(problem: Problem, at_least: int) -> list[Problem]:
    """Split a problem by the values of its first variables into `at_least` so many problems, where the domains allow it."""
    parts: list[tuple[Constraint, ...]] = [()]
    for variable in problem.variables:
        if len(parts) >= at_least:
            break
        domain = variable.domain
        slices = min(len(domain), MAX_SLICES)
        edges = [len(domain) * i // slices for i in range(slices + 1)]
        pieces = [(variable >= domain[a], variable <= domain[b - 1]) for a, b in pairwise(edges)]
        if len(pieces) > 1:
            parts = [(*part, *piece) for part in parts for piece in pieces]
    return [problem.with_constraints(*part) for part in parts]


def require_names(*names: str) -> None:
    """Import modules and look up what is needed of them, ``module:name``, so that a package without it is found at once."""
    for name in names:
        resolve_name(name)


def unsupported(backend: str, constraint: Constraint | str, why: str) -> UnsupportedModel:
    """Return the error that says that `backend` cannot take a constraint and why."""
    return UnsupportedModel(f"{backend} cannot take '{shorten(str(constraint))}': {why}")


def tabulated(predicate: Predicate, backend: str, control: Control) -> list[tuple[int, ...]]:
    """Return the tuples of values that satisfy a predicate, in the order of its variables.

    Raises
    ------
    UnsupportedModel
        The product of the domains has more than `MAX_PREDICATE_TUPLES` tuples.
    """
    variables = predicate.variables
    size = prod(len(variable.domain) for variable in variables)
    if size > MAX_PREDICATE_TUPLES:
        raise unsupported(
            backend,
            predicate,
            f"its domains have {size:,} combinations, and at most {MAX_PREDICATE_TUPLES:,} are tried",
        )
    allowed = []
    for values in product(*(variable.domain for variable in variables)):
        control.poll()
        if predicate.check(dict(zip(variables, values, strict=True))):
            allowed.append(values)
    return allowed
