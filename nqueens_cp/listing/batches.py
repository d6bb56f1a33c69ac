"""Solutions in batches, as NumPy arrays: `batches`, `to_numpy`, `to_dataframe`.

From the core they come without a Python object for each solution: the kernel fills a buffer, and a copy of it is handed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nqueens_cp.backends.core import CoreBackend, Form
from nqueens_cp.checks import integer_at_least
from nqueens_cp.choosing import Choice
from nqueens_cp.control import Control, StopSearch, TimeLimitReached
from nqueens_cp.core import kernel
from nqueens_cp.core.compile import DiagonalForm
from nqueens_cp.iteration import Exhausted, LimitReached, OpenSearch
from nqueens_cp.listing.checker import Checker
from nqueens_cp.model import Model, Problem
from nqueens_cp.search import LogCallback, ProgressCallback, make_control, without_objective
from nqueens_cp.symmetry import Group, symmetry_group
from nqueens_cp.verify import Verifier

if TYPE_CHECKING:
    import pandas
    from distributed import Client

Array = NDArray[Any]

GATHERED = 4096  # solutions of other backends that are handed over together, where they come fast
GATHERED_SECONDS = 0.02
SKIP_BY_RANK = 20_000
"""So many solutions and more are skipped by counting, where the core can, and not by listing them."""


def dtype_of(problem: Problem) -> np.dtype[Any]:
    """Return the type of a problem's arrays: uint8 where all values fit, otherwise the smallest signed type that holds them."""
    low = min((variable.domain[0] for variable in problem.variables), default=0)
    high = max((variable.domain[-1] for variable in problem.variables), default=0)
    return smallest_type(low, high)


def smallest_type(low: int, high: int) -> np.dtype[Any]:
    """Return uint8 where `low` to `high` fit, otherwise the smallest signed integer type that holds both."""
    if low >= 0 and high < 256:
        return np.dtype(np.uint8)
    return next(np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64) if _holds(t, low, high))


def _holds(kind: Any, low: int, high: int) -> bool:
    return bool(np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)


class BatchIterator(OpenSearch[Array]):
    """An open search for batches of solutions: a lazy iterator and a context manager. Made by `batches`.

    Attributes
    ----------
    status : Status or None
        None while the search is open; then COMPLETE, LIMIT, TIMEOUT, INTERRUPTED or CLOSED.
    found : int
        How many solutions have been handed over, all batches together.
    backend : str
        The backend that searches.
    dtype : numpy.dtype
        The type of the arrays.
    """

    def __init__(
        self,
        problem: Problem,
        backend: str,
        control: Control,
        limit: int | None,
        verify: bool,
        *,
        after: tuple[int, ...] | None = None,
        skip: int = 0,
        up_to_symmetry: bool = False,
        cluster: Any = None,
    ) -> None:
        self.dtype = dtype_of(problem)
        self._checker = Checker(problem) if verify else None
        self._after, self._skip = after, skip
        self._up_to_symmetry = up_to_symmetry
        self._cluster = cluster
        self._group: Group | None = None
        self._more = False
        super().__init__(problem, backend, control, limit)

    def _begin(self, choice: Choice) -> Iterator[Array]:
        from nqueens_cp.listing.order import in_order, solution_before

        if self._up_to_symmetry:
            self._group = symmetry_group(self._problem, self._control)
        core = choice.backend.name == "core"
        if self._skip >= SKIP_BY_RANK and core and self._group is None and self._after is None:
            self._after = solution_before(self._skip, self._problem, self._control)
            if self._after is None:
                return iter(())
            self._skip = 0
        if self._cluster is not None:
            from nqueens_cp.cluster.listing import ListOnCluster

            return ListOnCluster(self._problem, choice.backend.name, self._after, self._cluster, self._control)
        if self._after is not None or (self._control.workers > 1 and choice.backend.capabilities.lexicographic):
            return in_order(self._problem, choice.backend, self._after, self._control)
        if self._control.workers > 1:
            from nqueens_cp.parallel import solutions_of_parts

            found = solutions_of_parts(self._problem, choice.backend, choice.translated, self._control)
            return gathered(found, self._problem, choice.backend.name)
        return arrays(choice, self._problem, self._control)

    def _chosen(self, batch: Array) -> Array:
        """Return what is handed over of a batch: not what is skipped; of each orbit the smallest, with the orbit's size."""
        if self._group is not None:
            kept, sizes = self._group.representatives(batch)
            batch = np.concatenate([batch[kept], sizes[kept, None].astype(batch.dtype)], axis=1)
        if self._skip:
            passed = min(self._skip, len(batch))
            self._skip -= passed
            batch = batch[passed:]
        return batch

    def _step(self) -> Array:
        looking_ahead = self.found == self._limit
        if self._more:
            raise LimitReached
        try:
            for batch in self._assignments:
                batch = self._chosen(batch)
                if not len(batch):
                    self._control.poll()
                    continue
                if looking_ahead:
                    raise LimitReached
                if self._limit is not None and len(batch) > self._limit - self.found:
                    batch = batch[: self._limit - self.found]
                    self._more = True
                if self._checker is not None:
                    self._checker.check(batch[:, : len(self._problem.variables)], self.backend)
                self.found += len(batch)
                self._control.found = self.found
                return batch
        except TimeLimitReached:
            if looking_ahead:
                raise LimitReached from None
            raise
        raise Exhausted


