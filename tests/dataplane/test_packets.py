"""Every byte that the data plane sends, read by Scapy, and every cause of a drop."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw
from tests.dataplane.routed import FCS_BYTES, filled, resized, routed

pytestmark = pytest.mark.live

L2_BYTES, FLOWS = 22, 64
AF11, AF12, AF13, AF33, EXPEDITED = 10, 12, 14, 30, 46
ROUTES = 64


def frame(
    flow: int = 5,
    *,
    size: int = 64,
    outer: type[Packet] = Dot1AD,
    dscp: int = 0,
    ports: tuple[int, int] = (1024, 80),
    inner_type: int | None = None,
    **ip: object,
) -> bytes:
    """A frame of the profile, `size` bytes with its FCS; Scapy computes lengths and checksums."""
    fields = {"src": "0.1.2.3", "dst": "10.20.30.40", "ttl": 64} | ip
    headers = (
        Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01")
        / outer(vlan=flow >> 12, prio=3)
        / (Dot1Q(vlan=flow & 0xFFF) if inner_type is None else Dot1Q(vlan=flow, type=inner_type))
        / IP(tos=dscp << 2 | 1, **fields)
        / UDP(sport=ports[0], dport=ports[1])
    )
    return filled(headers, len(headers) if "options" in ip else L2_BYTES + 28, size)


def route_of(destination: int) -> int:
    """64 routes split the address space evenly: the upper six bits."""
    return destination >> 26


def check_forwarded(before: bytes, after: bytes, exp: int = 0) -> None:
    """What a router must have done, and nothing else."""
    packet = Ether(after)
    assert len(after) == len(before)
    route = route_of(struct.unpack_from(">I", before, L2_BYTES + 16)[0])
    assert packet.type == 0x8847
    assert packet.src == "02:00:00:00:01:00"
    assert packet.dst == f"02:00:00:00:00:{route:02x}"
    outer, inner = packet[MPLS], packet[MPLS].payload
    assert (outer.label, outer.s, outer.cos) == (16 + route, 0, exp)
    assert (inner.label, inner.s, inner.cos) == (16 + (route ^ 0x5555), 1, exp)
    assert outer.ttl == inner.ttl == packet[IP].ttl == before[L2_BYTES + 8] - 1
    assert after[L2_BYTES:] == routed(before[L2_BYTES:])


def check_bytes(before: bytes, after: bytes) -> None:
    """The same without Scapy, which takes 1 ms a packet."""
    route = route_of(struct.unpack_from(">I", before, L2_BYTES + 16)[0])
    ttl = before[L2_BYTES + 8] - 1
    addresses = b"\2\0\0\0\0" + bytes([route]) + b"\2\0\0\0\1\0"
    outer, inner = (16 + route) << 12 | ttl, (16 + (route ^ 0x5555)) << 12 | 1 << 8 | ttl
    assert after[:L2_BYTES] == addresses + struct.pack(">HII", 0x8847, outer, inner)
    assert after[L2_BYTES:] == routed(before[L2_BYTES:])


def test_a_good_packet(forward: Callable) -> None:
    before = frame()
    done = forward([before])
    assert done.drops == {}
    check_forwarded(before, done.frames[0])


def test_every_size_and_every_route(forward: Callable) -> None:
    flows = [frame(flow) for flow in range(FLOWS)]
    sent = []
    for size in range(64, 1519):
        address = bytes([4 * (size % ROUTES), 0, size >> 8, size & 255])
        before = patched(flows[size % FLOWS], L2_BYTES + 16, address)
        sent.append(resized(before, L2_BYTES, size, 2 + size % 254, 43 * size))
    done = forward(sent)
    assert done.drops == {}
    for number, (before, after) in enumerate(zip(sent, done.frames, strict=True)):
        check_bytes(before, after)
        if number % 16 == 0:
            check_forwarded(before, after)


@pytest.mark.parametrize("configured", [64, 9000], ids=["segments", "one buffer"])
def test_jumbo_frames(forward: Callable, configured: int) -> None:
    """Also in buffers of 2 KB, where a frame of 9,000 bytes is a chain of them."""
    sent = [frame(size=size) for size in (2000, 2100, 4096, 9000)]
    done = forward(sent, traffic={"frame_bytes": configured})
    assert done.drops == {}
    for before, after in zip(sent, done.frames, strict=True):
        check_forwarded(before, after)


def test_double_vlan(forward: Callable) -> None:
    """0x8100 twice is what many switches send instead of 802.1ad."""
    before = frame(outer=Dot1Q)
    check_forwarded(before, forward([before]).frames[0])


def cut(packet: bytes, length: int) -> bytes:
    return packet[:length]


def patched(packet: bytes, offset: int, value: bytes) -> bytes:
    return packet[:offset] + value + packet[offset + len(value) :]


PLAIN = Ether() / IP(src="0.1.2.3", dst="1.2.3.4") / UDP(sport=1024, dport=1) / Raw(bytes(40))
BAD_HEADERS = {
    "no tag": bytes(PLAIN),
    "one tag": bytes(Ether() / Dot1Q(vlan=5) / PLAIN[IP]),
    "three tags": bytes(Ether() / Dot1AD() / Dot1Q() / Dot1Q(vlan=5) / PLAIN[IP]),
    "two service tags": bytes(Ether() / Dot1AD() / Dot1AD(vlan=5) / PLAIN[IP]),
    "outer 0x9100": patched(frame(), 12, b"\x91\x00"),
    "ARP": bytes(Ether() / Dot1AD() / Dot1Q(vlan=5) / ARP() / Raw(bytes(20))),
    "IPv6": bytes(Ether() / Dot1AD() / Dot1Q(vlan=5) / IPv6() / UDP() / Raw(bytes(20))),
    "MPLS": bytes(Ether(type=0x8847) / MPLS(label=16) / PLAIN[IP]),
    "version 6 in IPv4's place": patched(frame(), L2_BYTES, b"\x65"),
    "version 0": patched(frame(), L2_BYTES, b"\x05"),
    "options": frame(size=128, options=[IPOption_Router_Alert()]),
    "header of four words": patched(frame(), L2_BYTES, b"\x44"),
    "cut in the Ethernet header": cut(frame(), 14),
    "cut in the tags": cut(frame(), 20),
    "cut in the IP header": cut(frame(), 41),
    "cut in the UDP header": cut(frame(), 49),
    "one byte": b"\x02",
    "total length 0": patched(frame(), L2_BYTES + 2, b"\x00\x00"),
    "total length below its headers": patched(frame(), L2_BYTES + 2, struct.pack(">H", 27)),
    "total length one beyond the frame": patched(frame(), L2_BYTES + 2, struct.pack(">H", 39)),
    "total length 65535": patched(frame(), L2_BYTES + 2, b"\xff\xff"),
    "zeros": bytes(60),
    "ones": b"\xff" * 60,
}


@pytest.mark.parametrize("name", BAD_HEADERS)
def test_a_bad_header_drops_and_its_neighbours_continue(forward: Callable, name: str) -> None:
    first, last = frame(1), frame(2, size=80)
    done = forward([first, BAD_HEADERS[name], last])
    assert done.drops == {"header": 1}
    check_forwarded(first, done.frames[0])
    check_forwarded(last, done.frames[1])


def test_a_padded_frame_is_no_bad_one(forward: Callable) -> None:
    """Ethernet's minimum pads short packets: the total length ends before the frame does."""
    before = patched(frame(), L2_BYTES + 2, struct.pack(">H", 28))
    before = patched(before, L2_BYTES + 10, b"\0\0")
    checksum = IP(before[L2_BYTES : L2_BYTES + 20])
    del checksum.chksum
    before = patched(before, L2_BYTES, bytes(checksum)[:20])
    assert forward([before]).drops == {}


