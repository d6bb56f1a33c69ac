"""The search for constraints that cannot hold together, none of which can be left out.

Nobody is trusted. A solver's first guess is solved again before it is used; every constraint of the result comes with a
solution of all the others, checked by the constraints themselves; and the result is solved once more as it is stated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from nqueens_cp.backends import get_backend
from nqueens_cp.backends.cp_sat import CpSatBackend
from nqueens_cp.choosing import choose
from nqueens_cp.constraints import InDomain
from nqueens_cp.control import Control, TimeLimitReached
from nqueens_cp.errors import BackendUnavailable, UnsupportedModel, VerificationError
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint
from nqueens_cp.result import Status
from nqueens_cp.search import first_answer
from nqueens_cp.variables import IntVar
from nqueens_cp.verify import Verifier

GUESSED_FROM = 12
"""Fewer constraints are not worth a guess of CP-SAT."""
GUESS_SECONDS = 5.0
"""CP-SAT may think about its guess for so long, or a quarter of the time limit."""
FIRST_PATIENCE, MORE_PATIENCE = 1.0, 10
"""What leaving something out does is first asked of one backend, for so many seconds; what takes longer is put off, and asked
again with so many times the patience of all that "auto" has."""
MAX_MOVES = 2_000
"""From a solution that breaks one constraint, so many others are tried that may break another one."""
MAX_TABULATED = 10_000
"""Constraints of one variable with at most so many values are joined to one for each variable while the set is shrunk."""

Values = tuple[int, ...]


WITHDRAWN = "constraints that were proven to have no solution have one: a fault of a backend, or of who said so"


class PutOff:
    """The answer to what could not be found out in the time given."""


PUT_OFF = PutOff()


class ConflictSearch:
    """The way to one conflict. Statements go by their numbers.

    Attributes
    ----------
    statements : tuple of Constraint
        All of them.
    known : list of int or None
        The smallest unsatisfiable set so far; None until the model is known to be unsatisfiable.
    witnesses : dict of int to tuple of int
        For each statement that is known to be needed, a solution of the rest of `known`.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        self.known: list[int] | None = None
        self.witnesses: dict[int, Values] = {}
        self._problem = problem
        self._control = control
        self.statements = tuple(problem.statements())
        self._judges: tuple[Callable[[Sequence[int]], bool], ...] = ()
        self._allowed: dict[int, frozenset[int]] = {}
        self._places: list[int | None] = []
        self._mentioning: dict[IntVar, list[int]] = {}

    # Solving.

    def _solve(self, problem: Problem, *, hand_over: bool = True) -> Values | None:
        """Return a verified solution of a problem, or None if it was proven that there is none."""
        self._control.best, self._control.share, self._control.found = None, None, len(self.witnesses)
        choice = choose(problem, "auto", self._control)
        asked = "auto" if hand_over else choice.backend.name
        backend, answer = first_answer(problem, asked, choice, self._control)
        if answer.status is Status.TIMEOUT:
            raise TimeLimitReached
        if answer.values is not None:
            Verifier(problem).check(answer.values, backend)
        return answer.values

    def _with(self, chosen: Collection[int]) -> Problem:
        return replace(self._problem, constraints=tuple(self.statements[i] for i in sorted(chosen)))

    def _solve_joined(self, chosen: Collection[int], *, hand_over: bool) -> Values | None:
        """Do the same for some statements, those of one variable joined; their solution is checked one by one."""
        allowed: dict[IntVar, frozenset[int]] = {}
        others: list[Constraint] = []
        for i in chosen:
            if i in self._allowed:
                (variable,) = self.statements[i].variables
                allowed[variable] = allowed.get(variable, self._allowed[i]) & self._allowed[i]
            else:
                others.append(self.statements[i])
        if not all(allowed.values()):
            return None
        joined = [InDomain(variable, values) for variable, values in allowed.items()]
        values = self._solve(replace(self._problem, constraints=(*others, *joined)), hand_over=hand_over)
        if values is not None and self._broken(values, chosen):
            raise VerificationError(
                "a solution of some constraints breaks one of them when they are checked one by one"
            )
        return values

    def _solve_patiently(self, chosen: Collection[int], patience: float) -> Values | PutOff | None:
        """Do the same, but for at most `patience` seconds."""
        end = self._control.deadline
        self._control.limit_to(patience)
        try:
            return self._solve_joined(chosen, hand_over=patience > FIRST_PATIENCE)
        except TimeLimitReached:
            self._control.deadline = end
            self._control.poll()  # if it was the caller's limit
            return PUT_OFF
        finally:
            self._control.deadline = end

    # The steps.

    def begin(self, *, proven: bool = False) -> Values | None:
        """Return a solution of the whole, or find the set to begin with; `proven` says that the whole has none."""
        everything = range(len(self.statements))
        solution = None if proven else self._solve(self._with(everything))
        if solution is not None:
            return solution
        self.known = list(everything)
        self._read()
        guess = self._guess() if len(everything) >= GUESSED_FROM else None
        if guess is not None and self._solve_patiently(guess, GUESS_SECONDS) is None:
            self.known = guess
        return None

    def _read(self) -> None:
        places = {variable: variable.index for variable in self._problem.variables}
        self._judges = tuple(statement.judge(places) for statement in self.statements)
        for i, statement in enumerate(self.statements):
            self._control.poll()
            variables = statement.variables
            for variable in variables:
                self._mentioning.setdefault(variable, []).append(i)
            self._places.append(None)
            if len(variables) == 1 and len(variables[0].domain) <= MAX_TABULATED:
                (variable,) = variables
                self._allowed[i] = frozenset(v for v in variable.domain if statement.check({variable: v}))
                self._places[i] = variable.index

    def _guess(self) -> list[int] | None:
        """Return the statements that CP-SAT blames, if it can tell soon."""
        end, left = self._control.deadline, self._control.remaining()
        self._control.limit_to(GUESS_SECONDS if left is None else min(GUESS_SECONDS, left / 4))
        try:
            return first_guess(self._problem, self._control)
        except (TimeLimitReached, UnsupportedModel, BackendUnavailable):
            return None
        finally:
            self._control.deadline = end

    def shrink(self) -> None:
        """Leave out what is not needed: many statements at once while that goes well, half as many where it does not.

        A single statement that cannot be left out is needed: the solution of the others is its witness, also for all smaller
        sets to come.
        """
        assert self.known is not None
        waiting = deque(sorted(self.known, key=self._importance))
        size, patience, put_off = max(1, len(waiting) // 2), FIRST_PATIENCE, 0
        while waiting:
            chunk = set(islice(waiting, size))
            rest = [i for i in self.known if i not in chunk]
            found = self._solve_patiently(rest, patience)
            if found is None:
                self.known = rest
                waiting = deque(i for i in waiting if i not in chunk)
                size, put_off = min(2 * size, max(1, len(waiting))), 0
                continue
            if isinstance(found, PutOff):
                if len(chunk) == 1:
                    waiting.rotate(-1)
                    put_off += 1
                    if put_off >= len(waiting):
                        patience, put_off = MORE_PATIENCE * patience, 0
            else:
                broken = self._broken(found, self.known)
                if not broken:
                    raise VerificationError(WITHDRAWN)
                if len(broken) == 1:
                    self._needed(broken[0], found)
                    waiting = deque(i for i in waiting if i not in self.witnesses)
                    put_off = 0
            size = max(1, size // 2)

    def _importance(self, i: int) -> tuple[int, int]:
        """Return a key: what is to be left out first. Rules go before squares, and squares from one end of the board on.

        So the set is about few rules and few rows; and it is found faster, because the rows that are left stay narrow.
        """
        return -len(self.statements[i].variables), -i

    def verify(self) -> None:
        """Solve the set as it is stated, and check the solution of each set with one statement left out.

        Raises
        ------
        VerificationError
            A backend answers otherwise than before.
        """
        assert self.known is not None
        if self._solve(self._with(self.known)) is not None:
            raise VerificationError(WITHDRAWN)
        for left_out in self.known:
            self._control.poll()
            assignment = dict(zip(self._problem.variables, self.witnesses[left_out], strict=True))
            in_domains = all(value in variable.domain for variable, value in assignment.items())
            if not in_domains or not all(self.statements[i].check(assignment) for i in self.known if i != left_out):
                raise VerificationError(
                    f"'{self.statements[left_out]}' may not be needed: its witness breaks another one"
                )

    # Solutions that break one statement.

    def _broken(self, values: Values, among: Iterable[int]) -> list[int]:
        """Return which of some statements an assignment breaks; where there are more than one, two of them."""
        broken = []
        for i in among:
            place = self._places[i]
            if (values[place] not in self._allowed[i]) if place is not None else not self._judges[i](values):
                broken.append(i)
                if len(broken) == 2:
                    break
        return broken

    def _needed(self, first: int, values: Values) -> None:
        """Note that a statement is needed, and look near its witness for witnesses of others."""
        assert self.known is not None
        members = set(self.known)
        self.witnesses[first] = values
        waiting = [(first, values)]
        while waiting:
            broken, near = waiting.pop()
            for moved, changed in islice(self._moves(broken, near), MAX_MOVES):
                self._control.poll()
                touched = {i for variable in moved for i in self._mentioning[variable] if i in members}
                now = self._broken(changed, touched | {broken})
                if len(now) == 1 and now[0] not in self.witnesses:
                    self.witnesses[now[0]] = changed
                    waiting.append((now[0], changed))

    def _moves(self, broken: int, values: Values) -> Iterator[tuple[tuple[IntVar, ...], Values]]:
        """Yield assignments near `values`: one variable of the broken statement changed, or its value exchanged."""
        variables = self.statements[broken].variables
        for variable in variables:
            for value in variable.domain:
                if value != values[variable.index]:
                    yield (variable,), _changed(values, {variable.index: value})
        for one in variables:
            for other in self._problem.variables:
                a, b = values[one.index], values[other.index]
                if a != b and b in one.domain and a in other.domain and other in self._mentioning:
                    yield (one, other), _changed(values, {one.index: b, other.index: a})


def _changed(values: Values, changes: dict[int, int]) -> Values:
    changed = list(values)
    for index, value in changes.items():
        changed[index] = value
    return tuple(changed)


def first_guess(problem: Problem, control: Control) -> list[int] | None:
    """Return the numbers of the statements that CP-SAT blames for there being no solution; not to be trusted."""
    backend = get_backend("cp-sat")
    return backend.blamed(problem, control) if isinstance(backend, CpSatBackend) else None
