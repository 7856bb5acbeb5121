"""Figures of sweeps, histories and surveys in a real browser, on one page: to open one takes longer
than to look at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.browser.test_in_browser import Browser, Page, check_layout, each_size, page
from tests.report.figures.test_sweep_figures import BURST, FLOWS, PAGES, points
from tests.report.test_history_page import changed

from planecast.report.figures.heat_map import heat_map
from planecast.report.figures.levels import levels_figure
from planecast.report.figures.survey_figures import point_bars
from planecast.report.figures.sweep_scatter import sweep_scatter
from planecast.report.history_page import history_page
from planecast.report.html import page_html
from planecast.report.page import drawing
from planecast.results import Estimate
from planecast.results.history import Series
from planecast.results.survey import SurveyPoint

__all__ = ["changed", "page"]

pytestmark = pytest.mark.browser


def surveyed(label: str, flows: int, mpps: float) -> SurveyPoint:
    rate = Estimate(
        value=mpps * 1e6, low=mpps * 9e5, high=mpps * 1.1e6, samples=5, unit="pps", kind="measured"
    )
    return SurveyPoint(
        label=label, threads=1, cores=1, flows=flows, by="search", rates={"NDR": rate}
    )


def test_a_sweep_a_history_and_a_survey(
    browser: Browser, page: Page, changed: Series, tmp_path: Path
) -> None:
    swept = points([256 * 2**n for n in range(12)], list(range(8, 72, 4)), ["4KiB", "2MiB"])
    survey = [surveyed("Open vSwitch with DPDK", 64, 5.0), surveyed("VPP", 64, 9.0)]
    flows = [surveyed("VPP", 64 * 4**n, 9.0) for n in range(4)]
    whole = replace(
        history_page([changed], {}, tmp_path),
        sections=[
            *drawing("heat", "Heat", "", heat_map(swept, BURST, FLOWS)),
            *drawing("scatter", "Scatter", "", sweep_scatter(swept, FLOWS)),
            *drawing("pages", "Pages", "", sweep_scatter(swept, PAGES)),
            *drawing("levels", "Levels", "", levels_figure(changed)),
            *drawing(
                "survey",
                "Survey",
                "",
                point_bars(survey, lambda p: f"{p.flows} flows", lambda p: p.rates["NDR"], "pps"),
            ),
            *drawing(
                "flows",
                "Flows",
                "",
                point_bars(
                    flows, lambda p: f"1 core, {p.flows:,} flows", lambda p: p.rates["NDR"], "pps"
                ),
            ),
        ],
    )
    for width, _ in each_size(browser, page(page_html(whole))):
        counts = browser.script(
            "return ['#heat-plot .heatmaplayer image', '#scatter-plot .points path',"
            " '#levels-plot .points path', '#survey-plot .bars .point']"
            ".map(what => document.querySelectorAll(what).length)"
        )
        assert counts == [1, 12 * 16 * 2 - 1, 8, 2]
        thickness = browser.script(
            "return [...document.querySelectorAll('#survey-plot .bars .point path')]"
            ".map(bar => bar.getBoundingClientRect().height)"
        )
        assert all(10 < height < 50 for height in thickness)
        check_layout(browser, width)
    browser.look(1280, 900)  # wider again: legends have fewer lines
    check_layout(browser, 1280)
