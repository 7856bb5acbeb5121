"""What a card and its lcores send over PCIe to forward packets: bytes, and cache-line events.

To memory goes the frame, its receive descriptor's write-back, and one transmit write-back in so
many packets. From memory come the frame that is sent, and a descriptor read for each receive and
transmit. A device counts lines: descriptors are read four to a line, full lines written are ItoM,
partial ones RFO. Source: BSDP, equations 23 and 24, and its explanation of a pcm-pcie output.
"""

from __future__ import annotations

from dataclasses import dataclass

LINE_BYTES = 64
FCS_BYTES = 4


@dataclass(frozen=True)
class Descriptors:
    """How a driver and a card exchange descriptors."""

    bytes_each: float = 16
    transmit_write_back_every: float = 16
    """Packets for which the card writes one transmit descriptor back."""
    tail_every: float = 32
    """Packets for which the driver writes each tail pointer once."""


@dataclass(frozen=True)
class Traffic:
    """Bytes a second over PCIe, headers not counted."""

    read: float
    """From memory to the card."""
    written: float
    """From the card to memory."""


def forwarding_bytes(
    pps: float, frame_bytes: float, descriptors: Descriptors, *, fcs_read: bool = False
) -> Traffic:
    """PCIe bytes a second of packets that are received and sent.

    The card makes the FCS, so that its 4 bytes are not read; `fcs_read` counts them all the same,
    as the document's own table does.
    """
    each = descriptors.bytes_each
    frame_read = frame_bytes if fcs_read else frame_bytes - FCS_BYTES
    return Traffic(
        read=(frame_read + 2 * each) * pps,
        written=(frame_bytes + each + each / descriptors.transmit_write_back_every) * pps,
    )


def pps_of(traffic: Traffic, frame_bytes: float, descriptors: Descriptors) -> float:
    """Backwards: packets a second of which the written bytes tell, for frames of a known size."""
    each = descriptors.bytes_each
    return traffic.written / (frame_bytes + each + each / descriptors.transmit_write_back_every)


@dataclass(frozen=True)
class LineEvents:
    """Events a second, in the names of pcm-pcie."""

    reads: float
    """PCIeRdCur."""
    full_writes: float
    """ItoM."""
    partial_writes: float
    """RFO."""
    register_writes: float
    """WiL."""


def forwarding_events(
    pps: float, frame_bytes: float, descriptors: Descriptors, full: float, partial: float
) -> LineEvents:
    """Events a second of packets that are received and sent.

    Of the receive descriptors' write-backs the share `full` goes in whole lines; the others go
    `partial` to a write.
    """
    frame_lines = -(-frame_bytes // LINE_BYTES)
    in_line = LINE_BYTES / descriptors.bytes_each
    return LineEvents(
        reads=pps * (frame_lines + 2 / in_line),
        full_writes=pps * (frame_lines + full / in_line),
        partial_writes=pps * ((1 - full) / partial + 1 / descriptors.transmit_write_back_every),
        register_writes=2 * pps / descriptors.tail_every,
    )


def memory_bytes_without_ddio(pps: float, touches: float) -> float:
    """Bytes a second over the memory channels when each touch of a packet's lines goes there."""
    return pps * touches * LINE_BYTES
