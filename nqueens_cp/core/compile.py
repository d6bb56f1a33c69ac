"""From a model to one of the two search forms of the core, or the reason in words why not.

- `DiagonalForm`: a board of rows with one value in each, all-different on any of x[i], x[i] + i and x[i] - i, and the values
  that each row allows. Its search state is three bit masks.
- `ConflictForm`: constraints of one or two variables and all-differents of one-variable terms, as a table of which
  (variable, value) excludes which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, compress, count, islice, product
from math import prod
from operator import add, eq, or_
from typing import NamedTuple

from nqueens_cp.constraints import AllDifferent, Predicate
from nqueens_cp.control import Control
from nqueens_cp.expressions import Expression
from nqueens_cp.model import Problem
from nqueens_cp.relations import Constraint, shorten
from nqueens_cp.variables import Domain, IntVar

MAX_WIDTH = 200_000
"""The diagonal form takes boards of at most this many columns."""
MAX_VALUES = 20_000
"""The conflict form takes at most this many values, the domains of all variables together."""
MAX_UNARY = 40_000_000
"""Constraints of one variable are tried on at most this many values."""
MAX_TABLE = 4_000_000
"""The conflict form takes at most this many pairs of values to look at when its table is made."""
CHECKED_AT_ONCE = 4096
"""So many combinations of values are checked between two polls."""

ZEROS_AS_DIGITS = bytes.maketrans(b"\0\1", b"10")
"""Turns a row of verdicts, 0 or 1, into the digits of its opposite in base 2."""


class CannotCompile(Exception):
    """The model is neither of the two forms; the message says which constraint is in the way."""


@dataclass(frozen=True, slots=True)
class DiagonalForm:
    """One value in each row of a board, some lines all-different.

    Attributes
    ----------
    allowed : tuple of int
        For each row a bit mask of the columns it allows; bit 0 is the leftmost column.
    firsts : tuple of int
        For each row the value of its variable that is column 0.
    width : int
        The number of columns.
    columns, diagonals, antidiagonals : bool
        Whether two queens may not share a column, a line with equal column - row, a line with equal column + row.
    """

    allowed: tuple[int, ...]
    firsts: tuple[int, ...]
    width: int
    columns: bool
    diagonals: bool
    antidiagonals: bool

    def values(self, columns: Sequence[int]) -> tuple[int, ...]:
        """Return the variables' values for the columns of the rows."""
        return tuple(map(int.__add__, columns, self.firsts))

    def weighted_first_rows(self) -> list[tuple[int, int]]:
        """Return masks for the first row and how often the solutions of each count: all once, or the left half twice."""
        first = self.allowed[0]
        if not self.has_mirror:
            return [(first, 1)]
        half = self.width // 2
        return [(first & ((1 << half) - 1), 2), (first & (self.width % 2 << half), 1)]

    def as_conflict_form(self) -> ConflictForm:
        """Return the same as a conflict form, whose search puts the row with the fewest free squares first."""
        rows = len(self.allowed)
        lines: dict[tuple[str, int], dict[int, int]] = {}
        kept = [columns_of(mask) for mask in self.allowed]
        for row, columns in enumerate(kept):
            for k, column in enumerate(columns):
                for watched, line in (
                    (self.columns, ("column", column)),
                    (self.diagonals, ("diagonal", column - row)),
                    (self.antidiagonals, ("antidiagonal", column + row)),
                ):
                    if watched:
                        masks = lines.setdefault(line, {})
                        masks[row] = masks.get(row, 0) | 1 << k
        exact = sum(kind == "column" for kind, _ in lines) == rows
        groups = (Group(tuple(masks.items()), exact and kind == "column") for (kind, _), masks in lines.items())
        domains = tuple(tuple(column + self.firsts[row] for column in columns) for row, columns in enumerate(kept))
        return ConflictForm(domains, tuple(groups), ())

    @property
    def is_plain_queens(self) -> bool:
        """Whether this is the classic board: square, nothing blocked or placed, all three kinds of lines."""
        full = (1 << self.width) - 1
        return (
            self.columns
            and self.diagonals
            and self.antidiagonals
            and len(self.allowed) == self.width
            and all(mask == full for mask in _distinct(self.allowed))
        )

    @property
    def has_mirror(self) -> bool:
        """Whether turning left and right over maps solutions to solutions."""
        if self.diagonals != self.antidiagonals:
            return False
        layout = f"0{self.width}b"
        return all(format(mask, layout) == format(mask, layout)[::-1] for mask in _distinct(self.allowed))


