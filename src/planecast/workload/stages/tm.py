"""Traffic manager of vpe-downstream: rte_sched with 4,096 pipes of 16 queues of 64 packets.

Enqueueing is a pipeline of its own: it prefetches two packets' lines in each of its steps, a step
ahead. Over brief bursts it makes passes, each of which needs what the one before has asked for,
with nothing between them. Dequeueing walks eight pipes in turn and prefetches their lines in one
state for the next. Layout and steps are those of DPDK 22.11, lib/sched/rte_sched.c. Each lcore has
its own scheduler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.workload.flow_regions import Table
from planecast.workload.regions import PAGE_BYTES, Asked, Overlap, Region
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import CountedApart, StageDescriptor

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
"""Packets from which on enqueueing is a pipeline; over fewer it makes passes."""
AT_ONCE = 2
"""Packets in a step of that pipeline."""
GRINDERS = 8
"""Pipes that dequeueing walks in turn."""


class TrafficManager(StageDescriptor):
    """Flows are spread over the pipes first, then over the queues of each."""

    name = "tm"
    # A packet's instructions vary with what else is queued, so there are many packets; nobody would
    # wait for the steps of so many.
    counted_apart = CountedApart(packets=8192, instrument="callgrind")

    def regions(self, sizes: Sizes) -> list[Region]:
        brief = sizes.burst < PIPELINED
        runs = sizes.runs(self.name)
        # By the pass over a brief burst whose lines the next one needs; counters are asked for in
        # the first and used in the last.
        enqueued = {
            "queues": (_Part("queues", QUEUES * QUEUE_BYTES, 1, PIPES, 1.0),),
            "slots": (
                _Part("queues' counters", EXTRAS_BYTES, 1, QUEUES, 1.0),
                _Part("queued packets", SLOTS_BYTES, 1, QUEUES, SAME_LINE),
                _Part("next queued packets", SLOTS_BYTES, NEXT_LINES, QUEUES, 1 - SAME_LINE),
                _Part("active queues", QUEUES // 8, BITMAP_LINES, PIPES, 1.0),
            ),
        }
        pipes = _Part("pipes", PIPES * PIPE_BYTES, 1, PIPES, 1.0)
        loaded = (
            # Of what lies on two lines, the library prefetches the first.
            _Part("queues' averages", EXTRAS_BYTES, CROSSING, QUEUES, CROSSING, CROSSED_LINES),
            _Part("pipes' credits", PIPES * PIPE_BYTES, 1, PIPES, IN_SECOND_LINE),
            _Part("pipes' shares of others' credits", PIPES * PIPE_BYTES, 1, PIPES, 1.0),
        )
        found = pipes.regions(sizes, runs, in_flight=np.minimum(sizes.burst, GRINDERS))
        for lines, parts in enqueued.items():
            for part in parts:
                found += part.regions(sizes, runs * brief, asked=Asked(self.name, lines))
                found += part.regions(sizes, runs * ~brief, in_flight=AT_ONCE)
        for part in loaded:
            found += part.regions(sizes, runs, overlap=Overlap.INDEPENDENT)
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
    most: float = np.inf

    def regions(self, sizes: Sizes, runs: Floats, **how: Any) -> list[Region]:
        """As flows touch it in many scenarios, in those where the stage `runs`: 1, or 0."""
        table = Table(
            lines=lambda flows: np.minimum(self.lines * np.minimum(flows, self.places), self.most),
            pages=lambda flows: np.full_like(flows, self.bytes / PAGE_BYTES + 1),
            each_lcore=True,
        )
        return table.regions(sizes, TrafficManager.name, self.name, self.touches * runs, **how)
