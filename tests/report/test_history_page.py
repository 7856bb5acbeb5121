"""The page of a history, and its figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.report.figures.levels import levels_figure
from planecast.report.history_page import history_page
from planecast.report.page import Drawing
from planecast.report.table import Table
from planecast.results import Result
from planecast.results.history import Series, histories, observations
from planecast.results.search import SearchAnswer

MakeResult = Callable[..., Result]


@pytest.fixture
def changed(make_result: MakeResult) -> Series:
    """A series with a regression at its fifth run."""
    found = []
    for day, cycles in enumerate((200, 200.2, 199.9, 200.1, 210, 210.2, 209.9, 210.1), start=1):
        made = make_result(cycles)
        at = made.manifest.model_copy(update={"started_at": f"2026-01-{day:02}T00:00:00Z"})
        result = made.model_copy(update={"manifest": at})
        found += observations(Path(f"runs/run{day}"), result, "throughput_pps")
    (series,) = histories(found)
    return series


def test_the_figure_has_a_mark_a_run_and_a_line_a_level(changed: Series) -> None:
    figure = levels_figure(changed)
    marks = {trace.name: list(trace.x) for trace in figure.data if trace.mode == "markers"}
    assert len(marks["run"]) == 7
    assert marks["regression"] == ["2026-01-05T00:00:00Z"]
    lines = [trace for trace in figure.data if trace.line.width == 2]
    assert [trace.y[0] for trace in lines] == [level.value.value / 1e6 for level in changed.levels]


def test_what_changed_comes_first_and_links_to_its_run(changed: Series) -> None:
    page = history_page([changed], {}, Path("pages"))
    assert "1 regression" in page.verdict.answer
    first, second, figure, runs = page.sections
    assert isinstance(first, Table)
    assert (first.anchor, second.anchor) == ("changes", "levels")
    assert isinstance(figure, Drawing)
    assert not figure.detail
    assert first.rows[0][-1].href == "../runs/run5"
    assert isinstance(runs, Table)
    assert len(runs.rows) == 8
    assert page.folded == [runs]


def test_a_search_is_a_series_for_each_of_its_rates(search_answer: SearchAnswer) -> None:
    found = list(observations(Path("run"), search_answer))
    assert [(one.metric.name, one.value.value) for one in found] == [
        ("NDR", 5.915e6),
        ("PDR", 6.015e6),
    ]
    (only,) = observations(Path("run"), search_answer, "PDR")
    assert only.metric.name == "PDR"
    assert list(observations(Path("run"), search_answer, "ipc")) == []


def test_hosts_and_kinds_are_columns_where_they_differ(
    changed: Series, make_result: MakeResult
) -> None:
    alone = history_page([changed], {}, Path("pages")).tables[0]
    assert [one.text for one in alone.headings][:3] == ["scenario", "metric", "verdict"]
    there = make_result(100.0)
    moved = there.manifest.model_copy(update={"host": {"cpu": "Another"}})
    other = there.model_copy(update={"manifest": moved})
    (series,) = histories(observations(Path("runs/other"), other, "throughput_pps"))
    both = history_page([changed, series], {}, Path("pages")).tables[0]
    assert [one.text for one in both.headings][:3] == ["scenario", "metric", "host"]
