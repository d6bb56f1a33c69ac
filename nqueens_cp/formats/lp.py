"""Writing the LP format of CPLEX, which the solvers of mixed integer programs read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nqueens_cp.backends.base import unsupported
from nqueens_cp.control import Control
from nqueens_cp.formats.boolean import BooleanForm
from nqueens_cp.formats.clauses import weighted
from nqueens_cp.formats.names import one_line
from nqueens_cp.formats.rows import rows
from nqueens_cp.model import Problem

MAX_NUMBER = 2**53
"""Solvers read numbers as floats, which are exact up to this."""
TERMS_IN_A_LINE = 8
LONGEST_NAME = 80
NAME_OF_NOTHING = "nothing"  # some variable that a contradiction needs where the problem has none


def lp_text(problem: Problem, control: Control) -> str:
    r"""Return a problem as an integer program over binary variables with names such as ``queen_0_is_3``.

    Comments at the top say what each name stands for, as in ``\ queen[0] = 3 is queen_0_is_3``. A variable of two values is one
    binary variable, 1 for the larger value; the other is written as ``not``.

    Raises
    ------
    UnsupportedModel
        The Boolean form of the problem is too large, or has numbers past 2**53.
    """
    form = BooleanForm(problem, "lp", control)
    names = _names(form)
    lines = [rf"\ model {one_line(problem.name)}"]
    for entry in form.mapping:
        literal = names[entry.literal] if entry.literal > 0 else f"not {names[-entry.literal]}"
        lines.append(rf"\ {one_line(entry.name)} = {entry.value} is {literal}")
    maximize = problem.objective is not None and problem.objective.maximize
    costs, constant = weighted(form.objective)
    constant += form.objective_constant
    _check_size([*costs.values(), constant], str(problem.objective))
    lines.append("Maximize" if maximize else "Minimize")
    goal = _sum_text(costs, names)
    lines.append(f" obj: {goal or f'0 {names[1]}'}" + (f" {_signed(constant)}" if constant else ""))
    lines.append("Subject To")
    constraints = 0
    for row in rows(form):
        control.poll()
        constraints += 1
        _check_size([*row.coefficients.values(), row.bound], f"model {problem.name}")
        lines.append(f" c{constraints}: {_sum_text(row.coefficients, names)} {row.operator} {row.bound}")
    if not constraints:
        lines.append(f" c1: {names[1]} >= 0")
    lines.append("Binaries")
    lines.extend(f" {name}" for name in names.values())
    lines.append("End")
    return "\n".join(lines) + "\n"


def _names(form: BooleanForm) -> dict[int, str]:
    """Return a safe name, unlike any other, for each Boolean variable."""
    names: dict[int, str] = {}
    used: set[str] = set()
    for entry in form.mapping:
        if entry.literal > 0:
            # No letter e at the front and no digit: it could be read as a number.
            stem = re.sub(r"[^A-Za-z0-9]+", "_", entry.name).strip("_")[:LONGEST_NAME]
            stem = stem if re.match(r"[A-DF-Za-df-z]", stem) else f"v_{stem}"
            value = str(entry.value).replace("-", "minus_")
            name, number = f"{stem}_is_{value}", 2
            while name.lower() in used:
                name, number = f"{stem}_{number}_is_{value}", number + 1
            used.add(name.lower())
            names[entry.literal] = name
    prefix = "helper"
    while any(name.startswith(f"{prefix}_") for name in used):
        prefix += "x"
    for number in range(1, form.variables + 1):
        names.setdefault(number, f"{prefix}_{number}")
    return names or {1: NAME_OF_NOTHING}


def _sum_text(coefficients: Mapping[int, int], names: Mapping[int, str]) -> str:
    terms = [
        f"{_signed(weight)} {names[number]}" if abs(weight) != 1 else f"{'-' if weight < 0 else '+'} {names[number]}"
        for number, weight in coefficients.items()
    ]
    lines = (" ".join(terms[i : i + TERMS_IN_A_LINE]) for i in range(0, len(terms), TERMS_IN_A_LINE))
    return "\n   ".join(lines).removeprefix("+ ")


def _signed(number: int) -> str:
    return f"{'-' if number < 0 else '+'} {abs(number)}"


def _check_size(numbers: list[int], what: str) -> None:
    for number in numbers:
        if abs(number) > MAX_NUMBER:
            raise unsupported("lp", what, f"the size of its number {number} is past 2**53, where floats are not exact")
