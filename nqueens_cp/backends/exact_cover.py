"""Exact cover with secondary items, solved by miniexact (Knuth's dancing links in C).

Each value of a variable is an option. Every variable is an item that exactly one option covers; what excludes each other shares
an item that at most one option covers, or exactly one where an all-different takes every value.

Why miniexact: it has secondary items, and hands over one solution after another in little memory. The package exact-cover has
neither (it lists all solutions at once), xcover needs a compiler of some 200 MB, and dlx was last released in 2011. None of
them can be interrupted while it searches, so that happens in a process of its own.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from importlib import metadata
from time import monotonic
from typing import NamedTuple

from nqueens_cp.backends.apart import yielded_apart
from nqueens_cp.backends.base import Backend, Capabilities, require_names
from nqueens_cp.control import Control
from nqueens_cp.core.compile import CannotCompile, ConflictForm, DiagonalForm, Group, columns_of, compile_problem
from nqueens_cp.errors import UnsupportedModel
from nqueens_cp.model import Problem

FOUND = 10  # what the solver answers
EXHAUSTED = 20
REPORT_SECONDS = 0.05


class Cover(NamedTuple):
    """An exact cover problem.

    Attributes
    ----------
    primary, secondary : int
        How many items are to be covered exactly once and at most once; the primary ones are numbered first, from 0.
    options : list of list of int
        The items of each option.
    places : list of (int, int)
        Of each option the variable and the position in its domain.
    """

    primary: int
    secondary: int
    options: list[list[int]]
    places: list[tuple[int, int]]


class Translation(NamedTuple):
    """A problem as an exact cover problem, and the form that tells the values."""

    form: ConflictForm
    cover: Cover


class ExactCoverBackend(Backend):
    """Dancing links."""

    name = "exact-cover"
    capabilities = Capabilities(releases_gil=True)

    def load(self) -> None:
        require_names("miniexact:miniexacts_c.selected_options")
        self.version()

    def version(self) -> str:
        return f"{metadata.version('miniexact')} (miniexact)"

    def translate(self, problem: Problem, control: Control) -> Translation:
        try:
            form = compile_problem(problem, control)
        except CannotCompile as error:
            raise UnsupportedModel(f"exact-cover cannot take model {problem.name!r}: {error}") from None
        if isinstance(form, DiagonalForm):
            form = form.as_conflict_form()
        return Translation(form, as_cover(form, control))

    def count(self, translated: Translation, control: Control) -> int:
        with closing(yielded_apart(count_covers, translated.cover, control, self.name)) as numbers:
            for control.found in numbers:
                pass
        return control.found

    def solutions(self, translated: Translation, control: Control) -> Generator[tuple[int, ...]]:
        cover = translated.cover
        control.statistics.update(items=cover.primary + cover.secondary, options=len(cover.options))
        with closing(yielded_apart(covers, cover, control, self.name)) as found:
            for positions in found:
                yield translated.form.values(positions)


def as_cover(form: ConflictForm, control: Control) -> Cover:
    """Return the exact cover problem of a conflict form."""
    if not all(form.domains):
        return Cover(len(form.domains), 0, [], [])
    shares = list(form.groups)
    for pair in form.pairs:
        control.poll()
        if pair.variable < pair.other:  # each two are told twice, from either side
            for k, mask in enumerate(pair.masks):
                if mask:
                    shares.append(Group(((pair.variable, 1 << k), (pair.other, mask)), exact=False))
    shares.sort(key=lambda share: not share.exact)
    places = [(variable, k) for variable, domain in enumerate(form.domains) for k in range(len(domain))]
    options = {place: [place[0]] for place in places}
    for item, share in enumerate(shares, start=len(form.domains)):
        control.poll()
        for variable, mask in share.entries:
            for k in columns_of(mask):
                options[variable, k].append(item)
    exact = sum(share.exact for share in shares)
    return Cover(len(form.domains) + exact, len(shares) - exact, list(options.values()), places)


def covers(cover: Cover) -> Generator[tuple[int, ...]]:
    """Yield for each exact cover the positions of the variables' values."""
    from miniexact import miniexacts_c

    if not cover.options:  # the solver takes no problem without options
        if not cover.primary:
            yield ()
        return
    solver = miniexacts_c()
    items = [solver.primary(f"p{i}") for i in range(cover.primary)]
    items += [solver.secondary(f"s{i}") for i in range(cover.secondary)]
    places = {
        solver.add([items[i] for i in option]): place for option, place in zip(cover.options, cover.places, strict=True)
    }
    while (answer := solver.solve()) == FOUND:
        yield tuple([k for _, k in sorted(places[option] for option in solver.selected_options())])
    if answer != EXHAUSTED:
        raise RuntimeError(f"miniexact ended with {answer}, which is neither a solution nor the end")


def count_covers(cover: Cover) -> Generator[int]:
    """Yield how many exact covers have been found, now and then and at the end."""
    told = monotonic()
    found = 0
    for found, _ in enumerate(covers(cover), start=1):
        if monotonic() - told > REPORT_SECONDS:
            yield found
            told = monotonic()
    yield found
