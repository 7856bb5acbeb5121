"""Captures in the pcap format: when packets came, how long they were, which flow they belong to.

Source of the format: draft-ietf-opsawg-pcap. A capture has no FCS, which is added, and frames below
Ethernet's shortest are padded to it. The RSS hash is Microsoft's over the four- or two-tuple of
IPv4 behind up to two VLAN tags, as a NIC computes it; of all else it is 0.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from planecast.engines.simulate import _simulator as sim
from planecast.errors import InputError
from planecast.scenario.frames import FCS_BYTES

MOST_PACKETS = 2_000_000
"""Packets of a capture: each takes some hundred bytes while the model is made."""
SHORTEST_BYTES = 64
LONGEST_BYTES = 65535

_NANOSECONDS = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}
_ETHERNET = 1
_PCAPNG = b"\x0a\x0d\x0d\x0a"
_VLAN = {0x8100, 0x88A8}
_IPV4 = 0x0800
_WITH_PORTS = {6, 17}  # TCP, UDP


@dataclass(frozen=True)
class Capture:
    """A capture's packets, a column each."""

    times_ns: tuple[float, ...]
    """Since the first."""
    frame_bytes: tuple[int, ...]
    """With FCS."""
    rss_hashes: tuple[int, ...]
    gap_ns: float
    """From its last packet to the first of the next round."""

    @classmethod
    def of(
        cls, times_ns: Sequence[float], frame_bytes: Sequence[int], rss_hashes: Sequence[int]
    ) -> Capture:
        """Its packets' mean distance lies between two rounds; where all come at once, a second."""
        span = times_ns[-1]
        gap_ns = span / (len(times_ns) - 1) if span > 0 else 1e9
        return cls(tuple(times_ns), tuple(frame_bytes), tuple(rss_hashes), gap_ns)

    @property
    def round_ns(self) -> float:
        """From the first packet to the first of the next round."""
        return self.times_ns[-1] + self.gap_ns

    @property
    def rate_pps(self) -> float:
        """Mean packets a second when it is played again and again."""
        return len(self.times_ns) * 1e9 / self.round_ns

    def at_rate(self, pps: float) -> Capture:
        """The same with its times stretched to a mean rate."""
        factor = self.rate_pps / pps
        times = tuple(time * factor for time in self.times_ns)
        return replace(self, times_ns=times, gap_ns=self.gap_ns * factor)


def read_capture(path: str | Path) -> Capture:
    """Reads a pcap file. Raises InputError for what is no such file, or has no packets."""
    where = str(path)
    try:
        return _cached(where, Path(path).stat().st_mtime_ns)
    except OSError as error:
        raise InputError(
            f"can't read the capture: {error.strerror or error}", where, "check traffic.pcap"
        ) from None


@lru_cache(maxsize=4)
def _cached(where: str, _changed: int) -> Capture:
    data = Path(where).read_bytes()
    packets = sorted(_packets(data, where), key=lambda packet: packet[0])
    if not packets:
        raise InputError("the capture has no packets", where, "name another")
    if len(packets) > MOST_PACKETS:
        raise InputError(
            f"the capture has more than {MOST_PACKETS:,} packets", where, "cut it with editcap"
        )
    first = packets[0][0]
    return Capture.of(
        [float(time - first) for time, _, _ in packets],
        [size for _, size, _ in packets],
        [rss_hash(frame) for _, _, frame in packets],
    )


def _packets(data: bytes, where: str) -> Iterator[tuple[int, int, bytes]]:
    """(time in ns, bytes with FCS, what was captured) of each packet."""
    if data[:4] == _PCAPNG:
        raise InputError(
            "the capture is in the pcapng format", where, "convert it: editcap -F pcap"
        )
    order, unit = "", 0
    for name in "<>":
        magic = struct.unpack_from(f"{name}I", data)[0] if len(data) >= 24 else 0
        if magic in _NANOSECONDS:
            order, unit = name, _NANOSECONDS[magic]
    if not order:
        raise InputError("this is not a pcap file", where, "name a capture")
    link = struct.unpack_from(f"{order}I", data, 20)[0] & 0x0FFFFFFF
    if link != _ETHERNET:
        raise InputError(f"the capture has link type {link}, not Ethernet", where, "name another")
    header, at = struct.Struct(f"{order}IIII"), 24
    while at < len(data):
        if at + header.size > len(data):
            raise InputError("the capture ends within a packet", where, "it was cut off: repair it")
        seconds, fraction, captured, length = header.unpack_from(data, at)
        at += header.size
        if captured > len(data) - at:
            raise InputError("the capture ends within a packet", where, "it was cut off: repair it")
        size = min(max(length + FCS_BYTES, SHORTEST_BYTES), LONGEST_BYTES)
        yield seconds * 1_000_000_000 + fraction * unit, size, data[at : at + captured]
        at += captured


def rss_hash(frame: bytes) -> int:
    """Toeplitz hash of a frame's addresses and, where it has them, ports; 0 without IPv4."""
    at = 12
    for _ in range(2):
        if int.from_bytes(frame[at : at + 2]) in _VLAN:
            at += 4
    ip = frame[at + 2 :]
    if int.from_bytes(frame[at : at + 2]) != _IPV4 or len(ip) < 20 or ip[0] >> 4 != 4:
        return 0
    header = 4 * (ip[0] & 0xF)
    whole = int.from_bytes(ip[6:8]) & 0x3FFF == 0  # fragments have no ports to rely on
    ports = ip[header : header + 4] if whole and ip[9] in _WITH_PORTS else b""
    return sim.toeplitz(ip[12:20] + (ports if len(ports) == 4 else b""))
