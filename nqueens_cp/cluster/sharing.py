"""Many small items, made into tasks of some seconds for the workers of a cluster, in order or not.

Some tasks for each thread of the cluster are on their way at any time, not all of them: the scheduler then has little to do,
and workers that join get their share. A task may come back before all of it is done; the rest is sent again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from time import sleep
from typing import Any, Generic, NamedTuple, TypeVar

from nqueens_cp.background import despite_interrupts
from nqueens_cp.cluster.tasks import Tasks
from nqueens_cp.control import Control
from nqueens_cp.errors import ClusterError

TASK_SECONDS, SHORTEST_TASK = 3.0, 0.05
"""Items are put together into tasks of about so long, at the end at least so long."""
CAUTION = 10
"""The first guess is multiplied by this, so that something comes back soon."""
SENDING_SECONDS = 0.003
"""What a task costs client and scheduler. A task takes no less than sending one to each thread, or threads would wait."""
SHARE_OF_A_TASK = 2
"""Towards the end a task is no more than this part of what each thread still has to do, so that all end together."""
TASKS_OF_A_THREAD, MOST_TASKS = 3, 5_000
"""So many tasks are on their way for each thread of the cluster, and altogether."""
SENT_AT_ONCE = 50
"""After so many tasks are sent, it is looked whether some have come back."""
ATTEMPTS = 2
"""So often Dask may give up an item, each time after it has given it to several workers that died."""
POLL_SECONDS = 0.01
MOST_BYTES = 1 << 23
"""A task brings back about so much at most, where a function keeps to that."""
MOST_HELD = 1 << 28
"""When so many bytes wait for what comes before them, only that is sent."""
AHEAD = 4
"""So many times what may be on its way may be begun."""
REMEMBERED = 0.9
"""How much of an average stays when the next item is known."""

T = TypeVar("T")


class Reply(NamedTuple):
    """What a worker hands back for some items.

    Attributes
    ----------
    found : list
        What is handed over to the caller, in order.
    done : int
        How many of the items are done; the first ones.
    seconds : float
        What they took.
    rest : list
        Items that stand for what is not done of the others, in order.
    size : int
        Of `found`, in bytes, about.
    """

    found: list[Any]
    done: int
    seconds: float
    rest: list[Any] = []  # noqa: RUF012
    size: int = 0


@dataclass(slots=True, eq=False)
class Span(Generic[T]):
    """Items that follow each other, and what has become of them."""

    items: deque[T]
    share: float = 0.0
    attempts: int = 0
    sent: bool = False
    reply: Reply | None = None


def tasks_on_their_way(threads: int, seconds: float | None) -> int:
    """Return how many tasks a cluster with so many threads has at a time; one each while nothing is known of the items."""
    return min(MOST_TASKS, threads if seconds is None else TASKS_OF_A_THREAD * threads)


def items_of_a_task(left: int | None, threads: int, seconds: float | None) -> int:
    """Return how many of the `left` items, which take so many seconds each as far as that is known, the next task has."""
    if not seconds:
        return 1
    least = max(SHORTEST_TASK, SENDING_SECONDS * threads)
    most = int(max(TASK_SECONDS, 2 * least) / seconds)
    if left is None:
        return max(1, most)
    size = min(most, max(left // (SHARE_OF_A_TASK * threads), int(least / seconds)))
    return min(left, max(1, size))


def _averaged(average: float | None, value: float, number: int) -> float:
    """Return what an average becomes when so many more items have this value."""
    kept = REMEMBERED**number
    return value if average is None else kept * average + (1 - kept) * value


class Sharing(ABC, Generic[T]):
    """Items shared out over a cluster. A kind of it says which function of a worker takes them.

    Attributes
    ----------
    ordered : bool
        Whether what is found is handed over in the order of the items.
    share : float
        How much is done, from 0 to 1, where the number of items is known.
    """

    ordered: bool = True
    most_items: int | None = None
    """Of a task; None if only time and bytes matter."""

    def __init__(self, client: Any, control: Control, name: str, seconds: float | None = None) -> None:
        self.share = 0.0
        self._control = control
        self._tasks = Tasks[Span[T]](client, name)
        self._seconds = None if seconds is None else CAUTION * seconds  # of an item; then averaged
        self._bytes: float | None = None  # of an item, averaged
        self._spans: list[Span[T]] = []  # what was begun and is not handed over, in order
        self._held = 0  # bytes
        self._done = 0  # items

    @abstractmethod
    def call(self, items: list[T]) -> tuple[Any, ...]:
        """Return the function that a worker is to call, which returns a `Reply`, and its arguments."""

    @abstractmethod
    def named(self, item: T) -> str:
        """Return what an item is called in a message."""

    def not_by(self, item: T) -> str | None:
        """Return the worker that is not to have an item, if there is another."""
        return None

    def threads(self) -> int:
        """Return how many threads the workers have now, at least 1."""
        self._tasks.look()
        return self._tasks.all_threads

    def results(self, items: Iterable[T], number: int | None = None) -> Iterator[Any]:
        """Yield what is found; `number` is how many items there are, if that is known.

        Raises
        ------
        ClusterError
            The scheduler is lost, or an item went down with all workers that tried it.
        """
        self._left, self._number = number, number
        self._source = iter(items)
        self._read: deque[T] = deque()
        try:
            while self._more() or self._spans:
                self._tasks.look()
                for _ in range(SENT_AT_ONCE):
                    if not self._send_one():
                        break
                for span, reply in self._tasks.arrived():
                    if isinstance(reply, Reply):
                        self._take(span, reply)
                    else:
                        self._given_up(span, reply)
                yield from self._ready()
                self._control.poll()
                if not self._tasks.some_finished and self._tasks.number:
                    sleep(POLL_SECONDS)
        finally:
            despite_interrupts(self._tasks.cancel)

    def _more(self) -> bool:
        """Say whether there are items that were not begun."""
        if not self._read:
            self._read.extend(islice(self._source, 1))
        return bool(self._read)

    def _send_one(self) -> bool:
        """Send a task, the first that waits, unless enough are on their way; say whether one was sent."""
        most = tasks_on_their_way(self._tasks.all_threads, self._seconds)
        if self._tasks.number >= most:
            return False
        place = next((i for i, span in enumerate(self._spans) if not span.sent), None)
        if self.ordered and self._spans and place != 0:  # then what comes first is on its way
            coming = sum(len(span.items) for span in self._spans if span.sent and span.reply is None)
            too_much = self._held + coming * (self._bytes or 0) > MOST_HELD
            if too_much or (place is None and len(self._spans) >= AHEAD * most):
                return False
        size = items_of_a_task(self._left, self._tasks.all_threads, self._seconds)
        if self._bytes:
            size = min(size, max(1, int(MOST_BYTES / self._bytes)))
        if self._number is None:
            size = min(size, max(1, self._done))  # so that something comes soon
        size = min(size, self.most_items or size)
        if place is not None:
            span = self._cut(place, size)
        elif self._more():
            self._read.extend(islice(self._source, size - len(self._read)))
            span = Span(self._first(self._read, size))
            span.share = len(span.items) / self._number if self._number else 0.0
            self._spans.append(span)
        else:
            return False
        if self._left is not None:
            self._left -= len(span.items)
        span.sent = True
        avoided = self.not_by(span.items[0])
        others = [worker for worker in self._tasks.threads if worker != avoided] if avoided else None
        self._tasks.submit(span, *self.call(list(span.items)), rather_by=others)
        return True

    def _first(self, items: deque[T], size: int) -> deque[T]:
        """Take the first items, at most so many, that are to be kept from the same worker."""
        avoided = self.not_by(items[0])
        taken = deque([items.popleft()])
        while items and len(taken) < size and self.not_by(items[0]) == avoided:
            taken.append(items.popleft())
        return taken

    def _cut(self, place: int, size: int) -> Span[T]:
        """Return the first items of a span that waits as a span of its own."""
        span = self._spans[place]
        number = len(span.items)
        first = Span(self._first(span.items, size), attempts=span.attempts)
        if not span.items:
            self._spans[place] = first
            first.share = span.share
        else:
            self._spans.insert(place, first)
            first.share = span.share * len(first.items) / number
            span.share -= first.share
        return first

    def _take(self, span: Span[T], reply: Reply) -> None:
        span.reply = reply
        self._held += reply.size
        self._done += reply.done
        done = max(1, reply.done)  # one that is not done takes at least as much
        self._seconds = _averaged(self._seconds, reply.seconds / done, done)
        self._bytes = _averaged(self._bytes, reply.size / done, done)
        if reply.rest:
            rest = Span(deque(reply.rest), span.share * (1 - reply.done / len(span.items)))
            self._spans.insert(self._spans.index(span) + 1, rest)
            span.share -= rest.share
            if self._left is not None:
                self._left += len(rest.items)
        self.share += span.share

    def _given_up(self, span: Span[T], error: BaseException) -> None:
        """Have halves of what was given up sent: sooner done, before the next worker dies, or they show which item it is."""
        if self._left is not None:
            self._left += len(span.items)
        span.sent = False
        half = len(span.items) // 2
        if half:
            self._cut(self._spans.index(span), half)
            return
        span.attempts += 1
        if span.attempts >= ATTEMPTS:
            raise ClusterError(
                f"{self.named(span.items[0])} went down with every worker that tried it; perhaps there is too little memory "
                f"({error})",
                0,
            )

    def _ready(self) -> Iterator[Any]:
        """Yield what is found and has nothing before it that is missing."""
        place = 0
        while place < len(self._spans):
            reply = self._spans[place].reply
            if reply is not None:
                del self._spans[place]
                self._held -= reply.size
                yield from reply.found
            elif self.ordered:
                return
            else:
                place += 1
