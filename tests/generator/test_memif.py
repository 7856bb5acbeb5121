"""Two processes with a memory interface between them: a peer that takes, forwards, is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.dataplane.conftest import SMALL
from tests.generator.conftest import sent_beyond
from tests.programs import Sections, built, cpus, ini_text, memif, wait_until

pytestmark = pytest.mark.live


def end(role: str, socket: Path) -> tuple[str, str]:
    """EAL's words for one end of a memory interface."""
    return "--vdev", memif(role, socket)


@dataclass(frozen=True)
class Client:
    """Who is the client of a memory interface."""

    own: bool

    def control(self, generator: Any, socket: Path, streams: Sections) -> Any:
        """A generator that sends as a client: DPDK's driver, or its own."""
        port = f"memif:{socket}" if self.own else 0
        eal = () if self.own else end("client", socket)
        return generator.control(*eal, streams=streams, ports={"tx": port, "rx": "none"})


@pytest.fixture(params=[False, True], ids=["driver", "own"])
def client(request: pytest.FixtureRequest) -> Client:
    return Client(request.param)


def test_one_sends_and_another_receives(generator: Any, client: Client) -> None:
    socket = generator.folder / "memif.sock"
    streams = {"a": {"rate": "20kpps", "sizes": "imix", "headers": "qinq-ipv4"}}
    with (
        generator.control(*end("server", socket), streams=streams, ports={"tx": "none"}) as taker,
        client.control(generator, socket, streams) as giver,
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


def test_a_run_whose_peer_never_came_sends_nothing(generator: Any) -> None:
    """And ends: a search reports then that nothing came back."""
    streams = {"a": {"rate": "20kpps"}}
    ports = {side: f"memif:{generator.folder / side}.sock" for side in ("tx", "rx")}
    with generator.control(streams=streams, ports=ports, run={"link_wait_ms": 50}) as giver:
        answer = giver.run("seconds=0.02 give_up_ms=200")
        assert (answer["total"]["sent"], answer["total"]["received"]) == (0, 0)
        assert answer["total"]["unsent"] == answer["total"]["asked"] > 0
        assert giver.end() == 0


def test_frames_of_several_buffers(generator: Any) -> None:
    """9,000 bytes take five slots; DPDK's driver takes such frames, and sends none."""
    socket = generator.folder / "memif.sock"
    streams = {"a": {"rate": "10kpps", "sizes": "9000:1,64:2,2052:1"}}
    one = {"a": {"rate": "10kpps"}}
    with (
        generator.control(*end("server", socket), streams=one, ports={"tx": "none"}) as taker,
        Client(own=True).control(generator, socket, streams) as giver,
    ):
        connect(giver)
        taker.ask("start seconds=60")
        sent = giver.run("packets=3000")["total"]
        assert (sent["sent"], sent["unsent"]) == (3000, 0)
        taken = taker.ask("stop")["total"]
        assert taken["received"] == 3000
        assert taken["received_bytes"] == sent["sent_bytes"]
        assert taken["lost"] == taken["corrupt"] == 0


def test_both_directions_between_two_ports(generator: Any) -> None:
    """One process has both ends of a memory interface, as of a cable; each sends and receives."""
    socket = generator.folder / "memif.sock"
    streams = {
        "there": {"rate": "20kpps", "packets": 4000, "headers": "qinq-ipv4"},
        "back": {"rate": "10kpps", "packets": 2000, "sizes": 256, "direction": "reverse"},
    }
    answer = generator.once(
        eal=("--vdev", memif("server", socket), "--vdev", memif("client", socket, 1)),
        streams=streams,
        ports={"tx": 0, "rx": 1},
        run={"catch_up_us": 10_000_000, "link_wait_ms": 10_000},
    )
    there, back = answer["streams"]
    assert (there["sent"], there["received"], back["sent"], back["received"]) == (
        *(4000, 4000),
        *(2000, 2000),
    )
    assert answer["total"]["lost"] == answer["total"]["corrupt"] == answer["foreign"] == 0
    assert answer["spacing_error_ns"]["count"] == answer["total"]["sent"] == 6000
    assert min(there["latency_ns"]["min"], back["latency_ns"]["min"]) > 0


@pytest.mark.parametrize("own", [False, True], ids=["driver", "own"])
def test_two_lcores_with_both_ends_send_in_every_start(generator: Any, own: bool) -> None:
    """The lcore that sends may get its CPU late: a run's clock waits for it, start after start."""
    there = sorted(os.sched_getaffinity(0))
    if len(there) < 2:
        pytest.skip("two CPUs are needed")
    for start in range(7):
        socket = generator.folder / f"memif{start}.sock"
        client = () if own else ("--vdev", memif("client", socket, 1))
        answer = generator.once(
            *("--seconds", "0.02"),
            eal=(*end("server", socket), *client),
            streams={"a": {"rate": "100kpps"}},
            ports={"tx": f"memif:{socket}" if own else 1, "rx": 0},
            machine={"lcores": f"{there[-1]},{there[0]}"},
            run={"catch_up_us": 10_000_000, "link_wait_ms": 10_000},
        )
        total = answer["total"]
        assert total["sent"] == total["received"] + total["lost"] == 2000, start
        assert total["received"] > 0, start  # a stall of the lcore that receives may lose some


def test_what_comes_in_at_the_wrong_port_is_foreign(generator: Any) -> None:
    """Two rings: each gives back to its own port what was to come in at the other."""
    answer = generator.once(
        eal=("--vdev", "net_ring0", "--vdev", "net_ring1"),
        streams={
            "there": {"rate": "20kpps", "packets": 1000},
            "back": {"rate": "20kpps", "packets": 500, "direction": "reverse"},
        },
        ports={"tx": 0, "rx": 1},
        run={"catch_up_us": 10_000_000},
    )
    assert [stream["sent"] for stream in answer["streams"]] == [1000, 500]
    assert [stream["received"] for stream in answer["streams"]] == [0, 0]
    assert [stream["lost"] for stream in answer["streams"]] == [1000, 500]
    assert answer["foreign"] == 1500


def test_reverse_needs_two_ports(generator: Any) -> None:
    config = generator.config({"back": {"direction": "reverse"}})
    done = generator.run(config, "--", "--vdev", "net_ring0")
    assert done.returncode == 2
    assert "direction: 'reverse' needs two ports" in done.stderr


def connect(giver: Any) -> None:
    """Waits until the peers know each other."""
    for _ in range(10):
        if giver.run("packets=1 give_up_ms=50 link_wait_ms=10000")["total"]["sent"] == 1:
            return
    raise AssertionError("the memory interface was not connected")


def test_a_killed_peer_is_reported_and_another_takes_its_place(
    generator: Any, client: Client
) -> None:
    socket = generator.folder / "memif.sock"
    streams = {"a": {"rate": "20kpps"}}
    with (
        generator.control(*end("server", socket), streams=streams, ports={"tx": "none"}) as taker,
        client.control(generator, socket, streams) as giver,
    ):
        connect(giver)
        taker.ask("start seconds=60")
        giver.ask("start seconds=60 catch_up_us=1000 give_up_ms=200")
        sent_beyond(giver, 0)
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
            *end("server", socket), streams=streams, ports={"tx": "none"}
        ) as another:
            connect(giver)
            another.ask("start seconds=60")
            assert giver.run("packets=100")["total"]["sent"] == 100
            assert another.ask("stop")["total"]["received"] == 100
        assert giver.end() == 0


