"""Forward: bytes and transactions a packet, from frame, descriptors and how they are batched.

Source: Benchmarking and Analysis of Software Data Planes, section 8.2: a received and sent packet
writes A + B + C bytes (frame, Rx descriptor, share of a Tx descriptor's write-back) and reads
D + E + F (frame, Rx and Tx descriptors). The card adds the last 4 bytes of a frame, so D is 4 less;
the document's Table 16 was computed without that. Lines: section 8.5.
"""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from planecast.cache_line import LINE_BYTES
from planecast.scenario.frames import FCS_BYTES
from planecast.scenario.model import Noun

Size = Annotated[int, Field(ge=1, le=65536)]
Every = Annotated[int, Field(ge=1, le=65536)]


class Ports(Noun):
    """How a data plane's ports are used: what one packet moves follows from it."""

    frame_bytes: Size = 64
    """With frame check sequence."""
    rx_descriptor_bytes: Size = 16
    """16: legacy; 32: extended, as OVS-DPDK uses."""
    tx_descriptor_bytes: Size = 16
    tx_write_back_every: Every = 16
    """Packets for which one Tx descriptor is written back."""
    tail_update_every: Every = 32
    """Packets for which either ring's tail is written once."""
    card_adds_fcs: bool = True
    """The card computes a sent frame's last 4 bytes itself, so they are not read."""

    @property
    def frame_lines(self) -> int:
        """Cache lines that a frame fills or begins."""
        return math.ceil(self.frame_bytes / LINE_BYTES)


class Expected(Noun):
    """What one packet that is received and sent moves."""

    write_bytes: float
    """Bytes that the card writes to memory: A + B + C."""
    read_bytes: float
    """Bytes that the card reads from memory: D + E + F."""
    read_lines: float
    """Lines that the card reads, descriptors a full line at a time (PCIeRdCur)."""
    full_lines_least: float
    """Full lines that it writes when no descriptors come together (ItoM)."""
    full_lines_most: float
    """The same when all of them do."""
    partial_writes_least: float
    """Writes of less than a line when Rx descriptors fill lines (RFO): Tx write-backs."""
    partial_writes_most: float
    """The same when each Rx descriptor is written alone."""
    mmio_writes: float
    """Tail updates of both rings (WiL)."""


def expected(ports: Ports) -> Expected:
    """What one packet moves through ports that are used so."""
    sent = max(ports.frame_bytes - (FCS_BYTES if ports.card_adds_fcs else 0), 1)
    descriptors = ports.rx_descriptor_bytes + ports.tx_descriptor_bytes
    written_back = ports.tx_descriptor_bytes / ports.tx_write_back_every
    full = ports.frame_bytes // LINE_BYTES
    ends = float(ports.frame_lines - full)
    tx_partial = 1 / ports.tx_write_back_every
    return Expected(
        write_bytes=ports.frame_bytes + ports.rx_descriptor_bytes + written_back,
        read_bytes=sent + descriptors,
        read_lines=ports.frame_lines + descriptors / LINE_BYTES,
        full_lines_least=full,
        full_lines_most=full + ports.rx_descriptor_bytes / LINE_BYTES,
        partial_writes_least=ends + tx_partial,
        partial_writes_most=ends + tx_partial + 1,
        mmio_writes=2 / ports.tail_update_every,
    )
