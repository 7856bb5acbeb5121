"""macswap and l2bridge, packets in and out by pcap files: the right bytes at the right ports."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw
from tests.dataplane.conftest import DataPlane, read_pcap, write_pcap

pytestmark = pytest.mark.live

BROADCAST = "ff:ff:ff:ff:ff:ff"
MACSWAP = {"function": "macswap"}


def mac(number: int) -> str:
    """Address of a station."""
    return "02:" + ":".join(f"{byte:02x}" for byte in struct.pack(">BI", 0, number))


def frame(to: str, source: str, layer: Packet | None = None, size: int = 60) -> bytes:
    packet = bytes(
        Ether(dst=to, src=source)
        / (layer or IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=7, dport=9))
    )
    return packet.ljust(size, b"\x5a")


def swapped(before: bytes) -> bytes:
    """By Scapy's eyes."""
    packet = Ether(before)
    packet.dst, packet.src = packet.src, packet.dst
    return bytes(packet)


def test_macswap_swaps_the_addresses_of_any_frame(forward: Callable) -> None:
    sent = [
        frame(mac(1), mac(2)),
        frame(BROADCAST, mac(3), ARP()),
        frame("01:00:5e:01:02:03", mac(4), Dot1Q(vlan=5) / IP() / UDP(), size=1514),
        frame(mac(5), mac(6), Raw(b"\0\0" + bytes(range(200)))),
        frame(mac(7), mac(8), Raw(b""), size=14)[:14],
        frame(mac(7), mac(8), Raw(b"\x01"), size=15)[:15],
        frame(mac(7), mac(8), Raw(b"\x01\x02"), size=16)[:16],
    ]
    done = forward(sent, pipeline=MACSWAP)
    assert done.drops == {}
    assert done.frames == [swapped(before) for before in sent]


@pytest.mark.parametrize("size", [1, 6, 12, 13])
def test_macswap_drops_what_has_no_header(forward: Callable, size: int) -> None:
    good = [frame(mac(i), mac(100 + i)) for i in range(40)]
    done = forward([*good[:9], good[0][:size], *good[9:]], pipeline=MACSWAP)
    assert done.drops == {"header": 1}
    assert done.frames == [swapped(before) for before in good]


@pytest.mark.parametrize("burst", [1, 3, 4, 31, 32, 33, 256])
def test_macswap_in_bursts_of_any_size(forward: Callable, burst: int) -> None:
    sent = [frame(mac(i), mac(1000 + i), size=60 + i) for i in range(150)]
    done = forward(sent, pipeline=MACSWAP | {"burst": burst})
    assert done.frames == [swapped(before) for before in sent]


def test_l2patch_changes_nothing(forward: Callable) -> None:
    sent = [frame(mac(1), mac(2)), b"\x00", frame(BROADCAST, BROADCAST, size=9000)]
    done = forward(sent, pipeline={"function": "l2patch"})
    assert done.drops == {}
    assert done.frames == sent


@dataclass(frozen=True)
class Bridged:
    """What came out of a bridge."""

    answer: dict[str, Any]
    ports: list[list[bytes]]
    """Frames by port."""

    @property
    def drops(self) -> dict[str, int]:
        """The causes that dropped anything."""
        return {cause: count for cause, count in self.answer["drops"].items() if count}


@pytest.fixture
def bridge(dataplane: DataPlane) -> Callable[..., Bridged]:
    """Sends frames through a bridge with a pcap file in and out at every port.

    The ports take turns frame by frame: the first of port 0, the first of port 1 ...
    """

    def run(sent: Sequence[Sequence[bytes]], **sections: dict[str, object]) -> Bridged:
        eal: list[str] = []
        for port, frames in enumerate(sent):
            into, out = (dataplane.folder / f"{way}{port}.pcap" for way in ("in", "out"))
            write_pcap(into, frames)
            eal += ["--vdev", f"net_pcap{port},rx_pcap={into},tx_pcap={out}"]
        ports = ",".join(str(port) for port in range(len(sent)))
        pipeline = {"function": "l2bridge", "burst": 1} | sections.pop("pipeline", {})
        config = dataplane.config(
            pipeline=pipeline,
            ports={"rx": ports, "tx": ports},
            pool={"mbufs": 16384},
            **sections,
        )
        count = sum(len(frames) for frames in sent)
        done = dataplane.run(config, "--packets", str(count), "--seconds", "5", "--", *eal)
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert answer["conserved"]
        assert answer["packets_in"] == count
        found = [list(read_pcap(dataplane.folder / f"out{port}.pcap")) for port in range(len(sent))]
        assert answer["packets_out"] == sum(len(frames) for frames in found)
        return Bridged(answer, found)

    return run


