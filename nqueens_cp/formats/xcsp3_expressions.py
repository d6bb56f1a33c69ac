"""The functional expressions of XCSP3 in the modelling language.

What the language has no expression for, such as a product of variables, becomes a variable that is a function of the others.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from nqueens_cp.expressions import Expression
from nqueens_cp.formats.source import Source
from nqueens_cp.formats.statements import (
    MAX_TUPLES,
    Number,
    Truths,
    all_of,
    any_of,
    both_or_none,
    bounds,
    folded,
    implied,
    is_true,
    member,
    opposite,
    quotient,
    remainder,
    tabulated_function,
)
from nqueens_cp.formats.xcsp3_syntax import Call
from nqueens_cp.functions import count_of
from nqueens_cp.model import Model

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt,
    "le": operator.le,
    "ge": operator.ge,
    "gt": operator.gt,
    "eq": operator.eq,
    "ne": operator.ne,
}
LOGIC = ("not", "and", "or", "xor", "iff", "imp")
RELATIONS = (*COMPARISONS, *LOGIC, "in", "notin")
SIZES = {"neg": 1, "abs": 1, "sqr": 1, "not": 1, "sub": 2, "div": 2, "mod": 2, "pow": 2, "dist": 2, "lt": 2, "le": 2, "ge": 2,
         "gt": 2, "ne": 2, "imp": 2, "in": 2, "notin": 2, "if": 3}  # fmt: skip
MANY = ("add", "mul", "min", "max", "eq", "and", "or", "xor", "iff")


class Expressions:
    """Turns expressions of one file into numbers and relations, adding to the model what they need."""

    def __init__(self, source: Source, model: Model, variable: Callable[[str, int], Number]) -> None:
        self.source = source
        self.model = model
        self.variable = variable

    def relation(self, node: Any, line: int) -> Truths:
        """Return an expression that is meant as a relation."""
        if not _is_relation(node):
            number = self.number(node, line)
            if not (bounds(number)[0] >= 0 and bounds(number)[1] <= 1):
                self.source.invalid(line, f"expected a relation, got {_text(node)}")
            return is_true(number)
        self._check_size(node, line)
        name, given = node
        if name in ("in", "notin"):
            found = member(self.number(given[0], line), self.values(given[1], line))
            return found if name == "in" else opposite(found)
        if name in LOGIC:
            return self._logic(name, [self.relation(part, line) for part in given])
        if name in ("eq", "ne") and len(given) == 2 and any(map(_is_relation, given)):
            left, right = (self._as_truth(part, line) for part in given)
            if left is not None and right is not None:
                same = both_or_none(left, right)
                return same if name == "eq" else opposite(same)
        numbers = [self.number(part, line) for part in given]
        return all_of(COMPARISONS[name](numbers[0], other) for other in numbers[1:])

    def _as_truth(self, node: Any, line: int) -> Truths | None:
        """Return a relation, or a plain variable or number of 0 and 1, as a relation; None for anything else."""
        if _is_relation(node):
            return self.relation(node, line)
        number = self.number(node, line) if isinstance(node, int | str) else None
        return is_true(number) if number is not None and bounds(number)[0] >= 0 and bounds(number)[1] <= 1 else None

    def _logic(self, name: str, parts: list[Truths]) -> Truths:
        if name == "not":
            return opposite(parts[0])
        if name == "and":
            return all_of(parts)
        if name == "or":
            return any_of(parts)
        if name == "imp":
            return implied(parts[0], parts[1])
        if name == "iff":
            return all_of(both_or_none(parts[0], part) for part in parts[1:])
        odd: Truths = sum(map(self._as_number, parts)) % 2 == 1
        return odd

    def values(self, node: Any, line: int) -> range | frozenset[int]:
        """Return a constant set."""
        if isinstance(node, range):
            return node
        parts = node.arguments if isinstance(node, Call) and node.name == "set" else [None]
        pieces: list[range] = []
        for part in parts:
            if not isinstance(part, int | range):
                self.source.unsupported(line, f"a set that is not constant ({_text(node)})")
            pieces.append(range(part, part + 1) if isinstance(part, int) else part)
        if sum(max(0, piece.stop - piece.start) for piece in pieces) > MAX_TUPLES:
            self.source.unsupported(line, f"a set of more than {MAX_TUPLES} values")
        return frozenset(value for piece in pieces for value in piece)

    def number(self, node: Any, line: int) -> Number:
        """Return an expression that is meant as a number; a relation counts 0 or 1."""
        if isinstance(node, int):
            return node
        if isinstance(node, str):
            return self.variable(node, line)
        if not isinstance(node, Call):
            self.source.invalid(line, f"expected a number, got {_text(node)}")
        name, given = node
        if name in RELATIONS:
            if name == "eq" and len(given) == 2:
                return folded(count_of([self.number(given[0], line)], self.number(given[1], line)))
            return self._as_number(self.relation(node, line))
        self._check_size(node, line)
        if name == "if":
            return self._choice(self.relation(given[0], line), *(self.number(part, line) for part in given[1:]))
        return self._arithmetic(name, [self.number(part, line) for part in given], line)

    def _arithmetic(self, name: str, given: list[Number], line: int) -> Number:
        with self.source.at(line):
            if name == "neg":
                return -given[0]
            if name == "abs":
                return abs(given[0])
            if name == "add":
                return folded(sum(given))
            if name == "sub":
                return folded(given[0] - given[1])
            if name == "dist":
                return abs(folded(given[0] - given[1]))
            if name in ("min", "max"):
                return self.extreme(name, given)
            if name == "mul":
                return reduce(self._product, given)
            if name == "sqr":
                return self._tabulated(lambda a: a * a, given)
            if name == "pow":
                if isinstance(given[1], Expression) or not 0 <= given[1] <= 63:
                    self.source.unsupported(line, "a power whose exponent is not a constant of 0 to 63")
                return self._tabulated(lambda a, b: a**b, given)
            dividend, divisor = given
            if name == "mod" and not isinstance(divisor, Expression) and divisor > 0 and bounds(dividend)[0] >= 0:
                return dividend % divisor
            return self._tabulated(quotient if name == "div" else remainder, given)

    def _check_size(self, node: Call, line: int) -> None:
        name, given = node
        if name not in SIZES and name not in MANY:
            self.source.unsupported(line, f"the function {name[:60]!r}")
        if len(given) != SIZES.get(name, len(given)) or not given or (name == "eq" and len(given) < 2):
            self.source.invalid(line, f"the function {name!r} has {len(given)} arguments")

    # What needs a variable of its own.

    def _new(self, low: int, high: int) -> Expression:
        return self.model.int_var(f"#{len(self.model.variables)}", range(low, high + 1))

    def _as_number(self, truth: Truths) -> Number:
        if isinstance(truth, bool):
            return int(truth)
        helper = self.model.bool_var(f"#{len(self.model.variables)}")
        self.model.add(both_or_none(is_true(helper), truth))
        return helper

    def extreme(self, name: str, given: list[Number]) -> Number:
        """Return the smallest or the largest ("min" or "max") of numbers."""
        which: Callable[..., int] = min if name == "min" else max
        result = self._new(which(bounds(n)[0] for n in given), which(bounds(n)[1] for n in given))
        beyond = operator.le if name == "min" else operator.ge
        self.model.add(*(beyond(result, number) for number in given), any_of(result == number for number in given))
        return result

    def _product(self, left: Number, right: Number) -> Number:
        if not isinstance(left, Expression) or not isinstance(right, Expression):
            return folded(left * right)
        return self._tabulated(operator.mul, [left, right])

    def _tabulated(self, function: Callable[..., int | None], given: list[Number]) -> Number:
        if not any(isinstance(number, Expression) for number in given):
            value = function(*given)
            if value is None:
                self.model.add(False)
            return value or 0
        return tabulated_function(self.model, function, given)

    def _choice(self, condition: Truths, yes: Number, no: Number) -> Number:
        if isinstance(condition, bool):
            return yes if condition else no
        (low, high), (other_low, other_high) = bounds(yes), bounds(no)
        result = self._new(min(low, other_low), max(high, other_high))
        self.model.add(implied(condition, result == yes), implied(opposite(condition), result == no))
        return result


def _is_relation(node: Any) -> bool:
    return isinstance(node, Call) and node.name in RELATIONS


def _text(node: Any) -> str:
    if isinstance(node, Call):
        return f"{node.name}(...)"
    return repr(node)[:60]
