"""DPDK's telemetry socket, with a program of the test's at its other end."""

from __future__ import annotations

import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from planecast.errors import RunError
from planecast.instruments.dpdk_telemetry import ask, port_counters, started_ports

ANSWERS = {
    "/ethdev/list": [0, 2],
    "/ethdev/info,0": {"dev_started": 1},
    "/ethdev/info,2": {"dev_started": 0},
    "/ethdev/stats": {"ipackets": 12, "opackets": 11, "imissed": 1, "q_ipackets": [12]},
}


@pytest.fixture
def path() -> Iterator[Path]:
    """A socket of packets that greets and answers as DPDK does."""
    with tempfile.TemporaryDirectory(prefix="planecast-test-") as folder:
        place = Path(folder) / "dpdk_telemetry.v2"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.bind(str(place))
            server.listen()
            thread = threading.Thread(target=_serve, args=(server,), daemon=True)
            thread.start()
            yield place
            server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def _serve(server: socket.socket) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with client:
            client.send(json.dumps({"version": "DPDK 22.11", "max_output_len": 16384}).encode())
            while command := client.recv(1024).decode():
                name = command.partition(",")[0]
                answer = ANSWERS.get(command, ANSWERS.get(name))
                client.send(json.dumps({name: answer}).encode())


def test_every_port_is_reported(path: Path) -> None:
    assert port_counters(path) == {
        "port0.ipackets": 12, "port0.opackets": 11, "port0.imissed": 1,
        "port2.ipackets": 12, "port2.opackets": 11, "port2.imissed": 1,
    }  # fmt: skip
    assert ask(path, "/nothing") == [None]


def test_ports_that_are_started_are_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert started_ports(path) == 1
    monkeypatch.setitem(ANSWERS, "/ethdev/info,2", {})  # DPDK 20.11 doesn't say it
    assert started_ports(path) == 2


def test_nobody_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="telemetry does not answer"):
        port_counters(tmp_path / "none")
