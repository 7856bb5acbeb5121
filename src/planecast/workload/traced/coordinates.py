"""Coordinates: the scale on which a key changes a program's work in a straight line, where that is
known; and keys that change it together. Of any other key and program it is the key's logarithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.scenario.dataplanes.routes import base_routes
from planecast.scenario.frames import FCS_BYTES

Floats = NDArray[np.float64]

FLOWS, FRAME = "traffic.flows", "traffic.frame_bytes"
ROTATION = "share of packet buffers from the pool's ring"
"""No key of a scenario: it follows from its burst (`rotation`)."""
MASKS, RULES, ROUTES = "dataplane.masks", "dataplane.rules", "dataplane.routes"
EXACT_FLOWS = 8192
"""Entries of Open vSwitch's exact-match cache (EM_FLOW_HASH_ENTRIES in dpif-netdev-private-dfc.h);
a flow may stand in two of them (EM_FLOW_HASH_SEGS)."""
STORES_OF_A_LINE, STORES_OF_A_HEADER = 4, 6
BEND = 6.0
"""Of a simulated cache of that size with 512 to 65,536 flows: within 0.01 of all; and of what the
switch counted with 2,048 to 32,768."""


def logarithm(values: Floats) -> Floats:
    """Of a key whose effect grows by its ratio."""
    return np.asarray(np.log(np.maximum(values, 1e-9)))


def exact_misses(flows: Floats) -> Floats:
    """Share of the packets that Open vSwitch's exact-match cache misses, of so many random flows.

    Each entry that some flow may stand in holds one at most: of n that are 1 - exp(-2F/n), as balls
    in bins of which each ball has two. So the share that is held is the lesser of 1 and that over
    the load F/n, with a bend as round as a simulated cache shows (`BEND`); that of few flows is 1.
    """
    load = np.maximum(np.asarray(flows, dtype=np.float64), 1e-9) / EXACT_FLOWS
    room = -np.expm1(-2 * load) / load
    return np.asarray(1 - (1 + room**-BEND - 2.0**-BEND) ** (-1 / BEND))


def frame_lines(values: Floats) -> Floats:
    """Lines of 64 bytes of frames of so many bytes, checksum included, which is not in memory: the
    port in memory writes whole lines (native/meter/frames.c)."""
    return np.asarray(np.ceil((np.asarray(values, dtype=np.float64) - FCS_BYTES) / LINE_BYTES))


def frame_stores(values: Floats) -> Floats:
    """Stores of 16 bytes with which the port in memory makes such a packet, as DPDK for any x86-64
    does (rte_mov64), and those of addresses, checksum, lengths and packet type."""
    return STORES_OF_A_LINE * frame_lines(values) + STORES_OF_A_HEADER


Scale = Callable[[Floats], Floats]
SCALES: Mapping[str, Scale] = {FRAME: frame_lines, ROTATION: np.asarray}
"""By key, for whatever program; the lines of a frame are copied."""
INSTRUCTIONS: Mapping[tuple[str, str], Scale] = {("ovs", FLOWS): exact_misses}
"""By program and key, for its instructions."""
TOGETHER: Mapping[str, tuple[tuple[str, str], ...]] = {
    "ovs": ((FLOWS, MASKS), (FLOWS, RULES)),
    **dict.fromkeys(("l3fwd", "l3fwd fib"), ((FLOWS, ROUTES),)),
    "vpp ip4": ((FLOWS, ROUTES), (FLOWS, FRAME)),
    **{f"vpp {graph}": ((FLOWS, FRAME),) for graph in ("l2xc", "l2patch", "l2bridge", "ip6")},
}
"""By program: masks are tried for packets that the exact-match cache misses,
and no more rules or routes are met than there are flows. VPP copies each flow's frame from a
capture that has them all."""
BENDS: Mapping[str, Mapping[str, str]] = {"ovs": {FLOWS: RULES}}
"""By program: a key that is traced at the values of another, too. Each flow meets a megaflow of its
own until flows are as many as rules: there the lines that they touch together bend."""

OWN_TABLES = frozenset({"ovs"})
"""Programs in which each lcore has tables of its own; in others all lcores read the same ones."""


def of_one_lcore(subject: str, values: Mapping[str, Floats], lcores: Floats) -> dict[str, Floats]:
    """The keys' values as one of several lcores has them: RSS divides flows, and with them l3fwd's
    routes, which lie around their destinations. `lcores` is of shape (scenarios,)."""
    divided = (FLOWS, ROUTES) if subject in SHARES else (FLOWS,)
    own = {key: np.maximum(values[key] / lcores, 1.0) for key in divided if key in values}
    return {**values, **own}


def own_routes(values: Mapping[str, Floats]) -> Floats:
    """Share of the flows around whose destinations a route lies, where depths are mixed: some of
    these routes are deeper than 24 bits, and a look-up takes a second table (l3fwd), or one more
    (VPP)."""
    others = [routes - base_routes(round(routes)) for routes in values[ROUTES].tolist()]
    return np.asarray(np.clip(np.array(others) / np.maximum(values[FLOWS], 1), 0, 1))


class Share(NamedTuple):
    """A share of the packets that several keys decide together, and that instructions follow."""

    keys: tuple[str, ...]
    of: Callable[[Mapping[str, Floats]], Floats]


SHARES: Mapping[str, Share] = dict.fromkeys(
    ("l3fwd", "l3fwd fib", "vpp ip4"), Share((FLOWS, ROUTES), own_routes)
)
"""By program."""


def bends(subject: str, key: str) -> str | None:
    """The key at whose values this one is traced, too."""
    return BENDS.get(subject, {}).get(key)


def together(subject: str) -> tuple[tuple[str, str], ...]:
    """Pairs of keys of a program that act together; a switch without that cache has none."""
    return TOGETHER.get(subject, ())
