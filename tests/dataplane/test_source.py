"""The in-process source: the packets of the profile, every one with headers of its own."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from tests.dataplane.routed import checksum_made

pytestmark = pytest.mark.live

DSCPS = (0, 10, 12, 18, 20, 26, 34, 46)
STEP = 0x00040000
AT_IP = 22


def check_headers(data: bytes, size: int = 64) -> Ether:
    """Whatever holds for every packet; the packet."""
    packet = Ether(data)
    assert len(data) == size - 4
    assert packet.type == 0x88A8
    assert packet[Dot1AD].type == 0x8100
    ip, udp = packet[IP], packet[UDP]
    assert (ip.version, ip.ihl, ip.ttl, ip.proto) == (4, 5, 64, 17)
    assert ip.len == size - 26
    assert udp.len == ip.len - 20
    assert udp.sport >= 1024
    assert udp.dport <= 1023
    header = data[AT_IP : AT_IP + 20]
    assert header == checksum_made(header)
    return packet


def flow_of(packet: Ether) -> int:
    flow: int = packet[Dot1AD].vlan << 12 | packet[Dot1Q].vlan
    return flow


def address(text: str) -> int:
    parts = [int(part) for part in text.split(".")]
    return int.from_bytes(bytes(parts), "big")


def test_headers_vary_as_the_profile_has_it(generate: Callable[..., list[bytes]]) -> None:
    packets = [check_headers(data) for data in generate(3200)]
    for number, packet in enumerate(packets):
        flow = flow_of(packet)
        assert address(packet[IP].src) == flow
        assert address(packet[IP].dst) == number * STEP % 2**32
        assert packet[IP].tos == DSCPS[flow % len(DSCPS)] << 2
    flows = Counter(flow_of(packet) for packet in packets)
    assert set(flows) == set(range(64))
    # 63 degrees of freedom: above 113 once in 10,000 seeds.
    assert sum((count - 50) ** 2 / 50 for count in flows.values()) < 113
    assert len({packet[UDP].sport for packet in packets}) > 2500
    assert len({packet[UDP].dport for packet in packets}) > 900


def test_all_the_flows_that_two_tags_can_name(generate: Callable[..., list[bytes]]) -> None:
    """Flow ids have 24 bits; a table of so many isn't needed when packets come from elsewhere."""
    table = {"acl_rules": 64, "routes": 64, "flows": 1 << 20}
    flows = [
        flow_of(check_headers(data))
        for data in generate(2000, tables=table, traffic={"flows": 1 << 20})
    ]
    assert len(set(flows)) > 1990
    assert max(flows) > 0.99 * 2**20
    assert min(flows) < 0.01 * 2**20


@pytest.mark.parametrize("size", [64, 65, 128, 1518, 9000])
def test_frame_sizes(generate: Callable[..., list[bytes]], size: int) -> None:
    for data in generate(64, traffic={"frame_bytes": size}):
        check_headers(data, size)


@pytest.mark.parametrize("burst", [1, 5, 32, 100, 256])
def test_the_sequence_is_the_same_in_any_burst(
    generate: Callable[..., list[bytes]], burst: int
) -> None:
    """A burst is a way to take packets, not a property of the traffic."""
    usual = generate(1000, pipeline={"stages": "none", "burst": 32})
    other = generate(1000, pipeline={"stages": "none", "burst": burst})
    assert other[:1000] == usual[:1000]


def test_the_seed_decides_alone(generate: Callable[..., list[bytes]]) -> None:
    first = generate(500)
    assert generate(500) == first
    other = generate(500, traffic={"seed": 2})
    same = sum(a == b for a, b in zip(first, other, strict=True))
    assert same < 50


def test_options_of_the_traffic(generate: Callable[..., list[bytes]]) -> None:
    traffic = {"flows": 3, "dscp": "46,0", "destination_step": "0.0.0.1", "seed": 7}
    for number, data in enumerate(generate(320, traffic=traffic)):
        packet = check_headers(data)
        assert flow_of(packet) < 3
        assert packet[IP].tos == (0 if flow_of(packet) % 2 else 46 << 2)
        assert address(packet[IP].dst) == number


def test_what_it_makes_passes_all_stages(generate: Callable[..., list[bytes]]) -> None:
    """AF12 and AF22 are yellow: their EXP says so."""
    stages = "acl,key,classify,actions,route"
    sent = generate(640)
    for before, after in zip(sent, generate(640, pipeline={"stages": stages}), strict=True):
        outer, inner = struct.unpack_from(">II", after, 14)
        yellow = IP(before[22:]).tos >> 2 in (12, 20)
        assert outer >> 9 & 7 == inner >> 9 & 7 == yellow
        assert outer & 0xFF == inner & 0xFF == 63
        again = IP(after[22:])
        checksum = again.chksum
        del again.chksum
        assert IP(bytes(again)).chksum == checksum
