"""ACL: the firewall of vpe-upstream, rte_acl's search of multi-bit tries over five fields."""

from __future__ import annotations

import numpy as np

from planecast.workload.regions import Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import Floats, LockStep, StageDescriptor

LINES_PER_RULE = 338 / 64
"""rte_acl's run-time structures take 1,386,704 bytes for 4,096 of our rules (its own dump)."""
WIDE_LANES = 16
"""Packets that the vector search walks at once, given so many; smaller bursts are searched with
scalar loads (DPDK: acl_run_avx512_common.h, acl_run_sse.h)."""
SCALAR_LANES = (4, 8)
"""Bursts are padded to these, to 16, or to a multiple of 8 (native/dataplane/stages/acl.c), so that
short ones and tails take no more rounds than full ones."""
FIELD_BYTES = 13
"""Protocol, two addresses and two ports: a step of the walk each."""
SEARCH_ENDS = 3 / FIELD_BYTES
"""Of a round: what a search with gathers takes, however many rounds it has, to fill its first lanes
and to take its last results out. Chosen by cross-validation over calibration points
(docs/lab-notes/2026-11-27-tries-and-strides.md)."""
DESTINATIONS = 1 << 32


class Acl(StageDescriptor):
    """Destinations come in order, so a rule serves several packets in a row when there are fewer
    rules than destinations: they find its lines in the first level. Rules of a round that are no
    longer cached are so together, for they were read together: m rules count as the square root of
    m that are independent (docs/lab-notes/2026-11-27-short-bursts-over-many-rules.md)."""

    name = "acl"
    hides_headers = True

    def regions(self, sizes: Sizes) -> list[Region]:
        destinations, rules = self._destinations_and_rules(sizes)
        lines = LINES_PER_RULE * np.minimum(rules, destinations)
        lanes = self._lanes(sizes)
        return [
            Region(
                stage=self.name,
                name="rule tries",
                cyclic=True,
                lines=lines,
                touches=sizes.runs(self.name) * lines / destinations,
                pages=lines / 64 + 1,
                total_lines=lines,
                overlap=Overlap.DEPENDENT,
                # A rule's lines lie next to each other: prefetchers bring them in together.
                in_flight=LINES_PER_RULE,
                together=np.sqrt(np.maximum(lanes * np.minimum(rules / destinations, 1.0), 1.0)),
            )
        ]

    def lock_step(self, sizes: Sizes) -> LockStep:
        runs, burst = sizes.runs(self.name), sizes.burst
        four, eight = SCALAR_LANES
        if sizes.pads_short_bursts:
            scalar = np.ones_like(burst)
        else:
            scalar = np.ceil(burst / np.where(burst >= eight, eight, four))
        walked, lanes = self._walked(sizes), self._lanes(sizes)
        wide = walked >= WIDE_LANES
        destinations, rules = self._destinations_and_rules(sizes)
        change = np.minimum(rules / destinations, 1.0)
        return LockStep(
            steps=FIELD_BYTES,
            gathered=runs * wide * (np.ceil(walked / WIDE_LANES) + SEARCH_ENDS) / burst,
            scalar=runs * ~wide * scalar / burst,
            # Of a round of packets, at least one whose rule is another than the one before it.
            divergent=1 - (1 - change) ** lanes,
        )

    @staticmethod
    def _walked(sizes: Sizes) -> Floats:
        """Packets of a burst that are walked, padding included."""
        burst = sizes.burst
        if not sizes.pads_short_bursts:
            return burst
        four, eight = SCALAR_LANES
        few = [burst <= lanes for lanes in (four, eight, WIDE_LANES)]
        return np.select(few, [four, eight, WIDE_LANES], 8 * np.ceil(burst / 8))

    def _lanes(self, sizes: Sizes) -> Floats:
        """Packets of the burst that a round walks together."""
        walked = self._walked(sizes)
        four, eight = SCALAR_LANES
        most = np.where(walked >= WIDE_LANES, WIDE_LANES, np.where(walked > four, eight, four))
        return np.minimum(sizes.burst, most)

    @staticmethod
    def _destinations_and_rules(sizes: Sizes) -> tuple[Floats, Floats]:
        return sizes.distinct_destinations(DESTINATIONS), sizes.number("workload.acl_rules")
