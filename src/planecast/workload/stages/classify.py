"""Flow classification of vpe-upstream: the flow key's entry in a hash of `workload.flows` keys."""

from __future__ import annotations

import numpy as np

from planecast.workload.flow_regions import Table, hashed
from planecast.workload.regions import PAGE_LINES, Asked, Region
from planecast.workload.sizes import Sizes, filled_buckets
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
        keys = Table(
            lines=lambda flows: flows / LIBRARY_KEYS_PER_LINE + 1,
            pages=lambda flows: flows / LIBRARY_KEYS_PER_LINE / PAGE_LINES + 1,
        )
        by_library = np.where(library, runs, 0.0)
        own = Asked("key")
        return [
            *hashed(buckets, asked).regions(
                sizes, self.name, "flow buckets", asked * runs, asked=own
            ),
            *keys.regions(sizes, self.name, "flow keys", by_library, asked=own),
        ]
