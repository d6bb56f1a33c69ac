"""The text of the textbook programs, line by line: which lines a kind of step comes from, and which only count and report."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files


@dataclass
class Line:
    """A line of a program.

    Attributes
    ----------
    text : str
        The line, without its end.
    kinds : set[str]
        The kinds of steps at which it has just run.
    quiet : bool
        Whether it only counts, polls or reports.
    """

    text: str
    kinds: set[str] = field(default_factory=set)
    quiet: bool = False


def source_of(program: str) -> list[Line]:
    """Return the lines of the file of a textbook program."""
    text = files("nqueens_cp.textbook").joinpath(f"{program.replace('-', '_')}.py").read_text(encoding="utf-8")
    lines = [Line(line) for line in text.splitlines()]
    tree = ast.parse(text)
    _read(tree.body, tree, None, lines)
    for line in lines:
        if line.quiet:
            line.kinds.clear()
    return lines


def _read(block: list[ast.stmt], owner: ast.AST, loop: ast.stmt | None, lines: list[Line]) -> None:
    """Note what the statements of a block, and of those inside, say about their lines; `loop` is the one around them."""
    recent: list[ast.stmt] = []  # what has run since the search came back to this block
    for statement in block:
        kind = _reported(statement)
        if kind is not None:
            is_refused = isinstance(owner, ast.If) and statement in owner.orelse
            told: Sequence[ast.AST | None] = [owner] if is_refused else recent or [loop]
            for one in told:
                _note(one, kind, lines)
        if _is_quiet(statement):
            for number in range(statement.lineno, _end(statement) + 1):
                lines[number - 1].quiet = True
        elif _searches_on(statement):
            recent = []
        else:
            recent.append(statement)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
            _note(owner, "solution", lines)
            _note(statement, "solution", lines)
        for inside in (getattr(statement, "body", []), getattr(statement, "orelse", [])):
            _read(inside, statement, statement if isinstance(statement, ast.For | ast.While) else loop, lines)


def _note(node: ast.AST | None, kind: str, lines: list[Line]) -> None:
    """Say that a statement, or the head of one that holds a block which was left by then, has run at this kind of step."""
    if isinstance(node, ast.stmt):
        last = node.lineno if isinstance(node, ast.If | ast.While) or _searches_on(node) else _end(node)
        for number in range(node.lineno, last + 1):
            lines[number - 1].kinds.add(kind)


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _searches_on(statement: ast.AST) -> bool:
    return any(isinstance(node, ast.YieldFrom) for node in ast.walk(statement))


def _is_watched(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test) == "watch is not None"


def _reported(statement: ast.stmt) -> str | None:
    """Return the kind of step that a statement reports."""
    if not isinstance(statement, ast.If) or not _is_watched(statement):
        return None
    call = statement.body[0]
    if isinstance(call, ast.Expr) and isinstance(call.value, ast.Call) and isinstance(call.value.args[0], ast.Constant):
        return str(call.value.args[0].value)
    return None


def _is_quiet(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.AugAssign):
        calls = {ast.unparse(node.func) for node in ast.walk(statement.value) if isinstance(node, ast.Call)}
        return ast.unparse(statement.target).startswith("tally.") and calls <= {"len"}
    return _is_watched(statement) or ast.unparse(statement) == "poll()"
