"""The site as a person uses it, opened from disk in headless Chromium."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.browser

Browser = Any

PHONE_PX = 400
PAGES = (
    "index",
    "glossary",
    "tutorials/reading-a-report",
    "tutorials/your-data-plane",
    "how-to/explain",
    "reference/verbs/search",
    "reference/keys",
    "reference/interfaces",
    "reference/api/model",
    "explanation/architecture",
    "explanation/model",
    "explanation/walk-of-measure",
)
_WAIT_S = 60

_SEARCH = """
document.querySelector('label[for=__search]').click();
const field = document.querySelector('[data-md-component=search-query]');
field.focus();
field.value = 'discrepancy';
for (const name of ['input', 'keyup']) field.dispatchEvent(new Event(name, {bubbles: true}));
"""
_FOUND = "return [...document.querySelectorAll('.md-search-result__link')].map(one => one.href)"
_BACKGROUND = "return getComputedStyle(document.body).backgroundColor"
_SHOWN_PICTURES = """
return [...document.querySelectorAll('.md-content img')].filter(one => one.checkVisibility())
  .map(one => one.naturalWidth > 0 ? new URL(one.src).pathname.split('/').pop() : 'broken')
"""


def open_page(browser: Browser, site: Path, name: str, width: int = 1280) -> None:
    # mkdocs' pages have no Plotly figure, which is what `look` waits for otherwise.
    browser.look(width, 900)
    browser.open((site / f"{name}.html").as_uri())


def wait_for(browser: Browser, script: str) -> Any:
    """What the script returns once it is something."""
    until = time.monotonic() + _WAIT_S
    while not (found := browser.script(script)):
        assert time.monotonic() < until, script
        time.sleep(0.1)
    return found


def test_search_works_offline(browser: Browser, site: Path) -> None:
    browser.requested()
    open_page(browser, site, "index")
    browser.script(_SEARCH)
    links = wait_for(browser, _FOUND)
    assert any("explanation/model.html" in link for link in links)
    asked = browser.requested()
    assert asked
    assert {urlsplit(url).scheme for url in asked} <= {"file", "data", "about", "blob"}


def test_dark_mode(browser: Browser, site: Path) -> None:
    open_page(browser, site, "index")
    light, pictures = browser.script(_BACKGROUND), wait_for(browser, _SHOWN_PICTURES)
    assert all(name.endswith("-light.svg") for name in pictures)
    browser.look(1280, 900, scheme="dark")
    browser.open((site / "index.html").as_uri())
    assert wait_for(browser, _SHOWN_PICTURES) == [
        name.replace("-light", "-dark") for name in pictures
    ]
    assert brightness(browser.script(_BACKGROUND)) < 100 < brightness(light)


def brightness(colour: str) -> float:
    """Mean of the channels of ``rgb(r, g, b)``."""
    channels = colour.partition("(")[2].rstrip(")").split(",")[:3]
    return sum(float(channel) for channel in channels) / 3


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_needs_no_sideways_scrolling(browser: Browser, site: Path, name: str) -> None:
    open_page(browser, site, name, PHONE_PX)
    width = browser.script("return document.scrollingElement.scrollWidth")
    assert 0 < width <= PHONE_PX
    assert browser.script("return document.querySelector('h1').getBoundingClientRect().width") > 0


def test_pages_have_no_errors_on_the_console(browser: Browser, site: Path) -> None:
    browser.complaints()
    for name in PAGES:
        open_page(browser, site, name)
    assert [one for one in browser.complaints() if "SEVERE" in one] == []
