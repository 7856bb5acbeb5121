"""``planecast explore`` as a person starts and ends it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.conftest import Planecast

from planecast.errors import InputError
from planecast.explore.begin import session_of
from planecast.model.calibration import Calibration
from planecast.results import RunDirectory
from planecast.results.store import CALIBRATION

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]


@pytest.fixture
def runs(tmp_path: Path, calibration: Calibration) -> Path:
    with RunDirectory.create(tmp_path / "runs", "calibrate", "made-up") as run:
        run.write_json(CALIBRATION, calibration)
        run.write_result([])
    return tmp_path / "runs"


@pytest.fixture
def started(runs: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The program, and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "planecast.cli.app", "explore", "--runs", str(runs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")},
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def asked(address: str, path: str = "") -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address + path, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_it_serves_its_page_until_ctrl_c(started: tuple[subprocess.Popen[str], str]) -> None:
    process, address = started
    assert asked(address) == 200
    assert asked(address, "static/main.js") == 200
    assert asked(address.rsplit("/", 2)[0] + "/") == 403
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in complaints
    assert complaints.splitlines()[-1] == "planecast: interrupted"


def test_sigterm_ends_it_too(started: tuple[subprocess.Popen[str], str]) -> None:
    process, address = started
    assert asked(address) == 200
    process.terminate()
    _, complaints = process.communicate(timeout=60)
    assert process.returncode == 143
    assert complaints.splitlines()[-1] == "planecast: ended by SIGTERM"


def test_a_port_that_is_taken_is_one_sentence(planecast: Planecast, runs: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        busy = planecast("explore", "--port", str(port), "--no-browser")
    assert (busy.returncode, busy.stdout) == (2, "")
    assert busy.stderr == (
        f"planecast: --port {port}: another program listens there; name another port, or none\n"
    )


def test_a_page_without_an_answer_is_not_begun(tmp_path: Path, runs: Path) -> None:
    with pytest.raises(InputError, match="neither a scenario's file nor a run"):
        session_of("nothing.yaml", {}, None, runs)
    with pytest.raises(InputError, match="no run has a calibration"):
        session_of(None, {}, None, tmp_path / "none")
    with pytest.raises(InputError, match=r"did you mean traffic\.flows"):
        session_of(None, {"traffic.flow": 1}, None, runs)
    with pytest.raises(InputError, match="there is no result #1"):
        session_of("latest", {}, None, runs)
