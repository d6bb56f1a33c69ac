"""Work in a process of its own, which can be ended at any moment.

Some solvers keep Python's lock while they search and listen to nobody: neither Ctrl-C nor a time limit reaches the caller
before they return. In a child process they can be killed. `yielded_apart` runs a generator function there; `Child` is the
process itself, which the workers of parallel.py use as well.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterable
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from nqueens_cp.background import Background, despite_interrupts
from nqueens_cp.control import Control
from nqueens_cp.errors import BackendUnavailable, InvalidValue

POLL_SECONDS = 0.02


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


def _send_all(task: tuple[Callable[[Any], Generator[Any, None, Any]], Any], connection: Connection) -> None:
    function, argument = task
    try:
        items = function(argument)
        while True:
            try:
                item = next(items)
            except StopIteration as end:
                connection.send(Message(end.value, ended=True))
                return
            connection.send(Message(item))
    except BrokenPipeError:  # nobody wants more
        return
    except BaseException as error:
        connection.send(Message(error=sendable(error)))


class Child:
    """A process that calls ``function(argument, connection)``, and ends when this process does.

    Parameters
    ----------
    who : str
        In whose name a message speaks.
    function : callable
        Defined at the top of a module.
    argument : Any
        It must survive pickle.
    inherited : iterable of Connection
        Connections of this process that a forked child is to close.

    It is made, then started; `stop`, `join` and `end` may be called again, and before it is started.
    """

    def __init__(
        self,
        who: str,
        function: Callable[[Any, Connection], object],
        argument: Any,
        inherited: Iterable[Connection] = (),
    ) -> None:
        if multiprocessing.current_process().daemon:
            raise InvalidValue(
                f"{who}: this process was started as a daemon and may have no children; start it with daemon=False"
            )
        self.connection, self._other = multiprocessing.Pipe()
        self._who = who
        # Under Linux a forked child needs no importable main module; elsewhere fork is not safe.
        forks = sys.platform == "linux"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        to_close = [*inherited, self.connection] if forks else []
        self._process = context.Process(target=_run, args=(function, argument, self._other, to_close), daemon=True)
        self._starting = Background(self._start_process)
        self._ending = Background(self._reap)

    def start(self) -> None:
        """Start the process."""
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

    def receive(self, control: Control) -> Any:
        """Wait for something to come through the connection, polling `control`."""
        while True:
            control.poll()
            if wait([self.connection], POLL_SECONDS) or not self._process.is_alive():
                try:
                    if self.connection.poll():  # what a process sent before it died still counts
                        return self.connection.recv()
                except (EOFError, OSError):
                    pass
                raise BackendUnavailable(f"the process of {self._who} died: {self.fate()}")

    def stop(self) -> None:
        """Kill the process."""
        if self._starting.begun:
            self._starting.wait_for_end()
        if not self._ending.begun and self._process.pid is not None:
            self._process.kill()
        self.connection.close()
        self._other.close()

    def join(self) -> None:
        """Wait until the process has ended."""
        if sys.is_finalizing():  # a search that was left open when the program ended: no thread runs any more
            self._reap()
            return
        if not self._ending.begun:
            self._ending.start()  # in a thread as well: a clean-up that Ctrl-C hits would swallow it
        self._ending.wait_for_end()

    def _reap(self) -> None:
        if self._process.pid is not None:
            self._process.join()
            self._process.close()

    def end(self) -> None:
        """Kill the process and wait until it has ended."""
        self.stop()
        self.join()

    def fate(self) -> str:
        """Say how it ended."""
        self._process.join(1)  # before it is reaped
        code: int | None = self._process.exitcode
        if code is None or code >= 0:
            return f"it ended with exit code {code}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        hint = ", as the system does when memory runs out" if name == "SIGKILL" else ""
        return f"it was ended by the signal {name}{hint}"


def _run(
    function: Callable[[Any, Connection], object], argument: Any, connection: Connection, inherited: list[Connection]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent ends its children
    for other in inherited:
        other.close()
    _end_with_parent()
    with connection:
        function(argument, connection)


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
