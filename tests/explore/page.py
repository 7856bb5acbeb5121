"""The page in headless Chromium: opened, typed into, read."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from planecast.explore.server import Listening, application
from planecast.explore.session import Session

Browser = Any

_WAIT = """
const [what, most] = [arguments0, 20000];
return new Promise((done, failed) => {
  const began = performance.now();
  const look = () => {
    let found = null;
    try { found = what(); } catch (error) { found = null; }
    if (found) done(found);
    else if (performance.now() - began > most) failed(new Error('waited without success for ' +
    what)); else setTimeout(look, 20);
  };
  look();
});
"""


class Page:
    """The page in its window."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address

    def open(
        self, fragment: str = "", width: int = 1280, scheme: str = "light", *, timed: bool = True
    ) -> None:
        """Open it, with the figures drawn; `timed`: with the simulator's, which programs of others
        have none of."""
        self.browser.open("about:blank")
        self.browser.requested()
        self.browser.complaints()
        self.browser.look(width, 900, scheme)
        self.browser.open(f"{self.address}{'#' if fragment else ''}{fragment}")
        for panel in ("stages", "curve", "heat", "machines", "front"):
            self.until(f"document.querySelector('#{panel} :is(svg, .stage)')")
        if timed:
            self.until("document.querySelector('#timed tbody td')")
        self.until("document.querySelector('#history .readout').textContent")

    def until(self, expression: str) -> Any:
        """What an expression gives, once it gives something."""
        return self.browser.script(_WAIT.replace("arguments0", f"() => ({expression})"))

    def run(self, script: str) -> Any:
        return self.browser.script(script)

    def figure(self, number: int = 0) -> str:
        """The headline's number."""
        found: str = self.run(
            f"return document.querySelectorAll('.figure strong')[{number}].textContent"
        )
        return found

    def type(self, key: str, text: str) -> None:
        """Types a value into a key's box."""
        self.run(
            f"const box = document.getElementById('c-{key}');"
            f"box.value = '{text}'; box.dispatchEvent(new Event('change'))"
        )

    def changed_from(self, before: str) -> str:
        """The headline's number, once it is another."""
        self.until(f"document.querySelector('.figure strong').textContent !== '{before}'")
        return self.figure()

    def press(self, selector: str, key: str, modifiers: int = 0) -> None:
        """A key on an element that has the focus, as the keyboard sends it."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "Enter": 13, "z": 90}
        for kind in ("rawKeyDown", "keyUp"):
            self.browser.devtools(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=f"Key{key.upper()}" if len(key) == 1 else key,
                windowsVirtualKeyCode=codes[key],
                modifiers=modifiers,
            )


@pytest.fixture
def page(browser: Browser, session: Session) -> Iterator[Page]:
    """The page of a session, served until the test ends."""
    listening = Listening(0)
    app = application(session, listening.token, listening.port)
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening.socket]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield Page(browser, listening.address)
    finally:
        browser.open("about:blank")
        server.should_exit = True
        thread.join(timeout=10)
