"""The constraint base class and the relations: comparisons, and what combines them.

A relation is a constraint that can be combined with others by ``&``, ``|``, ``~`` and ``.implies()``. Global constraints
(constraints.py) stand alone. `check` is the independent judge: it uses no solver, and no backend code reaches it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from operator import attrgetter, le
from typing import TYPE_CHECKING, Any, ClassVar

from nqueens_cp.checks import shown
from nqueens_cp.errors import InvalidType, InvalidValue

if TYPE_CHECKING:
    from nqueens_cp.expressions import Expression
    from nqueens_cp.variables import IntVar

OPERATORS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", "<=": ">", ">": "<="}

Assignment = Mapping[Any, int]
"""The value of each variable."""
Columns = Mapping[Any, Sequence[int]]
"""The values of each variable in many assignments: all sequences of one length, and at least one of them."""
MAX_DEPTH = 100
"""How deep relations and functions may be nested: what reads them calls itself for each level."""


class Constraint:
    """Something that an assignment satisfies or breaks.

    Attributes
    ----------
    variables : tuple of IntVar
        The variables it mentions, each once, in order of first mention.
    """

    __slots__ = ()

    @property
    def variables(self) -> tuple[IntVar, ...]:
        raise TypeError(f"{type(self).__name__} does not say which variables it mentions")

    def check(self, assignment: Assignment) -> bool:
        """Say whether `assignment`, a mapping from each variable to its integer value, satisfies this constraint."""
        raise TypeError(f"{type(self).__name__} cannot be checked")

    def check_all(self, columns: Columns) -> Sequence[bool]:
        """Say the same of many assignments at once: `columns` maps each variable to its values in them."""
        variables = self.variables
        return [
            self.check(dict(zip(variables, values, strict=True)))
            for values in zip(*(columns[variable] for variable in variables), strict=True)
        ]

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise InvalidType(
            f"'{shorten(str(self))}' is a constraint and cannot be compared with == or !=; that two relations a and b hold "
            "together or not at all is a.implies(b) & b.implies(a)"
        )

    __ne__ = __eq__

    def judge(self, places: Mapping[IntVar, int]) -> Callable[[Sequence[int]], bool]:
        """Return `check` as a function of a sequence of values, in which ``places`` tells where each variable stands."""
        pairs = [(variable, places[variable]) for variable in self.variables]
        return lambda values: self.check({variable: values[place] for variable, place in pairs})

    def _refuse_to_combine(self, *others: Any) -> Relation:
        raise InvalidType(
            f"the global constraint '{shorten(str(self))}' cannot be combined with & | ~ or implies: "
            "globals stand at the top level only; state it alone with model.add(...)"
        )

    __and__ = __rand__ = __or__ = __ror__ = __invert__ = implies = _refuse_to_combine

    def __bool__(self) -> bool:
        raise InvalidType(
            f"'{shorten(str(self))}' is a constraint of a model, not a truth value. Write model.add(...) to state it, "
            "& | ~ instead of and / or / not, a < b and b < c as two constraints, and `is` to look a variable up in a list"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {shorten(str(self))}>"


class Logical:
    """What can be combined by ``&``, ``|``, ``~`` and ``.implies()``: relations and Boolean variables."""

    __slots__ = ()

    def as_relation(self) -> Relation:
        """Return this as a relation."""
        raise InvalidType(f"{self!r} is not a relation")

    def __and__(self, other: Any) -> Relation:
        return And((self.as_relation(), as_relation(other)))

    def __rand__(self, other: Any) -> Relation:
        return And((as_relation(other), self.as_relation()))

    def __or__(self, other: Any) -> Relation:
        return Or((self.as_relation(), as_relation(other)))

    def __ror__(self, other: Any) -> Relation:
        return Or((as_relation(other), self.as_relation()))

    def __invert__(self) -> Relation:
        return self.as_relation().negated()

    def implies(self, consequence: Any) -> Relation:
        """Return the relation that holds unless this one holds and `consequence` does not."""
        return Implies(self.as_relation(), as_relation(consequence))


class Relation(Logical, Constraint):
    """A constraint that can be combined with others."""

    __slots__ = ()

    @property
    def depth(self) -> int:
        """How deep combinations and functions are nested in it."""
        return 0

    def as_relation(self) -> Relation:
        return self

    def negated(self) -> Relation:
        """Return the relation that holds exactly where this one does not."""
        raise TypeError(f"{type(self).__name__} has no opposite")


class Truth(Relation):
    """The constant True or False, as in ``model.add(sum([]) == 0)``."""

    __slots__ = ("holds",)

    def __init__(self, holds: bool) -> None:
        self.holds = holds

    @property
    def variables(self) -> tuple[IntVar, ...]:
        return ()

    def check(self, assignment: Assignment) -> bool:
        return self.holds

    def check_all(self, columns: Columns) -> Sequence[bool]:
        return [self.holds] * len(next(iter(columns.values())))

    def negated(self) -> Relation:
        return Truth(not self.holds)

    def __str__(self) -> str:
        return str(self.holds)


class Comparison(Relation):
    """``left operator right`` for two linear expressions.

    Attributes
    ----------
    difference : Expression
        ``left - right``; the relation holds where ``difference operator 0`` does.
    operator : str
        One of ``== != < <= > >=``.
    """

    __slots__ = ("difference", "left", "operator", "right", "variables")

    def __init__(self, left: Expression, operator: str, right: Expression | int, difference: Expression) -> None:
        reached = difference.past_64_bits()
        if reached is not None:
            raise InvalidValue(f"'{shorten(f'{left} {operator} {right}')}' can reach {reached}, past 64 bits")
        self.left = left
        self.operator = operator
        self.right = right
        self.difference = difference
        self.variables: tuple[IntVar, ...] = difference.variables

    @property
    def depth(self) -> int:
        return self.difference.depth

    def check(self, assignment: Assignment) -> bool:
        return OPERATORS[self.operator](self.difference.value(assignment), 0)

    def check_all(self, columns: Columns) -> Sequence[bool]:
        return list(map(OPERATORS[self.operator], self.difference.values(columns), repeat(0)))

    def negated(self) -> Relation:
        return Comparison(self.left, OPPOSITE[self.operator], self.right, self.difference)

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


class _Combination(Relation):
    """Several relations joined by one word; nested combinations of the same kind are flattened."""

    __slots__ = ("_depth", "parts", "variables")
    parts: tuple[Relation, ...]
    word: ClassVar[str]

    def __init__(self, parts: Iterable[Relation]) -> None:
        flat: list[Relation] = []
        for part in parts:
            if type(part) is type(self):
                flat.extend(part.parts)
            else:
                flat.append(part)
        self.parts = tuple(flat)
        self._depth = depth_above(flat)
        self.variables: tuple[IntVar, ...] = distinct_variables(flat)

    @property
    def depth(self) -> int:
        return self._depth

    def __str__(self) -> str:
        return f" {self.word} ".join(f"({part})" for part in self.parts)


class And(_Combination):
    """All of `parts` hold."""

    __slots__ = ()
    word = "and"

    def check(self, assignment: Assignment) -> bool:
        return all(part.check(assignment) for part in self.parts)

    def check_all(self, columns: Columns) -> Sequence[bool]:
        return list(map(all, zip(*(part.check_all(columns) for part in self.parts), strict=True)))

    def negated(self) -> Relation:
        return Or(part.negated() for part in self.parts)


class Or(_Combination):
    """At least one of `parts` holds."""

    __slots__ = ()
    word = "or"

    def check(self, assignment: Assignment) -> bool:
        return any(part.check(assignment) for part in self.parts)

    def check_all(self, columns: Columns) -> Sequence[bool]:
        return list(map(any, zip(*(part.check_all(columns) for part in self.parts), strict=True)))

    def negated(self) -> Relation:
        return And(part.negated() for part in self.parts)


class Implies(Relation):
    """`consequence` holds wherever `condition` does."""

    __slots__ = ("_depth", "condition", "consequence", "variables")

    def __init__(self, condition: Relation, consequence: Relation) -> None:
        self.condition = condition
        self.consequence = consequence
        self._depth = depth_above((condition, consequence))
        self.variables: tuple[IntVar, ...] = distinct_variables((condition, consequence))

    @property
    def depth(self) -> int:
        return self._depth

    def as_clause(self) -> Or:
        """Return the same as a disjunction: not `condition`, or `consequence`."""
        return Or((self.condition.negated(), self.consequence))

    def check(self, assignment: Assignment) -> bool:
        return not self.condition.check(assignment) or self.consequence.check(assignment)

    def check_all(self, columns: Columns) -> Sequence[bool]:
        return list(map(le, self.condition.check_all(columns), self.consequence.check_all(columns)))

    def negated(self) -> Relation:
        return And((self.condition, self.consequence.negated()))

    def __str__(self) -> str:
        return f"({self.condition}) implies ({self.consequence})"


def as_relation(value: Any) -> Relation:
    """Return `value` as a relation: a relation, a Boolean variable, or plain True or False."""
    if isinstance(value, Logical):
        return value.as_relation()
    if isinstance(value, bool):
        return Truth(value)
    if isinstance(value, Constraint):
        return value._refuse_to_combine()
    raise InvalidType(
        f"expected a relation such as x == 1, or a bool_var, got {shown(value)} ({type(value).__name__}); "
        "& and | bind closer than ==, so write (x == 1) | (y == 2)"
    )


def depth_above(parts: Iterable[Any]) -> int:
    """Return the depth of what is made of `parts` (relations or expressions); refuse what is nested too deep."""
    depth = 1 + max((part.depth for part in parts), default=0)
    if depth > MAX_DEPTH:
        raise InvalidValue(
            f"relations and functions can be nested {MAX_DEPTH} deep; let a variable of its own stand for an inner part"
        )
    return depth


def distinct_variables(things: Iterable[Any]) -> tuple[IntVar, ...]:
    """Return the variables that `things` (constraints or expressions) mention, each once, in order of first mention."""
    return tuple(dict.fromkeys(chain.from_iterable(map(attrgetter("variables"), things))))


def shorten(text: str, width: int = 100) -> str:
    """Cut a text that would flood a one-line message."""
    return text if len(text) <= width else text[: width - 3] + "..."
