"""ACL: the firewall of vpe-upstream, rte_acl's search of multi-bit tries over five fields."""

from __future__ import annotations

import numpy as np

from planecast.workload.regions import Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import LockStep, StageDescriptor

LINES_PER_RULE = 338 / 64
"""rte_acl's run-time structures take 1,386,704 bytes for 4,096 of our rules (its own dump)."""
WIDE_LANES = 16
"""Packets that the vector search walks at once; smaller bursts are searched 8 or 4 at a time with
scalar loads, whose cost is their instructions' (DPDK: acl_run_avx512_common.h, acl_run_sse.h)."""
FIELD_BYTES = 13
"""Protocol, two addresses and two ports: a step of the walk each."""
DESTINATIONS = 1 << 32


class Acl(StageDescriptor):
    """Destinations come in order, so a rule serves several packets in a row when there are fewer
    rules than destinations."""

    name = "acl"
    covers_stores = True

    def regions(self, sizes: Sizes) -> list[Region]:
        destinations = sizes.distinct_destinations(DESTINATIONS)
        lines = LINES_PER_RULE * np.minimum(sizes.number("workload.acl_rules"), destinations)
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
        wide = sizes.runs(self.name) * (sizes.burst >= WIDE_LANES)
        rounds = np.ceil(sizes.burst / WIDE_LANES) / sizes.burst
        return LockStep(steps=FIELD_BYTES, rounds=wide * rounds, packets=wide)
