"""The page of an explanation in a real browser."""

from __future__ import annotations

import pytest
from tests.explain.conftest import base, calibration, counts, hierarchy, manifest, measured
from tests.report.browser.test_in_browser import (
    _LABELS_OVERLAPPING,
    _TEXTS_OUTSIDE,
    SIZES,
    Browser,
    Page,
    page,
    visit,
)

from planecast.engines.solve import Calibration
from planecast.explain import Case, compare_explanations, explain_case
from planecast.report.explanation_page import explanation_html
from planecast.results import Result

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest", "measured", "page"]

pytestmark = pytest.mark.browser


@pytest.fixture
def html(measured: Result, calibration: Calibration) -> str:
    """An explanation and how another differs from it."""
    a = explain_case(Case("a", measured.scenario, measured, None, calibration))
    dearer = measured.cycles_per_packet.scaled(1.3, "cycles/packet")
    slow = measured.model_copy(update={"cycles_per_packet": dearer})
    b = explain_case(Case("b", slow.scenario, slow, None, calibration))
    return explanation_html(a, compare_explanations(a, b))


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_an_explanation(browser: Browser, page: Page, html: str, width: int, scheme: str) -> None:
    visit(browser, page(html), width, scheme)
    drawn = browser.script(
        "return [...document.querySelectorAll('.plot')].map(plot => plot.id +"
        " plot.querySelectorAll('.sankey-node, .point').length)"
    )
    assert [name.rstrip("0123456789") for name in drawn] == [
        "cycles-plot",
        "stage-causes-plot",
        "steps-cause-plot",
        "steps-stage-plot",
    ]
    assert all(int(name.rpartition("plot")[2]) > 2 for name in drawn)
    assert browser.script("return document.documentElement.scrollWidth") <= width
    assert browser.script(_TEXTS_OUTSIDE) == []
    assert browser.script(_LABELS_OVERLAPPING) == []
