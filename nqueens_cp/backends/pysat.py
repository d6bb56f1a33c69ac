"""CaDiCaL, through PySAT, as a backend.

The solver gets the Boolean form of a problem as clauses. It knows one solution at a time: each that was found is excluded by a
clause over the values of the variables before it is asked for another one.

It listens to nobody while it searches, and PySAT replaces Python's handling of Ctrl-C in the main thread by one that leaves the
solver half way. Therefore it is called below that layer, and for so many conflicts only as take some hundredths of a second.
Many clauses it also works over for seconds without a conflict; then the search runs in a process that can be killed.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from importlib import metadata
from multiprocessing import current_process
from time import monotonic
from typing import Any, NamedTuple

from nqueens_cp.backends.apart import yielded_apart
from nqueens_cp.backends.base import Answer, Backend, Capabilities, best_of, require_names
from nqueens_cp.background import finished_apart
from nqueens_cp.control import Control
from nqueens_cp.formats.boolean import BooleanForm
from nqueens_cp.formats.clauses import FALSE, TRUE
from nqueens_cp.model import Problem

SLICE_SECONDS = 0.03  # between two polls, about
FIRST_SLICE, UNLIMITED = 200, -1  # conflicts
MOST_CLAUSES_HERE = 50_000
"""With more clauses the solver was seen not to return for half a second."""


class Task(NamedTuple):
    """What the solver is to do: clauses, the value that each literal stands for, the cost of literals if there is one."""

    clauses: list[tuple[int, ...]]
    values: dict[int, int]
    costs: dict[int, int] | None


class Found(NamedTuple):
    """The values of all variables in a solution, or None at the end, and figures of the search so far."""

    values: tuple[int, ...] | None
    figures: dict[str, int]


class PySatBackend(Backend):
    """The SAT solver CaDiCaL 1.9.5."""

    name = "pysat"
    capabilities = Capabilities(optimises=True)

    def load(self) -> None:
        require_names("pysat.solvers:Cadical195.accum_stats", "pysat.solvers:pysolvers.cadical195_solve_lim")
        self.version()

    def version(self) -> str:
        return metadata.version("python-sat")

    def translate(self, problem: Problem, control: Control) -> tuple[Problem, Task]:
        form = BooleanForm(problem, self.name, control)
        costs = None
        goal = problem.objective
        if goal is not None:  # each of its values gets a literal
            sign = -1 if goal.maximize else 1
            costs = {literal: sign * value for value, literal in form.view(goal.expression).items()}
        return problem, Task(form.to_clauses().clauses, form.values, costs)

    def solve(self, translated: tuple[Problem, Task], control: Control) -> Answer:
        with closing(self.solutions(translated, control)) as found:
            return best_of(translated[0], found, control)

    def solutions(self, translated: tuple[Problem, Task], control: Control) -> Generator[tuple[int, ...]]:
        _, task = translated
        # A worker's process can be killed already, and may have none of its own.
        apart = len(task.clauses) > MOST_CLAUSES_HERE and not current_process().daemon
        search = yielded_apart(_search_apart, task, control, self.name) if apart else _search(task, control)
        with closing(search):
            for values, figures in search:
                control.statistics.update(figures)
                if values is not None:
                    yield values


def _search_apart(task: Task) -> Generator[Found]:
    return _search(task, Control(), UNLIMITED)


def _search(task: Task, control: Control, conflicts: int = FIRST_SLICE) -> Generator[Found]:
    """Yield every solution, or where there are costs better and better ones, and at the end None."""
    from pysat.solvers import Cadical195

    numbers = max(map(abs, task.values), default=0)
    solver = Cadical195()
    kept = [solver]
    try:
        for clause in task.clauses:
            control.poll()
            solver.add_clause(clause)
        contradiction = () in task.clauses
        while not contradiction and _finds_a_solution(solver, control, conflicts):
            model = solver.get_model() or []
            model += [-number for number in range(len(model) + 1, numbers + 1)]  # those that no clause mentions
            true = [literal for literal in model[:numbers] if literal in task.values]
            yield Found(tuple([task.values[literal] for literal in true]), solver.accum_stats())
            if task.costs is None:
                excluded = [tuple([-literal for literal in true])]
            else:
                reached = {*model, TRUE}
                cost = next(cost for literal, cost in task.costs.items() if literal in reached)
                excluded = [(-literal,) for literal, other in task.costs.items() if other >= cost and literal != FALSE]
            contradiction = () in excluded or (FALSE,) in excluded
            if not contradiction:
                for clause in excluded:
                    solver.add_clause(clause)
        yield Found(None, solver.accum_stats())
    finally:
        del solver
        # Interrupted half way, `delete` would free it twice; and Ctrl-C would be lost where the object is forgotten.
        finished_apart(lambda: kept.pop().delete())


def _finds_a_solution(solver: Any, control: Control, conflicts: int) -> bool:
    """Return whether there is a solution, which the solver then holds."""
    from pysat import solvers

    while True:
        control.poll()
        begun = monotonic()
        solver.conf_budget(conflicts)
        status = solvers.pysolvers.cadical195_solve_lim(solver.cadical, [], 0)  # 0: not to touch Ctrl-C
        if status:
            solver.status = status > 0
            return bool(solver.status)
        control.statistics.update(solver.accum_stats())
        conflicts = max(1, round(conflicts * min(2, SLICE_SECONDS / max(monotonic() - begun, 1e-6))))
