"""Faults that were found by people who tried to break the package; each kind stays out."""

from __future__ import annotations

import copy
import os
import pickle
import pty
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from fresh_python import run_python
from nqueens_cp import (
    InvalidType,
    InvalidValue,
    Model,
    SearchInterrupted,
    SearchStopped,
    Status,
    UnsupportedModel,
    all_different,
    compare,
    count,
    count_of,
    element,
    in_domain,
    load_model,
    predicate,
    queens,
    solutions,
    solve,
)
from nqueens_cp.backends import installed_names

PROGRAM = Path(sys.executable).with_name("nqueens-cp")


def small():
    model = Model("small")
    return model, *model.int_vars("v", 2, domain=range(10))


@pytest.mark.parametrize("compared", [lambda a, b: a == b, lambda a, b: a != b])
def test_relations_and_arrays_are_not_compared(compared):
    model = Model()
    x = model.int_vars("x", 3, domain=range(3))
    for left, right in [(x[0] == 1, x[1] == 2), (all_different(x), all_different(x)), (x, [0, 1, 2]), (x, x[0] == 1)]:
        with pytest.raises(InvalidType):
            compared(left, right)


@pytest.mark.parametrize(
    ("constant", "others"),
    [
        (lambda x: element([5, 7], 1), 7),
        (lambda x: abs(0 * x - 3), 3),
        (lambda x: count_of([1, 1], 1), 2),
        (lambda x: (0 * x + 5) % 3, 2),
    ],
)
def test_constants_of_every_kind_in_all_different(backend, constant, others):
    model, x, y = small()
    model.add(all_different([x, y, constant(x), 8]))
    pairs = {(a, b) for a in range(10) for b in range(10) if a != b and not {a, b} & {others, 8}}
    assert {(s[x], s[y]) for s in solutions(model, backend=backend)} == pairs


@pytest.mark.parametrize("values", [[], [-1], [3]])
def test_in_domain_of_an_expression_that_is_constant(backend, values):
    model, x, y = small()
    model.add(in_domain(count_of([], x + y), values))
    assert count(model, backend=backend) == 0


def test_objectives_are_exact_past_what_a_float_holds():
    model = Model()
    x = model.int_var("x", [0, 5, 2**53 + 1])
    model.maximize(x)
    result = solve(model)
    assert (result.status, result.objective, result.bound, result["x"]) == (Status.OPTIMAL, *[2**53 + 1] * 3)


@pytest.mark.parametrize("domain", [range(-(2**63), 2**63), range(10**30), range(0, 10**30, 7)])
def test_huge_ranges_are_refused(domain):
    with pytest.raises(InvalidValue):
        Model().int_var("x", domain)


@pytest.mark.parametrize("limit", [10**400, float("inf")])
def test_odd_time_limits_are_refused(limit):
    with pytest.raises(InvalidValue):
        count(4, time_limit=limit)


def test_products_past_what_a_solver_holds_are_refused_by_name():
    model, x, y = small()
    model.add(in_domain((x + y) * 2**40 * 2**40, [0]))
    model.minimize(x)
    with pytest.raises((UnsupportedModel, InvalidValue)):
        solve(model, backend="cp-sat")


def test_results_and_stops_survive_pickling():
    result = solve(6)
    again = pickle.loads(pickle.dumps(result))
    assert (again.status, again.solution, again.backend) == (result.status, result.solution, result.backend)
    assert copy.deepcopy(result).solution == result.solution
    stopped = pickle.loads(pickle.dumps(SearchStopped("stopped", partial=7, status=Status.TIMEOUT)))
    assert (str(stopped), stopped.partial, stopped.status) == ("stopped", 7, Status.TIMEOUT)
    assert pickle.loads(pickle.dumps(SearchInterrupted("interrupted", partial=3))).partial == 3


def test_a_copy_of_a_model_is_independent():
    model = queens(5)
    other = copy.copy(model)
    other.add(other.variables[0] == 0)
    other.int_var("more", [1])
    assert (count(model), count(other), len(model.variables)) == (10, 2, 5)


