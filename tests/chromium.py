"""A browser for tests: headless Chromium, spoken to over WebDriver with the standard library.

Selenium would be a dependency of fifteen packages for the ten requests that are needed here.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
_START_SECONDS = 60
_ANSWER_SECONDS = 60

# Figures as wide as their frames, and nothing moved for 0.3 s.
_SETTLED = """
const plots = [...document.querySelectorAll('.plot')].filter(plot => plot.checkVisibility());
const fits = plot => Math.abs(
  (plot.querySelector('.main-svg')?.clientWidth ?? NaN) - plot.clientWidth) <= 1;
const seen = () => plots.map(plot =>
  [...plot.querySelectorAll('text')].map(text => text.getBoundingClientRect().x)).join();
return new Promise(done => {
  let last = null, since = 0;
  const look = () => {
    const now = seen();
    if (now !== last || !plots.every(fits)) [last, since] = [now, performance.now()];
    if (performance.now() - since >= 300) requestAnimationFrame(done);
    else setTimeout(look, 50);
  };
  look();
});
"""


class Browser:
    """One window; everything that it asks for and complains about is kept."""

    def __init__(self, address: str, session: str = "") -> None:
        self._address = address
        self._session = session

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """One WebDriver request."""
        request = urllib.request.Request(
            f"{self._address}{self._session}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        # The driver is on this machine: a proxy of the environment has no part in it.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_ANSWER_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise RuntimeError(json.load(error)["value"]["message"]) from None

    def begin(self, chromium: str, profile: Path) -> None:
        """Open the window with a fresh profile."""
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": {
                "binary": chromium,
                "args": [*_ARGUMENTS, f"--user-data-dir={profile}"],
            },
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        value = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._session = f"/session/{value['sessionId']}"

    def end(self) -> None:
        """Close the window."""
        self.call("DELETE", "")

    def open(self, url: str) -> None:
        """Go to a page and wait until it is loaded."""
        self.call("POST", "/url", {"url": url})

    def script(self, body: str) -> Any:
        """What a function with this body returns in the page; a promise is waited for."""
        return self.call("POST", "/execute/sync", {"script": body, "args": []})

    def devtools(self, command: str, **parameters: Any) -> Any:
        """One command of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def complaints(self) -> list[str]:
        """What stood on the console since it was asked last, network failures among it."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [f"{entry['level']}: {entry['message']}" for entry in entries]

    def requested(self) -> list[str]:
        """Every address that was asked for since it was asked last, redirects among them."""
        found = []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                found.append(event["params"]["request"]["url"])
            elif event["method"] == "Network.webSocketCreated":
                found.append(event["params"]["url"])
        return found

    def look(self, width: int, height: int, scheme: str = "light") -> None:
        """Set the size of the window and the colour scheme that the reader prefers."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.devtools(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        self.settle()

    def settle(self) -> None:
        """Wait until what was asked for is drawn: Plotly follows a window's size a moment later,
        and on a busy machine much later."""
        self.script(_SETTLED)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests, with a fresh profile; skips where there is none."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("chromium and chromium-driver are not installed")
    with _running(chromium, driver, tmp_path_factory.mktemp("profile")) as window:
        # The first window shows the browser's own start page, which loads a lot.
        window.open("about:blank")
        window.requested()
        window.complaints()
        yield window


@contextmanager
def _running(chromium: str, driver: str, profile: Path) -> Iterator[Browser]:
    """A browser that is gone when the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        window = Browser(f"http://127.0.0.1:{port}")
        _wait(window)
        window.begin(chromium, profile)
        try:
            yield window
        finally:
            window.end()
    finally:
        process.terminate()
        process.wait(timeout=10)


def _wait(window: Browser) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            if window.call("GET", "/status")["ready"]:
                return
        except urllib.error.URLError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)