@pytest.mark.parametrize(
    "denied",
    [
        {"src": "1.0.0.1"},
        {"src": "255.255.255.255"},
        {"ports": (1023, 80)},
        {"ports": (1024, 1024)},
        {"ports": (0, 0)},
        {"proto": 6},
        {"proto": 0},
    ],
    ids=str,
)
def test_what_no_rule_permits(forward: Callable, denied: dict[str, object]) -> None:
    good = frame(1)
    done = forward([frame(**denied), good])
    assert done.drops == {"acl": 1}
    check_forwarded(good, done.frames[0])


@pytest.mark.parametrize("layer", [TCP(sport=1024, dport=80), ICMP()], ids=["TCP", "ICMP"])
def test_other_protocols_are_denied(forward: Callable, layer: Packet) -> None:
    packet = Ether() / Dot1AD() / Dot1Q(vlan=5) / IP(src="0.1.2.3", dst="1.2.3.4") / layer
    assert forward([bytes(packet / Raw(bytes(20)))]).drops == {"acl": 1}


def test_the_corners_of_the_rules(forward: Callable) -> None:
    corners = [
        frame(src=src, dst=dst, ports=ports)
        for src in ("0.0.0.0", "0.255.255.255")
        for dst in ("0.0.0.0", "3.255.255.255", "4.0.0.0", "255.255.255.255")
        for ports in ((1024, 0), (65535, 1023))
    ]
    done = forward(corners)
    assert done.drops == {}
    for before, after in zip(corners, done.frames, strict=True):
        check_forwarded(before, after)


@pytest.mark.parametrize("flow", [FLOWS, 4095, 4096, 1 << 23, (1 << 24) - 1])
def test_a_flow_that_the_table_has_not(forward: Callable, flow: int) -> None:
    good = frame(FLOWS - 1)
    done = forward([frame(flow), good])
    assert done.drops == {"flow_miss": 1}
    check_forwarded(good, done.frames[0])