def test_an_unknown_destination_floods_and_a_known_one_does_not(bridge: Callable) -> None:
    ask = frame(mac(2), mac(1))
    reply = frame(mac(1), mac(2), size=100)
    again = frame(mac(2), mac(1), size=200)
    other = frame(mac(1), mac(9), size=300)
    done = bridge([[ask, again], [reply], [other]])
    assert done.ports == [[reply, other], [ask, again], [ask]]
    assert done.drops == {}
    assert done.answer["copies"] == 1


@pytest.mark.parametrize("to", [BROADCAST, "01:00:5e:7f:ff:fa", "33:33:00:00:00:01"])
def test_groups_go_to_all_other_ports(bridge: Callable, to: str) -> None:
    sent = frame(to, mac(1), size=1514)
    done = bridge([[], [sent], [], []])
    assert done.ports == [[sent], [], [sent], [sent]]
    assert done.answer["copies"] == 2


def test_a_station_moves(bridge: Callable) -> None:
    here, there = frame(BROADCAST, mac(1)), frame(BROADCAST, mac(1), size=70)
    first, second = frame(mac(1), mac(3), size=80), frame(mac(1), mac(3), size=90)
    done = bridge([[here], [frame(BROADCAST, mac(2)), there], [first, second]])
    assert first in done.ports[0]
    assert first not in done.ports[1]
    assert second in done.ports[1]
    assert second not in done.ports[0]


def test_what_would_go_back_is_filtered(bridge: Callable) -> None:
    done = bridge([[frame(BROADCAST, mac(1)), frame(mac(1), mac(2))], []])
    assert done.drops == {"filtered": 1}
    assert len(done.ports[1]) == 1


def test_what_is_for_its_link_only_stays_there(bridge: Callable) -> None:
    done = bridge([[frame(f"01:80:c2:00:00:{i:02x}", mac(1)) for i in range(17)], []])
    assert done.drops == {"filtered": 16}
    assert [Ether(found).dst for found in done.ports[1]] == ["01:80:c2:00:00:10"]


@pytest.mark.parametrize("source", [BROADCAST, "01:00:5e:00:00:01", "00:00:00:00:00:00"])
def test_a_source_that_is_no_station(bridge: Callable, source: str) -> None:
    good = frame(mac(2), mac(1))
    done = bridge([[frame(mac(2), source), good], []])
    assert done.drops == {"header": 1}
    assert done.ports == [[], [good]]


def test_runts(bridge: Callable) -> None:
    good = frame(mac(2), mac(1))
    done = bridge([[good[:13], good, good[:1], good[:14]], []], pipeline={"burst": 32})
    assert done.drops == {"header": 2}
    assert done.ports == [[], [good, good[:14]]]


def test_a_silent_station_is_forgotten(dataplane: DataPlane) -> None:
    """What is sent to it goes to its port, and after its ageing time to every other."""
    hello = frame(BROADCAST, mac(1))
    soon, late = frame(mac(1), mac(2)), frame(mac(1), mac(2), size=80)
    outs = [dataplane.folder / f"out{port}.pcap" for port in range(3)]
    eal: list[str] = []
    for port, frames in enumerate([[hello], [soon, late], []]):
        into = dataplane.folder / f"in{port}.pcap"
        write_pcap(into, frames)
        eal += ["--vdev", f"net_pcap{port},rx_pcap={into},tx_pcap={outs[port]}"]
    with dataplane.control(
        *eal,
        pipeline={"function": "l2bridge", "burst": 1},
        tables={"bridge_entries": 64, "ageing_s": 1},
        ports={"rx": "0,1,2", "tx": "0,1,2"},
        pool={"mbufs": 16384},
    ) as control:
        first = control.ask("trial packets=2 seconds=5")
        time.sleep(1.5)  # a second, an eighth of it, and the machine's own business
        second = control.ask("trial packets=1 seconds=5")
        assert control.end() == 0
    assert (first["packets_in"], second["packets_in"]) == (2, 1)
    assert first["conserved"]
    assert second["conserved"]
    assert [list(read_pcap(out)) for out in outs] == [[soon, late], [hello], [hello, late]]


