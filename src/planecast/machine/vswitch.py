"""A packet's pass through a virtual switch: cycles of its core, lines that change cores, copies.

Between the switch and a virtual machine each packet's descriptors and headers are written by one
core and read by another, and its payload is copied. Both take the interconnect's nanoseconds, not
cycles of the core: `lines` of a handoff wait for the share that isn't hidden (`exposed`), a copy
has as many lines in flight as the core has line-fill buffers.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.cache_line import LINE_BYTES
from planecast.machine.clocks import Clocked
from planecast.scenario.machine import Machine

OWNER_HOPS = 2.0
"""A line in another core's cache takes twice the time of one in the last level: there, and to the
owner. Assumed."""


@dataclass(frozen=True)
class Pass:
    """What a pass costs on top of the switch's own cycles."""

    lines: float
    """Lines that change cores a packet: at least five (BSDP, section 7)."""
    exposed: float
    """Blocking factor."""


def switched(cycles: float, machine: Machine, way: Pass, frame_bytes: float) -> Clocked:
    """Cost of a pass of a frame: `cycles` of the core and what the interconnect adds."""
    line_ns = OWNER_HOPS * machine.l3_ns
    copied = -(-frame_bytes // LINE_BYTES) * line_ns / machine.core.line_fill_buffers.value
    return Clocked(cycles, way.lines * way.exposed * line_ns + copied)
