"""The table of the first 24 bits, in which rte_lpm and rte_fib look up a destination first."""

from __future__ import annotations

import numpy as np

from planecast.scenario.machine import LINE_BYTES
from planecast.workload.flow_regions import PAGE_LINES, Table, destination_blocks
from planecast.workload.sizes import Sizes, step_addresses

ENTRY_BYTES = 4
ENTRY_ADDRESSES = 1 << 8
LINE_ADDRESSES = LINE_BYTES // ENTRY_BYTES * ENTRY_ADDRESSES


def first_table(sizes: Sizes, space: int) -> Table:
    """As flows touch it whose destinations come round in `space` addresses."""
    powers = sizes.columns.choices["traffic.destination_step"].each(_power)
    return Table(
        lines=lambda flows: destination_blocks(sizes, space, LINE_ADDRESSES, flows),
        pages=lambda flows: destination_blocks(sizes, space, PAGE_LINES * LINE_ADDRESSES, flows),
        stride=np.maximum(1.0, powers / LINE_ADDRESSES),
    )


def _power(dotted: str) -> float:
    """The largest power of two that divides a step."""
    step = step_addresses(dotted)
    return float(step & -step)
