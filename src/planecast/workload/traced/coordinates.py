"""Coordinates: the scale on which a key changes a program's work in a straight line, where that is
known; and keys that change it together. Of any other key and program it is the key's logarithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FLOWS, FRAME, MASKS = "traffic.flows", "traffic.frame_bytes", "dataplane.masks"
EXACT_FLOWS = 8192
"""Entries of Open vSwitch's exact-match cache (EM_FLOW_HASH_ENTRIES in dpif-netdev-private-dfc.h);
a flow may stand in two of them (EM_FLOW_HASH_SEGS)."""
BEND = 7.0
"""Of simulated caches of 128 entries at loads of 0.4 to 8: within 0.02 of all."""


def logarithm(values: Floats) -> Floats:
    """Of a key whose effect grows by its ratio."""
    return np.asarray(np.log(np.maximum(values, 1e-9)))


def exact_misses(flows: Floats) -> Floats:
    """Share of the packets that Open vSwitch's exact-match cache misses, of so many random flows.

    Each entry that some flow may stand in holds one at most: of n that are 1 - exp(-2F/n), as balls
    in bins of which each ball has two. So the share that is held is the lesser of 1 and that over
    the load F/n, with a bend as round as a simulated cache shows (`BEND`).
    """
    load = np.maximum(np.asarray(flows, dtype=np.float64), 1e-9) / EXACT_FLOWS
    room = -np.expm1(-2 * load) / load
    return np.asarray(1 - (1 + room**-BEND) ** (-1 / BEND))


def plain(values: Floats) -> Floats:
    """Of a key each unit of which costs the same."""
    return np.asarray(values, dtype=np.float64)


Scale = Callable[[Floats], Floats]
SCALES: Mapping[str, Scale] = {FRAME: plain}
"""By key, for whatever program; the bytes of a frame are copied."""
INSTRUCTIONS: Mapping[tuple[str, str], Scale] = {("ovs", FLOWS): exact_misses}
"""By program and key, for its instructions."""
TOGETHER: Mapping[str, tuple[tuple[str, str], ...]] = {"ovs": ((FLOWS, MASKS),)}
"""By program: masks are tried for packets that the exact-match cache misses."""


def together(subject: str) -> tuple[tuple[str, str], ...]:
    """Pairs of keys of a program that act together; a switch without that cache has none."""
    return TOGETHER.get(subject, ())
