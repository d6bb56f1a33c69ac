"""The HTML report of ``compare --report`` in a headless Chromium: on a phone and on a desk, light and dark.

Skips where selenium or Chromium with its driver is absent (Debian: chromium and chromium-driver). With NQUEENS_SCREENSHOTS
naming a folder, the screenshots are written there, to be looked at.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install selenium")

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    BROWSER is None or DRIVER is None,
    reason="chromium or chromedriver is not installed: apt install chromium chromium-driver",
)

WIDTHS = pytest.mark.parametrize("width", [320, 390, 768, 1200])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
CONTRAST_OF_TEXT, CONTRAST_OF_MARKS = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


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


def _open(browser: Any, path: Path, width: int, scheme: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())


@WIDTHS
@SCHEMES
@pytest.mark.parametrize("kind", ["sizes", "one"])
def test_the_page_fits_and_its_charts_have_a_size(browser, reports, kind, width, scheme):
    _open(browser, reports[kind], width, scheme)
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


def test_a_wide_table_scrolls_in_its_box(browser, reports):
    _open(browser, reports["sizes"], 390, "light")
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].map("
        " b => [b.scrollWidth, b.clientWidth, getComputedStyle(b).overflowX])"
    )
    assert all(overflow == "auto" for _, _, overflow in boxes)
    assert any(inside > box for inside, box, _ in boxes)


@SCHEMES
def test_colours_can_be_told_from_the_page(browser, reports, scheme):
    _open(browser, reports["sizes"], 1200, scheme)
    luminance = browser.execute_script(
        """
        const canvas = new OffscreenCanvas(1, 1).getContext('2d');
        const light = colour => {
          canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
          const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4 });
          return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] };
        const style = getComputedStyle(document.documentElement), found = {};
        for (const name of arguments[0]) found[name] = light(style.getPropertyValue('--' + name));
        return found;
        """,
        ["paper", "card", "ink", "soft", "good", "good-back", "bad", "bad-back", *(f"s{i}" for i in range(8))],
    )

    def contrast(first: str, second: str) -> float:
        low, high = sorted((luminance[first], luminance[second]))
        return (high + 0.05) / (low + 0.05)

    assert (luminance["paper"] > luminance["ink"]) is (scheme == "light")
    for text in ("ink", "soft", "bad"):
        assert contrast(text, "paper") >= CONTRAST_OF_TEXT, text
        assert contrast(text, "card") >= CONTRAST_OF_TEXT, text
    assert contrast("good", "good-back") >= CONTRAST_OF_TEXT
    assert contrast("bad", "bad-back") >= CONTRAST_OF_TEXT
    for i in range(8):
        assert contrast(f"s{i}", "card") >= CONTRAST_OF_MARKS, i


def test_nothing_is_fetched_and_nothing_complains(browser, reports):
    browser.get_log("performance")
    browser.get_log("browser")
    _open(browser, reports["sizes"], 1200, "light")
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    assert asked == [reports["sizes"].as_uri()]
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert browser.get_log("browser") == []


def test_it_prints(browser, reports):
    _open(browser, reports["sizes"], 1200, "dark")
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
