"""Arguments of solve, count, solutions and load_model that are refused: at the call, by value, in one line."""

from __future__ import annotations

import math
import re

import pytest

from nqueens_cp import (
    InvalidType,
    InvalidValue,
    Model,
    UnknownBackend,
    compare,
    count,
    explain,
    load_model,
    queens,
    solutions,
    solve,
)
from refusals import refusal

REQUESTS = [count, solve, solutions]

BAD_SIZES = [(-1, "-1"), (2.0, "2.0"), (True, "True"), ("8", "8"), (None, "None"), ([8], "[8]"), (10**9, str(10**9))]

# (keyword, value, what the message must contain beside the keyword)
BAD_OPTIONS = [
    ("time_limit", 0, "0"),
    ("time_limit", -1.5, "-1.5"),
    ("time_limit", math.nan, "nan"),
    ("time_limit", "1", "'1'"),
    ("time_limit", True, "True"),
    ("workers", 0, "0"),
    ("workers", -2, "-2"),
    ("workers", 1.5, "1.5"),
    ("workers", True, "True"),
    ("workers", "2", "'2'"),
    ("workers", None, "None"),
    ("seed", "x", "'x'"),
    ("seed", 1.5, "1.5"),
    ("progress", 5, "5"),
    ("progress", "yes", "'yes'"),
]

BAD_FOR_SOLUTIONS = [
    ("limit", 0, "0"),
    ("limit", -3, "-3"),
    ("limit", 2.0, "2.0"),
    ("limit", True, "True"),
    ("limit", "all", "'all'"),
    ("over", 5, "5"),
    ("over", [3], "3"),
    ("over", [None], "None"),
]


def message_of(ask) -> str:
    """Return what the refusal says, without commas."""
    return refusal(ask, (ValueError, TypeError)).replace(",", "")


@pytest.mark.parametrize("request_", [*REQUESTS, queens, explain])
@pytest.mark.parametrize(("size", "offender"), BAD_SIZES)
def test_sizes(request_, size, offender):
    """../shared/cases/faults.md, 14."""
    assert offender in message_of(lambda: request_(size))


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize(("name", "value", "offender"), BAD_OPTIONS)
def test_options(request_, name, value, offender):
    message = message_of(lambda: request_(4, **{name: value}))
    assert offender in message
    assert name in message


@pytest.mark.parametrize(("name", "value", "offender"), BAD_FOR_SOLUTIONS)
def test_options_of_solutions(name, value, offender):
    message = message_of(lambda: solutions(queens(4), **{name: value}))
    assert offender in message
    assert name in message


@pytest.mark.parametrize("kind", ["type", "value"])
def test_wrong_kinds_are_type_errors_and_wrong_numbers_value_errors(kind):
    bad, error = {"type": ("1", InvalidType), "value": (-1, InvalidValue)}[kind]
    for ask in (lambda: count(4, time_limit=bad), lambda: count(4, workers=bad), lambda: list(solutions(4, limit=bad))):
        with pytest.raises(error):
            ask()


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("name", ["cpsat", "", "CP-SAT"])
def test_unknown_backends_are_named_beside_the_known_ones(request_, name):
    with pytest.raises(UnknownBackend) as refused:
        request_(4, backend=name)
    message = str(refused.value)
    assert repr(name) in message or f'"{name}"' in message
    assert all(known in message for known in ("core", "cp-sat", "python-constraint"))


@pytest.mark.parametrize("value", [None, 3, count])
def test_backends_are_given_by_name(value):
    assert str(value) in message_of(lambda: count(4, backend=value))


@pytest.mark.parametrize("name", ["limit", "over"])
@pytest.mark.parametrize("request_", [count, solve])
def test_only_solutions_take_limit_and_over(request_, name):
    with pytest.raises(TypeError, match=name):
        request_(4, **{name: None})


def test_over_takes_the_models_own_variables_only():
    alien = Model("elsewhere").int_var("alien", range(3))
    assert "alien" in message_of(lambda: solutions(queens(4), over=[alien]))


@pytest.mark.parametrize(
    ("target", "parameters", "offender"),
    [
        ("queen", {"n": 4}, "queen"),
        ("", {}, "''"),
        (5.5, {}, "5.5"),
        (None, {}, "None"),
        ("queens", {}, "n"),
        ("queens", {"m": 4}, "m"),
        ("queens", {"n": 4, "colour": "red"}, "colour"),
        ("queens", {"n": -1}, "-1"),
        ("queens", {"n": "4"}, "'4'"),
        ("toroidal_queens", {"n": 2.5}, "2.5"),
        ("completion", {"n": 4, "placed": [(7, 7)]}, "7"),
        ("no/such/file.py", {}, "no/such/file.py"),
    ],
)
def test_models_by_name(target, parameters, offender):
    assert offender in message_of(lambda: load_model(target, **parameters))


def test_an_unknown_model_name_comes_with_the_nearest_one_and_where_the_others_are():
    message = message_of(lambda: load_model("quens", n=4))
    assert all(words in message for words in ("'quens'", "do you mean queens?", "nqueens-cp models"))


@pytest.mark.parametrize(
    ("text", "offender"),
    [
        ("x = 1\n", "build"),
        ("build = 7\n", "7|build"),
        ("def build(n):\n    return 8 +\n", "line 2"),
        ("def build(n):\n    return n\n", "8|int"),
        ("def build(n):\n    return None\n", "None"),
        ("import no_such_module_anywhere\n", "no_such_module_anywhere"),
        ("raise RuntimeError('broken on purpose')\n", "broken on purpose"),
    ],
)
def test_model_files_with_errors(tmp_path, text, offender):
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    message = message_of(lambda: load_model(str(path), n=8))
    assert re.search(offender, message), message
    assert "mine.py" in message


def test_a_model_file_of_ones_own(tmp_path):
    path = tmp_path / "pairs.py"
    path.write_text(
        "from nqueens_cp import Model\n\n\ndef build(n, least=1):\n    model = Model('pairs')\n"
        "    x, y = model.int_vars('x', 2, range(n))\n    model.add(x - y >= least)\n    return model\n",
        encoding="utf-8",
    )
    assert count(load_model(str(path), n=4)) == 6
    assert count(load_model(path, n=4, least=2)) == 3


def test_the_backends_agree_and_the_comparison_says_so():
    comparison = compare(6)
    assert comparison.agree is True
    assert comparison.difference is None
    assert {row.backend for row in comparison.rows} >= {"core", "cp-sat", "python-constraint"}
    for row in comparison.rows:
        assert row.solutions == 4
        assert min(row.import_seconds, row.build_seconds, row.solve_seconds) >= 0


def test_bad_comparisons():
    assert "nobody" in message_of(lambda: compare(4, backends=["nobody"]))
    assert "-3" in message_of(lambda: compare(4, time_limit=-3))
    assert "nope" in message_of(lambda: compare("nope"))
