"""The HTML report of ``compare --report`` in a headless Chromium: on a phone and on a desk, light and dark.

Skips where there is no browser. With NQUEENS_SCREENSHOTS naming a folder, the screenshots are written there, to be looked at.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group(
    "report in a browser"
)  # in one process of the tests, so that what they share is made once
WIDTHS = pytest.mark.parametrize("width", [320, 390, 768, 1200])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
CONTRAST_OF_TEXT, CONTRAST_OF_MARKS = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11


@pytest.fixture(scope="module")
def reports(cli: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A range of sizes, measured twice, and a single size."""
    folder = tmp_path_factory.mktemp("reports")
    made = {"sizes": folder / "sizes.html", "one": folder / "one.html"}
    names = "core,python-constraint,bit-masks,marked-board"
    ran = cli("compare", "4..6", "-b", names, "--repeats", "2", "--report", str(made["sizes"]))
    assert ran.returncode == 0, ran.stderr
    ran = cli("compare", "6", "-b", names, "--report", str(made["one"]))
    assert ran.returncode == 0, ran.stderr
    return made


@WIDTHS
@SCHEMES
@pytest.mark.parametrize("kind", ["sizes", "one"])
def test_the_page_fits_and_its_charts_have_a_size(browser, open_page, reports, kind, width, scheme):
    open_page(reports[kind], width, scheme)
    wide, tall = browser.execute_script(
        "const page = document.documentElement;"
        " return [Math.max(page.scrollWidth, document.body.scrollWidth), page.scrollHeight]"
    )
    assert wide <= width, f"the page is {wide} wide on a screen of {width}"
    charts = browser.execute_script(
        "return [...document.querySelectorAll('svg.chart')].map(c => {"
        " const box = c.getBoundingClientRect(); const text = c.querySelector('text').getBoundingClientRect();"
        " return [box.left, box.right, box.height, text.height] })"
    )
    assert len(charts) == 3
    for left, right, height, text in charts:
        assert left >= 0
        assert right <= width
        assert right - left >= 220
        assert height >= 100
        assert text >= 8, f"the text of a chart is {text} high"
    folder = os.environ.get("NQUEENS_SCREENSHOTS")
    if folder:
        clip = {"x": 0, "y": 0, "width": width, "height": tall, "scale": 1}
        shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        Path(folder, f"{kind}-{width}-{scheme}.png").write_bytes(base64.b64decode(shot["data"]))


def test_a_wide_table_scrolls_in_its_box(browser, open_page, reports):
    open_page(reports["sizes"], 390, "light")
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].map("
        " b => [b.scrollWidth, b.clientWidth, getComputedStyle(b).overflowX])"
    )
    assert all(overflow == "auto" for _, _, overflow in boxes)
    assert any(inside > box for inside, box, _ in boxes)


@SCHEMES
def test_colours_can_be_told_from_the_page(open_page, luminance, contrast, reports, scheme):
    open_page(reports["sizes"], 1200, scheme)
    assert (luminance("paper") > luminance("ink")) is (scheme == "light")
    for text in ("ink", "soft", "bad"):
        assert contrast(text, "paper") >= CONTRAST_OF_TEXT, text
        assert contrast(text, "card") >= CONTRAST_OF_TEXT, text
    assert contrast("good", "good-back") >= CONTRAST_OF_TEXT
    assert contrast("bad", "bad-back") >= CONTRAST_OF_TEXT
    for i in range(8):
        assert contrast(f"s{i}", "card") >= CONTRAST_OF_MARKS, i


def test_nothing_is_fetched_and_nothing_complains(browser, open_page, complaints, reports):
    complaints()
    open_page(reports["sizes"])
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert complaints() == []


def test_it_prints(browser, open_page, reports):
    open_page(reports["sizes"], 1200, "dark")
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert printed.startswith(b"%PDF")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    hidden = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].filter(b => getComputedStyle(b).overflowX != 'visible').length"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert hidden == 0, "paper does not scroll"


def test_a_report_is_a_page(cli, tmp_path):
    ran = cli("compare", "4", "--report", str(tmp_path / "report.txt"))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "--report" in ran.stderr
    assert ".html" in ran.stderr
