"""What a router makes of an IPv4 packet, byte by byte: Scapy says the same, 100 times slower."""

from __future__ import annotations

import struct

import pytest
from scapy.layers.inet import IP
from scapy.packet import Packet, Raw

HEADER_BYTES, FCS_BYTES = 20, 4
_COUNTING_UP = bytes(range(256)) * 40


def filled(headers: Packet, header_bytes: int, size: int) -> bytes:
    """A frame of `size` bytes with its FCS, whose payload counts up; Scapy computes the rest.

    `header_bytes` is given, for Scapy builds the headers once more to show it.
    """
    return bytes(headers / Raw(_COUNTING_UP[: max(0, size - FCS_BYTES - header_bytes)]))


def resized(frame: bytes, at_ip: int, size: int, ttl: int, number: int) -> bytes:
    """A frame of UDP over IPv4, made `size` bytes with its FCS: a new one by Scapy takes 1 ms.

    `number` is its identification; it has no UDP checksum, as IPv4 allows.
    """
    ip_bytes = size - FCS_BYTES - at_ip
    old = frame[at_ip : at_ip + HEADER_BYTES]
    lengths = struct.pack("!HH", ip_bytes, number & 0xFFFF)
    header = checksum_made(old[:2] + lengths + old[6:8] + bytes([ttl]) + old[9:])
    udp = frame[at_ip + HEADER_BYTES :][:4] + struct.pack("!HH", ip_bytes - HEADER_BYTES, 0)
    return frame[:at_ip] + header + udp + _COUNTING_UP[: ip_bytes - HEADER_BYTES - len(udp)]


def checksum_made(header: bytes) -> bytes:
    """A header of 20 bytes with its checksum, whatever stood there (RFC 1071)."""
    total = sum(struct.unpack("!10H", header[:10] + b"\0\0" + header[12:]))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return header[:10] + struct.pack("!H", ~total & 0xFFFF) + header[12:]


def routed(packet: bytes) -> bytes:
    """An IPv4 packet without options one hop further: TTL, checksum, nothing else.

    One packet in 16, by its identification, is done by Scapy too.
    """
    header = checksum_made(packet[:8] + bytes([packet[8] - 1]) + packet[9:HEADER_BYTES])
    done = header + packet[HEADER_BYTES:]
    if packet[5] % 16 == 0:
        again = IP(packet)
        again.ttl -= 1
        del again.chksum  # Scapy computes it again
        if bytes(IP(bytes(again))) != done:
            pytest.fail(f"Scapy does not agree about {packet[:HEADER_BYTES].hex()}")
    return done
