"""Downstream half of the provider edge router: every byte it sends, every drop, every rate."""

from __future__ import annotations

import os
import signal
import struct
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw
from tests.dataplane.conftest import DataPlane
from tests.dataplane.routed import filled, resized, routed
from tests.programs import wait_until_it_forwards

pytestmark = pytest.mark.live

ETHERNET_BYTES, ROUTES = 14, 64
LOOKUPS = ["lpm", "hash"]
OVERHEAD_BYTES = 24
SLOW: dict[str, object] = {"tm_rate": 1_000_000, "tm_pipe_rate": 1_000_000}


def mixed(flow: int) -> int:
    """Wellons' lowbias32, which gives a flow its ports."""
    x = flow
    x = (x ^ x >> 16) * 0x7FEB352D & 0xFFFFFFFF
    x = (x ^ x >> 15) * 0x846CA68B & 0xFFFFFFFF
    return x ^ x >> 16


def addresses(flow: int) -> dict[str, Any]:
    """Addresses and ports of a flow of the profile: its lower 12 bits are the pipe."""
    ports = struct.pack("<I", (mixed(flow) & 0xFF03FF7F) | 0x0004)
    sport, dport = struct.unpack(">HH", ports)
    source = 1 << 28 | (flow & 0xFFF) << 16 | (flow >> 16) << 4 | (flow >> 12 & 0xF)
    destination = flow * 0x00040000 & 0xFFFFFFFF
    return {"src": dotted(source), "dst": dotted(destination), "ports": (sport, dport)}


def dotted(address: int) -> str:
    return ".".join(str(byte) for byte in address.to_bytes(4, "big"))


def frame(flow: int = 5, *, size: int = 64, dscp: int = 0, **changed: Any) -> bytes:
    """A frame of the profile, `size` bytes with its FCS."""
    fields = addresses(flow) | {"ttl": 64} | changed
    sport, dport = fields.pop("ports")
    headers = (
        Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01")
        / IP(tos=dscp << 2 | 1, **fields)
        / UDP(sport=sport, dport=dport)
    )
    return filled(headers, ETHERNET_BYTES + 28, size)


def queued(pipe: int, queue: int, **changed: Any) -> bytes:
    """A frame for one queue of one pipe."""
    return frame(src=dotted(1 << 28 | pipe << 16 | queue), **changed)


def down(lookup: str = "lpm", **tables: object) -> dict[str, dict[str, object]]:
    return {
        "pipeline": {"function": "vpe-downstream"},
        "tables": {"down_lookup": lookup} | tables,
    }


def check_forwarded(before: bytes, after: bytes) -> None:
    """What a provider edge router must have done, and nothing else."""
    assert len(after) == len(before) + 8
    route = struct.unpack_from(">I", before, ETHERNET_BYTES + 16)[0] >> 26
    addresses = b"\2\0\0\0\0" + bytes([route]) + b"\2\0\0\0\1\0"
    tags = struct.pack(">5H", 0x88A8, 1, 0x8100, 1 + route, 0x0800)
    assert after[: ETHERNET_BYTES + 8] == addresses + tags
    assert after[ETHERNET_BYTES + 8 :] == routed(before[ETHERNET_BYTES:])
    if before[ETHERNET_BYTES + 5] % 16 != 1:
        return  # by its identification, one packet in 16 is looked at by Scapy too: it takes long
    packet = Ether(after)
    assert packet.src == "02:00:00:00:01:00"
    assert packet.dst == f"02:00:00:00:00:{route:02x}"
    assert packet.type == 0x88A8
    outer, inner = packet[Dot1AD], packet[Dot1Q]
    assert (outer.vlan, outer.prio, outer.dei, outer.type) == (1, 0, 0, 0x8100)
    assert (inner.vlan, inner.prio, inner.dei, inner.type) == (1 + route, 0, 0, 0x0800)


