"""Backends of other packages, registered as entry points: one that loses a solution, one that lies, some that are broken."""

from __future__ import annotations

import json

import pytest

HONEST = """
from nqueens_cp.backends import get_backend
from nqueens_cp.backends.base import Backend
from nqueens_cp.errors import BackendUnavailable

Honest = type(get_backend("core"))


class Named(Honest):
    name = "{name}"

    def version(self):
        return "0.7.3"

"""

FORGETFUL = """
    def solutions(self, translated, control):
        found = super().solutions(translated, control)
        next(found, None)
        yield from found

    def count(self, translated, control):
        return max(super().count(translated, control) - 1, 0)
"""

LYING = """
    def solve(self, translated, control):
        answer = super().solve(translated, control)
        return answer._replace(values=answer.values[::-1][1:] + answer.values[:1])

    def solutions(self, translated, control):
        for values in super().solutions(translated, control):
            yield (values[0],) * len(values)
"""

UNAVAILABLE = """
    def load(self):
        raise BackendUnavailable("its licence ended yesterday")
"""


@pytest.fixture
def install(tmp_path):
    """A function that makes a folder with an installed distribution that registers one backend; it returns the folder."""

    def run(name: str, body: str | None, attribute: str = "Named"):
        info = tmp_path / f"{name}_backend-0.7.3.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-backend\nVersion: 0.7.3\n")
        (info / "entry_points.txt").write_text(f"[nqueens_cp.backends]\n{name} = {name}_plugin:{attribute}\n")
        if body is not None:
            (tmp_path / f"{name}_plugin.py").write_text(HONEST.format(name=name) + body)
        return tmp_path

    return run


def test_an_honest_plugin_is_a_backend_like_any_other(cli, install):
    path = install("honest", "")
    listed = cli("backends", path=path)
    assert listed.returncode == 0
    (line,) = (line for line in listed.stdout.splitlines() if "honest" in line)
    assert "0.7.3" in line
    assert cli("count", "8", "--backend", "honest", path=path).stdout == "92\n"
    answer = json.loads(cli("compare", "6", "--backends", "core,honest", "--json", path=path).stdout)
    assert answer["agree"] is True
    assert "honest" in {row["backend"] for row in answer["rows"]}


def test_a_disagreement_exits_1_and_shows_the_board(cli, install):
    path = install("forgetful", FORGETFUL)
    ran = cli("compare", "4", "--backends", "forgetful,core", path=path)
    assert ran.returncode == 1, ran.stderr
    assert "disagree" in ran.stdout.lower()
    shown = ran.stdout + ran.stderr
    assert all(row in shown for row in (". Q . .", ". . . Q", "Q . . .", ". . Q ."))
    rows = [line.strip() for line in shown.splitlines()]
    assert any(rows[i : i + 4] == [". Q . .", ". . . Q", "Q . . .", ". . Q ."] for i in range(len(rows))), (
        "the first board in lexicographic order is the one that was dropped"
    )
    assert "forgetful" in shown


def test_a_disagreement_as_json(cli, install):
    names = "core,cp-sat,python-constraint,forgetful"
    ran = cli("compare", "6", "--json", "--backends", names, path=install("forgetful", FORGETFUL))
    answer = json.loads(ran.stdout)
    assert (ran.returncode, answer["agree"]) == (1, False)
    numbers = {row["backend"]: row["solutions"] for row in answer["rows"]}
    assert numbers["forgetful"] == 3
    assert numbers["core"] == numbers["cp-sat"] == numbers["python-constraint"] == 4


def test_those_who_agree_are_not_blamed_for_one_who_does_not(cli, install):
    path = install("forgetful", FORGETFUL)
    assert cli("compare", "4", "--backends", "core,python-constraint", path=path).returncode == 0


@pytest.mark.parametrize("command", ["solve", "list"])
def test_a_lie_is_found_out(cli, install, command):
    ran = cli(command, "6", "--backend", "lying", path=install("lying", LYING))
    assert ran.returncode not in (0, 3)
    assert ran.stdout == ""
    assert "Traceback" not in ran.stderr
    assert "all_different" in ran.stderr, "names the constraint that is violated"


@pytest.mark.parametrize(
    ("body", "attribute", "why"),
    [
        (None, "Named", "broken_plugin"),
        ("\nimport no_such_module_xyz\n", "Named", "no_such_module_xyz"),
        ("\nraise SystemExit('not on this machine')\n", "Named", "not on this machine"),
        ("", "Missing", "Missing"),
        ("\nthing = 7\n", "thing", "Backend"),
        ("\nclass Half(Backend):\n    name = 'broken'\n", "Half", "abstract"),
        ("\n    def __init__(self):\n        raise OSError('no licence file')\n", "Named", "no licence file"),
        (UNAVAILABLE, "Named", "its licence ended yesterday"),
    ],
    ids=[
        "no-module",
        "import",
        "exits",
        "no-attribute",
        "no-class",
        "abstract",
        "constructor",
        "unavailable",
    ],
)
def test_a_broken_plugin_breaks_nothing_else(cli, install, body, attribute, why):
    path = install("broken", body, attribute)
    listed = cli("backends", path=path)
    assert listed.returncode == 0, listed.stderr
    text = " ".join(listed.stdout.split())
    assert "broken" in text
    assert why in text
    assert all(name in text for name in ("core", "cp-sat", "python-constraint"))
    assert "Traceback" not in listed.stdout + listed.stderr

    ran = cli("count", "6", "--backend", "broken", path=path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: ")
    assert why in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_comparison_goes_on_without_a_broken_plugin(cli, install):
    path = install("broken", None)
    assert cli("count", "6", path=path).stdout == "4\n"
    ran = cli("compare", "4", "--backends", "core,broken,python-constraint", path=path)
    assert ran.returncode == 0, ran.stderr
    assert "agree" in ran.stdout
    assert "broken" in ran.stdout, "it is listed, and why it has no answer"


def test_a_plugin_does_not_take_the_place_of_a_built_in(cli, install):
    path = install("core", FORGETFUL)
    assert cli("count", "6", "--backend", "core", path=path).stdout == "4\n"
    assert cli("backends", path=path).returncode == 0
