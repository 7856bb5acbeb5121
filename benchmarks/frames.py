"""Frames for a pcap port: the only in-process port of DPDK that gives varied headers.

net_pcap with infinite_rx reads the file once and gives copies of its frames again and again.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from ipaddress import IPv4Address
from pathlib import Path

FRAME_BYTES = 60
"""Without FCS, as DPDK holds a 64-byte frame."""
FRAMES = 4096
"""Half of l3fwd's pool stays for forwarding."""
ROUTES = 1000
"""l3fwd's LPM takes 1,024."""

_MACS = bytes.fromhex("020000000001020000000002")
_PCAP_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)


def routes() -> list[str]:
    """/24 prefixes next to each other: one look-up each in DPDK's LPM."""
    return [f"10.{number >> 8}.{number & 255}.0/24" for number in range(ROUTES)]


def ipv4_frame(destination: int, source: int) -> bytes:
    """An IPv4-UDP frame of 60 bytes with a right checksum; addresses as numbers."""
    payload = FRAME_BYTES - 14
    header = struct.pack("!BBHHHBBHII", 0x45, 0, payload, 0, 0, 64, 17, 0, source, destination)
    header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
    udp = struct.pack("!HHHH", 1000, 2000, payload - 20, 0)
    return (_MACS + b"\x08\x00" + header + udp).ljust(FRAME_BYTES, b"\0")


def checksum(header: bytes) -> int:
    """The internet checksum (RFC 1071) of a header of even length whose own field is zero."""
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def routed_frames() -> list[bytes]:
    """Frames whose destinations go through all routes in turn, with different hosts."""
    first = int(IPv4Address("10.0.0.1"))
    source = int(IPv4Address("192.168.0.0"))
    return [
        ipv4_frame(first + 256 * (number % ROUTES) + number // ROUTES, source + number)
        for number in range(FRAMES)
    ]


def write_pcap(path: Path, frames: Iterable[bytes]) -> None:
    """Writes a pcap file (microseconds, Ethernet), all at time zero. Raises OSError."""
    records = (struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame for frame in frames)
    path.write_bytes(_PCAP_HEADER + b"".join(records))