def batches(
    model: Model | int,
    *,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    verify: bool = True,
    progress: ProgressCallback | None = None,
    log: LogCallback | None = None,
    limit: int | None = None,
    cluster: str | Client | None = None,
) -> BatchIterator:
    """Iterate over the solutions in batches, as NumPy arrays.

    Parameters are those of `solutions`, but for

    Parameters
    ----------
    workers : int
        Where the solutions come in lexicographic order (the core), they do so with several workers too.
    cluster : str or dask.distributed.Client, optional
        Who searches, instead of this process, as in `count_in_jobs`; in lexicographic order where the backend has it.

    Returns
    -------
    BatchIterator
        Of arrays with a row for each solution and a column for each variable, uint8 where all values fit in 0..255,
        otherwise the smallest signed integer type that holds them. The sizes of batches are not fixed: the first are small,
        so that they come at once. Each is the caller's own.

    Examples
    --------
    >>> from nqueens_cp import batches
    >>> sum(len(batch) for batch in batches(8))
    92
    """
    control = make_control(time_limit, workers, seed, verify=verify, progress=progress, log=log)
    most = None if limit is None else integer_at_least(limit, 1, "limit")
    return BatchIterator(without_objective(model, "batches"), backend, control, most, verify, cluster=cluster)


def to_numpy(model: Model | int, **arguments: Any) -> Array:
    """Return the solutions as one array, a row for each.

    Parameters
    ----------
    model : Model or int
        A model, or the size of a classic N-Queens board.
    **arguments
        Those of `batches`.

    Raises
    ------
    SearchStopped
        The time limit was reached first; its ``partial`` is the array of what was found. A limit raises nothing.

    Examples
    --------
    >>> from nqueens_cp import to_numpy
    >>> to_numpy(4)
    array([[1, 3, 0, 2],
           [2, 0, 3, 1]], dtype=uint8)
    """
    from nqueens_cp.errors import SearchStopped
    from nqueens_cp.result import Status

    with batches(model, **arguments) as found:
        parts = list(found)
    columns = len(found._problem.variables)
    whole = np.concatenate(parts) if parts else np.empty((0, columns), dtype=found.dtype)
    if found.status is Status.TIMEOUT:
        raise SearchStopped(
            f"stopped by the time limit: {len(whole)} solutions were found, there may be more",
            partial=whole,
            status=Status.TIMEOUT,
        )
    return whole


def to_dataframe(model: Model | int, **arguments: Any) -> pandas.DataFrame:
    """Return the solutions as a pandas data frame, a row for each and a column for each variable, by its name.

    Parameters and errors are those of `to_numpy`.
    """
    import pandas

    from nqueens_cp.choosing import as_problem

    names = [variable.name for variable in as_problem(model).variables]
    return pandas.DataFrame(to_numpy(model, **arguments), columns=names)


def arrays(choice: Choice, problem: Problem, control: Control) -> Iterator[Array]:
    """Yield a backend's solutions of a problem in batches."""
    if type(choice.backend) is CoreBackend:  # a backend derived from it may find other solutions
        form: Form = choice.translated
        search = kernel.for_rows(form) if isinstance(form, DiagonalForm) else kernel.for_table(form, lexicographic=True)
        if search is not None:
            return _kernel_arrays(search, form, problem, control)
    return gathered(choice.backend.solutions(choice.translated, control), problem, choice.backend.name)


def _kernel_arrays(search: Any, form: Form, problem: Problem, control: Control) -> Iterator[Array]:
    """Yield what the kernel finds: positions, turned into values by adding or, where domains have gaps, by looking up."""
    dtype, columns = dtype_of(problem), len(problem.variables)
    if isinstance(form, DiagonalForm):
        firsts: list[int] | None = list(form.firsts)
    else:
        gapless = all(domain[-1] - domain[0] == len(domain) - 1 for domain in form.domains if domain)
        firsts = [domain[0] if domain else 0 for domain in form.domains] if gapless else None
    if firsts is not None:
        # Modulo the type's size, since a row's first column may lie outside of its domain.
        summands = np.array([first % (1 << 64) for first in firsts], dtype=np.uint64).astype(dtype)
    else:
        assert not isinstance(form, DiagonalForm)
        starts = np.cumsum([0, *map(len, form.domains)])[:-1]
        values = np.array([value for domain in form.domains for value in domain], dtype=dtype)
    for batch in kernel.batches(search, control, columns):
        positions = np.frombuffer(batch, dtype=np.uint8).reshape(-1, columns)
        if firsts is None:
            yield values[positions + starts]
        elif any(firsts):
            yield positions.astype(dtype) + summands
        else:
            yield positions.astype(dtype)


def gathered(found: Iterator[tuple[int, ...]], problem: Problem, backend: str) -> Iterator[Array]:
    """Yield tuples of values in batches: one at a time at first, and more together as long as they come fast.

    Raises
    ------
    VerificationError
        Some of them do not fit into an array of the problem's values.
    """
    dtype, columns = dtype_of(problem), len(problem.variables)
    rows: list[tuple[int, ...]] = []

    def batch() -> Array:
        try:
            made = np.array(rows, dtype=dtype).reshape(len(rows), columns)
        except (ValueError, OverflowError):
            judge = Verifier(problem)
            for values in rows:
                judge.check(values, backend)
            raise
        rows.clear()
        return made

    wanted, begun = 1, monotonic()
    try:
        for values in found:
            rows.append(values)
            if len(rows) < wanted and monotonic() - begun < GATHERED_SECONDS:
                continue
            wanted = min(2 * wanted, GATHERED) if len(rows) >= wanted else 1
            yield batch()
            begun = monotonic()
    except (StopSearch, KeyboardInterrupt):
        if rows:
            yield batch()
        raise
    finally:
        close = getattr(found, "close", None)
        if close is not None:
            close()
    if rows:
        yield batch()
