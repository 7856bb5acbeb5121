"""macswap: swaps the two MAC addresses, sixteen bytes of the header as one vector."""

from __future__ import annotations

from planecast.workload.stages.descriptor import StageDescriptor


class Macswap(StageDescriptor):
    """It touches packets alone; their lines are the source's."""

    name = "macswap"
    reads_headers = True
