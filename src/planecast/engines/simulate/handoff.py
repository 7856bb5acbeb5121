"""What handing packets from lcore to lcore costs: cache lines that another core wrote last.

Lines that are waited for one by one cost their whole way; of many that are read or written together
a core has some under way at a time, and each costs what the probe finds for such (`read`, `write`).
The buffers themselves come round: the last lcore writes headers and descriptors, and the first one,
which fills those buffers again, must get them back. Reads are waited for, writes only when the
store buffer is full.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.engines.simulate.stage_cost import StageCost
from planecast.machine.hierarchy import Hierarchy
from planecast.scenario.placement import Placement

TRANSFER_NS = 48.0
"""A line from another core of the socket, where nobody measured it. Published: medians of 44 to
51 ns on Intel's servers from Broadwell to Ice Lake, 48 of them Cascade Lake's
(github.com/nviennot/core-to-core-latency)."""
LINES_IN_FLIGHT = 10.0
"""Line-fill buffers of a core: 10 to 12. For many lines at a time, where nobody measured them."""
TAKEN_LINES = 3.0 + 1 / 8
"""Lines that a packet brings to the core that takes it: its descriptor, what the stages before
learned of it, its headers, and an eighth of a line of the ring."""
RETURNED_LINES = 2.0
"""Lines of a packet's buffer that the last core wrote and the first one writes again: descriptor
and headers."""
NOTED_LINES = 1.0
"""Lines with what the stages learned: the first core writes what others read last. The next ones
have it already when they write."""
RING_LINES = 1 / 8
"""Of the ring itself, a packet handed on."""
HELD_PACKETS = 56 / 6
"""A core doesn't wait for what it writes until its store buffer is full: at the end of a stage so
many packets' stores are still in it, and drain behind the next stage. Six stores a packet into 56
entries, what one thread has of Golden Cove's 112 with hyper-threading (Skylake's are 56 for a core
alone)."""
TAKEN_ALONE = 2.0
"""Lines a burst that are waited for: the ring's index and its first entries."""
HANDED_ALONE = 1.0
"""The ring's other index."""


@dataclass(frozen=True)
class LineCosts:
    """TSC cycles of a line that another core wrote last."""

    alone: float
    """That is waited for."""
    read: float
    """Of many that are read together."""
    write: float
    """Of many that are written together."""
    said: str
    """Where they come from, for a note."""


def line_costs(placement: Placement, hierarchy: Hierarchy) -> LineCosts:
    """As asked for, else as measured, else as published."""
    cycles_per_ns = hierarchy.tsc_hz * 1e-9
    found = hierarchy.transfer
    if found is not None:
        measured_ns = found.alone_cycles / cycles_per_ns
        costs = LineCosts(
            found.alone_cycles,
            found.read_cycles,
            found.write_cycles,
            f"a measured {measured_ns:.0f}",
        )
    else:
        alone = TRANSFER_NS * cycles_per_ns
        many = alone / LINES_IN_FLIGHT
        costs = LineCosts(alone, many, many, f"a published {TRANSFER_NS:g}")
    if placement.handoff_ns is None:
        return costs
    # Of another length, the same number of lines are under way.
    factor = placement.handoff_ns * cycles_per_ns / costs.alone if costs.alone > 0 else 0.0
    return LineCosts(
        placement.handoff_ns * cycles_per_ns,
        costs.read * factor,
        costs.write * factor,
        f"the {placement.handoff_ns:g}",
    )


def refilled(source: StageCost, lines: LineCosts, burst: int) -> StageCost:
    """The stage that fills buffers which come back from another core: its own work continues while
    they come, so it takes the longer of the two."""
    return source.plus(max(0.0, _written(RETURNED_LINES, lines, burst) - source.per_packet(burst)))


def enqueue(lines: LineCosts, burst: int, *, first: bool) -> StageCost:
    """The stage that hands a burst on; the chain's first core writes lines of others for it."""
    written = RING_LINES + (NOTED_LINES if first else 0.0)
    return StageCost.linear(
        "enqueue",
        burst,
        burst_cycles=HANDED_ALONE * lines.alone,
        packet_cycles=_written(written, lines, burst),
    )


def dequeue(lines: LineCosts, burst: int) -> StageCost:
    """The stage that takes a burst."""
    return StageCost.linear(
        "dequeue",
        burst,
        burst_cycles=TAKEN_ALONE * lines.alone,
        packet_cycles=TAKEN_LINES * lines.read,
    )


def _written(count: float, lines: LineCosts, burst: int) -> float:
    """Cycles a packet that a stage is held by writing so many lines of others in a full burst."""
    return count * lines.write * max(0.0, 1 - HELD_PACKETS / burst)
