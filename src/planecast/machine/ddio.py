"""Cards that write into the last-level cache (DDIO): what stays there, what spills into memory.

A card writes each frame into a buffer of its ring, cyclically. A line that is still cached is
written over; one that isn't takes a place in one of the few ways that devices may fill, and
pushes another one out, at random (LRU is off by up to 15 points against published ways sweeps). So
of F bytes of buffers in C bytes of ways, the share h that is still there when its turn comes again
follows from what the others push out meanwhile:

    h = exp(-(1 - h) * F / C)          1 as long as the buffers fit

which Lambert's W solves. A core reads a header `waiting` of a turn after the card wrote it, and
finds it with probability exp(-(1 - h) * waiting * F / C).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import lambertw

from planecast.scenario.machine import LINE_BYTES, Machine

DESCRIPTOR_BYTES = 16
WITHOUT_TOUCHES = 5
"""A descriptor's four and one more without DDIO: the card reads and writes the receive and the
transmit descriptor, the core reads what was written back."""


@dataclass(frozen=True)
class Buffers:
    """What a card writes its frames into."""

    count: int
    """Buffers that packets cycle through, of all rings."""
    frame_bytes: float
    header_lines: float = 1.0
    """Lines of a frame that cores read and write."""
    waiting: float = 0.5
    """How much of a turn of the ring a packet waits for its core: all of the ring when it is
    overloaded, next to nothing when it idles."""

    @property
    def frame_lines(self) -> int:
        """Lines of a frame."""
        return math.ceil(self.frame_bytes / LINE_BYTES)

    @property
    def span_bytes(self) -> float:
        """What they take of a cache."""
        return self.count * (self.frame_lines * LINE_BYTES + DESCRIPTOR_BYTES)


@dataclass(frozen=True)
class Spill:
    """What becomes of a packet's lines."""

    kept: float
    """Share of the lines that a card writes over in the cache."""
    missed: float
    """Share of the lines that a core no longer finds."""
    read_lines: float
    """Lines a packet from memory."""
    written_lines: float
    """Lines a packet to memory."""

    @property
    def memory_bytes(self) -> float:
        """Bytes a packet of memory's bandwidth."""
        return (self.read_lines + self.written_lines) * LINE_BYTES


def ddio_bytes(machine: Machine) -> float:
    """The ways that devices may fill; 0: none."""
    return machine.values.ddio_ways.value * machine.way_bytes


def spill(buffers: Buffers, ways_bytes: float) -> Spill:
    """What stays in so many bytes of ways. Without any, every touch is one of memory.

    Never better with more buffers, larger frames or fewer ways. Raises ValueError for buffers or
    frames that are none.
    """
    if buffers.count < 1 or buffers.frame_bytes <= 0 or not 0 <= buffers.waiting <= 1:
        raise ValueError(f"{buffers.count} buffers of {buffers.frame_bytes:g} bytes")
    lines, header = buffers.frame_lines, min(buffers.header_lines, buffers.frame_lines)
    if ways_bytes < LINE_BYTES:
        descriptors = WITHOUT_TOUCHES * DESCRIPTOR_BYTES / LINE_BYTES
        # The card writes and reads all of a frame, cores read and write back what they touch.
        return Spill(0.0, 1.0, lines + header + descriptors / 2, lines + header + descriptors / 2)
    load = buffers.span_bytes / ways_bytes
    kept = _kept(load)
    missed = -math.expm1(-(1 - kept) * buffers.waiting * load)
    # Each line that isn't written over pushes out another, which was written and goes to memory.
    return Spill(kept, missed, missed * lines, (1 - kept) * lines)


def _kept(load: float) -> float:
    """The lower solution of h = exp(-(1 - h) * load)."""
    if load <= 1:
        return 1.0
    return float(-lambertw(-load * math.exp(-load)).real / load) if load < 500 else 0.0
