"""What handing packets from lcore to lcore costs: cache lines that move between cores.

Throughput by Little's law, as for memory: a core has so many lines under way and no more, so a line
costs its transfer time over that number; lines that are waited for one by one cost all of it.
"""

from __future__ import annotations

from planecast.engines.simulate.service import StageService
from planecast.scenario.placement import Placement

TRANSFER_NS = 48.0
"""A line from another core of the socket. Published: medians of 44 to 51 ns on Intel's servers from
Broadwell to Ice Lake, 48 of them Cascade Lake's (github.com/nviennot/core-to-core-latency)."""
LINES_IN_FLIGHT = 10.0
"""Line-fill buffers of a core: 10 to 12."""
TAKEN_LINES = 3.0 + 1 / 8
"""Lines a packet brings to the core that takes it: its descriptor, what the stages before learned
of it, its headers, and an eighth of a line of the ring."""
TAKEN_ALONE = 2.0
"""Lines a burst that are waited for: the ring's index and its first entries."""
HANDED_ALONE = 1.0
"""The ring's other index; the rest of what is handed on is written, and nobody waits for it."""


def transfer_ns(placement: Placement) -> float:
    """Time that a line takes from core to core."""
    return TRANSFER_NS if placement.handover_ns is None else placement.handover_ns


def hand(placement: Placement, tsc_hz: float) -> StageService:
    """The stage that hands a burst on."""
    cycles = transfer_ns(placement) * 1e-9 * tsc_hz
    return StageService("hand", HANDED_ALONE * cycles, 0.0)


def take(placement: Placement, tsc_hz: float) -> StageService:
    """The stage that takes a burst."""
    cycles = transfer_ns(placement) * 1e-9 * tsc_hz
    return StageService("take", TAKEN_ALONE * cycles, TAKEN_LINES * cycles / LINES_IN_FLIGHT)
