"""Flow actions of vpe-upstream: metering, policing and counters, an array of flows by class."""

from __future__ import annotations

from planecast.workload.flow_regions import Table
from planecast.workload.regions import PAGE_LINES, Asked, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor

CLASSES_MET = 3
"""Traffic classes that the usual code points are of (config.c). A flow has a line in the array of
each class (actions.c), of which its packets touch one."""


class Actions(StageDescriptor):
    """An entry is a line and is written, too; it was asked for with the intent to write."""

    name = "actions"

    def regions(self, sizes: Sizes) -> list[Region]:
        table = Table(
            lines=lambda flows: flows,
            pages=lambda flows: flows * CLASSES_MET / PAGE_LINES + 1,
        )
        runs = sizes.runs(self.name)
        return table.regions(sizes, self.name, "flow actions", runs, asked=Asked("key"))
