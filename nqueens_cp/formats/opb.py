"""Writing OPB, the format of pseudo-Boolean solvers."""

from __future__ import annotations

from collections.abc import Mapping

from nqueens_cp.control import Control
from nqueens_cp.formats.boolean import BooleanForm
from nqueens_cp.formats.clauses import weighted
from nqueens_cp.formats.names import one_line
from nqueens_cp.formats.rows import rows
from nqueens_cp.model import Problem


def opb_text(problem: Problem, control: Control) -> str:
    """Return a problem as inequalities over variables x1, x2, ... of 0 and 1.

    Comments at the top say which literal stands for which value of which variable, as in ``* queen[0] = 3 is x4``; ``~x4`` is
    true where x4 is 0. The format only minimises: what is maximised appears with the opposite sign.

    Raises
    ------
    UnsupportedModel
        The Boolean form of the problem is too large.
    """
    form = BooleanForm(problem, "opb", control)
    constraints = [*rows(form)]
    variables = max([form.variables, *(number for row in constraints for number in row.coefficients)])
    lines = [f"* #variable= {variables} #constraint= {len(constraints)}", f"* model {one_line(problem.name)}"]
    for entry in form.mapping:
        literal = f"x{entry.literal}" if entry.literal > 0 else f"~x{-entry.literal}"
        lines.append(f"* {one_line(entry.name)} = {entry.value} is {literal}")
    if problem.objective is not None:
        sign = -1 if problem.objective.maximize else 1
        costs, constant = weighted(form.objective)
        constant += form.objective_constant
        lines.append(
            f"* {one_line(str(problem.objective))}: its value is {'minus ' if sign < 0 else ''}this sum {constant:+d}"
        )
        terms = {number: sign * weight for number, weight in costs.items()}
        lines.append(f"min: {_sum_text(terms)} ;" if terms else "min: ;")
    for row in constraints:
        control.poll()
        lines.append(f"{_sum_text(row.coefficients)} {row.operator} {row.bound} ;")
    return "\n".join(lines) + "\n"


def _sum_text(coefficients: Mapping[int, int]) -> str:
    return " ".join(f"{weight:+d} x{number}" for number, weight in coefficients.items())