def _distinct(masks: Sequence[int]) -> Iterable[int]:
    """Return the masks of rows, each once: rows that allow the same share one number, which on large boards is a long one."""
    return {id(mask): mask for mask in masks}.values()


def columns_of(mask: int) -> list[int]:
    """Return the positions of the bits of a mask, ascending."""
    return [column for column, bit in enumerate(reversed(f"{mask:b}")) if bit == "1"]


class Group(NamedTuple):
    """At most one of `entries`, (variable, mask of its values), holds; exactly one if `exact`."""

    entries: tuple[tuple[int, int], ...]
    exact: bool


class Pair(NamedTuple):
    """Value k of `variable` excludes those values of `other` that are in the mask ``masks[k]``."""

    variable: int
    other: int
    masks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConflictForm:
    """Domains, and what excludes what.

    Attributes
    ----------
    domains : tuple of tuple of int
        The values of each variable, ascending; position k is bit k of its masks.
    groups : tuple of Group
        From all-differents: one for each value of the terms.
    pairs : tuple of Pair
        From constraints of two variables: for each two pairs, one in each direction.
    """

    domains: tuple[tuple[int, ...], ...]
    groups: tuple[Group, ...]
    pairs: tuple[Pair, ...]

    def values(self, positions: Sequence[int]) -> tuple[int, ...]:
        """Return the variables' values from their positions in the domains."""
        return tuple([domain[k] for domain, k in zip(self.domains, positions, strict=True)])

    def without_free_variables(self) -> tuple[int, ConflictForm]:
        """Return a factor, and the form of the variables that something constrains: its count times the factor is ours."""
        bound = {variable for group in self.groups for variable, _ in group.entries}
        bound.update(pair.variable for pair in self.pairs)
        if len(bound) == len(self.domains):
            return 1, self
        factor = prod(len(domain) for variable, domain in enumerate(self.domains) if variable not in bound)
        place = {variable: i for i, variable in enumerate(sorted(bound))}
        groups = tuple(Group(tuple((place[v], mask) for v, mask in entries), exact) for entries, exact in self.groups)
        pairs = tuple(Pair(place[variable], place[other], masks) for variable, other, masks in self.pairs)
        return factor, ConflictForm(tuple(self.domains[variable] for variable in place), groups, pairs)


def compile_problem(problem: Problem, control: Control) -> DiagonalForm | ConflictForm:
    """Return the search form of a problem; the diagonal form where it fits.

    Raises
    ------
    CannotCompile
        Neither form fits.
    """
    if problem.objective is not None:
        raise CannotCompile(
            f"it does not optimise, and the model has the objective '{shorten(str(problem.objective))}'"
        )
    parts = _Parts(problem, control)
    profiles = [_offsets(constraint, len(problem.variables)) for constraint in parts.all_differents]
    if not parts.binary and None not in profiles:
        form = _diagonal_form(parts.domains, [profile for profile in profiles if profile is not None])
        if form is not None:
            return form
    return _conflict_form(parts, control)


class _Parts:
    """The constraints of a problem sorted by kind; those of one variable are worked into the domains at once."""

    def __init__(self, problem: Problem, control: Control) -> None:
        self.all_differents: list[AllDifferent] = []
        self.binary: list[Constraint] = []
        self.domains: list[Domain] = [variable.domain for variable in problem.variables]
        unary: dict[IntVar, list[Constraint]] = {}
        waiting = list(problem.statements())
        holds = True
        while waiting:
            control.poll()
            constraint = waiting.pop()
            variables = constraint.variables
            if not variables:
                holds = holds and constraint.check({})
            elif len(variables) == 1:
                unary.setdefault(variables[0], []).append(constraint)
            elif isinstance(constraint, AllDifferent) and constraint.of_single_variables:
                self.all_differents.append(constraint)
                if len(variables) < len(constraint.expressions):  # there are constants, or two terms of one variable
                    waiting.extend(_within_one_variable(constraint))
            elif len(variables) == 2:
                self.binary.append(constraint)
            else:
                raise CannotCompile(
                    f"'{shorten(str(constraint))}' joins {len(variables)} variables, and it takes constraints of one or "
                    "two variables and all-differents of one-variable terms"
                )
        if sum(len(variable.domain) for variable in unary) > MAX_UNARY:
            raise CannotCompile(f"constraints of one variable would have to be tried on more than {MAX_UNARY:,} values")
        for variable, constraints in unary.items():
            self.domains[variable.index] = filtered(variable.domain, constraints, control)
        if not holds:
            self.domains = [()] * max(1, len(self.domains))


