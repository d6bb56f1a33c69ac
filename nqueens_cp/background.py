"""A function in a thread of its own that can be waited for without losing Ctrl-C.

`threading` is not used for this because Ctrl-C can hit Python code of its own in the waiting thread: in a join, Python 3.11
takes a running thread for dead; in an Event, a lock may stay locked for ever; in the weak-reference callback of a dying
Thread object, the interrupt is lost. A bare lock and a flag have no such place.
"""

from __future__ import annotations

import _thread
import atexit
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from time import sleep
from typing import Generic, TypeVar

POLL_SECONDS = 0.05
SHORTEST_WAIT, LONGEST_WAIT = 0.0005, 0.02  # seconds between two looks for an item
WAITING = 1_000
"""A function waits when so many of its items have not been taken yet."""

T = TypeVar("T")


class Flag:
    """Something that one thread raises and others read."""

    __slots__ = ("raised",)

    def __init__(self) -> None:
        self.raised = False


class Gate:
    """Something that one thread opens and one other waits for. Either may be interrupted, and then do it again.

    Attributes
    ----------
    opened : bool
        Whether it has been opened.
    """

    __slots__ = ("_lock", "opened")

    def __init__(self) -> None:
        self.opened = False
        self._lock = _thread.allocate_lock()
        self._lock.acquire()

    def open(self) -> None:
        """Open it for good."""
        self.opened = True
        if self._lock.locked():
            self._lock.release()

    def wait(self, seconds: float) -> bool:
        """Wait until it is opened, at most so long; return whether it is."""
        if not self.opened and seconds > 0:
            self._lock.acquire(timeout=seconds)
        return self.opened


class Background:
    """A function in a thread of its own.

    When Ctrl-C hits `start`, the thread may still begin, a little later. Who then tells the function to stop, and only after
    that looks whether it has begun, either can wait for its end, or knows that it will be told before it does anything.

    Attributes
    ----------
    begun : bool
        Whether the function has been called.
    error : BaseException or None
        What it raised.
    """

    def __init__(self, function: Callable[[], object]) -> None:
        self.begun = False
        self.error: BaseException | None = None
        self._function = function
        self._not_begun = _thread.allocate_lock()
        self._end = Gate()

    @property
    def ended(self) -> bool:
        """Whether the function has returned or raised."""
        return self._end.opened

    def start(self) -> None:
        """Start the thread. It may be called again after Ctrl-C; the function is called once."""
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        if not self._not_begun.acquire(blocking=False):
            return
        self.begun = True
        try:
            self._function()
        except BaseException as error:  # for the thread that waits
            self.error = error
        finally:
            del self._function  # a method's object would be kept by its own thread until garbage is collected
            self._end.open()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it has ended. For one waiting thread."""
        return self._end.wait(seconds)

    def wait_for_end(self) -> None:
        """Wait for the end."""
        while not self.wait(POLL_SECONDS):
            pass


class Stream(Generic[T]):
    """What a function in the background finds, handed to the thread that waits for it."""

    def __init__(self) -> None:
        self._found: deque[T] = deque()
        self.stopping = False

    def put(self, item: T) -> None:
        """Hand over an item; wait while very many have not been taken, unless `stopping` is set."""
        self._found.append(item)
        while len(self._found) >= WAITING and not self.stopping:
            sleep(SHORTEST_WAIT)

    def taken(self, background: Background, poll: Callable[[], object]) -> Iterator[T]:
        """Yield the items until `background` has ended and all are taken, polling while there are none."""
        found, wait = self._found, SHORTEST_WAIT
        while True:
            ended = background.wait(0 if found else wait)
            wait = SHORTEST_WAIT if found else min(2 * wait, LONGEST_WAIT)
            while found:
                yield found.popleft()
            poll()
            if ended and not found:
                return


def call_apart(function: Callable[[], object]) -> None:
    """Call a function in a thread of its own, so that Ctrl-C reaches the caller at once and not the function.

    Python does not survive the import of an extension module being interrupted: the interrupt is lost or becomes another
    exception. If the caller is interrupted, the function goes on, and the process waits for its end before it exits.
    """
    background = Background(function)
    try:
        background.start()
        background.wait_for_end()
    except KeyboardInterrupt:
        if background.begun:
            atexit.register(background.wait_for_end)
        raise
    if background.error is not None:
        raise background.error


def despite_interrupts(cleanup: Callable[[], object]) -> None:
    """Run a clean-up to its end, from the start again if Ctrl-C hits it; then let the interrupt pass."""
    interrupt: KeyboardInterrupt | None = None
    while True:
        try:
            cleanup()
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


def finished_apart(cleanup: Callable[[], object]) -> None:
    """Call a clean-up once, to its end, in a thread of its own, for one that must not be interrupted; then let Ctrl-C pass."""
    background = Background(cleanup)

    def finish() -> None:
        if not background.begun:
            background.start()
        background.wait_for_end()

    despite_interrupts(finish)
    if background.error is not None:
        raise background.error


_put_off = Flag()


def put_off_interrupt() -> None:
    """Keep Ctrl-C that has hit a ``__del__``, where Python would swallow it: it comes again a moment later."""
    _put_off.raised = True
    Background(_interrupt_again).start()


def raise_interrupt_put_off() -> None:
    """Raise in the main thread what was put off, or in a loop of searches it might hit one ``__del__`` after another."""
    if _put_off.raised and threading.current_thread() is threading.main_thread():
        _put_off.raised = False
        raise KeyboardInterrupt


def _interrupt_again() -> None:
    sleep(SHORTEST_WAIT)
    if not _put_off.raised:
        return
    _put_off.raised = False
    if not hasattr(signal, "pthread_kill"):
        _thread.interrupt_main()
    elif callable(signal.getsignal(signal.SIGINT)):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # which also wakes it
