"""Regions of tables that random flows touch: lines and pages that so many flows reach.

The in-process source of plain packets draws flows at random, each with a destination of its own:
the flow's number times `traffic.destination_step`, modulo the size of an address space.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.workload.regions import PAGE_LINES, Asked, Overlap, Region
from planecast.workload.sizes import Sizes, reached, step_addresses

Floats = NDArray[np.float64]

Reach = Callable[[Floats], Floats]
"""Distinct lines, or pages, that so many flows reach."""


class Table(NamedTuple):
    """A table as random flows touch it."""

    lines: Reach
    pages: Reach | None = None
    """None: its lines are adjacent."""
    each_lcore: bool = False
    """Whether each lcore has a table of its own."""
    stride: Floats | None = None
    """As in `Region.stride`."""

    def regions(
        self,
        sizes: Sizes,
        stage: str,
        name: str,
        touches: Floats,
        *,
        overlap: Overlap = Overlap.PREFETCHED,
        in_flight: Floats | None = None,
        asked: Asked | None = None,
    ) -> list[Region]:
        """A region for each class of flows; `touches` are those of a packet of any class."""
        found = []
        every = np.maximum(sizes.active_flows, 1.0)
        each = np.maximum(every / sizes.lcores, 1.0)  # fewer flows than lcores: they share them
        here, all_lines = np.maximum(self.lines(each), 1.0), np.maximum(self.lines(every), 1.0)
        total = here * sizes.lcores if self.each_lcore else all_lines
        pages = here / PAGE_LINES + 1 if self.pages is None else self.pages(each)
        for share, flows in sizes.by_class:
            # Of the lines that all flows touch, a class has those of its part of the flows.
            part = flows / every
            found.append(
                Region(
                    stage=stage,
                    name=name,
                    cyclic=False,
                    lines=here * part,
                    touches=touches * share,
                    pages=np.minimum(here, pages) * part,
                    total_lines=total * part,
                    overlap=overlap,
                    in_flight=sizes.burst if in_flight is None else in_flight,
                    asked=asked,
                    stride=self.stride,
                )
            )
        return found


def hashed(buckets: Floats, picks: Floats | float, *, tables: int = 1) -> Table:
    """A hash table of a line a bucket, of which a flow picks some at random.

    `tables` regions share the lines evenly, when several stages look up what is in one table.
    """
    return Table(
        lines=lambda flows: reached(buckets, picks * flows) / tables,
        pages=lambda flows: (buckets / PAGE_LINES + 1) / tables,
    )


def destination_blocks(sizes: Sizes, space: int, addresses: float, flows: Floats) -> Floats:
    """Distinct blocks of so many addresses that the destinations of `flows` flows are in.

    `space` is how many addresses (2^k) the destinations come round in.
    """
    steps = sizes.columns.choices["traffic.destination_step"]
    found = np.ones_like(flows)
    for place, dotted in enumerate(steps.values):
        there = steps.index == place
        found[there] = _stepped(step_addresses(str(dotted)), space, addresses, flows[there])
    return found


def _stepped(step: int, space: int, addresses: float, flows: Floats) -> Floats:
    """Blocks of addresses in which so many multiples of a step lie, modulo a space.

    A later round lies between the points of the one before, a shift away from them; when shifts
    have filled these gaps, the next ones lie in the gaps that they left, and so on.
    """
    points = np.minimum(flows, space // max(step & -step, 1)) if step else np.ones_like(flows)
    gap, spacing, before = space, step, 1.0
    found = np.maximum(points * min(step / addresses, 1.0), 1.0)
    while spacing and before < np.max(points, initial=0.0):
        before *= -(-gap // spacing)
        ahead = -gap % spacing
        gap, spacing = spacing, min(ahead, spacing - ahead)
        rounds = np.clip(points / before, 1.0, gap / max(spacing, 1))
        if addresses < gap:
            later = before * (1.0 + (rounds - 1.0) * min(spacing / addresses, 1.0))
            found = np.where(points > before, later, found)
    return np.asarray(np.minimum(found, max(space / addresses, 1.0)))
