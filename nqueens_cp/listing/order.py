"""Solutions in lexicographic order from several threads, and those that come after a given one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from nqueens_cp.backends.base import Backend
from nqueens_cp.background import Background, Flag, despite_interrupts
from nqueens_cp.choosing import Choice, choose
from nqueens_cp.control import Cancelled, Control
from nqueens_cp.core.compile import DiagonalForm
from nqueens_cp.listing.batches import arrays
from nqueens_cp.model import Problem
from nqueens_cp.ranking import Ranking
from nqueens_cp.search import count_chosen

Array = NDArray[Any]

PARTS_PER_WORKER = 32
MOST_AHEAD = 1 << 27  # bytes found before what comes first is found
MOST_FIXED = 1  # where more of the first variables are fixed, there is too little to share out
MIRRORED = 16  # on boards of up to so many rows and columns the kernel uses the mirror, which parts would not have
WAIT_SECONDS = 0.002


def problems_after(problem: Problem, values: Sequence[int]) -> Iterator[tuple[int, Problem]]:
    """Yield problems whose solutions, one problem after the other, are those lexicographically greater than `values`.

    Before each comes how many of its first variables are fixed.
    """
    variables = problem.variables
    fixed = [variable == value for variable, value in zip(variables, values, strict=True)]
    for length in reversed(range(len(variables))):
        if variables[length].domain[-1] > values[length]:
            yield length, problem.with_constraints(*fixed[:length], variables[length] > values[length])


def number_between(
    problem: Problem, backend: str, low: Sequence[int] | None, high: Sequence[int], control: Control
) -> int:
    """Count the solutions that are lexicographically smaller than `high` and, if it is given, greater than `low`."""
    if low is None:
        return sum(_counted(part, backend, control) for part in _problems_before(problem, high, 0))
    first = next(place for place, (a, b) in enumerate(zip(low, high, strict=True)) if a != b)
    number = 0
    for length, part in problems_after(problem, low):
        if length == first:
            number += _counted(part.with_constraints(problem.variables[first] < high[first]), backend, control)
        elif length > first:
            number += _counted(part, backend, control)
    return number + sum(_counted(part, backend, control) for part in _problems_before(problem, high, first + 1))


def _problems_before(problem: Problem, values: Sequence[int], begin: int) -> Iterator[Problem]:
    """Yield problems whose solutions are smaller than `values`, and begin with the first `begin` of them."""
    variables = problem.variables
    fixed = [variable == value for variable, value in zip(variables, values, strict=True)]
    for length in range(begin, len(variables)):
        if variables[length].domain[0] < values[length]:
            yield problem.with_constraints(*fixed[:length], variables[length] < values[length])


def _counted(problem: Problem, backend: str, control: Control) -> int:
    control.found = 0  # backends add to it
    number = count_chosen(problem, choose(problem, backend, control), control)
    control.found = 0
    return number


def solution_before(number: int, problem: Problem, control: Control) -> tuple[int, ...] | None:
    """Return the last of the first so many solutions, found by counting with the core; None if there are not so many."""
    ranking = Ranking(problem, "core", control, "skip")
    return ranking.nth(number - 1).values if ranking.count(()) >= number else None


def in_order(problem: Problem, backend: Backend, after: tuple[int, ...] | None, control: Control) -> Iterator[Array]:
    """Yield the solutions, or those after a given one, in the backend's lexicographic order, with the workers asked for."""
    side_by_side = control.workers > 1 and backend.capabilities.releases_gil
    for fixed, whole in [(0, problem)] if after is None else problems_after(problem, after):
        translated = backend.translate(whole, control)
        if side_by_side and fixed <= MOST_FIXED:
            found = _by_threads(_parts(whole, backend, translated, control.workers), backend, control)
        else:
            found = arrays(Choice(backend, translated), problem, control)
        yield from found


def _parts(whole: Problem, backend: Backend, translated: Any, workers: int) -> list[Problem]:
    """Return the parts that are searched side by side; one where that is better: found by one thread, used by another."""
    in_rows = isinstance(translated, DiagonalForm) and translated.has_mirror
    if in_rows and max(translated.width, len(translated.allowed)) <= MIRRORED:
        return [whole]
    return [part.problem for part in backend.parts(whole, translated, workers * PARTS_PER_WORKER, counting=False)]


def _by_threads(parts: list[Problem], backend: Backend, control: Control) -> Iterator[Array]:
    """Yield the solutions of all parts, one part after the other; ``control.workers`` threads search them."""
    queues: list[deque[Array]] = [deque() for _ in parts]
    done = [False] * len(parts)
    cancelled = Flag()
    waiting = list(reversed(range(len(parts))))
    found = [0] * len(parts)  # bytes
    current = used = 0

    def work() -> None:
        while not cancelled.raised:
            try:
                number = waiting.pop()
            except IndexError:
                return
            own = Control(cancelled=cancelled)
            choice = Choice(backend, backend.translate(parts[number], own))
            for batch in arrays(choice, parts[number], own):
                queues[number].append(batch)
                found[number] += batch.nbytes
                # What comes next must be let through, but for a little; it is what the others wait for.
                while sum(found) - used > (MOST_AHEAD if number == current else MOST_AHEAD // 2):
                    if cancelled.raised or (number == current and not queues[number]):
                        break
                    time.sleep(WAIT_SECONDS)
            done[number] = True

    threads = [Background(work) for _ in range(min(control.workers, len(parts)))]

    def end_threads() -> None:
        cancelled.raised = True
        for thread in threads:
            if thread.begun:
                thread.wait_for_end()

    control.share = lambda: current / len(parts)
    try:
        for thread in threads:
            thread.start()
        while current < len(parts):
            control.poll()
            finished = done[current]  # asked before the queue, so that nothing can come after it
            if queues[current]:
                batch = queues[current].popleft()
                used += batch.nbytes
                yield batch
            elif finished:
                current += 1
            else:
                for thread in threads:
                    if thread.error is not None and not isinstance(thread.error, Cancelled):
                        raise thread.error
                time.sleep(WAIT_SECONDS)
    finally:
        despite_interrupts(end_threads)
