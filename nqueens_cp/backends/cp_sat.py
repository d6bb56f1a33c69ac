"""OR-Tools CP-SAT as a backend.

What the solver does not do by itself, and is done here: enumerating is only right with one worker (more lose and repeat
solutions); on the main thread the solver eats Ctrl-C, so it runs in a thread of its own while the caller's thread polls.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import TYPE_CHECKING, Any, ClassVar

from nqueens_cp.backends.base import Answer, Backend, Capabilities
from nqueens_cp.background import SHORTEST_WAIT, Background, Stream, despite_interrupts
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import BackendUnavailable, UnsupportedModel
from nqueens_cp.model import Problem
from nqueens_cp.result import Status

if TYPE_CHECKING:
    from nqueens_cp.backends.cp_sat_translate import Translation

POLL_SECONDS = 0.02

# Measured, see docs/architecture.md: what is fastest where a model is nothing but Boolean constraints, and for enumerating
# with a fixed search order. The solver's defaults are for harder things, and so is presolve.
LITERALS_ONLY = {
    "use_sat_inprocessing": False,
    "linearization_level": 0,
    "symmetry_level": 0,
}
ENUMERATION = {
    **LITERALS_ONLY,
    "cp_model_probing_level": 0,
    "clause_cleanup_period": 20,
    "clause_cleanup_ratio": 0.9,
    "clause_cleanup_lbd_bound": 1,
}


FIXED_ORDER_VALUES = 350
"""With more values than this, all domains together, the search for all solutions takes the solver's own order."""


class CpSatBackend(Backend):
    """Google's lazy-clause-generation solver.

    Attributes
    ----------
    tuned : bool
        Whether parameters and a search order chosen for such models are used, or the solver's own.
    """

    name = "cp-sat"
    tuned: ClassVar[bool] = True
    capabilities = Capabilities(optimises=True, releases_gil=True, parallel_solve=True)

    def load(self) -> None:
        try:
            importlib.import_module("nqueens_cp.backends.cp_sat_translate")
        except ImportError as error:
            raise BackendUnavailable(f"OR-Tools cannot be imported ({error}); pip install ortools") from error

    def version(self) -> str:
        return metadata.version("ortools")

    def translate(self, problem: Problem, control: Control) -> Translation:
        from nqueens_cp.backends.cp_sat_translate import Translation

        return Translation(problem, control)

    def solve(self, translated: Translation, control: Control) -> Answer:
        def keep(callback: Any) -> None:
            values = read(callback)
            if goal is None:
                control.best = Answer(Status.TIMEOUT, values)
            else:  # worked out here, since the solver tells it as a float
                value = goal.expression.value(dict(zip(translated.problem.variables, values, strict=True)))
                control.best = Answer(Status.TIMEOUT, values, value, round(callback.best_objective_bound))

        goal = translated.problem.objective
        has_objective = goal is not None
        read = _reader(translated)
        settings = LITERALS_ONLY if self.tuned and translated.only_literals and not has_objective else {}
        run = _Run(translated, control, keep, {**settings, "num_workers": control.workers})
        with run:
            run.start()
            run.wait_for_end()
        if run.status == "INFEASIBLE":
            return Answer(Status.UNSATISFIABLE)
        best: Answer | None = control.best
        if best is None:
            raise TimeLimitReached
        if run.status != "OPTIMAL":
            bound = round(run.solver.best_objective_bound) if has_objective else None
            return best._replace(bound=bound)
        status = Status.OPTIMAL if has_objective else Status.SATISFIED
        return best._replace(status=status, bound=best.objective)

    def count(self, translated: Translation, control: Control) -> int:
        def add_one(callback: Any) -> None:
            control.found += 1

        with _enumeration(translated, control, add_one, self.tuned) as run:
            run.start()
            run.wait_for_end()
        run.require_complete()
        return control.found

    def solutions(self, translated: Translation, control: Control) -> Iterator[tuple[int, ...]]:
        def hand_over(callback: Any) -> None:
            run.stream.put(read(callback))

        read = _reader(translated)
        run = _enumeration(translated, control, hand_over, self.tuned)
        with run:
            run.start()
            yield from run.stream.taken(run.background, control.poll)
        run.require_complete()

    def blamed(self, problem: Problem, control: Control) -> list[int] | None:
        """Return the numbers of statements that the solver blames for there being no solution, or None if it blames none.

        A first guess: the statements may have a solution after all, and others than these may be needed or not.
        """
        from nqueens_cp.backends.cp_sat_assumptions import AssumedTranslation

        translated = AssumedTranslation(problem, control)
        run = _Run(translated, control, lambda callback: None, {"num_workers": 1})
        with run:
            run.start()
            run.wait_for_end()
        if run.status != "INFEASIBLE":
            return None
        return translated.blamed(run.solver.sufficient_assumptions_for_infeasibility())


