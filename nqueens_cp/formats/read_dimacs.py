"""Reading DIMACS CNF: a variable of 0 and 1 for each of the file's, a disjunction for each clause.

The variables are named x1, x2, ... by their numbers, or as comments such as ``c queen[0] = 3 is 4`` before the header say, with
which this package's own files begin: variable 4 is then named ``queen[0]=3``.
"""

from __future__ import annotations

import re
from pathlib import Path

from nqueens_cp.formats.dimacs import NEUTRAL
from nqueens_cp.formats.source import INTEGER, MAX_CONSTRAINTS, Source, lines
from nqueens_cp.model import MAX_VARIABLES, Model
from nqueens_cp.relations import Or, Relation, Truth
from nqueens_cp.variables import BoolVar

COVERED = (
    "what is read is plain CNF: 'p cnf VARIABLES CLAUSES', clauses that end in 0, comments, 'c p show' and 'c ind'"
)

MEANING = re.compile(r"c (\S.*) = (-?[0-9]{1,19}) is ([0-9]{1,9})")
"""A comment that says what a variable means."""


def read(path: Path) -> Model:
    """Return the model that a DIMACS CNF file states.

    All variables count. Where ``c p show`` or ``c ind`` lines name some of them only, a note says so.
    """
    return _Reader(Source(path, COVERED)).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.model = Model(source.path.name)
        self.variables: list[BoolVar] = []
        self.literals: dict[int, Relation] = {}
        self.spelt: dict[str, int] = {"0": 0}  # the literals by their usual spelling
        self.names: dict[int, str] = {}
        self.clauses = 0  # that the header promises
        self._has_header = False
        self.stated = 0
        self.shown: set[int] | None = None
        self.open: list[int] = []  # the literals of the clause that is being read

    def read(self) -> Model:
        number = 0
        for number, line in lines(self.source.text()):
            words = line.split()
            if not words:
                continue
            if words[0] == "c":
                self._comment(words, line, number)
            elif words[0] == "p":
                self._header(words, number)
            elif words[0] == "%":  # how the files of SATLIB end
                break
            else:
                self._literals(words, number)
        if not self._has_header:
            self.source.invalid(max(number, 1), "there is no header 'p cnf VARIABLES CLAUSES'")
        if self.open:
            self.source.invalid(number, "the last clause does not end in 0; is the file cut off?")
        if self.stated != self.clauses:
            self.source.invalid(number, f"the header promises {self.clauses} clauses, and there are {self.stated}")
        self._note()
        return self.model

    def _comment(self, words: list[str], line: str, number: int) -> None:
        meaning = MEANING.fullmatch(line.rstrip())
        if meaning is not None and not self._has_header:
            self.names[int(meaning.group(3))] = f"{meaning.group(1).removeprefix(NEUTRAL)}={meaning.group(2)}"
        older = words[1:2] == ["ind"] and words[-1] == "0" and all(map(INTEGER.fullmatch, words[2:]))
        first = 3 if words[1:3] == ["p", "show"] else 2 if older else None
        if first is None:
            return
        shown = [self.source.integer(word, number) for word in words[first:]]
        if shown and shown[-1] == 0:
            shown.pop()
        for variable in shown:
            if variable < 1 or (self._has_header and variable > len(self.variables)):
                order = " ".join(words[:first])
                self.source.invalid(number, f"'{order}' names {variable}, which is not a variable of this file")
        self.shown = (self.shown or set()).union(shown)

    def _header(self, words: list[str], number: int) -> None:
        if self._has_header:
            self.source.invalid(number, "there is a second header")
        if len(words) < 2 or words[1] != "cnf":
            self.source.unsupported(number, f"'{' '.join(words[:2])[:60]}'")
        if len(words) != 4:
            self.source.invalid(number, "a header reads 'p cnf VARIABLES CLAUSES'")
        size, self.clauses = (self.source.integer(word, number) for word in words[2:])
        for what, value, most in (("variables", size, MAX_VARIABLES), ("clauses", self.clauses, MAX_CONSTRAINTS)):
            if not 0 <= value <= most:
                self.source.invalid(number, f"{value} {what} are announced; 0 to {most} are read")
        self._has_header = True
        names = [self.names.get(i, f"x{i}") for i in range(1, size + 1)]
        if len(set(names)) < size:  # comments that mean something else
            names = [f"x{i}" for i in range(1, size + 1)]
        self.variables = [self.model.bool_var(name) for name in names]
        for i, variable in enumerate(self.variables, start=1):
            self.literals[i], self.literals[-i] = variable == 1, variable == 0
            self.spelt[str(i)], self.spelt[str(-i)] = i, -i

    def _literals(self, words: list[str], number: int) -> None:
        if not self._has_header:
            self.source.invalid(number, "a clause stands before the header 'p cnf VARIABLES CLAUSES'")
        for word in words:
            literal = self.spelt.get(word)
            if literal is None:
                literal = self._literal(word, number)
            if literal:
                self.open.append(literal)
                continue
            self.stated += 1
            if self.stated > self.clauses:
                self.source.invalid(number, f"there are more clauses than the {self.clauses} that the header promises")
            self._state(self.open)
            self.open = []

    def _literal(self, word: str, number: int) -> int:
        if word[0] not in "-+0123456789":
            self.source.unsupported(number, f"{word[:60]!r} in a clause")
        literal = self.source.integer(word, number)
        if abs(literal) > len(self.variables):
            self.source.invalid(number, f"literal {literal}, but the header promises {len(self.variables)} variables")
        return literal

    def _state(self, literals: list[int]) -> None:
        parts = [self.literals[literal] for literal in dict.fromkeys(literals)]
        self.model.add(Or(parts) if len(parts) > 1 else parts[0] if parts else Truth(False))

    def _note(self) -> None:
        size = len(self.variables)
        if self.shown is None or len(self.shown) >= size:
            return
        last = max(self.shown, default=0)
        if last > size:
            self.source.invalid(1, f"'c p show' or 'c ind' names {last}, and there are {size} variables")
        self.model.note(
            f"{self.source.path.name} shows {len(self.shown)} of its {size} variables (c p show, c ind); all are counted, "
            "which is the same where the others follow from those shown"
        )
