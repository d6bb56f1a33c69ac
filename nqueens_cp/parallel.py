"""Several workers: independent parts of a problem, shared out among threads or processes.

Each part is an ordinary problem (the backend says how to split). A worker asks for a part, searches it with the same
backend, and sends what it finds through a pipe; pipes hold little, so a worker that is far ahead waits. Threads where the
backend searches outside Python, processes otherwise.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Generator, Iterator
from time import monotonic
from typing import Any, NamedTuple

from nqueens_cp.backends import get_backend
from nqueens_cp.backends.apart import Child, sendable
from nqueens_cp.backends.base import Backend, Part
from nqueens_cp.background import Background, Flag, despite_interrupts
from nqueens_cp.channel import Channel, pipe, ready
from nqueens_cp.control import Control, Progress
from nqueens_cp.errors import BackendUnavailable, UnsupportedModel
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
    for _ in numbers(problem, backend, parts, control):
        pass
    return control.found


def numbers(
    problem: Problem, backend: Backend, parts: list[Part], control: Control, *, in_threads: bool | None = None
) -> Generator[tuple[int, int]]:
    """Yield the place of each part among `parts` and its weighted number of solutions, as the workers count them.

    `in_threads` says where the workers are, instead of the backend.
    """
    found = [0] * len(parts)
    order = Order(backend.name, parts, True, control.remaining(), control.seed)
    with contextlib.closing(_messages(problem, backend, order, control, in_threads)) as messages:
        for message in messages:
            found[message.part] = parts[message.part].weight * message.found
            control.found = sum(found)
            if message.done:
                yield message.part, found[message.part]


def solutions_of_parts(
    problem: Problem, backend: Backend, translated: Any, control: Control
) -> Iterator[tuple[int, ...]]:
    """Yield every solution once, in no particular order, found by ``control.workers`` workers."""
    parts = backend.parts(problem, translated, control.workers * PARTS_PER_WORKER, counting=False)
    order = Order(backend.name, parts, False, control.remaining(), control.seed)
    with contextlib.closing(_messages(problem, backend, order, control)) as messages:
        for message in messages:
            yield from message.solutions


def _messages(
    problem: Problem, backend: Backend, order: Order, control: Control, in_threads: bool | None = None
) -> Generator[Message]:
    """Yield the workers' messages until all parts are done; however it ends, end the workers."""
    if in_threads is None:
        in_threads = backend.capabilities.releases_gil
    if not in_threads:
        require_picklable(problem, "workers", "use a function defined at the top of a module, or workers=1")
    waiting = list(range(len(order.parts)))[::-1]
    done = 0
    control.share = lambda: done / len(order.parts)
    workers: dict[Any, _ThreadWorker | Child] = {}  # by channel

    def end_workers() -> None:
        for worker in workers.values():
            worker.stop()
        for worker in workers.values():
            worker.join()

    try:
        for _ in range(min(control.workers, len(order.parts))):
            worker = _ThreadWorker(order) if in_threads else Child("workers", _work, order, list(workers))
            workers[worker.channel] = worker
            worker.start()
            worker.channel.send(waiting.pop())
        busy = list(workers)
        while busy:
            control.poll()
            channel: Any
            for channel in ready(busy, POLL_SECONDS):
                try:
                    message: Message = channel.recv()
                except EOFError:
                    raise BackendUnavailable(f"a worker of {backend.name} died: {workers[channel].fate()}") from None
                if message.error is not None:
                    raise message.error
                yield message
                if message.done:
                    done += 1
                    if waiting:
                        channel.send(waiting.pop())
                    else:
                        busy.remove(channel)
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


class _ThreadWorker:
    """A thread that works; it has the methods of `Child`."""

    def __init__(self, order: Order) -> None:
        self.channel, self._other = pipe()
        self._cancelled = Flag()
        self._background = Background(lambda: _work(order, self._other, self._cancelled))

    def start(self) -> None:
        self._background.start()

    def stop(self) -> None:
        self._cancelled.raised = True
        self.channel.close()

    def join(self) -> None:
        if self._background.begun:
            self._background.wait_for_end()

    def fate(self) -> str:
        return f"its thread ended ({self._background.error})"


def _work(order: Order, channel: Channel, cancelled: Flag | None = None) -> None:
    """Search one part after the other, as the channel asks for them, until it is closed."""
    parent = os.getppid()
    end = None if order.seconds is None else monotonic() + order.seconds

    def tell(message: Message) -> None:
        try:
            channel.send(message)
        except OSError:
            raise _Unwanted from None

    with channel, contextlib.suppress(_Unwanted):
        while True:
            try:
                number = channel.recv()
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
                tell(Message(number, error=sendable(error)))


class _Unwanted(Exception):
    """The other side of the channel has closed, or its process is gone: nobody wants more."""
