"""The page of an explanation in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.explain.conftest import base, calibration, counts, hierarchy, manifest, measured
from tests.report.browser.test_in_browser import (
    Browser,
    Page,
    check_layout,
    each_size,
    page,
)
from tests.report.test_counters_page import recorded

from planecast.explain import Case, compare_explanations, explain_case
from planecast.explain.counters import compare_counters
from planecast.model.calibration import Calibration
from planecast.report.counters_page import counters_page
from planecast.report.explanation_page import explanation_html
from planecast.report.html import page_html
from planecast.results import Result

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest", "measured", "page"]

GENERATIONS = ("broadwell", "skylake", "icelake", "zen4")

pytestmark = pytest.mark.browser


@pytest.fixture
def html(measured: Result, calibration: Calibration) -> str:
    """An explanation and how another differs from it."""
    a = explain_case(Case("a", measured.scenario, measured, calibration=calibration))
    slower = measured.cycles_per_packet.scaled(1.3, "cycles/packet")
    slow = measured.model_copy(update={"cycles_per_packet": slower})
    b = explain_case(Case("b", slow.scenario, slow, calibration=calibration))
    return explanation_html(a, compare_explanations(a, b))


def test_an_explanation(browser: Browser, page: Page, html: str) -> None:
    for width, _ in each_size(browser, page(html)):
        drawn = browser.script(
            "return [...document.querySelectorAll('.plot')].map(plot => plot.id +"
            " plot.querySelectorAll('.sankey-node, .point').length)"
        )
        assert [name.rstrip("0123456789") for name in drawn] == [
            "cycles-plot",
            "stage-causes-plot",
            "tree-plot",
            "steps-cause-plot",
            "steps-stage-plot",
        ]
        assert all(int(name.rpartition("plot")[2]) > 2 for name in drawn)
        check_layout(browser, width)


def test_recorded_counters_of_four_generations(
    browser: Browser, page: Page, tmp_path: Path
) -> None:
    """The figures of four recordings and of what changed between them, on a page for all: to open
    one takes longer than to look at it."""
    packets = (1e7, 1.2e7, 1.3e7, 0.9e7)
    drawings, known = [], {}
    older = None
    for name, forwarded in zip(GENERATIONS, packets, strict=True):
        found = recorded(name, tmp_path, forwarded)
        older = older or found
        made = counters_page(found, compare_counters(older, found) if older != found else None)
        drawings += [replace(one, anchor=f"{name}-{one.anchor}") for one in made.drawings]
        known[f"{name}-tree-plot"] = sum(node.share is not None for node in found.nodes)
    whole = replace(made, sections=drawings)
    for width, _ in each_size(browser, page(page_html(whole))):
        drawn = browser.script(
            "return Object.fromEntries([...document.querySelectorAll('.plot')].map(plot =>"
            " [plot.id, plot.querySelectorAll("
            "'.sankey-node, .bars .point, .waterfalllayer .point').length]))"
        )
        assert len(drawn) == 2 + 3 * 4
        assert {name: drawn[name] for name in known} == known
        assert all(count >= 4 for count in drawn.values()), drawn
        check_layout(browser, width)
