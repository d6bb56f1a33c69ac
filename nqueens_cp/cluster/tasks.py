"""Calls of functions on the workers of a Dask cluster: sent, fetched when they are done, cancelled at the end.

A call that went down with several workers is handed back as a failure; whoever sent it knows what to do. Dask itself gives the
calls of a worker that dies to others.
"""

from __future__ import annotations

import asyncio
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic, sleep
from typing import Any, Generic, TypeVar
from uuid import uuid4

from nqueens_cp.cluster.worker import called, require_same_version, version_asked, versions_here
from nqueens_cp.errors import ClusterError

RETRIES = 2
"""So often a worker's errors are tried again by Dask."""
LOOK_SECONDS = 1.0
"""Between two looks at which workers there are."""
NOBODY_SECONDS = 10.0
"""After so long without a worker that is told."""
FETCH_SECONDS, LOOKS = 0.0005, 10
"""What calls returned is often here so soon, or so many times later."""

T = TypeVar("T")


@dataclass(slots=True)
class Call(Generic[T]):
    """A call on its way: what the caller knows it by, what is called, and which workers rather than others do it."""

    known_by: T
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    rather_by: frozenset[str]
    future: Any = None


class Fetch:
    """What calls returned on its way here, fetched by the client's own thread: that may take as long as doing it again."""

    def __init__(self, client: Any, keys: list[str], futures: list[Any]) -> None:
        self.keys, self.futures = keys, futures
        self._coming = asyncio.run_coroutine_threadsafe(self._gathered(client), client.loop.asyncio_loop)

    async def _gathered(self, client: Any) -> list[Any]:
        replies: list[Any] = await client.gather(self.futures, asynchronous=True)
        return replies

    def wait(self) -> bool:
        """Wait a little, and return whether it is here."""
        for _ in range(LOOKS):
            if self._coming.done():
                return True
            sleep(FETCH_SECONDS)
        return self._coming.done()

    def replies(self) -> list[Any]:
        """Return what is here, or raise what went wrong."""
        return self._coming.result()

    def cancel(self) -> None:
        self._coming.cancel()


