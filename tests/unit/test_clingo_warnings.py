"""What clingo warns of goes to the log, not to standard error."""

from __future__ import annotations

import pytest

from nqueens_cp import solve

pytest.importorskip("clingo", reason="clingo is not installed")


def test_warnings_go_to_the_log_alone(capfd):
    warnings = []
    assert solve(6, backend="clingo", workers=64, log=warnings.append)  # more than there are processors
    assert solve(6, backend="clingo", workers=64)
    assert capfd.readouterr() == ("", "")
    assert all("Oversubscription" in line for line in warnings)
    assert len(warnings) <= 1
