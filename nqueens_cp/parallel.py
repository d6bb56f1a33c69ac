"""Several workers: independent parts of a problem, shared out among threads or processes.

Each part is an ordinary problem (the backend says how to split). A worker asks for a part, searches it with the same
backend, and sends what it finds through a pipe; pipes hold little, so a worker that is far ahead waits. Threads where the
backend searches outside Python, processes otherwise.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, NamedTuple

from nqueens_cp.backends import get_backend
from nqueens_cp.backends.base import Backend, Part
from nqueens_cp.background import Background, Flag, despite_interrupts
from nqueens_cp.control import Control, Progress
from nqueens_cp.errors import BackendUnavailable, InvalidValue, UnsupportedModel
from nqueens_cp.model import Problem
from nqueens_cp.relations import shorten

PARTS_PER_WORKER = 8  # enough that no worker is left with a long last part
BATCH_SIZE, BATCH_SECONDS = 512, 0.05  # a worker sends its solutions together, but none waits much longer than this
POLL_SECONDS = 0.02


class Message(NamedTuple):
    """What a worker sends: of which part, a lower bound of its count or some solutions, whether it is done, or an error."""

    part: int
    found: int = 0
    solutions: tuple[tuple[int, ...], ...] = ()
    done: bool = False
    error: BaseException | None = None


class Order(NamedTuple):
    """What a worker is to do: search parts with a backend, for at most so many seconds, and count or hand over."""

    backend: str
    parts: list[Part]
    counting: bool
    seconds: float | None
    seed: int


def count_parts(problem: Problem, backend: Backend, translated: Any, control: Control) -> int:
    """Return the number of solutions, counted by ``control.workers`` workers."""
    parts = backend.parts(problem, translated, control.workers * PARTS_PER_WORKER, counting=True)
    found = [0] * len(parts)
    order = Order(backend.name, parts, True, control.remaining(), control.seed)
    with contextlib.closing(_messages(problem, backend, order, control)) as messages:
        for message in messages:
            found[message.part] = message.found
            control.found = sum(part.weight * number for part, number in zip(parts, found, strict=True))
    return control.found


def solutions_of_parts(
    problem: Problem, backend: Backend, translated: Any, control: Control
) -> Iterator[tuple[int, ...]]:
    """Yield every solution once, in no particular order, found by ``control.workers`` workers."""
    parts = backend.parts(problem, translated, control.workers * PARTS_PER_WORKER, counting=False)
    order = Order(backend.name, parts, False, control.remaining(), control.seed)
    with contextlib.closing(_messages(problem, backend, order, control)) as messages:
        for message in messages:
            yield from message.solutions


def _messages(problem: Problem, backend: Backend, order: Order, control: Control) -> Generator[Message]:
    """Yield the workers' messages until all parts are done; however it ends, end the workers."""
    in_threads = backend.capabilities.releases_gil
    if not in_threads:
        require_picklable(problem, "workers", "use a function defined at the top of a module, or workers=1")
    waiting = list(range(len(order.parts)))[::-1]
    done = 0
    control.share = lambda: done / len(order.parts)
    workers: dict[Any, _Worker] = {}  # by connection

    def end_workers() -> None:
        for worker in workers.values():
            worker.stop()
        for worker in workers.values():
            worker.join()

    try:
        for _ in range(min(control.workers, len(order.parts))):
            worker = _ThreadWorker(order) if in_threads else _ProcessWorker(order, list(workers))
            workers[worker.connection] = worker
            worker.start()
            worker.connection.send(waiting.pop())
        busy = list(workers)
        while busy:
            control.poll()
            connection: Any
            for connection in wait(busy, POLL_SECONDS):
                try:
                    message: Message = connection.recv()
                except EOFError:
                    raise BackendUnavailable(f"a worker of {backend.name} died: {workers[connection].fate()}") from None
                if message.error is not None:
                    raise message.error
                yield message
                if message.done:
                    done += 1
                    if waiting:
                        connection.send(waiting.pop())
                    else:
                        busy.remove(connection)
    finally:
        despite_interrupts(end_workers)


def require_picklable(problem: Problem, who: str, way_out: str) -> None:
    """Refuse, in the name of `who`, a problem that cannot be sent to a process, naming the constraint."""
    for constraint in problem.constraints:
        try:
            pickle.dumps(constraint)
        except Exception as error:  # pickle passes on whatever the object at fault raises
            raise UnsupportedModel(
                f"{who}: '{shorten(str(constraint))}' cannot be sent to another process ({error}); {way_out}"
            ) from None


