"""Reading XCSP3: the variables, and the constraints of the core that the modelling language has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path

from nqueens_cp.formats.source import MAX_CONSTRAINTS, Source
from nqueens_cp.formats.statements import Number, linear
from nqueens_cp.formats.xcsp3_constraints import Constraints
from nqueens_cp.formats.xcsp3_expressions import Expressions
from nqueens_cp.formats.xcsp3_syntax import MAX_WORDS, Element, domain, expression, integers, parse, words
from nqueens_cp.model import MAX_VARIABLES, Model

COVERED = (
    "what is read are integer variables and arrays, intension, extension, allDifferent, allEqual, ordered, lex, sum, count, "
    "cardinality, minimum, maximum, element, channel and instantiation, in blocks and groups, and objectives"
)
SIZE = re.compile(r"(?:\[[0-9]+\])+")
REFERENCE = re.compile(r"([A-Za-z][A-Za-z0-9_]*)((?:\[[^\[\]]*\])*)")
PLACEHOLDER = re.compile(r"%(\.\.\.|[0-9]+)")


def read(path: Path) -> Model:
    """Return the model that an XCSP3 file states.

    One-dimensional arrays stay arrays; ``x[0][1]`` of others is the name of a single variable. All declared variables count.
    """
    return _Reader(Source(path, COVERED)).read()


class _Array:
    """The variables of an array, by their indices; what no domain was given for is not there."""

    def __init__(self, sizes: tuple[int, ...], first: int) -> None:
        self.sizes = sizes
        self.first = first
        self.members: dict[tuple[int, ...], Number] = {}


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.model = Model(source.path.name)
        self.arrays: dict[str, _Array] = {}
        self.variables: dict[str, Number] = {}
        self.domains: dict[str, range | list[int]] = {}
        self.stated = 0
        self.arguments: list[str] | None = None  # what the group that is being read puts for %0, %1, ...
        self.expressions = Expressions(source, self.model, self._variable)
        self.constraints = Constraints(self)

    def read(self) -> Model:
        instance = parse(self.source)
        if instance.tag != "instance":
            self.source.invalid(instance.line, f"expected <instance>, got <{instance.tag[:60]}>")
        form = instance.attributes.get("format", "XCSP3")
        if form != "XCSP3":
            self.source.unsupported(instance.line, f"the format {form[:60]!r}")
        kind = instance.attributes.get("type", "CSP")
        if kind not in ("CSP", "COP"):
            self.source.unsupported(instance.line, f"an instance of type {kind[:60]!r}")
        self._require_no_text(instance)
        for part in instance.children:
            if part.tag == "variables":
                self._declare(part)
            elif part.tag == "constraints":
                self._block(part)
            elif part.tag == "objectives":
                self._objectives(part)
            elif part.tag != "annotations":
                self.source.unsupported(part.line, f"<{part.tag[:60]}>")
        if instance.first("variables") is None:
            self.source.invalid(instance.line, "there are no <variables>")
        return self.model

    def _require_no_text(self, element: Element) -> None:
        if element.text:
            self.source.invalid(element.line, f"there is '{element.text[:60]}' between the elements of <{element.tag}>")

    # Variables.

    def _declare(self, part: Element) -> None:
        self._require_no_text(part)
        for element in part.children:
            name = element.attributes.get("id", "")
            if element.attributes.get("type", "integer") != "integer":
                self.source.unsupported(element.line, f"a variable of type {element.attributes['type'][:60]!r}")
            if not REFERENCE.fullmatch(name) or "[" in name:
                self.source.invalid(element.line, f"<{element.tag[:60]}> has no usable id ({name[:60]!r})")
            if name in self.variables or name in self.arrays:
                self.source.invalid(element.line, f"the id {name[:60]!r} is taken")
            for child in element.children:
                if child.tag != "domain" or element.tag != "array":
                    self.source.unsupported(child.line, f"<{child.tag[:60]}> in <{element.tag[:60]}>")
            with self.source.at(element.line):
                if element.tag == "var":
                    self.domains[name] = self._domain(element)
                    self.variables[name] = self.model.int_var(name, self.domains[name])
                elif element.tag == "array":
                    self._declare_array(element, name)
                else:
                    self.source.unsupported(element.line, f"<{element.tag[:60]}> among the variables")

    def _domain(self, element: Element) -> range | list[int]:
        like = element.attributes.get("as")
        if like is None:
            return domain(self.source, element.text, element.line)
        if like not in self.domains:
            self.source.invalid(element.line, f"as={like[:60]!r} names no variable with a domain of its own")
        return self.domains[like]

    def _declare_array(self, element: Element, name: str) -> None:
        like = self.arrays.get(element.attributes.get("as", ""))
        size = element.attributes.get("size", "")
        if not SIZE.fullmatch(size) and (like is None or size):
            self.source.invalid(element.line, f"the array {name!r} has no size such as [8] or [3][4]")
        sizes = tuple(self.source.integer(word, element.line) for word in re.findall("[0-9]+", size)) or like.sizes  # type: ignore[union-attr]
        if prod(sizes) > MAX_VARIABLES:
            self.source.invalid(element.line, f"the array {name!r} is larger than {MAX_VARIABLES} variables")
        array = _Array(sizes, self.source.integer(element.attributes.get("startIndex", "0"), element.line))
        places = list(product(*(range(array.first, array.first + size) for size in sizes)))
        parts = element.all("domain")
        domains: dict[tuple[int, ...], range | list[int]] = {}
        if not parts:
            values = self._domain(element)
            self.domains[name] = values
            domains = dict.fromkeys(places, values)
        rest: range | list[int] | None = None
        self.arrays[name] = array
        for part in parts:
            values = domain(self.source, part.text, part.line)
            if part.attributes.get("for", "").strip() == "others":
                rest = values
                continue
            array.members = dict.fromkeys(places, 0)
            for word in part.attributes.get("for", "").split():
                for place in self._places(word, part.line):
                    domains[place] = values
        if rest is not None:
            domains = dict.fromkeys(places, rest) | domains
        array.members = {}
        uniform = len(sizes) == 1 and array.first == 0 and len(domains) == len(places) and len(parts) < 2
        if uniform and places:
            variables = self.model.int_vars(name, sizes[0], next(iter(domains.values())))
            array.members.update(zip(places, variables, strict=True))
            return
        for place in places:
            if place in domains:
                full = name + "".join(f"[{index}]" for index in place)
                array.members[place] = self.model.int_var(full, domains[place])

    def _places(self, word: str, line: int) -> list[tuple[int, ...]]:
        """Return the indices of the members that a word such as ``x[2..3][]`` or ``x[0][1]`` names."""
        found = REFERENCE.fullmatch(word)
        array = self.arrays.get(found.group(1)) if found else None
        if found is None or array is None:
            self.source.invalid(line, f"{word[:60]!r} is not a variable of this file")
        given = re.findall(r"\[([^\[\]]*)\]", found.group(2))
        if len(given) != len(array.sizes):
            self.source.invalid(line, f"{word[:60]!r} has {len(given)} indices, and the array has {len(array.sizes)}")
        indices = []
        for text, size in zip(given, array.sizes, strict=True):
            whole = range(array.first, array.first + size)
            ends = (
                [self.source.integer(end, line) for end in text.split("..")]
                if text.strip()
                else [whole.start, whole.stop - 1]
            )
            if len(ends) > 2 or ends[0] not in whole or ends[-1] not in whole:
                self.source.invalid(
                    line, f"{word[:60]!r} leaves the array, whose indices are {whole.start}..{whole.stop - 1}"
                )
            indices.append(range(ends[0], ends[-1] + 1))
        places = list(product(*indices))
        missing = next((place for place in places if place not in array.members), None)
        if missing is not None and len(places) == 1:
            self.source.invalid(line, f"{word[:60]!r} has no domain")
        return [place for place in places if place in array.members]

    def _variable(self, name: str, line: int) -> Number:
        if name in self.variables:
            return self.variables[name]
        found = REFERENCE.fullmatch(name)
        places = self._places(name, line)
        if found is None or len(places) != 1:
            self.source.invalid(line, f"{name[:60]!r} stands where one variable is expected")
        return self.arrays[found.group(1)].members[places[0]]

    # Texts, with what a group puts in.

    def text(self, element: Element) -> str:
        """Return the text of an element, the placeholders of a group replaced."""
        text = element.text
        if "%" not in text or self.arguments is None:
            return text
        arguments = self.arguments
        used = [int(index) for index in PLACEHOLDER.findall(text) if index != "..."]
        rest = " ".join(arguments[max(used, default=-1) + 1 :])

        def replaced(found: re.Match[str]) -> str:
            if found.group(1) == "...":
                return rest
            index = int(found.group(1))
            if index >= len(arguments):
                self.source.invalid(element.line, f"%{index}, and there are only {len(arguments)} arguments")
            return arguments[index]

        return PLACEHOLDER.sub(replaced, text)

    def numbers(self, element: Element) -> list[Number]:
        """Return a list of variables, numbers and expressions, arrays written out."""
        found: list[Number] = []
        for word in words(self.source, self.text(element), element.line):
            short = re.fullmatch(r"([A-Za-z]\w*)\[.*\]", word)
            if short and "(" not in word:
                members = self._array(short.group(1), element.line).members
                found += [members[place] for place in self._places(word, element.line)]
            elif re.fullmatch(r"[-+]?[0-9][-+0-9.x]*", word):
                found += integers(self.source, word, element.line)
            else:
                found.append(self.expressions.number(expression(self.source, word, element.line), element.line))
            if len(found) > MAX_WORDS:
                self.source.invalid(element.line, f"a list has more than {MAX_WORDS} entries")
        return found

    def written_out(self, element: Element) -> Iterator[str]:
        """Yield the words of a list with arrays written out, ``x[]`` as ``x[0]``, ``x[1]`` and so on."""
        for word in words(self.source, self.text(element), element.line):
            found = REFERENCE.fullmatch(word)
            if found is None or not found.group(2):
                yield word
                continue
            for place in self._places(word, element.line):
                yield found.group(1) + "".join(f"[{index}]" for index in place)

    def _array(self, name: str, line: int) -> _Array:
        if name not in self.arrays:
            self.source.invalid(line, f"{name[:60]!r} is not an array of this file")
        return self.arrays[name]

    def matrix(self, element: Element) -> list[list[Number]]:
        """Return the rows of a matrix: ``x[][]``, or (row)(row)..."""
        text = self.text(element)
        found = REFERENCE.fullmatch(text)
        if found is not None:
            array = self._array(found.group(1), element.line)
            rows: dict[tuple[int, ...], list[Number]] = {}
            for place in self._places(text, element.line):
                rows.setdefault(place[:-1], []).append(array.members[place])
            matrix = list(rows.values())
        else:
            pieces = re.findall(r"\(([^()]*)\)", text)
            if re.sub(r"\([^()]*\)|\s", "", text):
                self.source.unsupported(element.line, f"the matrix '{text[:60]}'")
            matrix = [
                [
                    self.expressions.number(expression(self.source, word, element.line), element.line)
                    for word in row.split(",")
                ]
                for row in pieces
            ]
        if not matrix or any(len(row) != len(matrix[0]) for row in matrix):
            self.source.invalid(element.line, "a matrix needs rows of one length")
        return matrix

    # Constraints.

    def _block(self, block: Element) -> None:
        self._require_no_text(block)
        for element in block.children:
            if element.tag == "block":
                self._block(element)
            elif element.tag == "group":
                self._group(element)
            else:
                self._state(element)

    def _group(self, group: Element) -> None:
        self._require_no_text(group)
        templates = [child for child in group.children if child.tag != "args"]
        if len(templates) != 1:
            self.source.invalid(group.line, f"a group needs one constraint before its <args>, and has {len(templates)}")
        for arguments in group.all("args"):
            self.arguments = list(self.written_out(arguments))
            self._state(templates[0], arguments.line)
        self.arguments = None

    def _state(self, element: Element, line: int | None = None) -> None:
        self.stated += 1
        if self.stated > MAX_CONSTRAINTS:
            self.source.invalid(element.line, f"there are more than {MAX_CONSTRAINTS} constraints")
        with self.source.at(line or element.line):
            self.constraints.state(element)

    # The objective.

    def _objectives(self, part: Element) -> None:
        self._require_no_text(part)
        for element in part.children:
            if element.tag not in ("minimize", "maximize"):
                self.source.unsupported(element.line, f"<{element.tag[:60]}> as an objective")
            with self.source.at(element.line):
                goal = self._goal(element, element.attributes.get("type", "expression"))
                (self.model.minimize if element.tag == "minimize" else self.model.maximize)(goal)

    def _goal(self, element: Element, kind: str) -> Number:
        if kind == "expression":
            return self.expressions.number(expression(self.source, element.text, element.line), element.line)
        terms = self.numbers(element.first("list") or element)
        if kind == "sum":
            return linear(self.constraints.factors(element, len(terms)), terms)
        if kind not in ("minimum", "maximum") or not terms or element.first("coeffs") is not None:
            self.source.unsupported(element.line, f"an objective of type {kind[:60]!r}")
        return self.expressions.extreme(kind[:3], terms)
