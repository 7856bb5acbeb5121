"""Routes of ip4, as its data plane makes them (native/dataplane/ip4_routes.c): how many of them the
active flows meet, and how many longer than the first table's 24 bits.

Mixed routes lie around the destinations of `workload.flows` flows in blocks, whose routes are of
one depth each, in turn. Of one depth, they lie around the destinations of flow 0, 1, 2 ...
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from planecast.workload.flow_regions import destination_blocks
from planecast.workload.sizes import Sizes
from planecast.workload.stages.first_24_bits import ENTRY_ADDRESSES, FIRST_BITS

Floats = NDArray[np.float64]

SPACE = 1 << 30
"""Addresses that destinations are spread over (pktgen_plain.h)."""
BASE_ROUTES = 256
"""Of mixed routes at most so many split the whole space, and half of the routes."""
BLOCKS, FIRST_DEPTH, LAST_DEPTH = 64, 9, 32
"""Mixed: flows are in blocks, whose routes' depths go from the first to the last in turn."""


def address_blocks(sizes: Sizes, addresses: float, flows: Floats) -> Floats:
    """Distinct blocks of so many addresses that the destinations of `flows` flows are in."""
    return destination_blocks(sizes, SPACE, addresses, flows)


def longer_share(sizes: Sizes) -> Floats:
    """Share of the packets whose first entry names a group: prefixes longer than 24 bits."""
    routes, flows = sizes.number("workload.routes"), sizes.number("workload.flows")
    others = routes - np.maximum(2.0, np.minimum(routes // 2, BASE_ROUTES))
    covered = np.minimum(1.0, others / address_blocks(sizes, ENTRY_ADDRESSES, flows))
    longer = _over_blocks(sizes, lambda depth, own: own * (depth > FIRST_BITS))
    bits = _depth(sizes)
    of_one = np.where(bits > FIRST_BITS, np.minimum(1.0, routes / _of_one(sizes)), 0.0)
    return np.asarray(np.where(bits == 0.0, covered * longer / sizes.active_flows, of_one))


def routes_met(sizes: Sizes, flows: Floats) -> Floats:
    """Distinct routes that the packets of so many of the active flows take: of all, or of those of
    one lcore, which are some of each block."""
    share = np.minimum(flows / sizes.active_flows, 1.0)

    def met(depth: int, own: Floats) -> Floats:
        around = own * sizes.step / (1 << (LAST_DEPTH - depth))
        return np.minimum(own * share, np.maximum(around, 1.0))

    of_one = np.minimum(flows, _of_one(sizes))
    found = np.where(_depth(sizes) == 0.0, _over_blocks(sizes, met), of_one)
    return np.asarray(np.minimum(found, sizes.number("workload.routes")))


def _depth(sizes: Sizes) -> Floats:
    """Bits of routes that are all of one depth; 0: mixed."""
    return sizes.columns.choices["workload.route_depth"].each(
        lambda depth: 0.0 if depth == "mixed" else float(depth)
    )


def _of_one(sizes: Sizes) -> Floats:
    """Prefixes of the one depth that the active flows' destinations are in."""
    bits = _depth(sizes)
    found = address_blocks(sizes, 1.0, sizes.active_flows)
    for depth in sorted({int(one) for one in np.unique(bits)} - {0, LAST_DEPTH}):
        wide = address_blocks(sizes, float(1 << (LAST_DEPTH - depth)), sizes.active_flows)
        found = np.where(bits == depth, wide, found)
    return found


def _over_blocks(sizes: Sizes, counted: Callable[[int, Floats], Floats]) -> Floats:
    """A sum over the blocks of mixed routes: of what is counted of a block's depth and of how many
    of the active flows are in it."""
    flows = sizes.number("workload.flows")
    active = np.minimum(sizes.active_flows, flows)
    each, found = flows / BLOCKS, np.zeros_like(flows)
    for block in range(BLOCKS):
        own = np.clip(active - block * each, 0.0, each)
        if not np.any(own):
            break
        depth = FIRST_DEPTH + block % (LAST_DEPTH - FIRST_DEPTH + 1)
        found = found + np.where(own > 0.0, counted(depth, own), 0.0)
    return found