def _reader(translated: Translation) -> Callable[[Any], tuple[int, ...]]:
    """Return a function that reads the values of a problem's variables off a solver's callback."""
    places = translated.places

    def read(callback: Any) -> tuple[int, ...]:
        solution = callback.response_proto.solution
        try:
            values = json.loads(str(solution))  # ten times faster than asking for the items one by one
        except ValueError:
            values = list(solution)
        return tuple([domain[values.index(1, a, b) - a] if b else values[a] for a, b, domain in places])

    return read


def _enumeration(translated: Translation, control: Control, on_solution: Callable[[Any], object], tuned: bool) -> _Run:
    settings: dict[str, Any] = {"enumerate_all_solutions": True, "num_workers": 1}
    fixed = tuned and sum(len(variable.domain) for variable in translated.problem.variables) <= FIXED_ORDER_VALUES
    if tuned:
        settings |= ENUMERATION | {"cp_model_presolve": not translated.only_literals}
    if fixed:
        translated.fix_search_order()
    return _Run(translated, control, on_solution, settings, fixed_search=fixed)


class _Run:
    """One run of the solver in a thread of its own. A context manager: start it inside; leaving it ends the run."""

    def __init__(
        self,
        translated: Translation,
        control: Control,
        on_solution: Callable[[Any], object],
        settings: dict[str, Any],
        *,
        fixed_search: bool = False,
    ) -> None:
        from ortools.sat.python import cp_model

        self.status = ""
        self.stopping = False
        self.stream: Stream[tuple[int, ...]] = Stream()
        self.background = Background(self._solve)
        self._control = control
        self._error: BaseException | None = None
        self._model = translated.model
        self.solver = cp_model.CpSolver()
        parameters = self.solver.parameters
        parameters.catch_sigint_signal = False
        parameters.random_seed = control.seed
        for name, value in settings.items():
            setattr(parameters, name, value)
        if fixed_search:
            parameters.search_branching = cp_model.FIXED_SEARCH
        left = control.remaining()
        if left is not None:
            parameters.max_time_in_seconds = left
        if control.log is not None:
            parameters.log_search_progress = True
            parameters.log_to_stdout = False
            self.solver.log_callback = control.log
        run = self

        class Callback(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                if run.stopping:
                    self.stop_search()
                    return
                try:
                    on_solution(self)
                except BaseException as error:  # it would be lost in the solver: keep it for the caller
                    run._error = error
                    self.stop_search()

        self._callback = Callback()

    def _solve(self) -> None:
        if self.stopping:
            return
        self.status = self.solver.status_name(self.solver.solve(self._model, self._callback))

    def __enter__(self) -> _Run:
        return self

    def start(self) -> None:
        """Start the solver; only inside the `with`, so that Ctrl-C at any moment ends it."""
        self.background.start()

    def __exit__(self, *error: object) -> None:
        despite_interrupts(self.stop)
        if self.status:
            self._control.statistics.update(
                status=self.status,
                branches=self.solver.num_branches,
                conflicts=self.solver.num_conflicts,
                wall_time=self.solver.wall_time,
                user_time=self.solver.user_time,
                response_stats=self.solver.response_stats(),
            )

    def stop(self) -> None:
        """Make the solver end, and wait until it has."""
        self.stopping = self.stream.stopping = True
        while self.background.begun and not self.background.wait(SHORTEST_WAIT):
            self.solver.stop_search()  # again and again: it is deaf until its search has begun

    def wait_for_end(self) -> None:
        """Wait until the solver has ended or the time is over; pass on what a callback raised."""
        try:
            while not self.background.wait(POLL_SECONDS):
                self._control.poll()
        except TimeLimitReached:
            return
        self._raise_error()
        if self.status == "MODEL_INVALID":
            raise UnsupportedModel(f"cp-sat refused the model: {self._model.validate()}")

    def require_complete(self) -> None:
        """Raise unless the solver has proven that there are no more solutions."""
        self._raise_error()
        if self.status not in ("OPTIMAL", "INFEASIBLE"):
            raise TimeLimitReached

    def _raise_error(self) -> None:
        error = self._error or self.background.error
        if error is not None:
            raise error
