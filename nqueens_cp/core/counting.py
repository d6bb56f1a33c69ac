"""Counting a diagonal form the fastest way there is for it: by joining half boards or by backtracking."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import comb, prod

from nqueens_cp.control import Control
from nqueens_cp.core import join, kernel, pure, threads
from nqueens_cp.core.compile import DiagonalForm, columns_of

JOIN_FROM = 10
"""Open boards with fewer rows are counted sooner by backtracking."""
JOIN_NODES, GROWTH = 1_000_000, 5
"""Backtracking looks at so many nodes while the join counts an open board of 14 rows; each row more multiplies that."""
TRIAL_SHARE, LONGEST_TRIAL = 16, 100_000_000  # nodes; a fraction of a second


def count(form: DiagonalForm, control: Control) -> int:
    """Return the number of solutions of a diagonal form, counted by ``control.workers`` threads of the kernel."""
    if not (form.columns or form.diagonals or form.antidiagonals):
        return _of_free_rows(form, control)
    if not kernel.takes_rows(form):
        return pure.diagonal_count(form, control)
    if not join.takes(form) or form.width < JOIN_FROM:
        return by_backtracking(form, control)
    if not form.is_plain_queens:
        found = _by_backtracking_soon(form, control, _join_nodes(form))
        if found is not None:
            return found
    return join.count(form, control)


def _of_free_rows(form: DiagonalForm, control: Control) -> int:
    """Return the number of solutions where no two rows have anything to do with each other: their choices multiply."""
    control.found += prod(mask.bit_count() for mask in form.allowed)
    return control.found


def _join_nodes(form: DiagonalForm) -> int:
    """Return about how many nodes backtracking looks at in the time that the join takes.

    It was fitted to boards of 12 to 18 rows with random placed and blocked squares; a factor of 3 off does little harm.
    """
    n, half = form.width, form.width // 2
    free = prod(len(columns_of(mask)) / n for mask in form.allowed)
    looking_only = comb(n, half) << half  # every column set and, in it, every set of rows
    return max(looking_only, int(JOIN_NODES * GROWTH ** (n - 14) * free ** (1 / 3)))


def by_backtracking(form: DiagonalForm, control: Control) -> int:
    """Return the number of solutions by backtracking, counted by ``control.workers`` threads of the kernel."""
    if control.workers > 1 and len(form.allowed) > 2:
        return threads.count([(partial(kernel.for_rows, part), weight) for part, weight in parts(form)], control)
    for first, weight in form.weighted_first_rows():
        kernel.count(kernel.for_rows(form, first), control, weight)
    return control.found


def _by_backtracking_soon(form: DiagonalForm, control: Control, budget: int) -> int | None:
    """Return the number of solutions if backtracking finds it within about `budget` nodes, the join's cost, or else None.

    Many placed or blocked squares make boards that backtracking counts at once. It is tried on a small share of the budget, and
    goes on if the share of the search space that is done by then says that the budget will do.
    """
    before, found, nodes = control.found, 0, 0
    trial, decided = min(budget // TRIAL_SHARE, LONGEST_TRIAL), False
    halves = form.weighted_first_rows()
    try:
        for done, (first, weight) in enumerate(halves):
            search, slices, earlier = kernel.for_rows(form, first), kernel.Slices(), found
            while not slices.run(search.count):
                found = earlier + weight * search.found
                spent, share = nodes + search.nodes, (done + search.share()) / len(halves)
                if not decided and spent > trial:
                    if spent > budget * share:
                        found = 0
                        return None
                    if control.workers > 1:
                        found = 0
                        return by_backtracking(form, control)
                    decided = True
                if decided:
                    control.found, control.share = before + found, lambda share=share: share
                control.poll()
            found = earlier + weight * search.found
            nodes += search.nodes
    finally:  # nothing is lost if it is stopped
        control.found = max(control.found, before + found)
    control.statistics["nodes"] = nodes
    return found


def parts(form: DiagonalForm) -> list[tuple[DiagonalForm, int]]:
    """Return independent parts of a form with at least two rows, and how often the solutions of each count.

    A part has one column of the first row and one of the second.
    """
    return [
        (replace(form, allowed=(1 << first, 1 << second, *form.allowed[2:])), weight)
        for mask, weight in form.weighted_first_rows()
        for first in columns_of(mask)
        for second in columns_of(form.allowed[1])
    ]
