"""Guard: who may ask the page's server, and what a browser may do with its answers.

The server listens on the loopback address, where every user and every web page of this machine can
reach it. So the address has a token that nobody can guess, a request has to name this host (a
foreign name that leads here is DNS rebinding), and a page of another origin may not send anything.
"""

from __future__ import annotations

import hmac
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""The page loads nothing from elsewhere, and gives its address to nobody."""

_NAMES = ("127.0.0.1", "localhost")


class Guard:
    """The application behind ``/TOKEN``; all else is refused with a sentence."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._prefix = f"/{token}/"
        self._hosts = {f"{name}:{port}" for name in _NAMES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        refused = self._refused(scope)
        app = self._app
        if refused is not None:
            app = PlainTextResponse(f"{refused}\n", status_code=403)
        else:
            path = "/" + scope["path"].removeprefix(self._prefix)
            scope = {**scope, "path": path, "raw_path": path.encode()}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(message)
            await send(message)

        await app(scope, receive, guarded)

    def _refused(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._hosts:
            return f"the server is for this host alone, not for {host[:80]!r}"
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return "requests of other pages are refused"
        here = scope["path"].encode()[: len(self._prefix)]
        if not hmac.compare_digest(here, self._prefix.encode()):
            return "open the address that planecast explore printed: its token is missing here"
        return None


def _add_headers(message: MutableMapping[str, Any]) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in HEADERS.items():
        headers[name] = value
