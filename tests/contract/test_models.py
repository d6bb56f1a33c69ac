"""Every file in models/ on every backend, against the counts and optima it quotes; and those against the published tables."""

from __future__ import annotations

import ast
import itertools
import json
import math
import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nqueens_cp import InvalidValue, Model, Status, UnsupportedModel, cli, count, explain, load_model, solutions, solve
from nqueens_cp.backends import backend_names

PROJECT = Path(__file__).resolve().parents[2]
SHARED = PROJECT.parent / "shared"
MODEL_FILES = sorted((PROJECT / "models").glob("[!_]*.py"))
COMPLETION = SHARED / "cases" / "completion.jsonl"
BY_CORE = {
    *("queens", "rooks", "toroidal_queens", "blocked_queens", "completion", "semi_queens", "amazons", "no_touch"),
    *(
        "region_queens",
        "half_turn_queens",
        "quarter_turn_queens",
        "reflecting_queens",
        "rectangular_queens",
        "langford",
    ),
    *("some_queens", "some_rooks", "bishops", "knights", "kings"),  # these while the number of pieces is free
}
BY_CP_SAT = {
    *("maximal_queens", "queens_domination", "peaceable_armies", "no_three_in_line", "star_battle", "queens_3d"),
    *("magic_square", "all_interval_series", "costas_arrays"),
}

# What is tried of the quoted numbers: so that each takes seconds at most, with the core in pure Python too.
LARGEST_SPACE = {"core": 2**50, "cp-sat": 2**50, "python-constraint": 2**25}  # the product of all domains
MOST_SOLUTIONS = 800  # asked one by one, of every backend
MOST_COUNTED = {"core": 150_000, "cp-sat": 5_000}  # counted, by the backend that auto takes
LARGEST_COUNTED = 2**54
LARGEST_OPTIMUM = 2**64
SLOW = {  # harder than their size tells: the smallest sizes that are left out
    ("queens_domination", "python-constraint"): 4,  # its sums over many squares prune nothing
    ("queens_domination", "cp-sat"): 8,
    ("all_interval_series", "cp-sat"): 10,
    ("all_interval_series", "python-constraint"): 8,
    ("costas_arrays", "cp-sat"): 9,
    ("costas_arrays", "python-constraint"): 8,
    ("langford", "cp-sat"): 10,
    ("toroidal_queens", "cp-sat"): 14,
}


def _entries(table: str) -> list[tuple[str, dict[str, Any], int]]:
    """Return (model name, parameters, number) for every entry of the tables PUBLISHED or OPTIMA of all files."""
    return [
        (path.stem, parameters, number)
        for path in MODEL_FILES
        for parameters, number in runpy.run_path(str(path)).get(table, ())
    ]


def _is_slow(name: str, parameters: dict[str, Any], backend: str) -> bool:
    return parameters.get("n", 0) >= SLOW.get((name, backend), math.inf)


def _space(model: Model) -> int:
    return math.prod(len(variable.domain) for variable in model.variables)


def _asked() -> Iterator[Any]:
    """Yield (backend, model name, parameters, count) for what every backend is asked."""
    for i, (name, parameters, number) in enumerate(_entries("PUBLISHED")):
        if number <= MOST_SOLUTIONS:
            space = _space(load_model(name, **parameters))
            for backend in backend_names():
                largest = LARGEST_SPACE.get(backend, min(LARGEST_SPACE.values()))
                if space <= largest and not _is_slow(name, parameters, backend):
                    yield pytest.param(backend, name, parameters, number, id=f"{name}-{i}-{backend}")


def _counted() -> Iterator[Any]:
    """Yield (model name, parameters, count) for larger numbers, which the backend that auto takes shall count."""
    for i, (name, parameters, number) in enumerate(_entries("PUBLISHED")):
        if number > MOST_SOLUTIONS:
            model = load_model(name, **parameters)
            backend = explain(model).backend
            small = number <= MOST_COUNTED[backend] and _space(model) <= LARGEST_COUNTED
            if small and not _is_slow(name, parameters, backend):
                yield pytest.param(name, parameters, number, id=f"{name}-{i}")


def _optima() -> Iterator[Any]:
    for i, (name, parameters, optimum) in enumerate(_entries("OPTIMA")):
        small = _space(load_model(name, **parameters)) <= LARGEST_OPTIMUM
        if small and not _is_slow(name, parameters, "cp-sat"):
            yield pytest.param(name, parameters, optimum, id=f"{name}-{i}")


def _completions() -> list[Any]:
    if not COMPLETION.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{COMPLETION} is not there"))]
    boards = map(json.loads, COMPLETION.read_text(encoding="utf-8").splitlines())
    return [pytest.param(board, id=board["id"]) for board in boards if board["n"] <= 14 and "solutions" in board]


