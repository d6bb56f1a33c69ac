"""Refusals: requests that must fail at once, on purpose, and in one line."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from nqueens_cp.errors import NQueensError


def refusal(ask: Callable[[], Any], kind: type[Exception] | tuple[type[Exception], ...]) -> str:
    """Return the message of the refusal."""
    start = time.monotonic()
    with pytest.raises(kind) as refused:
        ask()
    assert time.monotonic() - start < 10, "at once"
    assert isinstance(refused.value, NQueensError), f"not raised on purpose: {refused.value!r}"
    message = str(refused.value)
    assert "\n" not in message, message
    assert len(message) < 500, message
    return message
