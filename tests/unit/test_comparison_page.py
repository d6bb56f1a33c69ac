"""The HTML report: well-formed, complete, escaped, needing nothing from elsewhere, whatever is missing."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser

import pytest

from nqueens_cp import Model, queens, solve
from nqueens_cp.comparison.chart import Scale
from nqueens_cp.comparison.measure import Measurement
from nqueens_cp.comparison.page import html_text
from nqueens_cp.comparison.records import Comparison, Difference, Row

VOID = {"meta", "br", "link", "hr", "img", "input"}
SETTING = {
    "made": "2026-11-30T03:35:15+00:00",
    "task": "count",
    "time_limit": 5.0,
    "memory_limit": None,
    "repeats": 3,
    "pinned": True,
    "machine": {
        "processor": "A processor",
        "processors": 2,
        "memory_mib": 16384,
        "system": "Linux",
        "python": "CPython 3.11",
    },
    "load_before": 0.25,
    "load_after": 0.5,
}


class Page(HTMLParser):
    """Keeps the open tags, and collects text, tags and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in <{tag}>"
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another"

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def charts(self) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.seen if tag == "svg" and attributes.get("class") == "chart"]


def measured(backend: str, solve_seconds: float, found: int, status: str = "complete", **more) -> Measurement:
    return Measurement(
        backend, status, found, 0.03, 0.001, solve_seconds, None, solve_seconds, 26.5, version="1.5", **more
    )


def row(n: int | None, *measurements: Measurement, model: str = "queens n={}") -> Row:
    return Row.of(model.format(n), n, measurements)


def page(*rows: Row, agree: bool | None = True, difference: Difference | None = None, **setting) -> Page:
    return Page(html_text(Comparison("queens", rows, agree, difference, SETTING | setting)))


@pytest.fixture
def sizes() -> list[Row]:
    rows = []
    for n, found in ((6, 4), (7, 40), (8, 92)):
        rows.append(row(n, *(measured("core", 1e-4 * f, found) for f in (1, 1.1, 1.2))))
        rows.append(row(n, *(measured("cp-sat", 1e-3 * 4 ** (n - 6) * f, found) for f in (1, 1.1, 1.2))))
    return rows


def test_every_row_is_there_and_agreement_comes_first(sizes):
    shown = page(*sizes)
    assert shown.text.index("They agree") < shown.text.index("Time against n") < shown.text.index("All figures")
    bodies = sum(tag == "th" and attributes.get("scope") == "row" for tag, attributes in shown.seen)
    assert bodies == len(sizes) + 3  # and one for each size in the table of who wins
    for words in (
        "queens n=6",
        "queens n=8",
        "92",
        "core",
        "cp-sat",
        "17.6 ms",
        "16.0 to 19.2 ms",
        "26.5 MiB",
        "1.5",
    ):
        assert words in shown.text, words
    for words in (
        "A processor",
        "16.0 GiB",
        "0.25, 0.5",
        "fresh process",
        "pinned",
        "shuffled",
        "thrown away",
        "5 s",
        "at least",
    ):
        assert words in shown.text, words


def test_who_wins_and_by_how_much(sizes):
    assert "queens n=8 core 92 110 µs cp-sat 160" in page(*sizes).text
    near = [row(8, measured("a", 0.010, 92), measured("a", 0.012, 92)), row(8, measured("b", 0.0115, 92))]
    assert re.search(r"a 92 11\.0 ms b ≈ 1\.05", page(*near).text)