@contextmanager
def through_the_data_plane(
    generator: Any, client: Client, **sections: Mapping[str, object]
) -> Iterator[tuple[Any, subprocess.Popen[bytes]]]:
    """The generator's control, joined with ours, and ours."""
    dataplane = built("planecast-dataplane")
    socket = generator.folder / "memif.sock"
    config = generator.folder / "dataplane.ini"
    cpu = cpus()[0]  # not the generator's
    own: Sections = {"ports": {"rx": 0, "tx": 0}, "machine": {"lcores": cpu, "main_cpu": cpu}}
    config.write_text(ini_text(SMALL, own))
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
        [dataplane, config, "--seconds", "120", "--", *end("server", socket)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        wait_until(socket.exists, "the data plane listens")
        port = f"memif:{socket}"
        with (
            generator.control(streams={"a": stream}, ports={"tx": port, "rx": port}, **sections)
            if client.own
            else generator.control(*end("client", socket), streams={"a": stream}, **sections)
        ) as control:
            connect(control)
            yield control, process
            assert control.end() == 0
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_through_the_data_plane(generator: Any, client: Client) -> None:
    """Tags become labels on the way; what is ours is known again."""
    with through_the_data_plane(generator, client) as (control, _):
        for _ in range(3):  # next to other tests either side may pause for longer than its ring
            answer = control.run("packets=3000 drain_ms=1000")
            total = answer["total"]
            assert (total["sent"], total["unsent"]) == (3000, 0)
            if total["received"] == 3000:
                break
    assert total["received"] == 3000, answer
    assert total["lost"] == total["corrupt"] == total["duplicates"] == answer["foreign"] == 0
    assert total["latency_ns"]["min"] > 0


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_what_a_silent_data_plane_loses_is_distinguished(generator: Any, client: Client) -> None:
    """It is stopped for so long that its ring overflows: all that is refused is of that time."""
    if not client.own:
        pytest.skip("one client is enough")
    with through_the_data_plane(generator, client, run={"when_full": "drop"}) as (control, process):
        control.ask("start seconds=1 a.rate=500000 drain_ms=1000")
        time.sleep(0.2)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        process.send_signal(signal.SIGCONT)
        answer = control.ask("wait")
    silence, total = answer["silence"], answer["total"]
    assert silence["count"] >= 1
    assert silence["ns"] > 0
    assert 0 < silence["lost"] <= total["refused"]
