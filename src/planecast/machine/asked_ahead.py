"""Lines asked for ahead: a pass over a burst asks for lines some time before they are used.

Each of a burst's lines takes what its level needs for one of many in flight (`machine.caches`). In
addition the burst waits once, for the first of them that it uses: the others are on their way,
whichever table they are of. What is done between asking and use covers a part of that latency. For
the last level, and for what memory takes beyond it, with tables in the order of use, x_t a table's
share of touches that no nearer level serves, m_t a burst's lines of it and n packets a burst,

    wait a burst = Σ_t Π_(s<t) p_s · (1 - p_t) · max(0, L + v_t - n w_t - W)
    p_t = e_t + (1 - e_t) (1 - x_t)^((m_t / (1 - e_t))^⅔)

where L is the level's latency beyond that time of one of many, v_t that of the page walk before the
first line, as often as one of the table's touches takes one (`machine.tlb`), and w_t are the cycles
a packet of the stages from the one that asks to the one that uses, of which a fifth count: it uses
the first line before it has done much. Those of the first round count nothing where packets go in
rounds, whose lines are asked for at their ends. Between two passes of one stage nothing covers: the
core is at the second pass before the first one's addresses are known. A pass that uses lines
itself, a few packets behind the one it asks for, waits once for so many packets, and all that it
does for packets behind the first of these covers. W is what the core does behind a load that waits,
until its reorder buffer is full: instructions of later packets, stages and bursts (Karkhanis,
Smith, A first-order superscalar processor model, ISCA 2004: a long miss costs its latency less the
time in which the window fills). p_t is the share of bursts none of whose lines is missed, e_t of
those that touch none: (1 - m_t / n)^n of a table that not every packet touches. Misses come
together, so m lines count as m^⅔ that are missed each for itself. Chosen by cross-validation over
bursts of 1 to 64 packets
(docs/lab-notes/2026-11-26-short-bursts.md, docs/lab-notes/2026-11-27-routes-that-are-met.md,
docs/lab-notes/2026-11-27-lost-prefetches.md, docs/lab-notes/2026-11-27-an-ice-lake-guest.md,
docs/lab-notes/2026-11-28-behind-a-load.md, docs/lab-notes/2026-11-29-walks-before-lines.md).
Which bursts wait depends on what the caches serve, and the other way round: native/model finds both
together (asked_ahead.hpp, served.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Term, Values
from planecast.machine.tlb import LARGE, WALK, FirstWalk, Tlb, first_walks
from planecast.workload.profile import WorkloadProfile
from planecast.workload.regions import Region

Floats = NDArray[np.float64]

USING = 0.2
"""Of the cycles of the stage that uses the lines: the share that passes before it uses the first
one."""
WINDOW = 256.0
"""Instructions that a core has in flight behind a load that waits: reorder buffers of server cores
have 224 (Zen 2) to 512 entries (Golden Cove), a micro-operation in each."""
PER_CYCLE = 3.0
"""So many of them a core cycle, with every access near (`machine.core`)."""
_LEAST_CYCLES = 1e-9


class AskedAhead(NamedTuple):
    """The groups of lines that are asked for together, of some regions in many scenarios."""

    group: NDArray[np.int32]
    """By region; -1 where its lines are in none."""
    between: tuple[tuple[Term, ...], ...]
    """By region: what is done between asking and use, and behind the load that waits."""
    walks: Sequence[FirstWalk]
    """By region: what comes before a line of it."""
    covered: Sequence[Floats | float]
    """By region: TSC cycles that cover a wait, less those of the page walk before it."""
    together: Sequence[Floats]
    """By region: packets whose lines are waited for once."""
    latency: Floats
    """TSC cycles of the first line beyond one of many, of the last level and of memory: of shape
    (2, scenarios)."""

    @classmethod
    def of(
        cls,
        profile: WorkloadProfile,
        regions: Sequence[Region],
        hierarchy: Hierarchy,
        near: Sequence[Term],
        *,
        memory_factor: Floats,
        values: Values,
    ) -> AskedAhead:
        """`near` are the terms of all stages without caches, `memory_factor` memory's latency over
        what it were without neighbours."""
        size = memory_factor.size
        names = list(dict.fromkeys(one.asked for one in regions if one.asked is not None))
        burst = np.maximum(np.broadcast_to(profile.sizes.burst, (size,)), 1.0)
        window = WINDOW / PER_CYCLE * hierarchy.tsc_per_core_cycle
        passed = tuple(
            (*between(profile.stages, region, near, burst), *behind(region, window, burst))
            for region in regions
        )
        one, many = np.ones(1), np.full(1, np.inf)
        level = hierarchy.levels[-1]
        last = hierarchy.near_cycles(level, one) - hierarchy.near_cycles(level, many)
        first, each = (hierarchy.line_cycles(width, memory_factor) for width in (one, many))
        together = [waiting_together(region, burst) for region in regions]
        # Pages are in the order of the regions of data planes of ours: others ask for none ahead.
        walks = first_walks(profile, hierarchy, values) if names else []
        none = FirstWalk(np.zeros(size), np.zeros(size))
        walks += [none] * (len(regions) - len(walks))
        covered = [
            packets * sum(term.cycles for term in terms) - walk.cycles
            for packets, terms, walk in zip(together, passed, walks, strict=True)
        ]
        return cls(
            group=np.array(
                [-1 if one.asked is None else names.index(one.asked) for one in regions], np.int32
            ),
            between=passed,
            walks=walks,
            covered=covered,
            together=together,
            latency=np.maximum([last + np.zeros(size), first - each], 0.0),
        )

    def terms(self, causes: Sequence[str], regions: Sequence[Region], waits: Floats) -> list[Term]:
        """What packets wait for, from the shares of bursts that wait for a region, for the last
        level and for memory, whose names are `causes`: of shape (2, regions, scenarios)."""
        last, memory = self.latency
        found = []
        for places in self._alike(regions):
            stage, together = regions[places[0]].stage, self.together[places[0]]
            covered = np.array([self.covered[place] for place in places]) >= last
            first = waits[0, places], waits[1, places] * covered
            # A burst that waits for memory has waited for the last level, where bursts do.
            waited = (waits[1, places] * ~covered).sum(axis=0) * last
            for cause, begun, cycles in (
                (causes[0], first[0], waits[0, places].sum(axis=0) * last),
                (causes[1], first[1], waits[1, places].sum(axis=0) * memory - waited),
            ):
                if cycles.any():
                    found.append(Term(stage, cause, (), cycles / together))
                    found += self._begun(stage, cause, places, begun)
        return found

    def _begun(
        self, stage: str, cause: str, places: Sequence[int], begun: Floats
    ) -> Iterator[Term]:
        """What the shares of bursts that begin to wait for these regions there wait longer for page
        walks, and less for what is done in between: that covers the walks first."""
        together, covers = self.together[places[0]], self.between[places[0]]
        cover = together * sum(term.cycles for term in covers)
        walks = [self.walks[place] for place in places]
        of_walks = np.array([np.minimum(walk.cycles, cover) for walk in walks])
        hidden = (begun * of_walks).sum(axis=0) / np.maximum(cover, _LEAST_CYCLES)
        for term in covers:
            yield Term(stage, Tlb.cause, term.parameters, -hidden * term.cycles)
            rest = begun.sum(axis=0) - hidden
            yield Term(stage, cause, term.parameters, -rest * term.cycles)
        for parameters, longer in (
            ((WALK,), [walk.small for walk in walks]),
            ((WALK, LARGE), [walk.large for walk in walks]),
        ):
            cycles = (begun * np.array(longer)).sum(axis=0) / together
            yield Term(stage, Tlb.cause, parameters, cycles)

    def _alike(self, regions: Sequence[Region]) -> list[list[int]]:
        """Places of regions that are asked for ahead; together those between whose asking and use
        the same is done."""
        found: dict[tuple[str, object], list[int]] = {}
        for place, region in enumerate(regions):
            if region.asked is not None:
                found.setdefault((region.stage, region.asked), []).append(place)
        return list(found.values())


def between(
    stages: Sequence[str], region: Region, near: Sequence[Term], burst: Floats
) -> tuple[Term, ...]:
    """What of the stages from the one that asks to the one that uses passes while lines are on
    their way, if anything does: a term for each set of parameters that it depends on."""
    if region.asked is None:
        return ()
    ahead = _own_ahead(region)
    if region.asked.stage == region.stage and not ahead:
        return ()
    passed = stages[stages.index(region.asked.stage) : stages.index(region.stage) + 1]
    uncovered = ahead or region.asked.lanes
    later = 1.0 - np.minimum(uncovered, burst) / burst
    found: dict[tuple[str, ...], Floats] = {}
    for term in near:
        if term.stage in passed:
            share = USING if term.stage == region.stage and not ahead else 1.0
            cycles = term.cycles * (share * later if uncovered else share)
            known = found.get(term.parameters)
            found[term.parameters] = cycles if known is None else known + cycles
    return tuple(Term(region.stage, "", *each) for each in found.items())


def behind(region: Region, window: float, burst: Floats) -> tuple[Term, ...]:
    """A packet's share of what the core does behind the load that waits: `window` TSC cycles for
    all packets whose lines are waited for once."""
    if region.asked is None:
        return ()
    return (Term(region.stage, "", (), window / waiting_together(region, burst)),)


def waiting_together(region: Region, burst: Floats) -> Floats:
    """Packets whose lines are waited for once: a burst's, or as many as a pass asks ahead of those
    that it looks up itself."""
    return np.minimum(burst, _own_ahead(region) or np.inf)


def _own_ahead(region: Region) -> int:
    """Packets that the pass that uses a region's lines asks ahead; 0: another pass asks."""
    asked = region.asked
    return asked.ahead if asked is not None and asked.stage == region.stage else 0
