"""Next hop of ip4: the longest prefix, in rte_lpm (`lpm`) or rte_fib's DIR-24-8 (`fib`).

Both have a table of the first 24 bits, and groups of 256 entries for longer prefixes. Eight
packets' entries are gathered at once, but each is one load: no walk, so no lock-step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.workload.flow_regions import Table
from planecast.workload.regions import PAGE_BYTES, Asked, Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import OptionalWork, StageDescriptor
from planecast.workload.stages.first_24_bits import ENTRY_ADDRESSES, ENTRY_BYTES, first_table
from planecast.workload.stages.ip4_routes import SPACE, address_blocks, longer_share

Floats = NDArray[np.float64]

LANES = 8
"""Packets of a round of rte_lpm's look-up (simd.h)."""
FIB_AHEAD = 15
"""Packets that rte_fib's look-up of 4-byte entries prefetches ahead (DPDK 22.11: dir24_8.h)."""
GROUP_BYTES = ENTRY_ADDRESSES * ENTRY_BYTES


class NextHop(StageDescriptor):
    """rte_lpm's first table was asked for by the checks, its groups in a round of their own.
    rte_fib's look-up asks for the first table a few packets ahead, and for groups never."""

    name = "next_hop"
    optional = OptionalWork(
        everywhere={"workload.route_depth": "32"}, nowhere={"workload.route_depth": "24"}
    )

    def optional_share(self, sizes: Sizes) -> Floats:
        """Of rte_lpm's rounds those with a longer prefix among their packets; of rte_fib's
        look-ups those of longer prefixes."""
        longer = longer_share(sizes)
        together = np.where(
            sizes.is_choice("workload.route_lookup", "lpm"), np.minimum(sizes.burst, LANES), 1.0
        )
        return np.asarray(1.0 - (1.0 - longer) ** together)

    def regions(self, sizes: Sizes) -> list[Region]:
        runs = sizes.runs(self.name)
        longer = longer_share(sizes)
        groups = Table(
            lines=lambda flows: longer * address_blocks(sizes, LINE_BYTES // ENTRY_BYTES, flows),
            # Groups follow each other in the order of routes, four to a page.
            pages=lambda flows: (
                longer * address_blocks(sizes, ENTRY_ADDRESSES, flows) * GROUP_BYTES / PAGE_BYTES
                + 1
            ),
        )
        first = first_table(sizes, SPACE)
        lpm = runs * sizes.is_choice("workload.route_lookup", "lpm")
        fib = runs * sizes.is_choice("workload.route_lookup", "fib")
        several = np.maximum(longer * sizes.burst, 1.0)
        ahead = np.minimum(sizes.burst, FIB_AHEAD)
        return [
            *first.regions(sizes, self.name, "route table", lpm, asked=Asked("check", lanes=LANES)),
            *first.regions(sizes, self.name, "fib's route table", fib, in_flight=ahead),
            *groups.regions(
                sizes, self.name, "route groups", lpm * longer, asked=Asked(self.name, "groups")
            ),
            *groups.regions(
                sizes,
                self.name,
                "fib's route groups",
                fib * longer,
                overlap=Overlap.INDEPENDENT,
                in_flight=several,
            ),
        ]
