"""What a comparison is made of: rows of repeated measurements, the first difference, the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from nqueens_cp.comparison.measure import COUNT, ENUMERATE, PROVE, SOLVING, Measurement
from nqueens_cp.errors import InvalidValue
from nqueens_cp.result import Solution, Status

if TYPE_CHECKING:
    from nqueens_cp.comparison.saved import SavedSolution

FOUND = (Status.SATISFIED.value, Status.OPTIMAL.value)
FIGURES = ("import_seconds", "build_seconds", "first_seconds", "solve_seconds", "cpu_seconds", "peak_mib")
COUNTED = ("nodes", "conflicts", "candidates", "checks", "writes", "undone")
"""What solvers and textbook backtrackers count in their statistics, by the names used for it here."""
SOLVER_SECONDS = ("wall_time", "solveTime", "solver_seconds")
"""The names by which solvers tell the time that they took by their own clock."""


class Spread(NamedTuple):
    """The median of repeated measurements, and the least and the most."""

    median: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Row:
    """What one backend answered on one model, from all its measurements.

    Attributes
    ----------
    model : str
        What was measured, such as "queens n=8".
    size : int or None
        The value of the parameter that was varied.
    backend, status, solutions, objective, digest, reason, version, statistics
        As in a `Measurement`: of the first that did not answer in full, otherwise of the first.
    spreads : dict of str to Spread
        By figure: "import_seconds", "build_seconds", "first_seconds", "solve_seconds", "cpu_seconds", "peak_mib".
    measurements : tuple of Measurement
        All of them, without the round for warming up.
    """

    model: str
    size: int | None
    backend: str
    status: str
    solutions: int | None
    objective: int | None
    digest: str
    reason: str
    version: str
    statistics: dict[str, Any]
    spreads: dict[str, Spread]
    measurements: tuple[Measurement, ...] = field(repr=False)

    @classmethod
    def of(cls, model: str, size: int | None, measurements: Iterable[Measurement]) -> Row:
        """Return the row of measurements of the same thing."""
        measured = tuple(measurements)
        shown = next((m for m in measured if not m.is_complete), measured[0])
        different = [m for m in measured if m.is_complete and _answer(m) != _answer(shown)]
        status, reason = shown.status, shown.reason
        if shown.is_complete and different:
            status = "failed"
            reason = f"it answered {_told(shown)} and then {_told(different[0])} for the same model"
        spreads = {}
        for name in FIGURES:
            values = [value for m in measured if (value := getattr(m, name)) is not None]
            if values:
                spreads[name] = Spread(median(values), min(values), max(values))
        return cls(
            model,
            size,
            shown.backend,
            status,
            shown.solutions,
            shown.objective,
            shown.digest,
            reason,
            shown.version,
            shown.statistics,
            spreads,
            measured,
        )

    @property
    def is_complete(self) -> bool:
        """Whether it answered in full, each time the same."""
        return self.status != "failed" and all(m.is_complete for m in self.measurements)

    @property
    def claims_all(self) -> bool:
        """Whether it answered in full or claimed so, past its time limit."""
        return self.status != "failed" and all(m.is_complete or m.late for m in self.measurements)

    def figure(self, name: str) -> float | None:
        """Return the median of a figure, or None where there is none."""
        spread = self.spreads.get(name)
        return None if spread is None else spread.median

    @property
    def import_seconds(self) -> float | None:
        """The median of the wall clock for importing the solver."""
        return self.figure("import_seconds")

    @property
    def build_seconds(self) -> float | None:
        """The median of the wall clock for building the model and translating it."""
        return self.figure("build_seconds")

    @property
    def solve_seconds(self) -> float | None:
        """The median of the wall clock for the task itself."""
        return self.figure("solve_seconds")


def _answer(measurement: Measurement) -> tuple[object, ...]:
    unsatisfiable = measurement.status == Status.UNSATISFIABLE.value
    return measurement.solutions, measurement.digest, measurement.objective, unsatisfiable


def _told(measurement: Measurement) -> str:
    objective = "" if measurement.objective is None else f" (objective {measurement.objective})"
    return f"{measurement.solutions}{objective}{f' ({measurement.digest[:8]})' if measurement.digest else ''}"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where the solutions of two backends differ, both in the order of their values.

    Attributes
    ----------
    model : str
        What was measured.
    found_by, missed_by : str
        The backend that found the solution and the one that did not.
    solution : Solution
        What only the first of them found.
    other : Solution or None
        What the other has in its place, its next solution; None if it has no more.
    breaks : str
        If `solution` is none: what it breaks.
    """

    model: str
    found_by: str
    missed_by: str
    solution: Solution | SavedSolution
    other: Solution | SavedSolution | None = None
    breaks: str = ""

    def __str__(self) -> str:
        text = f"{self.model}: {self.found_by} found this, {self.missed_by} did not:\n{self.solution}"
        if self.breaks:
            text += f"\n{self.breaks}"
        return text if self.other is None else f"{text}\n{self.missed_by} goes on with this:\n{self.other}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What each backend answered, and whether they agree.

    Attributes
    ----------
    model : str
        The models' names.
    rows : tuple of Row
        One for each model, size and backend, in the order asked.
    agree : bool or None
        Whether all complete answers are equal and no lower bound is above them, for every model; None if nowhere two backends
        completed.
    difference : Difference or None
        Where they disagree, the first solution that one found and another did not.
    setting : dict
        The task, limits, repeats, whether measurements were pinned to one processor, the machine and its load.
    """

    model: str
    rows: tuple[Row, ...]
    agree: bool | None
    difference: Difference | None = None
    setting: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the table that the command line shows."""
        from nqueens_cp.comparison.report import table_text

        return table_text(self)

    def cases(self) -> dict[str, list[Row]]:
        """Return the rows by model and size."""
        cases: dict[str, list[Row]] = {}
        for row in self.rows:
            cases.setdefault(row.model, []).append(row)
        return cases

    def verdict_on(self, model: str) -> bool | None:
        """Say whether the rows of one model agree; None if fewer than two answered in full."""
        maximize = self.setting.get("maximize", {}).get(model)
        return verdict(self.cases()[model], self.setting.get("task", COUNT), maximize)

    def plot(self, figure: str = "solve_seconds", axes: Any = None) -> Any:
        """Draw a figure of all rows against size, on a log scale, with matplotlib, and return the axes.

        Parameters
        ----------
        figure : str
            "solve_seconds", "first_seconds", "import_seconds", "build_seconds", "cpu_seconds" or "peak_mib".
        axes : matplotlib.axes.Axes, optional
            Where to draw; a new figure if left out.

        Raises
        ------
        BackendUnavailable
            matplotlib is not installed.
        InvalidValue
            There is no such figure, or no row has it.
        """
        from nqueens_cp.comparison.plots import plot

        return plot(self, figure, axes)

    def to_dataframe(self) -> Any:
        """Return the rows as a pandas DataFrame; pandas must be installed."""
        try:
            import pandas
        except ImportError:
            raise InvalidValue("to_dataframe needs pandas; pip install pandas") from None
        return pandas.DataFrame([flat(row) for row in self.rows])