def filtered(domain: Domain, constraints: Iterable[Constraint], control: Control) -> Domain:
    """Return those values of a variable for which constraints of it alone hold."""
    for constraint in constraints:
        domain = tuple(compress(domain, _verdicts(constraint, [domain], control)))
    return domain


def _within_one_variable(constraint: AllDifferent) -> list[AllDifferent]:
    """Return what an all-different says of its constants, and of single variables: their terms differ from each other."""
    terms: dict[IntVar, list[Expression]] = {}
    constants: list[Expression] = []
    for expression in constraint.expressions:
        if expression.variables:
            terms.setdefault(expression.variables[0], []).append(expression)
        else:
            constants.append(expression)
    groups = [(*own, *constants) for own in terms.values() if len(own) > 1 or constants]
    return [AllDifferent(tuple(constants)), *map(AllDifferent, groups)]


def _offsets(constraint: AllDifferent, variables: int) -> tuple[int, ...] | None:
    """Return c with ``all_different(x[i] + c[i])`` over all variables in order and c[0] = 0, or None if it is not that."""
    if len(constraint.expressions) != variables:
        return None
    offsets: list[int | None] = [None] * variables
    scale: int | None = None
    for expression in constraint.expressions:
        affine = expression.as_affine()
        if affine is None:
            return None
        atom, factor, constant = affine
        if not isinstance(atom, IntVar) or factor != (scale or factor) or offsets[atom.index] is not None:
            return None
        scale = factor
        offsets[atom.index] = constant
    first = offsets[0]
    if scale is None or first is None:
        return None
    profile = [offset - first for offset in offsets if offset is not None]
    if scale == 1:
        return tuple(profile)
    return None if any(offset % scale for offset in profile) else tuple([offset // scale for offset in profile])


def _diagonal_form(domains: Sequence[Domain], profiles: list[tuple[int, ...]]) -> DiagonalForm | None:
    """Return the diagonal form if, seen from one of the profiles or their middle, all are columns or diagonals."""
    rows = len(domains)
    distinct = set(profiles)
    if len(distinct) > 3:
        return None
    for shifts in _viewpoints(distinct, rows):
        slopes = {_slope(profile, shifts) for profile in distinct}
        if None not in slopes:
            break
    else:
        return None
    kinds = dict.fromkeys(zip(domains, shifts, strict=True))  # the rows that are not the same as an earlier one
    lowest = min((domain[0] + shift for domain, shift in kinds if domain), default=0)
    width = max((domain[-1] + shift for domain, shift in kinds if domain), default=-1) + 1 - lowest
    if width > MAX_WIDTH:
        return None
    masks = {(domain, shift): _mask(domain, lowest - shift) for domain, shift in kinds}
    allowed = tuple(map(masks.__getitem__, zip(domains, shifts, strict=True)))
    if 0 in slopes and reduce(or_, masks.values(), 0).bit_count() < rows:
        allowed = (0,) * rows  # fewer columns than queens
    firsts = tuple([lowest - shift for shift in shifts])
    return DiagonalForm(allowed, firsts, width, 0 in slopes, -1 in slopes, 1 in slopes)


def _viewpoints(profiles: set[tuple[int, ...]], rows: int) -> Iterator[tuple[int, ...]]:
    """Yield the shifts of rows from which the profiles may be columns and diagonals: themselves, none, their middles."""
    yield from sorted(profiles)
    middles = {tuple((a + b) // 2 for a, b in zip(p, q, strict=True)) for p, q in combinations(profiles, 2)}
    yield from sorted((middles | {(0,) * rows}) - profiles)


def _slope(profile: tuple[int, ...], shifts: tuple[int, ...]) -> int | None:
    """Return s in -1, 0, 1 with ``profile[i] == shifts[i] + s * i``, or None."""
    if len(profile) < 2:
        return 0
    slope = profile[1] - shifts[1]
    if abs(slope) <= 1 and all(map(eq, profile, map(add, shifts, count(0, slope)))):
        return slope
    return None


def _mask(domain: Domain, first: int) -> int:
    if isinstance(domain, range):
        return ((1 << len(domain)) - 1) << (domain[0] - first)
    mask = bytearray((domain[-1] - first) // 8 + 1) if domain else bytearray()
    for value in domain:
        mask[(value - first) >> 3] |= 1 << ((value - first) & 7)
    return int.from_bytes(mask, "little")


def _conflict_form(parts: _Parts, control: Control) -> ConflictForm:
    total = sum(len(domain) for domain in parts.domains)
    if total > MAX_VALUES:
        raise CannotCompile(
            f"its table of conflicts takes at most {MAX_VALUES:,} values, and the domains hold {total:,}"
        )
    table = _Table(tuple(tuple(domain) for domain in parts.domains), control)
    for all_different in parts.all_differents:
        table.exclude_equal_terms(all_different)
    for constraint in parts.binary:
        table.exclude_pairs(constraint)
    return table.form()


class _Table:
    """The table of conflicts while it is filled."""

    def __init__(self, domains: tuple[tuple[int, ...], ...], control: Control) -> None:
        self.domains = domains
        self.groups: list[Group] = []
        self.masks: dict[tuple[int, int], tuple[int, ...]] = {}  # by variable and other variable, as in a Pair
        self.control = control
        self.looked_at = 0

    def _look_at(self, pairs: int) -> None:
        self.control.poll()
        self.looked_at += pairs
        if self.looked_at > MAX_TABLE:
            raise CannotCompile(
                f"its table of conflicts takes at most {MAX_TABLE:,} pairs of values, and there are more"
            )

    def exclude_equal_terms(self, constraint: AllDifferent) -> None:
        """Exclude what would give terms of two variables the same value."""
        holders: dict[int, dict[int, int]] = {}  # value of a term -> variable -> mask of its values that give it
        terms = 0
        for expression in constraint.expressions:
            for variable in expression.variables:
                terms += 1
                domain = self.domains[variable.index]
                self._look_at(len(domain))
                values = expression.values({variable: domain}) if domain else ()
                for k, value in enumerate(values):
                    masks = holders.setdefault(value, {})
                    masks[variable.index] = masks.get(variable.index, 0) | 1 << k
        if len(holders) < terms:  # more pigeons than holes
            self.domains = ((),) * len(self.domains)
            return
        exact = len(holders) == terms
        self.groups.extend(Group(tuple(masks.items()), exact) for masks in holders.values() if exact or len(masks) > 1)

    def exclude_pairs(self, constraint: Constraint) -> None:
        """Exclude the pairs of values that break a constraint of two variables."""
        left, right = (variable.index for variable in constraint.variables)
        domains = [self.domains[left], self.domains[right]]
        width = len(domains[1])
        self._look_at(len(domains[0]) * width)
        verdicts = _verdicts(constraint, domains, self.control)
        if 0 in verdicts:
            rows = (verdicts[start : start + width] for start in range(0, len(verdicts), width))
            self._exclude(left, right, tuple(map(_mask_of_zeros, rows)))
            self._exclude(right, left, tuple([_mask_of_zeros(verdicts[k::width]) for k in range(width)]))

    def _exclude(self, variable: int, other: int, masks: tuple[int, ...]) -> None:
        known = self.masks.get((variable, other))
        self.masks[variable, other] = masks if known is None else tuple(map(or_, known, masks))

    def form(self) -> ConflictForm:
        pairs = (Pair(variable, other, masks) for (variable, other), masks in self.masks.items())
        return ConflictForm(self.domains, tuple(self.groups), tuple(pairs))


def _verdicts(constraint: Constraint, domains: Sequence[Domain], control: Control) -> bytearray:
    """Say of each combination of values of a constraint's variables whether it holds: 1 or 0, in lexicographic order."""
    at_once = 1 if isinstance(constraint, Predicate) else CHECKED_AT_ONCE  # a caller's function may take its time
    combinations = product(*domains)
    verdicts = bytearray()
    while chunk := tuple(islice(combinations, at_once)):
        control.poll()
        columns = zip(*chunk, strict=True)
        verdicts.extend(constraint.check_all(dict(zip(constraint.variables, columns, strict=True))))
    return verdicts


def _mask_of_zeros(verdicts: bytearray) -> int:
    """Return a mask of the places of a row of verdicts where something does not hold."""
    return int(verdicts[::-1].translate(ZEROS_AS_DIGITS), 2)
