"""Source: makes packets in memory buffers, as a poll-mode driver's receive burst returns them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.workload.regions import PAGE_BYTES, PAGE_LINES, Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor

Floats = NDArray[np.float64]

BUFFER_LINES = 2
"""Of an mbuf its first line, of the packet its headers (native/dataplane/packet_source)."""
BUFFER_BYTES = 2368
"""struct rte_mbuf, headroom and data room (RTE_MBUF_DEFAULT_BUF_SIZE), the header of the pool."""
SLOT_BYTES = 8
"""A ring's slot holds the pointer of a buffer (native/dataplane/ring.h)."""


def buffer_lines(sizes: Sizes, stage: str, name: str, each: int, touches: Floats) -> Region:
    """A region of `each` lines of every packet buffer, which come round in order."""
    lines = each * sizes.buffers
    return Region(
        stage=stage,
        name=name,
        cyclic=True,
        lines=lines,
        touches=touches,
        pages=sizes.buffers * BUFFER_BYTES / PAGE_BYTES + 1,
        total_lines=lines * sizes.lcores,
        overlap=Overlap.STORED,
    )


def ring_slots(sizes: Sizes, stage: str, name: str, key: str) -> Region:
    """The slots of a ring, whose size is a key: a burst takes or gives its packets side by side."""
    slots = sizes.ports * sizes.number(key)
    lines = slots * SLOT_BYTES / LINE_BYTES
    return Region(
        stage=stage,
        name=name,
        cyclic=True,
        lines=lines,
        touches=np.full_like(lines, SLOT_BYTES / LINE_BYTES),
        pages=lines / PAGE_LINES + 1,
        total_lines=lines * sizes.lcores,
        overlap=Overlap.STORED,
    )


class Source(StageDescriptor):
    """Of every network function."""

    name = "source"

    def regions(self, sizes: Sizes) -> list[Region]:
        touches = np.full_like(sizes.buffers, BUFFER_LINES)
        return [
            buffer_lines(sizes, self.name, "packet buffers", BUFFER_LINES, touches),
            ring_slots(sizes, self.name, "receive ring", "placement.rx_ring"),
        ]
