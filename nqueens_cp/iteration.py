"""An open search for solutions: `OpenSearch`, and `SolutionIterator`, which hands them over one by one."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from threading import RLock
from typing import Any, Self, TypeVar
from weakref import ref

from nqueens_cp.background import despite_interrupts, put_off_interrupt
from nqueens_cp.choosing import Choice, choose
from nqueens_cp.control import Cancelled, Control, TimeLimitReached
from nqueens_cp.errors import SearchInterrupted
from nqueens_cp.model import Problem
from nqueens_cp.result import Scope, Solution, Status
from nqueens_cp.variables import IntVar, VariableArray
from nqueens_cp.verify import Verifier

T = TypeVar("T")

_open: dict[int, ref[OpenSearch[Any]]] = {}


@atexit.register
def _close_open_iterators() -> None:
    """End what is still open at exit, while threads still run: Python must not go away under a solver."""
    for reference in list(_open.values()):
        iterator = reference()
        if iterator is not None:
            iterator.close()


class _Held:
    """What an open search holds, which ends when the search is forgotten."""

    assignments: Iterator[Any] = iter(())

    def free(self) -> None:
        """End what is held, once and for all."""
        close = getattr(self.assignments, "close", None)
        if close is not None:
            close()
        self.assignments = iter(())
        self.__class__ = _Freed  # type: ignore[assignment]

    def __del__(self) -> None:
        try:
            despite_interrupts(self.free)
        except KeyboardInterrupt:  # Python would swallow it here
            put_off_interrupt()


class _Freed:
    """What it becomes then: nothing is left to do when it is forgotten, no Python code runs, and so none swallows Ctrl-C."""

    assignments: Iterator[Any] = iter(())


class OpenSearch(Iterator[T]):
    """An open search: a lazy iterator and a context manager, which knows how it ended.

    A kind of it says what is iterated over (`_begin`) and how one step of it is made (`_step`).

    Attributes
    ----------
    status : Status or None
        None while the search is open; then COMPLETE, LIMIT, TIMEOUT, INTERRUPTED or CLOSED.
    found : int
        How many solutions have been handed over.
    backend : str
        The backend that searches.
    """

    __slots__ = ("__dict__", "__weakref__", "_held")  # so that what is held is the first to be forgotten

    status: Status | None = None
    found: int = 0

    def __init__(self, problem: Problem, backend: str, control: Control, limit: int | None) -> None:
        self.backend = backend
        self._problem = problem
        self._control = control
        self._limit = limit
        self._stepping = False
        self._held = _Held()
        self._lock = RLock()  # held while a step runs, so that another thread's close() waits for its end
        _open[id(self)] = ref(self)
        try:
            choice = choose(problem, backend, control)
            self.backend = choice.backend.name
            self._held.assignments = self._begin(choice)
        except BaseException as error:
            end = self._ended_by(error)
        else:
            return
        if not isinstance(end, StopIteration):
            raise end

    def _begin(self, choice: Choice) -> Iterator[Any]:
        """Return what `_step` takes its assignments from."""
        raise NotImplementedError

    def _step(self) -> T:
        """Return what is handed over next; raise `Exhausted` or `LimitReached` at the end."""
        raise NotImplementedError

    def __next__(self) -> T:
        with self._lock:
            if self.status is not None:
                raise StopIteration
            self._stepping = True
            try:
                return self._step()
            except BaseException as error:
                end = self._ended_by(error)
            finally:
                self._stepping = False
        raise end

    def _ended_by(self, error: BaseException) -> BaseException:
        """Turn what ended the search into the status, free what it holds, and return what the caller is to see."""
        end: BaseException = StopIteration()
        if isinstance(error, Exhausted):
            self.status = Status.COMPLETE
        elif isinstance(error, LimitReached):
            self.status = Status.LIMIT
        elif isinstance(error, TimeLimitReached):
            self.status = Status.TIMEOUT
        elif isinstance(error, Cancelled):
            self.status = Status.CLOSED
        else:
            self.status = Status.INTERRUPTED
            end = error
            if isinstance(error, KeyboardInterrupt):
                end = SearchInterrupted(f"interrupted: {self.found} solutions had been handed over", partial=self.found)
                end.__cause__ = error
            elif isinstance(error, StopIteration):  # from a caller's predicate; a for loop would take it for the end
                end = RuntimeError("a function called during the search raised StopIteration")
                end.__cause__ = error
        self._free()
        return end

    def _free(self) -> None:
        _open.pop(id(self), None)
        if isinstance(self._held, _Held):
            self._held.free()

    @property
    def _assignments(self) -> Iterator[Any]:
        return self._held.assignments

    def close(self) -> None:
        """End the search, from whatever thread, and free the threads or processes behind it."""
        self._control.cancel()
        with self._lock:
            if self._stepping:
                return  # called from within a step (a callback); its next poll ends it
            if self.status is None:
                self.status = Status.CLOSED
                self._free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "open" if self.status is None else self.status
        return f"<{type(self).__name__} {self._problem.name} by {self.backend}: {self.found} found, {state}>"


class SolutionIterator(OpenSearch[Solution]):
    """An open search for solutions: a lazy iterator and a context manager. Made by `solutions`.

    Attributes
    ----------
    status : Status or None
        None while the search is open; then COMPLETE, LIMIT, TIMEOUT, INTERRUPTED or CLOSED.
    found : int
        How many solutions have been handed over.
    backend : str
        The backend that searches.
    """

    def __init__(
        self,
        problem: Problem,
        backend: str,
        control: Control,
        limit: int | None,
        over: tuple[IntVar | VariableArray, ...] | None,
        verify: bool,
    ) -> None:
        self._scope = Scope(problem, over)
        self._seen: set[tuple[int, ...]] | None = None if over is None else set()
        self._picked = tuple(variable.index for variable in self._scope.variables)
        self._verifier = Verifier(problem) if verify else None
        super().__init__(problem, backend, control, limit)

    def _begin(self, choice: Choice) -> Iterator[tuple[int, ...]]:
        if self._control.workers > 1:
            from nqueens_cp.parallel import solutions_of_parts

            return solutions_of_parts(self._problem, choice.backend, choice.translated, self._control)
        return choice.backend.solutions(choice.translated, self._control)

    def _step(self) -> Solution:
        looking_ahead = self.found == self._limit
        try:
            for values in self._assignments:
                picked = values
                if self._seen is not None:
                    picked = tuple(values[index] for index in self._picked)
                    if picked in self._seen:
                        self._control.poll()
                        continue
                    self._seen.add(picked)
                if looking_ahead:
                    raise LimitReached
                if self._verifier is not None:
                    self._verifier.check(values, self.backend)
                self.found += 1
                self._control.found = self.found
                return Solution(self._scope, picked)
        except TimeLimitReached:
            if looking_ahead:
                raise LimitReached from None
            raise
        raise Exhausted

    def _free(self) -> None:
        super()._free()
        self._seen = None


class Exhausted(Exception):
    """There are no more solutions."""


class LimitReached(Exception):
    """As many solutions as asked for were handed over, and there is another, or no time to look for one."""
