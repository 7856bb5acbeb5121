"""Frames as Scapy reads them from a capture file that the generator wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.utils import RawPcapReader

pytestmark = pytest.mark.live

SIGNATURE_BYTES = 24


class Frames:
    """The frames of a capture file, each dissected when it is asked for: that takes long."""

    def __init__(self, file: Path) -> None:
        with RawPcapReader(str(file)) as reader:
            self.raw = [data for data, _ in reader]

    def __getitem__(self, number: int) -> Any:
        return Ether(self.raw[number])

    def __len__(self) -> int:
        return len(self.raw)

    def __iter__(self) -> Iterator[Any]:
        return map(Ether, self.raw)


def sent(generator: Any, packets: int, **stream: object) -> Frames:
    file: Path = generator.folder / "out.pcap"
    answer = generator.once(
        "--packets",
        str(packets),
        eal=("--vdev", f"net_pcap0,tx_pcap={file}"),
        ports={"rx": "none"},
        streams={"a": stream},
    )
    assert answer["total"]["sent"] == packets
    assert answer["limited_by"] is not None  # as fast as it can
    frames = Frames(file)
    assert len(frames) == packets
    return frames


def check_ip(frame: Any) -> None:
    """Lengths and checksum are what Scapy computes itself."""
    ip = frame[IP]
    fresh = ip.copy()
    del fresh.chksum, fresh.len, fresh[UDP].len
    fresh = IP(bytes(fresh))
    assert (ip.chksum, ip.len, ip[UDP].len) == (fresh.chksum, fresh.len, fresh[UDP].len)
    assert ip.len == len(ip)
    assert ip[UDP].chksum == 0


def test_pairwise_addresses(generator: Any) -> None:
    """62,500 IPv4 flows, source and destination stepped together."""
    frames = sent(generator, 70_000, flows=62_500, destination_ip_step="0.0.4.1", ttl=9)
    for number in [*range(0, 70_000, 997), 62_499, 62_500]:
        frame, flow = frames[number], number % 62_500
        check_ip(frame)
        assert len(frame) == 60
        assert int.from_bytes(bytes(frame[IP])[12:16]) == 0x0A000001 + flow
        assert int.from_bytes(bytes(frame[IP])[16:20]) == 0x0B000001 + flow * 0x401
        assert (frame[IP].ttl, frame[UDP].sport, frame[UDP].dport) == (9, 49152, 49153)


def test_mac_flows(generator: Any) -> None:
    """3,125 MAC flows."""
    frames = sent(
        generator, 4000, headers="ethernet", flows=3125, source_mac_step=1, destination_mac_step=256
    )
    for number in [*range(0, 4000, 97), 3124, 3125]:
        flow = number % 3125
        frame = frames[number]
        assert (len(frame), frame.type) == (60, 0x88B5)
        assert int(frame.src.replace(":", ""), 16) == 0x020000000001 + flow
        assert int(frame.dst.replace(":", ""), 16) == 0x020000000002 + flow * 256


def test_two_tags(generator: Any) -> None:
    """As the provider edge's upstream takes them: the flow's number over both tags."""
    frames = sent(
        generator,
        300,
        headers="qinq-ipv4",
        flows=10_000,
        outer_vlan=5,
        inner_vlan=4000,
        inner_vlan_step=1,
        dscp="0,10,46",
    )
    for flow, frame in enumerate(frames):
        assert isinstance(frame, Ether)
        assert frame.type == 0x88A8
        tags = 5 << 12 | 4000
        assert frame[Dot1AD].vlan << 12 | frame[Dot1Q].vlan == tags + flow
        assert frame[IP].tos >> 2 == (0, 10, 46)[flow % 3]
        check_ip(frame)


def test_a_tag_and_ports(generator: Any) -> None:
    frames = sent(
        generator,
        300,
        headers="vlan-ipv4",
        flows=100,
        outer_vlan=7,
        source_port=65_500,
        source_port_step=1,
        destination_port_step=2,
    )
    for number, frame in enumerate(frames):
        flow = number % 100
        assert frame[Dot1Q].vlan == 7
        assert frame[UDP].sport == (65_500 + flow) % 65_536
        assert frame[UDP].dport == 49_153 + 2 * flow
        check_ip(frame)


def damaged_places(frame: Any) -> list[int]:
    """Places behind the signature where the payload is not what was sent: place times 37."""
    raw = bytes(frame)
    first = len(raw) - len(bytes(frame[UDP].payload)) + SIGNATURE_BYTES
    return [place for place in range(first, len(raw)) if raw[place] != place * 37 % 256]


def test_imix_and_jumbo(generator: Any) -> None:
    frames = sent(generator, 1200, sizes="imix", flows=3)
    assert Counter(map(len, frames)) == {60: 700, 590: 400, 1514: 100}
    for frame in frames:
        check_ip(frame)
    for frame in sent(generator, 20, sizes="9000"):
        assert len(frame) == 8996
        check_ip(frame)
        assert damaged_places(frame) == []


def test_random_flows_repeat_with_their_seed(generator: Any) -> None:
    def flows(**keys: object) -> list[str]:
        return [frame[IP].src for frame in sent(generator, 2000, flows=500, **keys)]

    uniform, zipf = flows(order="random"), flows(order="zipf", zipf=1.2)
    assert uniform == flows(order="random")
    assert uniform != flows(order="random", seed=2)
    assert len(set(uniform)) > 450
    assert Counter(zipf).most_common(1)[0][0] == "10.0.0.1"
