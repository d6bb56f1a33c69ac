"""The hand-written core as a backend: the default wherever a model compiles to one of its search forms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from nqueens_cp.backends.base import Answer, Backend, Capabilities, Part, split_by_values
from nqueens_cp.constraints import InDomain
from nqueens_cp.control import Control
from nqueens_cp.core import counting, join, kernel, pure
from nqueens_cp.core.compile import CannotCompile, ConflictForm, DiagonalForm, columns_of, compile_problem
from nqueens_cp.core.construct import explicit_queens
from nqueens_cp.errors import UnsupportedModel
from nqueens_cp.model import Problem
from nqueens_cp.result import Status
from nqueens_cp.version import __version__

Form = DiagonalForm | ConflictForm


class CoreBackend(Backend):
    """Backtracking on bit masks: compiled, or where that cannot be had in plain Python."""

    name = "core"

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override]
        """What it can do; the compiled kernel searches outside Python."""
        return Capabilities(lexicographic=True, releases_gil=kernel.load()[0] is not None)

    def load(self) -> None:
        kernel.warn_if_missing()
        if kernel.load()[0] is not None:
            join.vectors()  # refuses what the environment should not ask for

    def version(self) -> str:
        module, reason = kernel.load()
        return f"{__version__} ({f'pure Python: {reason}' if module is None else f'compiled, {join.vectors()}'})"

    def translate(self, problem: Problem, control: Control) -> Form:
        try:
            return compile_problem(problem, control)
        except CannotCompile as error:
            raise UnsupportedModel(f"core cannot take model {problem.name!r}: {error}") from None

    def solve(self, translated: Form, control: Control) -> Answer:
        values = _first(translated, control)
        return Answer(Status.UNSATISFIABLE if values is None else Status.SATISFIED, values)

    def solutions(self, translated: Form, control: Control) -> Iterator[tuple[int, ...]]:
        if isinstance(translated, ConflictForm):
            table = kernel.for_table(translated, lexicographic=True)
            if table is None:
                yield from pure.conflict_solutions(translated, control)
                return
            with closing(kernel.solutions(table, control, len(translated.domains))) as positions:
                yield from map(translated.values, positions)
            return
        rows = kernel.for_rows(translated)
        if rows is None:
            found = pure.diagonal_solutions(translated, control)
        else:
            found = kernel.solutions(rows, control, len(translated.allowed))
        if not any(translated.firsts):
            yield from found
        else:
            with closing(found):
                yield from map(translated.values, found)

    def count(self, translated: Form, control: Control) -> int:
        if isinstance(translated, ConflictForm):
            factor, bound = translated.without_free_variables()
            table = kernel.for_table(bound, lexicographic=False) if factor else None
            return pure.conflict_count(translated, control) if table is None else kernel.count(table, control, factor)
        return counting.count(translated, control)

    def shares_out_count(self, translated: Form) -> bool:
        return isinstance(translated, DiagonalForm) and kernel.takes_rows(translated)

    def parts(self, problem: Problem, translated: Form, at_least: int, *, counting: bool) -> list[Part]:
        if not (counting and isinstance(translated, DiagonalForm) and problem.variables):
            return super().parts(problem, translated, at_least, counting=counting)
        row, first = problem.variables[0], translated.firsts[0]
        parts = []
        for mask, weight in translated.weighted_first_rows():
            chosen = InDomain(row, frozenset(first + column for column in columns_of(mask)))
            halves = split_by_values(problem.with_constraints(chosen), 2 * at_least)
            parts += [Part(part, weight) for part in halves]
        return parts


def _first(form: Form, control: Control) -> tuple[int, ...] | None:
    """Return the values of one solution, or None if there is none."""
    if isinstance(form, DiagonalForm):
        if form.is_plain_queens:
            constructed = explicit_queens(form.width)
            return None if constructed is None else form.values(constructed)
        if not kernel.takes_rows(form):
            columns = pure.diagonal_first(form, control)
            return None if columns is None else form.values(columns)
        form = form.as_conflict_form()
    table = kernel.for_table(form, lexicographic=False)
    if table is None:
        return pure.conflict_first(form, control)
    with closing(kernel.solutions(table, control, len(form.domains))) as found:
        positions = next(found, None)
    return None if positions is None else form.values(positions)
