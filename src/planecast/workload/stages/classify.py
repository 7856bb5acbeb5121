"""Flow classification of vpe-upstream: the flow key's entry in a hash of `workload.flows` keys."""

from __future__ import annotations

import numpy as np

from planecast.workload.regions import Asked, Overlap, Region
from planecast.workload.sizes import Sizes, filled_buckets, reached
from planecast.workload.stages.descriptor import StageDescriptor

FLOWS_PER_BUCKET = 4
"""Of planecast's own table (flow_table.h), on average: a bucket is one line."""
LIBRARY_BUCKET_ENTRIES = 8
"""rte_hash: a bucket is one line of eight signatures and indices."""
LIBRARY_KEYS_PER_LINE = 4
"""rte_hash: eight bytes of data and eight of key."""


class Classify(StageDescriptor):
    """The library's bulk look-up asks for the primary and the secondary bucket of every key."""

    name = "classify"

    def regions(self, sizes: Sizes) -> list[Region]:
        runs = sizes.runs(self.name)
        library = sizes.is_choice("workload.flow_table", "rte_hash")
        entries = np.where(library, LIBRARY_BUCKET_ENTRIES, FLOWS_PER_BUCKET)
        buckets = filled_buckets(np.maximum(sizes.number("workload.flows"), 8), entries)
        asked = np.where(library, 2.0, 1.0)
        own = reached(buckets, asked * sizes.active_flows / sizes.lcores)
        every = reached(buckets, asked * sizes.active_flows)
        found = []
        for share, all_flows in sizes.by_class:
            flows = all_flows / sizes.lcores
            # Of the lines that all flows touch, a class has those of its part of the flows.
            part = all_flows / np.maximum(sizes.active_flows, 1e-9)
            found += [
                Region(
                    stage=self.name,
                    name="flow buckets",
                    cyclic=False,
                    lines=own * part,
                    touches=asked * runs * share,
                    pages=np.minimum(own * part, (buckets / 64 + 1) * part),
                    total_lines=every * part,
                    overlap=Overlap.PREFETCHED,
                    asked=Asked("key"),
                ),
                Region(
                    stage=self.name,
                    name="flow keys",  # of the library's table alone
                    cyclic=False,
                    lines=flows / LIBRARY_KEYS_PER_LINE + part,
                    touches=np.where(library, runs, 0.0) * share,
                    pages=flows / LIBRARY_KEYS_PER_LINE / 64 + part,
                    total_lines=all_flows / LIBRARY_KEYS_PER_LINE + part,
                    overlap=Overlap.PREFETCHED,
                    asked=Asked("key"),
                ),
            ]
        return found
