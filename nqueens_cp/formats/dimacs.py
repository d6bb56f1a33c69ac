"""Writing DIMACS CNF, the format of SAT solvers and model counters."""

from __future__ import annotations

import re

from nqueens_cp.backends.base import unsupported
from nqueens_cp.control import Control
from nqueens_cp.formats.boolean import BooleanForm
from nqueens_cp.formats.names import one_line
from nqueens_cp.model import Problem

MEANS_MORE = re.compile(r"(?:p|t|s|v|ind|max)(?![^\s])")
"""Comments that begin with such a word say something to model counters, as ``c ind 1 2 0`` does."""
NEUTRAL = "variable "
"""What is put before the name of a variable that begins so."""


def dimacs_text(problem: Problem, control: Control) -> str:
    """Return a problem as clauses.

    Comments at the top say which literal stands for which value of which variable, as in ``c queen[0] = 3 is 4``; a literal
    with a minus is true where its variable is false. The line ``c p show`` lists the variables of these literals. All others
    are functions of them: the number of solutions is the same whether a counter projects or not.

    Raises
    ------
    UnsupportedModel
        The problem has an objective, or its Boolean form is too large.
    """
    if problem.objective is not None:
        raise unsupported("dimacs", str(problem.objective), "the format has no objective; opb and lp have one")
    form = BooleanForm(problem, "dimacs", control)
    result = form.to_clauses()
    variables, clauses = result.variables, result.clauses
    if () in clauses:  # some readers know no empty clause
        variables, clauses = max(variables, 1), [(1,), (-1,)]
    mapping = form.mapping
    lines = [f"c model {one_line(problem.name)}"]
    lines.extend(f"c {_harmless(one_line(entry.name))} = {entry.value} is {entry.literal}" for entry in mapping)
    lines.append(f"p cnf {variables} {len(clauses)}")
    shown = dict.fromkeys(abs(entry.literal) for entry in mapping)
    lines.append(" ".join(["c p show", *map(str, shown), "0"]))
    for clause in clauses:
        control.poll()
        lines.append(" ".join(map(str, (*clause, 0))))
    return "\n".join(lines) + "\n"


def _harmless(name: str) -> str:
    return NEUTRAL + name if MEANS_MORE.match(name.lstrip()) else name
