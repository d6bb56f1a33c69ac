"""A problem as a MiniZinc file, as a person would write it.

Variables named by indices are arrays, globals are globals, and lists that follow a pattern over an array are comprehensions.
MiniZinc's ``mod`` rounds towards zero and the model's ``%`` downwards, so what can be negative is lifted by a multiple of the
modulus first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from nqueens_cp.backends.base import tabulated, unsupported
from nqueens_cp.checks import INT64_MAX
from nqueens_cp.constraints import AllDifferent, InDomain, LexLessEqual, Predicate, Table
from nqueens_cp.control import Control
from nqueens_cp.expressions import Expression
from nqueens_cp.formats.names import Names, one_line
from nqueens_cp.functions import AbsoluteValue, CountOf, Element, Modulo
from nqueens_cp.model import Problem
from nqueens_cp.relations import And, Comparison, Constraint, Implies, Or, Truth
from nqueens_cp.variables import BoolVar, Domain, IntVar
from nqueens_cp.version import __version__

RESERVED = frozenset(
    """
    ann annotation any array bool case constraint default diff div else elseif endif enum false float function if in include
    infinity int intersect let list maximize minimize mod not of op opt output par predicate record satisfy set solve string
    subset superset symdiff test then true tuple type union var where xor
    abs all_different count excluded exists fix forall index_set_1of2 lex_lesseq show sum table
    activity_max activity_min activity_size_max activity_size_min add_to_output afc_max afc_min afc_size_max afc_size_min
    annotated_expression anti_first_fail array_check_form bounds cache_result complete ctx_mix ctx_neg ctx_pos ctx_root
    dom_w_deg domain domain_change_constraint empty_annotation first_fail impact indomain indomain_interval indomain_max
    indomain_median indomain_middle indomain_min indomain_random indomain_reverse_split indomain_split indomain_split_random
    input_order is_defined_var is_reverse_map largest max_regret maybe_partial most_constrained no_cse no_output occurrence
    outdomain_max outdomain_median outdomain_min outdomain_random output_only output_var promise_ctx_antitone
    promise_ctx_monotone promise_total random restart_none smallest value_propagation var_is_introduced
    """.split()  # noqa: SIM905
)
"""The keywords, the functions used here, and the annotations that MiniZinc declares."""
SHORTEST_PATTERN = 3
"""Lists of so many entries are looked at for a pattern."""
SIMPLE = re.compile(r"\w+(\[[^\[\]]*\]|\([^()]*\))?")
"""A number, a variable or a call: what needs no brackets anywhere."""
OPERATORS = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

Family = Sequence[Expression]
"""Expressions that one text is to stand for, with a letter that runs over them."""


def minizinc_text(problem: Problem, control: Control, largest: int = INT64_MAX) -> str:
    """Return the problem as a MiniZinc file in which no number or value of an expression is beyond plus or minus `largest`.

    Raises
    ------
    UnsupportedModel
        A number or an expression goes beyond that, or a predicate has too many combinations to be tabulated.
    """
    return _Writer(problem, control, largest).text()


class NoPatternError(Exception):
    """The expressions of a family do not follow one pattern."""


class _Loop:
    """A letter that runs over the integers from `start` on, one for each expression of a family."""

    def __init__(self, letter: str) -> None:
        self.letter = letter
        self.start: int | None = None

    def parts(self, numbers: Sequence[int]) -> list[tuple[int, str]]:
        """Return numbers as signed texts that add up to them: the letter's multiple and a constant, neither if 0.

        Raises
        ------
        NoPatternError
            They do not go up or down in equal steps.
        """
        first, step = numbers[0], numbers[1] - numbers[0] if len(numbers) > 1 else 0
        if any(number != first + step * i for i, number in enumerate(numbers)):
            raise NoPatternError
        parts = []
        if step:
            if self.start is None:
                self.start = first if step == 1 else 0
            first -= step * self.start
            parts.append((step, self.letter if abs(step) == 1 else f"{abs(step)}*{self.letter}"))
        if first:
            parts.append((first, str(abs(first))))
        return parts


class _Writer:
    def __init__(self, problem: Problem, control: Control, largest: int) -> None:
        self.largest = largest
        self.problem = problem
        self.control = control
        self.names = Names(problem, RESERVED)
        self.includes: set[str] = set()
        self.letter = next(
            letter for letter in (*"ijklmn", *(f"i{n}" for n in range(9))) if letter not in self.names.original
        )
        self.about: Constraint | str = ""  # what is being written, for messages

    def text(self) -> str:
        constraints = [self._stated(constraint) for constraint in self.problem.statements()]
        goal = self._goal()
        blocks = [
            [f"% {one_line(self.problem.name)}", f"% Written by nqueens-cp {__version__}"],
            [f'include "{name}.mzn";' for name in sorted(self.includes)],
            list(self._declarations()),
            constraints,
            [goal],
            self._output(),
        ]
        return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"

    def _declarations(self) -> Iterable[str]:
        lines: list[tuple[int, str]] = []
        for array in self.names.arrays:
            sizes = ", ".join(f"0..{size - 1}" for size in array.sizes)
            kind = _kind(array.variables[0])
            text = f"array[{sizes}] of {kind}: {array.identifier};"
            lines.append((array.variables[0].index, text + self._remark(array.identifier)))
        for variable in self.problem.variables:
            if reached := self._beyond(*variable.outer_bounds()):
                raise unsupported("minizinc", f"variable {variable}", f"it can be {reached}, past {self.largest}")
        for identifier, variable in self.names.single:
            lines.append((variable.index, f"{_kind(variable)}: {identifier};" + self._remark(identifier)))
        return (line for _, line in sorted(lines))

    def _remark(self, identifier: str) -> str:
        remark = self.names.remark(identifier)
        return f"  % {remark}" if remark else ""

    def _goal(self) -> str:
        objective = self.problem.objective
        if objective is None:
            return "solve satisfy;"
        self.about = str(objective)
        return f"solve {'maximize' if objective.maximize else 'minimize'} {self._expression(objective.expression)};"

    def _output(self) -> list[str]:
        """Return an output item that prints the board, if there is one, and the variables that do not stand on it."""
        entries: list[str] = []
        board = self.problem.board
        on_board = None if board is None else self.names.whole_array(board.variables)
        if board is not None and on_board is not None and len(on_board.sizes) == (1 if board.rows else 2):
            letter, other = "row", "column"
            while letter in self.names.original or other in self.names.original:
                letter, other = letter + "_", other + "_"
            name = on_board.identifier
            queen = f"fix({name}[{letter}]) = {other}" if board.rows else f"fix({name}[{letter}, {other}])"
            if not board.rows and not _is_boolean(on_board.variables[0]):
                queen += " = 1"
            last = board.columns - 1
            entries.append(
                f'  [if {queen} then "Q" else "." endif ++ if {other} = {last} then "\\n" else " " endif\n'
                f"   | {letter} in 0..{board.height - 1}, {other} in 0..{last}]"
            )
        identifiers = [array.identifier for array in self.names.arrays if array is not on_board]
        identifiers += [identifier for identifier, _ in self.names.single]
        if identifiers:
            entries.append("  [" + ", ".join(f'"{name} = \\({name})\\n"' for name in identifiers) + "]")
        return ["output\n" + " ++\n".join(entries) + ";"] if entries else []

    # Constraints.

    def _stated(self, constraint: Constraint) -> str:
        self.control.poll()
        self.about = constraint
        remark = f"% {one_line(str(constraint))}\n" if isinstance(constraint, Predicate) else ""
        return f"{remark}constraint {self._constraint(constraint)};"

    def _constraint(self, constraint: Constraint) -> str:
        if isinstance(constraint, AllDifferent):
            if len(constraint.expressions) < 2:
                return "true"
            self.includes.add("all_different")
            return f"all_different({self._list(constraint.expressions)})"
        if isinstance(constraint, Table):
            return self._table(constraint.columns, sorted(constraint.tuples), constraint.allowed)
        if isinstance(constraint, Predicate):
            return self._table(constraint.variables, tabulated(constraint, "minizinc", self.control), allowed=True)
        if isinstance(constraint, InDomain):
            return self._in_domain(constraint)
        if isinstance(constraint, LexLessEqual):
            if not constraint.left:
                return "true"
            self.includes.add("lex_lesseq")
            return f"lex_lesseq({self._list(constraint.left)}, {self._list(constraint.right)})"
        return self._relation(constraint)

    def _table(self, columns: Sequence[IntVar], rows: Sequence[tuple[int, ...]], allowed: bool) -> str:
        if not rows:
            return "false" if allowed else "true"
        reached = self._beyond(*(value for row in rows for value in row))
        if reached:
            raise unsupported("minizinc", self.about, f"it holds {reached}, past {self.largest}")
        table = "[|\n    " + " |\n    ".join(", ".join(map(str, row)) for row in rows) + "\n  |]"
        if allowed:
            self.includes.add("table")
            listed = self._list(columns)  # an array's indices begin at 0, and table wants those of the rows
            return f"table({f'array1d({listed})' if listed.isidentifier() else listed}, {table})"
        i = self.letter
        differs = " \\/ ".join(f"{self._variable([v])} != excluded[{i}, {c}]" for c, v in enumerate(columns, start=1))
        return f"let {{ array[int, int] of int: excluded = {table} }} in\n  forall({i} in 1..{len(rows)})({differs})"

    def _in_domain(self, constraint: InDomain) -> str:
        low, high = constraint.expression.bounds
        values = tuple(sorted(value for value in constraint.values if low <= value <= high))
        if not values:
            return "false"
        gapless = values[-1] - values[0] + 1 == len(values)
        allowed = set_text(range(values[0], values[-1] + 1) if gapless else values)
        return f"{self._expression(constraint.expression)} in {allowed}"

    def _relation(self, relation: Constraint, inside: str = "") -> str:
        """Return a relation; `inside` is the operator that it is to be an operand of."""
        if isinstance(relation, Truth):
            return "true" if relation.holds else "false"
        if isinstance(relation, Comparison):
            return self._comparison(relation)
        if isinstance(relation, And | Or):
            word = "/\\" if isinstance(relation, And) else "\\/"
            parts = [self._relation(part, word) for part in relation.parts]
            if not parts:
                return "true" if isinstance(relation, And) else "false"
            text = f" {word} ".join(parts)
            return f"({text})" if len(parts) > 1 and inside == "/\\" and word == "\\/" else text
        if isinstance(relation, Implies):
            text = f"{self._relation(relation.condition, '->')} -> {self._relation(relation.consequence, '->')}"
            return f"({text})" if inside else text
        raise unsupported("minizinc", self.about, f"it does not know {type(relation).__name__}")

    def _comparison(self, relation: Comparison) -> str:
        left, right, sign = relation.left, relation.right, relation.operator
        if _is_boolean(left) and isinstance(right, int) and right in (0, 1) and sign in ("==", "!="):
            name = self._expression(left)
            return name if (right == 1) == (sign == "==") else f"not {name}"
        self._require_room(relation.difference)  # which is what a solver works with
        sides = [left] if isinstance(right, int) else [left, right]
        if any(self._beyond(*side.outer_bounds(), side.constant) for side in sides):
            return f"{self._expression(relation.difference)} {OPERATORS[sign]} 0"
        other = str(right) if isinstance(right, int) else self._expression(right)
        return f"{self._expression(left)} {OPERATORS[sign]} {other}"

    # Expressions.

    def _list(self, expressions: Family) -> str:
        """Return an array: by its name, as a comprehension, or entry by entry."""
        whole = self.names.whole_array(expressions)
        if whole is not None and len(whole.sizes) == 1:
            return whole.identifier
        pattern = self._pattern(expressions)
        if pattern is not None:
            return f"[{pattern[0]} | {pattern[1]}]"
        return f"[{', '.join(map(self._expression, expressions))}]"

    def _pattern(self, expressions: Family) -> tuple[str, str] | None:
        """Return one text for all the expressions and what its letter runs over, if they follow a pattern."""
        if len(expressions) < SHORTEST_PATTERN:
            return None
        loop = _Loop(self.letter)
        try:
            text = self._sum(expressions, loop)
        except NoPatternError:
            return None
        start = loop.start
        if start is None or not expressions[0].terms:
            return None
        return text, f"{loop.letter} in {start}..{start + len(expressions) - 1}"

    def _expression(self, expression: Expression) -> str:
        return self._sum([expression], _Loop(""))

    def _sum(self, family: Family, loop: _Loop) -> str:
        """Return a text for all of a family, which its loop runs over."""
        for expression in family:
            self._require_room(expression)
        if len(family) == 1 and (total := self._plain_sum(family[0])):
            return total
        factors = [factor for _, factor in family[0].terms]
        if any([factor for _, factor in expression.terms] != factors for expression in family):
            raise NoPatternError
        parts = []
        for k, factor in enumerate(factors):
            atom = self._atom([expression.terms[k][0] for expression in family], loop)
            starts = max(factors) < 0 and family[0].constant <= 0  # then the minus would bind closer than mod
            if (abs(factor) != 1 or starts) and isinstance(family[0].terms[k][0], Modulo):
                atom = f"({atom})"
            if abs(factor) != 1:
                atom = f"{abs(factor)}*{atom}"
            parts.append((factor, atom))
        parts += loop.parts([expression.constant for expression in family])
        return _joined(parts)

    def _require_room(self, expression: Expression) -> None:
        reached = self._beyond(*expression.outer_bounds()) and self._beyond(*expression.bounds)
        reached = reached or self._beyond(*(factor for _, factor in expression.terms), expression.constant)
        if reached:
            raise unsupported("minizinc", self.about, f"'{expression}' can reach {reached}, past {self.largest}")

    def _beyond(self, *numbers: int) -> int | None:
        """Return the number that is farthest from 0 if it is beyond what may be."""
        farthest = max(numbers, key=abs)
        return farthest if abs(farthest) > self.largest else None

    def _plain_sum(self, expression: Expression) -> str | None:
        """Return a sum of many entries of an array as a sum over the array."""
        terms = expression.terms
        atoms = [atom for atom, _ in terms]
        if len(terms) < SHORTEST_PATTERN or len({factor for _, factor in terms}) > 1:
            return None
        whole = self.names.whole_array(atoms)
        pattern = None if whole is not None else self._pattern(atoms)
        if whole is not None:
            total = f"sum({whole.identifier})"
        elif pattern is not None:
            total = f"sum({pattern[1]})({pattern[0]})"
        else:
            return None
        factor = terms[0][1]
        parts = [(factor, total if abs(factor) == 1 else f"{abs(factor)}*{total}")]
        return _joined(parts + _Loop("").parts([expression.constant]))

    def _atom(self, family: Family, loop: _Loop) -> str:
        """Return what needs no brackets as an operand of +."""
        first = family[0]
        if any(type(atom) is not type(first) and not isinstance(atom, IntVar) for atom in family):
            raise NoPatternError
        if isinstance(first, IntVar):
            return self._variable([atom for atom in family if isinstance(atom, IntVar)], loop)
        if isinstance(first, AbsoluteValue):
            return f"abs({self._sum([atom.inner for atom in family if isinstance(atom, AbsoluteValue)], loop)})"
        if isinstance(first, Modulo):
            return self._modulo([atom for atom in family if isinstance(atom, Modulo)], loop)
        if len(family) > 1:
            raise NoPatternError
        if isinstance(first, Element):
            whole = self.names.whole_array(first.array)
            if whole is not None and len(whole.sizes) == 1:
                return f"{whole.identifier}[{self._expression(first.index)}]"
            return f"{self._list(first.array)}[{self._expression(first.index + 1)}]"
        if isinstance(first, CountOf):
            if not first.expressions:
                return "0"
            self.includes.add("count_fn")
            return f"count({self._list(first.expressions)}, {self._expression(first.target)})"
        raise unsupported("minizinc", self.about, f"it does not know {type(first).__name__}")

    def _modulo(self, family: Sequence[Modulo], loop: _Loop) -> str:
        modulus = family[0].modulus
        if any(atom.modulus != modulus for atom in family):
            raise NoPatternError
        low = min(atom.inner.bounds[0] for atom in family)
        lift = max(0, -(low // modulus)) * modulus
        lifted = [atom.inner + lift for atom in family]
        inner = self._sum(lifted, loop)
        return f"{inner} mod {modulus}" if SIMPLE.fullmatch(inner) else f"({inner}) mod {modulus}"

    def _variable(self, variables: Sequence[IntVar], loop: _Loop | None = None) -> str:
        places = [self.names.places[variable] for variable in variables]
        identifier, indices = places[0]
        if any(place.identifier != identifier for place in places):
            raise NoPatternError
        if not indices:
            return identifier
        loop = loop or _Loop("")
        coordinates = zip(*(place.indices for place in places), strict=True)
        return f"{identifier}[{', '.join(_joined(loop.parts(numbers)) for numbers in coordinates)}]"


def _joined(parts: list[tuple[int, str]]) -> str:
    """Return signed texts as a sum, one that is added first if there is one."""
    positive = next((i for i, (sign, _) in enumerate(parts) if sign > 0), 0)
    text = ""
    for sign, part in [*parts[positive : positive + 1], *parts[:positive], *parts[positive + 1 :]]:
        text += part if not text and sign > 0 else f"-{part}" if not text else f" {'-' if sign < 0 else '+'} {part}"
    return text or "0"


def _kind(variable: IntVar) -> str:
    return "var bool" if _is_boolean(variable) else f"var {set_text(variable.domain)}"


def _is_boolean(expression: Expression) -> bool:
    """Say whether this is a variable that is declared as a Boolean; one that can't be both 0 and 1 is not."""
    return isinstance(expression, BoolVar) and len(expression.domain) == 2


def set_text(values: Domain) -> str:
    """Return a set of integers: a range, or its values."""
    if isinstance(values, range):
        return f"{values[0]}..{values[-1]}"
    return "{" + ", ".join(map(str, values)) + "}"
