"""The vectorised judge: checks many assignments at once, as NumPy arrays, without any solver.

All-differents of one-variable terms are checked together by marks, as in `nqueens_cp.verify.compiled`. Constraints whose
variables have few combinations of values are asked by their own `check` once for each combination that is met. The others are
evaluated in NumPy (`nqueens_cp.listing.evaluation`), or if that could overflow by their own `check_all`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqueens_cp.constraints import AllDifferent
from nqueens_cp.errors import VerificationError
from nqueens_cp.listing.evaluation import Block, evaluated
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint, shorten
from nqueens_cp.variables import Domain, IntVar
from nqueens_cp.verify import Verifier

Array = NDArray[Any]

BLOCK_ROWS = 4096
"""So many assignments are checked at once: what is computed of them stays in the processor's caches."""
MAX_TABULATED = 65_536
"""The verdicts on so many combinations of values are remembered."""
MAX_MARKS = 1024
"""All-differents whose terms have more different values, together, are checked by sorting."""
MAX_PAIRED = 64
"""Values of one byte are looked up in pairs where one of them is below this."""


class Checker:
    """Checks batches, arrays with a row for each assignment and a column for each variable, against one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        different, others = [], []
        for constraint in problem.statements():
            if isinstance(constraint, AllDifferent) and constraint.of_single_variables:
                different.append(constraint)
            else:
                others.append(constraint)
        marks = _Marks(problem, different)
        self._judges: list[Callable[[Block], Array]] = [marks, *map(_judge, [*marks.left_out, *others])]
        self._domains = [_membership(v.domain, v.index) for v in problem.variables if v not in marks.covered]
        self._verifier = Verifier(problem)

    def holds(self, batch: Array) -> Array:
        """Say of each row whether it is a solution."""
        if len(batch) > BLOCK_ROWS:
            blocks = [self.holds(batch[start : start + BLOCK_ROWS]) for start in range(0, len(batch), BLOCK_ROWS)]
            return np.concatenate(blocks)
        verdict = np.ones(len(batch), dtype=bool)
        for member in self._domains:
            verdict &= member(batch)
        # Values outside of their domains may mean nothing to a constraint, so what has failed is not asked about again.
        block = Block(batch if verdict.all() else batch[verdict])
        for judge in self._judges:
            held = judge(block)
            if not held.all():
                verdict[verdict] = held
                block = Block(block.batch[held])
        return verdict

    def first_fault(self, batch: Array) -> int | None:
        """Return the number of the first row that is no solution, or None."""
        for start in range(0, len(batch), BLOCK_ROWS):
            verdict = self.holds(batch[start : start + BLOCK_ROWS])
            if not verdict.all():
                return start + int(verdict.argmin())
        return None

    def check(self, batch: Array, backend: str) -> None:
        """Raise unless every row is a solution.

        Raises
        ------
        VerificationError
            The message names the backend and what is broken.
        """
        fault = self.first_fault(batch)
        if fault is not None:
            values = tuple(batch[fault].tolist())
            self._verifier.check(values, backend)
            raise VerificationError(f"the checkers disagree about {shorten(str(values))}: a fault of this package")

    def reason(self, values: tuple[int, ...]) -> str:
        """Say in words why values are no solution; "" if they are one."""
        for variable, value in zip(self.problem.variables, values, strict=True):
            if value not in variable.domain:
                return f"{variable.name} = {value} is not in its domain"
        assignment = dict(zip(self.problem.variables, values, strict=True))
        for constraint in self.problem.statements():
            if not constraint.check(assignment):
                return f"it breaks '{shorten(str(constraint))}'"
        return ""


class _Marks:
    """All-differents of one-variable terms together.

    Each value of a variable has a bit for each term that it gives a value to, and different values of terms have other bits.
    The bits of a row are added word by word: there are as many ones in the sums as terms only if no two were the same, since
    each that meet leave one less. A value outside of its domain has no bits. Values of one byte are looked up in pairs.
    """

    def __init__(self, problem: Problem, constraints: Iterable[AllDifferent]) -> None:
        self.left_out: list[Constraint] = []
        self.covered: set[IntVar] = set()
        self.terms = 0
        bits: dict[tuple[int, int], int] = {}
        marks: dict[IntVar, dict[int, int]] = {}
        given = 0
        for which, constraint in enumerate(constraints):
            terms = _values_of_terms(constraint)
            if terms is None or len(bits) + len({value for values in terms for value in values}) > MAX_MARKS:
                self.left_out.append(constraint)
                continue
            self.terms += len(terms)
            for expression, values in zip(constraint.expressions, terms, strict=True):
                masks = [1 << bits.setdefault((which, value), len(bits)) for value in values]
                if not expression.variables:
                    given += masks[0]
                    continue
                (variable,) = expression.variables
                own = marks.setdefault(variable, dict.fromkeys(variable.domain, 0))
                for value, mask in zip(own, masks, strict=True):
                    own[value] += mask
        self.words = len(bits) // 64 + 1
        self.given = _words(given, self.words)
        self.covered.update(marks)
        self.tables = self._pairs(marks)

    def _pairs(self, marks: dict[IntVar, dict[int, int]]) -> list[_Table]:
        tables: list[_Table] = []
        waiting = sorted(marks, key=lambda variable: variable.index)
        while waiting:
            left, right = waiting.pop(0), waiting[0] if waiting else None
            in_bytes = left.domain[0] >= 0 and left.domain[-1] < 256
            if right is not None and in_bytes and right.domain[0] >= 0 and right.domain[-1] < MAX_PAIRED:
                tables.append(_Table(left, marks[left], waiting.pop(0), marks[right], self.words))
            else:
                tables.append(_Table(left, marks[left], None, {0: 0}, self.words))
        return tables

    def __call__(self, block: Block) -> Array:
        ones: Array = np.zeros(len(block.batch), dtype=np.uint8 if self.terms < 256 else np.int64)
        places = [table.places(block) for table in self.tables]
        for word in range(self.words):
            total = np.full(len(block.batch), self.given[word], dtype=np.uint64)
            for table, place in zip(self.tables, places, strict=True):
                marks = table.words[word]
                if marks is not None:
                    total += marks.take(place, mode="clip")
            ones += _ones(total)
        verdict: Array = ones == self.terms
        return verdict


def _values_of_terms(constraint: AllDifferent) -> list[Sequence[int]] | None:
    """Return the values of each term of an all-different, for the values of its variable; None if they are many."""
    if (
        sum(len(variable.domain) for expression in constraint.expressions for variable in expression.variables)
        > MAX_TABULATED
    ):
        return None
    return [
        expression.values({variable: variable.domain for variable in expression.variables})
        if expression.variables
        else [expression.value({})]
        for expression in constraint.expressions
    ]


class _Table:
    """The marks of one variable, or of two that are looked up together; the last entry has none."""

    def __init__(
        self, left: IntVar, marks: dict[int, int], right: IntVar | None, marks_right: dict[int, int], words: int
    ) -> None:
        self.left, self.right = left.index, None if right is None else right.index
        self.values = np.array(list(marks), dtype=np.int64)
        size = len(marks) if right is None else 256 * (right.domain[-1] + 1)
        whole = np.zeros((words, size + 1), dtype=np.uint64)
        lefts = np.array([_words(mark, words) for mark in marks.values()], dtype=np.uint64).T
        for value, mark in marks_right.items():
            at = np.arange(size) if right is None else self.values + 256 * value
            whole[:, at] = lefts + _words(mark, words)[:, None]
        self.words: list[Array | None] = [table if table.any() else None for table in whole]

    def places(self, block: Block) -> Array:
        """Return where the marks of each row stand."""
        left = block.column(self.left)
        if self.right is None:
            place = self.values.searchsorted(left)
            known = self.values[np.minimum(place, len(self.values) - 1)] == left
            return np.where(known, place, len(self.values))
        right = block.column(self.right)
        if block.batch.dtype != np.uint8:
            outside = (left < 0) | (left > 255) | (right < 0) | (right > 255)
            left, right = np.where(outside, 255, left), np.where(outside, 255 << 40, right)
        return left + (right << 8)


def _words(number: int, words: int) -> NDArray[np.uint64]:
    return np.frombuffer(number.to_bytes(8 * words, "little"), dtype="<u8").astype(np.uint64)


def _ones(words: Array) -> Array:
    """Return how many bits of each word are ones."""
    ones: Array
    if hasattr(np, "bitwise_count"):  # NumPy 2
        ones = np.bitwise_count(words)
    else:
        ones = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1, dtype=np.uint8)
    return ones


def _membership(domain: Domain, index: int) -> Callable[[Array], Array]:
    """Return a function that says of each row whether a variable's value is in its domain."""
    if isinstance(domain, range):
        return lambda batch: (batch[:, index] >= domain[0]) & (batch[:, index] <= domain[-1])
    values = np.array(domain, dtype=np.int64)
    return lambda batch: np.isin(batch[:, index].astype(np.int64), values)


