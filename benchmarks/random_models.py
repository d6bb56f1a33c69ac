"""Random small models on backends against brute force: solution sets, counts, answers of solve, and best values.

Run it as ``python benchmarks/random_models.py core cp-sat --models 100000``. A model is made from its seed alone, beside
plain Python functions that say the same, which brute force uses. It prints a line for each backend. At the first disagreement,
or when a solver takes its process down, it prints the model and the command that repeats it, and ends with exit status 1.
Ctrl-C ends it early.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import operator
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from time import perf_counter, process_time
from typing import Any, NamedTuple

from nqueens_cp import (
    Model,
    Status,
    UnsupportedModel,
    all_different,
    allowed_assignments,
    count,
    count_of,
    element,
    forbidden_assignments,
    in_domain,
    lex_lesseq,
    predicate,
    solutions,
    solve,
)
from nqueens_cp.backends import installed_names
from nqueens_cp.iteration import SolutionIterator

Values = tuple[int, ...]
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
REPORT_EVERY = 2_000


class Twin(NamedTuple):
    """The same thing twice: as the modelling language states it, and as a function of the values of all variables."""

    stated: Any
    truth: Callable[[Values], Any]


class Sample(NamedTuple):
    """A random model, its solutions by brute force, and which of them are best, with what value, if it has an objective."""

    model: Model
    solutions: set[Values]
    best: dict[Values, int] | None


class Maker:
    """Makes one random model."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.model = Model(f"random-{seed}")
        self.domains: list[list[int]] = []
        self.integers = [self._variable(self._domain()) for _ in range(self.random.randint(1, 3))]
        self.booleans = [self._variable(None) for _ in range(self.random.choice((0, 0, 1, 2)))]
        self.scope = self.integers + self.booleans

    def sample(self) -> Sample:
        truths = []
        for _ in range(self.random.randint(1, 3)):
            constraint, truth = self.constraint()
            self.model.add(constraint)
            truths.append(truth)
        assignments = itertools.product(*map(set, self.domains))
        found = {values for values in assignments if all(truth(values) for truth in truths)}
        return Sample(self.model, found, self._best(found) if self.random.random() < 0.1 else None)

    def _variable(self, domain: list[int] | None) -> Twin:
        place = len(self.domains)
        self.domains.append([0, 1] if domain is None else domain)
        name = f"v{place}"
        variable = self.model.bool_var(name) if domain is None else self.model.int_var(name, domain)
        return Twin(variable, operator.itemgetter(place))

    def _domain(self) -> list[int]:
        if self.random.random() < 0.5:
            low = self.random.randint(-3, 1)
            return list(range(low, low + self.random.randint(2, 5)))
        return [self.random.randint(-4, 5) for _ in range(self.random.randint(1, 5))]

    def _best(self, found: set[Values]) -> dict[Values, int]:
        """Give the model an objective, and return the best solutions with its value."""
        goal, maximize = self.expression(2), self.random.random() < 0.5
        (self.model.maximize if maximize else self.model.minimize)(goal.stated)
        value = (max if maximize else min)(map(goal.truth, found), default=0)
        return {values: value for values in found if goal.truth(values) == value}

    def _some(self, least: int, most: int) -> list[Twin]:
        return [self.random.choice(self.scope) for _ in range(self.random.randint(least, most))]

    def _number(self) -> Twin:
        value = self._small()
        return Twin(value, lambda values: value)

    def _small(self) -> int:
        return self.random.randint(-3, 3)

    def expression(self, depth: int) -> Twin:
        if depth == 0 or self.random.random() < 0.2:
            return self.random.choice(self.scope)
        a, f = self.expression(depth - 1)
        k, shift = self._small(), self._small()
        kind = self.random.choice(("linear", "sum", "product", "abs", "modulo", "element", "count_of"))
        if kind == "linear":
            return Twin(k * a + shift, lambda values: k * f(values) + shift)
        if kind == "sum":
            parts = [Twin(a, f), *self._some(0, 3)]
            return Twin(sum(p.stated for p in parts) - k, lambda values: sum(p.truth(values) for p in parts) - k)
        if kind == "product":
            b, g = self.expression(depth - 1)
            return Twin(a * 2 - b * k, lambda values: f(values) * 2 - g(values) * k)
        if kind == "abs":
            return Twin(abs(a - shift), lambda values: abs(f(values) - shift))
        if kind == "modulo":
            divisor = abs(k) + 1
            return Twin(a % divisor, lambda values: f(values) % divisor)
        if kind == "element":
            size = self.random.randint(1, 4)  # the modulo keeps the index inside the array
            share = self.random.choice((0, 0.3, 1))  # of numbers in it
            array = [self._number() if self.random.random() < share else self._some(1, 1)[0] for _ in range(size)]
            return Twin(
                element([e.stated for e in array], a % size), lambda values: array[f(values) % size].truth(values)
            )
        parts = [Twin(a, f), *self._some(0, 2)]
        return Twin(count_of([p.stated for p in parts], k), lambda values: [p.truth(values) for p in parts].count(k))

    def relation(self, depth: int) -> Twin:
        kind = self.random.choice(("compare", "compare", "and", "or", "not", "implies") if depth else ("compare",))
        if kind == "compare":
            return self._comparison()
        r, f = self.relation(depth - 1)
        if kind == "not":
            return Twin(~r, lambda values: not f(values))
        s, g = self.relation(depth - 1)
        if kind == "and":
            return Twin(r & s, lambda values: f(values) and g(values))
        if kind == "or":
            return Twin(r | s, lambda values: f(values) or g(values))
        return Twin(r.implies(s), lambda values: not f(values) or g(values))

    def _comparison(self) -> Twin:
        if self.booleans and self.random.random() < 0.3:
            p, f = self.random.choice(self.booleans)
            return Twin(p, lambda values: f(values) == 1)
        (a, f), compare = self.expression(2), self.random.choice(COMPARISONS)
        if self.random.random() < 0.4:
            k = self._small()
            return Twin(compare(a, k), lambda values: compare(f(values), k))
        b, g = self.expression(1)
        return Twin(compare(a, b), lambda values: compare(f(values), g(values)))

    def constraint(self) -> Twin:
        kinds = (
            self._relation,
            self._relation,
            self._all_different,
            self._table,
            self._predicate,
            self._order,
            self._member,
        )
        return self.random.choice(kinds)()

    def _relation(self) -> Twin:
        return self.relation(self.random.randint(0, 3))

    def _all_different(self) -> Twin:
        terms = [self.expression(1) for _ in range(self.random.randint(0, 4))]
        return Twin(
            all_different([t.stated for t in terms]), lambda values: len({t.truth(values) for t in terms}) == len(terms)
        )

    def _columns(self) -> list[Twin]:
        return self.random.sample(self.scope, self.random.randint(1, min(3, len(self.scope))))

    def _table(self) -> Twin:
        columns, allowed = self._columns(), self.random.random() < 0.5
        rows = [tuple(self.random.randint(-2, 3) for _ in columns) for _ in range(self.random.randint(0, 24))]
        table = (allowed_assignments if allowed else forbidden_assignments)([c.stated for c in columns], rows)
        return Twin(table, lambda values: (tuple(c.truth(values) for c in columns) in rows) is allowed)

    def _predicate(self) -> Twin:
        columns, weight, divisor = self._columns(), self._small(), self.random.randint(2, 4)

        def holds(*given: int) -> bool:
            return (weight * sum(given) + given[0] * given[-1]) % divisor != 0

        return Twin(
            predicate(holds, [c.stated for c in columns]), lambda values: holds(*(c.truth(values) for c in columns))
        )

    def _order(self) -> Twin:
        size = self.random.randint(1, 3)
        left, right = ([self.expression(1) for _ in range(size)] for _ in range(2))
        return Twin(
            lex_lesseq([p.stated for p in left], [p.stated for p in right]),
            lambda values: [p.truth(values) for p in left] <= [p.truth(values) for p in right],
        )

    def _member(self) -> Twin:
        (a, f), members = self.expression(2), [self.random.randint(-4, 6) for _ in range(self.random.randint(1, 9))]
        return Twin(in_domain(a, members), lambda values: f(values) in members)


