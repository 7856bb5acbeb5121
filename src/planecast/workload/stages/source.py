"""Source: makes packets in memory buffers, as a poll-mode driver's receive burst returns them."""

from __future__ import annotations

import numpy as np

from planecast.workload.regions import Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor

BUFFER_LINES = 2
"""Of an mbuf its first line, of the packet its headers (native/dataplane/packet_source)."""
BUFFER_BYTES = 2368
"""struct rte_mbuf, headroom and data room (RTE_MBUF_DEFAULT_BUF_SIZE), the header of the pool."""


class Source(StageDescriptor):
    """Of every network function."""

    name = "source"

    def regions(self, sizes: Sizes) -> list[Region]:
        lines = BUFFER_LINES * sizes.buffers
        return [
            Region(
                stage=self.name,
                name="packet buffers",
                cyclic=True,
                lines=lines,
                touches=np.full_like(lines, BUFFER_LINES),
                pages=sizes.buffers * BUFFER_BYTES / 4096 + 1,
                total_lines=lines * sizes.lcores,
                overlap=Overlap.STORED,
            )
        ]
