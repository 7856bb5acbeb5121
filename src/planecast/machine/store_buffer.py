"""Store buffer: what stores more than its instructions take to issue is as slow as its stores.

A core commits a store a cycle to its first cache, and holds in its store buffer those that wait. So
a stage that writes s times a packet takes (s - entries / n) cycles a packet in bursts of n, where
its instructions take fewer: the buffer fills once a burst, and drains while other stages run.
Sources: one store a cycle to the L1 and 64 entries (Fog, The microarchitecture of Intel, AMD and
VIA CPUs, Zen 1 to 4; cores since 2015 have 56 to 112, and newer ones join stores of a line).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Term
from planecast.workload.profile import WorkloadProfile

ENTRIES = 64.0
"""Of the buffer; with 56 or 112 calibrations predict points left out as well."""
STORES_A_CYCLE = 1.0


def store_waits(
    profile: WorkloadProfile, hierarchy: Hierarchy, issue: Sequence[Term]
) -> list[Term]:
    """What stages take longer than `issue`, which has a term a stage, because of their stores."""
    clock = hierarchy.tsc_hz / hierarchy.core_hz
    found = []
    for term in issue:
        stores = profile.stores.get(term.stage)
        if stores is None:
            continue
        waiting = np.maximum(stores - ENTRIES / profile.sizes.burst, 0.0)
        commit = waiting / STORES_A_CYCLE * clock
        bound = (commit > term.cycles).astype(np.float64)
        # The stores' time in place of the instructions', and no parameter decides on it.
        found.append(Term(term.stage, term.cause, (), bound * commit))
        found.append(Term(term.stage, term.cause, term.parameters, -bound * term.cycles))
    return found
