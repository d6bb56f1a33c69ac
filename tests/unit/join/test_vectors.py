"""The width of the join's vectors: what there is, and how one is forced."""

from __future__ import annotations

import pytest

from half_boards import WIDTHS, full
from kernel_tests import needs_the_kernel
from nqueens_cp.control import Control
from nqueens_cp.core import join

pytestmark = needs_the_kernel


RUN_SOME = (
    "from nqueens_cp.control import Control; from nqueens_cp.core import join\n"
    "from nqueens_cp.core.compile import DiagonalForm\n"
    "full = DiagonalForm((255,) * 8, (0,) * 8, 8, True, True, True)\n"
    "print(join.combine([join.run(job) for job in join.jobs(full, at_least=3)]), join.count(full, Control()))\n"
    "print(join.vectors())"
)


def test_the_widths_there_are():
    available = join.available_vectors()
    assert set(available) <= set(WIDTHS)
    assert len(set(available)) == len(available)
    assert "plain" in available
    assert join.vectors() in available


@pytest.mark.parametrize("width", [*WIDTHS, "mmx"])
def test_the_environment_forces_a_width(width, run_python):
    ran = run_python(RUN_SOME, NQUEENS_CP_VECTORS=width)
    if width in join.available_vectors():
        assert (ran.stdout.split(), ran.returncode) == (["92", "92", width], 0), ran.stderr
    else:
        assert ran.returncode != 0
        assert "92" not in ran.stdout
        message = ran.stderr.strip().splitlines()[-1]
        assert all(word in message for word in (width, *join.available_vectors())), message


def test_an_argument_forces_a_width_or_is_refused():
    job = join.jobs(full(8))[0]
    for width in {*WIDTHS, "mmx", ""} - set(join.available_vectors()):
        for use in (
            lambda width=width: join.run(job, vectors=width),
            lambda width=width: join.count(full(8), Control(), vectors=width),
        ):
            with pytest.raises(ValueError, match="plain") as refusal:
                use()
            assert width in str(refusal.value)
