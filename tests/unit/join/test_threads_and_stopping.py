"""The join with several threads: progress, and the ways to stop."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

from half_boards import PUBLISHED, backtracked, form_of, full, whole
from kernel_tests import needs_the_kernel
from nqueens_cp.control import Cancelled, Control, TimeLimitReached
from nqueens_cp.core import join

pytestmark = needs_the_kernel


class Watched(Control):
    """A control that keeps what the calling thread could read at every poll."""

    def __init__(self, **how):
        super().__init__(**how)
        self.thread = threading.current_thread()
        self.shares, self.sums = [], []

    def poll(self):
        super().poll()
        if threading.current_thread() is self.thread:
            self.sums.append(self.found)
            if self.share is not None:
                self.shares.append(self.share())


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_threads_and_progress(workers):
    blocked = form_of(12, whole(12) - {(0, 0), (3, 5), (11, 6)})
    for form, expected in ((full(14), PUBLISHED[14]), (full(13), PUBLISHED[13]), (blocked, backtracked(blocked))):
        control = Watched(workers=workers)
        assert join.count(form, control) == control.found == expected
        assert control.shares == sorted(control.shares)
        assert control.sums == sorted(control.sums)
        assert all(0 <= share <= 1 for share in control.shares)
        assert control.share() == 1
        assert all(0 <= found <= expected for found in control.sums)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_more_threads_than_there_is_to_do(workers):
    for n in (4, 5, 6):
        assert join.count(full(n), Control(workers=workers * 10)) == PUBLISHED[n]
        assert join.count(form_of(n, frozenset()), Control(workers=workers)) == 0


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_count_is_stopped(workers):
    started = monotonic()
    control = Control(time_limit=0.05, workers=workers)
    with pytest.raises(TimeLimitReached):
        join.count(full(20), control)
    assert 0 <= control.found < PUBLISHED[20]
    control = Control(workers=workers)
    control.cancel()
    with pytest.raises(Cancelled):
        join.count(full(20), control)
    assert 0 <= control.found < PUBLISHED[20]
    assert monotonic() - started < 30, "polled often"


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_found_is_kept(workers):
    reports = []

    def enough(progress):
        reports.append(progress)
        if progress.found > 0:
            raise LookupError("enough")

    control = Control(workers=workers, progress=enough, time_limit=60)
    with pytest.raises(LookupError, match="enough"):
        join.count(full(20), control)
    assert 0 < reports[-1].found <= control.found < PUBLISHED[20]
    assert 0 <= reports[-1].share < 1
    control = Control(
        workers=workers, time_limit=60, progress=lambda progress: control.cancel() if progress.found else None
    )
    with pytest.raises(Cancelled):
        join.count(full(20), control)
    assert 0 < control.found < PUBLISHED[20]


def test_a_job_is_stopped():
    job = join.jobs(full(20))[0]
    started = monotonic()
    with pytest.raises(TimeLimitReached):
        join.run(job, Control(time_limit=0.05))
    control = Control()
    control.cancel()
    with pytest.raises(Cancelled):
        join.run(job, control)
    assert monotonic() - started < 30, "polled often"
