"""How the pages become a site: ``sphinx-build -W --keep-going docs build/site``."""

from __future__ import annotations

import sys
from pathlib import Path

from nqueens_cp import __version__

sys.path.insert(0, str(Path(__file__).parent))

from command_line import commands_text

project = "nqueens-cp"
author = "the maintainers of nqueens-cp"
copyright = f"2026, {author}"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
highlight_language = "text"
smartquotes = False  # quotes of commands and of Python stay what they are
default_role = "py:obj"  # in docstrings `solve` is a link

myst_heading_anchors = 3  # the same anchors as on code-hosting sites
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say more
python_maximum_signature_line_length = 80

html_theme = "furo"
html_title = f"nqueens-cp {release}"
html_copy_source = False
html_show_sourcelink = False


def _fill(app: object, page: str, source: list[str]) -> None:
    """Put what the commands' help says below the page about them."""
    if page == "commands":
        source[0] += commands_text()


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _fill)  # type: ignore[attr-defined]
