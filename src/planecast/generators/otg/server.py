"""The API over HTTP: paths, bodies, errors. Loopback, unless set otherwise.

The standard library's server: a few requests a second, from one client.
"""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import socketserver
import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from planecast import __version__
from planecast.errors import InputError
from planecast.generators.otg.errors import OtgError
from planecast.generators.otg.json_text import json_text
from planecast.generators.otg.session import Session

API_SPEC_VERSION = "1.62.0"
"""The model's version that the mapping was written against."""

BODY_BYTES_MAX = 16 << 20
_IDLE_S = 600.0
_NOT_ALLOWED = 405
_LOOPBACK = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?")
_UNSUPPORTED = {
    ("PATCH", "/config"): "changing parts of a configuration is not supported: set all of it",
    ("PATCH", "/config/append"): "adding to a configuration is not supported: set all of it",
    ("PATCH", "/config/delete"): "removing from a configuration is not supported: set all of it",
    ("POST", "/control/action"): "actions are not supported: there are no protocols, no reboots",
    ("POST", "/monitor/states"): "states are not supported: there are no protocols",
    ("POST", "/monitor/capture"): "captures are not supported",
}

Answer = Callable[[Any], dict[str, Any] | str]


def version() -> dict[str, Any]:
    """``GET /capabilities/version``."""
    return {
        "api_spec_version": API_SPEC_VERSION,
        "sdk_version": "",
        "app_version": f"planecast {__version__}",
    }


def routes(session: Session) -> dict[tuple[str, str], Answer]:
    """What answers a request, by method and path."""
    return {
        ("GET", "/capabilities/version"): lambda _: version(),
        ("POST", "/config"): session.set_config,
        ("GET", "/config"): lambda _: session.config(),
        ("POST", "/control/state"): session.set_state,
        ("POST", "/monitor/metrics"): session.metrics,
        ("GET", "/planecast/latency"): lambda _: session.latency(),
        ("GET", "/planecast/run"): lambda _: session.detail(),
        ("GET", "/planecast/config"): lambda _: session.generator_config(),
    }


class _Handler(BaseHTTPRequestHandler):
    """One connection. ``routes`` is set in a subclass of its own for each server."""

    protocol_version = "HTTP/1.1"
    server_version = f"planecast/{__version__}"
    sys_version = ""
    timeout = _IDLE_S
    disable_nagle_algorithm = True
    routes: dict[tuple[str, str], Answer]

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses, too, is answered as the model's errors are."""
        self.close_connection = True
        self._send(code, OtgError([message or explain or "the request is refused"], code).body)

    def _serve(self) -> None:
        try:
            body = self._body()
            self._check_host()
            code, answer = 200, self._answer(body)
        except OtgError as error:
            code, answer = error.code, error.body
        except Exception as error:  # noqa: BLE001  a client gets a sentence, whatever happens
            if os.environ.get("PLANECAST_DEBUG") == "1":
                traceback.print_exc()
            sentence = f"{type(error).__name__}: {error}; this is a mistake in planecast"
            code, answer = 500, OtgError([sentence], 500, "internal").body
        self._send(code, answer)

    def _body(self) -> bytes:
        """The request's body, read even when it is not wanted: the next request follows it."""
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Transfer-Encoding") or not length.isdigit():
            self.close_connection = True
            raise OtgError(["Content-Length: name the body's length in bytes"], 411)
        if int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            raise OtgError(
                [f"the request has {length} bytes; up to {BODY_BYTES_MAX} are read"], 413
            )
        return self.rfile.read(int(length))

    def _check_host(self) -> None:
        """A web page of others can give its name our address, but not our name to its requests."""
        host = re.sub(r":[0-9]+$", "", self.headers.get("Host", "localhost"))
        assert isinstance(self.server, ThreadingHTTPServer)
        listens = str(self.server.server_name)
        if _LOOPBACK.fullmatch(listens) and not _LOOPBACK.fullmatch(host):
            raise OtgError([f"Host: got {host}; the server is for this host alone"], 403)

    def _answer(self, body: bytes) -> dict[str, Any] | str:
        path = self.path.partition("?")[0]
        answer = self.routes.get((self.command, path))
        if answer is None:
            why = _UNSUPPORTED.get((self.command, path))
            allowed = [method for method, known in self.routes if known == path]
            if why is None and allowed:
                raise OtgError(
                    [f"{self.command} {path}: is not known; {path} has {', '.join(allowed)}"],
                    _NOT_ALLOWED,
                )
            known = ", ".join(f"{method} {known}" for method, known in self.routes)
            raise OtgError(
                [f"{self.command} {path}: {why or f'is not known; known are {known}'}"],
                400 if why else 404,
            )
        if self.command != "POST":
            return answer(None)
        # A web page can send forms to other hosts, loopback too, but no JSON unless it is let.
        kind = self.headers.get_content_type()
        if kind != "application/json":
            raise OtgError([f"Content-Type: got {kind}; send application/json"], 415)
        try:
            document = json.loads(body or b"{}")
        except (ValueError, RecursionError) as error:
            raise OtgError([f"the request is not valid JSON: {error}"]) from error
        return answer(document)

    def _send(self, code: int, answer: dict[str, Any] | str) -> None:
        text = answer if isinstance(answer, str) else json_text(answer)
        body = text.encode()
        self.send_response(code)
        kind = "text/plain; charset=utf-8" if isinstance(answer, str) else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if code == _NOT_ALLOWED:
            path = self.path.partition("?")[0]
            allowed = [method for method, known in self.routes if known == path]
            self.send_header("Allow", ", ".join(allowed))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        logging.getLogger(__name__).info("%s %s", self.address_string(), format % args)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self) -> None:
        """Without the look-up of our name, which takes its time where no name server is."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news; the standard library prints a traceback."""
        logging.getLogger(__name__).info("%s: the connection broke", client_address)


class _Server6(_Server):
    address_family = socket.AF_INET6


def open_server(session: Session, bind: str, port: int) -> ThreadingHTTPServer:
    """A server that listens; `port` 0 takes any. Raises InputError when it can't."""
    handler = type("Handler", (_Handler,), {"routes": routes(session)})
    try:
        return (_Server6 if ":" in bind else _Server)((bind, port), handler)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"can't listen: {reason}", f"--bind {bind} --port {port}") from error


def serve(server: ThreadingHTTPServer, session: Session) -> None:
    """Answers requests until it is interrupted; then ends the generator and closes the port."""
    try:
        server.serve_forever(poll_interval=0.2)
    finally:
        try:
            session.close()
        finally:
            server.server_close()
