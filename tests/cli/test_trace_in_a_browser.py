"""The page of ``trace --html`` in a headless Chromium: played, stepped to and fro, and compared with the traces themselves.

Skips where there is no browser. With NQUEENS_SCREENSHOTS naming a folder, the screenshots are written there, to be looked at.
"""

from __future__ import annotations

import base64
import dataclasses
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from nqueens_cp.tracing import PROGRAMS, Trace, record
from nqueens_cp.tracing.page import write

pytestmark = pytest.mark.xdist_group(
    "trace in a browser"
)  # in one process of the tests, so that what they share is made once
N = 5
COUNTERS = ("nodes", "candidates", "checks", "writes", "undone")
CONTRAST_OF_TEXT, CONTRAST_OF_MARKS = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11

READ = """
const read = () => [...document.querySelectorAll('.band')].filter(band => !band.hidden).map(band => ({
  program: band.dataset.program,
  step: Number(band.dataset.step),
  waits: band.classList.contains('waits'),
  said: band.querySelector('.sentence').textContent,
  counters: [...band.querySelectorAll('.stat .value')].map(value => Number(value.textContent.replaceAll(',', ''))),
  queens: [...band.querySelectorAll('.board .queen:not([hidden])')].map(queen => {
    const place = queen.transform.baseVal.consolidate().matrix;
    return [place.f / 40, place.e / 40] }),
  label: band.querySelector('.board').getAttribute('aria-label'),
  struck: band.querySelectorAll('.board g.struck').length,
  lines: [...band.querySelectorAll('.attack:not([hidden])')].length,
  solved: band.querySelector('.board').classList.contains('solved'),
  running: [...band.querySelectorAll('.running')].map(line => line.textContent.trim()),
}));
const where = () => Number(document.getElementById('position').value);
const press = id => document.getElementById(id).click();
"""


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    return {program: record(program, N) for program in PROGRAMS}


