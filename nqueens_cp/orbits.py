"""Counting solutions up to symmetry, without listing them: `count_up_to_symmetry`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nqueens_cp.choosing import Choice, choose
from nqueens_cp.control import Control
from nqueens_cp.model import Model, Problem
from nqueens_cp.relations import Constraint
from nqueens_cp.search import ProgressCallback, count_chosen, make_control, told_when_stopped, without_objective
from nqueens_cp.symmetry import Group, Symmetry, compatible_squares, form_of_rows, group_of_form

if TYPE_CHECKING:
    from nqueens_cp.compatibility import CompatibleSquares


@dataclass(frozen=True, slots=True)
class OrbitCount:
    """How many solutions a model has up to the symmetries of its board.

    Solutions that symmetries map to each other form an orbit; its size divides the number of symmetries.

    Attributes
    ----------
    orbits : int
        The number of orbits: the number of solutions up to symmetry.
    solutions : int
        The number of solutions.
    sizes : dict of int to int
        For each size of orbits, the largest first, how many there are.
    group : Group
        The symmetries.
    """

    orbits: int
    solutions: int
    sizes: dict[int, int]
    group: Group

    def __str__(self) -> str:
        parts = ", ".join(f"{number:,} of size {size}" for size, number in self.sizes.items())
        what = f"{self.orbits:,} up to {len(self.group)} symmetries" if len(self.group) > 1 else f"{self.orbits:,}"
        return f"{what}{': ' if parts else ''}{parts} ({self.solutions:,} solution{'' if self.solutions == 1 else 's'})"


def count_up_to_symmetry(
    model: Model | int,
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> OrbitCount:
    """Count the solutions up to the symmetries of the board.

    The solutions are counted as `count` does it, and so are those that stay as they are under a symmetry, for each group of
    symmetries. From this the number of orbits of each size follows.

    Parameters
    ----------
    model : Model or int
        A model of a board with one variable for each row, and no others, that the core takes; or the size of a classic board.
    backend : str
        What counts: "auto", or a name from `nqueens_cp.backends.backend_names`.
    time_limit : int or float, optional
        Seconds of wall clock.
    workers : int
        The search space is shared out among so many threads or processes.
    progress : callable, optional
        Called now and then with a `Progress`.

    Raises
    ------
    SearchStopped
        The time limit was reached first; its ``partial`` is a lower bound of the number of orbits.
    SearchInterrupted
        Ctrl-C; its ``partial`` is the same.
    UnsupportedModel
        The model is no such board, has an objective, or the backend cannot take it.

    Examples
    --------
    >>> from nqueens_cp import count_up_to_symmetry
    >>> print(count_up_to_symmetry(8))
    12 up to 8 symmetries: 11 of size 8, 1 of size 4 (92 solutions)
    """
    control = make_control(time_limit, workers, progress=progress)
    problem = without_objective(model, "count_up_to_symmetry")
    counting = _Counting(problem, control)

    def known() -> tuple[str, int]:
        least = counting.at_least()
        return f"at least {least} solutions up to symmetry", least

    with told_when_stopped(time_limit, known):
        return counting.run(backend)


class _Counting:
    """The counts of the solutions that subgroups leave as they are; of all solutions, which takes longest, the last."""

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem, self.control = problem, control
        self.group: Group | None = None
        self.fixed: dict[frozenset[Symmetry], int] = {}
        """For each subgroup, how many solutions each of its elements maps to themselves."""

    def run(self, backend: str) -> OrbitCount:
        form = form_of_rows(self.problem, self.control)
        self.group = group = group_of_form(self.problem, form, self.control)
        choice = choose(self.problem, backend, self.control)
        *larger, trivial = map(frozenset, group.subgroups())
        squares = (
            compatible_squares(self.problem, form, self.control) if larger and choice.backend.name == "core" else None
        )
        for subgroup in larger:
            if subgroup not in self.fixed:
                self.control.found = 0
                number = self._fixed_by(subgroup, choice, squares)
                self.fixed.update((group.conjugate(subgroup, by), number) for by in group.elements)
        self.control.found = 0
        total = self.fixed[trivial] = count_chosen(self.problem, choice, self.control)
        sizes = self._orbits_by_size([*larger, trivial], len(group))
        return OrbitCount(sum(sizes.values()), total, sizes, group)

    def _fixed_by(self, subgroup: frozenset[Symmetry], choice: Choice, squares: CompatibleSquares | None) -> int:
        if squares is not None:
            return choice.backend.count(squares.fixed_by(subgroup), self.control)
        fixed = self.problem.with_constraints(*fixed_by(self.problem, subgroup))
        return count_chosen(fixed, choose(fixed, choice.backend.name, self.control), self.control)

    def _orbits_by_size(self, subgroups: list[frozenset[Symmetry]], order: int) -> dict[int, int]:
        """Return how many orbits of each size there are: those of the solutions fixed by one subgroup and no larger one."""
        only: dict[frozenset[Symmetry], int] = {}
        solutions: dict[int, int] = {}
        for subgroup in subgroups:  # the largest first
            only[subgroup] = self.fixed[subgroup] - sum(number for larger, number in only.items() if larger > subgroup)
            size = order // len(subgroup)
            solutions[size] = solutions.get(size, 0) + only[subgroup]
        return {size: number // size for size, number in sorted(solutions.items(), reverse=True) if number}

    def at_least(self) -> int:
        """Return a lower bound of the number of orbits, by Burnside's lemma with 0 for the counts that are not known."""
        if self.group is None:
            return 0
        known = [self.fixed.get(self.group.generated(element), 0) for element in self.group.elements[1:]]
        return -(-(self.control.found + sum(known)) // len(self.group))


def fixed_by(problem: Problem, symmetries: Iterable[Symmetry]) -> Iterator[Constraint]:
    """Yield constraints that hold for those solutions of a board of rows that each of some symmetries maps to themselves."""
    board = problem.board
    assert board is not None
    for symmetry in symmetries:
        for row in range(board.height):
            for column in range(board.columns):
                there = symmetry.square((row, column), board.height, board.columns)
                if there != (row, column):
                    yield board.at(row, column).implies(board.at(*there))
