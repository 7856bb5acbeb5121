"""What memory adds to a packet, stage by stage: which level serves each region, and what it costs.

A cache serves what no nearer one does. Scenarios are asked for many machines at once when the size
of the last level is open, so what nearer levels serve is computed once; it is native code
(native/closedform), for it is most of what the closed form computes. `parts` has the same in numpy.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve import _residents
from planecast.engines.solve.cache import Residents
from planecast.engines.solve.hierarchy import LINE_BYTES, Hierarchy, Level
from planecast.engines.solve.regions import Facts, Region, regions_of

Floats = NDArray[np.float64]


MEMORY, WALKS = "memory", "walks"
"""What serves a line that no cache holds; what a translation that the TLB lacks adds."""

FILLED = 0.8
"""Share of a private L2 that scattered regions fill before they evict each other: its sets are not
filled evenly, but by the one region that a probe walks through they are. (Of the L1 it made no
difference here; the last level's size is fitted.)"""

NEIGHBOUR = "neighbour"
"""Stands for the stage of a region that no stage touches."""


def _but_for_last(hierarchy: Hierarchy) -> tuple[object, ...]:
    """What hierarchies have in common that differ in their last level alone."""
    nearer = hierarchy.levels[:-1]
    return (*nearer, hierarchy.flights, hierarchy.walk_cycles, hierarchy.tlb_pages)


@dataclass(frozen=True)
class Company:
    """Neighbours of many scenarios, as the shared cache and memory feel them: arrays of shape
    (scenarios,)."""

    lines: Floats
    """Distinct lines that they touch in order, over and over, in the lcores' part of the last
    level; no more than can lie there."""
    touches: Floats
    """Lines that they touch there while an lcore forwards a packet, divided by the lcores."""
    memory_factor: Floats
    """Latency of memory over what it were without them."""
    lines_per_s: Floats
    """Lines that they touch a second, wherever."""
    memory_gbs: Floats | None = None
    """What they ask of memory, GB/s; None: not told."""

    def region(self) -> Region:
        """Their working set: no stage's, and in no cache of the data plane's own cores."""
        return Region(
            stage=NEIGHBOUR,
            name="working set",
            cyclic=True,
            lines=self.lines,
            touches=self.touches,
            pages=np.zeros_like(self.lines),
            total_lines=self.lines,
            stride=np.full_like(self.lines, 1e30),
        )


@dataclass(frozen=True)
class Weights:
    """What cycles of delay are multiplied with, by stage an array of shape (hierarchies,)."""

    always: Mapping[str, Floats]
    where: Mapping[str, Floats]
    """More of them, times `counts`."""
    counts: Floats
    """Of shape (scenarios,)."""


def _lines(level: Level, nearest: Level) -> float:
    """Lines that regions have of a cache."""
    even = level.shared or level == nearest
    return level.size_bytes / LINE_BYTES * (1.0 if even else FILLED)


def _levels(hierarchy: Hierarchy, levels: Sequence[Level]) -> Floats:
    """Levels as native code has them: lines, cycles a line beyond the first level's, shared."""
    near = hierarchy.levels[0]
    rows = [
        (_lines(level, near), level.line_cycles - near.line_cycles, float(level.shared))
        for level in levels
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def _last_levels(hierarchies: Sequence[Hierarchy]) -> Floats:
    return np.concatenate([_levels(one, one.levels[-1:]) for one in hierarchies])


class Delays:
    """The regions of many scenarios behind any hierarchy of caches."""

    def __init__(
        self,
        facts: Facts,
        company: Company | None = None,
        *,
        regions: Sequence[Region] | None = None,
    ) -> None:
        """`regions` are those of another network function than the model's own."""
        every = regions_of(facts) if regions is None else regions
        self._stages = list(dict.fromkeys(region.stage for region in every))
        # A region that no scenario touches adds nothing, and may be left out.
        self._regions = [r for r in every if np.any(r.touches)]
        if company is not None:
            self._regions.append(company.region())
        self._facts = facts
        self._company = company
        self._touches = np.stack([region.touches for region in self._regions])
        self._served: dict[tuple[Level, ...], tuple[Floats, Floats]] = {}
        self._sharing: Residents | None = None

    def on(self, hierarchies: Sequence[Hierarchy]) -> Iterator[tuple[dict[str, Floats], Floats]]:
        """(delay a packet by stage in TSC cycles, lines a packet from memory) on each of them.

        In native code: the same sums as those of `parts`.
        """
        for _, group in itertools.groupby(hierarchies, key=_but_for_last):
            alike = list(group)
            delay, missed = self._summed(alike)
            for own, lines in zip(delay, missed, strict=True):
                yield dict(zip(self._stages, own, strict=True)), lines

    def _summed(self, hierarchies: Sequence[Hierarchy]) -> tuple[Floats, Floats]:
        """Both of hierarchies that differ in their last level alone, of shape (hierarchies, stages,
        scenarios) and (hierarchies, scenarios)."""
        first, size = hierarchies[0], self._facts.lcores.size
        delay = np.empty((len(hierarchies), len(self._stages), size))
        missed = np.empty((len(hierarchies), size))
        nearer, last = _levels(first, first.levels[:-1]), _last_levels(hierarchies)
        _residents.delays(self._native(first), nearer, last, delay, missed)
        return delay, missed

    def weighted(
        self, hierarchies: Sequence[Hierarchy], weights: Weights, whole: int
    ) -> tuple[dict[str, Floats], Floats, Floats]:
        """On hierarchies that differ in their last level alone: what `on` tells of number `whole`,
        and the weighted sums of the delays on each, of shape (hierarchies, scenarios)."""
        first, size = hierarchies[0], self._facts.lcores.size
        delay, missed = np.empty((len(self._stages), size)), np.empty(size)
        cost = np.empty((len(hierarchies), size))
        always, where = (
            np.stack([table[stage] for stage in self._stages], axis=1)
            for table in (weights.always, weights.where)
        )
        _residents.weighted_delays(
            self._native(first),
            _levels(first, first.levels[:-1]),
            _last_levels(hierarchies),
            always,
            where,
            weights.counts,
            whole,
            delay,
            missed,
            cost,
        )
        return dict(zip(self._stages, delay, strict=True)), missed, cost

    def _native(self, hierarchy: Hierarchy) -> _residents.Regions:
        """The regions as tables, behind a hierarchy but for its levels."""
        ones = np.ones(self._facts.lcores.size)
        far = self._far(hierarchy) - hierarchy.levels[0].line_cycles
        together = hierarchy.together(self._facts.burst)
        numbers = {stage: i for i, stage in enumerate(self._stages)}
        return _residents.Regions(
            np.array([region.cyclic for region in self._regions], dtype=np.bool_),
            np.array([numbers.get(r.stage, len(numbers)) for r in self._regions], dtype=np.int64),
            np.stack([region.lines for region in self._regions]),
            np.stack([region.total_lines for region in self._regions]),
            self._touches,
            np.stack([ones if r.stride is None else r.stride for r in self._regions]),
            np.stack([together if r.asked_for else ones for r in self._regions]),
            self._walk_share(hierarchy) * hierarchy.walk_cycles,
            np.stack([self._facts.lcores, far]),
        )

    def beside(self, hierarchy: Hierarchy) -> tuple[Floats, Floats]:
        """(share of the neighbours' touches that the caches serve, lines that a packet fetches from
        memory) in each scenario."""
        reached, _ = self._behind(hierarchy.levels)
        gone = self._touches * (1 - reached)
        return reached[-1], gone[:-1].sum(axis=0)

    def _far(self, hierarchy: Hierarchy) -> Floats:
        """Cycles a line from memory, but for what `together` makes of the burst."""
        burst = self._facts.burst
        alone = hierarchy.line_cycles(burst) / hierarchy.together(burst)
        return alone if self._company is None else alone * self._company.memory_factor

    def parts(self, hierarchy: Hierarchy) -> dict[str, dict[str, Floats]]:
        """The delay by stage, and what it is the sum of: by the level that serves the lines (those
        beyond the first), ``memory``, and ``walks`` of the page table. TSC cycles a packet."""
        near = hierarchy.levels[0].line_cycles
        together = hierarchy.together(self._facts.burst)
        found: dict[str, dict[str, Floats]] = {stage: {} for stage in self._stages}

        def add(what: str, cost: Floats) -> None:
            for region, own in zip(self._regions, cost, strict=True):
                if region.stage == NEIGHBOUR:
                    continue
                parts = found[region.stage]
                parts[what] = parts.get(what, 0.0) + (own * together if region.asked_for else own)

        nearer = np.zeros_like(self._touches)
        for end, level in enumerate(hierarchy.levels, 1):
            reached, delay = self._behind(hierarchy.levels[:end])
            if end > 1:
                add(level.name, delay - nearer)
            nearer = delay
        missed = self._touches * (1 - reached)
        add(MEMORY, missed * (self._far(hierarchy) - near))
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
        share = self._shares(last, levels[0])
        np.maximum(share, reached, out=share)
        cost = share - reached
        cost *= self._touches
        cost *= last.line_cycles - near
        cost += delay
        found = share, cost
        if not last.shared:
            self._served[levels] = found
        return found

    def _shares(self, level: Level, nearest: Level) -> Floats:
        """Share of touches that a level could serve, of shape (regions, scenarios)."""
        lcores = self._facts.lcores
        capacity = np.full_like(lcores, _lines(level, nearest))
        if not level.shared:
            out = [region.conflicts(capacity) for region in self._regions]
            return Residents(self._regions, lcores, out, shared=False).shares(capacity)
        if self._sharing is None:
            out = [np.zeros_like(lcores, dtype=np.bool_) for _ in self._regions]
            self._sharing = Residents(self._regions, lcores, out, shared=True)
        return self._sharing.shares(capacity)

    def _walk_share(self, hierarchy: Hierarchy) -> Floats:
        """Share of each region's touches that need a page walk, of shape (regions, scenarios); none
        with 2 MiB pages."""
        small = self._facts.small_pages
        if not np.any(small):
            return np.zeros_like(self._touches)
        tables = [region.page_table() for region in self._regions]
        out = [np.zeros_like(small)] * len(tables)
        found = Residents(tables, self._facts.lcores, out, shared=False)
        kept = found.shares(np.full_like(self._facts.lcores, hierarchy.tlb_pages))
        entered = np.stack([table.touches for table in tables])
        per_touch = entered / np.where(self._touches > 0, self._touches, 1.0)
        return np.where(small, per_touch * (1 - kept), 0.0)
