"""What the command ``gallery`` draws, and how it looks for solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from nqueens_cp.cli.options import Exit

if TYPE_CHECKING:
    from nqueens_cp.render.diagram import Diagram

MOST = 100
"""So many boards are drawn unless a limit is given."""


class Drawn(NamedTuple):
    """What is drawn; `end` is called with words of where it went when that is done, and gives the exit status."""

    boards: list[Diagram]
    title: str
    note: str
    partial: bool
    end: Callable[[str], Exit]


@dataclass(frozen=True, slots=True)
class Search:
    """How solutions are looked for."""

    backend: str
    workers: int
    seconds: float | None
    up_to_symmetry: bool
    progress: Any = None

    def boards(self, model: Any, limit: int) -> tuple[list[Diagram], str]:
        """Return at most so many solutions as they are drawn, numbered, and how the search ended."""
        from nqueens_cp.listing.batches import BatchIterator
        from nqueens_cp.result import Scope, Solution
        from nqueens_cp.search import make_control, without_objective

        problem = without_objective(model, "gallery")
        control = make_control(self.seconds, self.workers, progress=self.progress)
        scope, size = Scope(problem), len(problem.variables)
        found: list[Diagram] = []
        with BatchIterator(
            problem, self.backend, control, limit, verify=True, up_to_symmetry=self.up_to_symmetry
        ) as batches:
            try:
                for batch in batches:
                    for values in batch.tolist():
                        orbit = f" (orbit of {values[size]})" if self.up_to_symmetry else ""
                        diagram = Solution(scope, tuple(values[:size])).diagram()
                        found.append(replace(diagram, caption=f"{len(found) + 1}{orbit}"))
                return found, str(batches.status)
            except KeyboardInterrupt:
                return found, "interrupted"
