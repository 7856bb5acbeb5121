"""Traffic manager of vpe-downstream: rte_sched with 4,096 pipes of 16 queues of 64 packets.

Enqueueing is a pipeline of its own: it prefetches two packets' lines in each of its steps, a step
ahead. Dequeueing walks eight pipes in turn and prefetches their lines in one state for the next.
Layout and steps are those of DPDK 22.11, lib/sched/rte_sched.c. Each lcore has its own scheduler.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.workload.flow_regions import PAGE_BYTES, Table
from planecast.workload.regions import Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import StageDescriptor

Floats = NDArray[np.float64]

PIPES = 1 << 12
QUEUES_PER_PIPE = 16
QUEUES = PIPES * QUEUES_PER_PIPE
PIPE_BYTES = 192
"""Token bucket and credits of classes 0 to 3 in the first line, of 4 to 11 in the second, of the
last class with its four queues in the third, and there what a pipe may have of others' credits:
read whatever the class is (grinder_credits_update_with_tc_ov, which a subport has by default)."""
IN_SECOND_LINE = 8 / QUEUES_PER_PIPE
"""Queues of a pipe whose class has its credits in the second line."""
QUEUE_BYTES = 4
"""Its read and its write position: those of a pipe's sixteen queues are one line."""
EXTRA_BYTES = 120
"""What a queue counted, and the state of RED or PIE."""
EXTRA_USED_BYTES = 56
"""Of those, up to the end of RED's state."""
EXTRAS_BYTES = QUEUES * EXTRA_BYTES
CROSSING = sum(at + EXTRA_USED_BYTES > LINE_BYTES for at in range(0, LINE_BYTES, 8)) / 8
"""Queues whose counters and average are on two lines: they begin at each multiple of eight bytes
in turn."""
CROSSED_LINES = EXTRAS_BYTES / LINE_BYTES - QUEUES
"""Of all queues together: a queue's second line may be the first one of the next queue."""
SLOTS, SLOT_BYTES = 64, 8
"""Packets that a queue holds at most; a pointer each."""
SLOTS_BYTES = QUEUES * SLOTS * SLOT_BYTES
NEXT_LINES = SLOTS * SLOT_BYTES / LINE_BYTES - 1
SAME_LINE = 1 - SLOT_BYTES / LINE_BYTES
"""Packets of a queue that come to the line that the one before came to."""
BITMAP_LINES = QUEUES_PER_PIPE / (8 * LINE_BYTES)
"""A pipe's part of the bitmap of queues that are not empty."""
PIPELINED = 6
"""Packets from which on enqueueing is a pipeline; of fewer, all lines are asked for together."""
AT_ONCE = 2
"""Packets in a step of that pipeline."""
GRINDERS = 8
"""Pipes that dequeueing walks in turn."""


class TrafficManager(StageDescriptor):
    """Flows are spread over the pipes first, then over the queues of each."""

    name = "tm"
    counted_over = (256, (8, 32))  # a packet's instructions vary with what else is queued

    def regions(self, sizes: Sizes) -> list[Region]:
        enqueue = np.where(sizes.burst < PIPELINED, sizes.burst, AT_ONCE)
        dequeue = np.minimum(sizes.burst, GRINDERS)
        parts = (
            _Part("queues", QUEUES * QUEUE_BYTES, 1, PIPES, 1.0, enqueue),
            _Part("queues' counters", EXTRAS_BYTES, 1, QUEUES, 1.0, enqueue),
            _Part("queues' averages", EXTRAS_BYTES, CROSSING, QUEUES, CROSSING, most=CROSSED_LINES),
            _Part("queued packets", SLOTS_BYTES, 1, QUEUES, SAME_LINE, enqueue),
            _Part("next queued packets", SLOTS_BYTES, NEXT_LINES, QUEUES, 1 - SAME_LINE, enqueue),
            _Part("active queues", QUEUES // 8, BITMAP_LINES, PIPES, 1.0, enqueue),
            _Part("pipes", PIPES * PIPE_BYTES, 1, PIPES, 1.0, dequeue),
            _Part("pipes' credits", PIPES * PIPE_BYTES, 1, PIPES, IN_SECOND_LINE),
            _Part("pipes' shares of others' credits", PIPES * PIPE_BYTES, 1, PIPES, 1.0),
        )
        found: list[Region] = []
        for part in parts:
            found += part.table.regions(
                sizes,
                self.name,
                part.name,
                part.touches * sizes.runs(self.name),
                # Of what lies on two lines, the library prefetches the first.
                overlap=Overlap.INDEPENDENT if part.ahead is None else Overlap.PREFETCHED,
                in_flight=enqueue if part.ahead is None else part.ahead,
            )
        return found


class _Part(NamedTuple):
    """Part of the scheduler's memory: some lines of each place that flows are spread over."""

    name: str
    bytes: int
    """Of the array that it lies in."""
    lines: float
    """Of each place."""
    places: int
    touches: float
    ahead: Floats | None = None
    """How many are prefetched together; None: none are."""
    most: float = np.inf

    @property
    def table(self) -> Table:
        """As flows touch it."""
        return Table(
            lines=lambda flows: np.minimum(self.lines * np.minimum(flows, self.places), self.most),
            pages=lambda flows: np.full_like(flows, self.bytes / PAGE_BYTES + 1),
            each_lcore=True,
        )
