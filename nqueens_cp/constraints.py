"""The global constraints. Each can judge an assignment by itself (`check`), without any solver.

Globals stand at the top level of a model: they cannot be combined with ``& | ~`` or ``implies``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import add
from typing import Any

from nqueens_cp.checks import integer, is_numpy_truth, items, shown
from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.expressions import Expression, as_expression, as_expressions
from nqueens_cp.relations import Assignment, Columns, Constraint, distinct_variables, shorten
from nqueens_cp.variables import IntVar


class AllDifferent(Constraint):
    """No two of `expressions` have the same value. Of none or one it is true.

    Attributes
    ----------
    of_single_variables : bool
        Whether each expression mentions at most one variable.
    """

    __slots__ = ("expressions", "of_single_variables", "variables")

    def __init__(self, expressions: tuple[Expression, ...]) -> None:
        self.expressions = expressions
        mentioned = [expression.variables for expression in expressions]
        self.variables: tuple[IntVar, ...] = tuple(dict.fromkeys(chain.from_iterable(mentioned)))
        self.of_single_variables = max(map(len, mentioned), default=0) < 2

    def check(self, assignment: Assignment) -> bool:
        values = [expression.value(assignment) for expression in self.expressions]
        return len(set(values)) == len(values)

    def check_all(self, columns: Columns) -> Sequence[bool]:
        size = len(self.expressions)
        rows = zip(*(expression.values(columns) for expression in self.expressions), strict=True)
        return [len(set(row)) == size for row in rows]

    def judge(self, places: Mapping[IntVar, int]) -> Callable[[Sequence[int]], bool]:
        """Return `check` as a function of a sequence of values; quick for x[0] + c, x[1] + d, ... over all variables."""
        size = len(self.expressions)
        if size != len(places):
            return super().judge(places)
        offsets = []
        for variable, expression in zip(places, self.expressions, strict=True):
            affine = expression.as_affine()
            if affine is None or affine[0] is not variable or affine[1] != 1:
                return super().judge(places)
            offsets.append(affine[2])
        if not any(offsets):
            return lambda values: len(set(values)) == size
        return lambda values: len(set(map(add, values, offsets))) == size

    def __str__(self) -> str:
        return f"all_different({', '.join(map(str, self.expressions))})"


class Table(Constraint):
    """`variables` take one of `tuples` together (`allowed`), or none of them."""

    __slots__ = ("_variables", "allowed", "tuples")

    def __init__(self, variables: tuple[IntVar, ...], tuples: frozenset[tuple[int, ...]], allowed: bool) -> None:
        self._variables = variables
        self.tuples = tuples
        self.allowed = allowed

    @property
    def columns(self) -> tuple[IntVar, ...]:
        """The variables as they stand in the tuples; one may stand twice."""
        return self._variables

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return tuple(dict.fromkeys(self._variables))

    def check(self, assignment: Assignment) -> bool:
        return (tuple(assignment[variable] for variable in self._variables) in self.tuples) is self.allowed

    def __str__(self) -> str:
        word = "one of" if self.allowed else "none of"
        names = ", ".join(variable.name for variable in self._variables)
        return f"({names}) is {word} {{{', '.join(map(str, sorted(self.tuples)))}}}"


class InDomain(Constraint):
    """`expression` takes one of `values`."""

    __slots__ = ("expression", "values")

    def __init__(self, expression: Expression, values: frozenset[int]) -> None:
        self.expression = expression
        self.values = values

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return self.expression.variables

    def check(self, assignment: Assignment) -> bool:
        return self.expression.value(assignment) in self.values

    def check_all(self, columns: Columns) -> Sequence[bool]:
        return list(map(self.values.__contains__, self.expression.values(columns)))

    def __str__(self) -> str:
        return f"{self.expression} in {{{', '.join(map(str, sorted(self.values)))}}}"


class LexLessEqual(Constraint):
    """The values of `left` come before those of `right` in lexicographic order, or equal them."""

    __slots__ = ("left", "right")

    def __init__(self, left: tuple[Expression, ...], right: tuple[Expression, ...]) -> None:
        self.left = left
        self.right = right

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return distinct_variables((*self.left, *self.right))

    def check(self, assignment: Assignment) -> bool:
        return [e.value(assignment) for e in self.left] <= [e.value(assignment) for e in self.right]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.left))}] lex<= [{', '.join(map(str, self.right))}]"


class Predicate(Constraint):
    """`function` of the values of `columns` returns True."""

    __slots__ = ("columns", "function")

    def __init__(self, function: Callable[..., bool], columns: tuple[IntVar, ...]) -> None:
        self.function = function
        self.columns = columns

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return tuple(dict.fromkeys(self.columns))

    def holds(self, *values: int) -> bool:
        """Return what the function says of one tuple of values, in the order of `columns`."""
        answer = self.function(*values)
        if answer is True or answer is False:
            return answer
        if is_numpy_truth(answer):
            return bool(answer)
        raise InvalidType(
            f"the function of '{shorten(str(self))}' returned {shown(answer)} for {values}; it must return True or False"
        )

    def check(self, assignment: Assignment) -> bool:
        return self.holds(*(assignment[variable] for variable in self.columns))

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{name}({', '.join(variable.name for variable in self.columns)})"


def all_different(expressions: Iterable[Any]) -> AllDifferent:
    """Return the constraint that no two of `expressions` (expressions or integers) have the same value.

    Examples
    --------
    >>> from nqueens_cp import Model, all_different, count
    >>> model = Model()
    >>> x = model.int_vars("x", 3, domain=range(3))
    >>> model.add(all_different(x))
    >>> count(model)
    6
    """
    different = as_expressions(expressions, "all_different")
    for expression in different:
        reached = expression.past_64_bits()
        if reached is not None:
            raise InvalidValue(f"all_different: '{expression}' can reach {reached}, past 64 bits")
    return AllDifferent(different)


def allowed_assignments(variables: Iterable[IntVar], tuples: Iterable[Iterable[int]]) -> Table:
    """Return the constraint that the values of `variables`, in that order, form one of `tuples`."""
    return _table("allowed_assignments", variables, tuples, allowed=True)


def forbidden_assignments(variables: Iterable[IntVar], tuples: Iterable[Iterable[int]]) -> Table:
    """Return the constraint that the values of `variables`, in that order, form none of `tuples`."""
    return _table("forbidden_assignments", variables, tuples, allowed=False)


def _table(what: str, variables: Iterable[IntVar], tuples: Iterable[Iterable[int]], *, allowed: bool) -> Table:
    columns = _variables(variables, what)
    rows = set()
    for i, row in enumerate(items(tuples, f"{what}: tuples")):
        values = tuple(integer(value, f"{what}: tuple {i}") for value in items(row, f"{what}: tuple {i}"))
        if len(values) != len(columns):
            raise InvalidValue(f"{what}: tuple {i} is {shown(values)}, but there are {len(columns)} variables")
        rows.add(values)
    return Table(columns, frozenset(rows), allowed)


def in_domain(expression: Any, values: Iterable[int]) -> InDomain:
    """Return the constraint that `expression` takes one of `values`."""
    allowed = (integer(value, "in_domain: value") for value in items(values, "in_domain: values"))
    return InDomain(as_expression(expression, "in_domain: expression"), frozenset(allowed))


def lex_lesseq(left: Iterable[Any], right: Iterable[Any]) -> LexLessEqual:
    """Return the constraint that `left` is lexicographically at most `right`; both must be of one length."""
    first, second = as_expressions(left, "lex_lesseq: left"), as_expressions(right, "lex_lesseq: right")
    if len(first) != len(second):
        raise InvalidValue(f"lex_lesseq: the left side has {len(first)} entries, the right side {len(second)}")
    return LexLessEqual(first, second)


def predicate(function: Callable[..., bool], variables: Iterable[IntVar]) -> Predicate:
    """Return the constraint that ``function(value, ...)``, called with the variables' values in order, is True.

    Parameters
    ----------
    function : callable
        It must return True or False for every combination of the variables' domain values, and always the same. What it
        raises reaches the caller of the search unchanged.
    variables : iterable of IntVar
        A backend that cannot call back while it searches tries the whole product of the domains beforehand, at most
        100,000 tuples, and declines the model beyond that.
    """
    if not callable(function):
        raise InvalidType(f"predicate: expected a function, got {shown(function)} ({type(function).__name__})")
    return Predicate(function, _variables(variables, "predicate"))


def _variables(values: Iterable[IntVar], what: str) -> tuple[IntVar, ...]:
    variables = tuple(items(values, f"{what}: variables"))
    if not variables:
        raise InvalidValue(f"{what}: the list of variables is empty")
    for i, variable in enumerate(variables):
        if not isinstance(variable, IntVar):
            raise InvalidType(
                f"{what}: entry {i} is {shown(variable)}, not a variable; for an expression e add a variable y and y == e"
            )
    return variables