def test_nothing_comes_from_elsewhere_and_no_script_runs(sizes):
    board = Difference("queens n=8", "core", "cp-sat", solve(queens(8)).solution)
    text = html_text(Comparison("queens", tuple(sizes), False, board, SETTING))
    for tag, attributes in Page(text).seen:
        assert tag not in {"script", "link", "iframe", "object", "image", "use"}
        if tag == "img":
            assert attributes.pop("src").startswith("data:image/svg+xml;base64,")
        assert not {"src", "href", "xlink:href", "srcset", "background"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
    assert "http:" not in text
    assert "https:" not in text
    assert not re.search(r"url\(|@import", text)
    assert "default-src 'none'" in text


def test_charts_are_named_and_described(sizes):
    text = html_text(Comparison("queens", tuple(sizes), True, None, SETTING))
    charts = Page(text).charts()
    assert len(charts) == 3
    for chart in charts:
        assert chart["role"] == "img"
        for identity in (chart["aria-labelledby"] or "").split():
            assert re.search(rf'id="{identity}">[^<]*\w[^<]*<', text)
    identities = re.findall(r'\bid="([^"]+)"', text)
    assert len(identities) == len(set(identities))
    assert "cp-sat 17.6 ms at n = 8; core 110 µs at n = 8" in text


def test_names_are_escaped():
    evil = "</style><script>alert('x')</script>&\"\ud800\x00"
    rows = [
        row(8, measured(evil, 0.01, 92, reason=evil), model="queens n={} " + evil),
        row(9, Measurement(evil, "failed", reason=evil, version=evil)),
    ]
    text = html_text(Comparison(evil, tuple(rows), None, None, SETTING | {"made": evil, "machine": {"system": evil}}))
    assert "<script" not in text
    assert text.count("</style>") == 1
    text.encode("utf-8")
    assert "</style><script>alert('x')</script>&\"\\ud800\\x00" in Page(text).text


@pytest.mark.parametrize(("rows", "agree"), [(2, True), (1, None)])
def test_one_size_is_drawn_as_dots(sizes, rows, agree):
    shown = page(*sizes[-rows:], agree=agree)
    assert len(shown.charts()) == 3
    assert "Time log scale" in shown.text
    assert "17.6 ms" in shown.text
    assert ("They agree" in shown.text) is bool(agree)


def test_a_result_stopped_by_a_limit_is_at_least(sizes):
    stopped = measured("slow", 5.0, 77, "timeout", reason="stopped by the time limit of 5.0 s")
    skipped = Measurement("slow", "skipped", reason="not tried: it was stopped at size 7")
    text = html_text(Comparison("queens", (*sizes, row(7, stopped), row(8, skipped)), True, None, SETTING))
    assert "at least 77" in text
    assert "at least 5.00 s at 7" in text
    assert "hollow" in text
    assert "not tried: it was stopped at size 7" in text
    assert "queens n=7 core" in Page(text).text  # what was stopped wins nothing


@pytest.mark.parametrize("status", ["failed", "unsupported", "unavailable", "memory", "skipped", "wrong", "timeout"])
def test_figures_may_be_missing(sizes, status):
    nothing = Measurement("other", status, reason="so it went")
    assert "so it went" in page(*sizes, *(row(n, nothing) for n in (6, 7, 8))).text
    alone = page(row(8, nothing), agree=None, repeats=1, machine={}, load_before=None)
    assert "No backend came far enough" in alone.text
    assert ("none: an answer is wrong" if status == "wrong" else "none answered in full") in alone.text


def test_no_rows_and_no_setting():
    assert "Nothing was measured" in Page(html_text(Comparison("queens", (), None))).text
    bare = Page(html_text(Comparison("queens", (row(8, measured("core", 0.0, 0)),), None)))
    assert "core" in bare.text


def test_what_an_interruption_left_out_is_said(sizes):
    assert "interrupted" in page(*sizes[:-1]).text
    assert "nterrupted" not in page(*sizes).text
    assert page(*sizes, interrupted=True).text.count("nterrupted") == 2


def test_a_disagreement_shows_the_answers_and_the_board(sizes):
    wrong = row(8, measured("broken", 0.001, 91))
    difference = Difference("queens n=8", "core", "broken", solve(queens(8)).solution)
    shown = page(*sizes, wrong, agree=False, difference=difference)
    assert "DISAGREE" in shown.text
    assert "92 core, cp-sat 91 broken" in shown.text
    assert "Found by core , missed by broken" in shown.text
    assert "none: the answers disagree" in shown.text
    (board,) = (attributes["src"] for tag, attributes in shown.seen if tag == "img")
    assert b64decode(board.partition(",")[2]).count(b'class="queen"') == 8


def test_a_difference_that_is_no_board_is_told():
    model = Model("pair")
    x = model.int_var("x", range(3))
    model.add(x == 2)
    difference = Difference("pair", "core", "broken", solve(model).solution)
    rows = [row(None, measured("core", 0.001, 1), model="pair"), row(None, measured("broken", 0.001, 0), model="pair")]
    assert "x = 2" in page(*rows, agree=False, difference=difference).text


def test_models_without_sizes_and_several_ranges_have_charts_of_their_own(sizes):
    others = [row(n, measured("core", 0.001 * n, 5), model="rooks n={} k=7") for n in (6, 7)]
    lone = row(None, measured("core", 0.001, 5), model="mine")
    shown = page(*sizes, *others, lone)
    assert len(shown.charts()) == 9
    assert {"queens", "rooks k=7", "mine"} <= set(shown.words)


def test_solving_has_no_rate_and_shows_objectives():
    rows = [row(5, measured(name, 0.01, 1, "optimal", objective=7)) for name in ("core", "cp-sat")]
    shown = page(*rows, task="solve")
    assert "optimal, objective 7" in shown.text
    assert "per second" not in shown.text


def test_a_disagreement_that_no_count_shows_is_told():
    rows = [row(5, measured(name, 0.01, 1, "optimal", objective=7)) for name in ("core", "cp-sat")]
    assert "contradicts what another claims" in page(*rows, agree=False, task="solve").text


def test_twenty_backends_differ_in_colour_mark_or_dash():
    rows = [row(n, measured(f"backend-{i}", 0.001 * (i + n), 92)) for n in (6, 7) for i in range(20)]
    text = html_text(Comparison("queens", tuple(rows), True, None, SETTING))
    swatches = re.findall(r'<svg class="swatch".*?</svg>', text)
    assert len(set(swatches)) == 20


@pytest.mark.parametrize("values", [[1e-5], [0.0], [3e-5, 4e-5], [1e-6, 5e4], [0.9, 1.0, 1.1], [1e-7, 1e9], [7.0] * 3])
@pytest.mark.parametrize("logarithmic", [True, False])
def test_scales_have_few_ticks_and_hold_all_values(values, logarithmic):
    scale = Scale(values, 0, 100, logarithmic=logarithmic)
    assert 2 <= len(scale.ticks) <= 9
    assert all(-1e-6 <= scale(value) <= 100 + 1e-6 for value in values)
