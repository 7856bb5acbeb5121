"""Routing of vpe-downstream: the next hop by the destination's prefix, or by the five-tuple."""

from __future__ import annotations

import numpy as np

from planecast.cache_line import LINE_BYTES
from planecast.scenario.dataplanes.packets import IPV4_ADDRESSES
from planecast.workload.flow_regions import Table, hashed
from planecast.workload.regions import Asked, Region
from planecast.workload.sizes import Sizes, filled_buckets
from planecast.workload.stages.descriptor import StageDescriptor
from planecast.workload.stages.first_24_bits import first_table
from planecast.workload.stages.qinq import NEXT_HOPS, next_hops
from planecast.workload.stages.rte_hash import (
    BUCKET_ENTRIES,
    BUCKETS_ASKED,
    BULK,
    entry_lines,
)

KEY_BYTES = 16
"""Of a five-tuple in rte_hash."""
ROUTE_BYTES = 4
"""A flow's route, in an array by flow."""


class Downroute(StageDescriptor):
    """One pass reads headers and prefetches, another looks up. It prefetches next hops, which count
    where the encapsulation uses them; without that stage they are asked for all the same."""

    name = "downroute"
    reads_headers = True

    def regions(self, sizes: Sizes) -> list[Region]:
        runs = sizes.runs(self.name)
        lpm = runs * sizes.is_choice("workload.down_lookup", "lpm")
        by_hash = runs * sizes.is_choice("workload.down_lookup", "hash")
        entries = np.maximum(sizes.number("workload.flows"), BUCKET_ENTRIES)
        buckets = hashed(filled_buckets(entries, BUCKET_ENTRIES), BUCKETS_ASKED)
        keys = Table(lines=lambda flows: flows * entry_lines(KEY_BYTES))
        routes = Table(lines=lambda flows: flows * ROUTE_BYTES / LINE_BYTES)
        bulk = np.minimum(sizes.burst, BULK)
        unused = runs * (1 - sizes.runs("qinq"))
        return [
            *first_table(sizes, IPV4_ADDRESSES).regions(
                sizes, self.name, "route table", lpm, asked=Asked(self.name, "routes")
            ),
            *buckets.regions(
                sizes, self.name, "flow buckets", BUCKETS_ASKED * by_hash, in_flight=bulk
            ),
            *keys.regions(sizes, self.name, "flow keys", by_hash, in_flight=bulk),
            *routes.regions(
                sizes, self.name, "routes of flows", by_hash, asked=Asked(self.name, "flows")
            ),
            *next_hops(sizes).regions(sizes, self.name, "next hops", unused, asked=NEXT_HOPS),
        ]