def _judge(constraint: Constraint) -> Callable[[Block], Array]:
    """Return a function that says of each row whether a constraint holds."""
    variables = constraint.variables
    if prod(len(variable.domain) for variable in variables) <= MAX_TABULATED:
        return _Verdicts(constraint)
    in_numpy = evaluated(constraint)
    if in_numpy is not None:
        return in_numpy

    def one_by_one(block: Block) -> Array:
        columns = {variable: block.batch[:, variable.index].tolist() for variable in variables}
        return np.array(constraint.check_all(columns), dtype=bool)

    return one_by_one


class _Verdicts:
    """What a constraint says of the values of its variables, found out by its check when they are first met."""

    def __init__(self, constraint: Constraint) -> None:
        self.constraint = constraint
        self.sizes = [len(variable.domain) for variable in constraint.variables]
        self.sorted_values = [np.array(variable.domain, dtype=np.int64) for variable in constraint.variables]
        self.known = np.full(prod(self.sizes), -1, dtype=np.int8)

    def __call__(self, block: Block) -> Array:
        code = np.zeros(len(block.batch), dtype=np.int64)
        for variable, size, values in zip(self.constraint.variables, self.sizes, self.sorted_values, strict=True):
            column = block.column(variable.index)
            offset = column - variable.domain[0] if isinstance(variable.domain, range) else values.searchsorted(column)
            code = code * size + offset
        verdict = self.known[code]
        if (verdict < 0).any():
            for unknown in np.unique(code[verdict < 0]).tolist():
                self.known[unknown] = self._asked(unknown)
            verdict = self.known[code]
        holds: Array = verdict == 1
        return holds

    def _asked(self, code: int) -> bool:
        assignment = {}
        for variable, size in zip(reversed(self.constraint.variables), reversed(self.sizes), strict=True):
            code, place = divmod(code, size)
            assignment[variable] = variable.domain[place]
        return self.constraint.check(assignment)
