"""Rewrite of ip4: MAC addresses of the next hop, TTL, checksum; counters of the next hop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.workload.flow_regions import Reach, Table
from planecast.workload.regions import Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor
from planecast.workload.stages.ip4_routes import routes_met

Floats = NDArray[np.float64]

HOP_BYTES = 16
COUNT_BYTES = 16
"""Packets and bytes sent to a next hop; each lcore counts for itself (ip4.h)."""


class Rewrite(StageDescriptor):
    """The next hops' numbers are known when it starts: its loads wait for no other load."""

    name = "rewrite"

    @staticmethod
    def _met(sizes: Sizes, lines: Floats) -> Reach:
        return lambda flows: np.minimum(lines, routes_met(sizes, flows))

    def regions(self, sizes: Sizes) -> list[Region]:
        hops = np.minimum(sizes.number("workload.next_hops"), sizes.number("workload.routes"))
        found = []
        for name, size, own in (("next hops", HOP_BYTES, False), ("counters", COUNT_BYTES, True)):
            table = Table(lines=self._met(sizes, hops * size / LINE_BYTES), each_lcore=own)
            found += table.regions(
                sizes, self.name, name, sizes.runs(self.name), overlap=Overlap.INDEPENDENT
            )
        return found
