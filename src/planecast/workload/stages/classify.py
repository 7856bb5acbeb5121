"""Flow classification of vpe-upstream: the flow key's entry in a hash of `workload.flows` keys."""

from __future__ import annotations

import numpy as np

from planecast.workload.flow_regions import Table, hashed
from planecast.workload.regions import PAGE_LINES, Asked, Region
from planecast.workload.sizes import Sizes, filled_buckets
from planecast.workload.stages.descriptor import StageDescriptor
from planecast.workload.stages.rte_hash import BUCKET_ENTRIES, BUCKETS_ASKED, entry_lines

FLOWS_PER_BUCKET = 4
"""Of planecast's own table (flow_table.h), on average: a bucket is one line."""
KEY_BYTES = 8
"""In rte_hash, which `workload.flow_table` can choose instead."""


class Classify(StageDescriptor):
    """Of the library's table it asks for two buckets a key, and for the key."""

    name = "classify"

    def regions(self, sizes: Sizes) -> list[Region]:
        runs = sizes.runs(self.name)
        library = sizes.is_choice("workload.flow_table", "rte_hash")
        entries = np.where(library, BUCKET_ENTRIES, FLOWS_PER_BUCKET)
        flows = np.maximum(sizes.number("workload.flows"), BUCKET_ENTRIES)
        buckets = filled_buckets(flows, entries)
        asked = np.where(library, BUCKETS_ASKED, 1.0)
        each = entry_lines(KEY_BYTES)
        keys = Table(
            lines=lambda flows: flows * each + 1,
            pages=lambda flows: flows * each / PAGE_LINES + 1,
        )
        by_library = np.where(library, runs, 0.0)
        own = Asked("key")
        return [
            *hashed(buckets, asked).regions(
                sizes, self.name, "flow buckets", asked * runs, asked=own
            ),
            *keys.regions(sizes, self.name, "flow keys", by_library, asked=own),
        ]
