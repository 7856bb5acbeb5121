"""How long `planecast explore` takes for an answer, over HTTP as the browser asks: milliseconds."""

from __future__ import annotations

import json
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from statistics import median

import numpy as np
import uvicorn

from closed_form import calibration
from planecast.explore.server import Listening, application
from planecast.explore.session import Session
from planecast.results import Estimate, RunDirectory
from planecast.results.store import CALIBRATION
from planecast.scenario import Scenario, with_overrides
from row import Row, row

ANSWERS = 60
GOAL_MS = 50.0


def explore_answers() -> list[Row]:
    """One moved slider: the answer with cycles by stage and cause, and a curve over 48 values."""
    with tempfile.TemporaryDirectory() as folder:
        with RunDirectory.create(Path(folder), "calibrate", "bench") as run:
            run.write_json(CALIBRATION, calibration())
            run.write_result([])
        base = with_overrides(Scenario(name="bench"), {"workload.flows": 1 << 20})
        listening = Listening(0)
        app = application(Session(base, Path(folder)), listening.token, listening.port)
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening.socket]})
        thread.start()
        try:
            return [
                _timed("explore, an answer", listening.address, "answer", {}),
                _timed("explore, a curve", listening.address, "curve", {"key": "placement.burst"}),
            ]
        finally:
            server.should_exit = True
            thread.join()


def _timed(name: str, address: str, question: str, body: dict[str, object]) -> Row:
    found = []
    for number in range(ANSWERS + 1):  # the first one loads what is needed
        changes = {"traffic.flows": 1024 + number}
        data = json.dumps({"changes": changes, **body}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{address}api/{question}", data, headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        began = time.perf_counter()
        with opener.open(request, timeout=60) as answer:
            answer.read()
        found.append(1e3 * (time.perf_counter() - began))
    ends = np.percentile(found[1:], [2.5, 97.5])
    took = Estimate(
        value=median(found[1:]),
        low=float(ends[0]),
        high=float(ends[1]),
        samples=ANSWERS,
        unit="ms",
        kind="measured",
    )
    return row(name, took, None, "ms, median and 95 % of the answers", GOAL_MS)