def _squares(pairs: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((row, column) for row, column in pairs)


def test_the_promised_models_are_there():
    assert {path.stem for path in MODEL_FILES} == BY_CORE | BY_CP_SAT


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: path.stem)
def test_a_model_file_says_what_it_states(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstring = ast.get_docstring(tree) or ""
    assert len(docstring) > 80, "statement, source and published numbers belong in the docstring"
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any(module and module.startswith("nqueens_cp.") for module in imported)
    tables = runpy.run_path(str(path))
    assert tables.get("PUBLISHED") or tables.get("OPTIMA")
    assert "PUBLISHED" not in tables or "counts:" in docstring.lower()
    assert "OPTIMA" not in tables or "optima:" in docstring.lower()


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: path.stem)
def test_every_model_file_is_shown(path, capsys):
    """From the command line, whose parameters are Python literals."""
    tables = runpy.run_path(str(path))
    for parameters, _ in (*tables.get("PUBLISHED", ())[-1:], *tables.get("OPTIMA", ())[-1:]):
        words = [f"{name}={value!r}" for name, value in parameters.items()]
        assert cli.main(["show", path.stem, *words]) == 0
        assert capsys.readouterr().out.startswith(f"model {path.stem}\n")


@pytest.mark.parametrize("name", sorted(BY_CORE | BY_CP_SAT))
def test_which_backend_takes_a_model_file(name):
    entries = [parameters for table in ("OPTIMA", "PUBLISHED") for n, parameters, _ in _entries(table) if n == name]
    if name in BY_CORE:
        entries = [parameters for parameters in entries if not {"number", "most"} & parameters.keys()]
    told = explain(load_model(name, **entries[-1]))
    assert told.backend == ("core" if name in BY_CORE else "cp-sat")
    assert ("core" in told.passed_over) is (name in BY_CP_SAT)


@pytest.mark.parametrize(("backend", "name", "parameters", "number"), [*_asked()])
def test_quoted_counts(backend, name, parameters, number, distinct_tuples, judge_refusal):
    model = load_model(name, **parameters)
    try:
        assert count(model, backend=backend) == number
    except UnsupportedModel as error:
        judge_refusal(error, backend, model)
        return
    found = solutions(model, backend=backend)
    assert len(distinct_tuples(found, model.variables)) == number
    assert found.status is Status.COMPLETE
    assert solve(model, backend=backend).status is (Status.SATISFIED if number else Status.UNSATISFIABLE)


@pytest.mark.parametrize(("name", "parameters", "number"), [*_counted()])
def test_larger_quoted_counts(name, parameters, number):
    assert count(load_model(name, **parameters)) == number


@pytest.mark.parametrize(("name", "parameters", "optimum"), [*_optima()])
def test_quoted_optima(name, parameters, optimum):
    result = solve(load_model(name, **parameters))
    assert result.status is Status.OPTIMAL
    assert result.objective == optimum


def test_backends_find_the_same_boards(backend, distinct_tuples):
    for name, parameters in (("queens", {"n": 7}), ("toroidal_queens", {"n": 7}), ("rooks", {"n": 4})):
        model = load_model(name, **parameters)
        found = distinct_tuples(solutions(model, backend=backend), model.variables)
        assert found == distinct_tuples(solutions(model, backend="core"), model.variables)


def _bishops(n: int, number: int | None = None, most: bool = False) -> tuple[str, int] | None:
    if most or number not in (None, n):
        return None  # 2 n - 2, and 2**n ways
    return ("A002465" if number else "A201862", n)


