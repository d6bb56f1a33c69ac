"""Every exception that the package raises on purpose.

All of them but `SearchInterrupted` derive from `NQueensError`; each is also the built-in kind that a Python programmer
would expect (a wrong value is a `ValueError`, a wrong kind of thing a `TypeError`), so either can be caught.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nqueens_cp.result import Status

__all__ = [
    "BackendUnavailable",
    "ClusterError",
    "InvalidType",
    "InvalidValue",
    "NQueensError",
    "NoSolution",
    "SearchInterrupted",
    "SearchStopped",
    "UnknownBackend",
    "UnsupportedModel",
    "VerificationError",
]


class NQueensError(Exception):
    """Base of the errors that this package raises on purpose."""


class InvalidValue(NQueensError, ValueError):
    """A value of the right kind that makes no sense where it was given."""


class InvalidType(NQueensError, TypeError):
    """A thing of the wrong kind: a float where an integer belongs, a relation where a truth value belongs."""


class UnknownBackend(NQueensError, ValueError):
    """A backend name that is not registered."""


class BackendUnavailable(NQueensError, RuntimeError):
    """A registered backend that cannot run here, with the reason and what to install."""


class ClusterError(NQueensError, RuntimeError):
    """A cluster that cannot be used, or that was lost in the middle of something.

    Attributes
    ----------
    partial : Any
        What is known: from a count how many solutions had been counted, a lower bound; from others what is in their
        `SearchStopped` or `SearchInterrupted`. None if nothing was begun.
    """

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class UnsupportedModel(NQueensError, ValueError):
    """A model that the chosen backend, or every backend, cannot take; the message names the constraint and why."""


class NoSolution(NQueensError, LookupError):
    """A value was read from a result that holds no solution, or a solution is asked for and there is none."""


class VerificationError(NQueensError, RuntimeError):
    """A backend handed over an assignment that breaks a constraint: a fault in that backend, never in the model."""


class SearchStopped(NQueensError):
    """A search that hands over one answer at its end, such as a count or an explanation, ended before it was complete.

    Attributes
    ----------
    partial : Any
        What is known. From `count`, how many solutions had been counted: a lower bound ("at least"). From
        `explain_unsatisfiable`, the smallest set known so far, if any. Others say in their own documentation what it is.
    status : Status
        Why it stopped, for instance ``Status.TIMEOUT``.
    """

    def __init__(self, message: str, *, partial: Any, status: Status) -> None:
        super().__init__(message)
        self.partial = partial
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return _stopped, (str(self), self.partial, self.status)


class SearchInterrupted(KeyboardInterrupt):
    """Ctrl-C during a search. A `KeyboardInterrupt`, so it ends a program as Ctrl-C should, but it loses nothing.

    Attributes
    ----------
    partial : Any
        From `count`, how many solutions had been counted; from `solutions`, how many had been handed over; from `solve`,
        the best result so far or None; from others what is in their `SearchStopped`.
    """

    def __init__(self, message: str, *, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        return _interrupted, (str(self), self.partial)


def _stopped(message: str, partial: Any, status: Status) -> SearchStopped:
    return SearchStopped(message, partial=partial, status=status)


def _interrupted(message: str, partial: Any) -> SearchInterrupted:
    return SearchInterrupted(message, partial=partial)
