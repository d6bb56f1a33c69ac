"""A problem as an XCSP3 file, within XCSP3-core.

Comparisons are functional expressions; sums, counts and elements of variables are the constraints of that name where they
stand alone. Where an entry of an array or a count stands inside an expression, it is spelt out with ``if`` or as a sum of
comparisons.
XCSP3's ``mod`` takes the sign of its first operand, so what can be negative is lifted by a multiple of the modulus first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import quoteattr

from nqueens_cp.backends.base import tabulated, unsupported
from nqueens_cp.constraints import AllDifferent, InDomain, LexLessEqual, Predicate, Table
from nqueens_cp.control import Control
from nqueens_cp.expressions import Expression
from nqueens_cp.formats.names import Names, one_line
from nqueens_cp.functions import AbsoluteValue, CountOf, Element, Modulo
from nqueens_cp.model import Objective, Problem
from nqueens_cp.relations import OPERATORS as COMPARE
from nqueens_cp.relations import And, Comparison, Constraint, Implies, Or
from nqueens_cp.variables import Domain, IntVar
from nqueens_cp.version import __version__

RESERVED = frozenset(
    """
    neg abs add sub mul div mod sqr pow min max dist lt le ge gt ne eq set in not and or xor iff imp if card union inter
    diff sdiff hull djoint subset subseq supseq supset convex
    """.split()  # noqa: SIM905
)
"""The words of functional expressions."""
OPERATORS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
SHORTEST_SUM = 3
"""Comparisons of so many variables are sums."""


def xcsp3_text(problem: Problem, control: Control) -> str:
    """Return the problem as an XCSP3 file.

    Raises
    ------
    UnsupportedModel
        The problem has no variables, or a predicate has too many combinations to be tabulated.
    """
    return _Writer(problem, control).text()


class _Writer:
    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem = problem
        self.control = control
        self.names = Names(problem, RESERVED)

    def text(self) -> str:
        problem = self.problem
        if not problem.variables:
            raise unsupported("xcsp3", f"model {problem.name}", "an instance of XCSP3 needs at least one variable")
        note = quoteattr(f"{one_line(problem.name)}, written by nqueens-cp {__version__}")
        kind = "CSP" if problem.objective is None else "COP"
        constraints: list[str] = []
        for constraint in problem.statements():
            self.control.poll()
            constraints += self._stated(constraint)
        parts = [_element("variables", *self._declarations()), _element("constraints", *constraints)]
        if problem.objective is not None:
            parts.append(_element("objectives", self._objective(problem.objective)))
        body = "\n".join(_indented(part) for part in parts)
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<instance format="XCSP3" type="{kind}" note={note}>\n{body}\n'
            "</instance>\n"
        )

    def _declarations(self) -> Iterable[str]:
        declared: list[tuple[int, str]] = []
        for array in self.names.arrays:
            size = "".join(f"[{size}]" for size in array.sizes)
            text = f'<array id="{array.identifier}" size="{size}"{self._note(array.identifier)}>'
            first = array.variables[0]
            declared.append((first.index, f"{text} {_values_text(first.domain)} </array>"))
        for identifier, variable in self.names.single:
            text = f'<var id="{identifier}"{self._note(identifier)}>'
            declared.append((variable.index, f"{text} {_values_text(variable.domain)} </var>"))
        return (text for _, text in sorted(declared))

    def _note(self, identifier: str) -> str:
        remark = self.names.remark(identifier)
        return f" note={quoteattr(remark)}" if remark else ""

    def _objective(self, objective: Objective) -> str:
        expression, tag = objective.expression, "maximize" if objective.maximize else "minimize"
        variables = [atom for atom, _ in expression.terms if isinstance(atom, IntVar)]
        if len(variables) == len(expression.terms) > 1 and not expression.constant:
            lists = self._weighted_list(variables, [factor for _, factor in expression.terms])
            return _element(tag, *lists).replace(f"<{tag}>", f'<{tag} type="sum">', 1)
        return f"<{tag}> {self._expression(expression)} </{tag}>"

    # Constraints.

    def _stated(self, constraint: Constraint) -> list[str]:
        """Return the elements that state a constraint: none if it holds by itself."""
        if not constraint.variables:
            return [] if constraint.check({}) else [self._false()]
        if isinstance(constraint, AllDifferent):
            return self._all_different(constraint.expressions)
        if isinstance(constraint, Table):
            return self._table(constraint)
        if isinstance(constraint, Predicate):
            rows = tabulated(constraint, "xcsp3", self.control)
            return [self._extension(constraint.variables, rows, "supports", note=str(constraint))]
        if isinstance(constraint, LexLessEqual):
            if not all(isinstance(entry, IntVar) for entry in (*constraint.left, *constraint.right)):
                return [_intension(self._lex(constraint.left, constraint.right))]
            lists = [f"<list> {self._list(side)} </list>" for side in (constraint.left, constraint.right)]
            return [_element("lex", *lists, "<operator> le </operator>")]
        if isinstance(constraint, InDomain):
            low, high = constraint.expression.bounds
            values = sorted(value for value in constraint.values if low <= value <= high)
            if not values or low == high:
                return [] if values else [self._false()]
            return [_intension(f"in({self._expression(constraint.expression)},set({','.join(map(str, values))}))")]
        relation = self._relation(constraint)
        if not isinstance(relation, str):
            return [] if relation else [self._false()]
        special = self._special(constraint) if isinstance(constraint, Comparison) else None
        return [special or _intension(relation)]

    def _false(self) -> str:
        name = self._variable(self.problem.variables[0])
        return _intension(f"ne({name},{name})")

    def _all_different(self, expressions: Sequence[Expression]) -> list[str]:
        """Return an all-different of what is not constant; readers take no constants there."""
        constants = [value for value in map(_constant, expressions) if value is not None]
        others = [expression for expression in expressions if _constant(expression) is None]
        if len(set(constants)) < len(constants):
            return [self._false()]
        stated = [f"<allDifferent> {self._list(others)} </allDifferent>"] if len(others) > 1 else []
        for constant in constants:
            stated += [_intension(f"ne({self._expression(other)},{constant})") for other in others]
        return stated

    def _table(self, table: Table) -> list[str]:
        firsts: dict[IntVar, int] = {}  # a variable may stand in several columns
        for i, variable in enumerate(table.columns):
            firsts.setdefault(variable, i)
        rows = sorted(
            tuple(row[i] for i in firsts.values())
            for row in table.tuples
            if all(row[i] == row[firsts[variable]] for i, variable in enumerate(table.columns))
        )
        if not rows and not table.allowed:
            return []
        return [self._extension(table.variables, rows, "supports" if table.allowed else "conflicts")]

    def _extension(
        self, variables: Sequence[IntVar], rows: Sequence[tuple[int, ...]], kind: str, note: str = ""
    ) -> str:
        if not rows:
            return self._false() if kind == "supports" else ""
        listed = f"<list> {self._list(variables)} </list>"
        tuples = " ".join(str(row[0]) if len(row) == 1 else f"({','.join(map(str, row))})" for row in rows)
        text = _element("extension", listed, f"<{kind}> {tuples} </{kind}>")
        return text.replace("<extension>", f"<extension note={quoteattr(one_line(note))}>", 1) if note else text

    def _special(self, relation: Comparison) -> str | None:
        """Return a comparison of a sum, a count or an element as the constraint of that name, if it is no more than that."""
        terms, constant = relation.difference.terms, relation.difference.constant
        condition = f"<condition> ({OPERATORS[relation.operator]},{-constant}) </condition>"
        variables = [atom for atom, _ in terms if isinstance(atom, IntVar)]
        if len(variables) == len(terms) >= SHORTEST_SUM:
            return _element("sum", *self._weighted_list(variables, [factor for _, factor in terms]), condition)
        atom, factor = terms[0]
        if len(terms) == 2 and not constant and isinstance(terms[1][0], IntVar) and terms[1][1] == -1:
            condition = f"<condition> ({OPERATORS[relation.operator]},{self._variable(terms[1][0])}) </condition>"
        elif len(terms) > 1:
            return None
        if factor != 1:
            return None
        if isinstance(atom, CountOf) and not atom.target.terms and _are_variables(atom.expressions):
            values = f"<values> {atom.target.constant} </values>"
            return _element("count", f"<list> {self._list(atom.expressions)} </list>", values, condition)
        if (
            isinstance(atom, Element)
            and isinstance(atom.index, IntVar)
            and (atom.numbers or _are_variables(atom.array))
        ):
            if relation.operator != "==":
                return None
            index = f"<index> {self._variable(atom.index)} </index>"
            return _element("element", f"<list> {self._list(atom.array)} </list>", index, condition)
        return None

    def _weighted_list(self, variables: Sequence[IntVar], factors: Sequence[int]) -> list[str]:
        lists = [f"<list> {self._list(variables)} </list>"]
        if any(factor != 1 for factor in factors):
            lists.append(f"<coeffs> {' '.join(map(str, factors))} </coeffs>")
        return lists

    # Functional expressions.

    def _relation(self, relation: Constraint) -> str | bool:
        """Return a relation, or whether it holds where that can be seen without the variables."""
        if not relation.variables:
            return relation.check({})
        if isinstance(relation, Comparison):
            difference = _constant(relation.difference)
            if difference is not None:
                return COMPARE[relation.operator](difference, 0)
            left, right = relation.left, relation.right
            other = str(right) if isinstance(right, int) else self._expression(right)
            return f"{OPERATORS[relation.operator]}({self._expression(left)},{other})"
        if isinstance(relation, And | Or):
            decides = isinstance(relation, Or)
            parts = [self._relation(part) for part in relation.parts]
            if any(part is decides for part in parts):
                return decides
            operands = [part for part in parts if isinstance(part, str)]
            return _call("or" if decides else "and", operands) if operands else not decides
        if isinstance(relation, Implies):
            condition, consequence = self._relation(relation.condition), self._relation(relation.consequence)
            if isinstance(condition, str) and isinstance(consequence, str):
                return f"imp({condition},{consequence})"
            return self._relation(relation.as_clause())
        raise unsupported("xcsp3", relation, f"it does not know {type(relation).__name__}")

    def _lex(self, left: Sequence[Expression], right: Sequence[Expression]) -> str:
        """Return that one list comes before another; halved again and again, since readers limit how deep brackets go."""
        pairs = [f"{self._expression(a)},{self._expression(b)}" for a, b in zip(left, right, strict=True)]

        def ordered(first: int, after: int, end: str) -> str:
            if after - first == 1:
                return f"{end}({pairs[first]})"
            middle = (first + after) // 2
            equal = _call("and", [f"eq({pair})" for pair in pairs[first:middle]])
            return f"or({ordered(first, middle, 'lt')},and({equal},{ordered(middle, after, end)}))"

        return ordered(0, len(pairs), "le")

    def _expression(self, expression: Expression) -> str:
        only = _constant(expression)
        if only is not None:
            return str(only)
        added: list[str] = []
        subtracted: list[str] = []
        for atom, factor in expression.terms:
            text = self._atom(atom)
            (added if factor > 0 else subtracted).append(text if abs(factor) == 1 else f"mul({abs(factor)},{text})")
        constant = expression.constant
        if constant:
            (added if constant > 0 else subtracted).append(str(abs(constant)))
        if not subtracted:
            return _call("add", added)
        less = _call("add", subtracted)
        return f"sub({_call('add', added)},{less})" if added else f"neg({less})"

    def _atom(self, atom: Expression) -> str:
        if isinstance(atom, IntVar):
            return self._variable(atom)
        if isinstance(atom, AbsoluteValue):
            return f"abs({self._expression(atom.inner)})"
        if isinstance(atom, Modulo):
            lift = max(0, -(atom.inner.bounds[0] // atom.modulus)) * atom.modulus
            return f"mod({self._expression(atom.inner + lift)},{atom.modulus})"
        if isinstance(atom, Element):
            return self._choice(atom, *atom.index.bounds)
        if isinstance(atom, CountOf):
            target = self._expression(atom.target)
            equal = [f"eq({self._expression(expression)},{target})" for expression in atom.expressions]
            return _call("add", equal) if equal else "0"
        raise unsupported("xcsp3", str(atom), f"it does not know {type(atom).__name__}")

    def _choice(self, element: Element, low: int, high: int) -> str:
        """Return the entry of an array whose index is `low` to `high`; halved, since readers limit how deep brackets go."""
        if low == high:
            return self._expression(element.array[low])
        middle = (low + high) // 2
        condition = f"{'eq' if middle == low else 'le'}({self._expression(element.index)},{middle})"
        return f"if({condition},{self._choice(element, low, middle)},{self._choice(element, middle + 1, high)})"

    def _list(self, expressions: Sequence[Expression]) -> str:
        whole = self.names.whole_array(expressions)
        if whole is not None:
            return whole.identifier + "[]" * len(whole.sizes)
        return " ".join(self._variable(e) if isinstance(e, IntVar) else self._expression(e) for e in expressions)

    def _variable(self, variable: IntVar) -> str:
        identifier, indices = self.names.places[variable]
        return identifier + "".join(f"[{index}]" for index in indices)


def _constant(expression: Expression) -> int | None:
    """Return the only value that an expression can take, if there is only one."""
    low, high = expression.bounds
    return low if low == high else None


def _are_variables(expressions: Iterable[Expression]) -> bool:
    return all(isinstance(expression, IntVar) for expression in expressions)


def _call(word: str, operands: Sequence[str]) -> str:
    return operands[0] if len(operands) == 1 else f"{word}({','.join(operands)})"


def _intension(text: str) -> str:
    return f"<intension> {text} </intension>"


def _element(tag: str, *parts: str) -> str:
    return "\n".join([f"<{tag}>", *map(_indented, parts), f"</{tag}>"])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _values_text(domain: Domain) -> str:
    if isinstance(domain, range) and len(domain) > 1:
        return f"{domain[0]}..{domain[-1]}"
    return " ".join(map(str, domain))
