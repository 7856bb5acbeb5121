"""TLB: page walks of tables in pages of 4 KiB, and in larger ones that the host maps by 4 KiB.

A touch whose page the TLB no longer holds takes a walk. A guest's page of 2 MiB is one entry of the
TLB only where the host maps it by one, which a guest can't see; elsewhere its parts of 4 KiB take
an entry each. So tables in large pages have a share of the walks that they would have in small
ones: none on hosts that give guests large pages. The TLB holds pages as caches hold lines
(`machine.cache_sharing`, pages for lines). A walk whose page-table lines lie near takes
`NEAR_WALK`; one over gigabytes takes what the probe measures with eight lines in flight, an upper
bound here: tables of network functions are smaller, and so are their page tables. One that a stage
waits for alone, as look-ups of Open vSwitch do, takes what the probe's lone chases show: the prior
is wide enough for it.

So many walks are done together as a core has walkers, so one that nothing overlaps takes so many
times as long; it comes before a line that was asked for ahead (`machine.asked_ahead`).
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from planecast.machine.cache_sharing import hit_shares
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Floats, Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.machine.tlb_reach import SHAPE
from planecast.workload.profile import WorkloadProfile

WALK, LARGE = "tlb.walk", "tlb.large_pages"
USUAL_LARGE = 0.3
"""Of walks in large pages, over those in small ones: the prior's median."""
NEAR_WALK = 20.0
"""Core cycles of a walk behind a walk cache of the upper levels: one load from L2 (14 cycles on
server cores since 2015) and a start. Not measured; the prior is wide."""
_LEAST_TOUCHES = 1e-9


class Tlb(Mechanism):
    """Address translation."""

    cause = "page walks"
    advice = "2 MiB pages (hugepages, or transparent ones), of a guest's host, too; smaller tables"

    def applies(self, profile: WorkloadProfile) -> bool:
        return bool(profile.pages)

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        clock = 1 / hierarchy.tsc_per_core_cycle
        far, lone = hierarchy.walk_cycles * clock, hierarchy.lone_walk_cycles * clock
        low, high = min(NEAR_WALK, max(far, 0.5)), max(NEAR_WALK, far)
        median = math.sqrt(low * high)
        return (
            Parameter(
                WALK,
                "core cycles/walk",
                median,
                max(math.log(high / low) / 2, math.log(max(lone / median, 1.0)) / 2, 0.4),
                "add a point with placement.page_size=4KiB",
                "core",
            ),
            Parameter(
                LARGE,
                "walks in 2 MiB pages, over those in 4 KiB pages",
                USUAL_LARGE,
                1.0,
                "add a large table with few flows, which touch many pages and few lines",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        each = values[WALK] * hierarchy.tsc_per_core_cycle
        small = profile.small_pages
        large = np.where(small, 0.0, values.get(LARGE, 0.0))
        found = []
        for stage, walks in self.walks(profile, hierarchy).items():
            found.append(Term(stage, self.cause, (WALK,), np.where(small, walks * each, 0.0)))
            found.append(Term(stage, self.cause, (WALK, LARGE), large * walks * each))
        return found

    def walks(self, profile: WorkloadProfile, hierarchy: Hierarchy) -> dict[str, Floats]:
        """Walks a packet by stage, were all pages small."""
        found: dict[str, Floats] = {}
        for table, own in zip(profile.pages, walks_of(profile, hierarchy), strict=True):
            found[table.stage] = own + found.get(table.stage, 0.0)
        return found


class FirstWalk(NamedTuple):
    """TSC cycles by which a region's line comes later for its page walk, on average over its
    touches, which not all take one. Arrays of shape (scenarios,)."""

    small: Floats
    """In pages of 4 KiB: proportional to `WALK`."""
    large: Floats
    """In larger ones: proportional to `WALK` and to `LARGE`."""

    @property
    def cycles(self) -> Floats:
        return self.small + self.large


def first_walks(profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[FirstWalk]:
    """Of each of the profile's `pages`, of a walk that no other one overlaps."""
    if not profile.pages:
        return []
    lone = hierarchy.walks_at_once * values[WALK] * hierarchy.tsc_per_core_cycle
    small = lone * profile.small_pages
    large = lone * values.get(LARGE, 0.0) * ~profile.small_pages
    shares = [
        walks / np.maximum(table.touches, _LEAST_TOUCHES)
        for table, walks in zip(profile.pages, walks_of(profile, hierarchy), strict=True)
    ]
    return [FirstWalk(share * small, share * large) for share in shares]


def walks_of(profile: WorkloadProfile, hierarchy: Hierarchy) -> Floats:
    """Walks a packet of each of the profile's `pages`, were all pages small, of shape (tables,
    scenarios)."""
    return _walks_beyond(profile, hierarchy.tlb_pages)


@functools.lru_cache(maxsize=2)
def _walks_beyond(profile: WorkloadProfile, pages: float) -> Floats:
    """Beyond a TLB of so many pages; no fitted parameter changes them."""
    tables = profile.pages
    touches = np.stack([table.touches for table in tables])
    kept = hit_shares(
        np.array([table.cyclic for table in tables]),
        np.stack([table.lines for table in tables]),
        touches,
        np.full(profile.sizes.columns.size, pages),
        shape=SHAPE,
    )
    return np.asarray(touches * (1 - kept))