def disagreement(sample: Sample, backend: str) -> str | None:
    """Return in words where a backend and brute force differ, or None.

    Raises
    ------
    UnsupportedModel
        The backend declines the model.
    """
    model, expected = sample.model, sample.solutions
    if sample.best is not None:
        return _wrong_best(model, sample.best, backend)
    found = solutions(model, backend=backend)
    wrong = _wrong_set(found, model, expected)
    if wrong is not None:
        return wrong
    number = count(model, backend=backend)
    if number != len(expected):
        return f"count says {number}, there are {len(expected)}"
    status = solve(model, backend=backend).status
    if status is not (Status.SATISFIED if expected else Status.UNSATISFIABLE):
        return f"solve says {status.name}, there are {len(expected)}"
    return None


def _wrong_set(found: SolutionIterator, model: Model, expected: set[Values]) -> str | None:
    rows = [tuple([solution[variable] for variable in model.variables]) for solution in found]
    if found.status is not Status.COMPLETE:
        return f"solutions ended with {found.status}"
    if len(set(rows)) < len(rows):
        return f"{len(rows) - len(set(rows))} solutions are repeated"
    if set(rows) != expected:
        return f"missing {sorted(expected - set(rows))[:3]}, too many {sorted(set(rows) - expected)[:3]}"
    return None


