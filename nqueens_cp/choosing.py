"""Which backend answers: a named one, or with "auto" the first that takes the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from nqueens_cp.backends import backend_names, get_backend
from nqueens_cp.backends.base import Backend
from nqueens_cp.checks import shown
from nqueens_cp.control import Control
from nqueens_cp.errors import BackendUnavailable, InvalidType, UnsupportedModel
from nqueens_cp.model import Model, Problem
from nqueens_cp.variants import queens


class Choice(NamedTuple):
    """A backend, and the problem as it translated it."""

    backend: Backend
    translated: Any


@dataclass(frozen=True, slots=True)
class Explanation:
    """Which backend "auto" takes for a model, and why others were passed over.

    Attributes
    ----------
    backend : str or None
        The chosen backend; None if none takes the model.
    passed_over : dict of str to str
        For each backend asked before it, the reason.
    """

    model: str
    backend: str | None
    passed_over: dict[str, str]

    def __str__(self) -> str:
        chosen = "no backend takes it" if self.backend is None else f"auto takes {self.backend}"
        lines = [f"model {self.model}: {chosen}"]
        lines += [f"  {name} was passed over: {reason}" for name, reason in self.passed_over.items()]
        if self.backend is not None:
            later = [n for n in backend_names() if n != self.backend and n not in self.passed_over]
            if later:
                lines.append(f"  not asked, since they come after {self.backend}: {', '.join(later)}")
        return "\n".join(lines)


def explain(model: Model | int) -> Explanation:
    """Say which backend "auto" takes for a model, and why the others were passed over.

    Examples
    --------
    >>> from nqueens_cp import explain
    >>> explain(8).backend
    'core'
    """
    problem = as_problem(model)
    choice, passed_over = _first_that_takes(problem, Control())
    return Explanation(problem.name, None if choice is None else choice.backend.name, passed_over)


def choose(problem: Problem, backend: str, control: Control) -> Choice:
    """Return the named backend, or for "auto" the first that takes the problem, with its translation.

    Raises
    ------
    UnknownBackend, BackendUnavailable, UnsupportedModel
        The named backend does not exist, cannot run, or cannot take the problem; or, with "auto", none takes it.
    """
    if backend != "auto":
        named = get_backend(backend)
        return Choice(named, named.translate(problem, control))
    choice, passed_over = _first_that_takes(problem, control)
    if choice is None:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in passed_over.items())
        raise UnsupportedModel(f"no backend takes model {problem.name!r}. {reasons}")
    return choice


def _first_that_takes(problem: Problem, control: Control) -> tuple[Choice | None, dict[str, str]]:
    passed_over: dict[str, str] = {}
    for name in backend_names():
        try:
            return choose(problem, name, control), passed_over
        except (UnsupportedModel, BackendUnavailable) as error:
            passed_over[name] = str(error)
    return None, passed_over


def as_problem(model: Model | Problem | int) -> Problem:
    """Return a snapshot of a model, or a problem as it is; an int is the size of a classic N-Queens board."""
    if isinstance(model, Problem):
        return model
    if isinstance(model, Model):
        return model.snapshot()
    if hasattr(type(model), "__index__"):
        return queens(model).snapshot()
    raise InvalidType(f"expected a Model or the size of a board, got {shown(model)} ({type(model).__name__})")
