"""Learning of l2bridge: the source address is a station at the port that the packet came in by."""

from __future__ import annotations

import numpy as np

from planecast.workload.flow_regions import Table, hashed
from planecast.workload.regions import Asked, Region
from planecast.workload.sizes import Sizes, filled_buckets
from planecast.workload.stages.descriptor import StageDescriptor

STATIONS_PER_BUCKET = 4
"""In a full bridge: of a bucket's eight places, which are one line, half are free (bridge.c)."""
BUCKETS_MIN = 64
STATIONS_PER_FLOW = 2
"""One at either port; learning looks one of them up, forwarding the other."""


def stations(sizes: Sizes) -> Table:
    """The table of stations, as each of the two stages touches it."""
    buckets = filled_buckets(sizes.number("workload.bridge_entries"), STATIONS_PER_BUCKET)
    buckets = np.maximum(buckets, BUCKETS_MIN)
    return hashed(buckets, STATIONS_PER_FLOW, tables=STATIONS_PER_FLOW)


AHEAD = 12
"""Packets whose stations it asks for ahead of the one that it looks up (bridge_learn.c)."""
ASKED = Asked("learn", ahead=AHEAD)


class Learn(StageDescriptor):
    """It prefetches the buckets of source and destination together. The destination's count where
    forwarding uses them; without that stage they are asked for all the same. A station that is
    known is not written."""

    name = "learn"
    reads_headers = True

    def regions(self, sizes: Sizes) -> list[Region]:
        runs, table = sizes.runs(self.name), stations(sizes)
        unused = runs * (1 - sizes.runs("forward"))
        return [
            *table.regions(sizes, self.name, "stations", runs, asked=ASKED),
            *table.regions(sizes, self.name, "destinations", unused, asked=ASKED),
        ]
