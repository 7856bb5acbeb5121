"""Reports in a real browser: they are drawn, nothing is asked for, nothing goes wrong."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planecast.report import report_html
from planecast.results import Result, ResultSet
from planecast.results.load_curve import LoadCurve
from planecast.results.search import SearchAnswer
from planecast.results.validation import Validation

pytestmark = pytest.mark.browser

Browser = Any
Page = Callable[[str], str]

# Colours are the style sheet's alone: a scheme needs no width of its own.
SIZES = [(1280, "light"), (400, "dark")]

_TEXTS_OUTSIDE = """
return [...document.querySelectorAll('.plot')].flatMap(plot => {
  const frame = plot.getBoundingClientRect();
  return [...plot.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 ||
                             box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
  }).map(text => `${plot.id}: ${text.textContent}`);
});
"""

_LABELS_OVERLAPPING = """
return [...document.querySelectorAll('.plot')].flatMap(plot =>
  ['.xtick text, .ytick text', '.legendtext', '.annotation-text', '.node-label'].flatMap(kind => {
    // The boxes of slanted labels overlap where the labels don't.
    const texts = [...plot.querySelectorAll(kind)].filter(text =>
      !/rotate\\((?!-?(0|90)[,) ])/.test(text.getAttribute('transform') ?? ''));
    const boxes = texts.map(text => text.getBoundingClientRect());
    return texts.filter((_, i) => boxes.some((b, j) => j > i &&
      b.left < boxes[i].right - 1 && boxes[i].left < b.right - 1 &&
      b.top < boxes[i].bottom - 1 && boxes[i].top < b.bottom - 1)
    ).map(text => `${plot.id}: ${text.textContent}`);
  }));
