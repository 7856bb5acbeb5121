"""The page of recorded counters: what it shows of four generations, of a document, of memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.explain.counters import made_events
from tests.explain.counters.test_uncore import MEMORY, PCIE

from planecast.explain.counters import (
    Asked,
    CounterExplanation,
    compare_counters,
    explain_published,
    explain_recording,
)
from planecast.explain.counters.uncore import Setup, explain_uncore
from planecast.instruments.recorded import read_recording
from planecast.report.counters_page import counters_html, counters_page
from planecast.topdown import definition_names, load_definition


def recorded(name: str, folder: Path, packets: float | None = None) -> CounterExplanation:
    """Five rounds of events that were made from known shares."""
    file = folder / f"{name}.csv"
    events = (made_events.INTEL | made_events.AMD)[name]()
    file.write_text(made_events.perf_csv(events, 5), encoding="utf-8")
    return explain_recording(read_recording(file), Asked(file.name, name, packets=packets))


@pytest.mark.parametrize("name", ["broadwell", "skylake", "icelake", "zen4"])
def test_slots_and_tree_are_drawn(tmp_path: Path, name: str) -> None:
    found = recorded(name, tmp_path, packets=1e7)
    page = counters_page(found)
    assert [drawing.anchor for drawing in page.drawings] == ["slots", "tree"]
    sankey, tree = (drawing.figure for drawing in page.drawings)
    bands = dict(zip(sankey.data[0].link.target, sankey.data[0].link.value, strict=True))
    named = {sankey.data[0].node.label[at].rpartition(" ")[0]: value for at, value in bands.items()}
    # 3e9 core cycles for 1e7 packets
    assert named["Backend bound"] == pytest.approx(300 * made_events.LEVEL_1["backend_bound"])
    assert named["Memory bound"] == pytest.approx(300 * made_events.LEVEL_2["memory_bound"])
    bars = dict(zip((label.lstrip("· ") for label in tree.data[0].y), tree.data[0].x, strict=True))
    assert bars["Frontend bound"] == pytest.approx(18)
    assert [table.anchor for table in page.tables] == ["verdict", "nodes", "figures"]
    assert found.limits[0].startswith(f"{page.verdict.answer}: ")


def test_parts_never_take_more_than_their_parent(tmp_path: Path) -> None:
    link = counters_page(recorded("skylake", tmp_path)).drawings[0].figure.data[0].link
    into = dict(zip(link.target, link.value, strict=True))
    out: dict[int, float] = {}
    for source, value in zip(link.source, link.value, strict=True):
        out[source] = out.get(source, 0.0) + value
    assert out.pop(0) == pytest.approx(100)
    assert all(value <= into[node] + 1e-9 for node, value in out.items())


def test_labels_of_every_tree_are_distinguished() -> None:
    for name in definition_names():
        nodes = load_definition(name).nodes.values()
        titles = [(node.level, node.meaning.title) for node in nodes]
        assert len(set(titles)) == len(titles), name


def test_a_comparison_is_drawn_by_cycles_and_by_points(tmp_path: Path) -> None:
    a, b = recorded("broadwell", tmp_path, 1e7), recorded("skylake", tmp_path, 1.2e7)
    page = counters_page(a, compare_counters(a, b))
    assert [drawing.anchor for drawing in page.drawings] == ["slots", "tree", "steps", "points"]
    steps = page.drawings[2].figure.data[0]
    assert steps.y[0] == pytest.approx(300)
    assert steps.y[-1] == pytest.approx(250)
    assert sum(steps.y[:-1]) == pytest.approx(250)


def test_a_published_row_has_no_intervals_and_says_so() -> None:
    a, b = explain_published("l3fwd noHT"), explain_published("l3fwd HT")
    page = counters_page(a, compare_counters(a, b))
    assert "how certain a change is, is unknown" in page.drawings[-1].caption
    figures = {row[0].text: row for row in page.tables[-1].rows}
    assert figures["Instructions"][3].text == "0.000"
    assert "Table 9" in page.machine


@pytest.mark.parametrize(
    ("text", "row", "parts"),
    [
        (MEMORY, "SKT0, channel 0", {"read": 2000, "write": 500}),
        (PCIE, "socket 0, ItoM", {"hit": 33e6, "miss": 0}),
    ],
)
def test_memory_and_pcie_are_bars(
    tmp_path: Path, text: str, row: str, parts: dict[str, float]
) -> None:
    file = tmp_path / "pcm.csv"
    file.write_text(text)
    page = counters_page(explain_uncore(read_recording(file), "pcm", Setup(pps=29.8e6)))
    (drawn,) = page.drawings
    assert {name: value for name, value in _row(drawn.figure, row).items() if name in parts} == {
        name: pytest.approx(value) for name, value in parts.items()
    }


def _row(figure: Any, row: str) -> dict[str, float]:
    return {trace.name: dict(zip(trace.y, trace.x, strict=True))[row] for trace in figure.data}


def test_names_of_files_are_only_text(tmp_path: Path) -> None:
    found = recorded("zen4", tmp_path)
    evil = found.model_copy(update={"label": "<script>alert(1)</script>"})
    assert "<script>alert(1)" not in counters_html(evil)
