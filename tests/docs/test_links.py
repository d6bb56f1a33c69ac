"""Links between the README, the changelog and the pages of docs/ lead somewhere, and the reference leaves nothing out."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

import nqueens_cp

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<(?:a|img)\b[^>]*?(?:href|src)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def prose(page: Path) -> str:
    """A page without its code."""
    return CODE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    return [inline or html for inline, html in LINK.findall(prose(page))]


def anchors(page: Path) -> set[str]:
    """The anchors that code-hosting sites, and MyST, give to a page's headings."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in HEADING.findall(text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_inside_lead_somewhere(page):
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{page.name}: {link}: there is no such file"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}: there is no such heading"


def test_links_were_found_at_all():
    assert sum(map(len, map(links, PAGES))) >= 30
    assert "counting-by-joining-half-boards" in anchors(ROOT / "docs" / "architecture.md")


def test_the_readme_sends_nobody_to_the_same_place_twice():
    (section,) = re.findall(r"^## Where to go next\n(.*)", prose(ROOT / "README.md"), re.MULTILINE | re.DOTALL)
    targets = LINK.findall(section)
    assert len(targets) == len(set(targets)) > 5


def test_the_architecture_names_every_room():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("| room |")[2].partition("\n\n")[0]
    rooms = {f"{path.name}/" for path in (ROOT / "nqueens_cp").iterdir() if (path / "__init__.py").exists()}
    rooms |= {path.name for path in (ROOT / "nqueens_cp").glob("*.py") if not path.name.startswith("__")}
    assert rooms - set(re.findall(r"`([\w/.]+)`", table)) == set()


def test_the_reference_has_every_public_name_once():
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\.\. auto\w+:: (\w+)$", text.partition("## A backend of your own")[0], re.MULTILINE)
    assert sorted(documented) == sorted(set(nqueens_cp.__all__) - {"__version__"})


def test_what_the_reference_names_is_there():
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    names = re.findall(r"^\.\. auto\w+:: ([\w.]+\.\w+)$", text, re.MULTILINE)
    for name in names:
        assert pkgutil.resolve_name(name) is not None
    assert len(names) > 10
