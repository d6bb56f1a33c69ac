"""The constraints of XCSP3 in the modelling language."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from nqueens_cp.constraints import all_different, lex_lesseq
from nqueens_cp.expressions import Expression
from nqueens_cp.formats.source import INTEGER
from nqueens_cp.formats.statements import (
    MAX_TUPLES,
    Number,
    all_of,
    any_of,
    both_or_none,
    bounds,
    element_at,
    folded,
    linear,
    member,
    opposite,
    table,
    values_of,
)
from nqueens_cp.formats.xcsp3_expressions import COMPARISONS
from nqueens_cp.formats.xcsp3_syntax import RANGE, Element, expression, integers
from nqueens_cp.functions import count_of

if TYPE_CHECKING:
    from nqueens_cp.formats.read_xcsp3 import _Reader

CONDITION = re.compile(r"\(\s*(\w+)\s*,(.*)\)", re.DOTALL)
REFUSED_ATTRIBUTES = ("reifiedBy", "hreifiedFrom", "hreifiedTo", "cost", "violationCost")


class Constraints:
    """States the constraints of one file."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.source = reader.source
        self.model = reader.model
        self._rows: dict[tuple[int, int], list[tuple[int | str | range, ...]]] = {}  # of the tables of groups

    def state(self, element: Element) -> None:
        """Add what an element states to the model."""
        for attribute in REFUSED_ATTRIBUTES:
            if attribute in element.attributes:
                self.source.unsupported(element.line, f"<{element.tag[:60]} {attribute}=...>")
        state = self._by_tag().get(element.tag)
        if state is None:
            self.source.unsupported(element.line, f"<{element.tag[:60]}>")
        state(element)

    def _by_tag(self) -> dict[str, Callable[[Element], None]]:
        return {
            "intension": self._intension,
            "extension": self._extension,
            "allDifferent": self._all_different,
            "allEqual": self._all_equal,
            "ordered": self._ordered,
            "lex": self._lex,
            "sum": self._sum,
            "count": self._count,
            "cardinality": self._cardinality,
            "minimum": self._extreme,
            "maximum": self._extreme,
            "element": self._element,
            "channel": self._channel,
            "instantiation": self._instantiation,
        }

    # Parts of constraints.

    def _only(self, element: Element, *tags: str) -> None:
        """Refuse children of other tags than these."""
        for child in element.children:
            if child.tag not in tags:
                self.source.unsupported(child.line, f"<{child.tag[:60]}> in <{element.tag}>")

    def _list(self, element: Element) -> list[Number]:
        """Return what <list> holds, or the element itself."""
        lists = element.all("list")
        if len(lists) > 1:
            self.source.unsupported(lists[1].line, f"a second <list> in <{element.tag}>")
        return self.reader.numbers(lists[0] if lists else element)

    def _needed(self, element: Element, tag: str) -> Element:
        child = element.first(tag)
        if child is None:
            self.source.invalid(element.line, f"<{element.tag}> has no <{tag}>")
        return child

    def _integers(self, element: Element) -> list[int]:
        return integers(self.source, self.reader.text(element), element.line)

    def factors(self, element: Element, size: int) -> list[int]:
        """Return the coefficients of a sum, 1 where there are none."""
        child = element.first("coeffs")
        if child is None:
            return [1] * size
        factors = self.reader.numbers(child)
        if any(isinstance(factor, Expression) for factor in factors):
            self.source.unsupported(child.line, "a coefficient that is a variable")
        if len(factors) != size:
            self.source.invalid(child.line, f"{len(factors)} coefficients for {size} terms")
        return factors

    def _hold(self, number: Number, element: Element) -> None:
        """State the <condition> of a constraint on a number."""
        condition = self._needed(element, "condition")
        text, line = self.reader.text(condition), condition.line
        found = CONDITION.fullmatch(text)
        if found is None:
            self.source.invalid(line, f"expected a condition such as (le,10), got '{text[:60]}'")
        name, operand = found.group(1), expression(self.source, found.group(2).strip(), line)
        if name in COMPARISONS:
            self.model.add(COMPARISONS[name](number, self.reader.expressions.number(operand, line)))
        elif name in ("in", "notin"):
            inside = member(number, self.reader.expressions.values(operand, line))
            self.model.add(inside if name == "in" else opposite(inside))
        else:
            self.source.invalid(line, f"a condition with {name[:60]!r}")

    # The constraints.

    def _intension(self, element: Element) -> None:
        self._only(element, "function")
        inner = element.first("function") or element
        self.model.add(
            self.reader.expressions.relation(expression(self.source, self.reader.text(inner), inner.line), inner.line)
        )

    def _extension(self, element: Element) -> None:
        self._only(element, "list", "supports", "conflicts")
        columns = self.reader.numbers(self._needed(element, "list"))
        given = element.all("supports") + element.all("conflicts")
        if len(given) != 1:
            self.source.invalid(element.line, "<extension> needs either <supports> or <conflicts>")
        if not columns:
            self.source.invalid(element.line, "<extension> has no variables")
        key = id(given[0]), len(columns)
        if key not in self._rows:
            self._rows[key] = self._tuples(given[0], len(columns))
        table(self.model, columns, self._written_out(self._rows[key], columns, given[0].line),
              allowed=given[0].tag == "supports")  # fmt: skip

    def _tuples(self, element: Element, width: int) -> list[tuple[int | str | range, ...]]:
        if width == 1 and "(" not in element.text:
            return [(value,) for value in integers(self.source, element.text, element.line)]
        if re.sub(r"\([^()]*\)|\s", "", element.text):
            self.source.invalid(element.line, "tuples are written (1,2,3)(4,5,6)")
        rows = []
        for text in re.findall(r"\(([^()]*)\)", element.text):
            row = tuple(self._entry(word.strip(), element.line) for word in text.split(","))
            if len(row) != width:
                self.source.invalid(element.line, f"the tuple ({text[:60]}) for {width} variables")
            rows.append(row)
        return rows

    def _entry(self, word: str, line: int) -> int | str | range:
        interval = RANGE.fullmatch(word)
        if interval:
            first, last = (self.source.integer(end, line) for end in interval.groups())
            return range(first, last + 1)
        if word != "*" and not INTEGER.fullmatch(word):
            self.source.unsupported(line, f"{word[:60]!r} in a tuple")
        return word if word == "*" else self.source.integer(word, line)

    def _written_out(
        self, rows: list[tuple[int | str | range, ...]], columns: list[Number], line: int
    ) -> list[tuple[int, ...]]:
        """Return the tuples without ``*`` and ranges."""
        plain: list[tuple[int, ...]] = []
        for row in rows:
            choices: list[Sequence[int]] = []
            size = 1
            for entry, column in zip(row, columns, strict=True):
                values = values_of(column) if entry == "*" else (entry,) if isinstance(entry, int) else entry
                size *= max(0, values.stop - values.start) if isinstance(values, range) else len(values)
                choices.append(values)  # type: ignore[arg-type]
            if size + len(plain) > MAX_TUPLES and size > 1:
                self.source.unsupported(line, f"a table of more than {MAX_TUPLES} tuples, its * written out,")
            plain += product(*choices)
        return plain

    def _all_different(self, element: Element) -> None:
        self._only(element, "list", "matrix")
        matrix = element.first("matrix")
        if matrix is None:
            self.model.add(all_different(self._list(element)))
            return
        rows = self.reader.matrix(matrix)
        self.model.add(*map(all_different, rows), *map(all_different, zip(*rows, strict=True)))

    def _all_equal(self, element: Element) -> None:
        self._only(element, "list")
        self.model.add(*(left == right for left, right in pairwise(self._list(element))))

    def _ordered(self, element: Element) -> None:
        self._only(element, "list", "operator")
        compared = COMPARISONS[self._operator(element)]
        self.model.add(*(compared(left, right) for left, right in pairwise(self._list(element))))

    def _operator(self, element: Element) -> str:
        name = self.reader.text(self._needed(element, "operator"))
        if name not in ("lt", "le", "ge", "gt"):
            self.source.unsupported(element.line, f"the order {name[:60]!r}")
        return name

    def _lex(self, element: Element) -> None:
        self._only(element, "list", "matrix", "operator")
        name, matrix = self._operator(element), element.first("matrix")
        if matrix is None:
            sequences: list[list[list[Number]]] = [[self.reader.numbers(part) for part in element.all("list")]]
        else:
            rows = self.reader.matrix(matrix)
            sequences = [rows, [list(column) for column in zip(*rows, strict=True)]]
        for lists in sequences:
            for left, right in pairwise(lists):
                smaller, larger = (left, right) if name in ("lt", "le") else (right, left)
                strict = [[1], [0]] if name in ("lt", "gt") else [[], []]  # an entry more that is never equal
                self.model.add(lex_lesseq([*smaller, *strict[0]], [*larger, *strict[1]]))

    def _sum(self, element: Element) -> None:
        self._only(element, "list", "coeffs", "condition")
        terms = self.reader.numbers(self._needed(element, "list"))
        self._hold(linear(self.factors(element, len(terms)), terms), element)

    def _count(self, element: Element) -> None:
        self._only(element, "list", "values", "condition")
        terms = self.reader.numbers(self._needed(element, "list"))
        values = self.reader.numbers(self._needed(element, "values"))
        if len(values) > 1 and any(isinstance(value, Expression) for value in values):
            self.source.unsupported(element.line, "a count of several values that are variables")
        self._hold(folded(sum(count_of(terms, value) for value in dict.fromkeys(values))), element)

    def _cardinality(self, element: Element) -> None:
        self._only(element, "list", "values", "occurs")
        terms = self.reader.numbers(self._needed(element, "list"))
        wanted, occurs = self._needed(element, "values"), self._needed(element, "occurs")
        values = self._integers(wanted)
        times = list(self.reader.written_out(occurs))
        if len(times) != len(values) or len(set(values)) != len(values):
            self.source.invalid(
                occurs.line, f"{len(values)} values, each once, need as many <occurs>, not {len(times)}"
            )
        for value, word in zip(values, times, strict=True):
            often = expression(self.source, word, occurs.line)
            counted = folded(count_of(terms, value))
            if isinstance(often, range):
                self.model.add(member(counted, often))
            else:
                self.model.add(counted == self.reader.expressions.number(often, occurs.line))
        if wanted.attributes.get("closed") == "true":
            self.model.add(*(any_of(term == value for value in values) for term in terms))

    def _extreme(self, element: Element) -> None:
        self._only(element, "list", "condition")
        terms = self.reader.numbers(self._needed(element, "list"))
        if not terms:
            self.source.invalid(element.line, f"the {element.tag} of nothing")
        self._hold(self.reader.expressions.extreme(element.tag[:3], terms), element)

    def _element(self, element: Element) -> None:
        self._only(element, "list", "matrix", "index", "value", "condition")
        index = self._needed(element, "index")
        if index.attributes.get("rank", "any") != "any":
            self.source.unsupported(index.line, f"rank={index.attributes['rank'][:60]!r}")
        places = self.reader.numbers(index)
        matrix = element.first("matrix")
        if matrix is None:
            listed = self._needed(element, "list")
            first = self.source.integer(listed.attributes.get("startIndex", "0"), listed.line)
            entries, place = self.reader.numbers(listed), (places or [0])[0]
        else:
            rows = self.reader.matrix(matrix)
            first, entries = 0, [entry for row in rows for entry in row]
            starts = [self.source.integer(matrix.attributes.get(f"start{axis}Index", "0"), matrix.line)
                      for axis in ("Row", "Col")]  # fmt: skip
            if len(places) == 2:
                down, across = places[0] - starts[0], places[1] - starts[1]
                self.model.add(down >= 0, down < len(rows), across >= 0, across < len(rows[0]))
                place = down * len(rows[0]) + across
        if len(places) != (1 if matrix is None else 2):
            self.source.invalid(index.line, f"{len(places)} indices")
        entry = element_at(self.model, entries, place, first)
        value = element.first("value")
        if value is None:
            self._hold(entry, element)
            return
        (wanted, *more) = self.reader.numbers(value) or [0]
        if more:
            self.source.invalid(value.line, "more than one value")
        self.model.add(entry == wanted)

    def _channel(self, element: Element) -> None:
        self._only(element, "list")
        lists = element.all("list") or [element]
        firsts = [self.source.integer(part.attributes.get("startIndex", "0"), part.line) for part in lists]
        sides = [self.reader.numbers(part) for part in lists]
        if len(sides) > 2 or len(sides[0]) != len(sides[-1]) or element.first("value") is not None:
            self.source.unsupported(element.line, "a channel of other than one list, or two of one length,")
        left, right, size = sides[0], sides[-1], len(sides[0])
        if size * size > MAX_TUPLES:
            self.source.unsupported(element.line, f"a channel of {size} variables")
        for side, first in zip(sides, reversed(firsts), strict=True):
            for number in side:
                low, high = bounds(number)
                if low < first or high >= first + size:
                    self.model.add(all_of([number >= first, number < first + size]))
        for i, j in product(range(size), repeat=2):
            if len(sides) == 2 or i < j:
                self.model.add(both_or_none(left[i] == j + firsts[-1], right[j] == i + firsts[0]))

    def _instantiation(self, element: Element) -> None:
        self._only(element, "list", "values")
        terms = self.reader.numbers(self._needed(element, "list"))
        values: list[Any] = self._integers(self._needed(element, "values"))
        if len(values) != len(terms):
            self.source.invalid(element.line, f"{len(values)} values for {len(terms)} variables")
        self.model.add(*(term == value for term, value in zip(terms, values, strict=True)))
