"""Frames that the bench feeds routers with, seen by Scapy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from ipaddress import IPv4Network
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap
from tests.dataplane.routed import HEADER_BYTES, checksum_made

ETHERNET_BYTES = 14
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield
    sys.modules.pop("frames", None)


def test_every_frame_is_right_and_has_a_route(tmp_path: Path) -> None:
    import frames

    path = tmp_path / "frames.pcap"
    frames.write_pcap(path, frames.routed_frames())
    packets = rdpcap(str(path))
    networks = {IPv4Network(prefix) for prefix in frames.routes()}
    assert len(packets) == frames.FRAMES
    assert len(networks) == frames.ROUTES
    met = set()
    for number, packet in enumerate(packets):
        raw = bytes(packet)
        assert len(raw) == frames.FRAME_BYTES
        ip = raw[ETHERNET_BYTES:]
        assert ip[:HEADER_BYTES] == checksum_made(ip[:HEADER_BYTES])
        if number % 16 == 0:
            again = Ether(raw)
            stated = again[IP].chksum
            del again[IP].chksum
            assert Ether(bytes(again))[IP].chksum == stated
        assert packet[UDP].len == packet[IP].len - HEADER_BYTES
        met.add(int.from_bytes(ip[16:19]))
    assert met == {int(network.network_address) >> 8 for network in networks}
