"""Next hop of ip4: the longest prefix, in rte_lpm (`lpm`) or rte_fib's DIR-24-8 (`fib`).

Both have a table of the first 24 bits, and groups of 256 entries for longer prefixes. Eight
packets' entries are gathered at once, but each is one load: no walk, so no lock-step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.workload.flow_regions import PAGE_BYTES, Table, destination_blocks
from planecast.workload.regions import Asked, Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor
from planecast.workload.stages.first_24_bits import ENTRY_ADDRESSES, ENTRY_BYTES, first_table

Floats = NDArray[np.float64]

SPACE = 1 << 30
"""Addresses that destinations are spread over (pktgen_plain.h)."""
FIB_AHEAD = 15
"""Packets that rte_fib's look-up of 4-byte entries prefetches ahead (DPDK 22.11: dir24_8.h)."""
BASE_ROUTES = 256
"""Of mixed routes at most so many split the whole space, and half of the routes (ip4_routes.c)."""
BLOCKS, FIRST_DEPTH, LAST_DEPTH = 64, 9, 32
"""Mixed: flows are in blocks, whose routes' depths go from the first to the last in turn."""
FIRST_BITS = 24
GROUP_BYTES = ENTRY_ADDRESSES * ENTRY_BYTES


class NextHop(StageDescriptor):
    """rte_lpm's first table was asked for by the checks, its groups in a round of their own.
    rte_fib's look-up asks for the first table a few packets ahead, and for groups never."""

    name = "next_hop"

    def regions(self, sizes: Sizes) -> list[Region]:
        runs = sizes.runs(self.name)
        longer = longer_share(sizes, sizes.active_flows)
        groups = Table(
            lines=lambda flows: longer * _blocks(sizes, LINE_BYTES // ENTRY_BYTES, flows),
            # Groups follow each other in the order of routes, four to a page.
            pages=lambda flows: (
                longer * _blocks(sizes, ENTRY_ADDRESSES, flows) * GROUP_BYTES / PAGE_BYTES + 1
            ),
        )
        first = first_table(sizes, SPACE)
        lpm = runs * sizes.is_choice("workload.route_lookup", "lpm")
        fib = runs * sizes.is_choice("workload.route_lookup", "fib")
        several = np.maximum(longer * sizes.burst, 1.0)
        ahead = np.minimum(sizes.burst, FIB_AHEAD)
        return [
            *first.regions(sizes, self.name, "route table", lpm, asked=Asked("check")),
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


def _blocks(sizes: Sizes, addresses: float, flows: Floats) -> Floats:
    return destination_blocks(sizes, SPACE, addresses, flows)


def longer_share(sizes: Sizes, active: Floats) -> Floats:
    """Share of the packets whose first entry names a group: prefixes longer than 24 bits."""
    mixed = sizes.is_choice("workload.route_depth", "mixed")
    routes, flows = sizes.number("workload.routes"), sizes.number("workload.flows")
    others = routes - np.maximum(2.0, np.minimum(routes // 2, BASE_ROUTES))
    covered = np.minimum(1.0, others / _blocks(sizes, ENTRY_ADDRESSES, flows))
    of_mixed = covered * _in_longer_blocks(np.minimum(active, flows), flows) / active
    bits = sizes.columns.choices["workload.route_depth"].each(
        lambda depth: 0.0 if depth == "mixed" else float(depth)
    )
    # Of one depth, routes lie around the destinations of flow 0, 1, 2 ...
    prefixes = destination_blocks(sizes, SPACE, 1.0, active)
    for depth in range(FIRST_BITS + 1, LAST_DEPTH):
        blocks = _blocks(sizes, float(1 << (LAST_DEPTH - depth)), active)
        prefixes = np.where(bits == depth, blocks, prefixes)
    of_one = np.where(bits > FIRST_BITS, np.minimum(1.0, routes / prefixes), 0.0)
    return np.asarray(np.where(mixed, of_mixed, of_one))


def _in_longer_blocks(active: Floats, flows: Floats) -> Floats:
    """How many of the first `active` flows are in blocks of depths beyond the first table's."""
    depths = LAST_DEPTH - FIRST_DEPTH + 1
    own = flows / BLOCKS
    longer = [b for b in range(BLOCKS) if FIRST_DEPTH + b % depths > FIRST_BITS]
    return sum((np.clip(active - b * own, 0.0, own) for b in longer), np.zeros_like(active))
