"""The text of XCSP3: its elements with their lines, the words of a list, and expressions in functional form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.parsers import expat

from nqueens_cp.errors import NQueensError
from nqueens_cp.formats.source import INTEGER, Source

MAX_DEPTH = 100
"""Elements may be nested so deep."""
MAX_BRACKETS = 150
"""The brackets of an expression may be nested so deep."""
MAX_WORDS = 1_000_000
"""A list may have so many entries, written out."""
RANGE = re.compile(r"([+-]?[0-9]+)\.\.([+-]?[0-9]+)")
TIMES = re.compile(r"([+-]?[0-9]+)x([0-9]+)")
TOKEN = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*(?:\[[0-9]*\])*|[+-]?[0-9]+(?:\.\.[+-]?[0-9]+)?|[(){},])")


@dataclass(slots=True)
class Element:
    """An element with its attributes, its text (without that of its children) and its children."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts).strip()

    def all(self, tag: str) -> list[Element]:
        """Return the children of that tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """Return the first child of that tag, if there is one."""
        return next((child for child in self.children if child.tag == tag), None)


def parse(source: Source) -> Element:
    """Return the outermost element of a file. Entities and document types are refused, so nothing else is ever fetched."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    outermost = Element("", {}, 1)
    stack = [outermost]

    def start(tag: str, attributes: dict[str, str]) -> None:
        line = parser.CurrentLineNumber
        if len(stack) > MAX_DEPTH:
            source.invalid(line, f"elements are nested more than {MAX_DEPTH} deep")
        element = Element(tag, attributes, line)
        stack[-1].children.append(element)
        stack.append(element)

    def end(tag: str) -> None:
        stack.pop()

    def doctype(*_: Any) -> None:
        source.invalid(parser.CurrentLineNumber, "there is a DOCTYPE; XCSP3 needs none, and entities are not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: stack[-1].parts.append(text)
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(source.data(), True)
    except expat.ExpatError as error:
        source.invalid(error.lineno, f"is not well-formed XML: {expat.ErrorString(error.code)}")
    except NQueensError:
        raise
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        source.invalid(1, f"cannot be decoded: {error}")
    return outermost.children[0]


def words(source: Source, text: str, line: int) -> list[str]:
    """Return a text cut at the blanks that are outside of brackets."""
    found: list[str] = []
    word: list[str] = []
    depth = 0
    for piece in re.findall(r"\s+|[()]|[^\s()]+", text):
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if depth < 0:
            source.invalid(line, "there is a ')' without '('")
        if not piece.isspace():
            word.append(piece)
        elif depth == 0 and word:
            found.append("".join(word))
            word = []
    if depth:
        source.invalid(line, "a '(' is not closed")
    return [*found, "".join(word)] if word else found


def integers(source: Source, text: str, line: int) -> list[int]:
    """Return a list of integers, in which ``1..4`` and ``7x3`` (three times 7) are short forms."""
    values: list[int] = []
    for word in text.split():
        short = RANGE.fullmatch(word), TIMES.fullmatch(word)
        if short[0]:
            first, last = (source.integer(end, line) for end in short[0].groups())
            more: range | list[int] = range(first, last + 1)
            size = max(0, last - first + 1)
        elif short[1]:
            value, size = (source.integer(number, line) for number in short[1].groups())
            more = [value] * min(size, MAX_WORDS + 1)
        else:
            more, size = [source.integer(word, line)], 1
        if size + len(values) > MAX_WORDS:
            source.invalid(line, f"a list has more than {MAX_WORDS} entries")
        values += more
    return values


def domain(source: Source, text: str, line: int) -> range | list[int]:
    """Return the values of a domain; a single range may be as long as it likes."""
    whole = RANGE.fullmatch(text.strip())
    if whole:
        first, last = (source.integer(end, line) for end in whole.groups())
        return range(first, last + 1)
    if any(not INTEGER.fullmatch(end) for word in text.split() for end in re.split(r"\.\.|x", word)):
        source.unsupported(line, f"the domain '{text[:60]}'")
    return integers(source, text, line)


class Call(NamedTuple):
    """``name(arguments)``; a set is a call of "set"."""

    name: str
    arguments: list[Any]


def expression(source: Source, text: str, line: int) -> Any:
    """Return an expression as ints, ranges, names (str) and calls."""
    tokens: list[str] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            source.invalid(line, f"unexpected {text[place : place + 20]!r} in the expression {text[:60]!r}")
        tokens.append(found.group(1))
        place = found.end()
    tokens.append("the end")
    tokens.reverse()
    value = _operand(source, tokens, line, 0)
    if tokens[-1] != "the end":
        source.invalid(line, f"unexpected {tokens[-1]!r} after the expression {text[:60]!r}")
    return value


def _operand(source: Source, tokens: list[str], line: int, depth: int) -> Any:
    if depth > MAX_BRACKETS:
        source.invalid(line, f"brackets are nested more than {MAX_BRACKETS} deep")
    token = tokens.pop()
    if token == "{":
        return Call("set", _arguments(source, tokens, line, depth, "}"))
    interval = RANGE.fullmatch(token)
    if interval:
        first, last = (source.integer(end, line) for end in interval.groups())
        return range(first, last + 1)
    if INTEGER.fullmatch(token):
        return source.integer(token, line)
    if token in "(){}," or token == "the end":
        source.invalid(line, f"expected a variable, a number or a function, got {token!r}")
    if tokens[-1] != "(":
        return token
    tokens.pop()
    return Call(token, _arguments(source, tokens, line, depth, ")"))


def _arguments(source: Source, tokens: list[str], line: int, depth: int, closing: str) -> list[Any]:
    arguments: list[Any] = []
    if tokens[-1] == closing:
        tokens.pop()
        return arguments
    while True:
        arguments.append(_operand(source, tokens, line, depth + 1))
        token = tokens.pop()
        if token == closing:
            return arguments
        if token != ",":
            source.invalid(line, f"expected ',' or {closing!r}, got {token!r}")
