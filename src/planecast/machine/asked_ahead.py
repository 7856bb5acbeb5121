"""Lines asked for ahead: a pass over a burst asks for its lines before a later one uses them.

Each of a burst's lines from memory takes what memory needs for one of many in flight
(`machine.caches`). In addition the burst waits once, for the first of them that it uses: the others
are on their way, whichever table they are of. What is done between asking and use covers a part of
that latency. With tables in the order of use, x_t a table's share of touches that no cache serves,
m_t a burst's lines of it and n packets a burst,

    wait a burst = Σ_t Π_(s<t) p_s · (1 - p_t) · max(0, L - COVERED n w_t)
    p_t = e_t + (1 - e_t) (1 - x_t)^√(m_t / (1 - e_t))

where L is memory's latency beyond that time of one of many, and w_t are the cycles a packet of the
stages from the one that asks to the one that uses. p_t is the share of bursts none of whose lines
is missed, e_t of those that touch none: (1 - m_t / n)^n of a table that not every packet touches.
Misses come together, so m lines count as √m that are independent. Chosen by cross-validation over
bursts of 1 to 64 packets (docs/lab-notes/2026-11-26-short-bursts.md). Which bursts wait depends on
what the caches serve, and the other way round: native/model/served.cpp finds both together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Term
from planecast.workload.profile import WorkloadProfile
from planecast.workload.regions import Region

Floats = NDArray[np.float64]

COVERED = 0.5
"""Of the cycles between asking and use: the share that passes while a line is on its way."""


class AskedAhead(NamedTuple):
    """The groups of lines that are asked for together, of some regions in many scenarios."""

    group: NDArray[np.int32]
    """By region; -1 where its lines are in none."""
    between: tuple[tuple[Term, ...], ...]
    """By region: what is done between asking and use."""
    covered: Floats
    """TSC cycles a burst of that, of shape (regions, scenarios)."""
    burst: Floats
    """Packets, of shape (scenarios,)."""
    latency: Floats
    """TSC cycles of the first line of memory beyond one of many, of shape (scenarios,)."""

    @classmethod
    def of(
        cls,
        profile: WorkloadProfile,
        regions: Sequence[Region],
        hierarchy: Hierarchy,
        near: Sequence[Term],
        memory_factor: Floats,
    ) -> AskedAhead:
        """`near` are the terms of all stages without caches, `memory_factor` memory's latency over
        what it were without neighbours."""
        size = memory_factor.size
        names = list(dict.fromkeys(one.asked for one in regions if one.asked is not None))
        between = tuple(_between(profile.stages, region, near) for region in regions)
        burst = np.maximum(np.broadcast_to(profile.sizes.burst, (size,)), 1.0)
        first, many = float(hierarchy.line_cycles(np.ones(1))[0]), hierarchy.memory_line_cycles
        covered = [COVERED * burst * sum(term.cycles for term in terms) for terms in between]
        return cls(
            group=np.array(
                [-1 if one.asked is None else names.index(one.asked) for one in regions], np.int32
            ),
            between=between,
            covered=np.array([np.broadcast_to(one, (size,)) for one in covered]),
            burst=burst,
            latency=max(first - many, 0.0) * memory_factor,
        )

    def terms(self, cause: str, regions: Sequence[Region], waits: Floats) -> list[Term]:
        """What packets wait for, from the shares of bursts that wait for a region, of shape
        (regions, scenarios)."""
        found = []
        for region, share, terms in zip(regions, waits, self.between, strict=False):
            if region.asked is None:
                continue
            found.append(Term(region.stage, cause, (), share * self.latency / self.burst))
            for term in terms:
                covered = -COVERED * share * term.cycles
                found.append(Term(region.stage, cause, term.parameters, covered))
        return found


def _between(stages: Sequence[str], region: Region, near: Sequence[Term]) -> tuple[Term, ...]:
    if region.asked is None:
        return ()
    passed = stages[stages.index(region.asked.stage) : stages.index(region.stage) + 1]
    return tuple(term for term in near if term.stage in passed)
