"""What the tests of the compiled kernel share: where they run, how many examples they try, and arguments for C."""

from __future__ import annotations

import os
from array import array

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from nqueens_cp.core import kernel

needs_the_kernel = pytest.mark.skipif(
    kernel.load()[0] is None and os.environ.get("NQUEENS_CP_REQUIRE_KERNEL") != "1",
    reason=f"the kernel is not in use: {kernel.load()[1]}",
)
"""Continuous integration requires it to be in use."""


def tried(examples: int) -> settings:
    """Return settings with the same examples every time, unless NQUEENS_CP_EXAMPLES says how many to choose by chance."""
    return settings(max_examples=examples, deadline=None, derandomize="NQUEENS_CP_EXAMPLES" not in os.environ)


EXAMPLES = int(os.environ.get("NQUEENS_CP_EXAMPLES", "200"))
thorough = tried(EXAMPLES)
brief = tried(max(5, EXAMPLES // 8))

buffers = (
    st.binary(max_size=200)
    | st.lists(st.integers(0, 2**64 - 1), max_size=25).map(lambda values: array("Q", values))
    | st.lists(st.integers(0, 9), max_size=9).map(lambda values: array("I", values))
    | st.sampled_from([None, 3, "text", [1, 2], 2.5])
)
"""Arguments for what expects a buffer of 64-bit words: buffers of all kinds, and what is none."""
