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
DESTINATIONS = 1 << 32


class Acl(StageDescriptor):
    """Destinations come in order, so a rule serves several packets in a row when there are fewer
    rules than destinations."""

    name = "acl"
    hides_headers = True

    def regions(self, sizes: Sizes) -> list[Region]:
        destinations, rules = self._destinations_and_rules(sizes)
        lines = LINES_PER_RULE * np.minimum(rules, destinations)
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
                in_flight=np.minimum(sizes.burst, WIDE_LANES),
            )
        ]

    def lock_step(self, sizes: Sizes) -> LockStep:
        runs, burst = sizes.runs(self.name), sizes.burst
        four, eight = SCALAR_LANES
        if sizes.pads_short_bursts:
            few = [burst <= lanes for lanes in (four, eight, WIDE_LANES)]
            walked = np.select(few, [four, eight, WIDE_LANES], 8 * np.ceil(burst / 8))
            scalar = np.ones_like(burst)
        else:
            walked = burst
            scalar = np.ceil(burst / np.where(burst >= eight, eight, four))
        wide = walked >= WIDE_LANES
        destinations, rules = self._destinations_and_rules(sizes)
        change = np.minimum(rules / destinations, 1.0)
        lanes = np.minimum(burst, np.where(wide, WIDE_LANES, np.where(walked > four, eight, four)))
        return LockStep(
            steps=FIELD_BYTES,
            gathered=runs * wide * np.ceil(walked / WIDE_LANES) / burst,
            scalar=runs * ~wide * scalar / burst,
            # Of a round of packets, at least one whose rule is another than the one before it.
            divergent=1 - (1 - change) ** lanes,
        )

    @staticmethod
    def _destinations_and_rules(sizes: Sizes) -> tuple[Floats, Floats]:
        return sizes.distinct_destinations(DESTINATIONS), sizes.number("workload.acl_rules")