def _kings(n: int, number: int | None = None, most: bool = False) -> tuple[str, int] | None:
    if most:
        return None  # one for each 2 x 2 block
    if number is None:
        return "A063443", n + 1
    return ("A201513", n) if number == n else ("A018807", n // 2)


# The entry of which OEIS sequence each quoted number is; None where the number is a formula, or our own board's.
SEQUENCES: dict[str, Callable[..., tuple[str, int] | None]] = {
    "amazons": lambda n: ("A051223", n),
    "bishops": _bishops,
    "half_turn_queens": lambda n: ("A032522", n),
    "kings": _kings,
    "knights": lambda n, number=None, most=False: ("A030978" if most else "A201540" if number else "A141243", n),
    "maximal_queens": lambda n, fewest=False: ("A075324" if fewest else "A146303", n),
    "no_three_in_line": lambda n: ("A000755", n),
    "no_touch": lambda n: ("A002464", n),
    "peaceable_armies": lambda n: ("A250000", n),
    "quarter_turn_queens": lambda n: ("A033148", n),
    "queens": lambda n: ("A000170", n),
    "queens_3d": lambda n: ("A068940", n),
    "queens_domination": lambda n, number=None: ("A002564" if number else "A075458", n),
    "rectangular_queens": lambda rows, columns: ("A269133", columns * (columns - 1) // 2 + rows),
    "reflecting_queens": lambda n: ("A007631", n),
    "semi_queens": lambda n: ("A006717", n // 2) if n % 2 else None,
    "some_queens": lambda n, number=None: ({None: "A287227", 2: "A036464", 3: "A047659", 4: "A061994"}[number], n),
    "some_rooks": lambda n, number=None: ("A002720", n) if number is None else None,
    "star_battle": lambda n, regions=None: ("A389766", n) if n >= 8 and not regions else None,
    "toroidal_queens": lambda n: ("A051906", n),
}


@pytest.mark.parametrize("name", sorted(SEQUENCES))
def test_quoted_numbers_are_the_published_ones(published, name):
    """And within the range that an independent brute force confirmed."""
    sequences = json.loads((SHARED / "truth" / "counts.json").read_text(encoding="utf-8"))["sequences"]
    checked = {sequence["id"]: sequence["checked"] for sequence in sequences}
    for entry_of, parameters, number in (*_entries("PUBLISHED"), *_entries("OPTIMA")):
        entry = SEQUENCES[name](**parameters) if entry_of == name else None
        if entry is not None:
            sequence, index = entry
            assert number == published[sequence][index], parameters
            first, last = checked[sequence]
            assert first <= index <= last, parameters


def test_quoted_numbers_that_are_formulas():
    for name, parameters, number in _entries("PUBLISHED"):
        if name == "rooks":
            assert number == math.factorial(parameters["n"])
        if name == "semi_queens" and parameters["n"] % 2 == 0:
            assert number == 0


def _stars(n: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all ways to put two stars in each row and column of a board so that none touch: their columns, row by row."""
    pairs = [(a, b) for a in range(n) for b in range(a + 2, n)]

    def extend(rows: tuple[tuple[int, int], ...], free: Counter[int]) -> Iterator[tuple[tuple[int, int], ...]]:
        if len(rows) == n:
            yield rows
            return
        for pair in pairs:
            if all(free[a] and all(abs(a - b) > 1 for row in rows[-1:] for b in row) for a in pair):
                yield from extend((*rows, pair), free - Counter(pair))

    return extend((), Counter(dict.fromkeys(range(n), 2)))


def test_boards_with_two_stars_by_trying_all():
    def fits(board: tuple[tuple[int, int], ...], regions: tuple[str, ...]) -> bool:
        if not regions:
            return True
        stars = Counter(regions[row][column] for row, pair in enumerate(board) for column in pair)
        return set(stars.values()) == {2}

    boards = {n: list(_stars(n)) for n in (7, 8, 9)}
    for name, parameters, number in _entries("PUBLISHED"):
        if name == "star_battle" and parameters["n"] in boards:
            assert number == sum(fits(board, parameters.get("regions", ())) for board in boards[parameters["n"]])


def test_the_board_with_two_stars_in_each_region(backend, judge_refusal):
    (parameters,) = [p for name, p, _ in _entries("PUBLISHED") if name == "star_battle" and "regions" in p]
    model = load_model("star_battle", **parameters)
    try:
        assert count(model, backend=backend) == 1
    except UnsupportedModel as error:
        judge_refusal(error, backend, model)


def test_boards_with_regions_by_trying_all_permutations():
    def fits(columns: tuple[int, ...], regions: tuple[str, ...]) -> bool:
        apart = all(abs(a - b) > 1 for a, b in itertools.pairwise(columns))
        return apart and len({row[column] for row, column in zip(regions, columns, strict=True)}) == len(regions)

    for name, parameters, number in _entries("PUBLISHED"):
        if name == "region_queens":
            regions = parameters["regions"]
            assert number == sum(fits(board, regions) for board in itertools.permutations(range(len(regions))))


def test_labels_of_regions_can_be_anything():
    stated = str(load_model("region_queens", regions=("aab", "abb", "ccb")))
    assert str(load_model("region_queens", regions=[[0, 0, None], [0, None, None], [(1,), (1,), None]])) == stated


@pytest.mark.parametrize("regions", [("aab", "abb"), ("aab", "abb", "aba"), ("abc", "def", "ghi")])
def test_regions_that_do_not_fit(regions):
    with pytest.raises(InvalidValue, match="regions: "):
        load_model("region_queens", regions=regions)
    with pytest.raises(InvalidValue, match="regions: "):
        load_model("star_battle", n=3, stars=1, regions=regions)


@pytest.mark.parametrize("board", _completions())
def test_completion_boards(board):
    model = load_model("completion", n=board["n"], placed=_squares(board["placed"]), blocked=_squares(board["blocked"]))
    try:
        assert count(model, backend="core") == board["solutions"]
    except UnsupportedModel as error:  # pragma: no cover - a failure with a readable message
        pytest.fail(f"placed and blocked squares belong to the core's diagonal form: {error}")


def test_the_completion_board_of_nauck_on_every_backend(backend):
    """Nauck 1850, in ../shared/cases/completion.jsonl: queens on b5 and d4, two ways to complete."""
    assert count(load_model("completion", n=8, placed=((4, 1), (3, 3))), backend=backend) == 2
