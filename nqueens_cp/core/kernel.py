"""The compiled search, driven a slice at a time: between two slices the control is polled.

A search object of `_kernel` holds its whole state and releases the GIL while it runs. `for_rows` and `for_table` return one for
a form, or None where the form is too large for it or the kernel is not there; then pure.py searches.
"""

from __future__ import annotations

import os
import warnings
from array import array
from collections.abc import Callable, Generator
from contextlib import closing
from functools import cache
from itertools import accumulate, chain
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from nqueens_cp.control import Control
from nqueens_cp.core import pure
from nqueens_cp.core.compile import ConflictForm, DiagonalForm

PURE_VARIABLE = "NQUEENS_CP_CORE"
"""Set this environment variable to "pure" and the kernel is not used."""
BUILD_LOG = Path(__file__).with_name("_kernel_build.txt")
"""Where setup.py says why the kernel was not built."""

if TYPE_CHECKING:
    from typing_extensions import Buffer

T = TypeVar("T")

FIRST_SLICE = 1_000  # nodes
SLICE_SECONDS = 0.01  # what a slice is adjusted to take
FIRST_BATCH, LARGEST_BATCH = 8, 32_768  # solutions handed over together: few at first, so that the first comes at once


@cache
def load() -> tuple[Any, str]:
    """Return the compiled module and "", or None and the reason why it is not in use."""
    if os.environ.get(PURE_VARIABLE) == "pure":
        return None, f"{PURE_VARIABLE}=pure is set"
    try:
        from nqueens_cp.core import _kernel
    except ImportError as error:
        if BUILD_LOG.exists():
            return None, f"the build failed: {BUILD_LOG.read_text(encoding='utf-8').strip()}"
        return None, f"this checkout was never built ({error}); pip install -e . builds it"
    return _kernel, ""


@cache
def warn_if_missing() -> None:
    """Warn, once, that the core runs in pure Python because the kernel is missing."""
    module, reason = load()
    if module is None and os.environ.get(PURE_VARIABLE) != "pure":
        warnings.warn(f"the core runs in pure Python, some 50 times slower than compiled: {reason}", stacklevel=2)


def takes_rows(form: DiagonalForm) -> bool:
    """Say whether the kernel is there and large enough for a diagonal form."""
    module, _ = load()
    return module is not None and 1 <= len(form.allowed) <= module.MAX_ROWS and 1 <= form.width <= module.WORD


def for_rows(form: DiagonalForm, first: int | None = None) -> Any:
    """Return the search of a diagonal form, row by row; `first` restricts the columns of the first row."""
    module, _ = load()
    if not takes_rows(form):
        return None
    allowed = array("Q", form.allowed)
    if first is not None:
        allowed[0] &= first
    return module.RowSearch(allowed, form.width, form.columns, form.diagonals, form.antidiagonals)


def for_table(form: ConflictForm, *, lexicographic: bool) -> Any:
    """Return the search of a conflict form."""
    module, _ = load()
    if module is None or not 1 <= len(form.domains) <= module.MAX_VARIABLES:
        return None
    if any(len(domain) > module.WORD for domain in form.domains):
        return None
    groups = [group.entries for group in form.groups]
    entries = list(chain.from_iterable(chain.from_iterable(groups)))  # variable, mask, variable, mask, ...
    return module.TableSearch(
        bytes(map(len, form.domains)),
        array("I", accumulate(map(len, groups), initial=0)),
        array("I", entries[::2]),
        array("Q", entries[1::2]),
        bytes([group.exact for group in form.groups]),
        array("I", [pair.variable for pair in form.pairs]),
        array("I", [pair.other for pair in form.pairs]),
        array("Q", list(chain.from_iterable([pair.masks for pair in form.pairs]))),
        lexicographic,
    )


class Slices:
    """How many nodes the next slice has: adjusted so that a slice takes about `SLICE_SECONDS`."""

    def __init__(self) -> None:
        self.nodes = FIRST_SLICE

    def run(self, slice_of: Callable[..., T], *arguments: Any) -> T:
        """Run one slice, ``slice_of(*arguments, nodes)``, and adjust the next."""
        begun = perf_counter()
        result = slice_of(*arguments, self.nodes)
        took = perf_counter() - begun
        if took < SLICE_SECONDS / 2:
            self.nodes = min(2 * self.nodes, 1 << 40)
        elif took > 2 * SLICE_SECONDS:
            self.nodes = max(1, self.nodes // 2)
        return result


def count(search: Any, control: Control, weight: int = 1) -> int:
    """Return the number of solutions times `weight`, added to ``control.found`` on the way."""
    before, slices = control.found, Slices()
    control.share = search.share
    try:
        while not slices.run(search.count):
            control.found = before + weight * search.found
            control.poll()
    finally:
        control.found = before + weight * search.found
        _tell_nodes(search, control)
    return weight * int(search.found)


def batches(search: Any, control: Control, size: int) -> Generator[memoryview]:
    """Yield solutions together, `size` bytes each; a batch is overwritten by the next."""
    slices, capacity = Slices(), FIRST_BATCH
    buffer = bytearray(capacity * size)
    control.share = search.share
    try:
        while not search.done:
            written = slices.run(search.fill, buffer)
            if written:
                yield memoryview(buffer)[: written * size]
            control.poll()
            if capacity < LARGEST_BATCH and 2 * written > capacity:
                capacity *= 4
                buffer = bytearray(capacity * size)
    finally:
        _tell_nodes(search, control)


def solutions(search: Any, control: Control, size: int) -> Generator[tuple[int, ...]]:
    """Yield every solution as a tuple of `size` small integers."""
    with closing(batches(search, control, size)) as found:
        for batch in found:
            flat = tuple(batch)
            for start in range(0, len(flat), size):
                yield flat[start : start + size]


def format_lines(batch: Buffer, columns: int, separator: bytes) -> bytes:
    """Return rows of `columns` bytes as lines of decimal numbers with one byte between them, each ended by a newline."""
    module, _ = load()
    lines: bytes = (module or pure).format_lines(batch, columns, separator)
    return lines


def _tell_nodes(search: Any, control: Control) -> None:
    control.statistics["nodes"] = control.statistics.get("nodes", 0) + search.nodes
