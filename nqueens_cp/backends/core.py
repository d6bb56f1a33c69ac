"""The hand-written core as a backend: the default wherever a model compiles to one of its search forms."""

from __future__ import annotations

from collections.abc import Iterator

from nqueens_cp.backends.base import Answer, Backend, Capabilities, Part, split_by_values
from nqueens_cp.constraints import InDomain
from nqueens_cp.control import Control
from nqueens_cp.core import pure
from nqueens_cp.core.compile import CannotCompile, ConflictForm, DiagonalForm, compile_problem
from nqueens_cp.core.construct import explicit_queens
from nqueens_cp.errors import UnsupportedModel
from nqueens_cp.model import Problem
from nqueens_cp.result import Status
from nqueens_cp.version import __version__

Form = DiagonalForm | ConflictForm


class CoreBackend(Backend):
    """Backtracking on bit masks, in plain Python."""

    name = "core"
    capabilities = Capabilities(lexicographic=True)

    def load(self) -> None:
        """Nothing to import."""

    def version(self) -> str:
        return f"{__version__} (pure Python)"

    def translate(self, problem: Problem, control: Control) -> Form:
        try:
            return compile_problem(problem, control)
        except CannotCompile as error:
            raise UnsupportedModel(f"core cannot take model {problem.name!r}: {error}") from None

    def solve(self, translated: Form, control: Control) -> Answer:
        values: tuple[int, ...] | None
        if isinstance(translated, ConflictForm):
            values = pure.conflict_first(translated, control)
        else:
            if translated.is_plain_queens:
                columns = explicit_queens(translated.width)
            else:
                columns = pure.diagonal_first(translated, control)
            values = None if columns is None else translated.values(columns)
        return Answer(Status.UNSATISFIABLE if values is None else Status.SATISFIED, values)

    def solutions(self, translated: Form, control: Control) -> Iterator[tuple[int, ...]]:
        if isinstance(translated, ConflictForm):
            yield from pure.conflict_solutions(translated, control)
        else:
            for columns in pure.diagonal_solutions(translated, control):
                yield translated.values(columns)

    def count(self, translated: Form, control: Control) -> int:
        if isinstance(translated, ConflictForm):
            return pure.conflict_count(translated, control)
        return pure.diagonal_count(translated, control)

    def parts(self, problem: Problem, translated: Form, at_least: int, *, counting: bool) -> list[Part]:
        if not (counting and isinstance(translated, DiagonalForm) and translated.allowed and translated.has_mirror):
            return super().parts(problem, translated, at_least, counting=counting)
        # The solutions with the first queen on the right half are mirror images of those with it on the left half.
        row, first, half = problem.variables[0], translated.firsts[0], translated.width // 2
        left = problem.with_constraints(InDomain(row, frozenset(range(first, first + half))))
        parts = [Part(part, 2) for part in split_by_values(left, 2 * at_least)]
        if translated.width % 2:
            middle = problem.with_constraints(InDomain(row, frozenset((first + half,))))
            parts += [Part(part) for part in split_by_values(middle, at_least)]
        return parts
