"""ACL: the firewall of vpe-upstream, rte_acl's search of multi-bit tries over five fields."""

from __future__ import annotations

import numpy as np

from planecast.cache_line import LINE_BYTES
from planecast.scenario.dataplanes.packets import IPV4_ADDRESSES
from planecast.workload.regions import PAGE_LINES, Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import Floats, LockStep, StageDescriptor

LINES_PER_RULE = 208 / LINE_BYTES
"""Nodes of a rule's own, from the third byte of its destination on. rte_acl's run-time structures
grow by 208 bytes a rule of ours."""
FIRST_BYTES = 256
"""Of destinations: each has a node for the second byte."""
LINES_PER_NODE = 2048 / LINE_BYTES
"""Of a node with an entry of eight bytes for each value of its byte."""
FEW_RANGES = 4
"""Rules whose ranges of a byte fit a node of one line; for more it has an entry for each value. So
1,024 rules take 231,808 bytes and 2,048 take 960,896."""
WIDE_LANES = 16
"""Packets that the vector search walks at once, given so many; smaller bursts are searched with
scalar loads (DPDK: acl_run_avx512_common.h, acl_run_sse.h)."""
SCALAR_LANES = (4, 8)
"""Bursts are padded to these, to 16, or to a multiple of 8 (native/dataplane/stages/acl.c), so that
short ones and tails take no more rounds than full ones."""
FIELD_BYTES = 13
"""Protocol, two addresses and two ports: a step of the walk each."""
SEARCH_ENDS = 1 / FIELD_BYTES
"""Of a round: what a search with gathers takes, however many rounds it has, to fill its first lanes
and to take its last results out: one step."""
HALF_ROUND = 0.9
"""Of a round: one in which only one of the search's two groups of lanes has packets. Both chosen by
cross-validation over calibration points (docs/lab-notes/2026-11-28-what-a-rule-takes.md)."""


class Acl(StageDescriptor):
    """Destinations come in order, so a rule serves several packets in a row when there are fewer
    rules than destinations: they find its lines in the first level. Rules of a round that are no
    longer cached are so together, for they were read together: m rules count as the square root of
    m that are independent (docs/lab-notes/2026-11-27-short-bursts-over-many-rules.md)."""

    name = "acl"
    hides_headers = True

    def regions(self, sizes: Sizes) -> list[Region]:
        destinations, rules = self._destinations_and_rules(sizes)
        lines = LINES_PER_RULE * np.minimum(rules, destinations) + self._node_lines(sizes)
        lanes = self._lanes(sizes)
        return [
            Region(
                stage=self.name,
                name="rule tries",
                cyclic=True,
                lines=lines,
                touches=sizes.runs(self.name) * lines / destinations,
                pages=lines / PAGE_LINES + 1,
                total_lines=lines,
                overlap=Overlap.DEPENDENT,
                # A rule's lines lie next to each other: prefetchers bring them in together.
                in_flight=LINES_PER_RULE,
                together=np.sqrt(np.maximum(lanes * self._changes(sizes), 1.0)),
            )
        ]

    def lock_step(self, sizes: Sizes) -> LockStep:
        runs, burst = sizes.runs(self.name), sizes.burst
        four, eight = SCALAR_LANES
        if sizes.pads_short_bursts:
            scalar = np.ones_like(burst)
        else:
            scalar = np.ceil(burst / np.where(burst >= eight, eight, four))
        walked = self._walked(sizes)
        wide = walked >= WIDE_LANES
        half = HALF_ROUND * (walked % WIDE_LANES > 0)
        return LockStep(
            steps=FIELD_BYTES,
            gathered=runs * wide * (walked // WIDE_LANES + half + SEARCH_ENDS) / burst,
            scalar=runs * ~wide * scalar / burst,
            divergent=self._changes(sizes),
        )

    def _changes(self, sizes: Sizes) -> Floats:
        """Share of packets that come to another rule than the one before."""
        destinations, rules = self._destinations_and_rules(sizes)
        return np.minimum(rules / destinations, 1.0)

    def _node_lines(self, sizes: Sizes) -> Floats:
        """Touched lines of nodes for the second byte that have an entry for each value. An even
        split into rules has prefixes of two lengths, so a part of the first bytes has twice as many
        rules as the rest: between 1,024 and 2,048 rules a part of the nodes is such."""
        destinations, rules = self._destinations_and_rules(sizes)
        share = np.clip(rules / (FEW_RANGES * FIRST_BYTES) - 1.0, 0.0, 1.0)
        return share * np.minimum(FIRST_BYTES * LINES_PER_NODE, destinations)

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
        return sizes.distinct_destinations(IPV4_ADDRESSES), sizes.number("workload.acl_rules")
