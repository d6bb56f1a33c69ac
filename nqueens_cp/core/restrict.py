"""A search form with the values of its first variables given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nqueens_cp.core.compile import ConflictForm, DiagonalForm, Group, Pair, columns_of


def domains_of(form: DiagonalForm | ConflictForm) -> list[tuple[int, ...]]:
    """Return the values that each variable of a form may have, ascending."""
    if isinstance(form, ConflictForm):
        return list(form.domains)
    rows = zip(form.allowed, form.firsts, strict=True)
    return [tuple(first + column for column in columns_of(mask)) for mask, first in rows]


def restrict(form: DiagonalForm | ConflictForm, values: Sequence[int]) -> DiagonalForm | ConflictForm:
    """Return the form of those solutions that begin with some values, each of which its variable may have."""
    if isinstance(form, ConflictForm):
        return _restricted(form, values)
    given = tuple([1 << value - first for value, first in zip(values, form.firsts, strict=False)])
    return replace(form, allowed=given + form.allowed[len(given) :])


def _restricted(form: ConflictForm, values: Sequence[int]) -> ConflictForm:
    given = len(values)
    places = [domain.index(value) for domain, value in zip(form.domains, values, strict=False)]

    def left_of(variable: int, mask: int) -> int:
        return mask >> places[variable] & 1 if variable < given else mask

    domains = tuple([(value,) for value in values]) + form.domains[given:]
    groups, pairs = [], []
    for group in form.groups:
        entries = [(variable, left_of(variable, mask)) for variable, mask in group.entries]
        entries = [(variable, mask) for variable, mask in entries if mask]
        if group.exact and not entries:
            return ConflictForm(((),) * len(domains), (), ())
        if group.exact or len(entries) > 1:
            groups.append(Group(tuple(entries), group.exact))
    for variable, other, masks in form.pairs:
        kept = (masks[places[variable]],) if variable < given else masks
        if any(kept := tuple([left_of(other, mask) for mask in kept])):
            pairs.append(Pair(variable, other, kept))
    return ConflictForm(domains, tuple(groups), tuple(pairs))
