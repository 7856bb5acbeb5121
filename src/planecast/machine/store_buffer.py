"""Store buffer: what stores more than its instructions take to issue is as slow as its stores.

A core commits its stores in order, c cycles each, and holds in its store buffer those that wait.
So a stage that writes s times a packet takes (s - entries / n) · c cycles a packet in bursts of n,
where its instructions take fewer: the buffer fills once a burst, and drains while other stages run.
Sources: 64 entries, and a store a cycle to the L1 on cores up to Skylake and Zen 4 (Fog, The
microarchitecture of Intel, AMD and VIA CPUs; cores since 2015 have 56 to 112); two a cycle since
Ice Lake, of one line, and Zen 5 (Intel's and AMD's optimisation manuals).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

ENTRIES = 64.0
"""Of the buffer; with 56 or 112 calibrations predict points left out as well."""
COMMIT = "stores.commit"
SHARPNESS = 16.0
"""Of the larger of two times, (a^p + b^p)^(1/p): a core does not change from one limit to the other
at a point, and a fit finds its way from one to the other. Chosen by cross-validation over
calibration points (docs/lab-notes/2026-11-25-a-busy-zen-4-guest.md)."""
ONE_A_CYCLE = 1.0
"""What calibrations were made with that don't have it among their parameters."""


class StoreBuffer(Mechanism):
    """Of programs of others, whose packets' makers copy frames; its terms are among the core's,
    because they take the place of the instructions' there."""

    cause = "instructions"
    advice = "smaller frames, wider stores"

    def applies(self, profile: WorkloadProfile) -> bool:
        return bool(profile.stores)

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        # Between a core that commits one a cycle and one that commits two.
        return (
            Parameter(
                COMMIT, "core cycles/store", 0.75, 0.35, "vary traffic.frame_bytes, to 1518", "core"
            ),
        )


def store_waits(
    profile: WorkloadProfile, hierarchy: Hierarchy, issue: Sequence[Term], values: Values
) -> list[Term]:
    """What stages take longer than `issue`, which has a term a stage, because of their stores."""
    each = values.get(COMMIT, ONE_A_CYCLE) * hierarchy.tsc_per_core_cycle
    found = []
    for term in issue:
        stores = profile.stores.get(term.stage)
        if stores is None:
            continue
        commit = np.maximum(stores - ENTRIES / profile.sizes.burst, 0.0) * each
        longer = np.maximum(np.maximum(term.cycles, commit), 1e-300)
        own, theirs = ((cycles / longer) ** SHARPNESS for cycles in (term.cycles, commit))
        whole = longer * (own + theirs) ** (1 / SHARPNESS)
        # What of the whole scales with the stores' time: its slope.
        by_stores = whole * theirs / (own + theirs)
        found.append(Term(term.stage, term.cause, (COMMIT,), by_stores))
        found.append(Term(term.stage, term.cause, term.parameters, whole - by_stores - term.cycles))
    return found