def check_all(sent: list[bytes], got: list[bytes]) -> None:
    """The scheduler sends in an order of its own; by the end of the payload each is found."""
    payload = ETHERNET_BYTES + 20
    by_payload = {packet[payload + 8 :] + packet[-8:]: packet for packet in got}
    assert len(got) == len(sent)
    for before in sent:
        check_forwarded(before, by_payload[before[payload:] + before[-8:]])


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_a_good_packet(forward: Callable, lookup: str) -> None:
    before = frame()
    done = forward([before], **down(lookup))
    assert done.drops == {}
    check_forwarded(before, done.frames[0])


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_every_size_and_every_flow(forward: Callable, lookup: str) -> None:
    flows = [frame(flow) for flow in range(64)]
    sent = [
        resized(flows[size % 64], ETHERNET_BYTES, size, 2 + size % 254, 43 * size)
        for size in range(64, 1519)
    ]
    fast = {"tm_rate": 10**11, "tm_pipe_rate": 10**11, "tm_red": "off"}
    done = forward(sent, **down(lookup, **fast))
    assert done.drops == {}
    check_all(sent, done.frames)


def test_every_route(forward: Callable) -> None:
    sent = [frame(i, dst=f"{4 * i}.{i}.3.4", size=100 + i) for i in range(ROUTES)]
    done = forward(sent, **down())
    assert done.drops == {}
    check_all(sent, done.frames)


def patched(packet: bytes, offset: int, value: bytes) -> bytes:
    return packet[:offset] + value + packet[offset + len(value) :]


PLAIN = IP(src="16.0.0.1", dst="1.2.3.4") / UDP(sport=1024, dport=1) / Raw(bytes(40))
BAD_HEADERS = {
    "tagged": bytes(Ether() / Dot1Q(vlan=5) / PLAIN),
    "tagged twice": bytes(Ether() / Dot1AD() / Dot1Q(vlan=5) / PLAIN),
    "unknown type": patched(frame(), 12, b"\x88\xb5"),
    "ARP": bytes(Ether() / ARP() / Raw(bytes(20))),
    "IPv6": bytes(Ether() / IPv6() / UDP() / Raw(bytes(20))),
    "version 6": patched(frame(), ETHERNET_BYTES, b"\x65"),
    "options": bytes(
        Ether() / IP(src="16.0.0.1", options=[IPOption_Router_Alert()]) / UDP() / Raw(bytes(20))
    ),
    "wrong checksum": patched(frame(), ETHERNET_BYTES + 10, b"\x12\x34"),
    "one bit of the address flipped": patched(frame(), ETHERNET_BYTES + 12, b"\x11"),
    "cut in the Ethernet header": frame()[:13],
    "cut before the checksum": frame()[: ETHERNET_BYTES + 10],
    "cut in the IPv4 header": frame()[: ETHERNET_BYTES + 19],
    "one byte": b"\x02",
    "total length one beyond the frame": patched(frame(), ETHERNET_BYTES + 2, b"\x00\x2f"),
    "zeros": bytes(60),
    "ones": b"\xff" * 60,
}


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_bad_headers_drop_and_their_neighbours_continue(forward: Callable, lookup: str) -> None:
    good = [frame(i, size=64 + i) for i in range(len(BAD_HEADERS))]
    pairs = zip(good, BAD_HEADERS.values(), strict=True)
    done = forward([packet for pair in pairs for packet in pair], **down(lookup))
    assert done.drops == {"header": len(BAD_HEADERS)}
    check_all(good, done.frames)


def test_a_hash_needs_ports_and_a_prefix_does_not(forward: Callable) -> None:
    short = bytes(Ether(src="02:00:00:00:00:02") / IP(src="16.0.0.1", dst="8.0.0.0", ttl=9))
    done = forward([short], **down("lpm"))
    assert done.drops == {}
    check_forwarded(short, done.frames[0])
    assert forward([short], **down("hash")).drops == {"header": 1}


@pytest.mark.parametrize("layer", [TCP(dport=80), ICMP()], ids=["TCP", "ICMP"])
def test_any_protocol_has_a_prefix(forward: Callable, layer: Packet) -> None:
    before = bytes(Ether() / IP(src="16.0.0.1", dst="1.2.3.4") / layer / Raw(bytes(20)))
    done = forward([before], **down())
    assert done.drops == {}
    assert len(done.frames[0]) == len(before) + 8


@pytest.mark.parametrize(
    "changed",
    [{"src": "16.5.0.1"}, {"dst": "0.20.0.1"}, {"ports": (1024, 80)}, {"proto": 6}],
    ids=str,
)
def test_a_flow_that_the_table_has_not(forward: Callable, changed: dict[str, Any]) -> None:
    """Each field of the five-tuple counts; a prefix covers them all."""
    good = frame(1)
    done = forward([frame(5, **changed), good], **down("hash"))
    assert done.drops == {"route_miss": 1}
    check_forwarded(good, done.frames[0])
    assert forward([frame(5, **changed), good], **down("lpm")).drops == {}


