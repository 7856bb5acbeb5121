"""Encapsulation of vpe-downstream: MAC addresses and two VLAN tags of the next hop."""

from __future__ import annotations

import numpy as np

from planecast.cache_line import LINE_BYTES
from planecast.scenario.dataplanes.packets import IPV4_ADDRESSES
from planecast.workload.flow_regions import Table, destination_blocks
from planecast.workload.regions import Asked, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor
from planecast.workload.stages.source import buffer_lines

HOP_BYTES = 32
"""struct qinq_hop (downstream.h)."""
NEXT_HOPS = Asked("downroute", "next hops")
HEADROOM_LINES = 1
"""The tags are eight bytes more than what stood before the IPv4 header."""


def next_hops(sizes: Sizes) -> Table:
    """One of each route; flows share a route whose destinations it has."""
    lines = np.maximum(sizes.number("workload.routes") * HOP_BYTES / LINE_BYTES, 1.0)
    return Table(
        lines=lambda flows: np.minimum(lines, destination_blocks(sizes, IPV4_ADDRESSES, 1.0, flows))
    )


class Qinq(StageDescriptor):
    """Routing prefetched the next hops. What comes before a frame lies in its buffer's headroom,
    the last line of which nobody else touches: a frame begins with a line."""

    name = "qinq"

    def regions(self, sizes: Sizes) -> list[Region]:
        runs = sizes.runs(self.name)
        return [
            *next_hops(sizes).regions(sizes, self.name, "next hops", runs, asked=NEXT_HOPS),
            buffer_lines(sizes, self.name, "headroom", HEADROOM_LINES, HEADROOM_LINES * runs),
        ]