def test_priority_and_drop_eligible_bits_are_no_part_of_a_flow(forward: Callable) -> None:
    before = patched(patched(frame(5), 14, b"\xf0\x00"), 18, b"\xf0\x05")
    check_forwarded(before, forward([before]).frames[0])


@pytest.mark.parametrize("ttl", [0, 1])
def test_a_time_to_live_that_ends(forward: Callable, ttl: int) -> None:
    good = frame(1, ttl=2)
    done = forward([frame(ttl=ttl), good])
    assert done.drops == {"ttl": 1}
    check_forwarded(good, done.frames[0])


def test_red_drops_and_yellow_is_marked(forward: Callable) -> None:
    """Assured forwarding's drop precedence comes in as colour, and leaves as EXP."""
    colours = {AF11: 0, AF12: 1, EXPEDITED: 0, 0: 0, 63: 0}
    sent = [frame(1, dscp=AF13), frame(2, dscp=AF33), *(frame(3, dscp=dscp) for dscp in colours)]
    done = forward(sent)
    assert done.drops == {"policer": 2}
    for before, after, exp in zip(sent[2:], done.frames, colours.values(), strict=True):
        check_forwarded(before, after, exp)


def test_red_is_kept_when_the_policer_lets_it(forward: Callable) -> None:
    before = frame(dscp=AF13)
    done = forward([before], tables={"police_red": "off"})
    check_forwarded(before, done.frames[0], exp=2)


def test_a_flow_beyond_its_rate_is_policed(forward: Callable) -> None:
    """A bucket of 1,000 bytes holds ten IP packets of 100 bytes; it fills by a byte a second."""
    sent = [frame(flow, size=100 + L2_BYTES + FCS_BYTES) for flow in [7] * 15 + [8] * 3]
    done = forward(sent, tables={"meter_rate": 1, "meter_burst": 1000})
    assert done.drops == {"policer": 5}
    for before, after in zip(sent[:10] + sent[15:], done.frames, strict=True):
        check_forwarded(before, after)


def test_classes_of_a_flow_have_meters_of_their_own(forward: Callable) -> None:
    size = 100 + L2_BYTES + FCS_BYTES
    sent = [frame(7, size=size, dscp=dscp) for dscp in (0, EXPEDITED, 16, 48) for _ in range(11)]
    done = forward(sent, tables={"meter_rate": 1, "meter_burst": 1000})
    assert done.drops == {"policer": 4}


def test_every_cause_in_one_burst(forward: Callable) -> None:
    bad = [
        BAD_HEADERS["ARP"],
        frame(src="9.9.9.9"),
        frame(FLOWS),
        frame(dscp=AF13),
        frame(ttl=1),
    ]
    good = [frame(i, size=64 + i) for i in range(len(bad))]
    done = forward([packet for pair in zip(bad, good, strict=True) for packet in pair])
    assert done.drops == {"header": 1, "acl": 1, "flow_miss": 1, "policer": 1, "ttl": 1}
    for before, after in zip(good, done.frames, strict=True):
        check_forwarded(before, after)


def test_drops_in_bursts_of_any_size(forward: Callable) -> None:
    sent = [
        frame(i % FLOWS if i % 3 else FLOWS + i, size=64 + i, dst=f"{i % 256}.1.1.1")
        for i in range(300)
    ]
    kept = [packet for i, packet in enumerate(sent) if i % 3]
    usual = forward(sent)
    assert usual.drops == {"flow_miss": 100}
    for before, after in zip(kept, usual.frames, strict=True):
        check_forwarded(before, after)
    for burst in (1, 2, 7, 33, 64, 65, 128, 256):
        done = forward(sent, pipeline={"burst": burst})
        assert done.drops == usual.drops
        assert done.frames == usual.frames


def test_a_whole_burst_dropped(forward: Callable) -> None:
    assert forward([frame(ttl=1)] * 64).drops == {"ttl": 64}
    assert forward([BAD_HEADERS["ones"]] * 64).drops == {"header": 64}


def test_stages_left_out(forward: Callable) -> None:
    """Without stages all packets pass as they are, for nobody looks into them."""
    before = frame(FLOWS, ttl=1, src="9.9.9.9", dscp=AF13)
    done = forward([before, BAD_HEADERS["ARP"]], pipeline={"stages": "none"})
    assert done.drops == {}
    assert done.frames == [before, BAD_HEADERS["ARP"]]
    done = forward([before], pipeline={"stages": "key,classify"})
    assert done.drops == {"flow_miss": 1}
    done = forward([before], pipeline={"stages": "key,route"})
    assert done.drops == {"ttl": 1}
