"""What memory adds to a packet, stage by stage: which level serves each region, and what it costs.

A cache serves what no nearer one does. Scenarios are asked for many machines at once when the size
of the last level is open, so what nearer levels serve is computed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.cache import Residents
from planecast.engines.solve.hierarchy import LINE_BYTES, Flight, Hierarchy, Level
from planecast.engines.solve.regions import Facts, regions_of

Floats = NDArray[np.float64]


MEMORY, WALKS = "memory", "walks"
"""What serves a line that no cache holds; what a translation that the TLB lacks adds."""


class Delays:
    """The regions of many scenarios behind any hierarchy of caches."""

    def __init__(self, facts: Facts) -> None:
        # A region that no scenario touches adds nothing, and may be left out.
        self._regions = [r for r in regions_of(facts) if np.any(r.touches)]
        self._stages = list(dict.fromkeys(region.stage for region in regions_of(facts)))
        self._facts = facts
        self._touches = np.stack([region.touches for region in self._regions])
        self._served: dict[tuple[Level, ...], tuple[Floats, Floats]] = {}
        self._sharing: Residents | None = None

    def on(self, hierarchies: Sequence[Hierarchy]) -> Iterator[tuple[dict[str, Floats], Floats]]:
        """(delay a packet by stage in TSC cycles, lines a packet from memory) on each of them."""
        walking = bool(np.any(self._facts.small_pages))
        memory: dict[tuple[Flight, ...], Floats] = {}
        for hierarchy in hierarchies:
            near = hierarchy.levels[0].line_cycles
            reached, delay = self._behind(hierarchy.levels)
            missed = 1 - reached
            missed *= self._touches
            if hierarchy.flights not in memory:
                memory[hierarchy.flights] = hierarchy.line_cycles(self._facts.burst)
            cost = missed * (memory[hierarchy.flights] - near)
            cost += delay
            # Walks are as likely at any touch: large pages need none.
            if walking:
                cost += self._touches * (self._walk_share(hierarchy) * hierarchy.walk_cycles)
            found: dict[str, Floats] = {}
            for region, own in zip(self._regions, cost, strict=True):
                known = found.get(region.stage)
                found[region.stage] = own if known is None else known + own
            for stage in self._stages:
                found.setdefault(stage, np.zeros_like(self._facts.lcores))
            yield found, missed.sum(axis=0)

    def parts(self, hierarchy: Hierarchy) -> dict[str, dict[str, Floats]]:
        """The delay by stage, and what it is the sum of: by the level that serves the lines (those
        beyond the first), ``memory``, and ``walks`` of the page table. TSC cycles a packet."""
        near = hierarchy.levels[0].line_cycles
        found: dict[str, dict[str, Floats]] = {stage: {} for stage in self._stages}

        def add(what: str, cost: Floats) -> None:
            for region, own in zip(self._regions, cost, strict=True):
                parts = found[region.stage]
                parts[what] = parts.get(what, 0.0) + own

        nearer = np.zeros_like(self._touches)
        for end, level in enumerate(hierarchy.levels, 1):
            reached, delay = self._behind(hierarchy.levels[:end])
            if end > 1:
                add(level.name, delay - nearer)
            nearer = delay
        missed = self._touches * (1 - reached)
        add(MEMORY, missed * (hierarchy.line_cycles(self._facts.burst) - near))
        add(WALKS, self._touches * (self._walk_share(hierarchy) * hierarchy.walk_cycles))
        return found

    def _behind(self, levels: tuple[Level, ...]) -> tuple[Floats, Floats]:
        """(share of touches that these levels serve, what those cost beyond the first level, in
        TSC cycles a packet), by region."""
        if not levels:
            return np.zeros_like(self._touches), np.zeros_like(self._touches)
        known = self._served.get(levels)
        if known is not None:
            return known
        reached, delay = self._behind(levels[:-1])
        last, near = levels[-1], levels[0].line_cycles
        share = self._shares(last)
        np.maximum(share, reached, out=share)
        cost = share - reached
        cost *= self._touches
        cost *= last.line_cycles - near
        cost += delay
        found = share, cost
        if not last.shared:
            self._served[levels] = found
        return found

    def _shares(self, level: Level) -> Floats:
        """Share of touches that a level could serve, of shape (regions, scenarios)."""
        lcores = self._facts.lcores
        capacity = np.full_like(lcores, level.size_bytes / LINE_BYTES)
        if not level.shared:
            out = [region.conflicts(capacity) for region in self._regions]
            return Residents(self._regions, lcores, out, shared=False).shares(capacity)
        if self._sharing is None:
            out = [np.zeros_like(lcores, dtype=np.bool_) for _ in self._regions]
            self._sharing = Residents(self._regions, lcores, out, shared=True)
        return self._sharing.shares(capacity)

    def _walk_share(self, hierarchy: Hierarchy) -> Floats:
        """Share of the touches that need a page walk; none with 2 MiB pages."""
        in_use = sum(
            (np.where(r.touches > 0, r.pages, 0.0) for r in self._regions),
            np.zeros_like(self._facts.lcores),
        )
        beyond = np.clip(1 - hierarchy.tlb_pages / np.maximum(in_use, 1.0), 0.0, 1.0)
        return np.where(self._facts.small_pages, beyond, 0.0)
