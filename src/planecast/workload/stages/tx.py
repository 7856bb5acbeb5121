"""TX: hands packets back to the pool, or to the next interface."""

from __future__ import annotations

from planecast.workload.regions import Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor
from planecast.workload.stages.source import ring_slots


class Tx(StageDescriptor):
    """Of every network function; it moves pointers, and touches no buffer."""

    name = "tx"
    instructions_depend_on = ("forward",)  # which chooses each packet's port

    def regions(self, sizes: Sizes) -> list[Region]:
        return [ring_slots(sizes, self.name, "transmit ring", "placement.tx_ring")]