@pytest.mark.parametrize("lookup", LOOKUPS)
@pytest.mark.parametrize("ttl", [0, 1])
def test_a_time_to_live_that_ends(forward: Callable, ttl: int, lookup: str) -> None:
    good = frame(1, ttl=2)
    done = forward([frame(ttl=ttl), good], **down(lookup))
    assert done.drops == {"ttl": 1}
    check_forwarded(good, done.frames[0])


def test_a_frame_beyond_the_mtu(forward: Callable) -> None:
    longest, good = frame(size=1518), frame(1)
    done = forward([frame(size=1519), longest, good, frame(size=9000)], **down())
    assert done.drops == {"oversize": 2}
    check_all([longest, good], done.frames)


@pytest.mark.parametrize("size", [1600, 2100, 4096, 9000])
def test_jumbo_frames(forward: Callable, size: int) -> None:
    """The MTU is that of the configured frames. A frame beyond a buffer is a chain of them."""
    before = frame(size=size)
    done = forward([before], traffic={"frame_bytes": 9000}, **down())
    assert done.drops == {}
    check_forwarded(before, done.frames[0])


def test_a_chain_of_buffers(forward: Callable) -> None:
    sent = [frame(size=size) for size in (2300, 4096, 9000)]
    done = forward(sent, pipeline={"function": "vpe-downstream", "stages": "downroute,qinq"})
    assert done.drops == {}
    for before, after in zip(sent, done.frames, strict=True):
        check_forwarded(before, after)


def test_stages_left_out(forward: Callable) -> None:
    before = frame(ttl=9)
    done = forward([before], pipeline={"function": "vpe-downstream", "stages": "downroute,tm"})
    assert len(done.frames[0]) == len(before)
    assert Ether(done.frames[0])[IP].ttl == 8
    done = forward([BAD_HEADERS["ARP"]], pipeline={"function": "vpe-downstream", "stages": "none"})
    assert done.frames == [BAD_HEADERS["ARP"]]


def test_drops_in_bursts_of_any_size(forward: Callable) -> None:
    sent = [frame(i % 64, size=64 + i, ttl=64 if i % 3 else 1) for i in range(300)]
    kept = [packet for i, packet in enumerate(sent) if i % 3]
    for burst in (1, 2, 5, 6, 7, 33, 64, 255, 256):
        done = forward(
            sent, tables={"tm_red": "off"}, pipeline={"function": "vpe-downstream", "burst": burst}
        )
        assert done.drops == {"ttl": 100}
        check_all(kept, done.frames)


def test_a_full_queue_drops(forward: Callable) -> None:
    """A megabyte a second is 10 packets a millisecond; 64 fit one queue, the others are counted."""
    sent = [queued(7, 3, size=100, id=i) for i in range(300)]
    done = forward(sent, **down(tm_red="off", **SLOW))
    held, out = done.answer["in_flight"], done.answer["packets_out"]
    assert done.drops == {"tm": 300 - out - held}
    assert 64 <= out + held < 300


def test_red_drops_before_a_queue_is_full(forward: Callable) -> None:
    """Red packets (AF13) have the lowest minimum; the average follows slowly."""
    burst = [queued(7, 3, size=100, dscp=14)] * 30000
    with_red = forward(burst, **down(tm_rate=10**6, tm_pipe_rate=10**6))
    assert with_red.drops["tm"] > 0
    assert with_red.answer["conserved"]


def test_a_class_goes_before_the_next(forward: Callable) -> None:
    """What waits in one pipe leaves class by class, whatever order it came in; the last class is a
    round robin of four queues."""
    sent = [queued(9, queue, size=200, id=i) for i in range(50) for queue in (13, 12, 11, 4, 0)]
    fast = {"tm_rate": 10**11, "tm_pipe_rate": 10**11, "tm_red": "off"}
    sections = down(**fast)
    sections["pipeline"]["burst"] = 256
    done = forward(sent, **sections)
    order = [int(Ether(packet)[IP].src.rsplit(".", 1)[1]) for packet in done.frames]
    assert order[:150] == [0] * 50 + [4] * 50 + [11] * 50
    assert Counter(order[150:]) == {12: 50, 13: 50}
    assert abs(Counter(order[150:200])[12] - 25) <= 1


