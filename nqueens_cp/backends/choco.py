"""The Choco solver as a backend, through pychoco.

Choco runs as a native library that keeps Python's lock while it searches, has no way to be interrupted, and ends its process
where it refuses a call. So the model is written down as a list of calls, which a process of its own makes and then searches.
Its log is what it prints there: a line for each solution and one at the end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from importlib import metadata
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from nqueens_cp.backends.apart import yielded_apart
from nqueens_cp.backends.base import Answer, Backend, Capabilities, best_of, require_names
from nqueens_cp.backends.choco_translate import Call, Made, Translation
from nqueens_cp.control import Control
from nqueens_cp.model import Problem

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Search(NamedTuple):
    """What the process is to do: make the calls, then find one solution, better and better ones, or all."""

    calls: list[Call]
    variables: list[Made]
    enumerate_all: bool
    has_helpers: bool
    goal: tuple[Made, bool] | None
    logs: bool


class ChocoBackend(Backend):
    """A constraint solver with finite domains, written in Java."""

    name = "choco"
    capabilities = Capabilities(optimises=True, releases_gil=True)

    def load(self) -> None:
        # Nothing is ever made here: its runtime must be at rest when a child is forked.
        require_names("pychoco:Model", "pychoco.backend:get_node_count")
        self.version()

    def version(self) -> str:
        return metadata.version("pychoco")

    def translate(self, problem: Problem, control: Control) -> Translation:
        return Translation(problem, control)

    def solve(self, translated: Translation, control: Control) -> Answer:
        with closing(self._found(translated, control, enumerate_all=False)) as found:
            return best_of(translated.problem, found, control)

    def solutions(self, translated: Translation, control: Control) -> Iterator[tuple[int, ...]]:
        return self._found(translated, control, enumerate_all=True)

    def _found(self, translated: Translation, control: Control, *, enumerate_all: bool) -> Generator[tuple[int, ...]]:
        calls, variables, goal = translated.calls, translated.variables, translated.goal
        log = control.log if hasattr(os, "pread") else None  # Windows has no such thing
        task = Search(calls, variables, enumerate_all, translated.has_helpers, goal, log is not None)
        with closing(yielded_apart(search, task, control, self.name)) as items:
            for item in items:
                if isinstance(item, tuple):
                    yield item
                elif isinstance(item, dict):
                    control.statistics.update(item)
                elif log is not None:
                    log(item)


def search(task: Search) -> Generator[tuple[int, ...] | str | dict[str, Any]]:
    """Make the calls of a search; yield the values of the variables in each solution, lines of the log, and statistics."""
    from pychoco import Model, backend

    model = Model("model")
    made: list[Any] = []
    for owner, method, arguments in task.calls:
        made.append(getattr(model if owner is None else made[owner.number], method)(*_real(arguments, made)))
    variables = [made[number] for (number,) in task.variables]
    solver = model.get_solver()
    if task.goal is not None:
        model.set_objective(made[task.goal[0].number], task.goal[1])
    elif variables and task.enumerate_all and not task.has_helpers:  # measured to be faster than the solver's own order
        solver.set_min_dom_lb_search(*variables)
    printed = _redirected_output() if task.logs else None
    if printed is not None:
        solver.show_short_statistics()
    goes_on = True
    while goes_on:
        found = solver.solve()
        goes_on = found and (task.goal is not None or task.enumerate_all)
        if printed is not None:
            yield from printed()
        if not (found and task.enumerate_all):  # before the solution, after which nobody may listen any more
            yield {
                "nodes": backend.get_node_count(solver._handle),  # the solver's own method tells the time instead
                "fails": solver.get_fail_count(),
                "backtracks": solver.get_backtrack_count(),
            }
        if found:
            yield tuple(int(variable.get_value()) for variable in variables)


def _redirected_output() -> Callable[[], list[str]]:
    """Send what this process prints to a file, and return a function that tells the lines since it was last called."""
    with TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
    read = 0

    def lines() -> list[str]:
        nonlocal read
        size = os.fstat(1).st_size
        text = os.pread(1, size - read, read).decode(errors="replace")
        read = size
        return [line for line in COLOURS.sub("", text).splitlines() if line]

    return lines


def _real(arguments: Iterable[Any], made: list[Any]) -> Iterator[Any]:
    for argument in arguments:
        if isinstance(argument, Made):
            yield made[argument.number]
        else:
            yield list(_real(argument, made)) if isinstance(argument, list) else argument