@pytest.fixture(scope="module")
def path(cli: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of all programs, as the command writes it."""
    made = tmp_path_factory.mktemp("traces") / "trace.html"
    ran = cli("trace", str(N), "--html", str(made))
    assert ran.returncode == 0, ran.stderr
    return made


@pytest.fixture
def look(browser: Any):
    """A function that runs JavaScript in the page, with what this file knows of it."""
    return lambda script, *arguments: browser.execute_script(READ + script, *arguments)


@pytest.fixture
def wait(browser: Any):
    """A function that waits until JavaScript says yes."""
    from selenium.webdriver.support.ui import WebDriverWait

    return lambda script: WebDriverWait(browser, 60, 0.05).until(lambda one: one.execute_script(READ + script))


def _queens(trace: Trace, taken: int) -> list[tuple[int, int]]:
    """The queens on the board after so many steps."""
    queens = []
    for step in trace.steps[:taken]:
        if step.kind == "place":
            queens.append((step.row, step.column))
        elif step.kind == "undo":
            queens.remove((step.row, step.column))
    return queens


def _check(band: dict[str, Any], trace: Trace, taken: int) -> None:
    """Compare what is shown of a program with what it had done after so many steps."""
    assert band["step"] == taken
    queens = _queens(trace, taken)
    assert [tuple(queen) for queen in band["queens"]] == queens
    places = ", ".join(f"row {row} column {column}" for row, column in queens)
    assert band["label"].endswith(f"queens on {places}" if queens else "an empty board")
    found = sum(step.kind == "solution" for step in trace.steps[:taken])
    if taken == 0:
        assert band["counters"] == [0] * 6
        return
    step = trace.steps[taken - 1]
    assert band["counters"] == [*(getattr(step, name) for name in COUNTERS), found]
    assert band["solved"] is (step.kind == "solution")
    assert band["lines"] == len(step.attackers)
    if step.kind == "reject":
        assert f"Row {step.row}, column {step.column}: attacked by the queen" in band["said"]
        assert all(str(row) in band["said"].partition("attacked")[2] for row, _ in step.attackers)
    elif step.kind == "place":
        assert f"Row {step.row}, column {step.column}: free" in band["said"]
        assert not step.removed or f"{len(step.removed)} square" in band["said"]
    elif step.kind == "solution":
        assert f"Solution {found}" in band["said"]


def test_every_step_shows_what_the_trace_says_and_going_back_shows_it_again(open_page, look, path, traces):
    open_page(path)
    look("document.querySelector('[value=race]').click();")
    there, back = look(
        "const seen = [read()]; while (!document.getElementById('forward').disabled) { press('forward'); seen.push(read()) }"
        " const again = [read()]; while (!document.getElementById('back').disabled) { press('back'); again.push(read()) }"
        " return [seen, again.reverse()]"
    )
    assert len(there) == 1 + max(len(trace.steps) for trace in traces.values())
    for taken, bands in enumerate(there):
        assert [band["program"] for band in bands] == list(PROGRAMS)
        for band in bands:
            trace = traces[band["program"]]
            _check(band, trace, min(taken, len(trace.steps)))
    assert back == there


def test_together_all_stand_at_the_same_place_and_nobody_misses_a_step(open_page, look, path, traces):
    open_page(path)
    seen = look(
        "const seen = [read()]; while (!document.getElementById('forward').disabled) { press('forward'); seen.push(read()) }"
        " return seen"
    )
    before = dict.fromkeys(PROGRAMS, 0)
    for bands in seen[1:]:
        done = set()
        for band in bands:
            program, step = band["program"], band["step"]
            assert step - before[program] in (0, 1)
            if step > before[program]:
                done.add(traces[program].steps[step - 1][:3])
                _check(band, traces[program], step)
            elif step < len(traces[program].steps):
                assert band["waits"]
            before[program] = step
        assert len(done) == 1, "they do the same, or wait"
    assert before == {program: len(trace.steps) for program, trace in traces.items()}


def test_the_buttons_and_the_keys_do_the_same(browser, open_page, look, path):
    from selenium.webdriver import ActionChains, Keys

    open_page(path)
    last = look("return Number(document.getElementById('position').max)")

    def press(key: str) -> int:
        ActionChains(browser).send_keys(key).perform()
        return look("return where()")

    assert press(Keys.ARROW_RIGHT) == 1
    assert press(Keys.ARROW_RIGHT) == 2
    assert press(Keys.ARROW_LEFT) == 1
    assert press(Keys.END) == last
    assert press(Keys.ARROW_RIGHT) == last
    assert press(Keys.HOME) == 0
    assert press(Keys.ARROW_LEFT) == 0
    solution = press("n")
    assert all(band["solved"] for band in look("return read()"))
    assert look("press('start'); press('solution'); return where()") == solution
    assert look("press('end'); return where()") == last
    assert look("press('back'); press('back'); press('forward'); return where()") == last - 1
    assert look("press('start'); return where()") == 0
    ActionChains(browser).send_keys(Keys.TAB * 3).perform()  # past the programs and the pace
    focus = browser.switch_to.active_element
    outline = browser.execute_script("return getComputedStyle(arguments[0]).outlineStyle", focus)
    assert outline == "solid", "the focus is seen"
    slider = browser.find_element("id", "position")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert look("return where()") == 1, "a slider takes its own keys, once"


def test_play_goes_to_the_end_and_pause_stops_it(browser, open_page, look, wait, path, traces):
    from selenium.webdriver import ActionChains, Keys

    open_page(path)
    play = browser.find_element("id", "play")
    assert play.get_attribute("aria-label") == "Play"
    play.click()
    assert play.get_attribute("aria-label") == "Pause"
    wait("return where() > 0")
    play.click()
    assert play.get_attribute("aria-label") == "Play"
    stopped = look("return where()")
    browser.execute_async_script("setTimeout(arguments[0], 400)")
    assert look("return where()") == stopped
    look(
        "const speed = document.getElementById('speed'); speed.value = 100; speed.dispatchEvent(new Event('input'));"
        " document.activeElement.blur()"
    )
    assert browser.find_element("id", "speed-name").text == "5,000 steps a second"
    ActionChains(browser).send_keys(" ").perform()
    wait("return where() == document.getElementById('position').max")
    wait("return document.getElementById('play').getAttribute('aria-label') == 'Play'")
    for band in look("return read()"):
        _check(band, traces[band["program"]], len(traces[band["program"]].steps))
        assert "10" in band["said"], "it is over, and says how many solutions there are"
    ActionChains(browser).send_keys(Keys.SPACE).perform()
    wait("return where() > 0 && where() <= document.getElementById('position').max")


def test_each_solution_is_found_in_its_turn(open_page, look, path, traces):
    open_page(path)
    shown = look(
        "const found = []; while (!document.getElementById('solution').disabled) { press('solution'); found.push(read()) }"
        " return found"
    )
    assert len(shown) == 10
    for bands, columns in zip(shown, traces["flag-arrays"].solutions, strict=True):
        for band in bands:
            assert band["solved"]
            assert [column for _, column in band["queens"]] == list(columns)


def test_programs_come_and_go_and_stay_where_they_are(open_page, look, path):
    open_page(path)
    look(
        "const slider = document.getElementById('position'); slider.value = 60; slider.dispatchEvent(new Event('input'))"
    )
    before = {band["program"]: band for band in look("return read()")}
    tick = "document.querySelector(`[name=program][value='${arguments[0]}']`).click(); return read()"
    for i in range(3):
        shown = look(tick, i)
    assert [band["program"] for band in shown] == ["bit-masks", "forward-checking"]
    assert shown[0]["queens"] == before["bit-masks"]["queens"]
    (only,) = look(tick, 3)
    assert only["program"] == "forward-checking"
    assert look(tick, 4) == [only], "the last one stays"
    back = look("document.querySelector('[value=race]').click(); return read()")
    assert back[0]["step"] == only["step"]


def test_there_are_moments_to_look_at(browser, open_page, look, path):
    open_page(path)
    buttons = browser.find_elements("css selector", "#moments button")
    assert [button.text for button in buttons] == [
        "An attacked square",
        "The first dead end",
        "A row without a square",
        "The first solution",
        "The end",
    ]
    said = []
    for button in buttons:
        button.click()
        said.append(browser.find_element("id", "moment").text)
    assert "5^3 = 125" in said[0], "below row 1 there are three rows"
    assert "backtracking" in said[1]
    assert "Forward checking" in said[2]
    assert "in 5^5 = 3,125 ways" in said[4]
    look("press('back')")
    assert browser.find_element("id", "moment").text == "", "what was said holds no more"


def test_the_lines_of_the_step_are_marked(browser, open_page, look, path):
    open_page(path)
    look("document.querySelector('[value=race]').click();")
    assert look("return read().map(band => band.running.length)") == [0] * 5
    first = {band["program"]: " ".join(band["running"]) for band in look("press('forward'); return read()")}
    assert all("position[row] =" in lines for lines in first.values()), first
    second = {band["program"]: band for band in look("press('forward'); return read()")}
    assert second["position-array"]["running"] == ["if is_free(row, column):"]
    browser.find_element("css selector", "#band-0 summary").click()
    assert browser.find_element("css selector", "#band-0 pre").text.startswith('"""Flag arrays')


def test_the_trees_change_with_each_step_and_change_back(open_page, look, path):
    open_page(path)
    take = "return [...document.querySelectorAll('canvas')].map(one => one.toDataURL())"
    pictures = [look(take), *(look(f"press('forward'); {take}") for _ in range(12))]
    assert all(before[0] != after[0] for before, after in pairwise(pictures))
    assert pictures[12][3] != pictures[12][0], "bit masks have not looked at the attacked squares"
    again = [look(f"press('back'); {take}") for _ in range(12)]
    assert again[::-1] == pictures[:-1]


@pytest.mark.parametrize("width", [320, 390, 768, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_on_any_screen(browser, open_page, look, path, width, scheme):
    open_page(path, width, scheme)
    look(
        "const slider = document.getElementById('position'); slider.value = 77; slider.dispatchEvent(new Event('input'))"
    )
    wide, tall = browser.execute_script(
        "const page = document.documentElement;"
        " return [Math.max(page.scrollWidth, document.body.scrollWidth), page.scrollHeight]"
    )
    assert wide <= width, f"the page is {wide} wide on a screen of {width}"
    boards = look("return [...document.querySelectorAll('.board')].map(one => one.getBoundingClientRect().width)")
    assert min(boards) >= 170
    buttons = look(
        "return [...document.querySelectorAll('.buttons button')].map(one => one.getBoundingClientRect().height)"
    )
    assert min(buttons) >= 24, "WCAG 2.2, 2.5.8"
    folder = os.environ.get("NQUEENS_SCREENSHOTS")
    if folder:
        clip = {"x": 0, "y": 0, "width": width, "height": tall, "scale": 1}
        shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        Path(folder, f"trace-{width}-{scheme}.png").write_bytes(base64.b64decode(shot["data"]))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_apart(open_page, luminance, contrast, path, scheme):
    open_page(path, scheme=scheme)
    assert (luminance("paper") > luminance("ink")) is (scheme == "light")
    for text in ("ink", "soft"):
        assert contrast(text, "paper") >= CONTRAST_OF_TEXT, text
    for mark in ("now", "dead", "found", "wiped"):
        assert contrast(mark, "paper") >= CONTRAST_OF_MARKS, mark
    for square in ("light", "dark"):
        for mark in ("dead", "found", "wiped", "now", "queen"):
            assert contrast(mark, square) >= CONTRAST_OF_MARKS, (mark, square)


def test_nothing_moves_for_those_who_do_not_want_it(open_page, look, path):
    moving = "press('solution'); return getComputedStyle(document.querySelector('.board .frame')).animationName"
    open_page(path)
    assert look(moving) == "glow"
    open_page(path, prefers_reduced_motion="reduce")
    assert look(moving) == "none"


def test_nothing_is_fetched_nothing_complains_and_names_are_only_text(
    browser, open_page, complaints, look, traces, tmp_path
):
    evil = "</script><script>document.title = 'run'</script><img src='http://127.0.0.1:9/'><!-- &amp;"
    shown = [dataclasses.replace(traces["flag-arrays"], title=evil), traces["bit-masks"]]
    write(shown, tmp_path / "evil.html")
    complaints()
    open_page(tmp_path / "evil.html")
    look("press('play'); press('play'); press('end')")
    assert browser.find_element("css selector", "#band-0 h2").text == evil
    assert browser.find_elements("css selector", "img") == []
    assert browser.title == "Backtracking step by step: 5 queens"
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert complaints() == []


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_small_boards(open_page, complaints, look, tmp_path, n):
    small = [record(program, n) for program in PROGRAMS]
    write(small, tmp_path / "small.html")
    complaints()
    open_page(tmp_path / "small.html")
    look("press('end')")
    for band, trace in zip(look("return read()"), small, strict=True):
        _check(band, trace, len(trace.steps))
    assert complaints() == []


def test_many_steps(browser, open_page, complaints, look, tmp_path):
    long = [record(program, 11, at_most=100_000) for program in ("flag-arrays", "bit-masks")]
    assert sum(len(trace.steps) for trace in long) == 200_000
    write(long, tmp_path / "long.html")
    complaints()
    open_page(tmp_path / "long.html")
    count = "return document.querySelectorAll('*').length"
    before = look(count)
    look("press('end')")
    for band, trace in zip(look("return read()"), long, strict=True):
        _check(band, trace, len(trace.steps))
    assert look("press('start'); press('solution'); press('back'); press('forward'); return read()[0].solved")
    assert look(count) == before, "nothing piles up"
    heights = look("return [...document.querySelectorAll('canvas')].map(one => one.getBoundingClientRect().height)")
    assert max(heights) < 260
    assert "Recorded only in part" in browser.find_element("css selector", ".final").text
    assert complaints() == []


def test_on_paper_and_without_scripts_there_are_the_final_figures(browser, open_page, path, traces):
    open_page(path)
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert printed.startswith(b"%PDF")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert not browser.find_element("css selector", "main").is_displayed()
    assert browser.find_element("css selector", ".final table").is_displayed()
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        open_page(path)
        lines = [line.text for line in browser.find_elements("css selector", ".final tbody tr")]
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    for line, trace in zip(lines, traces.values(), strict=True):
        last = trace.steps[-1]
        figures = [len(trace.steps), *(getattr(last, name) for name in COUNTERS), len(trace.solutions)]
        assert line == " ".join([trace.title, *(f"{figure:,}" for figure in figures)])