def verdict(rows: Iterable[Row], task: str, maximize: bool | None = None) -> bool | None:
    """Say whether the rows of one model agree; None if fewer than two answered in full.

    What was stopped contradicts a full answer that has fewer solutions than it found, says that there are none where it holds
    one, or calls an optimum (`maximize` says of which kind) what is worse than what it holds. Where it is to be proven that
    there is no solution, a solution contradicts that. A number of solutions that was claimed past the time limit counts against
    others too.
    """
    listed = list(rows)
    complete = [row for row in listed if (row.is_complete if task in SOLVING else row.claims_all)]
    stopped = [row for row in listed if row not in complete and row.status != "failed" and row.solutions is not None]
    if any(row.status == "wrong" or (task == PROVE and row.status in FOUND) for row in listed):
        return False
    answers: set[tuple[Any, Any]]
    if task in SOLVING:
        answers = {(row.status == Status.UNSATISFIABLE.value, row.objective) for row in complete}
        none = any(row.status == Status.UNSATISFIABLE.value for row in complete)
        optima = [row.objective for row in complete if row.status == Status.OPTIMAL.value and row.objective is not None]
        for row in stopped:
            held = row.objective
            better = held is not None and any(held > best if maximize else held < best for best in optima)
            if (row.solutions and none) or better:
                return False
    else:
        answers = {(row.solutions, row.digest if task == ENUMERATE else None) for row in complete}
        if any((bound.solutions or 0) > (row.solutions or 0) for bound in stopped for row in complete):
            return False
    if len(answers) > 1:
        return False
    return True if sum(row.is_complete for row in listed) > 1 else None


def together(verdicts: Iterable[bool | None]) -> bool | None:
    """Return the verdict on several models."""
    known = [agree for agree in verdicts if agree is not None]
    return all(known) if known else None


def solver_seconds(row: Row) -> float | None:
    """Return the time that the solver says it took, where it does, in the first measurement."""
    told = (row.statistics.get(name) for name in SOLVER_SECONDS)
    return next((float(value) for value in told if isinstance(value, int | float)), None)


def flat(row: Row) -> dict[str, Any]:
    """Return a row as one record without nesting: medians, and where there were repeats the least and the most."""
    record: dict[str, Any] = {
        "model": row.model,
        "size": row.size,
        "backend": row.backend,
        "version": row.version,
        "status": row.status,
        "complete": row.is_complete,
        "solutions": row.solutions,
        "objective": row.objective,
    }
    for name in FIGURES:
        spread = row.spreads.get(name)
        record[name] = None if spread is None else spread.median
        record[f"{name}_least"] = None if spread is None else spread.least
        record[f"{name}_most"] = None if spread is None else spread.most
    record["solver_seconds"] = solver_seconds(row)
    for name in COUNTED:
        record[name] = row.statistics.get(name)
    record["measurements"] = len(row.measurements)
    record["reason"] = row.reason
    return record
