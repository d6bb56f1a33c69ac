"""What a comparison measures, in rounds, and what it has measured: `Rounds`."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from nqueens_cp.comparison.measure import Job, Measurement
from nqueens_cp.comparison.records import Row
from nqueens_cp.model import Model
from nqueens_cp.result import Status

STOPPED = (Status.TIMEOUT.value, "memory")


class Case(NamedTuple):
    """One model to measure on."""

    label: str
    size: int | None
    model: Model
    target: Any
    parameters: dict[str, Any]


class Rounds:
    """What is measured, in rounds, and what has been."""

    def __init__(self, pairs: list[tuple[Case, str]], limit: float | None, task: str, repeats: int) -> None:
        self.pairs = pairs
        self._limit, self._task, self._repeats = limit, task, repeats
        self._kept: dict[int, list[Measurement]] = {i: [] for i in range(len(pairs))}
        self._warming_up: dict[int, Measurement] = {}
        self._given_up: dict[
            tuple[str, str], tuple[int, int]
        ] = {}  # at which size, and which pair; no larger one is tried
        self._chance = Random(0)

    def order(self) -> list[int]:
        """Return the numbers of all pairs, in the order in which they are measured next."""
        shuffled = list(range(len(self.pairs)))
        if self._repeats > 1:
            self._chance.shuffle(shuffled)  # so that a drift of the machine hits all alike
        return shuffled

    def model_of(self, i: int) -> str:
        return self.pairs[i][0].label

    def job(self, case: Case, name: str, *, listing: bool = False) -> Job:
        return Job(name, case.target, case.parameters, self._limit, self._task, listing)

    def job_of(self, i: int) -> Job | None:
        """Return what is to be measured; None if once was enough, or if it is not tried."""
        if any(measurement.status in STOPPED for measurement in self._kept[i]):
            return None
        if self._stopped_before(i) is not None:
            self._kept[i] = [self._skipped(i)]
            return None
        return self.job(*self.pairs[i])

    def _stopped_before(self, i: int) -> int | None:
        """Return the pair of the same model and backend that was stopped at a smaller size."""
        case, name = self.pairs[i]
        size, pair = self._given_up.get((case.model.name, name), (case.size, None))
        return pair if case.size is not None and size is not None and case.size > size else None

    def _skipped(self, i: int) -> Measurement:
        case, name = self.pairs[i]
        size, _ = self._given_up[case.model.name, name]
        return Measurement(name, "skipped", reason=f"not tried: it was stopped at size {size}")

    def add(self, i: int, measurement: Measurement, turn: int) -> Measurement:
        """Keep what was measured in a round, and return it with the model's name."""
        case, name = self.pairs[i]
        measurement = replace(measurement, model=case.label)
        if measurement.status in STOPPED and case.size is not None:
            known = self._given_up.get((case.model.name, name), (case.size, i))
            self._given_up[case.model.name, name] = min(known, (case.size, i))
        if turn or self._repeats == 1 or measurement.status in STOPPED:
            self._kept[i].append(measurement)
        else:
            self._warming_up[i] = measurement
        return measurement

    def drop_too_large(self) -> None:
        """Make it as if nothing had been measured side by side: what was too large for a pair before it was not tried."""
        for i, kept in self._kept.items():
            before = self._stopped_before(i)
            if kept and before is not None and before < i:
                self._kept[i] = [self._skipped(i)]

    def so_far(self) -> str:
        """Say how much was measured; what was measured only for warming up counts from now on."""
        only_warmed_up = [i for i in self._warming_up if not self._kept[i]]
        self._kept |= {i: [self._warming_up[i]] for i in only_warmed_up}
        said = f"{sum(map(bool, self._kept.values()))} of {len(self.pairs)} were measured"
        if only_warmed_up:
            said += f", {len(only_warmed_up)} of them only in the round for warming up"
        return said

    def rows(self) -> tuple[Row, ...]:
        """Return a row for each pair that was measured, or deliberately not."""
        return tuple(
            Row.of(case.label, case.size, self._kept[i]) for i, (case, _) in enumerate(self.pairs) if self._kept[i]
        )
