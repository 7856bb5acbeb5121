"""Routing of vpe-upstream: longest-prefix match in rte_lpm's table of the first 24 bits."""

from __future__ import annotations

import numpy as np

from planecast.scenario.dataplanes.packets import IPV4_ADDRESSES
from planecast.workload.regions import PAGE_LINES, Asked, Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor
from planecast.workload.stages.first_24_bits import TABLE_LINES

NEXT_HOPS_PER_LINE = 2


class Route(StageDescriptor):
    """Destinations come in order, a step apart, so the table's touched lines are a stride apart."""

    name = "route"

    def regions(self, sizes: Sizes) -> list[Region]:
        runs, destinations = sizes.runs(self.name), sizes.distinct_destinations(IPV4_ADDRESSES)
        lines = np.minimum(destinations, TABLE_LINES)
        hops = np.minimum(sizes.number("workload.routes"), destinations) / NEXT_HOPS_PER_LINE
        return [
            Region(
                stage=self.name,
                name="route table",
                cyclic=True,
                lines=lines,
                touches=runs * lines / destinations,
                pages=np.minimum(lines, TABLE_LINES / PAGE_LINES),
                total_lines=lines,
                overlap=Overlap.PREFETCHED,
                asked=Asked("key"),
                stride=TABLE_LINES // lines,
            ),
            Region(
                stage=self.name,
                name="next hops",
                cyclic=True,
                lines=hops,
                touches=runs * hops / destinations,
                pages=hops / PAGE_LINES + 1,
                total_lines=hops,
                overlap=Overlap.INDEPENDENT,
                in_flight=sizes.burst,
            ),
        ]
