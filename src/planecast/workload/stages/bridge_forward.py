"""Forwarding of l2bridge: to the port at which the destination was seen."""

from __future__ import annotations

from planecast.workload.regions import Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.bridge_learn import ASKED, stations
from planecast.workload.stages.descriptor import StageDescriptor


class Forward(StageDescriptor):
    """Learning prefetched the buckets, and read the addresses."""

    name = "forward"

    def regions(self, sizes: Sizes) -> list[Region]:
        return stations(sizes).regions(
            sizes,
            self.name,
            "stations",
            sizes.runs(self.name),
            asked=ASKED,
        )
