"""The table of the first 24 bits, in which rte_lpm and rte_fib look up a destination first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.workload.flow_regions import PAGE_LINES, Table, destination_blocks
from planecast.workload.sizes import Sizes, step_addresses

Floats = NDArray[np.float64]

ENTRY_BYTES = 4
ENTRY_ADDRESSES = 1 << 8
LINE_ADDRESSES = LINE_BYTES // ENTRY_BYTES * ENTRY_ADDRESSES


def first_table(sizes: Sizes, space: int) -> Table:
    """As flows touch it whose destinations come round in `space` addresses."""
    return Table(
        lines=lambda flows: destination_blocks(sizes, space, LINE_ADDRESSES, flows),
        pages=lambda flows: destination_blocks(sizes, space, PAGE_LINES * LINE_ADDRESSES, flows),
        stride=line_stride(sizes, space),
    )


def line_stride(sizes: Sizes, space: int) -> Floats:
    """Lines of it from one destination's to the next one's, the largest power of two that divides
    their distance; less where what that leaves over shifts them by a line and more in a round."""
    steps = sizes.columns.choices["traffic.destination_step"]
    flows = np.minimum(sizes.active_flows, space / np.maximum(sizes.step, 1.0))
    shifted = flows * steps.each(lambda dotted: step_addresses(dotted) % LINE_ADDRESSES)
    return np.asarray(np.maximum(1.0, steps.each(_power) / np.maximum(shifted / LINE_ADDRESSES, 1.0)))


def _power(dotted: str) -> float:
    """The largest power of two that divides a step's whole lines."""
    lines = step_addresses(dotted) // LINE_ADDRESSES
    return float(lines & -lines)
