"""The n-queens problem with one rule more each time, and how many placements are left."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import NamedTuple

from nqueens_cp.checks import integer_at_least
from nqueens_cp.constraints import all_different
from nqueens_cp.errors import InvalidValue
from nqueens_cp.model import MAX_VARIABLES, Model
from nqueens_cp.relations import Constraint
from nqueens_cp.search import count, solutions
from nqueens_cp.tracing.words import digits
from nqueens_cp.variables import VariableArray


class Rule(NamedTuple):
    """One rule, and the model with it and all the rules before it.

    Attributes
    ----------
    name : str
        "rows", "columns", "falling diagonals" or "rising diagonals".
    sentence : str
        What the rule says.
    statement : str
        What states it in the model, as it is written in Python.
    formula : str
        What is known of the number of placements, such as "n!"; empty if there is no formula.
    model : Model
        The problem with the rules up to this one.
    """

    name: str
    sentence: str
    statement: str
    formula: str
    model: Model


_LATER: tuple[tuple[str, str, str, str, Callable[[VariableArray], Constraint]], ...] = (
    (
        "columns",
        "No two queens share a column: they are placed like rooks that do not attack each other.",
        "all_different(queen)",
        "n!",
        all_different,
    ),
    (
        "falling diagonals",
        "No two queens share a diagonal that goes down to the right, on which column - row is the same.",
        "all_different(queen[row] - row for row in range(n))",
        "",
        lambda queen: all_different(queen[row] - row for row in range(len(queen))),
    ),
    (
        "rising diagonals",
        "No two queens share a diagonal that goes up to the right, on which column + row is the same. That is all.",
        "all_different(queen[row] + row for row in range(n))",
        "",
        lambda queen: all_different(queen[row] + row for row in range(len(queen))),
    ),
)


def rules(n: int) -> list[Rule]:
    """Return the rules of the n-queens problem, each with its model; nothing is counted yet.

    Parameters
    ----------
    n : int
        The size of the board, 0 to 100,000.
    """
    n = integer_at_least(n, 0, "the size of the board")
    if n > MAX_VARIABLES:
        raise InvalidValue(f"the size of the board: {n} is too large for a model; it must be at most {MAX_VARIABLES}")
    model = Model("rows")
    queen = model.int_vars("queen", n, domain=range(n))
    model.board(queen, columns=n)
    first = "One queen in each row: the value of the variable queen[row] is the column of that queen."
    stated = [Rule("rows", first, 'queen = model.int_vars("queen", n, domain=range(n))', "n^n", model)]
    for name, sentence, statement, formula, constraint in _LATER:
        model = copy(model)
        model.name = name
        model.add(constraint(queen))
        stated.append(Rule(name, sentence, f"model.add({statement})", formula, model))
    return stated


def rule_by_rule(n: int, *, backend: str = "auto", time_limit: float | None = None) -> list[tuple[str, Model, int]]:
    """Count what is left of the n-queens problem with one rule more each time.

    Parameters
    ----------
    n : int
        The size of the board.
    backend : str
        "auto" or the name of a backend.
    time_limit : float, optional
        Seconds for each of the counts.

    Returns
    -------
    list[tuple[str, Model, int]]
        For each rule its name, the model with the rules up to it, and the number of placements that obey them.

    Raises
    ------
    SearchStopped
        The time limit was reached.

    Examples
    --------
    >>> from nqueens_cp.tracing import rule_by_rule
    >>> [(name, found) for name, model, found in rule_by_rule(4)]
    [('rows', 256), ('columns', 24), ('falling diagonals', 7), ('rising diagonals', 2)]
    """
    return [(rule.name, rule.model, count(rule.model, backend=backend, time_limit=time_limit)) for rule in rules(n)]


def as_digits(model: Model, *, backend: str = "auto") -> list[str]:
    """Return the solutions of a board as the tutorials write them: the columns of the queens, row by row, like 1302.

    Examples
    --------
    >>> from nqueens_cp import queens
    >>> from nqueens_cp.tracing import as_digits
    >>> as_digits(queens(4))
    ['1302', '2031']
    """
    return sorted(digits(found.values) for found in solutions(model, backend=backend))
