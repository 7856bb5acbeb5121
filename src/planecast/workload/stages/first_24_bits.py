"""The table of the first 24 bits, in which rte_lpm and rte_fib look up a destination first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.workload.flow_regions import Table, destination_blocks
from planecast.workload.regions import PAGE_LINES
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.sizes import Sizes, step_addresses

Floats = NDArray[np.float64]

FIRST_BITS = 24
ENTRY_BYTES = 4
ENTRY_ADDRESSES = 1 << 8
LINE_ADDRESSES = LINE_BYTES // ENTRY_BYTES * ENTRY_ADDRESSES
TABLE_LINES = (ENTRY_BYTES << FIRST_BITS) // LINE_BYTES


def first_table(sizes: Sizes, space: int) -> Table:
    """As flows touch it whose destinations come round in `space` addresses."""
    return Table(
        lines=lambda flows: destination_blocks(sizes, space, LINE_ADDRESSES, flows),
        pages=lambda flows: destination_blocks(sizes, space, PAGE_LINES * LINE_ADDRESSES, flows),
        stride=line_stride(sizes.columns, sizes.active_flows, space),
    )


def line_stride(columns: ScenarioColumns, flows: Floats, space: int) -> Floats:
    """Lines of it from one destination's to the next one's, the largest power of two that divides
    their whole lines; less where what that leaves over adds up to a line and more in a round."""
    steps = columns.choices["traffic.destination_step"]
    left_over = steps.each(lambda dotted: step_addresses(dotted) % LINE_ADDRESSES)
    in_a_round = np.minimum(flows, space / np.maximum(steps.each(step_addresses), 1.0))
    shifted = np.maximum(in_a_round * left_over / LINE_ADDRESSES, 1.0)
    return np.asarray(np.maximum(1.0, steps.each(_power) / shifted))


def _power(dotted: str) -> float:
    """The largest power of two that divides a step's whole lines."""
    lines = step_addresses(dotted) // LINE_ADDRESSES
    return float(lines & -lines)
