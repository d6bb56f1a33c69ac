"""What the HTML pages share: the document itself, text that is safe in it, sections and tables.

A page is one file that fetches nothing, so that it can be sent, archived and printed. Its policy lets no script run but the one
that the page was made with, whatever the text in it.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"


def document(title: str, body: str, *, style: str, script: str = "") -> str:
    """Return a page: `title` is text, `body` is HTML; `style` comes after the style that all pages share."""
    shared = files(__package__).joinpath("webpage.css").read_text(encoding="utf-8")
    policy, run = POLICY, ""
    if script:
        policy += f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        run = f"\n<script>{script}</script>"
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{text_of(title)}</title>\n<style>\n{shared}{style}</style>\n</head>\n<body>\n{body}{run}\n</body>\n</html>\n"
    )


def text_of(value: object) -> str:
    """Return text for HTML; what cannot be in a file of UTF-8, or in HTML at all, is shown by its number."""
    text = str(value).encode("utf-8", "backslashreplace").decode()
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", text))


def section(title: str, inside: str) -> str:
    """Return a section with its heading, both HTML."""
    return f"<section>\n<h2>{title}</h2>\n{inside}\n</section>"


def table_of(
    caption: str,
    heads: list[str],
    bodies: list[tuple[str | None, list[list[str]]]],
    *,
    label: str,
    pinned: bool = False,
) -> str:
    """Return a table in a box that it scrolls in; a head with # is one of numbers, a body may have a title."""
    top = "".join(
        f"<th scope='col'{' class=number' * head.startswith('#')}>{text_of(head.lstrip('#'))}</th>" for head in heads
    )
    made = []
    for title, lines in bodies:
        if title is not None:
            made.append(
                f"<tbody><tr class='group'><th colspan='{len(heads)}' scope='rowgroup'><span>{text_of(title)}</span></th></tr>"
            )
        else:
            made.append("<tbody>")
        made += [f"<tr>{''.join(cells)}</tr>" for cells in lines]
        made.append("</tbody>")
    kind = " class='pinned'" if pinned else ""
    above = f"<caption>{text_of(caption)}</caption>" if caption else ""
    return (
        f"<div class='scroll' role='region' tabindex='0' aria-label='{text_of(label)}'><table{kind}>{above}"
        f"<thead><tr>{top}</tr></thead>{''.join(made)}</table></div>"
    )


def cell(text: object, *, head: bool = False, number: bool = False, strong: bool = False) -> str:
    """Return a cell; a head is one that names its row."""
    inside = f"<b>{text_of(text)}</b>" if strong else text_of(text)
    if head:
        return f"<th scope='row'>{inside}</th>"
    return f"<td class='number'>{inside}</td>" if number else f"<td>{inside}</td>"


def number_cell(text: str) -> str:
    """Return a cell of a column of numbers."""
    return cell(text, number=True)
