"""The built site: every link and anchor leads somewhere, and nothing comes from another host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from planecast.cli.verbs import VERBS

pytestmark = pytest.mark.browser

_LOADED = {"script", "img", "link", "iframe", "source"}


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        """What a browser asks for by itself."""
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                (self.loads if tag in _LOADED else self.links).append(value)


def broken(pages: dict[Path, Page], folder: Path) -> Iterator[str]:
    """Links within the site that lead nowhere."""
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.relative_to(folder)}: {link}"
                continue
            anchors = pages[target].anchors if target in pages else {unquote(parts.fragment)}
            if parts.fragment and unquote(parts.fragment) not in anchors:
                yield f"{path.relative_to(folder)}: {link}: no such anchor"


def pages_of(folder: Path) -> dict[Path, Page]:
    found = sorted(folder.resolve().rglob("*.html"))
    # 404.html is served for any path, so its links are of the server's root.
    return {
        path: Page(path.read_text(encoding="utf-8")) for path in found if path.name != "404.html"
    }


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = pages_of(site)
    assert len(pages) > 60
    assert list(broken(pages, site.resolve())) == []


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    loads = {load for page in pages_of(site).values() for load in page.loads}
    assert loads
    assert [load for load in loads if urlsplit(load).netloc] == []


def test_every_verb_has_a_page_with_its_options(site: Path) -> None:
    for verb in VERBS:
        page = (site / "reference" / "verbs" / f"{verb}.html").read_text(encoding="utf-8")
        text = re.sub(r"<[^>]*>", "", page)  # colours of the code stand between its words
        assert f"planecast {verb}" in text
        assert "--help" in text


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text('<a href="b.html">b</a><a href="#there">c</a><p id="i"><a href="#i">d</a>')
    found = list(broken(pages_of(tmp_path), tmp_path.resolve()))
    assert found == ["a.html: b.html", "a.html: #there: no such anchor"]
