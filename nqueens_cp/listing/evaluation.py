"""Expressions and constraints evaluated in NumPy, for many assignments at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqueens_cp.checks import INT64_MAX
from nqueens_cp.constraints import AllDifferent, InDomain, LexLessEqual
from nqueens_cp.expressions import Expression
from nqueens_cp.functions import AbsoluteValue, CountOf, Element, Modulo
from nqueens_cp.relations import OPERATORS, And, Comparison, Constraint, Implies, Or, Truth
from nqueens_cp.variables import IntVar

Array = NDArray[Any]


class Block:
    """A batch whose columns are turned into 64-bit integers once, when they are first asked for."""

    def __init__(self, batch: Array) -> None:
        self.batch = batch
        self._columns: dict[int, NDArray[np.int64]] = {}

    def column(self, index: int) -> NDArray[np.int64]:
        """Return the values of a variable."""
        if index not in self._columns:
            self._columns[index] = self.batch[:, index].astype(np.int64)
        return self._columns[index]


Judge = Callable[[Block], Array]


def evaluated(constraint: Constraint) -> Judge | None:
    """Return a function that says of each row of a block whether a constraint holds; None where NumPy cannot evaluate it."""
    match constraint:
        case Truth():
            return lambda block: np.full(len(block.batch), constraint.holds)
        case Comparison(difference=difference):
            compare = OPERATORS[constraint.operator]
            return (lambda block: compare(_values(difference, block), 0)) if _fits(difference) else None  # type: ignore[arg-type,return-value]
        case And(parts=parts) | Or(parts=parts):
            judges = [evaluated(part) for part in parts]
            join = np.logical_and if isinstance(constraint, And) else np.logical_or
            known = [judge for judge in judges if judge is not None]
            return (lambda block: join.reduce([judge(block) for judge in known])) if len(known) == len(judges) else None
        case Implies():
            return evaluated(constraint.as_clause())
        case InDomain(expression=expression, values=values):
            allowed = np.array(sorted(values), dtype=np.int64)
            return (lambda block: np.isin(_values(expression, block), allowed)) if _fits(expression) else None
        case AllDifferent(expressions=expressions):
            return (lambda block: _different(expressions, block)) if all(map(_fits, expressions)) else None
        case LexLessEqual(left=left, right=right):
            fit = all(map(_fits, (*left, *right)))
            return (lambda block: _ordered(left, right, block)) if fit else None
    return None


def _fits(expression: Expression) -> bool:
    """Say whether an expression can be evaluated without passing 64 bits on the way."""
    reach = abs(expression.constant)
    for atom, factor in expression.terms:
        if not _atom_fits(atom):
            return False
        reach += abs(factor) * max(map(abs, atom.outer_bounds()))
    return reach <= INT64_MAX


def _atom_fits(atom: Expression) -> bool:
    match atom:
        case IntVar():
            return True
        case AbsoluteValue(inner=inner) | Modulo(inner=inner):
            return _fits(inner)
        case Element(array=array, index=index):
            return all(map(_fits, (index, *array)))
        case CountOf(expressions=expressions, target=target):
            return all(map(_fits, (target, *expressions)))
    return False


def _values(expression: Expression, block: Block) -> Array:
    total: Array | None = None
    for atom, factor in expression.terms:
        values = _atom_values(atom, block)
        scaled = values if factor == 1 else values * factor
        total = scaled if total is None else total + scaled
    if total is None:
        return np.full(len(block.batch), expression.constant, dtype=np.int64)
    return total + expression.constant if expression.constant else total


def _atom_values(atom: Expression, block: Block) -> Array:
    match atom:
        case IntVar(index=index):
            return block.column(index)
        case AbsoluteValue(inner=inner):
            return np.abs(_values(inner, block))
        case Modulo(inner=inner, modulus=modulus):
            return _values(inner, block) % modulus
        case Element(array=array, index=position):
            at = _values(position, block)
            if atom.numbers is not None:
                numbers: Array = np.array(atom.numbers, dtype=np.int64)[at]
                return numbers
            entries: Array = np.stack([_values(entry, block) for entry in array])[at, np.arange(len(at))]
            return entries
        case CountOf(expressions=expressions, target=target):
            wanted = _values(target, block)
            counts = np.zeros(len(wanted), dtype=np.int64)
            for expression in expressions:
                counts += _values(expression, block) == wanted
            return counts
    raise TypeError(f"{type(atom).__name__} cannot be evaluated in NumPy")


def _different(expressions: tuple[Expression, ...], block: Block) -> Array:
    if len(expressions) < 2:
        return np.ones(len(block.batch), dtype=bool)
    values = np.stack([_values(expression, block) for expression in expressions], axis=1)
    values.sort(axis=1)
    different: Array = (values[:, 1:] != values[:, :-1]).all(axis=1)
    return different


def _ordered(left: tuple[Expression, ...], right: tuple[Expression, ...], block: Block) -> Array:
    ordered = np.ones(len(block.batch), dtype=bool)
    for a, b in zip(reversed(left), reversed(right), strict=True):  # what comes first decides, so it comes last
        first, second = _values(a, block), _values(b, block)
        ordered = (first < second) | ((first == second) & ordered)
    return ordered