"""


# A legend that is placed for another width of the window lies on the bars.
_LEGENDS_INSIDE = """
return [...document.querySelectorAll('.plot')].filter(plot => {
  const legend = plot.querySelector('.legend .bg'), size = plot._fullLayout?._size;
  if (!legend || !size || plot._fullLayout.legend.orientation !== 'h') return false;
  return legend.getBoundingClientRect().bottom > plot.getBoundingClientRect().top + size.t + 2;
}).map(plot => plot.id);
"""


@pytest.fixture
def page(tmp_path: Path) -> Page:
    """Writes a page and gives its address."""

    def write(html: str) -> str:
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        return path.as_uri()

    return write


def visit(browser: Browser, address: str, width: int = 1280, scheme: str = "light") -> None:
    """Open a page, and see that it asked for nothing but itself and complained of nothing."""
    browser.open("about:blank")
    browser.requested()
    browser.complaints()
    browser.look(width, 900, scheme)
    browser.open(address)
    unfold(browser)
    # A heat map is an image that is in the page itself.
    asked = [one for one in browser.requested() if not one.startswith("data:")]
    assert asked == [address.partition("#")[0]]
    assert browser.complaints() == []


def unfold(browser: Browser) -> None:
    """Open all folds and wait until what is behind them is drawn."""
    browser.script("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    browser.settle()


def each_size(
    browser: Browser, address: str, sizes: list[tuple[int, str]] = SIZES
) -> Iterator[tuple[int, str]]:
    """Open a page at the first size, then let the window follow the others: to draw a page again
    costs seconds."""
    visit(browser, address, *sizes[0])
    yield sizes[0]
    for width, scheme in sizes[1:]:
        browser.look(width, 900, scheme)
        yield width, scheme
    assert browser.complaints() == []


def check_layout(browser: Browser, width: int) -> None:
    """Nothing is wider than the window, outside of its figure or upon its neighbour."""
    assert browser.script("return document.documentElement.scrollWidth") <= width
    assert browser.script(_TEXTS_OUTSIDE) == []
    assert browser.script(_LABELS_OVERLAPPING) == []
    assert browser.script(_LEGENDS_INSIDE) == []


def test_a_validation(browser: Browser, page: Page, validation: Validation) -> None:
    for width, _ in each_size(browser, page(report_html(validation))):
        check_validation(browser)
        check_layout(browser, width)
        if width == 1280:
            check_paper(browser)


def check_validation(browser: Browser) -> None:
    """All its figures, marks and rows are there."""
    plots = browser.script(
        "return [...document.querySelectorAll('.plot')].map(plot =>"
        " [plot.id, plot.querySelectorAll('svg.main-svg').length > 0,"
        "  plot.querySelectorAll('.trace, .point').length > 0])"
    )
    assert plots == [
        [f"{name}-plot", True, True]
        for name in (
            "measured-predicted",
            "stages-flows",
            "error",
            "stages-burst",
            "stages-frame",
            "instructions-measured",
        )
    ]
    rows = "return document.querySelectorAll('{} tbody tr').length"
    tables = ("#points", "#calibration-points")
    assert [browser.script(rows.format(name)) for name in tables] == [16, 8]
    assert browser.script("return document.querySelectorAll('.commands tbody tr').length") == 24
    counts = browser.script(
        "return ['#error-plot .bars .point', '#measured-predicted-plot .points path',"
        " '#stages-burst-plot .bars .point']"
        ".map(what => document.querySelectorAll(what).length)"
    )
    assert counts == [16, 24, 7 * 7 * 2]


def check_paper(browser: Browser) -> None:
    """Figures fit on paper, and have their size again afterwards."""
    size = (
        "return [...document.querySelectorAll('.plot .main-svg:first-child')]"
        ".map(svg => [svg.clientWidth, svg.clientHeight])"
    )
    screen = browser.script(size)
    browser.script("dispatchEvent(new Event('beforeprint'))")
    assert all(width <= 900 and height <= 620 for width, height in browser.script(size))
    browser.script("dispatchEvent(new Event('afterprint'))")
    browser.settle()
    assert browser.script(size) == screen


def test_measured_results(browser: Browser, page: Page, results: list[Result]) -> None:
    """Also on a telephone, and with the window made wider: figures take the colours of the page
    when the reader changes them."""
    colour = {"light": "rgb(27, 31, 36)", "dark": "rgb(230, 233, 238)"}
    address = page(report_html(ResultSet(results=tuple(results))))
    for width, scheme in each_size(browser, address, SIZES[::-1]):
        drawn = "return document.querySelectorAll('.plot svg.main-svg:first-child').length"
        assert browser.script(drawn) == 3
        check_layout(browser, width)
        ink = "return getComputedStyle(document.querySelector('.xtick text')).fill"
        assert browser.script(ink) == colour[scheme]


def test_a_load_curve(browser: Browser, page: Page, load_curve: LoadCurve) -> None:
    for width, _ in each_size(browser, page(report_html(load_curve)), SIZES[::-1]):
        points = "return document.querySelectorAll('#load-curves-plot .points path.point').length"
        lines = "return document.querySelectorAll('#load-curves-plot .lines path.js-line').length"
        assert browser.script(points) == 3 * len(load_curve.loads)
        assert browser.script(lines) == 3
        check_layout(browser, width)


def test_a_search(
    browser: Browser,
    page: Page,
    search_answer: SearchAnswer,
    search_trials: dict[str, np.ndarray],
) -> None:
    for width, _ in each_size(browser, page(report_html(search_answer, trials=search_trials))):
        drawn = "return [...document.querySelectorAll('.plot')].map(plot => plot.id)"
        assert browser.script(drawn) == ["interval-plot", "loss-plot", "latency-plot"]
        points = "return document.querySelectorAll('#{}-plot .points path.point').length"
        # Two of eight trials are far above the rates, outside of what is shown at first.
        assert browser.script(points.format("interval")) == len(search_trials["seconds"])
        check_layout(browser, width)


def test_nothing_leaves_the_page(browser: Browser, page: Page, results: list[Result]) -> None:
    """No button sends a figure away, and a script that asked for something would be stopped."""
    visit(browser, page(report_html(results[0])))
    titles = browser.script(
        "return [...document.querySelector('.plot').querySelectorAll('.modebar-btn')]"
        ".map(button => button.dataset.title)"
    )
    assert titles == ["Download plot as a PNG", "Zoom", "Pan", "Reset axes"]
    blocked = browser.script(
        "return new Promise(done => {"
        " addEventListener('securitypolicyviolation', event => done(event.violatedDirective));"
        " fetch('http://127.0.0.1:9/').catch(() => {});"
        " setTimeout(() => done('nothing'), 20000) })"
    )
    assert blocked == "connect-src"


def test_what_a_report_holds_is_never_run(
    browser: Browser, page: Page, make_validation: Callable[..., Validation]
) -> None:
    evil = '</script><script>window.hacked = 1</script><img src="x" onerror="window.hacked = 1">'
    whole = make_validation()
    point = whole.points[0].model_copy(update={"label": evil, "reproduce": evil})
    changed = whole.model_copy(update={"study": evil, "points": (point, whole.points[-1])})
    visit(browser, page(report_html(changed)))
    assert browser.script("return window.hacked") is None
    assert browser.script("return document.querySelector('h1').textContent").endswith(evil)


def test_the_browser_does_see_requests_and_errors(browser: Browser, page: Page) -> None:
    address = page("<img src='http://127.0.0.1:9/x.png'><script>nowhere()</script>")
    browser.open(address)
    browser.settle()
    assert browser.requested() == [address, "http://127.0.0.1:9/x.png"]
    complaints = " ".join(browser.complaints())
    assert "nowhere is not defined" in complaints
    assert "ERR_CONNECTION_REFUSED" in complaints or "ERR_UNSAFE_PORT" in complaints


def test_folds_open_for_a_link_and_figures_are_drawn_when_seen(
    browser: Browser, page: Page, validation: Validation
) -> None:
    address = page(report_html(validation))
    browser.open("about:blank")
    browser.look(1280, 900)
    browser.open(address)
    browser.settle()
    drawn = "return [...document.querySelectorAll('.plot .main-svg:first-child')].length"
    assert browser.script(drawn) == 2
    height = browser.script("return document.documentElement.scrollHeight")
    browser.script("document.querySelector('nav a[href=\"#error\"]').click()")
    browser.settle()
    assert browser.script(drawn) == 3
    assert browser.script("return document.querySelectorAll('details[open]').length") == 1
    unfold(browser)
    assert browser.script("return document.getElementById('unfold').textContent") == "Close all"
    assert browser.script("return document.documentElement.scrollHeight") > 2 * height
    assert browser.complaints() == []


def test_a_table_sorts_and_is_saved_as_csv(
    browser: Browser, page: Page, validation: Validation, tmp_path: Path
) -> None:
    visit(browser, page(report_html(validation)))
    browser.devtools(
        "Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "saved")
    )
    column = (
        "return [...document.querySelectorAll('#points tbody td:nth-child(4)')]"
        ".map(cell => Number(cell.dataset.value))"
    )
    heading = "document.querySelectorAll('#points thead th')[3].click()"
    before = browser.script(column)
    browser.script(heading)
    assert browser.script(column) == sorted(before)
    browser.script(heading)
    assert browser.script(column) == sorted(before, reverse=True)
    browser.script("document.querySelector('#points .csv').click()")
    saved = tmp_path / "saved" / "points.csv"
    deadline = time.monotonic() + 60
    while not saved.is_file() and time.monotonic() < deadline:
        time.sleep(0.05)
    with saved.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    held = {p.label: p for p in validation.points if p.held_out}
    labels = [row["point"].removesuffix(" extrapolated") for row in rows]
    assert set(labels) == set(held)
    for row, label in zip(rows, labels, strict=True):
        cost = held[label].predicted.cycles_per_packet
        name = "predicted cycles/packet, computed"
        assert [float(row[f"{name}{end}"]) for end in ("", " low", " high")] == [
            cost.value,
            cost.low,
            cost.high,
        ]
