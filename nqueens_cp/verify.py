"""The judge of what backends hand over: the constraints' own checks and the domains, no solver."""

from __future__ import annotations

from collections.abc import Container

from nqueens_cp.errors import VerificationError
from nqueens_cp.model import Domain, Problem
from nqueens_cp.relations import shorten


class Verifier:
    """Checks assignments of one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        quick: dict[Domain, Container[int]] = {}  # the same domain object is often shared by many variables
        for variable in problem.variables:
            domain = variable.domain
            if domain not in quick:
                quick[domain] = domain if isinstance(domain, range) else frozenset(domain)
        self._domains = [quick[variable.domain] for variable in problem.variables]

    def check(self, values: tuple[int, ...], backend: str) -> None:
        """Raise unless `values`, one for each variable in order, satisfy the problem.

        Raises
        ------
        VerificationError
            The message names the backend and what is broken.
        """
        variables = self.problem.variables
        if len(values) != len(variables):
            raise VerificationError(f"{backend} returned {len(values)} values for {len(variables)} variables")
        for variable, value, domain in zip(variables, values, self._domains, strict=True):
            if value not in domain:
                raise VerificationError(f"{backend} returned {variable.name} = {value}, which is not in its domain")
        assignment = dict(zip(variables, values, strict=True))
        for constraint in self.problem.constraints:
            if not constraint.check(assignment):
                raise VerificationError(
                    f"{backend} returned an assignment that breaks '{shorten(str(constraint))}': {shorten(str(values))}. "
                    "This is a fault of the backend, not of the model"
                )