def test_a_full_table_floods(bridge: Callable) -> None:
    """The last stations found no place: what is sent to them goes to every port."""
    stations = [frame(BROADCAST, mac(100 + i)) for i in range(20)]
    replies = [frame(mac(100 + i), mac(1), size=99 + i) for i in range(20)]
    done = bridge([stations, replies, []], tables={"bridge_entries": 10}, pipeline={"burst": 32})
    assert done.drops == {}
    # Within a burst, what floods goes before the rest: order is kept by destination.
    assert done.ports == [replies[10:] + replies[:10], stations, stations + replies[10:]]


def test_every_size_of_burst_forwards_the_same(bridge: Callable) -> None:
    there = [frame(mac(i % 40), mac(50 + i % 45), size=60 + i) for i in range(200)]
    back = [frame(mac(50 + i % 45), mac(i % 40), size=60 + i) for i in range(200)]
    for burst in (1, 7, 32, 64, 256):
        done = bridge([there, back], pipeline={"burst": burst})
        assert done.drops == {}
        assert done.ports == [back, there]


def test_a_bridge_needs_two_ports(dataplane: DataPlane) -> None:
    done = dataplane.run(dataplane.config(pipeline={"function": "l2bridge"}), "--packets", "9")
    assert done.returncode == 2
    assert "function: a bridge takes two ports or more" in done.stderr


def test_two_ports_in_the_process(dataplane: DataPlane) -> None:
    """What the source sends to a station at the other port goes there; nothing floods or drops."""
    ports = {"rx": "internal,internal", "tx": "internal,internal"}
    answer = dataplane.once("--packets", "64000", pipeline={"function": "l2bridge"}, ports=ports)
    assert answer["packets_out"] == answer["packets_in"] >= 64000
    assert answer["copies"] == 0


def test_no_stages_make_a_patch_of_a_bridge(dataplane: DataPlane) -> None:
    ports = {"rx": "internal,internal", "tx": "internal,internal"}
    for stages in ("none", "learn"):
        answer = dataplane.once(
            "--packets", "640", pipeline={"function": "l2bridge", "stages": stages}, ports=ports
        )
        assert answer["packets_out"] == answer["packets_in"]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two CPUs are needed")
@pytest.mark.parametrize("cuts", ["none", "forward", "tx"])
def test_lcores_share_the_table(dataplane: DataPlane, cuts: str) -> None:
    cpus = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:2])
    answer = dataplane.once(
        "--packets",
        "64000",
        pipeline={"function": "l2bridge", "cuts": cuts},
        ports={"rx": "internal,internal", "tx": "internal,internal"},
        machine={"lcores": cpus},
    )
    assert answer["drops"] == dict.fromkeys(answer["drops"], 0)


def test_counters_of_each_port(dataplane: DataPlane, telemetry: Callable[..., Any]) -> None:
    with dataplane.control(
        pipeline={"function": "l2bridge"},
        machine={"telemetry": "on"},
        tables={"bridge_entries": 100},
        traffic={"flows": 64},
        ports={"rx": "internal,internal", "tx": "internal,internal"},
    ) as control:
        trial = control.ask("trial packets=6400")
        found = telemetry(control.ready["telemetry"], "/planecast/bridge")[0]["/planecast/bridge"]
    assert (found["capacity"], found["stations"]) == (100, 100)
    learned = [found[f"port_{port}"]["learned"] for port in (0, 1)]
    assert learned == [64, 36]
    assert found["port_1"]["table_full"] > 28  # of each packet whose source found no place
    assert found["port_0"]["flooded_unknown"] > 0  # to those
    assert found["port_1"]["flooded_unknown"] == 0
    assert trial["packets_out"] == trial["packets_in"]
    for port in ("port_0", "port_1"):
        assert (found[port]["moved"], found[port]["aged"]) == (0, 0)
