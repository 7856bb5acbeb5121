"""The page as a person uses it, in headless Chromium: sliders, figures, undo, links, widths."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.explore.page import Page, page

__all__ = ["page"]

pytestmark = pytest.mark.browser

_TEXTS_OUTSIDE = """
return [...document.querySelectorAll('svg text')].filter((text) => {
  const box = text.getBoundingClientRect(), frame = text.ownerSVGElement.getBoundingClientRect();
  return box.left < frame.left - 1 || box.right > frame.right + 1;
}).map((text) => text.textContent);
"""


def test_a_slider_is_moved_undone_and_restored_by_a_link(page: Page) -> None:
    page.open()
    first = page.figure()
    page.press("[data-key='placement.burst'] input[type=range]", "ArrowLeft")
    second = page.changed_from(first)
    assert float(second) < float(first), "smaller bursts forward less"
    assert "placement.burst=" in page.run("return location.hash")
    link = page.run("return location.hash.slice(1)")
    page.press("body", "z", modifiers=2)
    assert page.changed_from(second) == first
    assert page.run("return location.hash") in ("", "#")
    page.press("body", "z", modifiers=2 | 8)
    assert page.changed_from(first) == second
    page.open(link)
    assert page.figure() == second
    assert (
        page.run("return document.querySelector('.row.changed').dataset.key") == "placement.burst"
    )
    page.run("document.getElementById('reset').click()")
    assert page.changed_from(second) == first
    asked = [url for url in page.browser.requested() if not url.startswith("data:")]
    assert asked
    assert all(url.startswith(page.address) for url in asked)
    assert page.browser.complaints() == []


def test_beyond_the_calibration_and_what_can_not_be(page: Page) -> None:
    page.open()
    first = page.figure()
    page.type("placement.burst", "256")
    page.changed_from(first)
    page.until("document.querySelector('#headline.extrapolates')")
    assert "placement.burst=256" in page.run("return document.getElementById('beyond').textContent")
    page.type("workload.flows", "1Ki")
    said = page.until("document.getElementById('refused').textContent")
    assert "1024 entries of the flow table" in said
    page.type("workload.flows", "1Mi")
    page.until("document.getElementById('refused').hidden")
    page.type("placement.burst", "many")
    assert "placement.burst" in page.until("document.getElementById('refused').textContent")


def test_figures_are_read_and_taken_by_keyboard(page: Page) -> None:
    page.open("-curve=placement.burst")
    page.press("#curve svg", "ArrowLeft")
    assert page.until("document.querySelector('#curve .readout').textContent").startswith("burst=")
    first = page.figure()
    page.press("#curve svg", "Enter")
    second = page.changed_from(first)
    page.until("!document.getElementById('panels').classList.contains('waiting')")
    page.press("#heat svg", "ArrowRight")
    assert "flows=" in page.until("document.querySelector('#heat .readout').textContent")
    page.press("#heat svg", "ArrowLeft")
    page.press("#heat svg", "ArrowLeft")
    page.press("#heat svg", "Enter")
    page.changed_from(second)
    assert "traffic.flows=" in page.run("return location.hash")


def test_machines_loss_and_a_front(page: Page) -> None:
    page.open()
    page.run(
        "document.querySelector('#machines summary').click();"
        "document.querySelector('#machines input[value=\"gold-6230n\"]').click()"
    )
    page.until("document.querySelectorAll('#machines .stage').length === 2")
    page.until("document.querySelectorAll('#timed tbody tr').length === 2")
    text = page.run("return document.querySelector('#timed tbody').textContent")
    assert "µs" in text
    page.run(
        "document.getElementById('load').value = 115;"
        "document.getElementById('load').dispatchEvent(new Event('change'))"
    )
    page.until(
        "Number(/([0-9.]+) %/.exec(document.querySelector('#timed tbody').textContent)[1]) > 5"
    )
    first = page.figure()
    page.until("document.querySelector('#front tbody button')")
    page.run("[...document.querySelectorAll('#front tbody button')].at(-1).click()")
    assert float(page.changed_from(first).replace(",", "")) > float(first)


def test_copying_gives_what_the_command_line_takes(page: Page, tmp_path: Any) -> None:
    from planecast.scenario import load_scenario

    page.open("traffic.flows=4096&placement.page_size=4KiB")
    page.run("document.getElementById('copy').click()")
    text = page.until("document.getElementById('copy-yaml')?.textContent")
    (tmp_path / "scenario.yaml").write_text(text)
    scenario = load_scenario(tmp_path / "scenario.yaml")
    assert (scenario.traffic.flows, scenario.placement.page_size) == (4096, "4KiB")
    assert page.run("return document.getElementById('copy-link').textContent").startswith(
        page.address
    )


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light")])
def test_it_fits_the_window(page: Page, width: int, scheme: str) -> None:
    page.open('-machines=["gold-6230n"]&placement.burst=200', width, scheme)
    assert page.run("return document.documentElement.scrollWidth") <= width
    if width == 1280:  # the last column, what limits, is not cut
        scroll = "document.querySelector('#timed .scroll')"
        assert page.run(f"return {scroll}.scrollWidth - {scroll}.clientWidth") <= 0
    outside = page.run(_TEXTS_OUTSIDE)
    assert outside == []
    paper = page.run("return getComputedStyle(document.body).backgroundColor")
    assert paper == {"dark": "rgb(20, 24, 29)", "light": "rgb(255, 255, 255)"}[scheme]
    # The button is stronger than the system: auto, light, dark.
    page.run("const one = document.getElementById('theme'); one.click(); one.click()")
    assert page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"
    page.run("document.getElementById('theme').click()")


def test_figures_wait_until_a_slider_rests(page: Page) -> None:
    """While it moves, answers alone are asked for; then the curve is of the last state."""
    page.open("-curve=placement.burst")
    page.browser.requested()
    page.run(
        "const range = document.querySelector(\"[data-key='traffic.flows'] input[type=range]\");"
        "const sent = window.sent = []; const own = window.fetch;"
        "window.fetch = (url, options) => { sent.push([url, window.rested === true]);"
        " return own(url, options); };"
        "let place = 2; const move = () => { range.value = place;"
        " const last = ++place === 30;"
        " if (last) window.rested = true;"
        " range.dispatchEvent(new Event(last ? 'change' : 'input', {bubbles: true}));"
        " if (!last) setTimeout(move, 5); }; move();"
    )
    order = ["curve", "heat", "timed", "front", "history"]
    page.until("window.sent.some(([url]) => url.endsWith('/history'))")
    sent = page.run("return window.sent")
    assert {url.rsplit("/")[-1] for url, rested in sent if not rested} == {"answer"}
    after = [url.rsplit("/")[-1] for url, rested in sent if rested]
    assert [name for name in after if name != "answer"] == order


def test_a_moving_slider_is_followed_one_question_at_a_time(page: Page) -> None:
    """Of states that came in the meantime the newest is asked, before an answer is drawn."""
    page.open("-curve=placement.burst")
    page.run(
        "const range = document.querySelector(\"[data-key='traffic.flows'] input[type=range]\");"
        "const seen = window.seen = []; const own = window.fetch;"
        "window.fetch = (url, options) => {"
        " if (!url.endsWith('/answer')) return own(url, options);"
        " seen.push(['ask', JSON.parse(options.body).changes['traffic.flows']]);"
        " return own(url, options).then((answer) => new Promise((done) => setTimeout(() => {"
        " seen.push(['answer']); done(answer); }, 40))); };"
        "const figures = document.getElementById('figures');"
        "figures.replaceChildren = (...all) => { seen.push(['draw']);"
        " Element.prototype.replaceChildren.apply(figures, all); };"
        "let place = 2; const move = () => { range.value = place;"
        " const last = ++place === 26;"
        " range.dispatchEvent(new Event(last ? 'change' : 'input', {bubbles: true}));"
        " if (last) window.rested = Number(new URLSearchParams("
        "location.hash.slice(1)).get('traffic.flows'));"
        " else setTimeout(move, 2); }; move();"
    )
    page.until("window.rested && window.seen.findLast(([what]) => what === 'ask')[1] === rested")
    page.until(
        "window.seen.at(-1)[0] === 'draw' && window.seen.filter(([what]) => what === 'ask').length"
        " === window.seen.filter(([what]) => what === 'answer').length"
    )
    seen, rested = page.run("return [window.seen, window.rested]")
    steps = [what for what, *_ in seen]
    asked = [flows for what, *rest in seen if what == "ask" for flows in rest]
    assert len(asked) < 24, "not every state that a slider passes is asked"
    assert asked == sorted(asked)
    assert asked[-1] == rested
    named = [what for what in steps if what != "draw"]
    assert named == ["ask", "answer"] * len(asked), "one is under way at a time"
    assert "answer,ask,draw" in ",".join(steps), "the server works while an answer is drawn"


def test_numbers_of_the_bars_are_of_the_answer_at_hand(page: Page) -> None:
    page.open()
    numbers = "document.querySelector('#stages .scroll').textContent"
    assert page.run(f"return {numbers}") == ""
    page.run("document.querySelector('#stages summary').click()")
    first = page.until(numbers)
    assert "classify" in first
    page.press("[data-key='placement.burst'] input[type=range]", "ArrowLeft")
    page.until(f"{numbers} !== {json.dumps(first)}")
    page.run("document.querySelector('#stages summary').click()")
    page.until(f"{numbers} === ''")


def test_every_control_has_a_name(page: Page) -> None:
    page.open()
    nameless = page.run(
        "return [...document.querySelectorAll('input, select, button')].filter((one) =>"
        " !one.labels?.length && !one.getAttribute('aria-label') && !one.textContent.trim())"
        ".map((one) => one.outerHTML)"
    )
    assert nameless == []