@pytest.mark.parametrize("flows", [1, 8], ids=["one pipe", "eight pipes"])
def test_a_pipe_sends_no_more_than_its_rate(dataplane: DataPlane, flows: int) -> None:
    """A class's credits come again every 40 ms and are not saved up, so a process that is not let
    run sends less, never more: one period at the start, and 50 ms of draining at the end. One run
    of a few that was let run twice shows that they do come again."""
    rate, period_s = flows * 305_175, 0.04
    periods: list[float] = []
    while max(periods, default=0) < 3 and len(periods) < 5:
        answer = dataplane.once(
            "--seconds",
            "1",
            tables={"flows": 64},
            traffic={"flows": flows},
            pipeline={"function": "vpe-downstream"},
        )
        seconds = answer["lcores"][0]["windows"]["cycles"][0] / answer["tsc_hz"]
        sent_bytes = answer["packets_out"] * (68 + OVERHEAD_BYTES)
        assert answer["drops"]["tm"] > 0
        assert sent_bytes <= rate * (seconds + 0.05 + 2 * period_s)
        # A period's credits are not a whole number of packets: a little is left of each.
        periods.append(sent_bytes / (0.99 * rate * period_s))
    assert max(periods) >= 3, periods


def test_conserved_when_asked_to_stop(dataplane: DataPlane) -> None:
    """Every packet is out, dropped or in the scheduler, a signal in the midst or not."""
    sections = {"pipeline": {"function": "vpe-downstream"}, "traffic": {"flows": 64}}
    with dataplane.control(**sections) as control:
        first = control.ask("trial windows=4 packets=50000")
        control.say("trial windows=1 packets=1000000000000")
        wait_until_it_forwards(control.process)
        assert control.end(signal.SIGTERM) == 130
        second = control.answer()
    assert not first["interrupted"]
    assert second["interrupted"]
    for answer in (first, second):
        gone = answer["packets_out"] + sum(answer["drops"].values())
        assert answer["conserved"]
        assert answer["packets_in"] == gone + answer["in_flight"] > 0
        assert answer["drops"]["tm"] > 0


@pytest.mark.parametrize("function", ["vpe-downstream", "compute"])
def test_two_lcores(dataplane: DataPlane, function: str) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("one CPU")
    answer = dataplane.once(
        "--packets",
        "5000",
        tables={"flows": 65536},
        traffic={"flows": 65536},
        pipeline={"function": function},
        machine={"lcores": f"{cpus[0]},{cpus[1]}", "main_cpu": cpus[0]},
    )
    assert answer["packets_in"] >= 10000
    assert not any(answer["drops"].values())


def test_compute_forwards_every_packet(dataplane: DataPlane) -> None:
    # That each packet has an iteration of its own is shown by kernel_test.cpp.
    answer = dataplane.once("--packets", "320", pipeline={"function": "compute", "stage_clock": 1})
    assert answer["packets_out"] == answer["packets_in"] >= 320
    assert not any(answer["drops"].values())
    assert answer["lcores"][0]["windows"]["stage_cycles"]["compute"][0] > 0


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"down_lookup": "trie"}, "'trie' is not allowed; it takes lpm or hash"),
        ({"tm_rate": 1000000, "tm_pipe_rate": 1000001}, "more than the output's tm_rate"),
        ({"tm_pipe_rate": 39999}, "a whole number from 40000"),
    ],
    ids=str,
)
def test_what_the_scheduler_cannot_do(
    dataplane: DataPlane, tables: dict[str, object], words: str
) -> None:
    done = dataplane.run(
        dataplane.config(tables=tables, pipeline={"function": "vpe-downstream"}), "--packets", "1"
    )
    assert done.returncode == 2
    assert words in done.stderr


def test_a_rate_that_never_lets_the_longest_frame_through(dataplane: DataPlane) -> None:
    file = dataplane.config(
        tables={"tm_pipe_rate": 100000},
        traffic={"frame_bytes": 9000},
        pipeline={"function": "vpe-downstream"},
    )
    done = dataplane.run(file, "--packets", "1")
    assert done.returncode == 2
    assert "never let a frame of 9004 bytes through; it takes 225701 or more" in done.stderr
