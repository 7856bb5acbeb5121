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
from planecast.errors import RunError
from planecast.explore.server import Listening, application
from planecast.explore.session import Session
from planecast.results import Estimate, RunDirectory
from planecast.results.store import CALIBRATION
from planecast.scenario import Scenario, with_overrides
from row import Row, row

GOAL_MS = 50.0
"""Of what follows a slider."""
TIMED_GOAL_MS = 1000.0
"""Of the simulator's loss and latency."""
MACHINES = ("gold-6230n", "platinum-8180")

Json = dict[str, object]
QUESTIONS: tuple[tuple[str, str, Json, int, float], ...] = (
    ("an answer", "answer", {}, 60, GOAL_MS),
    ("two other machines", "machines", {"machines": list(MACHINES)}, 60, len(MACHINES) * GOAL_MS),
    ("a curve", "curve", {"key": "placement.burst"}, 60, GOAL_MS),
    (
        "a heat map",
        "heat",
        {"across": "traffic.flows", "up": "placement.burst"},
        40,
        GOAL_MS,
    ),
    ("loss and latency", "timed", {"load": 0.8}, 20, TIMED_GOAL_MS),
)
"""What is asked, how often, and how long it may take in the median."""


def explore_answers() -> list[Row]:
    """One moved slider: the answer with cycles by stage and cause, the figures that follow it, and
    what the simulator adds."""
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
                _timed(f"explore, {name}", listening.address + f"api/{question}", body, count, goal)
                for name, question, body, count, goal in QUESTIONS
            ]
        finally:
            server.should_exit = True
            thread.join()


def _timed(name: str, address: str, body: Json, count: int, goal_ms: float) -> Row:
    found = []
    for number in range(count + 1):  # the first one loads what is needed
        changes = {"traffic.flows": 1024 + number}
        data = json.dumps({"changes": changes, **body}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(address, data, headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        began = time.perf_counter()
        with opener.open(request, timeout=60) as answer:
            said = json.load(answer).get("refused")
            if isinstance(said, str):  # figures list why some of their values have no answer
                raise RunError(said, name)
        found.append(1e3 * (time.perf_counter() - began))
    ends = np.percentile(found[1:], [2.5, 97.5])
    took = Estimate(
        value=median(found[1:]),
        low=float(ends[0]),
        high=float(ends[1]),
        samples=count,
        unit="ms",
        kind="measured",
    )
    return row(name, took, None, "ms, median and 95 % of the answers", goal_ms)
