"""The grammar of FlatZinc: a file's text as declarations, constraints and a goal, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from nqueens_cp.formats.source import MAX_CONSTRAINTS, Source
from nqueens_cp.model import MAX_VARIABLES
from nqueens_cp.variables import MAX_LISTED_VALUES

MAX_DEPTH = 50
"""Brackets may be nested so deep."""
TOKEN = re.compile(
    r"(?P<blank>\s+|%[^\n]*)"
    r"|(?P<float>-?[0-9]+(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+))"
    r"|(?P<int>-?[0-9]+)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r'|(?P<text>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<sign>::|\.\.|[\[\](){},:;=])"
)
VARIABLE = re.compile(r"^var\b[^;=%]*;", re.MULTILINE)
"""A declaration as tools write it, a line for each."""


class Token(NamedTuple):
    """A word of the file."""

    kind: str
    text: str
    line: int


class Name(str):
    """The name of a parameter or a variable, or an annotation."""

    __slots__ = ()


class Text(str):
    """A string in quotes, as annotations hold them."""

    __slots__ = ()


class Call(NamedTuple):
    """``name(arguments)``, as in annotations."""

    name: str
    arguments: list[Any]


@dataclass(frozen=True, slots=True)
class Declaration:
    """A parameter, a variable or an array of either; ``domain`` is None where it has no bounds."""

    name: str
    line: int
    is_variable: bool
    is_array: bool
    is_boolean: bool
    domain: range | tuple[int, ...] | None
    annotations: list[Any]
    value: Any


@dataclass(frozen=True, slots=True)
class Statement:
    """A constraint as it stands in the file."""

    name: str
    arguments: list[Any]
    annotations: list[Any]
    line: int


@dataclass(slots=True)
class Program:
    """A whole file."""

    declarations: dict[str, Declaration] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    goal: str = ""  # satisfy, minimize or maximize
    objective: Any = None
    goal_line: int = 0


def parse(source: Source) -> Program:
    """Return what a file states, without looking at what it means."""
    return _Parser(source).parse()


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.program = Program()
        text = source.text()
        self._require_few_variables(text)
        self.tokens = self._tokens(text)
        self.now = next(self.tokens)

    def _require_few_variables(self, text: str) -> None:
        """Refuse too large a file before much time is spent on it; those that are defined may become expressions."""
        free = (found for found in VARIABLE.finditer(text) if "is_defined_var" not in found.group())
        last = next(islice(free, MAX_VARIABLES, None), None)
        if last is not None:
            line = text.count("\n", 0, last.start()) + 1
            self.source.invalid(line, f"there are more than {MAX_VARIABLES} variables, the most that are read")

    def _tokens(self, text: str) -> Iterator[Token]:
        place, line = 0, 1
        while place < len(text):
            found = TOKEN.match(text, place)
            if found is None:
                self.source.invalid(line, f"unexpected {text[place : place + 10].split()[0]!r}")
            kind, word = str(found.lastgroup), found.group()
            place = found.end()
            if kind == "blank":
                line += word.count("\n")
            else:
                yield Token(kind, word, line)
        yield Token("end", "the end of the file", line)

    def _next(self) -> Token:
        token = self.now
        if token.kind != "end":
            self.now = next(self.tokens)
        return token

    def _wrong(self, expected: str) -> Any:
        self.source.invalid(self.now.line, f"expected {expected}, got {self.now.text[:60]!r}")

    def _take(self, text: str) -> None:
        if self.now.text != text or self.now.kind in ("text", "end"):
            self._wrong(repr(text))
        self._next()

    def _skips(self, text: str) -> bool:
        if self.now.text != text or self.now.kind in ("text", "end"):
            return False
        self._next()
        return True

    def _name(self, what: str) -> str:
        if self.now.kind != "name":
            self._wrong(what)
        return self._next().text

    # Items.

    def parse(self) -> Program:
        while self.now.kind != "end":
            line = self.now.line
            if self.program.goal:
                self._wrong("nothing after the solve item")
            if self._skips("predicate"):
                while self.now.text != ";" and self.now.kind != "end":
                    self._next()
            elif self._skips("constraint"):
                name = self._name("the name of a constraint")
                arguments = self._list("(", ")", 0)
                if len(self.program.statements) >= MAX_CONSTRAINTS:
                    self.source.invalid(line, f"there are more than {MAX_CONSTRAINTS} constraints")
                self.program.statements.append(Statement(name, arguments, self._annotations(), line))
            elif self._skips("solve"):
                self._solve(line)
            else:
                self._declaration(line)
            self._take(";")
        if not self.program.goal:
            self.source.invalid(self.now.line, "there is no solve item; is the file cut off?")
        return self.program

    def _solve(self, line: int) -> None:
        self._annotations()
        goal = self._name("satisfy, minimize or maximize")
        if goal not in ("satisfy", "minimize", "maximize"):
            self.source.invalid(line, f"expected satisfy, minimize or maximize, got {goal[:60]!r}")
        self.program.goal, self.program.goal_line = goal, line
        if goal != "satisfy":
            self.program.objective = self._expression(0)

    def _declaration(self, line: int) -> None:
        is_array = self._skips("array")
        index_sets = self._list("[", "]", 0) if is_array else []
        if is_array:
            self._take("of")
        is_variable = self._skips("var")
        is_boolean, domain = self._type(is_variable)
        self._take(":")
        name = self._name("a name")
        if name in self.program.declarations:
            self.source.invalid(line, f"{name!r} is declared a second time")
        annotations = self._annotations()
        value = self._expression(0) if self._skips("=") else None
        if value is None and (is_array or not is_variable):
            self.source.invalid(line, f"{name!r} has no value")
        if isinstance(value, list) and index_sets != [range(1, len(value) + 1)]:
            self.source.invalid(
                line, f"{name!r} has {len(value)} entries, and its index set is another than 1..{len(value)}"
            )
        self.program.declarations[name] = Declaration(
            name, line, is_variable, is_array, is_boolean, domain, annotations, value
        )

    def _type(self, is_variable: bool) -> tuple[bool, range | tuple[int, ...] | None]:
        """Read a type; return whether it is bool, and the values."""
        line = self.now.line
        if self.now.kind == "name":
            word = self._next().text
            if word == "set" and not is_variable:
                self._take("of")
                self._type(is_variable)
                return False, None
            if word not in ("bool", "int"):
                self.source.unsupported(line, f"a variable or parameter of type {word[:60]!r}")
            return word == "bool", range(2) if word == "bool" else None
        if self.now.kind == "float":
            self.source.unsupported(line, f"the float {self.now.text[:60]}")
        values = self._expression(0)
        if not isinstance(values, range | frozenset):
            self.source.invalid(line, "expected a type, such as int, 1..8 or {1, 3, 5}")
        return False, values if isinstance(values, range) else tuple(sorted(values))

    def _annotations(self) -> list[Any]:
        found = []
        while self._skips("::"):
            found.append(self._expression(0))
        return found

    # Expressions.

    def _list(self, opening: str, closing: str, depth: int) -> list[Any]:
        self._take(opening)
        values: list[Any] = []
        while self.now.text != closing:
            values.append(self._expression(depth + 1))
            if not self._skips(","):
                break
        self._take(closing)
        return values

    def _expression(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            self.source.invalid(self.now.line, f"brackets are nested more than {MAX_DEPTH} deep")
        kind, text, line = self.now
        if kind == "int":
            self._next()
            first = self.source.integer(text, line)
            if not self._skips(".."):
                return first
            if self.now.kind != "int":
                self._wrong("an integer after '..'")
            return range(first, self.source.integer(self._next().text, line) + 1)
        if kind == "float":
            self._next()
            if self._skips(".."):
                self._next()
            return float(text)
        if kind == "text":
            self._next()
            return Text(text[1:-1])
        if text == "[":
            return self._list("[", "]", depth)
        if text == "{":
            values = self._list("{", "}", depth)
            if not all(type(value) is int for value in values) or len(values) > MAX_LISTED_VALUES:
                self.source.unsupported(line, f"a set that is not one of at most {MAX_LISTED_VALUES} integers")
            return frozenset(values)
        if kind != "name":
            self._wrong("a value")
        self._next()
        if text in ("true", "false"):
            return text == "true"
        return Call(text, self._list("(", ")", depth)) if self.now.text == "(" else Name(text)