class Tasks(Generic[T]):
    """Calls on their way; each is known to the caller by something.

    Attributes
    ----------
    threads : dict of str to int
        How many threads each worker has; empty before the first `look`.
    """

    def __init__(self, client: Any, name: str) -> None:
        self.client = client
        self.address = client.scheduler.address
        self.threads: dict[str, int] = {}
        self._name = f"nqueens-cp-{name}-{uuid4().hex:.8}"
        self._sent = 0
        self._on_their_way: dict[str, Call[T]] = {}  # by key
        self._finished: deque[str] = deque()  # keys
        self._lost_again: list[str] = []  # keys of what came back, and was lost with its worker before it was fetched
        self._done: list[str] = []  # keys of what is to be fetched
        self._fetch: Fetch | None = None
        self._next_look = 0.0
        self._somebody, self._warned = monotonic(), False

    @property
    def number(self) -> int:
        """How many are on their way."""
        return len(self._on_their_way)

    @property
    def all_threads(self) -> int:
        """How many threads the workers have together, at least 1."""
        return max(1, sum(self.threads.values()))

    @property
    def some_finished(self) -> bool:
        """Whether `arrived` will have something."""
        return bool(self._finished)

    def look(self) -> None:
        """See whether the scheduler is there, and which workers; new ones are asked for their version.

        Raises
        ------
        ClusterError
            The scheduler is lost, or a worker has another version.
        """
        if self.client.status != "running":
            raise self._lost()
        if monotonic() < self._next_look:
            return
        try:
            threads = self.client.nthreads()
        except (OSError, TimeoutError) as error:
            raise self._lost() from error
        new = [worker for worker in threads if worker not in self.threads]
        answers: dict[str, Any] = {}
        if new:
            with suppress(OSError, TimeoutError):  # a worker that has just died
                answers = self.client.run(version_asked(), workers=new, on_error="return")
        for worker, answer in answers.items():
            if isinstance(answer, tuple):
                require_same_version(worker, answer, versions_here())
        self.threads = threads
        self._next_look = monotonic() + LOOK_SECONDS
        self._warn_of_nobody()
        self._send_to_others()

    def _warn_of_nobody(self) -> None:
        """Tell once that there has been no worker for a while."""
        if self.threads:
            self._somebody = monotonic()
        elif not self._warned and monotonic() - self._somebody > NOBODY_SECONDS:
            self._warned = True
            warnings.warn(
                f"the scheduler {self.address} has no workers; waiting for some", RuntimeWarning, stacklevel=2
            )

    def _send_to_others(self) -> None:
        """Send again what was for workers that are gone: Dask would keep it for them for ever."""
        for key, call in list(self._on_their_way.items()):
            if call.rather_by and not call.rather_by & self.threads.keys():
                del self._on_their_way[key]
                with suppress(OSError, TimeoutError):
                    self.client.cancel([call.future])
                self._send(replace(call, rather_by=frozenset()))

    def submit(
        self, known_by: T, function: Callable[..., Any], *arguments: Any, rather_by: Iterable[str] | None = None
    ) -> None:
        """Send a call, to one of the workers `rather_by` if one of them is there."""
        wanted = frozenset(rather_by or ()) & self.threads.keys()
        self._send(Call(known_by, function, arguments, wanted))

    def _send(self, call: Call[T]) -> None:
        key = f"{self._name}-{self._sent}"
        self._sent += 1
        chosen = {"workers": list(call.rather_by), "allow_other_workers": True} if call.rather_by else {}
        call.future = self.client.submit(
            called, versions_here(), call.function, *call.arguments, key=key, pure=False, retries=RETRIES, **chosen
        )
        self._on_their_way[key] = call
        call.future.add_done_callback(lambda future: self._finished.append(future.key))

    def arrived(self) -> list[tuple[T, Any]]:
        """Return what calls are known by that have come back, and what they returned; a `KilledWorker` if Dask gave one up.

        Raises
        ------
        ClusterError
            The scheduler is lost.
        Exception
            What a function raised.
        """
        from distributed import KilledWorker

        back: list[tuple[T, Any]] = []
        keys, self._lost_again = self._lost_again, []
        while self._finished:
            keys.append(self._finished.popleft())
        for key in keys:
            if key not in self._on_their_way:  # it was sent again
                continue
            future = self._on_their_way[key].future
            if future.status == "finished":
                self._done.append(key)
            elif future.status == "error":
                error = future.exception()
                if not isinstance(error, KilledWorker):
                    raise error
                back.append((self._on_their_way.pop(key).known_by, error))
            elif future.status == "cancelled":  # by the client, which has lost the scheduler, or by somebody else
                raise self._lost()
            else:
                self._lost_again.append(key)
        if self._done and self._fetch is None:
            keys = [key for key in self._done if key in self._on_their_way]
            self._fetch = Fetch(self.client, keys, [self._on_their_way[key].future for key in keys])
            self._done = []
        return back + self._fetched()

    def _fetched(self) -> list[tuple[T, Any]]:
        """Return what is fetched by now; what was lost meanwhile comes back again."""
        fetch = self._fetch
        if fetch is None or not fetch.wait():
            return []
        self._fetch = None
        try:
            replies = fetch.replies()
        except (Exception, asyncio.CancelledError) as error:  # of any kind that the network has
            if self.client.status != "running":
                raise self._lost() from error
            finished = all(future.status == "finished" for future in fetch.futures)
            if finished and not isinstance(error, OSError | TimeoutError):
                raise
            self._lost_again += fetch.keys
            return []
        fetched = zip(fetch.keys, replies, strict=True)
        return [(self._on_their_way.pop(key).known_by, reply) for key, reply in fetched if key in self._on_their_way]

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler {self.address} was lost", 0)

    def cancel(self) -> None:
        """Have all calls forgotten, and those that run stopped."""
        if self._fetch is not None:
            self._fetch.cancel()
        if self._on_their_way and self.client.status == "running":
            with suppress(OSError, TimeoutError):
                self.client.cancel([call.future for call in self._on_their_way.values()])
        self._on_their_way.clear()