def odd(a: int, b: int) -> bool:
    return (a + b) % 2 == 1


def test_a_predicate_that_another_process_cannot_find_is_refused_by_compare(monkeypatch):
    monkeypatch.setattr(odd, "__module__", "__main__")
    model, x, y = small()
    model.add(predicate(odd, [x, y]))
    with pytest.raises(UnsupportedModel, match="odd"):
        compare(model, backends=["core"])


def missing_file(a: int, b: int, c: int) -> bool:
    raise FileNotFoundError(f"no file for {a}, {b} and {c}")


@pytest.mark.parametrize("workers", [1, 2])
def test_an_oserror_of_a_predicate_is_not_taken_for_a_broken_pipe(workers):
    """Of three variables, so that python-constraint calls it while it searches, in the worker."""
    model, x, y = small()
    model.add(predicate(missing_file, [x, y, model.int_var("z", range(3))]))
    with pytest.raises(FileNotFoundError, match="no file for"):
        list(solutions(model, backend="python-constraint", workers=workers))
    with pytest.raises(FileNotFoundError, match="no file for"):
        count(model, backend="python-constraint", workers=workers)


def test_comparisons_name_each_backend_once_and_print_as_a_table():
    comparison = compare(5, backends=["core", "core"])
    assert [row.backend for row in comparison.rows] == ["core"]
    assert "core" in str(comparison)
    assert "complete" in str(comparison)


def test_names_are_not_markup():
    model = Model("[/red]")
    model.int_var("[bold]", [1])
    assert "[/red]" in str(compare(model, backends=["core"]))


