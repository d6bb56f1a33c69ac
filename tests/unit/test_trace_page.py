"""The page that plays traces: what is packed into it is the traces, and the lines of the programs are where they say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nqueens_cp.errors import InvalidType, InvalidValue
from nqueens_cp.tracing import PROGRAMS, Step, record
from nqueens_cp.tracing.page import page, write
from nqueens_cp.tracing.source import source_of

KINDS = ("reject", "place", "wipeout", "undo", "solution")


def _unpacked(text: str) -> dict[str, tuple[Step, ...]]:
    """The steps in a page, by program."""
    found = re.search(r'<script type="application/json" id="traces">([^<]*)</script>', text)
    assert found is not None
    data = json.loads(found[1])
    steps: dict[str, tuple[Step, ...]] = {}
    for trace in data["traces"]:
        lists = [tuple(divmod(square, data["n"]) for square in squares) for squares in trace["lists"]]
        counts = [0] * 5
        made = []
        for index in trace["steps"]:
            kind, row, column, attackers, removed, *more = trace["events"][index]
            counts = [before + added for before, added in zip(counts, more, strict=True)]
            made.append(Step(KINDS[kind], row, column, lists[attackers], lists[removed], *counts))
        steps[trace["program"]] = tuple(made)
    return steps


@pytest.mark.parametrize("n", [0, 1, 4, 6])
def test_all_steps_are_in_the_page(n):
    traces = [record(program, n) for program in PROGRAMS]
    assert _unpacked(page(traces)) == {trace.program: trace.steps for trace in traces}


def test_what_is_recorded_in_part_is_said_to_be(tmp_path):
    traces = [record("flag-arrays", 6, at_most=50), record("bit-masks", 6)]
    write(iter(traces), tmp_path / "part.html")
    text = (tmp_path / "part.html").read_text(encoding="utf-8")
    assert _unpacked(text)["flag-arrays"] == traces[0].steps
    assert "not the final figures: Flag arrays." in text
    assert "not the final figures" not in page(traces[1:])


def test_a_search_that_stopped_where_it_was_told_to_is_not_cut_off():
    text = page([record("flag-arrays", 6, limit=1), record("bit-masks", 6, at_most=50)])
    assert "Flag arrays (stopped)" in text
    assert "Bit masks (cut off)" in text
    assert "not the final figures: Bit masks. Stopped at the number of solutions asked for" in text
    assert "with more of the search to come: Flag arrays." in text
    assert "Recorded only in part" not in page([record("flag-arrays", 6, limit=1)])


def test_the_page_says_which_nodes_forward_checking_counts():
    trace = record("forward-checking", 6)
    kinds = [step.kind for step in trace.steps]
    assert trace.steps[-1].nodes == 1 + kinds.count("place") - kinds.count("wipeout")
    assert "forward checking does not count those that it gives up at once" in page([trace])


@pytest.mark.parametrize("traces", [None, 4, [4], "flag-arrays", record("flag-arrays", 4)], ids=repr)
def test_other_things_than_traces(traces):
    with pytest.raises(InvalidType, match="the traces of a page: expected"):
        page(traces)


def test_what_the_page_cannot_show():
    with pytest.raises(InvalidValue, match="at least one trace"):
        page([])
    with pytest.raises(InvalidValue, match="size 4 and 5"):
        page([record("flag-arrays", 4), record("bit-masks", 5)])
    with pytest.raises(InvalidValue, match="two traces of bit-masks"):
        page([record("bit-masks", 4), record("flag-arrays", 4), record("bit-masks", 4)])


def test_the_script_cannot_end_too_early():
    text = page([record("bit-masks", 4)])
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    assert script.startswith('"use strict"')
    assert "new Player(" in script.rstrip().splitlines()[-2], "the script is whole"
    assert "<!--" not in script


MARKED = {
    "flag-arrays": {
        "place": "column_free[column] = ",
        "reject": "if column_free",
        "undo": "= True",
        "solution": "yield tuple",
    },
    "position-array": {
        "place": "position[row] = column",
        "reject": "if is_free",
        "undo": "for column",
        "solution": "yield",
    },
    "marked-board": {
        "place": "mark_below(marked",
        "reject": "if not marked",
        "undo": "= backup",
        "solution": "yield tuple",
    },
    "bit-masks": {"place": "position[row] = ", "undo": "while free:", "solution": "yield tuple"},
    "forward-checking": {
        "place": "position[row] =",
        "wipeout": "if all(free)",
        "undo": "for column in",
        "solution": "yield",
    },
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_lines_of_each_kind_of_step(program):
    lines = source_of(program)
    told = {kind for line in lines for kind in line.kinds}
    assert told == {step.kind for step in record(program, 6).steps} == set(MARKED[program])
    for kind, part in MARKED[program].items():
        marked = [line for line in lines if kind in line.kinds]
        assert any(part in line.text for line in marked), (kind, marked)
        assert not any(line.quiet for line in marked)
    for line in lines:
        bookkeeping = re.match(r"\s*(tally\.\w+ \+= [^(]*$|poll\(\)|(el)?if watch|watch\()", line.text)
        assert line.quiet or not bookkeeping, line.text
    assert not any(line.quiet for line in lines if re.match(r"\s*(def|for|while|return|yield|position)", line.text))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_text_of_the_program_is_the_file(program):
    import nqueens_cp.textbook

    file = Path(nqueens_cp.textbook.__file__).with_name(f"{program.replace('-', '_')}.py")
    assert "\n".join(line.text for line in source_of(program)) + "\n" == file.read_text(encoding="utf-8")
