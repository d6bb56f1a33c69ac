"""Reading FlatZinc, what MiniZinc compiles its models to.

Variables keep their names. Those that MiniZinc has named itself (``X_INTRODUCED_3_``) and that stand in an output array are
named as the array's entries, ``queen[0]``, ``queen[1]`` and so on, from 0. A helper that MiniZinc introduced and defined as
``a * x + b`` of one variable stays that expression, so that all-different constraints reach the solvers as they were meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from nqueens_cp.constraints import in_domain
from nqueens_cp.errors import NQueensError
from nqueens_cp.expressions import Expression
from nqueens_cp.formats.flatzinc_bounds import bound_variables
from nqueens_cp.formats.flatzinc_constraints import find
from nqueens_cp.formats.flatzinc_definitions import (
    Definition,
    defined_by,
    find_definitions,
    is_function,
)
from nqueens_cp.formats.flatzinc_syntax import Call, Declaration, Name, Program, Statement, parse
from nqueens_cp.formats.source import Source
from nqueens_cp.formats.statements import Number, bounds, member
from nqueens_cp.model import Model
from nqueens_cp.variables import IntVar

COVERED = (
    "what is read are bool and int variables with bounds, the standard int_, bool_, array_ and set_in constraints with "
    "constant sets, and all_different, table, lex and count"
)
KINDS = {
    "i": "an integer",
    "x": "an integer or a variable",
    "b": "true, false or a bool variable",
    "S": "a constant set",
}


@dataclass(frozen=True, slots=True)
class Output:
    """What an output annotation asks to print: one value, or an array with its index sets."""

    name: str
    is_boolean: bool
    index_sets: list[range] | None
    entries: list[Number]


@dataclass(frozen=True, slots=True)
class FlatZinc:
    """A FlatZinc file, read.

    Attributes
    ----------
    model : Model
        What it states.
    outputs : list of Output
        What a solution is printed as.
    hidden : list of str
        The variables that are not known to follow from those that are printed.
    """

    model: Model
    outputs: list[Output]
    hidden: list[str]

    def printed(self) -> list[IntVar]:
        """Return the variables that are printed."""
        entries = (entry for output in self.outputs for entry in output.entries)
        return list(dict.fromkeys(v for entry in entries if isinstance(entry, Expression) for v in entry.variables))


def read(path: Path) -> Model:
    """Return the model that a FlatZinc file states.

    All variables count. A note names those that do not follow from what the file's annotations ask to print.
    """
    program = read_program(path)
    if program.hidden and program.outputs:
        program.model.note(
            f"{path.name} does not print {_number(program.hidden)} ({', '.join(program.hidden[:3])}"
            f"{', ...' if len(program.hidden) > 3 else ''}); solutions that differ in nothing else are counted too, while "
            "nqueens-cp fzn -a lists what is printed once"
        )
    return program.model


def _number(variables: list[str]) -> str:
    return "one variable" if len(variables) == 1 else f"{len(variables)} variables"


def read_program(path: Path) -> FlatZinc:
    """Return the model of a FlatZinc file together with what it prints."""
    return _Reader(Source(path, COVERED)).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.model = Model(source.path.name)
        self.program: Program = parse(source)
        self.declarations = self.program.declarations
        self.values: dict[
            str, Any
        ] = {}  # what each name stands for: a number, an expression, a set, or a list of these
        self.definitions: dict[str, Definition] = {}
        self.domains: dict[str, range | tuple[int, ...] | None] = {}

    def read(self) -> FlatZinc:
        for declaration in self.declarations.values():
            if declaration.is_variable and not declaration.is_array:
                self.domains[declaration.name] = declaration.domain
            elif not declaration.is_variable:
                self.values[declaration.name] = self._constant(declaration.value, declaration.line)
        for name in bound_variables(self.program, self.values, self.domains):
            self.source.unsupported(
                self.declarations[name].line, f"the variable {name!r} without bounds (var int; write var LOW..HIGH)"
            )
        self.definitions = find_definitions(self.program, self.values, self.domains)
        self._make_variables()
        spent = {id(definition.statement) for definition in self.definitions.values()}
        for statement in self.program.statements:
            if id(statement) not in spent:
                self._state(statement)
        if self.program.goal != "satisfy":
            with self.source.at(self.program.goal_line):
                goal = self._scalar(self.program.objective, self.program.goal_line)
                (self.model.minimize if self.program.goal == "minimize" else self.model.maximize)(goal)
        outputs = list(self._outputs())
        return FlatZinc(self.model, outputs, self._hidden(outputs))

    # Parameters and names.

    def _constant(self, value: Any, line: int) -> Any:
        if isinstance(value, list):
            return [self._constant(entry, line) for entry in value]
        if isinstance(value, Name):
            if value not in self.values:
                self.source.invalid(line, f"{value[:60]!r} is not a parameter that was declared before")
            return self.values[value]
        if isinstance(value, bool):
            return int(value)
        if not isinstance(value, int | range | frozenset):
            self.source.unsupported(line, f"the value {str(value)[:60]!r}")
        return value

    def _value(self, value: Any, line: int) -> Any:
        """Return what an expression of the file stands for."""
        if isinstance(value, list):
            return [self._value(entry, line) for entry in value]
        if isinstance(value, Name):
            if value not in self.values:
                self.source.invalid(line, f"{value[:60]!r} was not declared")
            return self.values[value]
        return self._constant(value, line)

    def _scalar(self, value: Any, line: int) -> Number:
        found = self._value(value, line)
        if not isinstance(found, int | Expression):
            self.source.invalid(line, f"expected an integer or a variable, got {str(value)[:60]!r}")
        return found

    # Variables.

    def _make_variables(self) -> None:
        arrays = self._named_arrays()
        aliases = []
        for name, declared in self.declarations.items():
            if not declared.is_variable or declared.is_array or name in self.values or name in self.definitions:
                continue
            if declared.value is not None:
                aliases.append(declared)
                continue
            with self.source.at(declared.line):
                if name in arrays:
                    self._make_array(*arrays[name])
                else:
                    self.values[name] = self._new_variable(name, declared)
        for declared in aliases:
            with self.source.at(declared.line):
                self._alias(declared)
        for name in self.definitions:
            self._make_expression(name)
        for name, declared in self.declarations.items():
            if declared.is_variable and declared.is_array:
                self.values[name] = self._value(declared.value, declared.line)
                if not isinstance(self.values[name], list):
                    self.source.invalid(declared.line, f"{name!r} is an array, and its value is none")

    def _new_variable(self, name: str, declared: Declaration) -> IntVar:
        domain = self.domains[declared.name]
        assert domain is not None
        if not domain:  # as MiniZinc itself writes where it finds a contradiction
            self.model.add(False)
            domain = range(1)
        return self.model.bool_var(name) if declared.is_boolean else self.model.int_var(name, domain)

    def _named_arrays(self) -> dict[str, tuple[str, list[str]]]:
        """Return the output arrays of variables that MiniZinc has named itself, by each member."""
        found: dict[str, tuple[str, list[str]]] = {}
        for declared in self.declarations.values():
            if not declared.is_array or not declared.is_variable or self._index_sets(declared) is None:
                continue
            members = [str(entry) for entry in declared.value if isinstance(entry, Name)]
            fits = len(members) == len(declared.value) == len(set(members)) and all(
                name.startswith("X_INTRODUCED_")
                and name in self.domains
                and name not in found
                and name not in self.definitions
                and self.declarations[name].value is None
                for name in members
            )
            if fits:
                found.update(dict.fromkeys(members, (declared.name, members)))
        return found

    def _make_array(self, array: str, members: list[str]) -> None:
        if members[0] in self.values:
            return
        domains = [self.domains[name] for name in members]
        boolean = self.declarations[members[0]].is_boolean
        if boolean or not domains[0] or any(domain != domains[0] for domain in domains):
            for i, name in enumerate(members):
                self.values[name] = self._new_variable(f"{array}[{i}]", self.declarations[name])
        else:
            self.values.update(zip(members, self.model.int_vars(array, len(members), domains[0]), strict=True))

    def _alias(self, declared: Declaration) -> None:
        """Make ``var 1..5: x = y``: the same as y, or a variable of its own where the name is the user's."""
        value = self._scalar(declared.value, declared.line)
        if declared.domain is None or "var_is_introduced" in declared.annotations or isinstance(value, int):
            self.values[declared.name] = value
            self._restrict(value, declared.domain)
            return
        self.values[declared.name] = self._new_variable(declared.name, declared)
        self.model.add(self.values[declared.name] == value)

    def _make_expression(self, name: str) -> None:
        chain = [name]
        while chain[-1] not in self.values:
            chain.append(self.definitions[chain[-1]].other)
        while len(chain) > 1:
            value = self.values[chain.pop()]
            definition = self.definitions[chain[-1]]
            with self.source.at(self.declarations[chain[-1]].line):
                self.values[chain[-1]] = definition.factor * value + definition.constant
                self._restrict(self.values[chain[-1]], self.domains[chain[-1]])

    def _restrict(self, value: Number, domain: range | tuple[int, ...] | None) -> None:
        if domain is None:
            return
        low, high = bounds(value)
        if isinstance(domain, tuple):
            self.model.add(in_domain(value, domain) if isinstance(value, Expression) else value in domain)
        elif not domain or low < domain[0] or high > domain[-1]:
            self.model.add(member(value, domain))

    # Constraints.

    def _state(self, statement: Statement) -> None:
        found = find(statement.name, len(statement.arguments))
        if found is None:
            self.source.unsupported(statement.line, f"the constraint {statement.name[:60]!r}")
        signature, state = found
        if len(signature) != len(statement.arguments):
            self.source.invalid(
                statement.line,
                f"{statement.name} takes {len(signature)} arguments, and has {len(statement.arguments)}",
            )
        given = [
            self._argument(kind, value, statement) for kind, value in zip(signature, statement.arguments, strict=True)
        ]
        with self.source.at(statement.line):
            try:
                state(self.model, *given)
            except NQueensError:
                raise
            except ValueError as error:
                self.source.invalid(statement.line, f"{statement.name}: {error}")

    def _argument(self, kind: str, value: Any, statement: Statement) -> Any:
        found = self._value(value, statement.line)
        if kind in "IXB":
            if not isinstance(found, list):
                self.source.invalid(statement.line, f"{statement.name}: expected an array, got {str(value)[:60]!r}")
            return [self._checked(kind.lower(), entry, statement) for entry in found]
        return self._checked(kind, found, statement)

    def _checked(self, kind: str, found: Any, statement: Statement) -> Any:
        fits = isinstance(found, int | Expression)
        if kind == "i":
            fits = isinstance(found, int)
        elif kind == "S":
            fits = isinstance(found, range | frozenset)
        elif kind == "b" and fits:
            low, high = bounds(found)
            fits = low >= 0 and high <= 1
        if not fits:
            self.source.invalid(statement.line, f"{statement.name}: expected {KINDS[kind]}, got {str(found)[:60]!r}")
        return found

    # Output.

    def _index_sets(self, declared: Declaration) -> list[range] | None:
        for annotation in declared.annotations:
            if isinstance(annotation, Call) and annotation.name == "output_array" and len(annotation.arguments) == 1:
                sets = annotation.arguments[0]
                if isinstance(sets, list) and all(isinstance(entry, range) for entry in sets):
                    return sets
                self.source.invalid(declared.line, "output_array takes a list of ranges")
        return None

    def _outputs(self) -> Iterable[Output]:
        for name, declared in self.declarations.items():
            if not declared.is_variable:
                continue
            if declared.is_array:
                sets = self._index_sets(declared)
                if sets is not None:
                    entries = self.values[name]
                    if prod(max(0, each.stop - each.start) for each in sets) != len(entries):
                        self.source.invalid(
                            declared.line, f"output_array: its ranges do not hold {len(entries)} entries"
                        )
                    yield Output(name, declared.is_boolean, sets, entries)
            elif "output_var" in declared.annotations:
                yield Output(name, declared.is_boolean, None, [self.values[name]])

    def _hidden(self, outputs: list[Output]) -> list[str]:
        """Return the names of the variables that are not known to follow from those that are printed."""
        known = {v for o in outputs for entry in o.entries if isinstance(entry, Expression) for v in entry.variables}
        waiting: list[tuple[IntVar, set[IntVar]]] = []
        for statement in self.program.statements:
            name = defined_by(statement)
            value = self.values.get(name) if name is not None else None
            if isinstance(value, IntVar):
                given = [self._value(argument, statement.line) for argument in statement.arguments]
                if is_function(statement.name, given, value):
                    mentioned = {v for argument in given for v in _mentioned(argument)}
                    waiting.append((value, mentioned - {value}))
        found = True
        while found:
            found = False
            for value, needed in waiting:
                if value not in known and needed <= known:
                    known.add(value)
                    found = True
        return [v.name for v in self.model.variables if v not in known and len(v.domain) > 1]


def _mentioned(argument: Any) -> Iterable[IntVar]:
    for entry in argument if isinstance(argument, list) else [argument]:
        if isinstance(entry, Expression):
            yield from entry.variables
