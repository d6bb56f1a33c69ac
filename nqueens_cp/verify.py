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
        variables = problem.variables
        places = {variable: place for place, variable in enumerate(variables)}
        self._judges = [(constraint.judge(places), constraint) for constraint in problem.constraints]
        quick: dict[Domain, Container[int]] = {}  # the same domain object is often shared by many variables
        for variable in variables:
            domain = variable.domain
            if domain not in quick:
                quick[domain] = domain if isinstance(domain, range) else frozenset(domain)
        self._domains = [quick[variable.domain] for variable in variables]
        shared = next(iter(quick)) if len(quick) == 1 else None
        self._shared = (shared[0], shared[-1]) if isinstance(shared, range) else None

    def check(self, values: tuple[int, ...], backend: str) -> None:
        """Raise unless `values`, one for each variable in order, satisfy the problem.

        Raises
        ------
        VerificationError
            The message names the backend and what is broken.
        """
        if len(values) != len(self._domains):
            raise VerificationError(f"{backend} returned {len(values)} values for {len(self._domains)} variables")
        if self._shared is None or min(values) < self._shared[0] or max(values) > self._shared[1]:
            for variable, value, domain in zip(self.problem.variables, values, self._domains, strict=True):
                if value not in domain:
                    raise VerificationError(f"{backend} returned {variable.name} = {value}, which is not in its domain")
        for holds, constraint in self._judges:
            if not holds(values):
                raise VerificationError(
                    f"{backend} returned an assignment that breaks '{shorten(str(constraint))}': {shorten(str(values))}. "
                    "This is a fault of the backend, not of the model"
                )