class _Worker(ABC):
    """One worker, seen from the side of the search. It is made, then started; `stop` and `join` may be called again."""

    def __init__(self) -> None:
        self.connection, self._other = multiprocessing.Pipe()

    @abstractmethod
    def start(self) -> None:
        """Make it ask for a part."""

    @abstractmethod
    def stop(self) -> None:
        """Make it end soon."""

    @abstractmethod
    def join(self) -> None:
        """Wait until it has ended."""

    @abstractmethod
    def fate(self) -> str:
        """Say how it ended."""


class _ThreadWorker(_Worker):
    def __init__(self, order: Order) -> None:
        super().__init__()
        self._cancelled = Flag()
        self._background = Background(lambda: _work(order, self._other, self._cancelled))

    def start(self) -> None:
        self._background.start()

    def stop(self) -> None:
        self._cancelled.raised = True
        self.connection.close()

    def join(self) -> None:
        if self._background.begun:
            self._background.wait_for_end()

    def fate(self) -> str:
        return f"its thread ended ({self._background.error})"


class _ProcessWorker(_Worker):
    def __init__(self, order: Order, inherited: list[Connection]) -> None:
        if multiprocessing.current_process().daemon:
            raise InvalidValue("workers: this process was started as a daemon and may have no children; use workers=1")
        super().__init__()
        # Under Linux a forked child needs no importable main module; elsewhere fork is not safe.
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        forked = [*inherited, self.connection] if sys.platform == "linux" else []
        self._process = context.Process(target=_work_in_process, args=(order, self._other, forked), daemon=True)
        self._starting = Background(self._start_process)
        self._ending = Background(self._reap)

    def start(self) -> None:
        self._starting.start()  # in a thread, which Ctrl-C does not reach
        self._starting.wait_for_end()
        if self._starting.error is not None:
            raise self._starting.error

    def _start_process(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # for this thread and the child
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # on forking beside threads: the child starts none
            self._process.start()
        self._other.close()

    def stop(self) -> None:
        if self._starting.begun:
            self._starting.wait_for_end()
        if not self._ending.begun and self._process.pid is not None:
            self._process.terminate()
        self.connection.close()
        self._other.close()

    def join(self) -> None:
        if not self._ending.begun:
            self._ending.start()  # in a thread as well: a clean-up that Ctrl-C hits would swallow it
        self._ending.wait_for_end()

    def _reap(self) -> None:
        if self._process.pid is not None:
            self._process.join()
            self._process.close()

    def fate(self) -> str:
        self._process.join(1)  # before it is reaped
        return f"its process ended with exit code {self._process.exitcode}"


def _work_in_process(order: Order, connection: Connection, inherited: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent ends its children
    for other in inherited:
        other.close()
    _work(order, connection, None)


def _work(order: Order, connection: Connection, cancelled: Flag | None) -> None:
    """Search one part after the other, as the connection asks for them, until it is closed."""
    parent = os.getppid()
    end = None if order.seconds is None else monotonic() + order.seconds

    def tell(message: Message) -> None:
        try:
            connection.send(message)
        except OSError:
            raise _Unwanted from None

    with connection, contextlib.suppress(_Unwanted):
        while True:
            try:
                number = connection.recv()
            except (OSError, EOFError):
                return
            left = None if end is None else max(1e-6, end - monotonic())
            batch: list[tuple[int, ...]] = []

            def send(number: int = number, batch: list[tuple[int, ...]] = batch, found: int = 0) -> None:
                tell(Message(number, found, tuple(batch)))
                batch.clear()

            def report(progress: Progress) -> None:
                if os.getppid() != parent:
                    raise _Unwanted
                send(found=progress.found)

            control = Control(left, seed=order.seed, progress=report, cancelled=cancelled)
            try:
                backend = get_backend(order.backend)
                translated = backend.translate(order.parts[number].problem, control)
                if order.counting:
                    tell(Message(number, backend.count(translated, control), done=True))
                    continue
                sent = monotonic()
                for values in backend.solutions(translated, control):
                    batch.append(values)
                    if len(batch) >= BATCH_SIZE or monotonic() - sent > BATCH_SECONDS:
                        send()
                        sent = monotonic()
                tell(Message(number, 0, tuple(batch), done=True))
            except _Unwanted:
                raise
            except BaseException as error:
                tell(Message(number, error=_sendable(error)))


class _Unwanted(Exception):
    """The other side of the connection has closed, or its process is gone: nobody wants more."""


def _sendable(error: BaseException) -> BaseException:
    """Return the error, or where it does not survive a pipe, one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # pickle passes on whatever the object at fault raises
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
