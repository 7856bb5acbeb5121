"""Key extraction of vpe-upstream: reads the headers, asks for the lines that later stages use."""

from __future__ import annotations

from planecast.workload.stages.descriptor import StageDescriptor


class Key(StageDescriptor):
    """Prefetches flow buckets, flow actions and route entries; those lines count where they are
    used."""

    name = "key"
    reads_headers = True
    instructions_depend_on = ("classify", "actions", "route")
