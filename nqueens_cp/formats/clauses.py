"""Clauses over Boolean variables, and the helper literals that the other statements need.

A literal is the number of a Boolean variable, negative for its opposite. A view says of an integer which value it has: it maps
each value to a literal, exactly one of which is true. Every helper literal is a function of the literals that it is made
from, so that helpers never multiply or hide a solution.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, NamedTuple

from nqueens_cp.backends.base import unsupported
from nqueens_cp.control import Control
from nqueens_cp.relations import Constraint

TRUE = 1 << 60
FALSE = -TRUE
"""The constant literals; they never reach a clause."""
MAX_LITERALS = 5_000_000
"""A Boolean form holds at most this many literals, all its clauses and sums together."""
POLL_EVERY = 2_000  # literals
MAX_PAIRWISE = 8
"""Of so many literals at most one is stated pair by pair, of more by a chain of helpers."""

View = dict[Any, int]


class Sum(NamedTuple):
    """`literal` is true exactly where the sum of `groups` compares so with `bound`.

    Attributes
    ----------
    groups : tuple of View
        The summands, each as a view.
    operator : str
        ``>=``, or ``==``, which is only used with a literal that is `TRUE`.
    source : Constraint or str
        What it comes from, for messages.
    """

    groups: tuple[View, ...]
    operator: str
    bound: int
    literal: int
    source: Constraint | str

    def terms(self) -> tuple[dict[int, int], int]:
        """Return the coefficient of each Boolean variable in the sum, and what is left of the bound."""
        coefficients, constant = weighted(self.groups)
        return coefficients, self.bound - constant


def weighted(groups: Iterable[View]) -> tuple[dict[int, int], int]:
    """Return a sum of views as the coefficient of each Boolean variable, none of them 0, and a constant."""
    coefficients: dict[int, int] = {}
    constant = 0
    for group in groups:
        least = min(group)
        constant += least
        for value, literal in group.items():
            weight = value - least
            if literal == TRUE:
                constant += weight
            elif literal > 0:
                coefficients[literal] = coefficients.get(literal, 0) + weight
            elif literal != FALSE:
                constant += weight
                coefficients[-literal] = coefficients.get(-literal, 0) - weight
    return {literal: weight for literal, weight in coefficients.items() if weight}, constant


class Clauses:
    """Clauses, and ways to state other things as clauses.

    Attributes
    ----------
    who : str
        In whose name too large a model is refused.
    variables : int
        How many Boolean variables there are; they are numbered from 1.
    clauses : list of tuple of int
        Of each at least one literal is true.
    source : Constraint or str
        What is being stated, for messages.
    """

    def __init__(self, who: str, control: Control) -> None:
        self.who = who
        self.control = control
        self.variables = 0
        self.clauses: list[tuple[int, ...]] = []
        self.source: Constraint | str = ""
        self._literals = 0
        self._next_poll = 0
        self._alternatives: dict[frozenset[int], int] = {}

    def make_room(self, literals: int) -> None:
        """Refuse the model if there is no room for so many more literals."""
        if self._literals + literals > MAX_LITERALS:
            raise unsupported(
                self.who,
                self.source,
                f"the Boolean form of the model has a size of more than {MAX_LITERALS:,} literals",
            )

    def _take(self, literals: int) -> None:
        self.make_room(literals)
        self._literals += literals
        if self._literals >= self._next_poll:
            self._next_poll = self._literals + POLL_EVERY
            self.control.poll()

    def new(self) -> int:
        """Return the literal of a new Boolean variable."""
        self._take(1)
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """State that at least one of the literals is true."""
        clause = dict.fromkeys(literals)
        clause.pop(FALSE, None)
        if TRUE in clause or any(-literal in clause for literal in clause):
            return
        self._take(len(clause) + 1)
        self.clauses.append(tuple(clause))

    def any_of(self, literals: Iterable[int]) -> int:
        """Return a literal that is true exactly where one of the literals is."""
        distinct = dict.fromkeys(literals)
        distinct.pop(FALSE, None)
        if TRUE in distinct or any(-literal in distinct for literal in distinct):
            return TRUE
        if len(distinct) < 2:
            return next(iter(distinct), FALSE)
        key = frozenset(distinct)
        if key not in self._alternatives:
            result = self._alternatives[key] = self.new()
            self.add(-result, *distinct)
            for literal in distinct:
                self.add(-literal, result)
        return self._alternatives[key]

    def all_of(self, literals: Iterable[int]) -> int:
        """Return a literal that is true exactly where all of the literals are."""
        return -self.any_of(-literal for literal in literals)

    def chosen(self, view: View, holds: Callable[[Any], bool]) -> int:
        """Return a literal that is true exactly where what is viewed has a value that `holds`."""
        good: list[int] = []
        bad: list[int] = []
        for value, literal in view.items():
            (good if holds(value) else bad).append(literal)
        if not bad:
            return TRUE
        return self.any_of(good) if len(good) <= len(bad) else -self.any_of(bad)

    def image(self, view: View, function: Callable[[Any], Any]) -> View:
        """Return a function of what is viewed as a view."""
        holders: dict[Any, list[int]] = {}
        for value, literal in view.items():
            if literal != FALSE:
                holders.setdefault(function(value), []).append(literal)
        if len(holders) == 1:
            return dict.fromkeys(holders, TRUE)
        return {value: self.any_of(literals) for value, literals in holders.items()}

    def combine(
        self, left: View, right: View, function: Callable[[Any, Any], Any] = operator.add, given: View | None = None
    ) -> View:
        """Return a function of two views as a view; `given` are literals that some of its values have already."""
        left = {value: literal for value, literal in left.items() if literal != FALSE}
        right = {value: literal for value, literal in right.items() if literal != FALSE}
        given = given or {}
        if len(left) == 1 or len(right) == 1:
            (only,) = left if len(left) == 1 else right
            view = (
                self.image(right, lambda value: function(only, value))
                if len(left) == 1
                else self.image(left, lambda value: function(value, only))
            )
            for value in given.keys() & view.keys():
                self.add(-view[value], given[value])
                self.add(view[value], -given[value])
            return view | {value: given[value] for value in given.keys() & view.keys()}
        self.make_room(4 * len(left) * len(right))
        outcomes = {a: [function(a, b) for b in right] for a in left}
        view = {}
        for outcome in dict.fromkeys(value for row in outcomes.values() for value in row):
            view[outcome] = given[outcome] if outcome in given else self.new()
        for a, row in outcomes.items():
            if len(set(row)) == 1:
                self.add(-left[a], view[row[0]])
            else:
                for literal, outcome in zip(right.values(), row, strict=True):
                    self.add(-left[a], -literal, view[outcome])
        self._trace_back(view, left, right, outcomes)
        return view

    def _trace_back(self, view: View, left: View, right: View, outcomes: dict[Any, list[Any]]) -> None:
        """State that a value of `view` comes from values of `left` and `right` that give it."""
        # By the side with fewer values, so that a long sum of zeros and ones stays small.
        sources: dict[Any, dict[int, list[int]]] = {value: {} for value in view}
        by_right = len(right) <= len(left)
        for a, row in outcomes.items():
            for literal, outcome in zip(right.values(), row, strict=True):
                key, other = (literal, left[a]) if by_right else (left[a], literal)
                sources[outcome].setdefault(key, []).append(other)
        keys, others = (right, left) if by_right else (left, right)
        for value, result in view.items():
            possible = {other for entries in sources[value].values() for other in entries}
            if len(possible) < len(others):
                self.add(-result, *possible)
            for key in keys.values():
                entries = sources[value].get(key, [])
                if len(entries) < len(others):
                    self.add(-result, -key, *entries)

    def tie(self, literal: int, left: View, right: View, rows: Iterable[Sequence[bool]]) -> None:
        """State that `literal` is true exactly where `rows`, one for each value of `left`, allow the values of `right`."""
        columns: list[list[list[int]]] = [[[], []] for _ in right]
        for one, row in zip(left.values(), rows, strict=True):
            sides: list[list[int]] = [[], []]
            for other, holds, column in zip(right.values(), row, columns, strict=True):
                sides[holds].append(other)
                column[holds].append(one)
            for result, (forbidden, supporting) in ((literal, sides), (-literal, sides[::-1])):
                if len(supporting) <= len(forbidden):
                    self.add(-result, -one, *supporting)
                else:
                    for other in forbidden:
                        self.add(-result, -one, -other)
        for other, column in zip(right.values(), columns, strict=True):
            for result, (forbidden, supporting) in ((literal, column), (-literal, column[::-1])):
                if len(supporting) <= len(forbidden):
                    self.add(-result, -other, *supporting)

    def tie_to_equality(self, literal: int, left: View, right: View, total: int) -> None:
        """State that `literal` is true exactly where what is viewed adds up to `total`."""
        for value, one in left.items():
            other = right.get(total - value, FALSE)
            self.add(-literal, -one, other)
            self.add(literal, -one, -other)
        for value, other in right.items():
            self.add(-literal, -other, left.get(total - value, FALSE))

    def add_at_most_one(self, literals: Sequence[int]) -> None:
        """State that at most one of the literals, all different and none constant, is true."""
        if len(literals) <= MAX_PAIRWISE:
            for i, literal in enumerate(literals):
                for other in literals[:i]:
                    self.add(-literal, -other)
            return
        seen = literals[0]  # whether one of those so far is true
        for literal in literals[1:-1]:
            self.add(-literal, -seen)
            further = self.new()
            self.add(-seen, further)
            self.add(-literal, further)
            self.add(-further, seen, literal)
            seen = further
        self.add(-literals[-1], -seen)

    def add_sum(self, total: Sum) -> None:
        """State a sum by partial sums: infinite where the bound is met whatever follows, or can no longer be."""
        self.source = total.source
        groups = sorted(total.groups, key=lambda group: min(group) - max(group))
        low, high = sum(map(min, groups)), sum(map(max, groups))
        state: View = {0: TRUE}
        for i, group in enumerate(groups):
            low, high = low - min(group), high - max(group)
            given = {-inf: FALSE} if total.literal == TRUE else {}
            if i == len(groups) - 1:
                given = {inf: total.literal, -inf: -total.literal}
            step = _reach if total.operator == ">=" else _hit
            state = self.combine(state, group, step(low, high, total.bound), given)


def _reach(low: int, high: int, bound: int) -> Callable[[Any, int], Any]:
    """Return the step to the next partial sum, where `low` to `high` can follow, and at least `bound` is wanted."""

    def step(before: Any, value: int) -> Any:
        partial = before + value
        return inf if partial + low >= bound else -inf if partial + high < bound else partial

    return step


def _hit(low: int, high: int, bound: int) -> Callable[[Any, int], Any]:
    """Return the step to the next partial sum, where `low` to `high` can follow, and exactly `bound` is wanted."""

    def step(before: Any, value: int) -> Any:
        partial = before + value
        if not partial + low <= bound <= partial + high:
            return -inf
        return inf if low == high else partial

    return step