@pytest.mark.parametrize("name", ["target", "backends", "time_limit", "parameters", "self"])
def test_parameters_of_any_name(tmp_path, name):
    file = tmp_path / "any.py"
    file.write_text(f"from nqueens_cp import queens\ndef build({name}):\n    return queens({name})\n")
    assert count(load_model(file, **{name: 6})) == 4
    for command in (["count"], ["compare", "-b", "core"]):
        ran = subprocess.run([PROGRAM, *command, file, f"{name}=6"], capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(("backend_name", "workers"), [("core", 1), ("core", 2), ("cp-sat", 1), ("cp-sat", 2)])
def test_an_iterator_left_open_at_exit_ends_quietly(backend_name, workers):
    code = f"from nqueens_cp import solutions\nit = solutions(9, backend={backend_name!r}, workers={workers})\nprint(next(it))"
    ran = run_python(code)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_model_file_may_hide_a_module(tmp_path):
    (tmp_path / "constraint.py").write_text("from nqueens_cp import queens\ndef build():\n    return queens(5)\n")
    ran = subprocess.run(
        [PROGRAM, "compare", "./constraint.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stdout.count("complete")) == (0, len(installed_names())), ran.stdout


def test_what_a_model_file_prints_is_not_the_answer(tmp_path):
    file = tmp_path / "loud.py"
    file.write_text(
        "from nqueens_cp import queens\nprint('top')\ndef build():\n    print('built')\n    return queens(6)\n"
    )
    ran = subprocess.run([PROGRAM, "count", file], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "4\n", "top\nbuilt\n")


@pytest.mark.parametrize(
    ("command", "status", "output"),
    [
        ("count 8 >&-", 0, ""),
        ("count 8 2>&-", 0, "92\n"),
        ("list 4 >&-", 0, ""),
        ("count - <&-", 2, ""),
        ("list 9 | head -1", 0, None),
    ],
)
def test_closed_streams(command, status, output):
    script = f"set -o pipefail; {PROGRAM} {command}"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert ran.returncode == status, ran.stderr
    assert "Traceback" not in ran.stderr
    if output is not None:
        assert ran.stdout == output


def test_names_that_the_terminal_cannot_encode(tmp_path):
    file = tmp_path / "name.py"
    file.write_text(
        "from nqueens_cp import Model\ndef build():\n    m = Model('größe')\n    m.int_var('größe', [1])\n    return m\n",
        encoding="utf-8",
    )
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    ran = subprocess.run([PROGRAM, "solve", file], env=environment, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (0, "gr\\xf6\\xdfe = 1\n")


def test_a_list_redirected_from_a_terminal_goes_where_it_is_sent(tmp_path):
    """Standard error is a terminal, so progress shows; standard output is a file and gets the boards."""
    code = textwrap.dedent(f"""
        import subprocess, sys
        with open({str(tmp_path / "boards")!r}, "w") as out:
            sys.exit(subprocess.run([{str(PROGRAM)!r}, "list", "8"], stdout=out).returncode)
    """)
    assert os.waitstatus_to_exitcode(pty.spawn([sys.executable, "-c", code])) == 0
    assert (tmp_path / "boards").read_text().count("Q") == 92 * 8


def test_expressions_of_numbers_only():
    assert element([1, 2, 3], 1).bounds == (2, 2)
    assert count_of([1, 2, 1], 1).bounds == (2, 2)
    model = Model()
    x, y, z = model.int_var("x", range(4)), model.int_var("y", range(3)), model.int_var("z", range(3))
    model.add(abs(x + y - z - 1) >= element([0, 1, 2], 1))
    model.add(element([x, y, 3], count_of([1, 1], 1)) == 3)
    assert len(list(solutions(model))) == count(model, backend="python-constraint") == 28


@pytest.mark.parametrize("backend", ["core", "cp-sat", "python-constraint"])
def test_a_predicate_that_raises_stop_iteration_does_not_end_a_loop(backend):
    model = Model()
    model.add(predicate(lambda a, b: next(iter(())), model.int_vars("x", 2, domain=range(3))))
    with pytest.raises((StopIteration, RuntimeError)):
        list(solutions(model, backend=backend))
    with pytest.raises((StopIteration, RuntimeError)):
        count(model, backend=backend)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", [18, 20])
def test_limits_hold_and_partial_counts_do_not_fall_while_the_way_to_count_is_chosen(size, workers):
    seen = []
    begun = time.monotonic()
    with pytest.raises(SearchStopped) as stopped:
        count(queens(size, blocked=[(0, 0)]), time_limit=0.7, workers=workers, progress=seen.append)
    assert time.monotonic() - begun < 20
    assert [progress.found for progress in seen] == sorted(progress.found for progress in seen)
    assert stopped.value.partial >= max((progress.found for progress in seen), default=0)


def test_many_all_differents_do_not_stall_the_verifier():
    model = Model()
    x = model.int_vars("x", 80, domain=range(80))
    for i in range(80):
        for j in range(i):
            model.add(all_different([x[i], x[j]]))
    found, longest, before = solutions(model, limit=120), 0.0, time.monotonic()
    for _ in found:
        longest, before = max(longest, time.monotonic() - before), time.monotonic()
    assert (found.found, found.status) == (120, Status.LIMIT)
    assert longest < 20


def test_fewer_columns_than_queens():
    assert solve(queens(20, blocked=[(row, 0) for row in range(20)]), backend="core").status is Status.UNSATISFIABLE
    assert count(queens(15, rows=16), backend="core") == 0


def test_a_width_of_vectors_that_is_not_there():
    environment = os.environ | {"NQUEENS_CP_VECTORS": "wrong"}
    for command, status in ((["count", "8"], 2), (["solve", "6", "-b", "core"], 2), (["backends"], 0)):
        ran = subprocess.run([PROGRAM, *command], env=environment, capture_output=True, text=True, timeout=60)
        assert ran.returncode == status, ran.stderr
        assert "wrong" in ran.stdout + ran.stderr
        assert "Traceback" not in ran.stderr
    ran = subprocess.run(
        [PROGRAM, "compare", "6", "-b", "core,bit-masks"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stdout.count("unavailable")) == (0, 1)


def test_tables_that_do_not_fit_into_memory():
    limited = f"ulimit -v 1000000; {PROGRAM} count 22"
    ran = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 3, ran.stderr
    assert ran.stderr.startswith("error: out of memory: the tables for counting")
