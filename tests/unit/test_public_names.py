"""The public namespace: which names, each once, and nothing heavy behind `import nqueens_cp`."""

from __future__ import annotations

import dataclasses

import pytest

import nqueens_cp
from fresh_python import run_python
from nqueens_cp import errors
from nqueens_cp.backends import backend_names, get_backend

EXPORTED = {
    "BackendUnavailable", "ClusterError", "Conflict", "InvalidType", "InvalidValue", "Model", "NQueensError",
    "NoSolution", "Progress", "Puzzle", "Result", "SearchInterrupted", "SearchStopped", "Solution", "Status",
    "UnknownBackend", "UnsupportedModel", "VerificationError", "all_different", "allowed_assignments", "batches",
    "check_checkpoint", "check_file", "compare", "count", "count_in_jobs", "count_of", "count_up_to_symmetry",
    "element", "explain", "explain_unsatisfiable", "export", "forbidden_assignments", "in_domain", "lex_lesseq",
    "load_model", "nth_solution", "place_queens", "predicate", "puzzle", "queens", "random_placements", "rank",
    "sample", "sheet", "solutions", "solve", "square_counts", "symmetry_group", "to_dataframe", "to_numpy", "write_solutions",
}  # fmt: skip
HEAVY = ("ortools", "constraint", "numpy", "pandas", "typer", "rich", "multiprocessing.pool", "asyncio")


def test_the_exported_names_are_pinned():
    assert len(nqueens_cp.__all__) == len(set(nqueens_cp.__all__)), "each name once"
    assert set(nqueens_cp.__all__) - {"__version__"} == EXPORTED


def test_every_exported_name_exists_and_is_documented():
    for name in EXPORTED:
        assert (getattr(nqueens_cp, name).__doc__ or "").strip(), f"{name} has no docstring"
    assert set(EXPORTED) <= set(dir(nqueens_cp))


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no_such_name"):
        nqueens_cp.no_such_name  # noqa: B018


@pytest.mark.parametrize(
    "statement",
    [
        "import nqueens_cp",
        "from nqueens_cp import Model, count, solutions, solve, explain, queens",
        "import nqueens_cp; nqueens_cp.count(4)",
        "import nqueens_cp; m = nqueens_cp.queens(4); m.add(m.variables[0] > 1); str(m); list(nqueens_cp.solutions(m))",
        "from nqueens_cp.backends import backend_names; backend_names()",
    ],
)
def test_nothing_heavy_is_imported(statement):
    report = f"import sys; {statement}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = run_python(report)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("InvalidValue", ValueError),
        ("InvalidType", TypeError),
        ("UnknownBackend", ValueError),
        ("BackendUnavailable", RuntimeError),
        ("UnsupportedModel", ValueError),
        ("NoSolution", LookupError),
        ("SearchStopped", Exception),
        ("VerificationError", RuntimeError),
    ],
)
def test_exceptions_can_be_caught_both_ways(name, base):
    exception = getattr(errors, name)
    assert issubclass(exception, errors.NQueensError)
    assert issubclass(exception, base)
    assert getattr(nqueens_cp, name) is exception


def test_an_interruption_is_an_interruption():
    assert issubclass(errors.SearchInterrupted, KeyboardInterrupt)
    assert not issubclass(errors.SearchInterrupted, Exception)


def test_the_registry():
    assert set(backend_names()) >= {"core", "cp-sat", "python-constraint"}
    assert "auto" not in backend_names()
    for name in backend_names():
        backend = get_backend(name)
        assert backend.name == name
        assert backend.version()
        for field in dataclasses.fields(backend.capabilities):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(backend.capabilities, field.name, "changed")
    with pytest.raises(nqueens_cp.UnknownBackend, match="nobody"):
        get_backend("nobody")
