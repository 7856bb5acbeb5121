"""Two processes with a memory interface between them: a peer that takes, forwards, is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from planecast.native import native_folder

pytestmark = pytest.mark.live


def memif(role: str, socket: Path, number: int = 0) -> tuple[str, str]:
    options = f"role={role},id={number},socket={socket},socket-abstract=no"
    return "--vdev", f"net_memif{number},{options}"


def test_one_sends_and_another_receives(generator: Any) -> None:
    socket = generator.folder / "memif.sock"
    streams = {"a": {"rate": "20kpps", "sizes": "imix", "headers": "qinq-ipv4"}}
    with (
        generator.control(*memif("server", socket), streams=streams, ports={"tx": "none"}) as taker,
        generator.control(*memif("client", socket), streams=streams, ports={"rx": "none"}) as giver,
    ):
        connect(giver)
        taker.ask("start seconds=60")
        sent = giver.run("packets=5000")["total"]
        assert (sent["sent"], sent["unsent"]) == (5000, 0)
        taken = taker.ask("stop")["total"]
        assert taken["received"] == 5000
        assert taken["received_bytes"] == sent["sent_bytes"]
        assert {taken[name] for name in ("lost", "duplicates", "corrupt", "reordered")} == {0}
        assert taken["latency_ns"]["min"] > 0
        assert giver.end() == taker.end() == 0
    assert not socket.exists()


def connect(giver: Any) -> None:
    """Waits until the peers know each other."""
    for _ in range(10):
        if giver.run("packets=1 give_up_ms=50 link_wait_ms=10000")["total"]["sent"] == 1:
            return
    raise AssertionError("the memory interface was not connected")


def test_a_killed_peer_is_told_and_another_takes_its_place(generator: Any) -> None:
    socket = generator.folder / "memif.sock"
    streams = {"a": {"rate": "20kpps"}}
    with (
        generator.control(*memif("server", socket), streams=streams, ports={"tx": "none"}) as taker,
        generator.control(*memif("client", socket), streams=streams, ports={"rx": "none"}) as giver,
    ):
        connect(giver)
        taker.ask("start seconds=60")
        giver.ask("start seconds=60 catch_up_us=1000 give_up_ms=200")
        time.sleep(0.5)
        taker.process.kill()
        taker.process.wait()
        answer = giver.ask("wait")
        assert answer["gave_up"]
        assert answer["limited_by"] == "port"
        assert answer["total"]["sent"] > 0
        assert answer["total"]["unsent"] == answer["total"]["asked"] - answer["total"]["sent"] > 0
        assert answer["seconds"] < 50
        socket.unlink()  # what was killed left it there
        with generator.control(
            *memif("server", socket), streams=streams, ports={"tx": "none"}
        ) as another:
            connect(giver)
            another.ask("start seconds=60")
            assert giver.run("packets=100")["total"]["sent"] == 100
            assert another.ask("stop")["total"]["received"] == 100
        assert giver.end() == 0


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_through_the_data_plane(generator: Any) -> None:
    """Tags become labels on the way; what is ours is known again."""
    dataplane = native_folder() / "planecast-dataplane"
    if not os.access(dataplane, os.X_OK):
        pytest.skip("planecast-dataplane is not built")
    socket = generator.folder / "memif.sock"
    cpus = sorted(os.sched_getaffinity(0))
    config = generator.folder / "dataplane.ini"
    config.write_text(
        "[tables]\nacl_rules = 64\nflows = 64\nroutes = 64\n[traffic]\nflows = 64\n"
        "[ports]\nrx = 0\ntx = 0\n[pool]\nmbufs = 4096\n"
        f"[machine]\nlcores = {cpus[0]}\nmain_cpu = {cpus[0]}\n"
    )
    stream = {
        "headers": "qinq-ipv4",
        "flows": 64,
        "inner_vlan_step": 1,
        "source_ip": "0.0.0.0",
        "destination_ip": "0.0.0.0",
        "destination_ip_step": "0.4.0.0",
        "destination_port": 80,
        "rate": "10kpps",
    }
    process = subprocess.Popen(
        [dataplane, config, "--seconds", "120", "--", *memif("server", socket)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        with generator.control(*memif("client", socket), streams={"a": stream}) as control:
            connect(control)
            answer = control.run("packets=3000")
            total = answer["total"]
            assert (total["sent"], total["unsent"]) == (3000, 0)
            assert total["received"] == 3000, answer
            assert (
                total["lost"] == total["corrupt"] == total["duplicates"] == answer["foreign"] == 0
            )
            assert total["latency_ns"]["min"] > 0
            assert control.end() == 0
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
