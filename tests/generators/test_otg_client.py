"""The OTG client, against our own server with a generator that behaves as the test says."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from planecast.errors import InputError, MissingError, RunError
from planecast.generators.load import LoadGenerator, ServerPlan
from planecast.generators.otg import Resources, Session, serve
from planecast.generators.otg.server import open_server
from planecast.generators.otg_client import OtgGenerator
from planecast.scenario.dataplanes.packets import Packets


@pytest.fixture
def server(fake: Any) -> Iterator[str]:
    """Where our server listens."""
    session = Session(Resources(lcores=(1,), main_cpu=0))
    made = open_server(session, "127.0.0.1", 0)
    thread = threading.Thread(target=serve, args=(made, session))
    thread.start()
    yield f"http://127.0.0.1:{made.server_address[1]}"
    made.shutdown()
    thread.join(60)
    assert not thread.is_alive()


def plan(server: str, tx: str = "net_ring0", rx: str = "net_ring1") -> ServerPlan:
    return ServerPlan(server, tx, rx, frame_bytes=64, flows=100, packets=Packets(), drain_s=0.001)


def trial(generator: LoadGenerator, pps: float, seconds: float) -> dict[str, Any]:
    generator.prepare(pps, seconds)
    generator.start(seconds=seconds, keys={"rate": f"{pps:.0f}"})
    return generator.wait()


def test_trials_are_what_the_server_counted(server: str, fake: Any) -> None:
    with OtgGenerator(plan(server)) as generator:
        first = trial(generator, 1e6, 0.001)
        fake.way(lost=0)
        second = trial(generator, 3e6, 0.002)
    for answer, packets in ((first, 1000), (second, 6000)):
        total = answer["total"]
        assert (total["asked"], total["sent"], total["unsent"]) == (packets, packets, 0)
        assert (total["received"], total["lost"]) == (packets, 0)
        assert total["latency_ns"] == {"mean": 20.5}
        assert not answer["running"]
        assert answer["drain_ms"]["took"] == 1.0
    # The second differs in rate and length alone: the process stayed, and was notified.
    assert len(fake.pids()) == 1
    starts = [line for line in fake.log() if line.startswith("start ") and "=" in line]
    assert starts == ["start 00.rate=3000000 00.packets=6000"]


def test_another_configuration_is_another_process(server: str, fake: Any) -> None:
    with OtgGenerator(plan(server)) as generator:
        trial(generator, 1e6, 0.001)
    with OtgGenerator(plan(server, rx="net_ring0")) as generator:
        trial(generator, 1e6, 0.001)
    assert len(fake.pids()) == 2


def test_one_that_died_is_started_again(server: str, fake: Any) -> None:
    with OtgGenerator(plan(server)) as generator:
        trial(generator, 1e6, 0.001)
        os.kill(fake.pids()[0], signal.SIGKILL)
        assert trial(generator, 2e6, 0.001)["total"]["sent"] == 2000
    assert len(fake.pids()) == 2


def test_what_the_server_refuses_is_bad_input(server: str) -> None:
    with (
        OtgGenerator(plan(server, tx="eth0")) as generator,
        pytest.raises(InputError, match=r"refuses it: ports\[0\].location: got 'eth0'"),
    ):
        trial(generator, 1e6, 0.001)


def test_a_generator_that_fails_is_a_sentence(server: str, fake: Any) -> None:
    fake.way(dies_at="start", code=1, says="port 0: not started")
    with (
        OtgGenerator(plan(server)) as generator,
        pytest.raises(RunError, match=r"OTG server failed: .*port 0: not started"),
    ):
        trial(generator, 1e6, 0.001)


def test_nobody_there_is_a_sentence() -> None:
    with socket.socket() as taken:  # and nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(
                RunError, match=r"does not answer: Connection refused.*generator\.server"
            ),
            OtgGenerator(plan(address)),
        ):
            pass


def test_without_snappi_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "snappi", None)
    with (
        pytest.raises(MissingError, match=r"pip install 'planecast\[otg\]'"),
        OtgGenerator(plan("http://127.0.0.1:1")),
    ):
        pass