def _wrong_best(model: Model, best: dict[Values, int], backend: str) -> str | None:
    result = solve(model, backend=backend)
    if result.solution is None:
        right = result.status is Status.UNSATISFIABLE and not best
        return None if right else f"solve says {result.status.name}; the best are {best}"
    values = tuple([result.solution[variable] for variable in model.variables])
    if result.status is Status.OPTIMAL and best.get(values) == result.objective:
        return None
    return f"solve says {result.status.name}, {values} with {result.objective}; the best are {best}"


def compare_with_brute_force(backends: Sequence[str], seeds: range, current: Any = None) -> int:
    """Run the models of these seeds and print a line for each backend; return the exit status.

    In `current`, if it is given, stand the seed and the place of the backend that is running.
    """
    agreed: Counter[str] = Counter()
    declined: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    begun = perf_counter()
    try:
        for done, seed in enumerate(seeds, start=1):
            sample = Maker(seed).sample()
            for place, backend in enumerate(backends):
                if current is not None:
                    current[:] = seed, place
                started = process_time()
                try:
                    wrong = disagreement(sample, backend)
                except UnsupportedModel:
                    declined[backend] += 1
                    continue
                except Exception as error:  # of the verifier, for instance
                    wrong = f"{type(error).__name__}: {error}"
                seconds[backend] += process_time() - started  # type: ignore[assignment]
                if wrong is not None:
                    tell(backend, seed, f"disagrees with brute force on this model: {wrong}")
                    return 1
                agreed[backend] += 1
            if done % REPORT_EVERY == 0:
                print(f"{done:,} models in {perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        return 130
    finally:
        for backend in backends:
            milliseconds = 1000 * seconds[backend] / max(1, agreed[backend])
            print(
                f"{backend:20} {agreed[backend]:8,} models agree, {declined[backend]:,} declined,"
                f" {milliseconds:.1f} ms each (CPU of this process)"
            )
    return 0


def tell(backend: str, seed: int, what: str) -> None:
    """Print what is wrong with a backend, the model, and how to see it again."""
    print(f"{backend} {what}\n{Maker(seed).sample().model}")
    print(f"again: python benchmarks/random_models.py {backend} --first {seed} --models 1")


def _exit_with_status(backends: Sequence[str], seeds: range, current: Any) -> None:
    sys.exit(compare_with_brute_force(backends, seeds, current))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("backends", nargs="*", default=installed_names(), help="names of backends (all that run here)")
    parser.add_argument("--models", type=int, default=1_000, help="how many (1000)")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one (0)")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.models)
    current = multiprocessing.RawArray("q", 2)
    process = multiprocessing.Process(target=_exit_with_status, args=(arguments.backends, seeds, current))
    process.start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process tells how far it came
    process.join()
    if process.exitcode is not None and process.exitcode < 0:  # a solver took it down
        seed, place = current
        tell(arguments.backends[place], seed, f"died with signal {-process.exitcode} on this model:")
        return 1
    return process.exitcode or 0


if __name__ == "__main__":
    sys.exit(main())
