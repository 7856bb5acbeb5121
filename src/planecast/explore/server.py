"""The page's server: static files and questions as JSON, on the loopback address."""

from __future__ import annotations

import errno
import json
import logging
import re
import secrets
import socket
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from planecast.errors import InputError, PlanecastError
from planecast.explore.guard import Guard
from planecast.explore.questions import QUESTIONS
from planecast.explore.session import Session

LOOPBACK = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
_BODY_BYTES = 256 << 10
_PARTING_S = 1
"""Seconds that requests have to end after Ctrl-C."""

_SET = re.compile(r"--(?:set|vary) ([a-z0-9_.]+)")

_log = logging.getLogger(__name__)

Ask = Callable[[Session, dict[str, Any]], dict[str, Any]]
Endpoint = Callable[[Request], Awaitable[Response]]


def application(session: Session, token: str, port: int) -> ASGIApp:
    """The application at ``http://127.0.0.1:port/token/``."""
    routes = [
        Route("/", _page),
        *(
            Route(f"/api/{name}", _endpoint(session, ask), methods=["POST"])
            for name, ask in QUESTIONS.items()
        ),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Guard(Starlette(routes=routes), token, port)


async def _page(_: Request) -> Response:
    return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8")


def _endpoint(session: Session, ask: Ask) -> Endpoint:
    async def answer(request: Request) -> Response:
        # A form of another page can't have this type without asking first.
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return _refusal("send application/json", 415)
        try:
            body = await _body(request)
        except InputError as error:
            return _refusal(str(error), 400)
        return await run_in_threadpool(_answered, session, ask, body)

    return answer


async def _body(request: Request) -> dict[str, Any]:
    found = b""
    async for part in request.stream():
        found += part
        if len(found) > _BODY_BYTES:
            raise InputError(f"more than {_BODY_BYTES} bytes were sent")
    try:
        body = json.loads(found or b"{}")
    except (ValueError, RecursionError):
        raise InputError("the request is no JSON") from None
    if not isinstance(body, dict):
        raise InputError("the request is no JSON object")
    return body


def _answered(session: Session, ask: Ask, body: dict[str, Any]) -> Response:
    """The answer, or the sentence why there is none: a setting that can't be is no failure of the
    request, so both are 200."""
    try:
        return JSONResponse(ask(session, body))
    except PlanecastError as error:
        return _refusal(_sentence(error), 200)
    except Exception as error:  # noqa: BLE001  the page gets a sentence, whatever happens
        _log.info("%s", traceback.format_exc())
        return _refusal(f"{type(error).__name__}: {error}; this is a mistake in planecast", 500)


def _sentence(error: PlanecastError) -> str:
    """What is wrong and what to do; of an option that nobody typed here the key alone."""
    keys = _SET.findall(error.where)
    where = error.where
    if where.startswith("--"):
        where = keys[0] if len(keys) == 1 and not error.what.startswith(keys[0]) else ""
    return str(type(error)(error.what, where, error.what_to_do))


def _refusal(sentence: str, code: int) -> Response:
    return JSONResponse({"refused": sentence}, status_code=code)


class Listening:
    """A socket that listens, and the address with a token that a browser opens."""

    def __init__(self, port: int) -> None:
        """`port` 0 takes any. Raises InputError for one that is taken."""
        try:
            self.socket = socket.create_server((LOOPBACK, port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            what = "another program listens there" if taken else f"can't listen: {error.strerror}"
            raise InputError(what, f"--port {port}", "name another port, or none") from None
        # Else an answer's body waits for the browser to confirm its head: 40 ms. asyncio sets it
        # for sockets whose protocol is named alone; connections have it from here.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port = int(self.socket.getsockname()[1])
        self.token = secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """What a browser opens."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"


def serve(session: Session, listening: Listening) -> None:
    """Answers until Ctrl-C or SIGTERM, which it passes on when all is closed."""
    import uvicorn

    config = uvicorn.Config(
        application(session, listening.token, listening.port),
        http="h11",
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_PARTING_S,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening.socket])
    finally:
        session.measuring.stop()
