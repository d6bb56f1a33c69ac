"""The answer set solver clingo as a backend.

It gets the Boolean form of a problem as ground rules: a choice among the literals, integrity constraints for clauses and
groups, weight constraints for sums. Helper literals are functions of the others, so answer sets are solutions one to one. The
solver runs in a thread of its own while the caller's thread polls.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any

from nqueens_cp.backends.base import Answer, Backend, Capabilities, best_of, require_names, unsupported
from nqueens_cp.background import SHORTEST_WAIT, Background, Flag, Stream, despite_interrupts, finished_apart
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.formats.boolean import BooleanForm
from nqueens_cp.formats.clauses import MAX_PAIRWISE, TRUE, weighted
from nqueens_cp.model import Problem

MAX_WEIGHT = 2**31 - 1  # for what the weights of a rule add up to
MAX_WORKERS = 64  # the solver takes no more


class ClingoBackend(Backend):
    """Potassco's answer set solver."""

    name = "clingo"
    capabilities = Capabilities(optimises=True, releases_gil=True, parallel_solve=True)

    def load(self) -> None:
        require_names("clingo:Control.backend", "clingo:__version__", "clingo.symbol:Function", "clingo.symbol:Number")

    def version(self) -> str:
        import clingo

        return str(clingo.__version__)

    def translate(self, problem: Problem, control: Control) -> BooleanForm:
        form = BooleanForm(problem, self.name, control)
        if _reach(weighted(form.objective)[0]) > MAX_WEIGHT:
            raise unsupported(self.name, str(problem.objective), "the weights of the objective add up to 2**31 or more")
        sums, form.sums = form.sums, []
        for total in sums:
            coefficients, bound = total.terms()
            if _reach(coefficients) + abs(bound) < MAX_WEIGHT:
                form.sums.append(total)
            else:
                form.add_sum(total)
        return form

    def solve(self, translated: BooleanForm, control: Control) -> Answer:
        models = 1 if translated.problem.objective is None else 0
        with closing(_answer_sets(translated, control, models=models, workers=control.workers)) as found:
            return best_of(translated.problem, found, control)

    def count(self, translated: BooleanForm, control: Control) -> int:
        for _ in _answer_sets(translated, control, read=False):
            control.found += 1
        return control.found

    def solutions(self, translated: BooleanForm, control: Control) -> Generator[tuple[int, ...]]:
        return _answer_sets(translated, control)


def _answer_sets(
    form: BooleanForm, control: Control, *, models: int = 0, workers: int = 1, read: bool = True
) -> Generator[tuple[int, ...]]:
    """Yield the solutions in the answer sets, with an objective better and better ones, or empty tuples unless `read`."""
    import clingo

    def warn(_: object, message: str) -> None:  # on standard error unless somebody takes it
        if control.log is not None:
            control.log(message)

    arguments = [str(models), f"--seed={control.seed}", f"--parallel-mode={min(workers, MAX_WORKERS)}"]
    solver = [clingo.Control(arguments, logger=warn)]  # kept nowhere else
    read_values = _add_rules(form, solver[0], control)
    stream: Stream[tuple[int, ...]] = Stream()
    complete = Flag()

    def search() -> None:
        with solver[0].solve(yield_=True) as handle:
            for model in handle:
                stream.put(read_values(model) if read else ())
                if stream.stopping:
                    return
            complete.raised = handle.get().exhausted

    def stop() -> None:
        stream.stopping = True
        while background.begun and not background.wait(SHORTEST_WAIT):
            solver[0].interrupt()  # again and again: it is deaf until its search has begun

    background = Background(search)
    try:
        background.start()
        yield from stream.taken(background, control.poll)
    finally:
        despite_interrupts(stop)
        if background.ended and background.error is None:
            figures = solver[0].statistics["solving"]["solvers"]
            control.statistics.update({name: int(figures[name]) for name in ("conflicts", "choices", "restarts")})
        finished_apart(solver.clear)  # it is forgotten by Python code that takes its time and would swallow Ctrl-C
    if background.error is not None:
        raise background.error
    if not complete.raised and models == 0:
        raise TimeLimitReached


def _add_rules(form: BooleanForm, solver: Any, control: Control) -> Callable[[Any], tuple[int, ...]]:
    """Give the solver a form as ground rules, and return a function that reads the variables' values off an answer set."""
    from clingo.symbol import Function, Number

    symbols: dict[int, Any] = {}  # by literal
    places: dict[Any, tuple[int, int]] = {}  # of each symbol: which variable, and the value that it means
    otherwise = []  # the value of each variable if none of its symbols is in the answer set
    for i, variable in enumerate(form.problem.variables):
        literals = form.literals_of(variable)
        otherwise.append(next(iter(literals)))
        for value, literal in literals.items():
            if literal > 0:
                symbols[literal] = Function("x", [Number(literal)])
                places[symbols[literal]] = i, value
    with solver.backend() as rules:
        numbers = range(1, form.variables + 1)
        atoms = {number: rules.add_atom(symbols.get(number)) for number in numbers}
        atoms |= {-number: -atoms[number] for number in numbers}
        derived = {total.literal for total in form.sums}
        rules.add_rule([atoms[number] for number in numbers if number not in derived], [], True)
        for clause in [*form.clauses, *form.exactly_one]:
            control.poll()
            rules.add_rule([], [atoms[-literal] for literal in clause])
        for group in [*form.exactly_one, *form.at_most_one]:
            control.poll()
            if len(group) > MAX_PAIRWISE:
                rules.add_weight_rule([], 2, [(atoms[literal], 1) for literal in group])
                continue
            for i, literal in enumerate(group):
                for other in group[:i]:
                    rules.add_rule([], [atoms[literal], atoms[other]])
        for total in form.sums:
            control.poll()
            coefficients, bound = total.terms()
            bound -= sum(weight for weight in coefficients.values() if weight < 0)
            body = [(atoms[number if w > 0 else -number], abs(w)) for number, w in coefficients.items()]
            if total.literal != TRUE:
                rules.add_weight_rule([atoms[total.literal]], bound, body)
                continue
            most_missing = _reach(coefficients) - bound
            rules.add_weight_rule([], most_missing + 1, [(-literal, weight) for literal, weight in body])
            if total.operator == "==":
                rules.add_weight_rule([], bound + 1, body)
        goal = form.problem.objective
        if goal is not None:
            sign = -1 if goal.maximize else 1
            costs = weighted(form.objective)[0]
            rules.add_minimize(0, [(atoms[number], sign * weight) for number, weight in costs.items()])

    def read_values(model: Any) -> tuple[int, ...]:
        values = otherwise.copy()
        for symbol in model.symbols(atoms=True):
            i, value = places[symbol]
            values[i] = value
        return tuple(values)

    return read_values


def _reach(coefficients: dict[int, int]) -> int:
    return sum(map(abs, coefficients.values()))
