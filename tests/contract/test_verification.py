"""What a backend hands over is judged by the constraints themselves: a backend that lies is found out."""

from __future__ import annotations

import pytest

from nqueens_cp import Status, VerificationError, queens, solutions, solve
from nqueens_cp.backends import get_backend
from nqueens_cp.backends.base import Answer
from nqueens_cp.verify import COMPILED_AFTER

ATTACKED = (0, 1, 2, 3)  # all on one diagonal
OFF_THE_BOARD = (1, 3, 0, 9)
PEACEFUL = (1, 3, 0, 2)


@pytest.fixture(params=[ATTACKED, OFF_THE_BOARD], ids=["breaks a constraint", "outside a domain"])
def lie(request, backend, monkeypatch) -> tuple[int, ...]:
    """Every backend in turn, made to answer with something that is no solution."""
    kind = type(get_backend(backend))
    monkeypatch.setattr(kind, "solve", lambda self, translated, control: Answer(Status.SATISFIED, request.param))
    monkeypatch.setattr(kind, "solutions", lambda self, translated, control: iter([PEACEFUL, request.param]))
    return request.param


def test_a_lie_is_found_out(backend, lie):
    with pytest.raises(VerificationError) as refused:
        solve(queens(4), backend=backend)
    assert backend in str(refused.value)
    found = solutions(queens(4), backend=backend)
    assert tuple(next(found)["queen"]) == PEACEFUL
    with pytest.raises(VerificationError, match=backend):
        next(found)
    assert found.found == 1
    assert found.status is not Status.COMPLETE


@pytest.mark.parametrize("lie", [ATTACKED, OFF_THE_BOARD, (1, 3, 0), (-3, 3, 0, 2), (1, 3, 0, 2, 0)], ids=str)
def test_a_late_lie_is_found_out(backend, lie, monkeypatch):
    """Late ones are judged by one function for the whole problem; the message still says what is broken."""
    many = [PEACEFUL] * (2 * COMPILED_AFTER)
    monkeypatch.setattr(
        type(get_backend(backend)), "solutions", lambda self, translated, control: iter([*many, lie, PEACEFUL])
    )
    found = solutions(queens(4, blocked=[(0, 0)]), backend=backend)
    with pytest.raises(
        VerificationError, match=rf"{backend} returned (an assignment that breaks 'all_|queen|\d values)"
    ):
        list(found)
    assert found.found == len(many)


def test_without_verification_it_passes(backend, lie):
    assert tuple(solve(queens(4), backend=backend, verify=False)["queen"]) == lie
    handed_over = [tuple(solution["queen"]) for solution in solutions(queens(4), backend=backend, verify=False)]
    assert handed_over == [PEACEFUL, lie]
