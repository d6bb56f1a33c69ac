"""Work in a process of its own, which can be ended at any moment.

Some solvers keep Python's lock while they search and listen to nobody: neither Ctrl-C nor a time limit reaches the caller
before they return. In a child process they can be killed. `yielded_apart` runs a generator function there; `Child` is the
process itself, which the workers of parallel.py use as well.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from nqueens_cp.background import Background, Gate, despite_interrupts
from nqueens_cp.channel import Channel, pipe, ready
from nqueens_cp.control import Control
from nqueens_cp.errors import BackendUnavailable, InvalidValue

POLL_SECONDS = 0.02
LOOK_SECONDS = 0.1  # between two looks whether a process still lives; mostly its channel tells sooner
FORKS = sys.platform == "linux"


class Message(NamedTuple):
    """What a child sends: something that its function yielded, or that it has returned, or what it raised."""

    item: Any = None
    ended: bool = False
    error: BaseException | None = None


def yielded_apart(
    function: Callable[[Any], Generator[Any, None, Any]], argument: Any, control: Control, who: str
) -> Generator[Any, None, Any]:
    """Yield what ``function(argument)`` yields in a process of its own, and return what it returns.

    What is yielded is sent at once; a child that is far ahead waits, since a pipe holds little. However this generator
    ends (by a time limit, Ctrl-C, closing it), the child is killed.

    Parameters
    ----------
    function : callable
        A generator function that is defined at the top of a module. It need not poll.
    argument, what is yielded, what is returned : Any
        They must survive pickle.
    who : str
        The backend's name, for the message in case the process dies.

    Raises
    ------
    BackendUnavailable
        The process died, for instance because the system killed it when memory ran out.
    Exception
        What the function raises.
    """
    child = Child(who, _send_all, (function, argument))
    try:
        child.start()
        while True:
            message: Message = child.receive(control)
            if message.error is not None:
                raise message.error
            if message.ended:
                return message.item
            yield message.item
    finally:
        despite_interrupts(child.end)


def _send_all(task: tuple[Callable[[Any], Generator[Any, None, Any]], Any], channel: Channel) -> None:
    function, argument = task
    items = function(argument)
    message = Message()
    while not message.ended and message.error is None:
        message = _next_message(items)
        try:
            channel.send(message)
        except ConnectionError:  # nobody wants more
            return
        except Exception as error:  # what was yielded does not survive pickle
            message = Message(error=sendable(error))
            channel.send(message)


def _next_message(items: Generator[Any, None, Any]) -> Message:
    try:
        return Message(next(items))
    except StopIteration as end:
        return Message(end.value, ended=True)
    except BaseException as error:
        return Message(error=sendable(error))


class NoChildren(InvalidValue):
    """This process is a daemon, which may not start others. Its attribute `who` tells who wants one."""

    def __init__(self, who: str) -> None:
        super().__init__(
            f"{who}: this process was started as a daemon and may have no children; start it with daemon=False"
        )
        self.who = who

    def __reduce__(self) -> tuple[Any, ...]:
        return NoChildren, (self.who,)


class Child:
    """A process that calls ``function(argument, channel)``, and ends when this process does.

    It is made, then started; `stop`, `join` and `end` may be called again, and before it is started. Nobody but the thread
    `_live` touches the object of `multiprocessing`: Python code runs when that is forgotten, and Ctrl-C would be lost in it.

    Parameters
    ----------
    who : str
        In whose name a message speaks.
    function : callable
        Defined at the top of a module.
    argument : Any
        It must survive pickle.
    inherited : iterable of Channel
        Channels of this process that a forked child is to close.

    Attributes
    ----------
    channel : Channel
        To and from the process.
    """

    def __init__(
        self,
        who: str,
        function: Callable[[Any, Channel], object],
        argument: Any,
        inherited: Iterable[Channel] = (),
    ) -> None:
        if multiprocessing.current_process().daemon:
            raise NoChildren(who)
        self.channel, self._other = pipe()
        self._who = who
        to_close = [*inherited, self.channel] if FORKS else []
        self._arguments = (function, argument, self._other, to_close)
        self._life = Background(self._live)
        self._started = Gate()
        self._unwanted = Gate()
        self._exit_code: int | None = None

    def start(self) -> None:
        """Start the process."""
        self._life.start()
        while not (self._started.wait(POLL_SECONDS) or self._life.ended):
            pass
        if self._life.error is not None:
            raise self._life.error

    def _live(self) -> None:
        """Start the process, wait until it ends or is not wanted any more, and reap it."""
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # for this thread and the child
        with self._other, warnings.catch_warnings():
            if self._unwanted.opened:
                return
            # Under Linux a forked child needs no importable main module; elsewhere fork is not safe.
            context: Any = multiprocessing.get_context("fork" if FORKS else "spawn")
            process = context.Process(target=_run, args=self._arguments, daemon=True)
            warnings.simplefilter("ignore", DeprecationWarning)  # on forking beside threads: the child starts none
            process.start()
        self._started.open()
        while process.is_alive() and not self._unwanted.wait(LOOK_SECONDS):
            pass
        process.kill()
        process.join()
        self._exit_code = process.exitcode
        # It still counts as running where the system was told that nobody waits for children.
        with suppress(ValueError):
            process.close()

    def receive(self, control: Control) -> Any:
        """Wait for something to come through the channel, polling `control`."""
        while True:
            control.poll()
            if ready([self.channel], POLL_SECONDS) or self._life.ended:
                with suppress(EOFError, OSError):
                    if ready([self.channel], 0):  # what a process sent before it died still counts
                        return self.channel.recv()
                raise BackendUnavailable(f"the process of {self._who} died: {self.fate()}")

    def stop(self) -> None:
        """Have the process killed."""
        self._unwanted.open()
        self.channel.close()
        if not self._life.begun:
            self._other.close()

    def join(self) -> None:
        """Wait until the process has ended."""
        # When the program ends no thread runs any more, and multiprocessing has ended the process.
        if self._life.begun and not sys.is_finalizing():
            self._life.wait_for_end()

    def end(self) -> None:
        """Kill the process and wait until it has ended."""
        self.stop()
        self.join()

    def fate(self) -> str:
        """Say how it ended."""
        self._life.wait(1)
        code = self._exit_code
        if code is None or code >= 0:
            return f"it ended with exit code {code}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        hint = ", as the system does when memory runs out" if name == "SIGKILL" else ""
        return f"it was ended by the signal {name}{hint}"


def _run(function: Callable[[Any, Channel], object], argument: Any, channel: Channel, inherited: list[Channel]) -> None:
    gc.freeze()  # what the parent has left unfinished is not for this process to finish
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent ends its children
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # multiprocessing's, for children that are left when a program ends
    for other in inherited:
        other.close()
    _end_with_parent()
    with channel:
        function(argument, channel)


def _end_with_parent() -> None:
    """Have the system end this process when its parent is gone, even while a solver keeps Python's lock."""
    try:
        import fcntl
    except ImportError:  # on Windows it ends when it next sends something
        return
    parent = multiprocessing.parent_process()
    assert parent is not None
    end_of_life = parent.sentinel  # a pipe into which nothing is written and which closes with the parent
    signal.signal(signal.SIGIO, signal.SIG_DFL)  # what the system sends then, which ends the process
    fcntl.fcntl(end_of_life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(end_of_life, fcntl.F_SETFL, fcntl.fcntl(end_of_life, fcntl.F_GETFL) | os.O_ASYNC)
    if not parent.is_alive():  # it went in the meantime
        os._exit(1)


def sendable(error: BaseException) -> BaseException:
    """Return the error, or where it does not survive a pipe, one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # pickle passes on whatever the object at fault raises
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
