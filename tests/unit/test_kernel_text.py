"""Solutions as lines of text: compiled and in plain Python."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_tests import needs_the_kernel, thorough
from nqueens_cp.core import kernel, pure

pytestmark = needs_the_kernel
compiled = pytest.mark.parametrize("module", [pure, kernel.load()[0]], ids=["pure", "compiled"])


@compiled
@given(st.integers(1, 40), st.lists(st.integers(0, 255), max_size=200), st.sampled_from([b",", b" ", b"\t", b"\xff"]))
@thorough
def test_lines_as_python_writes_them(module, columns, values, separator):
    del values[len(values) // columns * columns :]
    rows = [values[start : start + columns] for start in range(0, len(values), columns)]
    expected = b"".join(separator.join(str(value).encode() for value in row) + b"\n" for row in rows)
    assert module.format_lines(bytes(values), columns, separator) == expected
    assert module.format_lines(memoryview(bytearray(values)), columns, separator) == expected


@compiled
def test_every_byte(module):
    assert module.format_lines(bytes(range(256)), 1, b" ") == "".join(f"{k}\n" for k in range(256)).encode()
    assert module.format_lines(bytes(range(256)), 256, b" ") == (" ".join(map(str, range(256))) + "\n").encode()
    assert module.format_lines(b"", 7, b",") == b""


@compiled
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((b"123", 2, b","), "3 bytes"),
        ((b"12", 0, b","), "columns: 0"),
        ((b"12", -1, b","), "columns: -1"),
        ((b"12", 2, b""), "one byte"),
        ((b"12", 2, b", "), "one byte"),
    ],
)
def test_what_is_refused(module, arguments, error):
    with pytest.raises(ValueError, match=error):
        module.format_lines(*arguments)


anything = (
    st.binary(max_size=9)
    | st.integers()
    | st.text(max_size=3)
    | st.none()
    | st.lists(st.integers(0, 9), max_size=9).map(lambda values: array("I", values))
)


@thorough
@given(st.lists(anything, max_size=4))
def test_arbitrary_arguments_are_an_error_and_never_a_crash(arguments):
    module, _ = kernel.load()
    try:
        lines = module.format_lines(*arguments)
    except (TypeError, ValueError, OverflowError, BufferError):
        return
    assert lines == pure.format_lines(*arguments)
