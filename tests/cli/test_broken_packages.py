"""Packages of solvers that are there but broken: each takes down its own backend alone."""

from __future__ import annotations

import pytest

BROKEN = {  # what is in the package, and what is told of it
    "clingo": ("clingo", "raise RuntimeError('built for another processor')", "built for another processor"),
    "pysat": ("pysat", "raise OSError('its library is gone')", "its library is gone"),
    "choco": ("pychoco", "raise SystemExit('no licence')", "no licence"),
    "exact-cover": ("miniexact", "", "miniexacts_c"),  # without its names
}


@pytest.fixture
def broken(tmp_path):
    """A folder with four broken packages."""
    for module, body, _ in BROKEN.values():
        (tmp_path / f"{module}.py").write_text(body + "\n")
    return tmp_path


def test_the_others_are_listed(cli, broken):
    ran = cli("backends", path=broken)
    assert (ran.returncode, ran.stderr) == (0, "")
    text = " ".join(ran.stdout.split())
    for _, _, why in BROKEN.values():
        assert why in text
    assert text.count("pip install --force-reinstall") == len(BROKEN)
    assert "core" in text


@pytest.mark.parametrize("backend", BROKEN)
def test_asked_for_by_name_it_is_an_error_in_one_line(cli, broken, backend):
    ran = cli("count", "5", "-b", backend, path=broken)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: ")
    assert BROKEN[backend][2] in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_comparison_goes_on(cli, broken):
    ran = cli("compare", "5", "-b", "core,clingo", path=broken)
    assert ran.returncode == 0, ran.stderr
    assert "built for another processor" in " ".join((ran.stdout + ran.stderr).split())
