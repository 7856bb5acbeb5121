"""How packet memory lies in DPDK programs of others that are started without hugepages."""

from __future__ import annotations

from typing import Literal

from planecast.scenario.dataplanes.hosted import Kind

MemoryLayout = Literal["as-hugepages", "no-huge"]


class DpdkMemory(Kind):
    """A DPDK program of others, whose memory is anonymous: no hugepages are reserved for it."""

    memory: MemoryLayout = "as-hugepages"
    """How its packet memory lies. as-hugepages: as it would with reserved hugepages, by a library
    that is loaded before the program: in 2 MiB pages where the kernel has some and no other process
    reads that memory, and packet buffers side by side. no-huge: as DPDK's --no-huge has it, in
    4 KiB pages, one buffer in each, so that the headers of all share one set of an L1 cache."""
