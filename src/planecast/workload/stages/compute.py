"""compute: an iteration of the compute reference for each packet, whose bytes it leaves alone."""

from __future__ import annotations

from planecast.workload.stages.descriptor import CountedApart, StageDescriptor


class Compute(StageDescriptor):
    """Core-bound: code and data, below 4 KiB (kernel.h), stay in the L1 cache, and an iteration
    lasts far longer than stores take to drain."""

    name = "compute"
    hides_headers = True
    counted_apart = CountedApart(packets=2, bursts=(2, 4))  # an iteration takes 26,000 instructions
