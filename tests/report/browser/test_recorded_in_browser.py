"""A recorded sweep's controls, as a reader of the offline page uses them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.report.browser.test_in_browser import Browser, Page, check_layout, each_size, page, visit
from tests.report.figures.test_sweep_figures import BURST, FLOWS, PAGES, points
from tests.report.test_history_page import changed
from tests.report.test_recorded_sweep import job

from planecast.report.history_page import history_page
from planecast.report.html import page_html
from planecast.report.recorded_sweep import recorded_sweep
from planecast.report.sweep_points import SweepPoints
from planecast.results.history import Series

__all__ = ["changed", "page"]

pytestmark = pytest.mark.browser


def html(changed: Series, folder: Path, swept: SweepPoints) -> str:
    """A page with nothing but the controls."""
    found = recorded_sweep(job(), swept)
    assert found is not None
    return page_html(replace(history_page([changed], {}, folder), sections=[found]))


def answer(browser: Browser) -> str:
    text: str = browser.script("return document.querySelector('.answer').textContent")
    return text


def set_to(browser: Browser, key: str, place: int) -> None:
    browser.script(
        f"const one = document.getElementById('set-{key}'); one.value = {place};"
        "one.dispatchEvent(new Event('input')); one.dispatchEvent(new Event('change'));"
    )
    browser.settle()


def test_values_are_chosen_and_every_figure_follows(
    browser: Browser, page: Page, changed: Series, tmp_path: Path
) -> None:
    swept = points([256, 1024, 4096], [8, 16, 32, 64], ["4KiB", "2MiB"])
    address = page(html(changed, tmp_path, swept))
    for width, _ in each_size(browser, address):
        check_layout(browser, width)
    browser.look(1280, 900)
    # It begins with the fastest point within the calibrated range.
    assert answer(browser).startswith("50.96 [45.86, 56.05] Mpps")
    command = "return document.querySelector('.again').textContent"
    assert browser.script(command).startswith("planecast predict a.yaml --set workload.kind=ip4")
    assert f"--set {BURST}=64" in browser.script(command)

    set_to(browser, BURST, 1)
    assert answer(browser).startswith("12.74 [11.46, 14.01] Mpps")
    drawn = "return document.getElementById('recorded-curve-plot').data[1].y"
    assert browser.script(drawn) == pytest.approx(
        [burst / 1.256 for burst in (8, 16, 32, 64)], 1e-3
    )

    # A cell of the heat map is chosen: beyond the calibrated range, and the last one was refused.
    browser.script(
        "document.getElementById('recorded-across').value = '1';"
        "document.getElementById('recorded-across').dispatchEvent(new Event('change'))"
    )
    assert browser.script("return location.hash").startswith("#what-if?")
    set_to(browser, FLOWS, 2)
    assert "beyond the calibrated range" in answer(browser)
    set_to(browser, BURST, 3)
    set_to(browser, PAGES, 1)
    assert answer(browser).startswith("refused too many")

    # The address restores what was set; Undo takes it back, step by step.
    link = browser.script("return location.href")
    visit(browser, link)
    assert answer(browser).startswith("refused too many")
    set_to(browser, BURST, 0)
    assert answer(browser).startswith("1.570 [1.413, 1.727] Mpps")
    browser.script("[...document.querySelectorAll('.controls button')][0].click()")
    assert answer(browser).startswith("refused too many")
    assert browser.complaints() == []


def test_a_click_on_a_cell_sets_both_keys_and_prices_make_a_front(
    browser: Browser, page: Page, changed: Series, tmp_path: Path
) -> None:
    visit(browser, page(html(changed, tmp_path, points([256, 1024], [8, 16, 32]))))
    browser.script("document.getElementById('recorded-heat-plot').scrollIntoView()")
    box = browser.script(
        "const box = document.querySelector('#recorded-heat-plot .nsewdrag')"
        ".getBoundingClientRect(); return [box.left, box.top, box.width, box.height]"
    )
    # Bursts go across, flows upwards: the first cell of the lower row.
    x, y = box[0] + box[2] / 6, box[1] + box[3] * 3 / 4
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        browser.devtools(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
        )
    browser.settle()
    assert answer(browser).startswith("6.369 [5.732, 7.006] Mpps")

    rows = "return [...document.querySelectorAll('.front-table tr')].map(row => row.innerText)"
    assert len(browser.script(rows)) == 1, "what costs nothing: the fastest alone"
    browser.script(
        f"const one = document.getElementById('price-{BURST}'); one.value = 2;"
        "one.dispatchEvent(new Event('change'))"
    )
    front = browser.script(rows)
    assert [row.split("\t")[0] for row in front] == ["16.00", "32.00", "64.00"]
    browser.script("document.querySelector('.front-table button').click()")
    assert answer(browser).startswith("6.369")
    assert browser.complaints() == []


def test_points_that_make_no_grid(
    browser: Browser, page: Page, changed: Series, tmp_path: Path
) -> None:
    swept = points([256, 1024, 4096], [8, 16, 32])
    kept = np.array([0, 1, 4, 5, 6])
    columns = {name: column[kept] for name, column in swept.columns.items()}
    visit(browser, page(html(changed, tmp_path, replace(swept, columns=columns))))
    assert browser.script("return document.querySelector('.heat')") is None
    set_to(browser, BURST, 2)
    set_to(browser, FLOWS, 0)
    assert "at flows=256, burst=16" in answer(browser), "of 256 flows and 32 there is no point"
