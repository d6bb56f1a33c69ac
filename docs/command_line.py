"""The commands and their options as Markdown, from the command line's own help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from nqueens_cp.cli import app


def commands_text() -> str:
    """Return a section for each command: what it does, its examples, its arguments and options."""
    program = typer.main.get_command(app)
    return "".join(section for name, command in program.commands.items() for section in _sections(name, command))


def _sections(name: str, command: Any) -> Iterator[str]:
    below = getattr(command, "commands", {})
    parts = [f"\n## {name}\n", _prose(command.help)]
    if not below:
        parts += [_table(command.params)]
    yield "\n".join(parts)
    for word, inner in below.items():
        yield from _sections(f"{name} {word}", inner)


def _prose(text: str) -> str:
    """Return a help text with its examples as a block of code."""
    before, _, rest = text.partition("Examples:\n")
    lines = rest.splitlines()
    examples = [line.strip() for line in lines if line.startswith("  ")]
    if not examples:
        return f"{text}\n"
    after = "\n".join(lines[len(examples) :])
    block = "\n".join(f"$ {example}" for example in examples)
    return f"{before}\n```console\n{block}\n```\n{after}\n"


def _table(parameters: list[Any]) -> str:
    rows = ["| argument or option | what it means |", "| --- | --- |"]
    rows += [f"| {_written(parameter)} | {_meaning(parameter)} |" for parameter in parameters if parameter.help]
    return "\n".join(rows) + "\n" if len(rows) > 2 else ""


def _written(parameter: Any) -> str:
    """Return how a parameter is written, like ``--backend NAME``, ``-b NAME``."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name}`"
    value = "" if parameter.is_flag else f" {parameter.metavar or 'TEXT'}"
    return "<br>".join(f"`{word}{value}`" for word in [*parameter.opts, *parameter.secondary_opts])


def _meaning(parameter: Any) -> str:
    default = parameter.default if isinstance(parameter.default, str) else None
    text = parameter.help.replace("|", "\\|")
    return text if default is None else f"{text} If not given: {default}."
