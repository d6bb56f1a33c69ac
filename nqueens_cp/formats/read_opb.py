"""Reading linear pseudo-Boolean files (OPB): variables of 0 and 1, linear constraints, and perhaps ``min:``."""

from __future__ import annotations

import re
from pathlib import Path

from nqueens_cp.expressions import Linear
from nqueens_cp.formats.source import INTEGER, MAX_CONSTRAINTS, Source, lines
from nqueens_cp.model import MAX_VARIABLES, Model
from nqueens_cp.relations import Truth
from nqueens_cp.variables import BoolVar

COVERED = (
    "what is read are linear constraints with >= or =, each ending in ';', literals x1 and ~x1, and one 'min: ... ;'"
)
HEADER = re.compile(r"\*\s*#variable=\s*(\S+)\s+#constraint=\s*(\S+)")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_\[\](){}^.,:]*")
OTHER_NAME = re.compile(r"^(?!\s*\*)(?:.*[\s~])?(?!(?:x[0-9]+|min:|max:)(?![^\s;]))[A-Za-z_]", re.MULTILINE)
WORD = re.compile(r";|>=|<=|=|(?:min|max|soft):|[^\s;>=<]+|[<>]")
RELATIONS = (">=", "=")


def read(path: Path) -> Model:
    """Return the model that a linear OPB file states. The names of its variables are kept."""
    return _Reader(Source(path, COVERED)).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.model = Model(source.path.name)
        self.variables: dict[str, BoolVar] = {}
        self.stated = 0

    def read(self) -> Model:
        header: tuple[int, int, int] | None = None
        statement: list[str] = []
        begun = number = 0
        text = self.source.text()
        for number, line in lines(text):
            if line.lstrip().startswith("*"):
                if header is None:
                    header = self._header(line, number)
                    self._declare(header, text)
                continue
            for word in WORD.findall(line):
                if not statement:
                    begun = number
                if word == ";":
                    self._statement(statement, begun)
                    statement = []
                else:
                    statement.append(word)
        if statement:
            self.source.invalid(begun, "a statement does not end in ';'; is the file cut off?")
        if header is None and not self.stated and self.model.objective is None:
            self.source.invalid(max(number, 1), "there is no constraint and no header '* #variable= N #constraint= M'")
        if header is not None and header[1] != self.stated:
            self.source.invalid(
                header[2],
                f"the header promises {header[1]} constraints, and there are {self.stated}; is the file cut off?",
            )
        return self.model

    def _header(self, line: str, number: int) -> tuple[int, int, int] | None:
        found = HEADER.match(line.strip())
        if found is None:
            return None
        size, constraints = (self.source.integer(word, number) for word in found.groups())
        if not 0 <= size <= MAX_VARIABLES:
            self.source.invalid(number, f"{size} variables are announced; 0 to {MAX_VARIABLES} are read")
        return size, constraints, number

    def _declare(self, header: tuple[int, int, int] | None, text: str) -> None:
        """Make the variables that the header promises, x1, x2, ..., unless the file has names of its own."""
        if header is not None and OTHER_NAME.search(text) is None:
            for i in range(1, header[0] + 1):
                if f"x{i}" not in self.variables:
                    self.variables[f"x{i}"] = self.model.bool_var(f"x{i}")

    def _statement(self, words: list[str], number: int) -> None:
        if not words:
            self.source.invalid(number, "an empty statement")
        if words[0] in ("max:", "soft:"):
            self.source.unsupported(number, f"'{words[0]}'")
        if words[0] == "min:":
            if self.model.objective is not None or self.stated:
                self.source.invalid(number, "'min:' must come once, before the constraints")
            with self.source.at(number):
                self.model.minimize(self._sum(words[1:], number))
            return
        if len(words) < 2 or words[-2] not in RELATIONS:
            other = next((word for word in words if word in ("<=", "<", ">")), None)
            if other is not None:
                self.source.unsupported(number, f"the relation {other!r}")
            self.source.invalid(number, "a constraint ends in '>= NUMBER ;' or '= NUMBER ;'")
        self.stated += 1
        if self.stated > MAX_CONSTRAINTS:
            self.source.invalid(number, f"there are more than {MAX_CONSTRAINTS} constraints")
        total, bound = self._sum(words[:-2], number), self.source.integer(words[-1], number)
        with self.source.at(number):
            if not total.terms:
                self.model.add(Truth(total.constant >= bound if words[-2] == ">=" else total.constant == bound))
            else:
                self.model.add(total >= bound if words[-2] == ">=" else total == bound)

    def _sum(self, words: list[str], number: int) -> Linear:
        factors: dict[BoolVar, int] = {}
        constant = 0
        factor: int | None = None
        fresh = False  # whether the factor still waits for its literal
        for word in words:
            if INTEGER.fullmatch(word):
                if fresh:
                    self.source.invalid(number, f"the number {word} follows a number; a literal was expected")
                factor, fresh = self.source.integer(word, number), True
                continue
            negated = word.startswith("~")
            name = word[1:] if negated else word
            if not NAME.fullmatch(name):
                self.source.invalid(number, f"expected a literal such as x1 or ~x1, got {word[:60]!r}")
            if factor is None:
                self.source.invalid(number, f"{word[:60]!r} has no coefficient")
            if not fresh:
                self.source.unsupported(number, f"a product of several literals (at {word[:60]!r})")
            fresh = False
            variable = self._variable(name, number)
            constant += factor if negated else 0
            factors[variable] = factors.get(variable, 0) + (-factor if negated else factor)
        if fresh:
            self.source.invalid(number, f"the coefficient {factor} has no literal")
        return Linear(tuple((variable, factor) for variable, factor in factors.items() if factor), constant)

    def _variable(self, name: str, number: int) -> BoolVar:
        if name not in self.variables:
            with self.source.at(number):
                self.variables[name] = self.model.bool_var(name)
        return self.variables[name]
