"""Constraints of one variable, worked into its domain: what is excluded anyway needs no literals."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from nqueens_cp.constraints import InDomain
from nqueens_cp.control import Control
from nqueens_cp.core.compile import filtered
from nqueens_cp.model import Problem
from nqueens_cp.relations import Comparison, Constraint
from nqueens_cp.variables import Domain, IntVar


def narrowed(problem: Problem, most_tried: int, control: Control) -> tuple[list[Domain], list[Constraint]]:
    """Return for each variable the values that its own constraints leave, perhaps none, and the other constraints.

    Comparisons with a constant cut domains of any size. Other constraints are tried on each value, and returned with the
    others where more than `most_tried` values are left.
    """
    domains = [variable.domain for variable in problem.variables]
    to_try: dict[IntVar, list[Constraint]] = {}
    others: list[Constraint] = []
    for constraint in problem.statements():
        control.poll()
        variables = constraint.variables
        if len(variables) != 1:
            others.append(constraint)
            continue
        index = variables[0].index
        cut = _cut(domains[index], constraint)
        if cut is None:
            to_try.setdefault(variables[0], []).append(constraint)
        else:
            domains[index] = cut
    for variable, constraints in to_try.items():
        if len(domains[variable.index]) > most_tried:
            others.extend(constraints)
        else:
            domains[variable.index] = filtered(domains[variable.index], constraints, control)
    return domains, others


def _cut(domain: Domain, constraint: Constraint) -> Domain | None:
    """Return the values for which a constraint of one variable holds if that takes no trying, otherwise None."""
    if isinstance(constraint, InDomain) and isinstance(constraint.expression, IntVar):
        return tuple(sorted(value for value in constraint.values if _contains(domain, value)))
    if not isinstance(constraint, Comparison) or constraint.operator == "!=":
        return None
    affine = constraint.difference.as_affine()
    if affine is None or not isinstance(affine[0], IntVar):
        return None
    _, factor, constant = affine
    operator = constraint.operator[0]  # of factor * x + constant and 0
    if constraint.operator in ("<", ">"):
        constant += 1 if operator == "<" else -1
    first, after_last = 0, len(domain)
    if operator == "=" or (operator == ">") == (factor > 0):
        first = bisect_left(domain, -(constant // factor))
    if operator == "=" or (operator == "<") == (factor > 0):
        after_last = bisect_right(domain, -constant // factor)
    return domain[first:after_last]


def _contains(domain: Domain, value: int) -> bool:
    if isinstance(domain, range):
        return value in domain
    place = bisect_left(domain, value)
    return place < len(domain) and domain[place] == value
