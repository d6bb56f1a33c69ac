"""A constraint-programming toolkit for the N-Queens family.

State a problem once, as a `Model`; then `solve`, `count` or iterate over its `solutions` with any backend.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nqueens_cp.version import __version__

if TYPE_CHECKING:
    from nqueens_cp.choosing import explain
    from nqueens_cp.comparison import compare
    from nqueens_cp.constraints import (
        all_different,
        allowed_assignments,
        forbidden_assignments,
        in_domain,
        lex_lesseq,
        predicate,
    )
    from nqueens_cp.control import Progress
    from nqueens_cp.errors import (
        BackendUnavailable,
        ClusterError,
        InvalidType,
        InvalidValue,
        NoSolution,
        NQueensError,
        SearchInterrupted,
        SearchStopped,
        UnknownBackend,
        UnsupportedModel,
        VerificationError,
    )
    from nqueens_cp.formats import export
    from nqueens_cp.functions import count_of, element
    from nqueens_cp.jobs.checking import check_checkpoint
    from nqueens_cp.jobs.counting import count_in_jobs
    from nqueens_cp.large import place_queens, random_placements
    from nqueens_cp.listing.batches import batches, to_dataframe, to_numpy
    from nqueens_cp.listing.checking import check_file
    from nqueens_cp.listing.files import write_solutions
    from nqueens_cp.loader import load_model
    from nqueens_cp.model import Model
    from nqueens_cp.orbits import count_up_to_symmetry
    from nqueens_cp.puzzles.maker import puzzle
    from nqueens_cp.puzzles.puzzle import Puzzle
    from nqueens_cp.ranking import nth_solution, rank, sample
    from nqueens_cp.render.sheet import sheet
    from nqueens_cp.result import Result, Solution, Status
    from nqueens_cp.search import count, solutions, solve
    from nqueens_cp.squares import square_counts
    from nqueens_cp.symmetry import symmetry_group
    from nqueens_cp.unsatisfiable import Conflict, explain_unsatisfiable
    from nqueens_cp.variants import queens

__all__ = [
    "BackendUnavailable",
    "ClusterError",
    "Conflict",
    "InvalidType",
    "InvalidValue",
    "Model",
    "NQueensError",
    "NoSolution",
    "Progress",
    "Puzzle",
    "Result",
    "SearchInterrupted",
    "SearchStopped",
    "Solution",
    "Status",
    "UnknownBackend",
    "UnsupportedModel",
    "VerificationError",
    "__version__",
    "all_different",
    "allowed_assignments",
    "batches",
    "check_checkpoint",
    "check_file",
    "compare",
    "count",
    "count_in_jobs",
    "count_of",
    "count_up_to_symmetry",
    "element",
    "explain",
    "explain_unsatisfiable",
    "export",
    "forbidden_assignments",
    "in_domain",
    "lex_lesseq",
    "load_model",
    "nth_solution",
    "place_queens",
    "predicate",
    "puzzle",
    "queens",
    "random_placements",
    "rank",
    "sample",
    "sheet",
    "solutions",
    "solve",
    "square_counts",
    "symmetry_group",
    "to_dataframe",
    "to_numpy",
    "write_solutions",
]

_NAMES = {
    "choosing": "explain",
    "comparison": "compare",
    "constraints": "all_different allowed_assignments forbidden_assignments in_domain lex_lesseq predicate",
    "control": "Progress",
    "errors": "BackendUnavailable ClusterError InvalidType InvalidValue NQueensError NoSolution "
    "SearchInterrupted SearchStopped UnknownBackend UnsupportedModel VerificationError",
    "formats": "export",
    "functions": "count_of element",
    "jobs.checking": "check_checkpoint",
    "jobs.counting": "count_in_jobs",
    "large": "place_queens random_placements",
    "listing.batches": "batches to_dataframe to_numpy",
    "listing.checking": "check_file",
    "listing.files": "write_solutions",
    "loader": "load_model",
    "model": "Model",
    "orbits": "count_up_to_symmetry",
    "puzzles.maker": "puzzle",
    "puzzles.puzzle": "Puzzle",
    "ranking": "nth_solution rank sample",
    "render.sheet": "sheet",
    "result": "Result Solution Status",
    "search": "count solutions solve",
    "squares": "square_counts",
    "symmetry": "symmetry_group",
    "unsatisfiable": "Conflict explain_unsatisfiable",
    "variants": "queens",
}
"""In which module each public name is: it is imported when it is first used, so that the package itself is there at once."""

_MODULES = {name: f"nqueens_cp.{module}" for module, names in _NAMES.items() for name in names.split()}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value
