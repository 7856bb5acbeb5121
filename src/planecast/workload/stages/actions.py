"""Flow actions of vpe-upstream: metering, policing and counters, an array of flows by class."""

from __future__ import annotations

import numpy as np

from planecast.workload.regions import Asked, Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor

CLASSES_MET = 3
"""Traffic classes that the usual code points are of (config.c). A flow has a line in the array of
each class (actions.c), of which its packets touch one."""


class Actions(StageDescriptor):
    """An entry is a line and is written, too; it was asked for with the intent to write."""

    name = "actions"

    def regions(self, sizes: Sizes) -> list[Region]:
        return [
            Region(
                stage=self.name,
                name="flow actions",
                cyclic=False,
                lines=flows / sizes.lcores,
                touches=sizes.runs(self.name) * share,
                pages=flows * CLASSES_MET / 64 / sizes.lcores
                + flows / np.maximum(sizes.active_flows, 1e-9),
                total_lines=flows,
                overlap=Overlap.PREFETCHED,
                asked=Asked("key"),
            )
            for share, flows in sizes.by_class
        ]
