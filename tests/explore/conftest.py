"""A page's session over a calibration that is made up, and a client that asks its application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Message
from tests.calibrations import (
    POINTS,
    Counts,
    base,
    calibration,
    counts,
    hierarchy,
    manifest,
    measured,
)
from tests.chromium import browser

from planecast.explore.server import application
from planecast.explore.session import Session
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibration import Calibration
from planecast.results import Manifest, Result, RunDirectory
from planecast.results.store import CALIBRATION
from planecast.scenario import Scenario

__all__ = ["base", "browser", "calibration", "counts", "hierarchy", "manifest"]

TOKEN, PORT = "token-of-a-test", 4321

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def points(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> list[Result]:
    """What the calibration was fitted to."""
    return measured(POINTS, base, hierarchy, counts, manifest, noise=0.01)


@pytest.fixture
def root(tmp_path: Path, calibration: Calibration, points: list[Result]) -> Path:
    """A folder of runs with one calibration and its points."""
    runs = tmp_path / "runs"
    with RunDirectory.create(runs, "calibrate", "made-up") as run:
        run.write_json(CALIBRATION, calibration)
        run.write_result(points)
    return runs


@pytest.fixture
def session(root: Path, base: Scenario) -> Session:
    return Session(base, root)


@dataclass(frozen=True)
class Answer:
    """What the application answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    """Asks an application without a socket."""

    app: ASGIApp

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, b"", **headers)

    def post(self, path: str, body: bytes, **headers: str) -> Answer:
        return self.request("POST", path, body, **headers)

    def request(self, method: str, path: str, body: bytes, **headers: str) -> Answer:
        """One request; `headers` in place of the usual ones, with _ for -."""
        usual = {"host": f"127.0.0.1:{PORT}", "content-type": "application/json"}
        sent = {name.replace("_", "-"): value for name, value in (usual | headers).items()}
        said: list[Message] = []

        asked: list[bool] = []

        async def receive() -> Message:
            if asked:  # a client that stays says nothing more
                await asyncio.Event().wait()
            asked.append(True)
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            said.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        }
        asyncio.run(self.app(scope, receive, send))
        first = said[0]
        found = {name.decode().lower(): value.decode() for name, value in first["headers"]}
        whole = b"".join(message.get("body", b"") for message in said[1:])
        return Answer(first["status"], found, whole)


@pytest.fixture
def client(session: Session) -> Client:
    return Client(application(session, TOKEN, PORT))


@pytest.fixture
def ask(client: Client) -> Ask:
    """Asks a question as the page does: ``ask("answer", changes={...})``."""

    def asked(question: str, **body: Any) -> dict[str, Any]:
        answer = client.post(f"/{TOKEN}/api/{question}", json.dumps(body).encode())
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.json
        return found

    return asked
